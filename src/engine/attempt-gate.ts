/**
 * Poison control (R9): after a claim was lost with an attempt open, the case's next attempt is opened only while its
 * worker has no other attempt open, and no other one is opened beside it. So a case that kills its worker takes no
 * neighbor's attempt with it.
 */

/** Counts the open attempts of one worker. */
export class AttemptGate {
  #open = 0;
  #isAlone = false;
  #waiting: (() => void)[] = [];

  /** Resolves with the function that ends the attempt, once it may be opened. `alone` = beside no other. */
  async enter(alone: boolean): Promise<() => void> {
    while (this.#isAlone || (alone && this.#open > 0)) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#open += 1;
    this.#isAlone = alone;
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      this.#open -= 1;
      if (alone) this.#isAlone = false;
      this.#wake();
    };
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }
}
