/** What the plan does about an open step that sends to a destination (DESIGN sections 6 and 7). */

import { basisOf } from "./basis.ts";
import { unreachable } from "./errors.ts";
import { routeOf, type Failure } from "./failure.ts";
import {
  isUnproved,
  stepOf,
  type Attempt,
  type Intent,
  type LastFailure,
  type StepState,
} from "./case-state.ts";
import type { AttemptRef, ReviewReason } from "./journal.ts";
import type { SendStepOutline } from "./outline.ts";
import { actForConditions } from "./conditions.ts";
import type { Act, PlanInput } from "./planning.ts";
import { isPastWindow, isUsedUp } from "./retry.ts";
import { reviewFor, reviewForFailure } from "./review.ts";

/** Claims lost in a row with an attempt open, after which a case goes to people instead of another worker (R9). */
export const LOSSES_MAX = 3;

/** Conflicts with a moved prerequisite that one unchanged basis is planned again for, before review (R16). */
export const PRECONDITIONS_MAX = 2;

/** Plans an open send step whose `after` steps all stand. */
export function planSend(input: PlanInput, step: SendStepOutline): Act {
  const known = stepOf(input.state, step.name);
  const late = lateSuccess(known.intent);
  if (late !== null) return confirmLate(step, late.intent, late.attempt);
  if (known.review !== null) return { kind: "review", review: known.review, isOpen: true };
  if (input.state.losses >= LOSSES_MAX) return poisonReview(input, step);
  const { intent } = known;
  const unproved = intent?.attempts.filter(isUnproved) ?? [];
  if (intent !== null && unproved.length > 0) return planUnknown(input, step, known, intent);
  const blocked = known.lastFailure === null ? null : planAfterFailure(input, step, known, known.lastFailure);
  if (blocked !== null) return blocked;
  return actForConditions(input, step, [...step.before, ...step.requires]) ?? { kind: "send", repeats: [] };
}

function lateSuccess(intent: Intent | null): { intent: Intent; attempt: Attempt } | null {
  const attempt = intent?.attempts.find(({ outcome }) => outcome.kind === "reportedLate");
  return intent === null || attempt === undefined ? null : { intent, attempt };
}

/** A late report is evidence for an open step (R10). */
function confirmLate(step: SendStepOutline, intent: Intent, { outcome, number }: Attempt): Act {
  if (outcome.kind !== "reportedLate") return { kind: "nothing", why: "follows" };
  return {
    kind: "confirm",
    entry: {
      kind: "stepConfirmed",
      step: step.name,
      intentVersion: intent.version,
      basis: intent.basis,
      result: outcome.result,
      evidence: outcome.evidence,
      by: { how: "lateReport", attempt: number },
    },
  };
}

function poisonReview(input: PlanInput, step: SendStepOutline): Act {
  const sentence =
    `${input.state.losses} workers in a row were lost while they worked on ${step.name}. ` +
    `It is not tried again by itself, so that it cannot take more of them down.`;
  return { kind: "review", review: reviewFor(input.outline, step, "poison", sentence), isOpen: false };
}

/** An attempt may have been executed: the destination's repeat safety alone decides. */
function planUnknown(input: PlanInput, step: SendStepOutline, known: StepState, intent: Intent): Act {
  const wayBack = resendable(input, step, known, intent);
  if (wayBack === "now") return { kind: "send", repeats: refsOf(step, intent) };
  if (wayBack !== "never") return retryWait(step, known, wayBack.dueAt);
  if (step.hasCheck) return planCheck(input, step, known);
  return unknownReview(input, step, known, "and it cannot be asked whether it happened");
}

/** Whether the same request may be sent again with the same key, and when. */
function resendable(
  input: PlanInput,
  step: SendStepOutline,
  known: StepState,
  intent: Intent,
): "now" | "never" | { readonly dueAt: number } {
  const { repeatSafety, retry } = step.destination;
  if (repeatSafety.by !== "key") return "never";
  if (isForbidden(known)) return "never";
  // Without a journaled request the old effect's request cannot be made again once its basis has changed.
  if (intent.request === null && intent.basis !== basisOf(step, input.state, input.digest)) return "never";
  const dueAt = Math.max(input.now, known.notBefore ?? 0);
  if (dueAt >= intent.openedAt + repeatSafety.windowMs) return "never";
  if (isUsedUp(retry, known.round, dueAt)) return "never";
  return dueAt > input.now ? { dueAt } : "now";
}

function isForbidden({ lastFailure, round }: StepState): boolean {
  return lastFailure?.round === round.number && lastFailure.failure.instruction?.kind === "doNotRetry";
}

function planCheck(input: PlanInput, step: SendStepOutline, known: StepState): Act {
  const { retry } = step.destination;
  const dueAt = Math.max(input.now, known.notBefore ?? 0);
  if (known.round.checks >= retry.maxAttempts || isPastWindow(retry, known.round, dueAt)) {
    return unknownReview(input, step, known, `and ${known.round.checks} checks could not tell`);
  }
  // A failure's retry time is for sending; a question may be asked at once, until a check set its own time.
  if (known.round.checks > 0 && dueAt > input.now) {
    return { kind: "wait", wait: { kind: "check", step: step.name, dueAt } };
  }
  return { kind: "check" };
}

function unknownReview(input: PlanInput, step: SendStepOutline, known: StepState, because: string): Act {
  const what = known.lastFailure?.failure.sentence ?? "The worker was lost while it was sending.";
  const sentence = `It is not known whether ${step.name} happened at ${step.destination.name}, ${because}. ${what}`;
  return { kind: "review", review: reviewFor(input.outline, step, "unknown", sentence), isOpen: false };
}

/** What the last failure calls for when it surely did not happen; null = go on. */
function planAfterFailure(
  input: PlanInput,
  step: SendStepOutline,
  known: StepState,
  { failure, round }: LastFailure,
): Act | null {
  // A person resumed since: the failure is history. The door still refuses a rejected fingerprint.
  if (round !== known.round.number) return null;
  const kind = routeOf(failure);
  switch (kind) {
    case "transient":
    case "stopped":
    case "throttled":
      return planRetry(input, step, known, failure);
    case "precondition":
      return known.round.preconditions < PRECONDITIONS_MAX
        ? null
        : failureReview(input, step, known, failure, "precondition");
    case "conflict":
      // "It exists already" may be our own earlier effect: the destination is asked once before a person is.
      return step.hasCheck && known.round.checks === 0
        ? { kind: "check" }
        : failureReview(input, step, known, failure, "conflict");
    case "rejected":
    case "denied":
    case "quota":
    case "gone":
    case "bug":
      return failureReview(input, step, known, failure, kind);
    case "unknown":
      // Every attempt is proved by now (a check said "did not happen"): the step may be sent again, within bounds.
      return planRetry(input, step, known, failure);
    default:
      return unreachable(kind, "failure kind");
  }
}

function planRetry(input: PlanInput, step: SendStepOutline, known: StepState, failure: Failure): Act | null {
  const { retry } = step.destination;
  const dueAt = Math.max(input.now, known.notBefore ?? 0);
  if (isForbidden(known) || isUsedUp(retry, known.round, dueAt)) {
    return failureReview(input, step, known, failure, "limit");
  }
  return dueAt > input.now ? retryWait(step, known, dueAt) : null;
}

function failureReview(
  input: PlanInput,
  step: SendStepOutline,
  known: StepState,
  failure: Failure,
  reason: ReviewReason,
): Act {
  const tried = reason === "limit" ? triedSentence(step, known) : "";
  return {
    kind: "review",
    review: reviewForFailure(input.outline, step, failure, reason, tried),
    isOpen: false,
  };
}

function triedSentence(step: SendStepOutline, known: StepState): string {
  if (isForbidden(known)) return "The destination said not to try again.";
  const { attempts, throttles } = known.round;
  const throttled = throttles > 0 ? ` and ${throttles} times told to slow down` : "";
  return `Tried ${attempts} of ${step.destination.retry.maxAttempts} times${throttled}; nothing more is tried by itself.`;
}

function retryWait(step: SendStepOutline, known: StepState, dueAt: number): Act {
  return {
    kind: "wait",
    wait: {
      kind: "retry",
      step: step.name,
      dueAt,
      attempt: known.round.attempts + 1,
      attemptsMax: step.destination.retry.maxAttempts,
      by: known.askedByProvider ? "provider" : "backoff",
    },
  };
}

function refsOf(step: SendStepOutline, intent: Intent): readonly AttemptRef[] {
  return intent.attempts
    .filter(isUnproved)
    .map(({ number }) => ({ step: step.name, intentVersion: intent.version, attempt: number }));
}
