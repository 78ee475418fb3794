/**
 * The fold: a case's state is what its journal says, entry by entry. Pure and incremental: folding the first n entries
 * and then the rest gives the same state as folding them all. It records what happened and judges nothing; whether a
 * confirmation stands is the plan's question (plan.ts).
 */

import {
  FRESH_ROUND,
  isUnproved,
  stepOf,
  type ApprovalAnswer,
  type Attempt,
  type AttemptOutcome,
  type CaseState,
  type Intent,
  type ReceivedEvent,
  type Rest,
  type Round,
  type StepState,
} from "./case-state.ts";
import { FootholdError, unreachable } from "./errors.ts";
import type { AttemptRef, ConfirmedBy, Entry, JournalEntry } from "./journal.ts";
import type { Json } from "./json.ts";

/** Rises when the fold's meaning changes; a snapshot made by another version is dropped. */
export const FOLD_VERSION = 1;

/**
 * Folds a whole journal. Throws `CORRUPT_JOURNAL` when it does not start with `caseStarted`, its revisions have a gap
 * or a repeat, or an entry speaks of something that never was; the message names case and revision.
 */
export function foldJournal(caseId: string, entries: readonly JournalEntry[]): CaseState {
  const [first, ...rest] = entries;
  if (first === undefined) throw corrupt(caseId, 0, "it is empty");
  return foldEntries(startState(caseId, first), rest);
}

/** Folds further entries onto a state. Throws as {@link foldJournal} does. */
export function foldEntries(state: CaseState, entries: readonly JournalEntry[]): CaseState {
  return entries.reduce(foldEntry, state);
}

function startState(caseId: string, first: JournalEntry): CaseState {
  const { entry, at, revision } = first;
  if (entry.kind !== "caseStarted") throw corrupt(caseId, revision, `it starts with ${entry.kind}`);
  if (revision !== 1) throw corrupt(caseId, revision, "its first revision is not 1");
  return {
    caseId,
    caseType: entry.caseType,
    definitionVersion: entry.definitionVersion,
    tenant: entry.tenant,
    businessKey: entry.businessKey,
    startedAt: at,
    startedBy: entry.by,
    revision,
    changedAt: at,
    input: entry.input,
    originalInput: entry.input,
    rest: { kind: "ready", dueAt: at },
    steps: {},
    events: [],
    sourceIds: [],
    losses: 0,
    fencingToken: 0,
    repaired: false,
    cancelRequest: null,
    pauseRequest: null,
  };
}

function foldEntry(before: CaseState, { revision, at, entry }: JournalEntry): CaseState {
  if (revision !== before.revision + 1) {
    throw corrupt(before.caseId, revision, `it follows revision ${before.revision}`);
  }
  const state: CaseState = { ...before, revision, changedAt: at };
  switch (entry.kind) {
    case "caseStarted":
      throw corrupt(state.caseId, revision, "the case starts a second time");
    case "intentOpened":
      return going(state, at, entry.step, { intent: openIntent(entry, at) });
    case "attemptOpened":
      return going(
        { ...state, fencingToken: entry.fencingToken },
        at,
        entry.step,
        openAttempt(state, entry, at),
      );
    case "attemptFailed":
      return going(state, at, entry.step, failAttempt(state, entry, at));
    case "checkAnswered":
      return going(state, at, entry.step, answerCheck(state, entry));
    case "stepConfirmed":
      return going({ ...state, losses: 0 }, at, entry.step, confirm(state, entry, at));
    case "stepLapsed":
      return changeStep(state, entry.step, { lapse: entry.because, answer: null, renewedAt: at });
    case "stepRestored":
      return changeStep(state, entry.step, restore(stepOf(state, entry.step)));
    case "conditionAnswered":
      return going(state, at, entry.step, answerCondition(state, entry, at));
    case "reviewOpened":
      return changeStep(state, entry.review.step, { review: entry.review });
    case "parked":
      return { ...state, rest: park(entry) };
    case "eventReceived":
      return receiveEvent(state, entry, at);
    case "approvalAnswered":
      return wake(
        changeStep(learn(state, entry.sourceId), entry.step, { answer: approvalAnswer(entry, at) }),
        at,
      );
    case "noteAdded":
      return state;
    case "resumed":
      return resume(state, entry, at);
    case "inputCorrected":
      return correctInput(state, entry.input, at);
    case "cancelRequested":
      return wake({ ...state, cancelRequest: { by: entry.by, reason: entry.reason, untilAt: null } }, at);
    case "canceled":
      return {
        ...state,
        cancelRequest: null,
        rest: { kind: "canceled", at, by: entry.by, reason: entry.reason },
      };
    case "pauseRequested":
      return wake(
        { ...state, pauseRequest: { by: entry.by, reason: entry.reason, untilAt: entry.untilAt } },
        at,
      );
    case "paused":
      return {
        ...state,
        pauseRequest: null,
        rest: { kind: "paused", untilAt: entry.untilAt, by: entry.by, reason: entry.reason },
      };
    case "claimLost":
      return {
        ...state,
        losses: entry.openAttempts.length > 0 ? state.losses + 1 : state.losses,
        rest: { kind: "ready", dueAt: at },
      };
    case "lateReport":
      return wake(reportLate(learn(state, lateSourceId(entry)), entry), at);
    case "caseDone":
      return { ...state, rest: { kind: "done", at } };
    default:
      return unreachable(entry, "journal entry");
  }
}

type Of<K extends Entry["kind"]> = Extract<Entry, { kind: K }>;

/** A change to a step by whoever holds the case: it goes on, so it rests as ready if the claim ends here. */
function going(state: CaseState, at: number, step: string, change: Partial<StepState>): CaseState {
  return { ...changeStep(state, step, change), rest: { kind: "ready", dueAt: at } };
}

function changeStep(state: CaseState, step: string, change: Partial<StepState>): CaseState {
  return { ...state, steps: { ...state.steps, [step]: { ...stepOf(state, step), ...change } } };
}

/** A fact wakes a case that stands still, and leaves a paused or ended one alone (R4). */
function wake(state: CaseState, at: number): CaseState {
  switch (state.rest.kind) {
    case "waiting":
    case "in_review":
      return { ...state, rest: { kind: "ready", dueAt: at } };
    case "ready":
    case "paused":
    case "done":
    case "canceled":
      return state;
    default:
      return unreachable(state.rest, "state");
  }
}

function learn(state: CaseState, sourceId: string): CaseState {
  return { ...state, sourceIds: [...state.sourceIds, sourceId] };
}

function openIntent(entry: Of<"intentOpened">, at: number): Intent {
  const { intentVersion, idempotencyKey, destination, credentialId, basis, fingerprint, request } = entry;
  return {
    version: intentVersion,
    idempotencyKey,
    destination,
    credentialId,
    basis,
    fingerprint,
    request,
    openedAt: at,
    attempts: [],
  };
}

function intentNamed(state: CaseState, entry: { step: string; intentVersion: number }): Intent {
  const { intent } = stepOf(state, entry.step);
  if (intent === null || intent.version !== entry.intentVersion) {
    throw corrupt(
      state.caseId,
      state.revision,
      `step ${entry.step} has no intent version ${entry.intentVersion}`,
    );
  }
  return intent;
}

function openAttempt(state: CaseState, entry: Of<"attemptOpened">, at: number): Partial<StepState> {
  const intent = intentNamed(state, entry);
  const { round } = stepOf(state, entry.step);
  const attempt: Attempt = {
    number: entry.attempt,
    fencingToken: entry.fencingToken,
    openedAt: at,
    sendDeadlineAt: entry.sendDeadlineAt,
    claimId: entry.claimId,
    holder: entry.holder,
    outcome: { kind: "open" },
  };
  return {
    intent: { ...intent, attempts: [...intent.attempts, attempt] },
    round: { ...round, attempts: round.attempts + 1 },
    notBefore: null,
    askedByProvider: false,
    firstNotFoundAt: null,
  };
}

function settleAttempt(intent: Intent, attempt: number, outcome: AttemptOutcome): Intent {
  return {
    ...intent,
    attempts: intent.attempts.map((one) => (one.number === attempt ? { ...one, outcome } : one)),
  };
}

function failAttempt(state: CaseState, entry: Of<"attemptFailed">, at: number): Partial<StepState> {
  const intent = intentNamed(state, entry);
  const { round, rejected } = stepOf(state, entry.step);
  const { failure } = entry;
  const throttled = failure.kind === "throttled" && failure.executed === "no";
  const refused =
    failure.kind === "rejected" && failure.executed === "no" && !rejected.includes(intent.fingerprint);
  return {
    intent: settleAttempt(intent, entry.attempt, { kind: "failed", failure }),
    round: {
      ...round,
      attempts: throttled ? round.attempts - 1 : round.attempts,
      throttles: throttled ? round.throttles + 1 : round.throttles,
      preconditions: failure.kind === "precondition" ? round.preconditions + 1 : round.preconditions,
      failingSinceAt: round.failingSinceAt ?? at,
    },
    lastFailure: { failure, attempt: entry.attempt, at, round: round.number },
    notBefore: entry.retryAt,
    askedByProvider: failure.instruction?.kind === "retryAfter",
    rejected: refused ? [...rejected, intent.fingerprint] : rejected,
  };
}

function answerCheck(state: CaseState, entry: Of<"checkAnswered">): Partial<StepState> {
  const intent = intentNamed(state, entry);
  const { round, firstNotFoundAt } = stepOf(state, entry.step);
  const counted: Partial<StepState> = {
    round: { ...round, checks: round.checks + 1, failingSinceAt: round.failingSinceAt ?? entry.askedAt },
    notBefore: entry.nextCheckAt,
    askedByProvider: false,
  };
  if (entry.answer.kind === "cannotTell") return counted;
  if (!entry.proves) return { ...counted, firstNotFoundAt: firstNotFoundAt ?? entry.askedAt };
  const attempts = intent.attempts.map((one) =>
    isUnproved(one) ? { ...one, outcome: { kind: "provedNotExecuted" } as const } : one,
  );
  return { ...counted, intent: { ...intent, attempts }, firstNotFoundAt: null, notBefore: null };
}

function confirm(state: CaseState, entry: Of<"stepConfirmed">, at: number): Partial<StepState> {
  const { intent, round } = stepOf(state, entry.step);
  const { intentVersion, basis, result, evidence, by } = entry;
  if (intentVersion > 0) intentNamed(state, entry);
  const attempt = provedAttempt(intent, by);
  return {
    intent:
      intent === null || attempt === null ? intent : settleAttempt(intent, attempt, { kind: "confirmed" }),
    confirmation: {
      revision: state.revision,
      at,
      intentVersion,
      basis,
      result,
      evidence,
      by,
      round: round.number,
    },
    lapse: null,
    review: null,
    round: { ...FRESH_ROUND, number: round.number },
    notBefore: null,
    askedByProvider: false,
    firstNotFoundAt: null,
    answer: null,
  };
}

/** The attempt that a confirmation proves; a check that finds an effect proves the only one that can have made it. */
function provedAttempt(intent: Intent | null, by: ConfirmedBy): number | null {
  if (by.how === "response" || by.how === "lateReport") return by.attempt;
  if (by.how !== "check") return null;
  const unproved = intent?.attempts.filter(isUnproved) ?? [];
  return unproved.length === 1 ? (unproved[0]?.number ?? null) : null;
}

function restore({ review }: StepState): Partial<StepState> {
  return { lapse: null, review: review?.reason === "lapsed" ? null : review };
}

function answerCondition(state: CaseState, entry: Of<"conditionAnswered">, at: number): Partial<StepState> {
  const { conditions, round } = stepOf(state, entry.step);
  const { answer, askedAt, nextProbeAt } = entry;
  const uncertain = answer.kind === "cannotTell";
  return {
    conditions: { ...conditions, [entry.condition]: { answer, askedAt, nextProbeAt } },
    round: uncertain
      ? { ...round, probes: round.probes + 1, failingSinceAt: round.failingSinceAt ?? at }
      : { ...round, probes: 0 },
  };
}

function park({ waits, dueAt }: Of<"parked">): Rest {
  return waits.length > 0 ? { kind: "waiting", dueAt, waits } : { kind: "in_review" };
}

function receiveEvent(state: CaseState, entry: Of<"eventReceived">, at: number): CaseState {
  const known = learn(state, entry.sourceId);
  if (entry.ignored !== null) return known;
  const { eventType, sourceId, payload } = entry;
  const event: ReceivedEvent = { revision: state.revision, at, eventType, sourceId, payload };
  return wake({ ...known, events: [...state.events, event] }, at);
}

function approvalAnswer(entry: Of<"approvalAnswered">, at: number): ApprovalAnswer {
  const { approved, form, note, sourceId, by } = entry;
  return { approved, form, note, sourceId, by, at };
}

/** A resume closes reviews, gives fresh bounds and cancels the pending automatic try (R16). */
function resume(state: CaseState, entry: Of<"resumed">, at: number): CaseState {
  const names = entry.step === null ? Object.keys(state.steps) : [entry.step];
  const resumed = names.reduce((one, name) => {
    const { round, answer } = stepOf(one, name);
    // A "no" is asked again; a "yes" that the engine has not used yet still counts.
    return changeStep(one, name, renewed(round, at, answer?.approved === true ? answer : null));
  }, state);
  return { ...resumed, losses: 0, repaired: true, pauseRequest: null, rest: { kind: "ready", dueAt: at } };
}

/** A correction closes reviews too, and voids answers that were given for the old input. */
function correctInput(state: CaseState, input: Json, at: number): CaseState {
  const corrected = Object.keys(state.steps).reduce(
    (one, name) => changeStep(one, name, renewed(stepOf(one, name).round, at, null)),
    state,
  );
  return { ...corrected, input, losses: 0, repaired: true, rest: { kind: "ready", dueAt: at } };
}

function renewed(round: Round, at: number, answer: ApprovalAnswer | null): Partial<StepState> {
  return {
    review: null,
    notBefore: null,
    askedByProvider: false,
    answer,
    renewedAt: at,
    round: { ...FRESH_ROUND, number: round.number + 1 },
  };
}

/** The source id of a late report: one per attempt. */
export function lateSourceId({ step, intentVersion, attempt }: AttemptRef): string {
  return `late:${step}.${intentVersion}.${attempt}`;
}

function reportLate(state: CaseState, entry: Of<"lateReport">): CaseState {
  const { intent } = stepOf(state, entry.step);
  // A report about an older intent version is kept in the journal for people and moves nothing.
  if (intent === null || intent.version !== entry.intentVersion) return state;
  const attempt = intent.attempts.find((one) => one.number === entry.attempt);
  // What is proved already stays proved; only an attempt that may have been executed learns from a late report.
  if (attempt === undefined || !isUnproved(attempt)) return state;
  const outcome: AttemptOutcome =
    entry.outcome.kind === "succeeded"
      ? { kind: "reportedLate", result: entry.outcome.result, evidence: entry.outcome.evidence }
      : { kind: "failed", failure: entry.outcome.failure };
  return changeStep(state, entry.step, { intent: settleAttempt(intent, entry.attempt, outcome) });
}

function corrupt(caseId: string, revision: number, what: string): FootholdError {
  return new FootholdError(
    "CORRUPT_JOURNAL",
    `The journal of case ${caseId} cannot be read at revision ${revision}: ${what}. ` +
      `The case stays untouched; restore its journal rows from a backup, or cancel it by hand.`,
    { details: { caseId, revision } },
  );
}
