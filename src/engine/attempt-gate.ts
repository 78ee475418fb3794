/**
 * Poison control (R9): after a claim was lost with an attempt open, the case's next attempt is opened only while its
 * worker has no other attempt open, and no other one is opened beside it. So a case that kills its worker takes no
 * neighbor's attempt with it. First come, first served: a case that has to be alone waits until those before it have
 * ended, and is not overtaken meanwhile, or under a steady load it would wait for ever.
 */

/** Says that the attempt is no longer open. Safe twice. */
export type LeaveGate = () => void;

interface Waiting {
  readonly alone: boolean;
  readonly admit: (leave: LeaveGate) => void;
}

/** Counts the open attempts of one worker. */
export class AttemptGate {
  #open = 0;
  #isAlone = false;
  /** Bounded by the cases that the worker holds: each waits once. */
  readonly #queue: Waiting[] = [];

  /** Enters at once; null = not now. `alone` = beside no other attempt. */
  tryEnter(alone: boolean): LeaveGate | null {
    return this.#queue.length === 0 && this.#isFree(alone) ? this.#admit(alone) : null;
  }

  /** Resolves once the attempt may be opened. */
  enter(alone: boolean): Promise<LeaveGate> {
    return new Promise((admit) => {
      this.#queue.push({ alone, admit });
      this.#serve();
    });
  }

  #isFree(alone: boolean): boolean {
    return !this.#isAlone && (!alone || this.#open === 0);
  }

  #serve(): void {
    for (;;) {
      const [first] = this.#queue;
      if (first === undefined || !this.#isFree(first.alone)) return;
      this.#queue.shift();
      first.admit(this.#admit(first.alone));
    }
  }

  #admit(alone: boolean): LeaveGate {
    this.#open += 1;
    this.#isAlone = alone;
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      this.#open -= 1;
      if (alone) this.#isAlone = false;
      this.#serve();
    };
  }
}
