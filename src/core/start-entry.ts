/** What the entry that a case began with says of its turn and its business key. */

import type { Entry } from "./journal.ts";
import type { RestingState } from "./row.ts";
import type { KeyFreedBy, Priority } from "./starting.ts";

type Started = Extract<Entry, { kind: "caseStarted" }>;

/** The entry that a case begins with; null where the entries are not those of a start. */
function startIn([first]: readonly Entry[]): Started | null {
  return first?.kind === "caseStarted" ? first : null;
}

/** The priority that a case starts with. */
export function priorityIn(entries: readonly Entry[]): Priority {
  return startIn(entries)?.priority ?? "normal";
}

/** The rule for the business key that a case starts with. */
export function keyFreedByIn(entries: readonly Entry[]): KeyFreedBy {
  return startIn(entries)?.keyFreedBy ?? "nothing";
}

/** True while no other case may start with the same business key. The store's unique index says the same. */
export function holdsKey(state: RestingState, freedBy: KeyFreedBy): boolean {
  switch (freedBy) {
    case "nothing":
      return true;
    case "canceled":
      return state !== "canceled";
    case "end":
      return state !== "canceled" && state !== "done";
  }
}
