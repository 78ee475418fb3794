/**
 * The fold: a case's state is what its journal says, entry by entry. Pure and incremental: folding the first n entries
 * and then the rest gives the same state as folding them all. It records what happened and judges nothing; whether a
 * confirmation stands is the plan's question (plan.ts).
 */

import { reportId, stepOf, type CaseState, type ReceivedEvent, type Rest } from "./case-state.ts";
import { corruptJournal } from "./corrupt-journal.ts";
import {
  answerCheck,
  answerCondition,
  answerLook,
  confirm,
  failAttempt,
  hearChild,
  openAttempt,
  openIntent,
  refreshAccess,
  reportLate,
  restore,
  ruleOut,
  startChild,
  undo,
  type EntryOf,
} from "./fold-step.ts";
import { priorityIn } from "./start-entry.ts";
import type { Entry, JournalEntry } from "./journal.ts";
import { applyRepair } from "./fold-repair.ts";
import { changeStep, goAgain, goOn, ready, renewSteps, wake } from "./going-on.ts";
import { addEvents } from "./received-events.ts";
import { renameSteps } from "./renames.ts";
import { undoName } from "./undo.ts";

/**
 * Folds a whole journal. Throws `CORRUPT_JOURNAL` when it does not start with `caseStarted`, its revisions have a gap
 * or a repeat, or an entry is of an unknown kind or speaks of something that never was; the message names case and
 * revision.
 */
export function foldJournal(caseId: string, entries: readonly JournalEntry[]): CaseState {
  const [first, ...rest] = entries;
  if (first === undefined) throw corruptJournal({ caseId, revision: 0 }, "it is empty");
  return foldEntries(startState(caseId, first), rest);
}

/** Folds further entries onto a state. Throws as {@link foldJournal} does. */
export function foldEntries(state: CaseState, entries: readonly JournalEntry[]): CaseState {
  return entries.reduce(foldEntry, state);
}

function startState(caseId: string, { entry, at, revision }: JournalEntry): CaseState {
  if (entry.kind !== "caseStarted") {
    throw corruptJournal({ caseId, revision }, `it starts with ${entry.kind}`);
  }
  if (revision !== 1) throw corruptJournal({ caseId, revision }, "its first revision is not 1");
  const beginsAt = Math.max(at, entry.startAt ?? at);
  return {
    caseId,
    caseType: entry.caseType,
    definitionVersion: entry.definitionVersion,
    tenant: entry.tenant,
    businessKey: entry.businessKey,
    startedAt: at,
    beginsAt,
    priority: priorityIn([entry]),
    startedBy: entry.by,
    parent: entry.parent ?? null,
    revision,
    changedAt: at,
    input: entry.input,
    originalInput: entry.input,
    rest: { kind: "ready", dueAt: beginsAt },
    steps: {},
    each: {},
    names: {},
    restored: null,
    events: [],
    lateReports: [],
    losses: 0,
    fencingToken: 0,
    repaired: false,
    repair: null,
    formerRepairs: [],
    assignee: null,
    search: entry.search ?? null,
    concurrencyKey: entry.concurrencyKey ?? null,
    cancelRequest: null,
    takenBack: 0,
    pauseRequest: null,
    ...(entry.erased === undefined ? {} : { erased: entry.erased }),
  };
}

function foldEntry(before: CaseState, { revision, at, entry }: JournalEntry): CaseState {
  if (revision !== before.revision + 1) {
    throw corruptJournal({ caseId: before.caseId, revision }, `it follows revision ${before.revision}`);
  }
  return applyEntry({ ...before, revision, changedAt: at }, entry, at);
}

function applyEntry(state: CaseState, entry: Entry, at: number): CaseState {
  switch (entry.kind) {
    case "caseStarted":
      throw corruptJournal(state, "the case starts a second time");
    case "intentOpened":
      return goOn(state, at, entry.step, openIntent(state, entry, at));
    case "attemptOpened":
      return beginAttempt(state, entry, at);
    case "definitionChanged":
    case "restored":
      return changeGround(state, entry, at);
    case "attemptFailed":
    case "checkAnswered":
    case "accessRefreshed":
    case "conditionAnswered":
    case "lookAnswered":
      return learn(state, entry, at);
    case "stepConfirmed":
      return confirmStep(state, entry, at);
    case "eachStarted":
    case "childStarted":
    case "childTold":
      return branchOut(state, entry, at);
    case "stepLapsed":
    case "stepRestored":
    case "stepUndone":
      return shiftStep(state, entry, at);
    case "outcomeRuledOut":
    case "redoOrdered":
    case "undoOrdered":
    case "checkOrdered":
    case "leftOutside":
      return orderStep(state, entry, at);
    case "assigned":
      return { ...state, assignee: entry.to };
    case "reviewOpened":
      return changeStep(state, entry.review.step, { review: entry.review, reviewedAt: at });
    case "parked":
      return { ...state, rest: park(entry) };
    case "caseDone":
      return { ...state, rest: { kind: "done", at, result: entry.result ?? null } };
    case "claimLost":
      return loseClaim(state, entry, at);
    case "eventReceived":
      return receiveEvent(state, entry, at);
    case "approvalAnswered":
      return answerApproval(state, entry, at);
    case "lateReport":
      return learnLate(state, entry, at);
    case "noteAdded":
      return addNote(state, at);
    case "repairOpened":
    case "repairTakenOver":
    case "eventAttached":
    case "repairEnded":
      return applyRepair(state, entry, at);
    case "cancelRequested":
    case "pauseRequested":
      return askToStop(state, entry, at);
    case "canceled":
    case "paused":
      return stop(state, restOf(entry, at));
    case "resumed":
      return resume(state, entry, at);
    case "inputCorrected":
      return correctInput(state, entry, at);
    default:
      return refuseEntry(state, entry);
  }
}

/** What came of asking something outside. */
function learn(
  state: CaseState,
  entry: EntryOf<
    "attemptFailed" | "checkAnswered" | "accessRefreshed" | "conditionAnswered" | "lookAnswered"
  >,
  at: number,
): CaseState {
  switch (entry.kind) {
    case "attemptFailed":
      return raiseToken(goOn(state, at, entry.step, failAttempt(state, entry, at)), newerToken(entry));
    case "checkAnswered":
      return raiseToken(goOn(state, at, entry.step, answerCheck(state, entry)), entry.raisedTo ?? null);
    case "accessRefreshed":
      return goOn(state, at, entry.step, refreshAccess(state, entry));
    case "conditionAnswered":
      return goOn(state, at, entry.step, answerCondition(state, entry));
    case "lookAnswered":
      return goOn(state, at, entry.step, answerLook(state, entry));
  }
}

function beginAttempt(state: CaseState, entry: EntryOf<"attemptOpened">, at: number): CaseState {
  return {
    ...goOn(state, at, entry.step, openAttempt(state, entry, at)),
    fencingToken: entry.fencingToken,
    restored: withBegun(state.restored, entry.step),
  };
}

/** A request that the holder of the claim gets back with its next commit. */
function askToStop(
  state: CaseState,
  entry: EntryOf<"cancelRequested" | "pauseRequested">,
  at: number,
): CaseState {
  if (entry.kind === "cancelRequested") return beginCancel(state, entry, at);
  const { by, reason, untilAt } = entry;
  return wake({ ...state, pauseRequest: { by, reason, untilAt } }, at);
}

/** Whoever cancels a case wants it to move, paused or not; what it waited for people to go on with does not matter any more. */
function beginCancel(
  state: CaseState,
  { by, reason, byParent }: EntryOf<"cancelRequested">,
  at: number,
): CaseState {
  const beginsAt = Math.min(state.beginsAt, at);
  const asked = { ...state, beginsAt, cancelRequest: { by, reason, untilAt: null }, pauseRequest: null };
  const closed = closeReviews(asked);
  // Only its parent takes back what a case did that is done.
  const isReopened = byParent === true && closed.rest.kind === "done";
  return isReopened ? { ...closed, rest: { kind: "ready", dueAt: at } } : goAgain(closed, at);
}

/** That something may exist twice only a person closes. */
function closeReviews(state: CaseState): CaseState {
  const open = Object.entries(state.steps).filter(
    ([, { review }]) => review !== null && review.reason !== "mayExistTwice",
  );
  return open.reduce((one, [name]) => changeStep(one, name, { review: null }), state);
}

/** Only what came from storage can be of an unknown kind: a later engine wrote it, or it is damaged. */
function refuseEntry(state: CaseState, entry: never): never {
  throw corruptJournal(
    state,
    `this engine does not know such an entry: ${JSON.stringify(entry).slice(0, 200)}`,
  );
}

/** R19: whatever a destination has seen, the next token is above it. */
function raiseToken(state: CaseState, seen: number | null): CaseState {
  return seen === null || seen <= state.fencingToken ? state : { ...state, fencingToken: seen };
}

function newerToken({ failure: { instruction } }: EntryOf<"attemptFailed">): number | null {
  return instruction?.kind === "newerToken" ? instruction.seen : null;
}

/** Both the step and its undo are open again; a further undo will be of a further effect. */
function undoStep(state: CaseState, { step }: EntryOf<"stepUndone">, at: number): CaseState {
  const undone = changeStep(state, undoName(step), undo(stepOf(state, undoName(step))));
  const { lapse } = stepOf(state, step);
  const ordered = lapse?.kind === "undo" ? { by: lapse.by, reason: lapse.reason } : null;
  const open = goOn(undone, at, step, { ...undo(stepOf(state, step)), undone: ordered });
  return state.cancelRequest === null ? open : { ...open, takenBack: state.takenBack + 1 };
}

/** Nothing more is done about it or its undo. A pause goes on. */
function leaveOutside(state: CaseState, entry: EntryOf<"leftOutside">, at: number): CaseState {
  const { step, by, reason } = entry;
  const left = changeStep(state, step, { leftOutside: { by: by.name, reason }, review: null });
  const name = undoName(step);
  const settled = Object.hasOwn(left.steps, name) ? changeStep(left, name, { review: null }) : left;
  return wake({ ...settled, takenBack: state.takenBack + 1 }, at);
}

/** What a person vouches for or orders about one step. */
function orderStep(
  state: CaseState,
  entry: EntryOf<"outcomeRuledOut" | "redoOrdered" | "undoOrdered" | "checkOrdered" | "leftOutside">,
  at: number,
): CaseState {
  switch (entry.kind) {
    case "outcomeRuledOut":
      return ruleOutcomeOut(state, entry, at);
    case "redoOrdered":
      return orderRedo(state, entry, at);
    case "undoOrdered":
      return orderUndo(state, entry, at);
    case "checkOrdered":
      return wake(changeStep(state, entry.step, { checkOrderedAt: at }), at);
    case "leftOutside":
      return leaveOutside(state, entry, at);
  }
}

/** A person's act, so the step has fresh bounds. A pause goes on. */
function ruleOutcomeOut(state: CaseState, entry: EntryOf<"outcomeRuledOut">, at: number): CaseState {
  const renewed = renewSteps(changeStep(state, entry.step, ruleOut(state, entry)), [entry.step], at);
  return state.rest.kind === "paused" ? renewed : goAgain(renewed, at);
}

/** Only the step named lapses by it; those that follow it are judged by the plan. A pause goes on. */
function orderRedo(state: CaseState, { step, by, reason }: EntryOf<"redoOrdered">, at: number): CaseState {
  const renewed = renewSteps(state, [step], at);
  const ordered = changeStep(renewed, step, { lapse: { kind: "ordered", by: by.name, reason } });
  return state.rest.kind === "paused" ? ordered : goAgain(ordered, at);
}

/** The undo has fresh bounds too: an earlier one may have used them up. A pause goes on. */
function orderUndo(state: CaseState, { step, by, reason }: EntryOf<"undoOrdered">, at: number): CaseState {
  const renewed = renewSteps(state, [step, undoName(step)], at);
  const ordered = changeStep(renewed, step, { lapse: { kind: "undo", by: by.name, reason } });
  return state.rest.kind === "paused" ? ordered : goAgain(ordered, at);
}

/** A confirmation that no longer stands, stands again, or whose effect was taken back. */
function shiftStep(
  state: CaseState,
  entry: EntryOf<"stepLapsed" | "stepRestored" | "stepUndone">,
  at: number,
): CaseState {
  switch (entry.kind) {
    case "stepLapsed":
      return changeStep(state, entry.step, { lapse: entry.because, renewedAt: at });
    case "stepRestored":
      return changeStep(state, entry.step, restore(stepOf(state, entry.step)));
    case "stepUndone":
      return undoStep(state, entry, at);
  }
}

/** Its keys never change after that. */
function startEach(state: CaseState, { step, keys }: EntryOf<"eachStarted">, at: number): CaseState {
  if (Object.hasOwn(state.each, step)) throw corruptJournal(state, `${step} starts a second time`);
  return goOn({ ...state, each: { ...state.each, [step]: keys } }, at, step, {});
}

/** What the case goes on from: its definition, or what the database knows of it. */
function changeGround(
  state: CaseState,
  entry: EntryOf<"definitionChanged" | "restored">,
  at: number,
): CaseState {
  return entry.kind === "restored" ? restoreCase(state, entry, at) : changeDefinition(state, entry, at);
}

/** Restored twice, what was sent since the older of the two backups is not known. It wakes what waits, so that it is seen. */
function restoreCase(state: CaseState, { backupAt }: EntryOf<"restored">, at: number): CaseState {
  const sinceAt = Math.min(backupAt, state.restored?.backupAt ?? backupAt);
  return wake({ ...state, restored: { backupAt: sinceAt, at, begun: [] } }, at);
}

function withBegun(restored: CaseState["restored"], step: string): CaseState["restored"] {
  if (restored === null || restored.begun.includes(step)) return restored;
  return { ...restored, begun: [...restored.begun, step] };
}

/** What was done stands for the steps under their new names. A version that was needed once is needed from then on (R12). */
function changeDefinition(state: CaseState, entry: EntryOf<"definitionChanged">, at: number): CaseState {
  const { version, renamed, search = null } = entry;
  const taken = renamed.find(({ to }) => Object.hasOwn(state.steps, to));
  if (taken !== undefined) throw corruptJournal(state, `${taken.from} is to be ${taken.to}, which is there`);
  const definitionVersion = Math.max(state.definitionVersion, version);
  return { ...renameSteps(state, renamed), definitionVersion, search, rest: { kind: "ready", dueAt: at } };
}

/** What becomes of a step that is several, or another case. */
function branchOut(
  state: CaseState,
  entry: EntryOf<"eachStarted" | "childStarted" | "childTold">,
  at: number,
): CaseState {
  switch (entry.kind) {
    case "eachStarted":
      return startEach(state, entry, at);
    case "childStarted":
      return goOn(state, at, entry.step, startChild(state, entry));
    case "childTold":
      return learnOfChild(state, entry, at);
  }
}

/** Its end wakes the case; that it waits for people, or not any more, is only shown with what the case waits for. */
function learnOfChild(state: CaseState, entry: EntryOf<"childTold">, at: number): CaseState {
  const change = hearChild(state, entry);
  if (change === null) return state;
  const known = changeStep(state, entry.step, change);
  const { kind } = entry.standing;
  if (kind === "done" || kind === "canceled") return wake(known, at);
  if (known.rest.kind !== "waiting") return known;
  const waits = known.rest.waits.map((wait) =>
    wait.kind === "child" && wait.caseId === entry.caseId
      ? { ...wait, needsPeople: kind === "inReview" }
      : wait,
  );
  return { ...known, rest: { ...known.rest, waits } };
}

function confirmStep(state: CaseState, entry: EntryOf<"stepConfirmed">, at: number): CaseState {
  const change = confirm(state, entry, at);
  // A person vouches without a claim: what they paused stays paused.
  if (entry.by.how === "person" || entry.by.how === "skip") {
    return wake(changeStep({ ...state, losses: 0, repaired: true }, entry.step, change), at);
  }
  return goOn({ ...state, losses: 0 }, at, entry.step, change);
}

function park({ waits, dueAt }: EntryOf<"parked">): Rest {
  return waits.length > 0 ? { kind: "waiting", dueAt, waits } : { kind: "in_review" };
}

function loseClaim(state: CaseState, { openAttempts }: EntryOf<"claimLost">, at: number): CaseState {
  const losses = openAttempts.length > 0 ? state.losses + 1 : state.losses;
  return { ...state, losses, rest: ready(state, at) };
}

function receiveEvent(state: CaseState, entry: EntryOf<"eventReceived">, at: number): CaseState {
  const { eventType, sourceId, payload, ignored } = entry;
  if (ignored !== null) return state;
  const event: ReceivedEvent = { revision: state.revision, at, eventType, sourceId, payload };
  return wake({ ...state, events: addEvents(state.events, [event]) }, at);
}

/** A note wakes what stands still, but for a repair: the state before that must be there again afterwards. */
function addNote(state: CaseState, at: number): CaseState {
  return state.repair === null ? wake(state, at) : state;
}

function answerApproval(state: CaseState, entry: EntryOf<"approvalAnswered">, at: number): CaseState {
  const { approved, form, note, sourceId, by } = entry;
  return wake(changeStep(state, entry.step, { answer: { approved, form, note, sourceId, by, at } }), at);
}

function learnLate(state: CaseState, entry: EntryOf<"lateReport">, at: number): CaseState {
  const known = { ...state, lateReports: [...state.lateReports, reportId(entry, entry.outcome.kind)] };
  return wake(changeStep(known, entry.step, reportLate(state, entry, at)), at);
}

function restOf(
  entry: EntryOf<"canceled" | "paused">,
  at: number,
): Extract<Rest, { kind: "canceled" | "paused" }> {
  const { by, reason } = entry;
  if (entry.kind === "canceled") return { kind: "canceled", at, by, reason };
  return { kind: "paused", untilAt: entry.untilAt, by, reason };
}

function stop(state: CaseState, rest: Extract<Rest, { kind: "canceled" | "paused" }>): CaseState {
  if (rest.kind === "paused") {
    const untilAt = rest.untilAt === null ? null : Math.max(rest.untilAt, state.beginsAt);
    return { ...state, pauseRequest: null, rest: { ...rest, untilAt } };
  }
  return { ...closeReviews(state), cancelRequest: null, pauseRequest: null, rest };
}

/** A resume acts on one step or on all, and ends a pause. On an ended case it only closes reviews. */
function resume(state: CaseState, { step, forced }: EntryOf<"resumed">, at: number): CaseState {
  const names = step === null ? Object.keys(state.steps) : [step];
  const freed = forced ? names.reduce((one, name) => changeStep(one, name, { rejected: [] }), state) : state;
  // Who resumes a case that waits for its time has it begin; of a pause, they only end that.
  const isBegun = step === null && state.rest.kind === "ready";
  const begun = isBegun ? { ...freed, beginsAt: Math.min(freed.beginsAt, at) } : freed;
  const renewed = renewSteps(begun, names, at);
  return { ...goAgain(renewed, at), pauseRequest: null };
}

/** A correction acts on all steps, and voids answers that were given for the old input. A pause goes on. */
function correctInput(state: CaseState, { input }: EntryOf<"inputCorrected">, at: number): CaseState {
  const names = Object.keys(state.steps);
  const unanswered = names.reduce((one, name) => changeStep(one, name, { answer: null }), state);
  const corrected = { ...renewSteps(unanswered, names, at), input };
  return state.rest.kind === "paused" ? { ...corrected, rest: state.rest } : goAgain(corrected, at);
}
