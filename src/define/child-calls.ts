/** What the engine does for a step that starts another case: authors say which case and what it starts with, and no more. */

import { invariant } from "../core/errors.ts";
import type { Json } from "../core/json.ts";
import type { Facts } from "./case-type.ts";

/** Given by the engine with what `run` is given. Each writes in the transaction that the step's outcome is stored with. */
export interface ChildCalls {
  /** Starts the case; gives what is told of it. */
  readonly start: (input: Json) => Promise<Json>;
  /** Asks the case that was started to cancel. */
  readonly cancel: () => Promise<Json>;
}

/** What the run of such a step is given beside all else. */
export interface WithChildCalls {
  readonly childCalls: ChildCalls;
}

/** What the engine gave. */
export function childCallsIn(context: Facts & Partial<WithChildCalls>): ChildCalls {
  const { childCalls } = context;
  invariant(childCalls !== undefined, `the engine gave case ${context.caseId} no way to its children`);
  return childCalls;
}
