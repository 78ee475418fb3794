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

interface OpenAttempt {
  readonly leave: LeaveGate;
  readonly isSending: boolean;
}

/**
 * The attempts that one pick-up has open, by step. Each is open until its outcome is stored, not only until its send has
 * ended: what is lost in between counts as well. Once nobody is left to store it, the end of the send is what counts.
 */
export class OpenAttempts {
  readonly #attempts = new Map<string, OpenAttempt>();
  #isOver = false;

  /** An attempt whose send begins. */
  open(step: string, leave: LeaveGate): void {
    this.#attempts.set(step, { leave, isSending: true });
  }

  /** Its send has ended. */
  sent(step: string): void {
    const attempt = this.#attempts.get(step);
    if (attempt === undefined) return;
    this.#attempts.set(step, { ...attempt, isSending: false });
    if (this.#isOver) this.stored(step);
  }

  /** Its outcome is stored. */
  stored(step: string): void {
    this.#attempts.get(step)?.leave();
    this.#attempts.delete(step);
  }

  /** The pick-up has ended, and stores nothing more. */
  end(): void {
    this.#isOver = true;
    for (const [step, { isSending }] of this.#attempts) if (!isSending) this.stored(step);
  }
}
