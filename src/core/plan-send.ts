/** What the plan does about an open step that sends to a destination. */

import { basisOf } from "./basis.ts";
import { asksAsSent, rolledBack } from "./decide.ts";
import { invariant } from "./errors.ts";
import type { Failure, FailureKind } from "./failure.ts";
import { isUnproved, stepOf, type Intent, type StepState } from "./case-state.ts";
import type { Entry, ReviewReason } from "./journal.ts";
import type { SendStepOutline } from "./outline.ts";
import { actForConditions } from "./conditions.ts";
import { graceDelayMs, timesGone } from "./grace.ts";
import type { Act, PlanInput } from "./planning.ts";
import { awaitsReset, waitForReset } from "./plan-quota.ts";
import { isRefreshed, planRefresh } from "./plan-refresh.ts";
import { isDoubtful } from "./restored.ts";
import { isUsedUp } from "./retry.ts";
import { reviewFor, reviewForFailure } from "./review.ts";
import { isOneEffect } from "./repeat-safety.ts";
import { unsettledIntent } from "./outside.ts";
import { pendingIntent } from "./settled.ts";
import { brokenPrerequisite, describeLapse } from "./standing.ts";

/** Claims lost in a row with an attempt open, after which a case goes to people instead of another worker (R9). */
export const LOSSES_MAX = 3;

/** Conflicts with a moved precondition on one unchanged basis: the one after the first goes to review (R16). */
const PRECONDITIONS_MAX = 2;

/** How long before a key's window closes a person must have acted (R20), and the share of the window at most, in ms. */
const ACT_AHEAD_MS_MAX = 3_600_000;
const ACT_AHEAD_SHARE = 0.1;

/** A failure that more of the same cannot help. */
type FinalKind = Exclude<FailureKind, "transient" | "throttled" | "stopped" | "unknown">;

/** Everything that decides about one send step. */
interface SendPlanning {
  readonly input: PlanInput;
  readonly step: SendStepOutline;
  readonly known: StepState;
}

/** Plans an open send step whose `after` steps all stand. */
export function planSend(input: PlanInput, step: SendStepOutline): Act {
  const known = stepOf(input.state, step.name);
  const { intent, confirmation, review } = known;
  const pending = pendingIntent(intent, confirmation);
  const late = pending === null ? null : lateSuccess(step, pending);
  if (late !== null) return { kind: "confirm", entry: late };
  if (review !== null) return { kind: "review", review, isOpen: true };
  if (known.undone !== null && pending === null) return undoneReview(input, step, known.undone);
  const planning = { input, step, known };
  if (pending === null) {
    return waitForReset(input, step, known) ?? planAfterFailure(planning) ?? planFresh(input, step);
  }
  return withinWindow(
    planning,
    pending,
    isPoison(input) ? poisonReview(planning) : planUnknown(planning, pending),
  );
}

/**
 * Finds out about a step that may have happened in a case that is being canceled, so that it is known what there is to
 * undo. The destination is asked where it can be; only where it cannot is the same request sent again.
 */
export function planSettling(input: PlanInput, step: SendStepOutline): Act {
  const known = stepOf(input.state, step.name);
  const pending = unsettledIntent(known);
  invariant(pending !== null, `nothing of ${step.name} is left to settle`);
  const late = lateSuccess(step, pending);
  if (late !== null) return { kind: "confirm", entry: late };
  if (known.review !== null) return { kind: "review", review: known.review, isOpen: true };
  const planning = { input, step, known };
  const act = isPoison(input)
    ? poisonReview(planning)
    : planUnknown(planning, pending, "the case is being canceled");
  return withinWindow(planning, pending, act);
}

/** Plans a send that repeats nothing: its conditions are asked first. */
export function planFresh(input: PlanInput, step: SendStepOutline): Act {
  if (isPoison(input)) return poisonReview({ input, step, known: stepOf(input.state, step.name) });
  // What may be a repeat is found out first, whatever its conditions say by now.
  if (isDoubtful(input.state, step)) return { kind: "send", repeats: [], isDoubtful: true };
  return actForConditions(input, step, [...step.before, ...step.requires]) ?? { kind: "send", repeats: [] };
}

/** What a person had taken back is not made again by itself. */
function undoneReview(
  { outline }: PlanInput,
  step: SendStepOutline,
  { by, reason }: NonNullable<StepState["undone"]>,
): Act {
  const sentence =
    `What ${step.name} did was undone, as ${by} ordered (${reason}). It is not done again by itself: ` +
    `resume it, leave it out, or cancel the case.`;
  return { kind: "review", review: reviewFor(outline, step, "lapsed", sentence), isOpen: false };
}

function isPoison({ state }: PlanInput): boolean {
  return state.losses >= LOSSES_MAX;
}

/** A late report is evidence for an open step (R10). */
function lateSuccess(
  step: SendStepOutline,
  { version, basis, attempts }: Intent,
): Extract<Entry, { kind: "stepConfirmed" }> | null {
  for (const { number, outcome } of attempts) {
    if (outcome.kind !== "reportedLate") continue;
    const { result, evidence } = outcome;
    const by = { how: "lateReport", attempt: number } as const;
    return { kind: "stepConfirmed", step: step.name, intentVersion: version, basis, result, evidence, by };
  }
  return null;
}

function poisonReview({ input, step }: SendPlanning): Act {
  const sentence =
    `${input.state.losses} workers in a row were lost while they worked on this case. ` +
    `${step.name} is not tried again by itself, so that it cannot take more of them down.`;
  return { kind: "review", review: reviewFor(input.outline, step, "poison", sentence), isOpen: false };
}

/** An attempt may have been executed: the destination's repeat safety decides, whatever the failure was. */
function planUnknown(planning: SendPlanning, intent: Intent, whyAsked: string | null = null): Act {
  const { input, step } = planning;
  const { destination } = step;
  if (destination.repeatSafety.by === "transaction") {
    return { kind: "record", entry: rolledBack(intent, step.name, input.now) };
  }
  if (intent.destination !== destination.name || intent.credentialId !== destination.credentialId) {
    const where = `${intent.destination} (${intent.credentialId})`;
    return unknownReview(planning, `it was sent to ${where}, and the definition sends elsewhere now`);
  }
  const first = actForGone(planning) ?? waitForReset(input, step, planning.known);
  if (first !== null) return first;
  const final = finalFailure(planning);
  const isAsked = whyAsked !== null && step.hasCheck;
  const whyNot = isAsked ? whyAsked : whyNotResent(planning, intent);
  const why = final === null ? whyNot : "more of the same cannot help";
  if (why === null) return planResend(planning, intent);
  // Who must restore access can do that now; the outcome is found out once it is there.
  if (final?.kind === "denied" || final?.kind === "quota") {
    return planRefresh(input, step, final.failure) ?? failureReview(planning, final.failure, final.kind);
  }
  if (step.hasCheck) return planCheck(planning, why);
  // Correcting the input helps only once it is known whether the old one took effect.
  if (final === null || final.kind === "rejected") return unknownReview(planning, why);
  return failureReview(planning, final.failure, final.kind);
}

/**
 * "Not there", while an earlier attempt may have happened: that may be why, as it is of an undo that took back what is
 * looked for. So the destination is asked at once, before anything waits for what will not come; null = it was.
 */
function actForGone(planning: SendPlanning): Act | null {
  const { step, known } = planning;
  const { lastFailure, round, difference } = known;
  const isGone = lastFailure?.round === round.number && lastFailure.failure.kind === "gone";
  if (!step.hasCheck || !isGone) return null;
  if (round.checks === 0) return CHECK;
  return difference === null ? null : differenceReview(planning, difference);
}

/** The last failure, if it surely did not happen and no retry can help; null once a person resumed. */
function finalFailure(
  planning: SendPlanning,
): { readonly kind: FinalKind; readonly failure: Failure } | null {
  const { lastFailure, round } = planning.known;
  if (lastFailure?.round !== round.number) return null;
  const { failure } = lastFailure;
  switch (failure.kind) {
    case "transient":
    case "throttled":
    case "stopped":
    case "unknown":
      return null;
    case "gone":
      return isInGrace(planning, lastFailure.at) ? null : { kind: failure.kind, failure };
    case "denied":
      return isRefreshed(planning.step, planning.known, failure) ? null : { kind: failure.kind, failure };
    case "quota":
      return awaitsReset(planning.step, planning.known) ? null : { kind: failure.kind, failure };
    case "rejected":
    case "conflict":
    case "precondition":
    case "bug":
      return { kind: failure.kind, failure };
  }
}

/** True while "not there" may only mean that the destination does not show yet what this case made there. */
function isInGrace({ input, step, known }: SendPlanning, failedAt: number): boolean {
  const { intent, round, notBefore } = known;
  if (intent === null || isForbidden(known) || isUsedUp(step.destination.retry, round, notBefore))
    return false;
  return graceDelayMs(step, input.state, failedAt, timesGone(intent)) !== null;
}

/** Why the same request may not be sent again as it was; null = it may. */
function whyNotResent(planning: SendPlanning, intent: Intent): string | null {
  const { input, step, known } = planning;
  const { name, retry } = step.destination;
  const unsafe = whyUnsafe(planning, intent);
  if (unsafe !== null) return unsafe;
  if (isForbidden(known)) return `${name} said not to try again`;
  if (known.rejected.includes(intent.fingerprint)) return `${name} rejected exactly this request`;
  // Without a journaled request the old effect's request cannot be made again once its basis has changed.
  if (intent.request === null && intent.basis !== basisOf(step, input.state, input.digest)) {
    return "what was sent cannot be made again, because the input has changed";
  }
  if (isUsedUp(retry, known.round, known.notBefore)) return triedSentence(step, known);
  const broken = brokenPrerequisite(input, step);
  return broken === null ? null : describeLapse(broken);
}

/** Why a repeat could be a second effect there; null = it cannot. */
function whyUnsafe({ input, step, known }: SendPlanning, intent: Intent): string | null {
  const { name, repeatSafety } = step.destination;
  if (!isOneEffect(repeatSafety)) return `${name} cannot tell a repeat from a second order`;
  if (repeatSafety.by === "fence")
    return `${name} is asked first, with a new token that shuts out what is still under way`;
  const untilAt = resendSafeUntilAt(step, intent);
  if (untilAt !== null && allowedAt(input, known) >= untilAt)
    return `the time in which ${name} knows its key again is over`;
  const isBlind = intent.attempts.some((one) => isUnproved(one) && one.version === null);
  return repeatSafety.by === "if-match" && isBlind
    ? "the version that it was conditional on is not known"
    : null;
}

/** Until when a repeat may be begun so that it arrives while its key still counts; null = no key's time runs there. */
export function resendSafeUntilAt(
  { deadlineMs, destination }: SendStepOutline,
  { openedAt }: Pick<Intent, "openedAt">,
): number | null {
  const { repeatSafety, requestAgeMs } = destination;
  return repeatSafety.by === "key" ? openedAt + repeatSafety.windowMs - deadlineMs - requestAgeMs : null;
}

/** R20: a key's window runs on during a review, so a person must act before it closes. */
function withinWindow({ input, step }: SendPlanning, intent: Intent, act: Act): Act {
  const { repeatSafety } = step.destination;
  if (act.kind !== "review" || act.isOpen || repeatSafety.by !== "key") return act;
  const untilAt = resendSafeUntilAt(step, intent);
  if (untilAt === null || untilAt <= input.now) return act;
  const aheadMs = Math.min(ACT_AHEAD_MS_MAX, repeatSafety.windowMs * ACT_AHEAD_SHARE);
  const dueAt = Math.max(input.now, untilAt - aheadMs);
  return { ...act, review: { ...act.review, window: { dueAt, resendSafeUntilAt: untilAt } } };
}

function planResend({ input, step, known }: SendPlanning, intent: Intent): Act {
  const dueAt = allowedAt(input, known);
  if (dueAt > input.now) return retryWait(step, known, dueAt);
  const repeats = intent.attempts
    .filter(isUnproved)
    .map(({ number }) => ({ step: step.name, intentVersion: intent.version, attempt: number }));
  return actForConditions(input, step, step.requires) ?? { kind: "send", repeats };
}

/** Earliest time at which the engine itself may send again. */
export function allowedAt({ now }: PlanInput, { notBefore }: StepState): number {
  return Math.max(now, notBefore ?? 0);
}

function isForbidden({ lastFailure, round }: StepState): boolean {
  return lastFailure?.round === round.number && lastFailure.failure.instruction?.kind === "doNotRetry";
}

/** Asks the destination; bounded by the number of questions since the last attempt. */
function planCheck(planning: SendPlanning, whyNotSent: string): Act {
  const { input, step, known } = planning;
  const { checks } = known.round;
  // A failure's retry time is for sending: the first question may be asked at once.
  if (checks === 0) return CHECK;
  // Asking again would ask for the same other thing again.
  if (known.intent !== null && known.unsure !== null && !asksAsSent(step, input, known.intent)) {
    return unknownReview(planning, `${whyNotSent}${last(known)}`);
  }
  if (checks >= step.destination.retry.maxAttempts) {
    return unknownReview(planning, `${whyNotSent}, and ${checks} checks could not tell${last(known)}`);
  }
  if (known.difference !== null) return differenceReview(planning, known.difference);
  const dueAt = allowedAt(input, known);
  if (dueAt <= input.now) return CHECK;
  return { kind: "wait", wait: { kind: "check", step: step.name, dueAt } };
}

/** What the last check that could not tell said. */
function last({ unsure }: StepState): string {
  return unsure === null ? "" : `; last: ${unsure.replace(/[.\s]+$/, "")}`;
}

const CHECK: Act = { kind: "check", about: "outcome" };

/** Something is there under our key or name, and it is not what was wanted: nothing is overwritten. */
function differenceReview({ input, step }: SendPlanning, difference: string): Act {
  const sentence =
    `${step.destination.name} has something else where ${step.name} was to be: ${difference}. ` +
    `Nothing is sent again by itself.`;
  return { kind: "review", review: reviewFor(input.outline, step, "conflict", sentence), isOpen: false };
}

function unknownReview({ input, step, known }: SendPlanning, why: string): Act {
  const sentence =
    `It is not known whether ${step.name} happened at ${step.destination.name}. ${howItEnded(known)} ` +
    `It is not sent again by itself: ${why}.`;
  return { kind: "review", review: reviewFor(input.outline, step, "unknown", sentence), isOpen: false };
}

/** What is left to do before a send, when every attempt so far surely did not happen; null = go on. */
function planAfterFailure(planning: SendPlanning): Act | null {
  const { step, known } = planning;
  const final = finalFailure(planning);
  if (final === null) return planWithinBounds(planning);
  switch (final.kind) {
    case "precondition":
      // R16: the first time the case is picked up again from what still holds.
      if (known.round.preconditions < PRECONDITIONS_MAX) return planWithinBounds(planning);
      break;
    case "conflict":
      // "It exists already" may be our own earlier effect: the destination is asked once before a person is.
      if (step.hasCheck && known.round.checks === 0 && known.intent !== null) return CHECK;
      if (known.difference !== null) return differenceReview(planning, known.difference);
      break;
    case "denied": {
      const refresh = planRefresh(planning.input, step, final.failure);
      if (refresh !== null) return refresh;
      break;
    }
    case "rejected":
    case "quota":
    case "gone":
    case "bug":
      break;
  }
  return failureReview(planning, final.failure, final.kind);
}

function planWithinBounds(planning: SendPlanning): Act | null {
  const { input, step, known } = planning;
  const dueAt = allowedAt(input, known);
  if (isForbidden(known) || isUsedUp(step.destination.retry, known.round, known.notBefore)) {
    const sentence = `${howItEnded(known)} It is not sent again by itself: ${triedSentence(step, known)}.`;
    return { kind: "review", review: reviewFor(input.outline, step, "limit", sentence), isOpen: false };
  }
  return dueAt > input.now ? retryWait(step, known, dueAt) : null;
}

function failureReview({ input, step, known }: SendPlanning, failure: Failure, reason: ReviewReason): Act {
  const isOpen = known.intent?.attempts.some(isUnproved) === true;
  const also = isOpen ? "Whether an earlier attempt happened is not known." : "";
  return {
    kind: "review",
    review: reviewForFailure(input.outline, step, failure, reason, also),
    isOpen: false,
  };
}

/** How the last attempt ended, in one sentence. */
function howItEnded({ intent }: StepState): string {
  const outcome = intent?.attempts.at(-1)?.outcome;
  if (outcome?.kind === "failed") return outcome.failure.sentence;
  return outcome?.kind === "open"
    ? "The worker was lost while it was sending."
    : "The last attempt did not happen.";
}

function triedSentence({ destination }: SendStepOutline, known: StepState): string {
  if (isForbidden(known)) return `${destination.name} said not to try again`;
  const { attempts, repeats, throttles } = known.round;
  const { maxAttempts, maxRequests, maxThrottles } = destination.retry;
  const repeated = repeats > 0 ? ` in ${attempts + repeats} of ${maxRequests} requests` : "";
  const throttled = throttles > 0 ? `, and ${throttles} times told to slow down` : "";
  const isSpent = attempts >= maxAttempts || attempts + repeats >= maxRequests;
  const isLate = !isSpent && throttles < maxThrottles;
  const late = isLate ? ", and the next time would be later than is waited for" : "";
  return `it was tried ${attempts} of ${maxAttempts} times${repeated}${throttled}${late}`;
}

/** A try of a step that is not due yet. */
export function retryWait(step: SendStepOutline, known: StepState, dueAt: number): Act {
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
