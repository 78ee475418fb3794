/**
 * The database's clock, followed by the monotonic clock between two readings of it. A jump of this machine's wall
 * clock changes nothing; what is written carries the database's time, whoever writes it.
 */

import type { Clock } from "../core/ports.ts";

/** Follows the database's clock. */
export class DatabaseClock {
  readonly #clock: Clock;
  #offset: number | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Takes a reading: the database said `databaseNow` in an answer that came just now, to a question that left at `askedAt`
   * by the monotonic clock. What is known stays while the answer allows it: an answer that came late, for one because this
   * process stood still, says little. Else it is known anew, and runs behind by the way back.
   */
  follow(databaseNow: number, askedAt: number): void {
    const earliest = databaseNow - this.#clock.monotonic();
    const latest = databaseNow - askedAt;
    const isAllowed = this.#offset !== null && this.#offset >= earliest && this.#offset <= latest;
    if (!isAllowed) this.#offset = earliest;
  }

  /** Database time in whole ms; before the first reading, this machine's wall clock. */
  now(): number {
    if (this.#offset === null) return Math.floor(this.#clock.now());
    return Math.floor(this.#clock.monotonic() + this.#offset);
  }
}
