/** What a prerequisite asks about: it stops holding, cannot be asked, and answers late. */

import type { ConditionAnswer } from "../src/core/journal.ts";
import type { FaultCounts } from "./faults.ts";
import type { SimulatedProcess } from "./process.ts";
import type { SeededRandom } from "./random.ts";

/** How asking goes. Shares are probabilities per question. */
export interface StockHabits {
  readonly latencyMsMax: number;
  /** No answer but a broken connection. */
  readonly silent: number;
  /** The answer takes this long, in ms: longer than it is waited for. */
  readonly slow: number;
  readonly slowMs: number;
}

/** A stock of goods, which runs out and is filled again. */
export class SimulatedStock {
  readonly #random: SeededRandom;
  readonly #counts: FaultCounts;
  #habits: StockHabits;
  #isEmpty = false;

  constructor(random: SeededRandom, counts: FaultCounts, habits: StockHabits) {
    this.#random = random;
    this.#counts = counts;
    this.#habits = habits;
  }

  /** Nothing is left. */
  runOut(): void {
    this.#isEmpty = true;
  }

  /** It is filled again. */
  fill(): void {
    this.#isEmpty = false;
  }

  /** From now on it is full, and answers. */
  calmDown(): void {
    this.#isEmpty = false;
    this.#habits = { latencyMsMax: 5, silent: 0, slow: 0, slowMs: 0 };
  }

  /** Asks from a process. */
  ask(process: SimulatedProcess, signal: AbortSignal): Promise<ConditionAnswer> {
    return new Promise((resolve, reject) => {
      const abort = (): void => reject(new DOMException("The operation was aborted", "AbortError"));
      signal.addEventListener("abort", abort, { once: true });
      const { latencyMsMax, silent, slow, slowMs } = this.#habits;
      const isSilent = this.#random.chance(silent);
      const isSlow = this.#random.chance(slow);
      if (isSilent) this.#counts.hit("probeSilent");
      else if (isSlow) this.#counts.hit("probeSlow");
      process.after(isSlow ? slowMs : this.#random.between(0, latencyMsMax), () => {
        if (isSilent) reject(new Error("the stock cannot be asked"));
        else resolve(this.#answer());
      });
    });
  }

  #answer(): ConditionAnswer {
    if (!this.#isEmpty) return { kind: "holds" };
    this.#counts.hit("probeBroken");
    return { kind: "broken", why: "nothing is left" };
  }
}
