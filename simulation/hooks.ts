/** The server that takes the provider's deliveries: a process like any other, which is killed and starts again. */

import { FootholdError } from "../src/core/errors.ts";
import { headersOf } from "../src/inbox/arrival.ts";
import { eventIdOf, keyHash } from "../src/inbox/keys.ts";
import { Receiver } from "../src/inbox/receive.ts";
import { reconcile } from "../src/inbox/reconcile.ts";
import type { InboxReport } from "../src/inbox/report.ts";
import type { Source } from "../src/inbox/source.ts";
import { createInboxSweep } from "../src/inbox/sweep.ts";
import type { EventHistory } from "../src/store/inbox-port.ts";
import type { Store, StoredCase } from "../src/store/port.ts";
import type { FaultCounts } from "./faults.ts";
import type { Violation } from "./journal-rules.ts";
import type { SimulatedProcess } from "./process.ts";
import type { Posted, ToldEvent } from "./provider.ts";
import type { SeededRandom } from "./random.ts";
import type { Scheduler } from "./scheduler.ts";
import type { NetworkHabits } from "./store.ts";

/** How long the provider waits for an answer, in virtual ms. */
const ANSWER_MS_MAX = 3_000;
const SWEEP_EVERY_MS = 4_000;
/** Events of a run, at most. */
const EVENTS_MAX = 500;

/** What the server is made of. */
export interface HookServerOptions {
  readonly scheduler: Scheduler;
  readonly random: SeededRandom;
  readonly counts: FaultCounts;
  readonly source: Source;
  readonly habits: () => NetworkHabits;
  readonly newProcess: () => SimulatedProcess;
  readonly storeFor: (process: SimulatedProcess) => Store;
  readonly onReport: (report: InboxReport) => void;
}

/** The server. */
export class HookServer {
  readonly #options: HookServerOptions;
  #process: SimulatedProcess;
  /** A person ordered it while no server ran. */
  #isReadingOrdered = false;
  #isReading = false;
  #store: Store;
  #receiver: Receiver;

  constructor(options: HookServerOptions) {
    this.#options = options;
    [this.#process, this.#store, this.#receiver] = this.#start();
  }

  #start(): [SimulatedProcess, Store, Receiver] {
    const { newProcess, storeFor, source, onReport } = this.#options;
    const process = newProcess();
    const store = storeFor(process);
    const { ports } = process;
    const receiver = new Receiver({ store: store.inbox, sources: [source], ports, onReport });
    const intervalMs = SWEEP_EVERY_MS;
    createInboxSweep({ store, sources: [source], ports, receiver, onReport, intervalMs }).start();
    return [process, store, receiver];
  }

  /** True while a list is read and what came is worked on once more. */
  get isReading(): boolean {
    return this.#isReading || this.#isReadingOrdered;
  }

  /** `kill -9`, and a new one after a while. */
  kill(): void {
    const { scheduler, random, counts } = this.#options;
    if (this.#process.isDead) return;
    this.#process.kill();
    counts.hit("serverKilled");
    scheduler.schedule(random.between(100, 2_000), () => this.#restart());
  }

  #restart(): void {
    [this.#process, this.#store, this.#receiver] = this.#start();
    if (this.#isReadingOrdered) void this.reconcile();
  }

  /** Posts over a network that loses requests and answers; null = no answer in time. */
  post({ body, headers }: Posted): Promise<number | null> {
    const { scheduler, random, counts } = this.#options;
    const { latencyMsMax, requestLost, replyLost } = this.#options.habits();
    const [there, back] = [random.between(0, latencyMsMax), random.between(0, latencyMsMax)];
    const [isRequestLost, isReplyLost] = [random.chance(requestLost), random.chance(replyLost)];
    const [process, receiver] = [this.#process, this.#receiver];
    return new Promise((resolve) => {
      scheduler.schedule(ANSWER_MS_MAX, () => resolve(null));
      if (isRequestLost) return;
      const request = { method: "POST", query: "", headers: headersOf(Object.entries(headers)), body };
      const receive = async (): Promise<void> => {
        const { status } = await receiver.receive(this.#options.source.name, request);
        if (isReplyLost && status < 300) counts.hit("successUnheard");
        else process.after(back, () => resolve(status));
      };
      process.after(there, () => void receive());
    });
  }

  /**
   * Reads the provider's list, as a person orders after a failover; again while the network loses requests, or once it runs.
   * What a case was told and lost is told again by itself.
   */
  async reconcile(): Promise<void> {
    this.#isReadingOrdered = this.#process.isDead;
    if (this.#isReadingOrdered) return;
    this.#isReading = true;
    const [process, store, receiver] = [this.#process, this.#store, this.#receiver];
    const { source } = this.#options;
    const signal = new AbortController().signal;
    for (let tries = 1; tries <= 20; tries += 1) {
      try {
        await reconcile({ store: store.inbox, receiver, ports: process.ports, source, signal });
        this.#isReading = false;
        return;
      } catch (error) {
        if (!(error instanceof FootholdError)) throw error;
        await process.ports.clock.sleep(200);
      }
    }
  }
}

/** The inbox's own id of a told event. */
function eventIdFor({ name, tenant }: Source, { id }: ToldEvent): string {
  return eventIdOf(keyHash({ source: name, tenant }, "delivery", [id]));
}

/** True once each told event is in, and its work is closed or with a person. */
export async function areHooksSettled(
  store: Store,
  source: Source,
  told: readonly ToldEvent[],
): Promise<boolean> {
  for (const one of told) {
    const history = await store.inbox.showEvent(eventIdFor(source, one));
    if (one.successes === 0 || history === null || !isClosed(history)) return false;
  }
  return true;
}

function isClosed({ work }: EventHistory): boolean {
  return work.every(({ state }) => state === "done" || state === "ignored" || state === "in_review");
}

/**
 * Every event that was answered with a success is stored once, its work is tracked, what is done is in the journal of its
 * case, and nothing else is there. `hasFailedOver`: what the database lost, it does not count.
 */
export async function checkHooks(
  store: Store,
  source: Source,
  given: {
    readonly told: readonly ToldEvent[];
    readonly cases: readonly StoredCase[];
    readonly hasFailedOver: boolean;
  },
): Promise<readonly Violation[]> {
  const { events } = await store.inbox.listEvents({ limit: EVENTS_MAX });
  const wanted = new Map(given.told.map((one) => [eventIdFor(source, one), one]));
  const violations: string[] = [];
  for (const { event } of events)
    if (!wanted.has(event.eventId)) violations.push(`the inbox has an event that was never told`);
  for (const [eventId, told] of wanted) {
    const history = await store.inbox.showEvent(eventId);
    violations.push(...checkEvent(told, history, given).map((what) => `${told.id}: ${what}`));
  }
  const forged = given.cases.some(({ journal }) => JSON.stringify(journal).includes("isForged"));
  if (forged) violations.push("what was forged is in the journal of a case");
  return violations.map((what) => ({ rule: "inbox", what }));
}

function checkEvent(
  { successes }: ToldEvent,
  history: EventHistory | null,
  { cases, hasFailedOver }: { readonly cases: readonly StoredCase[]; readonly hasFailedOver: boolean },
): readonly string[] {
  if (history === null) return [`it was answered with ${successes} successes, and is not stored`];
  const found: string[] = [];
  const { event, work } = history;
  if (!hasFailedOver && event.sightings < successes)
    found.push(`${successes} successes, and ${event.sightings} sightings`);
  if (work.length !== 1) found.push(`it has ${work.length} pieces of work instead of one`);
  for (const one of work) {
    const isOpen = one.state === "ready" || one.state === "claimed" || one.state === "waiting";
    if (isOpen) found.push(`its work is still ${one.state}: ${one.sentence ?? "never taken"}`);
    if (one.state !== "done") continue;
    const source = `inbox:${event.source}:${event.eventId}`;
    const missing = one.caseIds.filter((caseId) => {
      const journal = cases.find(({ row }) => row.caseId === caseId)?.journal ?? [];
      return !journal.some(({ entry }) => "sourceId" in entry && entry.sourceId === source);
    });
    if (missing.length > 0 || one.caseIds.length === 0)
      found.push(`its work is done, and no entry of ${missing.join(", ") || "a case"} says so`);
  }
  return found;
}
