/** One turn of a pick-up: the tasks that ended, and the commit that follows from them. */

import type { AttemptRef, Entry } from "../core/journal.ts";
import type { StepTransaction } from "../store/port.ts";
import type { Advance } from "./advance.ts";
import type { TransactionEnd } from "./transaction-attempt.ts";

/** A task that ended. */
export type Ended =
  | ({ readonly kind: "attempt"; readonly ref: AttemptRef } & TransactionEnd)
  | { readonly kind: "answers"; readonly step: string; readonly entries: readonly Entry[] };

/** What one commit holds. */
export interface Turn {
  readonly outcomes: readonly Entry[];
  readonly next: Advance;
}

/** What a task wrote that its commit must store, or roll back; null = nothing of that kind. */
export function transactionOf(ended: Ended): StepTransaction | null {
  return ended.kind === "attempt" ? (ended.open ?? null) : null;
}

/** True where there is nothing to commit. */
export function isEmpty({ outcomes, next }: Turn): boolean {
  return outcomes.length === 0 && next.onward.length === 0 && next.end === "keep";
}

/** The step that an entry speaks of. */
export function stepIn(entry: Entry): string | null {
  return "step" in entry ? entry.step : null;
}
