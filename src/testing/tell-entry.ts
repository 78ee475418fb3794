/** A journal entry as a line of a trace. */

import { awaitedTypes } from "../core/outline.ts";
import type { Entry } from "../core/journal.ts";
import type { Wait } from "../core/waits.ts";

const ORDERED = {
  redoOrdered: "done again",
  undoOrdered: "undone",
  checkOrdered: "asked about",
  leftOutside: "left outside",
} as const;

/** Null for what says nothing about the course of a case. */
export function tellEntry(entry: Entry): string | null {
  switch (entry.kind) {
    case "definitionChanged":
    case "restored":
      return `stored: ${tellGround(entry)}`;
    case "caseStarted":
    case "eachStarted":
    case "intentOpened":
    case "childStarted":
    case "childTold":
      return tellBegin(entry);
    case "attemptOpened":
      return `stored: attempt ${entry.attempt} of ${entry.step} is opened`;
    case "attemptFailed":
      return tellFailure(entry);
    case "checkAnswered":
    case "accessRefreshed":
    case "lookAnswered":
    case "conditionAnswered":
      return `stored: ${tellLearned(entry)}`;
    case "stepConfirmed":
      return `stored: ${entry.step} is confirmed by ${entry.by.how}`;
    case "stepLapsed":
    case "stepRestored":
    case "stepUndone":
      return tellShift(entry);
    case "outcomeRuledOut":
      return `${entry.by.name} vouches that ${entry.step} did not happen`;
    case "redoOrdered":
    case "undoOrdered":
    case "checkOrdered":
    case "leftOutside":
      return `${entry.by.name} orders ${entry.step} to be ${ORDERED[entry.kind]}`;
    case "assigned":
      return `${entry.by.name} gives the case to ${entry.to === null ? "nobody in particular" : entry.to.label}`;
    case "reviewOpened":
      return `stored: ${entry.review.step} waits for a person (${entry.review.reason}): ${entry.review.sentence}`;
    case "parked":
      return entry.waits.length === 0 ? null : `stored: waits for ${entry.waits.map(tellWait).join(" and ")}`;
    case "eventReceived":
      return `stored: event ${entry.eventType} (${entry.sourceId})`;
    case "eventAttached":
      return `stored: event ${entry.eventType} (${entry.sourceId}), to be applied when the repair ends`;
    case "repairOpened":
    case "repairTakenOver":
    case "repairEnded":
      return tellRepair(entry);
    case "approvalAnswered":
      return `stored: ${entry.step} is ${entry.approved ? "approved" : "refused"} by ${entry.by.name}`;
    case "claimLost":
      return `stored: ${entry.holderName} lost the claim with ${entry.openAttempts.length} attempts open`;
    case "lateReport":
      return `stored: late report on attempt ${entry.attempt} of ${entry.step}: ${entry.outcome.kind}`;
    case "caseDone":
      return "the case is done";
    case "cancelRequested":
      return `${entry.by.name} asks to cancel the case`;
    case "canceled":
      return `the case is canceled by ${entry.by.name}`;
    case "paused":
      return `the case is paused by ${entry.by.name}`;
    case "resumed":
      return `resumed by ${entry.by.name}`;
    case "inputCorrected":
      return `the input is corrected by ${entry.by.name}`;
    case "noteAdded":
    case "pauseRequested":
      return null;
  }
}

function tellGround(entry: Extract<Entry, { kind: "definitionChanged" | "restored" }>): string {
  return entry.kind === "restored"
    ? "the database was restored from a backup"
    : `goes on under version ${entry.version} of its definition`;
}

function tellLearned(
  entry: Extract<Entry, { kind: "checkAnswered" | "accessRefreshed" | "lookAnswered" | "conditionAnswered" }>,
): string {
  switch (entry.kind) {
    case "checkAnswered":
      return `the check of ${entry.step} answered ${entry.answer.kind}${entry.proves ? ", which proves it" : ""}`;
    case "accessRefreshed":
      return entry.answer.kind === "refreshed"
        ? `the access of ${entry.credentialId} is refreshed`
        : `the access of ${entry.credentialId} could not be refreshed (${entry.answer.failure.kind})`;
    case "lookAnswered":
      return `the look of ${entry.step} found ${entry.answer.kind}`;
    case "conditionAnswered":
      return `"${entry.condition}" of ${entry.step}: ${entry.answer.kind}`;
  }
}

function tellShift(entry: Extract<Entry, { kind: "stepLapsed" | "stepRestored" | "stepUndone" }>): string {
  switch (entry.kind) {
    case "stepLapsed":
      return `stored: ${entry.step} lapsed (${entry.because.kind})`;
    case "stepRestored":
      return `stored: ${entry.step} stands again`;
    case "stepUndone":
      return `stored: what ${entry.step} did is undone`;
  }
}

function tellSchedule({ slot }: Extract<Entry, { kind: "caseStarted" }>): string {
  return slot === undefined ? "" : `, by the schedule ${slot.schedule}`;
}

function tellBegin(
  entry: Extract<
    Entry,
    { kind: "caseStarted" | "eachStarted" | "intentOpened" | "childStarted" | "childTold" }
  >,
): string {
  switch (entry.kind) {
    case "caseStarted":
      return `the case starts (${entry.caseType}${tellSchedule(entry)})`;
    case "eachStarted":
      return `stored: ${entry.step} is begun for ${entry.keys.join(", ")}`;
    case "intentOpened":
      return `stored: ${entry.step} is wanted, key ${entry.idempotencyKey}`;
    case "childStarted":
      return `stored: ${entry.step} started ${entry.caseType} case ${entry.caseId}`;
    case "childTold":
      return `stored: case ${entry.caseId} of ${entry.step} is ${entry.standing.kind}`;
  }
}

function tellFailure({ step, attempt, failure, retryAt }: Extract<Entry, { kind: "attemptFailed" }>): string {
  const next = retryAt === null ? "" : ", to be tried again";
  return `stored: attempt ${attempt} of ${step} failed (${failure.kind}, executed: ${failure.executed})${next}`;
}

function tellRepair(
  entry: Extract<Entry, { kind: "repairOpened" | "repairTakenOver" | "repairEnded" }>,
): string {
  switch (entry.kind) {
    case "repairOpened":
      return `${entry.by.name} opens the case for repair`;
    case "repairTakenOver":
      return `${entry.by.name} takes the repair over from ${entry.from.by.name}`;
    case "repairEnded":
      return `the repair ends (${entry.why})`;
  }
}

function tellWait(wait: Wait): string {
  switch (wait.kind) {
    case "retry":
      return `the next try of ${wait.step}`;
    case "check":
      return `the next check of ${wait.step}`;
    case "probe":
      return `"${wait.condition}" of ${wait.step}`;
    case "approval":
      return `approval ${wait.step}`;
    case "event":
      return `event ${awaitedTypes(wait).join(" or ")}`;
    case "poll":
      return `the next look of ${wait.step}`;
    case "timer":
      return `time (${wait.step})`;
    case "child":
      return `case ${wait.caseId} (${wait.step})`;
    case "held":
      return `${wait.destination} to take ${wait.step}`;
    case "access":
      return `access to ${wait.destination} (${wait.step})`;
  }
}
