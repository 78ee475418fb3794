/**
 * A provider that tells events: it posts each until it is answered with a success, sometimes twice at once, late and out of
 * order, as its retries and its people do; and beside them somebody who forges.
 */

import { isJsonObject, type Json } from "../src/core/json.ts";
import { PRESETS } from "../src/inbox/presets.ts";
import { signRequest } from "../src/inbox/sign.ts";
import { defineSource, type ListedItem, type Source, type TellConsumer } from "../src/inbox/source.ts";
import { ARRIVED, REVOKED } from "./case-shape.ts";
import type { FaultCounts } from "./faults.ts";
import type { SeededRandom } from "./random.ts";
import type { Scheduler } from "./scheduler.ts";

const SECRET = "between the two of us";
/** Attempts of one posting, and the longest wait between two, in virtual ms. */
const ATTEMPTS_MAX = 40;
const RETRY_MS_MAX = 2_000;

/** What is posted. */
export interface Posted {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** An event of the provider's, as the provider remembers it. */
export interface ToldEvent extends Posted {
  readonly id: string;
  /** Postings that were answered with a success. */
  successes: number;
}

/** What a provider is made of. */
export interface ProviderOptions {
  readonly scheduler: Scheduler;
  readonly random: SeededRandom;
  readonly counts: FaultCounts;
  /** Posts; null = no answer. */
  readonly post: (posted: Posted) => Promise<number | null>;
  readonly onTrace: (line: string) => void;
  /** Told of a forged one that was answered with a success. */
  readonly onForgedTaken: (id: string) => void;
}

/** The provider. */
export class SimulatedProvider {
  readonly #options: ProviderOptions;
  readonly #told = new Map<string, ToldEvent>();

  constructor(options: ProviderOptions) {
    this.#options = options;
  }

  get told(): readonly ToldEvent[] {
    return [...this.#told.values()];
  }

  /** Everything, as the provider's own list has it. */
  get listed(): readonly ListedItem[] {
    return this.told.map(({ body, headers }) => ({ body, headers }));
  }

  /** Tells an event of an order, or tells it again. */
  tell(eventType: string, order: string, no: number): void {
    const { random, counts, scheduler } = this.#options;
    const id = `${eventType}-${order}-${no}`;
    const told = this.#told.get(id) ?? { ...signed(id, eventType, { order, n: no }), id, successes: 0 };
    this.#told.set(id, told);
    void this.#post(told);
    if (random.chance(0.3)) {
      counts.hit("resend");
      scheduler.schedule(random.between(0, RETRY_MS_MAX), () => void this.#post(told));
    }
    if (random.chance(0.1)) scheduler.schedule(random.between(0, RETRY_MS_MAX), () => void this.#forge(told));
  }

  /** Whatever had no success yet is posted once more. */
  calmDown(): void {
    for (const told of this.told) if (told.successes === 0) void this.#post(told);
  }

  async #post(told: ToldEvent): Promise<void> {
    const { post, random, counts, scheduler, onTrace } = this.#options;
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
      const status = await post(told);
      onTrace(`the provider posts ${told.id}: ${status ?? "no answer"}`);
      if (status !== null && status < 300) {
        if (this.#overtakes(told)) counts.hit("reordered");
        told.successes += 1;
        return;
      }
      counts.hit(status === null ? "unanswered" : "askedAgain");
      await new Promise<void>((resolve) => {
        scheduler.schedule(random.between(50, RETRY_MS_MAX), resolve);
      });
      // Another posting of it had its success meanwhile; a person's would not know.
      if (told.successes > 0 && random.chance(0.5)) return;
    }
  }

  /** True for one that is in before another that was told earlier. */
  #overtakes(told: ToldEvent): boolean {
    const told0 = this.told;
    return told0.slice(0, told0.indexOf(told)).some(({ successes }) => successes === 0);
  }

  /** The same id and signature over other bytes, or other bytes under a secret that is not ours. */
  async #forge({ id, headers }: ToldEvent): Promise<void> {
    const { post, random, counts, onForgedTaken } = this.#options;
    const body = Buffer.from(JSON.stringify({ order: "order-0", n: 1, isForged: true }));
    const isUnderNoSecret = random.chance(0.5);
    const forged = isUnderNoSecret
      ? signed(`forged-${id}`, ARRIVED, { isForged: true }, "guessed")
      : { body, headers };
    const status = await post(forged);
    if (status !== null) counts.hit("forged");
    if (status !== null && status < 300) onForgedTaken(id);
  }
}

function signed(id: string, eventType: string, told: Json, secret: string = SECRET): Posted {
  const body = Buffer.from(JSON.stringify(told));
  const signing = { method: "POST", url: "", body, secret, at: 0, id, eventType };
  return { body, headers: signRequest(PRESETS.hmac, signing) };
}

/** Where the provider posts to. `list`: its own list, where it is read. */
export function hooksSource(list: () => readonly ListedItem[], isListRead: boolean): Source {
  return defineSource("hooks", {
    preset: { ...PRESETS.hmac, subject: [{ path: ["order"] }] },
    owner: "owner",
    secrets: () => SECRET,
    consumers: { revoked: consumerOf(REVOKED, false), arrived: consumerOf(ARRIVED, true) },
    list: {
      page: async () => ({ items: list(), next: null }),
      ...(isListRead ? { every: "5s" } : {}),
    },
  });
}

/** `isFetched`: the events of one order are worked on one after another. */
function consumerOf(eventType: string, isFetched: boolean): TellConsumer {
  return {
    kind: "tell",
    caseType: "simulated",
    on: [eventType],
    as: eventType,
    payload: ({ data }) => data,
    fetch: isFetched ? async ({ data }) => data : null,
    key: ({ data }) => {
      const order = isJsonObject(data) ? data["order"] : null;
      return typeof order === "string" ? order : null;
    },
  };
}
