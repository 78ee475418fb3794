/** What an entry changes about its step. The state passed in carries the entry's own revision already. */

import {
  type ApprovalAnswer,
  type Attempt,
  attemptOf,
  type AttemptOutcome,
  type CaseState,
  type Confirmation,
  FRESH_ROUND,
  hasEffect,
  type Intent,
  isCheckOrdered,
  isNotNeeded,
  isUnproved,
  recordedAnswer,
  stepOf,
  type StepState,
  tookEffect,
} from "./case-state.ts";
import { isEnd } from "./child-standing.ts";
import { corruptJournal } from "./corrupt-journal.ts";
import { isSlowDown, namedWaitMs, type Failure } from "./failure.ts";
import type { AttemptRef, Entry } from "./journal.ts";
import { mayHaveBeenSent } from "./restored.ts";
import type { WireSummary } from "./wire-evidence.ts";

/** The entry of one kind. */
export type EntryOf<K extends Entry["kind"]> = Extract<Entry, { kind: K }>;

/** What changes about a step. */
export type StepChange = Partial<StepState>;

/**
 * A new intent, whose effect takes the place of one that was confirmed before. Another basis is a new effect in new
 * circumstances: preconditions are counted anew (R16).
 */
export function openIntent(state: CaseState, entry: EntryOf<"intentOpened">, at: number): StepChange {
  const { intent: before, confirmation, replaced, round, lastFailure } = stepOf(state, entry.step);
  const { intentVersion, idempotencyKey, destination, credentialId, basis, fingerprint, request } = entry;
  if (intentVersion !== (before?.version ?? 0) + 1) {
    throw corruptJournal(state, `intent version ${intentVersion} of step ${entry.step} is out of order`);
  }
  return {
    intent: {
      version: intentVersion,
      idempotencyKey,
      destination,
      credentialId,
      basis,
      fingerprint,
      request,
      // After a restore it may be one that was opened before, and its key's time runs since then.
      openedAt: mayHaveBeenSent(state, entry.step) ? Math.min(at, state.restored.backupAt) : at,
      attempts: [],
      isUndone: false,
    },
    child: null,
    // Done again: what was confirmed before cannot come to stand beside the new effect.
    confirmation: null,
    replaced: confirmation !== null && hasEffect(confirmation) ? confirmation : replaced,
    lapse: null,
    lastFailure: confirmation === null ? lastFailure : null,
    round: before === null || before.basis === basis ? round : { ...round, preconditions: 0 },
  };
}

/** A new attempt, which counts at once: a claim lost with it open has used it up. */
export function openAttempt(state: CaseState, entry: EntryOf<"attemptOpened">, at: number): StepChange {
  const intent = intentNamed(state, entry);
  const { round, confirmation } = stepOf(state, entry.step);
  if (entry.attempt !== intent.attempts.length + 1) {
    throw corruptJournal(state, `attempt ${entry.attempt} of step ${entry.step} is out of order`);
  }
  const attempt: Attempt = {
    number: entry.attempt,
    fencingToken: entry.fencingToken,
    openedAt: at,
    sendDeadlineAt: entry.sendDeadlineAt,
    claimId: entry.claimId,
    holder: entry.holder,
    version: entry.version ?? null,
    outcome: { kind: "open" },
  };
  return {
    intent: { ...intent, attempts: [...intent.attempts, attempt] },
    // Passed over before, under this very intent, and needed now.
    confirmation: isNotNeeded(confirmation) ? null : confirmation,
    round: { ...round, attempts: round.attempts + 1, checks: 0 },
    notBefore: null,
    askedByProvider: false,
    firstNotFoundAt: null,
    difference: null,
    unsure: null,
    checkOrderedAt: null,
    checkedAt: null,
  };
}

/** The case that an attempt started. Nothing about the attempt is open any more. */
export function startChild(state: CaseState, entry: EntryOf<"childStarted">): StepChange {
  const intent = intentNamed(state, entry);
  const { number } = attemptNamed(state, intent, entry);
  const { caseId, caseType } = entry;
  return {
    intent: settleAttempt(intent, number, { kind: "started" }, undefined),
    child: { caseId, caseType, toldRevision: 0, standing: { kind: "running" } },
    lastFailure: null,
    notBefore: null,
    askedByProvider: false,
  };
}

/** What a child told; of one that was canceled nothing is left, so that another would be a new effect. */
export function hearChild(state: CaseState, entry: EntryOf<"childTold">): StepChange | null {
  const { child, intent, confirmation } = stepOf(state, entry.step);
  if (child?.caseId !== entry.caseId) return null;
  if (child.toldRevision >= entry.childRevision && !isEnd(entry.standing)) return null;
  const toldRevision = Math.max(child.toldRevision, entry.childRevision);
  const told = { ...child, toldRevision, standing: entry.standing };
  const isGone = entry.standing.kind === "canceled" && confirmation === null && intent !== null;
  return isGone ? { child: told, intent: { ...intent, isUndone: true } } : { child: told };
}

/** A failure that the attempt's own holder stored. */
export function failAttempt(state: CaseState, entry: EntryOf<"attemptFailed">, at: number): StepChange {
  const { failure, retryAt, wire } = entry;
  return recordFailure(state, entry, { failure, retryAt, at, wire });
}

/** A late report (R10). It cannot take back that an effect was seen. */
export function reportLate(state: CaseState, entry: EntryOf<"lateReport">, at: number): StepChange {
  const { intent } = stepOf(state, entry.step);
  const attempt = attemptOf(intent, entry);
  // About an older intent version, or an attempt that a failover lost, it is kept in the journal for people, and late.ts
  // says what they must look at.
  if (intent === null || attempt === undefined || tookEffect(attempt)) return {};
  const { outcome } = entry;
  if (outcome.kind === "succeeded") {
    const { result, evidence, wire } = outcome;
    // Stronger than any proof of the contrary: a look-up can be wrong about what a sender has seen itself.
    return { intent: settleAttempt(intent, entry.attempt, { kind: "reportedLate", result, evidence }, wire) };
  }
  if (!isUnproved(attempt)) return {};
  const { failure, wire } = outcome;
  const waitMs = namedWaitMs(failure.instruction);
  return recordFailure(state, entry, { failure, retryAt: waitMs === null ? null : at + waitMs, at, wire });
}

interface RecordedFailure {
  readonly failure: Failure;
  readonly retryAt: number | null;
  readonly at: number;
  readonly wire: WireSummary | undefined;
}

function recordFailure(
  state: CaseState,
  ref: AttemptRef,
  { failure, retryAt, at, wire }: RecordedFailure,
): StepChange {
  const intent = intentNamed(state, ref);
  const attempt = attemptNamed(state, intent, ref);
  const { confirmation, rejected, round, conditions } = stepOf(state, ref.step);
  const isRefused = failure.kind === "rejected";
  const known = {
    intent: tookEffect(attempt)
      ? intent
      : settleAttempt(intent, attempt.number, { kind: "failed", failure }, wire),
    rejected: isRefused ? [...new Set([...rejected, intent.fingerprint])] : rejected,
  };
  // An attempt that another one has overtaken says nothing about what comes next.
  const isOvertaken =
    attempt.number < intent.attempts.length || confirmation?.intentVersion === intent.version;
  if (isOvertaken) return known;
  const isThrottled = isSlowDown(failure);
  const isPrecondition = failure.cause === "precondition";
  return {
    ...known,
    round: {
      ...round,
      // Not below zero: a person may have opened a fresh round before the late report came.
      attempts: isThrottled ? Math.max(0, round.attempts - 1) : round.attempts,
      repeats: round.repeats + (wire?.repeats ?? 0),
      throttles: isThrottled ? round.throttles + 1 : round.throttles,
      preconditions: isPrecondition ? round.preconditions + 1 : round.preconditions,
      failingSinceAt: round.failingSinceAt ?? at,
    },
    lastFailure: { failure, attempt: attempt.number, at, round: round.number },
    notBefore: retryAt,
    askedByProvider: namedWaitMs(failure.instruction) !== null,
    // The destination says that something no longer holds: what was believed to hold is asked again.
    conditions: isPrecondition ? {} : conditions,
  };
}

/** An answer to "did it happen?" that is not yes. */
export function answerCheck(state: CaseState, entry: EntryOf<"checkAnswered">): StepChange {
  const intent = intentNamed(state, entry);
  const known = stepOf(state, entry.step);
  const { firstNotFoundAt } = known;
  const counted: StepChange = { ...countCheck(known, entry), checkedAt: entry.askedAt };
  if (entry.answer.kind !== "didNotHappen") {
    const { kind, why } = entry.answer;
    return {
      ...counted,
      difference: kind === "differs" ? why : null,
      unsure: kind === "differs" ? null : why,
    };
  }
  // Where nothing is left to prove, the question was whether what was done before is what is wanted now.
  const isProof = entry.proves && intent.attempts.some(isUnproved);
  if (!isProof) return { ...counted, firstNotFoundAt: firstNotFoundAt ?? entry.askedAt };
  return { ...counted, intent: provedNotExecuted(intent), firstNotFoundAt: null, notBefore: null };
}

/** A refresh of access, or what came of one. Once it worked, nothing is to be waited for. */
export function refreshAccess(state: CaseState, entry: EntryOf<"accessRefreshed">): StepChange {
  const { refresh: before } = stepOf(state, entry.step);
  const { intentVersion, attempt, answer, retryAt } = entry;
  const isSame = before?.intentVersion === intentVersion && before.attempt === attempt;
  const failure = answer.kind === "failed" ? answer.failure : null;
  return {
    refresh: { intentVersion, attempt, times: (isSame ? before.times : 0) + 1, failure, retryAt },
    notBefore: retryAt,
    askedByProvider: failure !== null && namedWaitMs(failure.instruction) !== null,
  };
}

/** What a person ordered uses up nothing, and brings no try of the engine's own forward. */
function countCheck(known: StepState, { askedAt, nextCheckAt }: EntryOf<"checkAnswered">): StepChange {
  const { round, notBefore, askedByProvider } = known;
  const failingSinceAt = round.failingSinceAt ?? askedAt;
  if (isCheckOrdered(known)) {
    return { notBefore: Math.max(notBefore ?? 0, nextCheckAt), askedByProvider };
  }
  return {
    round: { ...round, checks: round.checks + 1, failingSinceAt },
    notBefore: nextCheckAt,
    askedByProvider: false,
  };
}

/** A person's word that it did not happen. */
export function ruleOut(state: CaseState, entry: EntryOf<"outcomeRuledOut">): StepChange {
  return { intent: provedNotExecuted(intentNamed(state, entry)) };
}

function provedNotExecuted(intent: Intent): Intent {
  const attempts = intent.attempts.map((one) =>
    isUnproved(one) ? { ...one, outcome: { kind: "provedNotExecuted" } as const } : one,
  );
  return { ...intent, attempts };
}

/** What a step did is undone: it is open again, and so is its undo. */
export function undo(known: StepState): StepChange {
  const { intent } = known;
  return {
    intent: intent === null ? null : { ...intent, isUndone: true },
    confirmation: null,
    child: null,
    lapse: null,
    review: null,
    lastFailure: null,
    notBefore: null,
    firstNotFoundAt: null,
    difference: null,
    unsure: null,
    checkOrderedAt: null,
    checkedAt: null,
  };
}

/** A confirmation. It closes the step's review, with one exception, and uses up what waited for it. */
export function confirm(state: CaseState, entry: EntryOf<"stepConfirmed">, at: number): StepChange {
  const { round, review, replaced } = stepOf(state, entry.step);
  const { intentVersion, basis, result, evidence, by } = entry;
  const confirmation: Confirmation = {
    revision: state.revision,
    at,
    intentVersion,
    basis,
    result,
    evidence,
    by,
    round: round.number,
  };
  return {
    intent: confirmedIntent(state, entry),
    confirmation,
    replaced: hasEffect(confirmation) ? null : replaced,
    lapse: null,
    // That it may exist twice is not answered by one of the two being confirmed: only a person closes that.
    review: review?.reason === "mayExistTwice" ? review : null,
    round: { ...FRESH_ROUND, number: round.number },
    notBefore: null,
    askedByProvider: false,
    firstNotFoundAt: null,
    difference: null,
    unsure: null,
    checkOrderedAt: null,
    checkedAt: null,
    undone: null,
    answer: null,
    look: null,
  };
}

function confirmedIntent(state: CaseState, entry: EntryOf<"stepConfirmed">): Intent | null {
  const { by } = entry;
  switch (by.how) {
    case "approval":
    case "event":
    case "timer":
    case "poll":
    case "each":
    case "child":
    case "notNeeded":
      return stepOf(state, entry.step).intent;
    case "response":
    case "lateReport": {
      const intent = intentNamed(state, entry);
      const { number } = attemptNamed(state, intent, { ...entry, attempt: by.attempt });
      return settleAttempt(intent, number, { kind: "confirmed" }, entry.wire);
    }
    case "person":
    case "skip":
      // Vouched for before anything was sent, or about the intent that stands open.
      return entry.intentVersion === 0 ? stepOf(state, entry.step).intent : intentNamed(state, entry);
    case "check": {
      const intent = intentNamed(state, entry);
      // It proves the only attempt that can have made the effect; of several it cannot tell which.
      const [first, ...others] = intent.attempts.filter(isUnproved);
      const isOnly = first !== undefined && others.length === 0;
      return isOnly ? settleAttempt(intent, first.number, { kind: "confirmed" }, undefined) : intent;
    }
  }
}

/** What a confirmation rested on holds again. */
export function restore({ review }: StepState): StepChange {
  return { lapse: null, review: review?.reason === "lapsed" ? null : review };
}

/** An answer to a condition. */
export function answerCondition(state: CaseState, entry: EntryOf<"conditionAnswered">): StepChange {
  const { conditions } = stepOf(state, entry.step);
  const before = recordedAnswer(state, entry.step, entry.condition);
  const { answer, askedAt, nextProbeAt } = entry;
  const unsure =
    answer.kind === "cannotTell"
      ? { timesUnsure: (before?.timesUnsure ?? 0) + 1, unsureSinceAt: before?.unsureSinceAt ?? askedAt }
      : { timesUnsure: 0, unsureSinceAt: null };
  return { conditions: { ...conditions, [entry.condition]: { answer, askedAt, nextProbeAt, ...unsure } } };
}

/** A look that did not find what is waited for. */
export function answerLook(state: CaseState, entry: EntryOf<"lookAnswered">): StepChange {
  const { look: before } = stepOf(state, entry.step);
  const { answer, askedAt, nextLookAt } = entry;
  const unsure =
    answer.kind === "cannotTell"
      ? { timesUnsure: (before?.timesUnsure ?? 0) + 1, unsureSinceAt: before?.unsureSinceAt ?? askedAt }
      : { timesUnsure: 0, unsureSinceAt: null };
  return { look: { answer: answer.kind, why: answer.why, askedAt, nextLookAt, ...unsure } };
}

/**
 * A step that a person acted on: its review is closed, it has fresh bounds and no pending automatic try (R16), and what
 * could be asked is asked anew. Attempt numbers run on.
 */
export function renew({ round }: StepState, at: number, answer: ApprovalAnswer | null): StepChange {
  return {
    review: null,
    notBefore: null,
    askedByProvider: false,
    answer,
    renewedAt: at,
    firstNotFoundAt: null,
    difference: null,
    unsure: null,
    checkOrderedAt: null,
    checkedAt: null,
    undone: null,
    conditions: {},
    look: null,
    refresh: null,
    round: { ...FRESH_ROUND, number: round.number + 1 },
  };
}

function intentNamed(state: CaseState, entry: { step: string; intentVersion: number }): Intent {
  const { intent } = stepOf(state, entry.step);
  if (intent?.version === entry.intentVersion) return intent;
  throw corruptJournal(state, `step ${entry.step} has no intent version ${entry.intentVersion}`);
}

function attemptNamed(state: CaseState, { attempts }: Intent, ref: AttemptRef): Attempt {
  const attempt = attempts.find(({ number }) => number === ref.attempt);
  if (attempt !== undefined) return attempt;
  throw corruptJournal(state, `step ${ref.step} has no attempt ${ref.attempt}`);
}

function settleAttempt(
  intent: Intent,
  attempt: number,
  outcome: AttemptOutcome,
  wire: WireSummary | undefined,
): Intent {
  const seen = wire === undefined ? {} : { wire };
  return {
    ...intent,
    attempts: intent.attempts.map((one) => (one.number === attempt ? { ...one, outcome, ...seen } : one)),
  };
}
