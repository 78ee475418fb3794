/** What is written about an attempt: before it is sent, and after its outcome is known. Pure; the shell commits it. */

import { basisOf, type Digest } from "./basis.ts";
import { invariant } from "./errors.ts";
import { isSlowDown, type Failure } from "./failure.ts";
import { graceDelayMs, timesGone } from "./grace.ts";
import { isUnproved, recordedAnswer, stepOf, type CaseState, type Intent } from "./case-state.ts";
import type {
  Actor,
  AttemptRef,
  CheckAnswer,
  ConditionAnswer,
  Entry,
  Review,
  StepResult,
} from "./journal.ts";
import { canonicalJson, isJsonObject, type Json } from "./json.ts";
import type { CaseOutline, ConditionOutline, SendStepOutline } from "./outline.ts";
import { originName } from "./renames.ts";
import { BEFORE_RESTORE, CLAIM_BEFORE_RESTORE } from "./restored.ts";
import { backoffMs, retryAt } from "./retry.ts";
import { reviewFor } from "./review.ts";
import { lastPossibleArrivalAt, pendingIntent } from "./settled.ts";
import type { WireSummary } from "./wire-evidence.ts";

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
 * now (R18). Else a changed fingerprint, or an effect that was confirmed or undone, makes a new effect: the intent
 * version rises, and with it the key. A fingerprint that the destination rejected is refused and goes back to who can
 * correct the input.
 */
export function decideOpenAttempt(input: OpenAttemptInput): OpenAttempt {
  const { state, step } = input;
  const { intent, confirmation: confirmed, rejected } = stepOf(state, step.name);
  const pending = pendingIntent(intent, confirmed);
  if (pending !== null) return openUnder(input, pending);
  const basis = basisOf(step, state, input.digest);
  const fingerprint = fingerprintOf(input);
  if (rejected.includes(fingerprint)) return { kind: "refused", review: unchangedReview(input) };
  const { name, credentialId } = step.destination;
  const isSame =
    intent?.fingerprint === fingerprint &&
    intent.version !== confirmed?.intentVersion &&
    !intent.isUndone &&
    intent.basis === basis &&
    intent.destination === name &&
    intent.credentialId === credentialId;
  if (isSame) return openUnder(input, intent);
  const opened = intentOf(input, (intent?.version ?? 0) + 1, { basis, fingerprint });
  return {
    kind: "open",
    entries: [opened, attemptUnder(input, opened.intentVersion, 1, knownVersion(input))],
  };
}

/**
 * Opens the attempt that a step may have had before its case was restored: it is not sent. It has the key that it would have
 * had then, and may have been sent until the restore.
 */
export function decideAssumedAttempt(
  input: Omit<OpenAttemptInput, "claimId" | "holder" | "now">,
): OpenAttempt {
  const { restored } = input.state;
  invariant(restored !== null, `case ${input.state.caseId} was not restored`);
  const now = restored.at - input.step.deadlineMs;
  return decideOpenAttempt({ ...input, claimId: CLAIM_BEFORE_RESTORE, holder: BEFORE_RESTORE, now });
}

/** What identifies the effect that `step` would have if it were sent now: its request, or what it rests on. */
export function fingerprintOf({
  outline,
  step,
  state,
  request,
  digest,
}: Pick<OpenAttemptInput, "outline" | "step" | "state" | "request" | "digest">): string {
  const of = step.part === undefined ? "" : `\n${originName(state, step.name)}`;
  const inferred = `${basisOf(step, state, digest)}\n${outline.name}\n${outline.version}${of}`;
  return digest(request === null ? inferred : canonicalJson(request));
}

function openUnder(input: OpenAttemptInput, { version, attempts }: Intent): OpenAttempt {
  // A write that may have been made is repeated with the condition it had, so that it is refused if it was.
  const unproved = attempts.findLast(isUnproved);
  const condition = unproved === undefined ? knownVersion(input) : unproved.version;
  return { kind: "open", entries: [attemptUnder(input, version, attempts.length + 1, condition)] };
}

function intentOf(
  { state, step, request }: OpenAttemptInput,
  version: number,
  { basis, fingerprint }: { readonly basis: string; readonly fingerprint: string },
): Of<"intentOpened"> {
  return {
    kind: "intentOpened",
    step: step.name,
    intentVersion: version,
    idempotencyKey: idempotencyKey(state.caseId, originName(state, step.name), version),
    destination: step.destination.name,
    credentialId: step.destination.credentialId,
    basis,
    fingerprint,
    request: request === null ? null : canonicalJson(request),
  };
}

/** The key that a destination deduplicates by: stable across the attempts of one intent version, ASCII, <= 120 characters. */
export function idempotencyKey(caseId: string, step: string, intentVersion: number): string {
  return `${caseId}.${step}.${intentVersion}`;
}

function attemptUnder(
  input: OpenAttemptInput,
  intentVersion: number,
  attempt: number,
  version: string | null,
): Of<"attemptOpened"> {
  return {
    kind: "attemptOpened",
    step: input.step.name,
    intentVersion,
    attempt,
    fencingToken: nextFencingToken(input.state, input.now),
    sendDeadlineAt: input.now + input.step.deadlineMs,
    claimId: input.claimId,
    holder: input.holder,
    ...(version === null ? {} : { version }),
  };
}

/** R19: rises with every send of the case, and is at least the database clock in ms. */
export function nextFencingToken({ fencingToken }: CaseState, now: number): number {
  return Math.max(fencingToken + 1, now);
}

/** The version that the destination last told, for a write that is conditional on it. */
function knownVersion({ step, state }: OpenAttemptInput): string | null {
  if (step.versionCondition === null) return null;
  const answer = recordedAnswer(state, step.name, step.versionCondition)?.answer;
  return answer?.kind === "holds" ? (answer.version ?? null) : null;
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
  | {
      readonly kind: "succeeded";
      readonly result: StepResult;
      readonly evidence: Json;
      /** What was seen of its requests; absent where nothing was metered. */
      readonly wire?: WireSummary;
    }
  | { readonly kind: "failed"; readonly failure: Failure; readonly wire?: WireSummary };

/**
 * What is written when a send has ended. `random` in [0, 1) sets the retry time, once. Throws `INVARIANT_BROKEN` for an
 * attempt that is not in the journal: it must be committed before the send.
 */
export function decideAfterAttempt(
  step: SendStepOutline,
  state: CaseState,
  ref: AttemptRef,
  outcome: SendOutcome,
  now: number,
  random: number,
): Entry {
  const { intent, round } = stepOf(state, step.name);
  invariant(
    intent?.version === ref.intentVersion,
    `case ${state.caseId} has no intent version ${ref.intentVersion} of ${step.name}`,
  );
  const seen = outcome.wire === undefined ? {} : { wire: outcome.wire };
  if (outcome.kind === "succeeded" && step.child?.act === "start") {
    return { kind: "childStarted", ...ref, caseType: step.child.caseType, caseId: startedIn(outcome.result) };
  }
  if (outcome.kind === "succeeded") {
    // It rests on what its intent was opened for, not on what the input says by now.
    return {
      ...confirmation(ref, intent.basis, outcome, { how: "response", attempt: ref.attempt }),
      ...seen,
    };
  }
  const { failure } = outcome;
  const counted = isSlowDown(failure) ? { ...round, throttles: round.throttles + 1 } : round;
  const { retry } = step.destination;
  const isDoubted = failure.kind === "gone" && failure.instruction === null;
  const timesBefore = timesGone(upTo(intent, ref.attempt));
  const graceMs = isDoubted ? graceDelayMs(step, state, now, timesBefore + 1) : null;
  const at = graceMs === null ? retryAt(retry, failure, counted, now, random) : now + graceMs;
  return { kind: "attemptFailed", ...ref, failure, retryAt: at, ...seen };
}

/** The case that the engine says was started. */
function startedIn(result: StepResult): string {
  const caseId = result.kind === "value" && isJsonObject(result.value) ? result.value["caseId"] : undefined;
  invariant(typeof caseId === "string", "a start of a case did not tell its id");
  return caseId;
}

/** An intent as it was before one of its attempts. */
function upTo(intent: Intent, attempt: number): Intent {
  return { ...intent, attempts: intent.attempts.filter(({ number }) => number < attempt) };
}

/** When a question was put and when its answer came: an answer tells of the first, waiting begins with the second. */
export interface Asked {
  readonly askedAt: number;
  readonly answeredAt: number;
  /** The token that the destination's fence was raised to with the question; left out where it has no fence. */
  readonly raisedTo?: number;
  /** What was seen of its requests; absent where nothing was metered. */
  readonly wire?: WireSummary;
}

/** What a check was about: the intent whose outcome is not known, or whether its effect is what is wanted now. */
export interface CheckedEffect {
  readonly intent: Intent;
  /** What the confirmation will rest on. */
  readonly basis: string;
  /** Of what should be there. */
  readonly fingerprint: string;
  /** False where the question was made of other facts than the effect that it is about. */
  readonly isAskedAsSent: boolean;
}

/**
 * True where a check asks for what was sent. It is given what was sent, or, without a `request`, the facts of now: after a
 * correction it may look for another thing.
 */
export function asksAsSent(
  step: SendStepOutline,
  { state, digest }: Pick<OpenAttemptInput, "state" | "digest">,
  intent: Intent,
): boolean {
  return intent.request !== null || basisOf(step, state, digest) === intent.basis;
}

/** What a question about an unknown outcome is about. */
export function unknownEffect(
  step: SendStepOutline,
  state: CaseState,
  intent: Intent,
  digest: Digest,
): CheckedEffect {
  return {
    intent,
    basis: intent.basis,
    fingerprint: intent.fingerprint,
    isAskedAsSent: asksAsSent(step, { state, digest }, intent),
  };
}

/**
 * What is written when the destination answered "did it happen?". "It did not" proves it only when it was asked for the
 * second time, after the read lag and after the last possible arrival (R18); or at once where the question itself shut
 * out whatever is still under way.
 */
export function decideAfterCheck(
  step: SendStepOutline,
  state: CaseState,
  effect: CheckedEffect,
  given: CheckAnswer,
  { answeredAt, ...asked }: Asked,
  random: number,
): Entry {
  const { intent, basis } = effect;
  const ref = { step: step.name, intentVersion: intent.version };
  const { askedAt, raisedTo, wire } = asked;
  const answer = comparedWith(effect, given);
  if (answer.kind === "happened") {
    const seen = wire === undefined ? {} : { wire };
    return { ...confirmation(ref, basis, answer, { how: "check", askedAt }), ...seen };
  }
  const answered = { kind: "checkAnswered", ...ref, answer, ...asked } as const;
  const { round, firstNotFoundAt } = stepOf(state, step.name);
  switch (answer.kind) {
    case "cannotTell": {
      const delayMs = backoffMs(step.destination.retry, round.checks + 1, random);
      return { ...answered, proves: false, nextCheckAt: answeredAt + delayMs };
    }
    case "differs":
      return { ...answered, proves: false, nextCheckAt: answeredAt };
    case "didNotHappen": {
      if (raisedTo !== undefined) return { ...answered, proves: true, nextCheckAt: answeredAt };
      const arrivalAt = lastPossibleArrivalAt(intent, step.destination);
      const provesAt = Math.max(arrivalAt, (firstNotFoundAt ?? askedAt) + step.destination.readLagMs);
      const proves = firstNotFoundAt !== null && askedAt >= provesAt;
      return { ...answered, proves, nextCheckAt: Math.max(provesAt, answeredAt) };
    }
  }
}

/** A key or a name alone can stand for the effect of an older input: where the destination can tell, what ran decides. */
function comparedWith({ fingerprint, isAskedAsSent }: CheckedEffect, answer: CheckAnswer): CheckAnswer {
  if (answer.kind === "didNotHappen" && !isAskedAsSent) return { kind: "cannotTell", why: ASKED_ANEW };
  if (answer.kind !== "happened" || (answer.fingerprint ?? fingerprint) === fingerprint) return answer;
  return { kind: "differs", why: "what is there was made for another request", evidence: answer.evidence };
}

const ASKED_ANEW =
  "it was asked with what is known now, which has changed since it was sent; a step with a request is asked for what was sent";

/** Rolled back with the transaction that would have confirmed it: an attempt without a confirmation did not happen. */
export function rolledBack({ version }: Intent, step: string, now: number): Of<"checkAnswered"> {
  return {
    kind: "checkAnswered",
    step,
    intentVersion: version,
    answer: { kind: "didNotHappen" },
    askedAt: now,
    proves: true,
    nextCheckAt: now,
  };
}

/** What is written when a probe was answered. It is fresh from when the answer came, however long that took. */
export function decideAfterProbe(
  step: string,
  condition: Extract<ConditionOutline, { kind: "probe" }>,
  state: CaseState,
  answer: ConditionAnswer,
  { answeredAt, wire }: Pick<Asked, "answeredAt" | "wire">,
  random: number,
): Entry {
  const times = (recordedAnswer(state, step, condition.name)?.timesUnsure ?? 0) + 1;
  const delayMs = backoffMs(condition.destination.retry, times, random);
  const nextProbeAt = answer.kind === "cannotTell" ? answeredAt + delayMs : null;
  return {
    kind: "conditionAnswered",
    step,
    condition: condition.name,
    answer,
    askedAt: answeredAt,
    nextProbeAt,
    ...(wire === undefined ? {} : { wire }),
  };
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
