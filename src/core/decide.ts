/** What is written about an attempt: before it is sent, and after its outcome is known. Pure; the shell commits it. */

import { basisOf, type Digest } from "./basis.ts";
import { invariant } from "./errors.ts";
import type { Failure } from "./failure.ts";
import { stepOf, type CaseState, type Intent, type StepState } from "./case-state.ts";
import type {
  Actor,
  AttemptRef,
  CheckAnswer,
  ConditionAnswer,
  Entry,
  Review,
  StepResult,
} from "./journal.ts";
import { canonicalJson, type Json } from "./json.ts";
import type { CaseOutline, ConditionOutline, SendStepOutline } from "./outline.ts";
import { backoffMs, retryAt } from "./retry.ts";
import { reviewFor } from "./review.ts";
import { isProvedNotExecuted, lastPossibleArrivalAt } from "./settled.ts";

type Of<K extends Entry["kind"]> = Extract<Entry, { kind: K }>;

/** What opening an attempt needs. */
export interface OpenAttemptInput {
  readonly outline: CaseOutline;
  readonly step: SendStepOutline;
  readonly state: CaseState;
  /** What the author's `request` gave for the present input and results; null where there is none. */
  readonly request: Json | null;
  readonly claimId: string;
  readonly holder: Actor;
  readonly now: number;
  readonly digest: Digest;
}

/** The intent and attempt to commit before the send, or why nothing may be sent. */
export type OpenAttempt =
  | { readonly kind: "open"; readonly entries: readonly (Of<"intentOpened"> | Of<"attemptOpened">)[] }
  | { readonly kind: "refused"; readonly review: Review };

/**
 * Opens an attempt (R17). Under an unsettled intent it repeats that intent's request and key, whatever the input says
 * now (R18). Else a changed fingerprint is a new effect: the intent version rises, and with it the key. A fingerprint
 * that the destination rejected is refused and goes back to who can correct the input.
 */
export function decideOpenAttempt(input: OpenAttemptInput): OpenAttempt {
  const { state, step } = input;
  const { intent, rejected } = stepOf(state, step.name);
  if (intent !== null && !isProvedNotExecuted(intent)) {
    return { kind: "open", entries: [attemptUnder(input, intent.version, intent.attempts.length + 1)] };
  }
  const basis = basisOf(step, state, input.digest);
  const request = input.request === null ? null : canonicalJson(input.request);
  const fingerprint = input.digest(request ?? `${basis}\n${input.outline.name}\n${input.outline.version}`);
  if (rejected.includes(fingerprint)) return { kind: "refused", review: unchangedReview(input) };
  if (intent !== null && intent.fingerprint === fingerprint && intent.basis === basis) {
    return { kind: "open", entries: [attemptUnder(input, intent.version, intent.attempts.length + 1)] };
  }
  const version = (intent?.version ?? 0) + 1;
  const opened = intentOf(input, version, { basis, request, fingerprint });
  return { kind: "open", entries: [opened, attemptUnder(input, version, 1)] };
}

function intentOf(
  { state, step }: OpenAttemptInput,
  version: number,
  { basis, request, fingerprint }: { basis: string; request: string | null; fingerprint: string },
): Of<"intentOpened"> {
  return {
    kind: "intentOpened",
    step: step.name,
    intentVersion: version,
    idempotencyKey: idempotencyKey(state.caseId, step.name, version),
    destination: step.destination.name,
    credentialId: step.destination.credentialId,
    basis,
    fingerprint,
    request,
  };
}

/** The key that a destination deduplicates by: stable across the attempts of one intent version, ASCII, <= 120 characters. */
export function idempotencyKey(caseId: string, step: string, intentVersion: number): string {
  return `${caseId}.${step}.${intentVersion}`;
}

function attemptUnder(input: OpenAttemptInput, intentVersion: number, attempt: number): Of<"attemptOpened"> {
  return {
    kind: "attemptOpened",
    step: input.step.name,
    intentVersion,
    attempt,
    // R19: rises with every send of the case, and is at least the database clock in ms.
    fencingToken: Math.max(input.state.fencingToken + 1, input.now),
    sendDeadlineAt: input.now + input.step.deadlineMs,
    claimId: input.claimId,
    holder: input.holder,
  };
}

function unchangedReview({ outline, step, state }: OpenAttemptInput): Review {
  const { lastFailure } = stepOf(state, step.name);
  const why = lastFailure === null ? "" : ` ${lastFailure.failure.sentence}`;
  const sentence =
    `${step.destination.name} rejected exactly this request before, so ${step.name} does not send it again.${why} ` +
    `Correct the input, then resume.`;
  return reviewFor(outline, step, "rejected", sentence);
}

/** How a send ended. */
export type SendOutcome =
  | { readonly kind: "succeeded"; readonly result: StepResult; readonly evidence: Json }
  | { readonly kind: "failed"; readonly failure: Failure };

/** What is written when a send has ended. `random` in [0, 1) sets the retry time, once. */
export function decideAfterAttempt(
  step: SendStepOutline,
  state: CaseState,
  ref: AttemptRef,
  outcome: SendOutcome,
  now: number,
  random: number,
): Entry {
  const known = stepOf(state, step.name);
  if (outcome.kind === "succeeded") {
    return confirmation(ref, intentBasis(known, step, ref), outcome, {
      how: "response",
      attempt: ref.attempt,
    });
  }
  const { failure } = outcome;
  const throttled = failure.kind === "throttled" && failure.executed === "no";
  const round = throttled ? { ...known.round, throttles: known.round.throttles + 1 } : known.round;
  const { retry } = step.destination;
  return { kind: "attemptFailed", ...ref, failure, retryAt: retryAt(retry, failure, round, now, random) };
}

/** What is written when the destination answered "did it happen?". */
export function decideAfterCheck(
  step: SendStepOutline,
  state: CaseState,
  intent: Intent,
  answer: CheckAnswer,
  askedAt: number,
  random: number,
): Entry {
  const ref = { step: step.name, intentVersion: intent.version };
  if (answer.kind === "happened") {
    return confirmation(ref, intent.basis, answer, { how: "check", askedAt });
  }
  const { round, firstNotFoundAt } = stepOf(state, step.name);
  const backoffAt = askedAt + backoffMs(step.destination.retry, round.checks + 1, random);
  if (answer.kind === "cannotTell") {
    return { kind: "checkAnswered", ...ref, answer, askedAt, proves: false, nextCheckAt: backoffAt };
  }
  const arrivalAt = lastPossibleArrivalAt(intent, step.destination);
  const provesAt = Math.max(arrivalAt, (firstNotFoundAt ?? askedAt) + step.destination.readLagMs);
  const proves = firstNotFoundAt !== null && askedAt >= provesAt;
  return { kind: "checkAnswered", ...ref, answer, askedAt, proves, nextCheckAt: Math.max(provesAt, askedAt) };
}

/** What is written when a probe was answered. */
export function decideAfterProbe(
  step: string,
  condition: Extract<ConditionOutline, { kind: "probe" }>,
  state: CaseState,
  answer: ConditionAnswer,
  askedAt: number,
  random: number,
): Entry {
  const { round } = stepOf(state, step);
  const nextProbeAt =
    answer.kind === "cannotTell"
      ? askedAt + backoffMs(condition.destination.retry, round.probes + 1, random)
      : null;
  return { kind: "conditionAnswered", step, condition: condition.name, answer, askedAt, nextProbeAt };
}

function confirmation(
  ref: { readonly step: string; readonly intentVersion: number },
  basis: string,
  { result, evidence }: { readonly result: StepResult; readonly evidence: Json },
  by: Of<"stepConfirmed">["by"],
): Of<"stepConfirmed"> {
  return {
    kind: "stepConfirmed",
    step: ref.step,
    intentVersion: ref.intentVersion,
    basis,
    result,
    evidence,
    by,
  };
}

/** A confirmation rests on what its intent was opened for, not on what the input says by now. */
function intentBasis({ intent }: StepState, step: SendStepOutline, ref: AttemptRef): string {
  invariant(intent?.version === ref.intentVersion, `${step.name} has no intent version ${ref.intentVersion}`);
  return intent.basis;
}
