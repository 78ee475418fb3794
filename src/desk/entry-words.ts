/** The history in words: one sentence for each kind of entry, and who did it. */

import { unreachable } from "../core/errors.ts";
import type { FailureKind } from "../core/failure.ts";
import type {
  Actor,
  CheckAnswer,
  ConditionAnswer,
  ConfirmedBy,
  Entry,
  LapseReason,
} from "../core/journal.ts";

import { sayRepairEnd } from "../core/repair-moves.ts";
import type { WireSummary } from "../core/wire-evidence.ts";
import { sayFinding } from "../wire/findings.ts";

/** How times are written. */
export type FormatTime = (at: number) => string;

/** Who made an entry; null for those that the engine makes while it works on a case. */
export function actorOf(entry: Entry): Actor | null {
  switch (entry.kind) {
    case "caseStarted":
    case "eventReceived":
    case "eventAttached":
    case "approvalAnswered":
    case "noteAdded":
    case "repairOpened":
    case "repairTakenOver":
    case "resumed":
    case "inputCorrected":
    case "redoOrdered":
    case "undoOrdered":
    case "checkOrdered":
    case "assigned":
    case "outcomeRuledOut":
    case "leftOutside":
    case "cancelRequested":
    case "canceled":
    case "pauseRequested":
    case "paused":
    case "definitionChanged":
    case "restored":
      return entry.by;
    case "attemptOpened":
    case "lateReport":
      return entry.holder;
    case "eachStarted":
    case "intentOpened":
    case "attemptFailed":
    case "checkAnswered":
    case "accessRefreshed":
    case "stepConfirmed":
    case "stepLapsed":
    case "stepRestored":
    case "stepUndone":
    case "conditionAnswered":
    case "lookAnswered":
    case "reviewOpened":
    case "parked":
    case "claimLost":
    case "repairEnded":
    case "childStarted":
    case "childTold":
    case "caseDone":
      return null;
    default:
      return unreachable(entry, "journal entry");
  }
}

function sayDefinition({ version, renamed }: Extract<Entry, { kind: "definitionChanged" }>): string {
  const names = renamed.map(({ from, to }) => `${from} is ${to} from now on`);
  return [`Goes on under version ${version} of its definition`, ...names].join("; ") + ".";
}

function sayStart(
  { caseType, by, slot }: Extract<Entry, { kind: "caseStarted" }>,
  formatTime: FormatTime,
): string {
  if (slot === undefined) return `${caseType} started by ${by.name}.`;
  const forSlot = `for the slot ${formatTime(slot.at)} of the schedule ${slot.schedule}`;
  return by.kind === "engine"
    ? `${caseType} started ${forSlot}.`
    : `${caseType} started by ${by.name} ${forSlot}.`;
}

/** What happened, in one sentence. */
export function sayEntry(entry: Entry, formatTime: FormatTime): string {
  switch (entry.kind) {
    case "caseStarted":
      return sayStart(entry, formatTime);
    case "definitionChanged":
      return sayDefinition(entry);
    case "restored":
      return (
        `The database was restored from a backup of ${formatTime(entry.backupAt)}: what was sent since is found out before ` +
        `anything is sent.`
      );
    case "eachStarted":
    case "childStarted":
    case "childTold":
      return `${entry.step}: ${sayBranch(entry)}`;
    case "intentOpened":
      return `${entry.step}: wants one effect at ${entry.destination}, with the key ${entry.idempotencyKey}.`;
    case "attemptOpened":
      return `${entry.step}: attempt ${entry.attempt} by ${entry.holder.name}.`;
    case "attemptFailed": {
      return `${entry.step}: attempt ${entry.attempt} failed. ${entry.failure.sentence}${sayNextTry(entry, formatTime)}`;
    }
    case "checkAnswered":
    case "accessRefreshed":
    case "conditionAnswered":
    case "lookAnswered":
      return `${entry.step}: ${sayLearned(entry, formatTime)}${sayRequests(entry.wire)}`;
    case "stepConfirmed": {
      if (entry.by.how === "notNeeded") return `${entry.step}: not needed: ${entry.by.why}.`;
      // What an attempt sent is told with the attempt.
      const asked = entry.by.how === "check" ? sayRequests(entry.wire) : "";
      return `${entry.step}: confirmed ${sayConfirmedBy(entry.by, formatTime)}.${asked}`;
    }
    case "stepLapsed":
    case "stepRestored":
    case "stepUndone":
      return `${entry.step}: ${sayShift(entry)}`;
    case "reviewOpened":
      return `Review for ${entry.review.owner}: ${entry.review.sentence}`;
    case "parked":
      return sayParked(entry, formatTime);
    case "caseDone":
      return "Done: every step is confirmed.";
    case "repairOpened":
    case "repairTakenOver":
    case "repairEnded":
      return sayRepair(entry);
    case "eventReceived":
    case "eventAttached":
    case "approvalAnswered":
    case "noteAdded":
    case "resumed":
    case "inputCorrected":
    case "outcomeRuledOut":
    case "leftOutside":
    case "redoOrdered":
    case "undoOrdered":
    case "checkOrdered":
    case "assigned":
    case "cancelRequested":
    case "canceled":
    case "pauseRequested":
    case "paused":
    case "claimLost":
    case "lateReport":
      return sayPersonal(entry, formatTime);
    default:
      return unreachable(entry, "journal entry");
  }
}

function sayLearned(
  entry: Extract<Entry, { kind: "checkAnswered" | "accessRefreshed" | "conditionAnswered" | "lookAnswered" }>,
  formatTime: FormatTime,
): string {
  switch (entry.kind) {
    case "checkAnswered":
      return `asked whether it happened: ${sayCheck(entry.answer, entry.proves)}.`;
    case "accessRefreshed":
      return sayRefresh(entry, formatTime);
    case "conditionAnswered":
      return `"${entry.condition}" ${sayAnswer(entry.answer)}.`;
    case "lookAnswered": {
      const { answer, nextLookAt } = entry;
      const found =
        answer.kind === "notYet" ? "it is not there yet" : "whether it is there could not be told";
      return `${found} (${answer.why}). Looked again at ${formatTime(nextLookAt)}.`;
    }
  }
}

function sayShift(entry: Extract<Entry, { kind: "stepLapsed" | "stepRestored" | "stepUndone" }>): string {
  switch (entry.kind) {
    case "stepLapsed":
      return `no longer stands: ${sayLapse(entry.because)}.`;
    case "stepRestored":
      return "stands again.";
    case "stepUndone":
      return "what it did is undone.";
  }
}

function sayBranch(entry: Extract<Entry, { kind: "eachStarted" | "childStarted" | "childTold" }>): string {
  switch (entry.kind) {
    case "eachStarted":
      return `begun for ${entry.keys.length} ${entry.keys.length === 1 ? "item" : "items"}.`;
    case "childStarted":
      return `started ${entry.caseType} case ${entry.caseId}.`;
    case "childTold":
      return sayChild(entry);
    default:
      return unreachable(entry, "journal entry");
  }
}

function sayChild({ caseId, standing }: Extract<Entry, { kind: "childTold" }>): string {
  switch (standing.kind) {
    case "running":
      return `case ${caseId} goes on.`;
    case "inReview":
      return `case ${caseId} waits for people.`;
    case "done":
      return `case ${caseId} is done.`;
    case "canceled":
      return `case ${caseId} was canceled by ${standing.by}${reasonWords(standing.reason)}.`;
    default:
      return unreachable(standing, "child");
  }
}

function sayRefresh(
  { credentialId, answer, retryAt }: Extract<Entry, { kind: "accessRefreshed" }>,
  formatTime: FormatTime,
): string {
  if (answer.kind === "refreshed") return `the access of ${credentialId} was refreshed.`;
  const next = retryAt === null ? "" : ` Not tried again before ${formatTime(retryAt)}.`;
  return `the access of ${credentialId} could not be refreshed. ${answer.failure.sentence}${next}`;
}

/** What a question really sent, and what that says about its client; nothing where nothing was metered. */
function sayRequests(wire: WireSummary | undefined): string {
  if (wire === undefined) return "";
  const { requests, isAtLeast, findings } = wire;
  const count = `${isAtLeast ? "at least " : ""}${requests} ${requests === 1 ? "request" : "requests"}`;
  return [` It sent ${count}.`, ...findings.map((one) => ` ${one.code}: ${sayFinding(one)}`)].join("");
}

/** The earliest next try, unless the failure surely did not happen and is one that only a person can mend. */
function sayNextTry(
  { failure, retryAt }: Extract<Entry, { kind: "attemptFailed" }>,
  formatTime: FormatTime,
): string {
  if (retryAt === null || (failure.executed === "no" && isForPeople(failure.kind))) return "";
  return ` Not tried again before ${formatTime(retryAt)}.`;
}

function isForPeople(kind: FailureKind): boolean {
  switch (kind) {
    case "rejected":
    case "denied":
    case "quota":
    case "conflict":
    case "gone":
    case "bug":
      return true;
    case "transient":
    case "throttled":
    case "stopped":
    case "unknown":
    case "precondition":
      return false;
    default:
      return unreachable(kind, "kind of failure");
  }
}

type Personal = Extract<
  Entry,
  {
    kind:
      | "eventReceived"
      | "eventAttached"
      | "approvalAnswered"
      | "noteAdded"
      | "resumed"
      | "inputCorrected"
      | "redoOrdered"
      | "undoOrdered"
      | "checkOrdered"
      | "assigned"
      | "outcomeRuledOut"
      | "leftOutside"
      | "cancelRequested"
      | "canceled"
      | "pauseRequested"
      | "paused"
      | "claimLost"
      | "lateReport";
  }
>;

/** What people, the outside and lost workers added. */
function sayPersonal(entry: Personal, formatTime: FormatTime): string {
  switch (entry.kind) {
    case "eventReceived": {
      const ignored = entry.ignored === null ? "" : ` It changes nothing: ${entry.ignored}.`;
      return `Event ${entry.eventType} from ${entry.by.name}.${ignored}`;
    }
    case "eventAttached":
      return `Event ${entry.eventType} from ${entry.by.name}, during the repair: kept until that ends.`;
    case "approvalAnswered": {
      const note = entry.note === null ? "" : `: ${entry.note}`;
      const whose = entry.inPlaceOf === undefined ? "" : ` in place of ${entry.inPlaceOf}`;
      return `${entry.by.name} ${entry.approved ? "approved" : "refused"} ${entry.step}${whose}${note}.`;
    }
    case "noteAdded":
      return `${entry.by.name}: ${entry.text}`;
    case "resumed":
      return `${entry.by.name} resumed ${entry.step ?? "the case"}${forcedWords(entry)}${reasonWords(entry.reason)}.`;
    case "inputCorrected":
      return `${entry.by.name} corrected the input${reasonWords(entry.reason)}.`;
    case "outcomeRuledOut":
      return `${entry.by.name} vouches that ${entry.step} did not happen${reasonWords(entry.reason)}.`;
    case "leftOutside":
      return `${entry.by.name} says that what ${entry.step} did stays outside${reasonWords(entry.reason)}.`;
    case "redoOrdered":
      return `${entry.by.name} ordered ${entry.step} to be done again${reasonWords(entry.reason)}.`;
    case "undoOrdered":
      return `${entry.by.name} ordered ${entry.step} to be undone${reasonWords(entry.reason)}.`;
    case "checkOrdered":
      return `${entry.by.name} wants what is known of ${entry.step} to be asked anew${reasonWords(entry.reason)}.`;
    case "assigned": {
      const whose = entry.to === null ? "nobody in particular" : entry.to.label;
      return `${entry.by.name} gave the case to ${whose}${reasonWords(entry.reason)}.`;
    }
    case "cancelRequested":
      return `${entry.by.name} asked to cancel the case${reasonWords(entry.reason)}; what it did is undone first.`;
    case "canceled":
      return `${entry.by.name} canceled the case${reasonWords(entry.reason)}.`;
    case "pauseRequested":
      return `${entry.by.name} asked to pause${until(entry.untilAt, formatTime)}${reasonWords(entry.reason)}.`;
    case "paused":
      return `${entry.by.name} paused the case${until(entry.untilAt, formatTime)}${reasonWords(entry.reason)}.`;
    case "claimLost":
      return `${entry.holderName} lost the case: ${sayLoss(entry)}.`;
    case "lateReport":
      return `${entry.step}: late report by ${entry.holder.name} on attempt ${entry.attempt}: ${sayLate(entry)}`;
    default:
      return unreachable(entry, "journal entry");
  }
}

type RepairEntry = Extract<Entry, { kind: "repairOpened" | "repairTakenOver" | "repairEnded" }>;

function sayRepair(entry: RepairEntry): string {
  switch (entry.kind) {
    case "repairOpened":
      return `${entry.by.name} opened the case for repair.`;
    case "repairTakenOver":
      return `${entry.by.name} took the repair over from ${entry.from.by.name}: ${entry.reason}.`;
    case "repairEnded": {
      const came = entry.events === 1 ? "1 event came meanwhile" : `${entry.events} events came meanwhile`;
      const became = entry.ignored === null ? "applied now" : `without effect, as ${entry.ignored}`;
      const events = entry.events === 0 ? "" : ` ${came}: ${became}.`;
      return `The repair ended: ${sayRepairEnd(entry.why)}.${events}`;
    }
    default:
      return unreachable(entry, "entry of a repair");
  }
}

/** How a confirmation came about: "by the answer to attempt 2". */
export function sayConfirmedBy(by: ConfirmedBy, formatTime: FormatTime): string {
  switch (by.how) {
    case "response":
      return `by the answer to attempt ${by.attempt}`;
    case "check":
      return `by asking the destination at ${formatTime(by.askedAt)}`;
    case "lateReport":
      return `by a late report on attempt ${by.attempt}`;
    case "approval":
      return `by ${by.by}`;
    case "event":
      return `by the event ${by.eventType} (${by.sourceId})`;
    case "child":
      return `as case ${by.caseId} is ${by.ended}`;
    case "each":
      return by.keys === 1 ? "with its one item" : `with all of its ${by.keys} items`;
    case "poll":
      return `by looking at ${formatTime(by.askedAt)}`;
    case "timer":
      return `by the clock at ${formatTime(by.dueAt)}`;
    case "notNeeded":
      return `as not needed: ${by.why}`;
    case "person":
      return `by hand by ${by.by}${reasonWords(by.reason)}`;
    case "skip":
      return `without being done: ${by.by} left it out${reasonWords(by.reason)}`;
    default:
      return unreachable(by, "confirmation");
  }
}

/** Why a confirmation no longer stands. */
export function sayLapse(because: LapseReason): string {
  switch (because.kind) {
    case "prerequisite":
      return `the prerequisite "${because.name}" is broken (${because.why})`;
    case "basis":
      return "the input or an earlier result that it rested on has changed";
    case "follows":
      return `it follows ${because.step}, which does not stand`;
    case "ordered":
      return `${because.by} ordered it to be done again (${because.reason})`;
    case "undo":
      return `${because.by} ordered it to be undone (${because.reason})`;
    default:
      return unreachable(because, "lapse");
  }
}

function sayCheck(answer: Exclude<CheckAnswer, { kind: "happened" }>, proves: boolean): string {
  if (answer.kind === "cannotTell") return `it could not be told (${answer.why})`;
  if (answer.kind === "differs") return `something else is there (${answer.why})`;
  return proves ? "it did not, and cannot any more" : "not found, which alone proves nothing";
}

function sayAnswer(answer: ConditionAnswer): string {
  switch (answer.kind) {
    case "holds":
      return "holds";
    case "broken":
      return `is broken (${answer.why})`;
    case "cannotTell":
      return `could not be told (${answer.why})`;
    default:
      return unreachable(answer, "answer");
  }
}

function sayParked({ waits, dueAt }: Extract<Entry, { kind: "parked" }>, formatTime: FormatTime): string {
  if (waits.length === 0) return "Stands still until a person acts.";
  const steps = waits.map(({ step }) => step).join(", ");
  if (dueAt === null) return `Waits at ${steps} until somebody acts.`;
  // An answer or an event may come earlier; a retry, a question or a sleep does not.
  const mayEndEarlier = waits.some(({ kind }) => kind === "approval" || kind === "event");
  return `Waits at ${steps} until ${formatTime(dueAt)}${mayEndEarlier ? " at the latest" : ""}.`;
}

function sayLoss({ why, openAttempts }: Extract<Entry, { kind: "claimLost" }>): string {
  const open = openAttempts.map(({ step, attempt }) => `attempt ${attempt} of ${step}`).join(", ");
  const left = open === "" ? "" : `, with ${open} open`;
  switch (why) {
    case "silent":
      return `it gave no sign of life for a whole lease${left}`;
    case "actBy":
      return `it committed nothing for too long${left}`;
    case "orphaned":
      return `it did not know of the claim${left}`;
    default:
      return unreachable(why, "loss");
  }
}

function sayLate({ outcome }: Extract<Entry, { kind: "lateReport" }>): string {
  return outcome.kind === "succeeded" ? "it took effect." : outcome.failure.sentence;
}

function reasonWords(reason: string | null): string {
  return reason === null ? "" : `: ${reason}`;
}

function until(untilAt: number | null, formatTime: FormatTime): string {
  return untilAt === null ? "" : ` until ${formatTime(untilAt)}`;
}

function forcedWords({ forced }: Extract<Entry, { kind: "resumed" }>): string {
  return forced ? ", also with the request that was rejected" : "";
}
