/** The faults that a test world can make, each once, at a place that it names. */

import type { Failpoint } from "../engine/failpoints.ts";

/** One fault. */
export type PlannedFault =
  /** The worker dies at a failpoint of a step. `attempt`: only at that one; left out, at the first that comes. */
  | { readonly kind: "crash"; readonly step: string; readonly point: Failpoint; readonly attempt?: number }
  /** `run` succeeded, and the engine sees a connection that broke. */
  | { readonly kind: "answerLost"; readonly step: string }
  /** The worker is stopped as it calls `run` until after others went on, and calls it then. */
  | { readonly kind: "lateSend"; readonly step: string }
  /** The worker is stopped with the answer in its hands until after others went on. */
  | { readonly kind: "lateAnswer"; readonly step: string };

/** Faults, and which were really hit. */
export class PlannedFaults {
  readonly #open: PlannedFault[] = [];

  add(fault: PlannedFault): void {
    this.#open.push(fault);
  }

  /** How many are still to come. */
  get openCount(): number {
    return this.#open.length;
  }

  /** Takes out the first that `matches`; null = none does. */
  take(matches: (fault: PlannedFault) => boolean): PlannedFault | null {
    const index = this.#open.findIndex(matches);
    return index === -1 ? null : (this.#open.splice(index, 1)[0] ?? null);
  }
}
