/** Which routes a case really took, told from its journal: what was never taken shows nothing. */

import type { Entry, JournalEntry } from "../src/core/journal.ts";
import { undoName } from "../src/core/undo.ts";
import { OWN_CASES } from "./family.ts";
import type { FaultCounts, FaultKind } from "./faults.ts";

/** Counts the routes of one case. */
export function countRoutes(journal: readonly JournalEntry[], counts: FaultCounts): void {
  const confirmed = new Set<string>();
  const lapsed = new Set<string>();
  const passedOver = new Set<string>();
  const usedUp = new Set<string>();
  if (isCanceledWithUndo(journal)) counts.hit("canceledWithUndo");
  countFamily(journal, counts);
  for (const { entry } of journal) {
    const taken = routeOf(entry, { confirmed, lapsed, passedOver, usedUp });
    if (taken !== null) counts.hit(taken);
    if (entry.kind === "resumed" || entry.kind === "inputCorrected") usedUp.clear();
    if (entry.kind === "attemptOpened") usedUp.delete(entry.step);
    if (entry.kind === "attemptFailed" && entry.failure.kind === "quota") usedUp.add(entry.step);
    if (entry.kind === "stepLapsed") lapsed.add(entry.step);
    if (entry.kind === "stepConfirmed") {
      const isPassedOver = entry.by.how === "notNeeded";
      (isPassedOver ? passedOver : confirmed).add(entry.step);
      (isPassedOver ? confirmed : passedOver).delete(entry.step);
    }
    if (entry.kind === "stepConfirmed" || entry.kind === "stepRestored") lapsed.delete(entry.step);
    if (entry.kind === "stepUndone" || entry.kind === "intentOpened") {
      confirmed.delete(entry.step);
      lapsed.delete(entry.step);
    }
  }
}

function countFamily(journal: readonly JournalEntry[], counts: FaultCounts): void {
  const starts = new Set<string>();
  const takenBack = new Set<string>();
  for (const { entry } of journal) {
    if (entry.kind === "caseStarted" && entry.parent !== undefined)
      counts.hit(entry.parent.depth > 1 ? "grandchild" : "child");
    if (entry.kind === "intentOpened" && entry.destination === OWN_CASES) {
      starts.add(entry.step);
      if (isUndo(entry.step)) takenBack.add(entry.step);
    }
    const isRejected = entry.kind === "attemptFailed" && entry.failure.kind === "rejected";
    if (isRejected && starts.has(entry.step)) counts.hit("childRejected");
    if (entry.kind === "childTold") {
      const { kind } = entry.standing;
      if (kind === "inReview") counts.hit("childInReview");
      if (kind === "canceled" && !takenBack.has(undoName(entry.step))) counts.hit("childCanceled");
    }
    if (entry.kind === "stepUndone" && takenBack.has(undoName(entry.step))) counts.hit("childTakenBack");
  }
}

function isCanceledWithUndo(journal: readonly JournalEntry[]): boolean {
  const kinds = journal.map(({ entry }) => entry.kind);
  const isUndone = kinds.lastIndexOf("stepUndone") > kinds.indexOf("cancelRequested");
  return kinds.includes("cancelRequested") && isUndone && kinds.includes("canceled");
}

interface Known {
  readonly confirmed: ReadonlySet<string>;
  readonly lapsed: ReadonlySet<string>;
  readonly passedOver: ReadonlySet<string>;
  /** Steps that were refused for want of quota, since people last acted. */
  readonly usedUp: ReadonlySet<string>;
}

function routeOf(entry: Entry, { confirmed, lapsed, passedOver, usedUp }: Known): FaultKind | null {
  if (entry.kind === "stepLapsed") return "lapsed";
  if (entry.kind === "eventReceived" && entry.ignored?.startsWith("it is of version") === true)
    return "outdated";
  if (entry.kind === "attemptOpened" && usedUp.has(entry.step)) return "quotaTried";
  if (entry.kind === "accessRefreshed" && entry.answer.kind === "refreshed") return "refreshed";
  if (entry.kind === "stepUndone") return "undone";
  if (entry.kind === "eachStarted") return "each";
  if (entry.kind === "lookAnswered") return "looked";
  if (entry.kind === "stepConfirmed" && entry.by.how === "notNeeded") return "passedOver";
  if ((entry.kind === "stepConfirmed" || entry.kind === "attemptOpened") && passedOver.has(entry.step))
    return "neededAfterAll";
  if (entry.kind === "intentOpened" && confirmed.has(entry.step)) return "redone";
  if (entry.kind === "stepConfirmed" && entry.by.how === "check" && lapsed.has(entry.step))
    return "rechecked";
  const isUnknown = entry.kind === "attemptFailed" && entry.failure.executed !== "no" && isUndo(entry.step);
  const isLost = entry.kind === "claimLost" && entry.openAttempts.some(({ step }) => isUndo(step));
  return isUnknown || isLost ? "undoUnknown" : null;
}

function isUndo(step: string): boolean {
  return step.endsWith(".undo");
}
