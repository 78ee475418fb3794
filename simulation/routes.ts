/** Which routes a case really took, told from its journal: what was never taken shows nothing. */

import type { JournalEntry } from "../src/core/journal.ts";
import type { FaultCounts } from "./faults.ts";

/** Counts the routes of one case. */
export function countRoutes(journal: readonly JournalEntry[], counts: FaultCounts): void {
  const confirmed = new Set<string>();
  const lapsed = new Set<string>();
  for (const { entry } of journal) {
    switch (entry.kind) {
      case "stepConfirmed":
        if (entry.by.how === "check" && lapsed.has(entry.step)) counts.hit("rechecked");
        confirmed.add(entry.step);
        lapsed.delete(entry.step);
        break;
      case "stepLapsed":
        counts.hit("lapsed");
        lapsed.add(entry.step);
        break;
      case "stepRestored":
        lapsed.delete(entry.step);
        break;
      case "stepUndone":
        counts.hit("undone");
        confirmed.delete(entry.step);
        lapsed.delete(entry.step);
        break;
      case "intentOpened":
        if (confirmed.has(entry.step)) counts.hit("redone");
        lapsed.delete(entry.step);
        break;
      case "attemptFailed":
        if (isUndo(entry.step) && entry.failure.executed !== "no") counts.hit("undoUnknown");
        break;
      case "claimLost":
        if (entry.openAttempts.some(({ step }) => isUndo(step))) counts.hit("undoUnknown");
        break;
      default:
        break;
    }
  }
}

function isUndo(step: string): boolean {
  return step.endsWith(".undo");
}
