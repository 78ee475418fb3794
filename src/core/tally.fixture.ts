/** Counts what happens in a walk apart from the fold, so that the fold's own counts can be held to it. */

import type { Entry } from "./journal.ts";

/** Counts since a person last acted or, where it says so, since the last confirmation. */
export class Tally {
  readonly #tries = new Map<string, number>();
  readonly #unsure = new Map<string, number>();
  #losses = 0;

  /** Attempts of a step that count, in its present round. */
  tries(step: string): number {
    return this.#tries.get(step) ?? 0;
  }

  /** How often in a row a condition could not be told. */
  unsure(step: string, condition: string): number {
    return this.#unsure.get(`${step}\n${condition}`) ?? 0;
  }

  /** Claims lost in a row with an attempt open, since the last confirmation. */
  get losses(): number {
    return this.#losses;
  }

  count(entry: Entry): void {
    if (entry.kind === "attemptOpened") this.#add(entry.step, 1);
    if (entry.kind === "attemptFailed") this.#giveBack(entry.step, entry.failure);
    if (entry.kind === "lateReport" && entry.outcome.kind === "failed") {
      this.#giveBack(entry.step, entry.outcome.failure);
    }
    if (entry.kind === "claimLost") this.#losses += entry.openAttempts.length > 0 ? 1 : 0;
    if (entry.kind === "conditionAnswered") {
      const name = `${entry.step}\n${entry.condition}`;
      const before = this.#unsure.get(name) ?? 0;
      this.#unsure.set(name, entry.answer.kind === "cannotTell" ? before + 1 : 0);
    }
    if (entry.kind === "stepConfirmed") {
      this.#losses = 0;
      this.#tries.delete(entry.step);
    }
    if (entry.kind === "resumed" || entry.kind === "redoOrdered") this.#forget(entry.step);
    if (entry.kind === "inputCorrected") this.#forget(null);
  }

  #giveBack(step: string, { kind, executed }: { readonly kind: string; readonly executed: string }): void {
    if (kind === "throttled" && executed === "no") this.#add(step, -1);
  }

  #add(step: string, change: number): void {
    this.#tries.set(step, Math.max(0, this.tries(step) + change));
  }

  #forget(step: string | null): void {
    this.#losses = 0;
    if (step === null) {
      this.#tries.clear();
      this.#unsure.clear();
      return;
    }
    this.#tries.delete(step);
    for (const name of this.#unsure.keys()) if (name.startsWith(`${step}\n`)) this.#unsure.delete(name);
  }
}
