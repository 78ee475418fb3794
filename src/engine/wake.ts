/** A loop's alarm clock: it sleeps until a time, or until somebody wakes it. A wake during work is not lost. */

import type { Clock } from "../core/ports.ts";

/** Wakes one waiting loop. */
export class Wake {
  readonly #clock: Clock;
  #isRung = false;
  #bell = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Ends the present wait, or the next one at once. */
  ring(): void {
    this.#isRung = true;
    // With a reason, because an abort without one makes an exception with its stack, each time.
    this.#bell.abort("rung");
  }

  /** Resolves after `delayMs`, or when rung. */
  async wait(delayMs: number): Promise<void> {
    if (!this.#isRung) {
      this.#bell = new AbortController();
      await this.#clock.sleep(delayMs, this.#bell.signal);
    }
    this.#isRung = false;
  }
}
