/**
 * Batches what arrives: while one transaction is under way, further deliveries wait and go together into the next. A
 * lone one is committed at once. Bounded in number and in bytes; beyond that the sender is asked to come again.
 */

import { FootholdError, isFootholdError } from "../core/errors.ts";
import type { Clock } from "../core/ports.ts";
import { TAKE_IN_MAX, type InboxStore, type NewDelivery, type TakenEvent } from "../store/inbox-port.ts";

/** Transactions at the same time. */
const TRANSACTIONS_MAX = 2;
/** Deliveries that are worth a transaction beside the one under way: many in one cost a fraction of many alone. */
const WORTH_ANOTHER = 32;
/** How often whoever works is hinted, in ms. */
const HINT_EVERY_MS = 50;
/** Deliveries that wait. */
const WAITING_MAX = 4_096;
/** Bytes of bodies in one transaction, unless it is of one alone. */
const BATCH_BYTES_MAX = 4 * 1024 * 1024;

interface Waiting {
  readonly delivery: NewDelivery;
  readonly answer: (taken: readonly TakenEvent[]) => void;
  readonly fail: (error: unknown) => void;
}

/** Takes deliveries in. */
export class Intake {
  readonly #store: Pick<InboxStore, "takeIn" | "hintWork">;
  readonly #clock: Clock;
  #isHinting = false;
  #isHintDue = false;
  #waiting: Waiting[] = [];
  #underWay = 0;

  constructor(store: Pick<InboxStore, "takeIn" | "hintWork">, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Resolves when the delivery is committed. Rejects with what the store threw; with `DATABASE_UNAVAILABLE` when too
   * many wait.
   */
  take(delivery: NewDelivery): Promise<readonly TakenEvent[]> {
    if (this.#waiting.length >= WAITING_MAX) {
      throw new FootholdError(
        "DATABASE_UNAVAILABLE",
        `${WAITING_MAX} deliveries wait for the database already.`,
      );
    }
    return new Promise((answer, fail) => {
      this.#waiting.push({ delivery, answer, fail });
      this.#flush();
    });
  }

  #flush(): void {
    while (
      this.#underWay < TRANSACTIONS_MAX &&
      this.#waiting.length >= (this.#underWay === 0 ? 1 : WORTH_ANOTHER)
    ) {
      const batch = this.#nextBatch();
      this.#underWay += 1;
      void this.#commit(batch).finally(() => {
        this.#underWay -= 1;
        this.#flush();
      });
    }
  }

  /** No event twice in one statement: the second waits for the next. */
  #nextBatch(): readonly Waiting[] {
    const batch: Waiting[] = [];
    const later: Waiting[] = [];
    const eventIds = new Set<string>();
    let bytes = 0;
    for (const one of this.#waiting) {
      const ids = one.delivery.events.map(({ eventId }) => eventId);
      bytes += one.delivery.body.length;
      const isFull = batch.length >= TAKE_IN_MAX || (batch.length > 0 && bytes > BATCH_BYTES_MAX);
      if (isFull || ids.some((id) => eventIds.has(id))) {
        later.push(one);
        continue;
      }
      for (const id of ids) eventIds.add(id);
      batch.push(one);
    }
    this.#waiting = later;
    return batch;
  }

  /** At once after the first, then once for all that came meanwhile. A hint that is lost costs a poll's delay. */
  async #hint(): Promise<void> {
    this.#isHinting = true;
    while (this.#isHintDue) {
      this.#isHintDue = false;
      await this.#store.hintWork().catch(() => undefined);
      await this.#clock.sleep(HINT_EVERY_MS);
    }
    this.#isHinting = false;
  }

  async #commit(batch: readonly Waiting[], isAgain = false): Promise<void> {
    try {
      const taken = await this.#store.takeIn(batch.map(({ delivery }) => delivery));
      batch.forEach(({ answer }, index) => answer(taken[index] ?? []));
      this.#isHintDue = true;
      if (!this.#isHinting) void this.#hint();
    } catch (error) {
      // A connection that broke may be the only one that did; where the database is away, nobody waits for each of the others.
      const isAway = isFootholdError(error) && error.code === "DATABASE_UNAVAILABLE";
      if (batch.length === 1 || (isAway && isAgain)) for (const { fail } of batch) fail(error);
      else if (isAway) await this.#commit(batch, true);
      // What is wrong with one must not fail the others: each is sent again alone.
      else for (const one of batch) await this.#commit([one]);
    }
  }
}
