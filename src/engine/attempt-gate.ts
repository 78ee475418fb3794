/**
 * Poison control (R9): attempts that may not be open side by side in one worker wait for each other; which may, core/company.ts
 * says. First come, first served: a case that has to be alone waits until those before it have ended, and is not overtaken
 * meanwhile, or under a steady load it would wait for ever.
 */

import { mayJoin, type Company } from "../core/company.ts";

/** Says that the attempt is no longer open. Safe twice. */
export type LeaveGate = () => void;

interface Waiting {
  readonly company: Company;
  readonly admit: (leave: LeaveGate) => void;
}

/** Counts the open attempts of one worker. */
export class AttemptGate {
  #open = 0;
  /** Of the attempts that are open. */
  #company: Company = "any";
  /** Bounded by the cases that the worker holds: each waits once. */
  readonly #queue: Waiting[] = [];

  /** Enters at once; null = not now. */
  tryEnter(company: Company): LeaveGate | null {
    return this.#queue.length === 0 && this.#isFree(company) ? this.#admit(company) : null;
  }

  /** Resolves once the attempt may be opened. */
  enter(company: Company): Promise<LeaveGate> {
    return new Promise((admit) => {
      this.#queue.push({ company, admit });
      this.#serve();
    });
  }

  #isFree(company: Company): boolean {
    return mayJoin(company, { company: this.#company, open: this.#open });
  }

  #serve(): void {
    for (;;) {
      const [first] = this.#queue;
      if (first === undefined || !this.#isFree(first.company)) return;
      this.#queue.shift();
      first.admit(this.#admit(first.company));
    }
  }

  #admit(company: Company): LeaveGate {
    this.#open += 1;
    this.#company = company;
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      this.#open -= 1;
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
