/** The faults that a test world can make, each once, at a place that it names. */

import type { Failpoint } from "../engine/failpoints.ts";

/** One fault. It hits the `nth` place that fits, from 1; left out, the first. */
export type PlannedFault = FaultAtStep & { readonly step: string; readonly nth?: number };

type FaultAtStep =
  /** The worker dies at a failpoint of a step. */
  | { readonly kind: "crash"; readonly point: Failpoint }
  /** `run` succeeded, and the engine sees a connection that broke. */
  | { readonly kind: "answerLost" }
  /** The worker is stopped as it calls `run` until after others went on, and calls it then. */
  | { readonly kind: "lateSend" }
  /** The worker is stopped with the answer in its hands until after others went on. */
  | { readonly kind: "lateAnswer" }
  /** A request to a fake destination loses its connection, and arrives when the step has gone on without it. */
  | { readonly kind: "lateRequest" }
  /** Somebody else is at a fake destination first: has the name, or has changed the record. */
  | { readonly kind: "rival" }
  /** The destination refuses, and executes nothing. */
  | { readonly kind: "refused"; readonly how: RefusedHow };

/** How a destination refuses, and what it answers then. */
export const REFUSALS = {
  input: { status: 422, body: '{"errors":[{"field":"","message":"is refused by the rehearsal"}]}' },
  "too fast": { status: 429, body: "" },
  "not there": { status: 404, body: "" },
} as const;

/** One of {@link REFUSALS}. */
export type RefusedHow = keyof typeof REFUSALS;

/** Faults, and which were really hit. */
export class PlannedFaults {
  #open: readonly { readonly fault: PlannedFault; readonly left: number }[] = [];

  add(fault: PlannedFault): void {
    this.#open = [...this.#open, { fault, left: fault.nth ?? 1 }];
  }

  /** How many are still to come. */
  get openCount(): number {
    return this.#open.length;
  }

  /** A place where `matches` fits: takes out the fault whose turn it is; null = none. */
  take(matches: (fault: PlannedFault) => boolean): PlannedFault | null {
    const counted = this.#open.map((one) => (matches(one.fault) ? { ...one, left: one.left - 1 } : one));
    const hit = counted.find(({ left }) => left === 0) ?? null;
    this.#open = counted.filter((one) => one !== hit);
    return hit?.fault ?? null;
  }
}
