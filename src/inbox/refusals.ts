/**
 * Notes what was refused. Anybody can make refusals, so few are noted in full and the rest is counted, and no answer
 * waits for them.
 */

import type { Clock, Ids } from "../core/ports.ts";
import { SHARD_COUNT } from "../store/port.ts";
import { TAKE_IN_MAX, type InboxStore, type Refusal } from "../store/inbox-port.ts";

/** Refusals of one source and reason that are noted one by one in a minute. */
const NOTED_MAX = 20;
/** The same of what the provider will not send again: somebody must ask for each. */
const LOST_NOTED_MAX = 200;
/** Refusals that wait to be stored; what comes beyond is counted. */
const WAITING_MAX = 1_000;
const MINUTE_MS = 60_000;
/** Sources and reasons that are counted apart. */
const KINDS_MAX = 1_000;

interface Counted {
  readonly beganAt: number;
  count: number;
  /** Those that were not noted one by one. */
  unnoted: Refusal | null;
}

/** What is to be noted. */
export type NewRefusal = Omit<Refusal, "refusalId" | "count">;

/** Notes refusals. */
export class Refusals {
  readonly #store: Pick<InboxStore, "refuse">;
  readonly #clock: Clock;
  readonly #ids: Ids;
  readonly #counted = new Map<string, Counted>();
  #waiting: Refusal[] = [];
  /** Spread over the shards in turn. */
  #drawn = 0;
  #writing: Promise<void> | null = null;

  constructor(store: Pick<InboxStore, "refuse">, clock: Clock, ids: Ids) {
    this.#store = store;
    this.#clock = clock;
    this.#ids = ids;
  }

  /** Notes one; what cannot be stored is dropped. */
  note(refusal: NewRefusal): void {
    const name = `${refusal.source} ${refusal.reason}`;
    const now = this.#clock.now();
    const counted = this.#countedAs(name, now);
    counted.count += 1;
    const noted = { ...refusal, refusalId: this.#newId(), count: 1 };
    const notedMax = refusal.isLost ? LOST_NOTED_MAX : NOTED_MAX;
    if (counted.count <= notedMax && this.#waiting.length < WAITING_MAX) this.#waiting.push(noted);
    else counted.unnoted = { ...noted, headers: [], count: (counted.unnoted?.count ?? 0) + 1 };
    this.#begin();
  }

  /** Resolves when all that was noted so far is stored or dropped. */
  async settled(): Promise<void> {
    for (const counted of this.#counted.values()) this.#flushCount(counted);
    this.#begin();
    while (this.#writing !== null) await this.#writing;
  }

  #begin(): void {
    if (this.#writing !== null || this.#waiting.length === 0) return;
    this.#writing = this.#write().finally(() => {
      this.#writing = null;
      this.#begin();
    });
  }

  #countedAs(name: string, now: number): Counted {
    const known = this.#counted.get(name);
    if (known !== undefined && now - known.beganAt < MINUTE_MS) return known;
    if (known !== undefined) this.#flushCount(known);
    if (this.#counted.size >= KINDS_MAX) this.#counted.clear();
    const fresh: Counted = { beganAt: now, count: 0, unnoted: null };
    this.#counted.set(name, fresh);
    return fresh;
  }

  #flushCount(counted: Counted): void {
    if (counted.unnoted !== null) this.#waiting.push(counted.unnoted);
    counted.unnoted = null;
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, TAKE_IN_MAX);
      try {
        await this.#store.refuse(batch);
      } catch {
        // A refusal that is not noted has done no harm; whoever watches the database knows that it is away.
      }
    }
  }

  #newId(): string {
    this.#drawn = (this.#drawn + 1) % SHARD_COUNT;
    return `r${String(this.#drawn).padStart(2, "0")}-${this.#ids.unique()}`;
  }
}
