/** What an attempt's meter is told, and what its evidence means for the outcome. */

import { isUnproved, stepOf, type Attempt, type CaseState, type Intent } from "../core/case-state.ts";
import { failureOf, type Failure } from "../core/failure.ts";
import type { AttemptRef } from "../core/journal.ts";
import type { RepeatSafety, SendStepOutline } from "../core/outline.ts";
import { requestsLeft } from "../core/retry.ts";
import { storableText } from "../core/storable-text.ts";
import type { ForeignKey, WireSummary } from "../core/wire-evidence.ts";
import type { LateRequest, Refusal, WatchedAttempt } from "../wire/attempt-record.ts";
import { refusedError } from "../wire/bound-transport.ts";
import { BLIND_SPOTS, type MeteredEvidence } from "../wire/evidence.ts";
import { summaryOf, type RequestBounds } from "../wire/findings.ts";

/** Times that the same request of a question may be sent through its own `fetch`. */
const QUESTION_REQUESTS_MAX = 8;
/** Characters of a failure's sentence, with what was refused. */
const SENTENCE_CHARS_MAX = 1_500;

/** An attempt that is about to be sent. */
export interface MeteredSend {
  readonly step: SendStepOutline;
  /** The state right after the attempt was committed. */
  readonly state: CaseState;
  readonly ref: AttemptRef;
  readonly intent: Intent;
}

/** What is watched of a send. */
export function watchedAttempt(
  send: MeteredSend,
  signal: AbortSignal,
  now: () => number,
  onLate: (late: LateRequest) => void,
): WatchedAttempt {
  const { step, state, ref, intent } = send;
  const { retry, repeatSafety } = step.destination;
  // This attempt is among those of the round already.
  const requestsMax = Math.max(1, requestsLeft(retry, stepOf(state, ref.step).round) + 1);
  return {
    idempotencyKey: intent.idempotencyKey,
    signal,
    now,
    requestsMax,
    mayRepeat: mayRepeat(repeatSafety),
    earlierKeys: foreignKeys(send, isUnproved),
    onLate,
  };
}

/** True where the destination itself stops a second effect of one request. */
function mayRepeat({ by }: RepeatSafety): boolean {
  switch (by) {
    case "key":
    case "unique":
    case "if-match":
    case "transaction":
      return true;
    // Each token is accepted once, so a client's own repeat of a request that arrived is refused there.
    case "fence":
      return true;
    case "lookup":
    case "none":
      return false;
  }
}

function foreignKeys({ intent, ref }: MeteredSend, counts: (one: Attempt) => boolean): readonly ForeignKey[] {
  return intent.attempts.flatMap((one) =>
    one.number !== ref.attempt && one.wire?.foreignKey !== undefined && counts(one)
      ? [one.wire.foreignKey]
      : [],
  );
}

/** What is kept of the evidence; undefined where there is nothing to tell, as with a step that sends by other means. */
export function wireSummaryOf(evidence: MeteredEvidence | null, send: MeteredSend): WireSummary | undefined {
  if (evidence === null) return undefined;
  const { blindSpots, lateCount } = evidence;
  const sawNothing = blindSpots.length === 1 && blindSpots[0] === BLIND_SPOTS.nothingSeen;
  if (sawNothing && lateCount === 0) return undefined;
  return summaryOf(
    evidence,
    send.step.destination.retry,
    foreignKeys(send, () => true),
  );
}

/**
 * What was seen, as far as it proves something: where a step sends over HTTP alone, to have begun no request is to have
 * sent nothing.
 */
export function provedBy(
  evidence: MeteredEvidence | null,
  { isHttpAlone }: { readonly isHttpAlone: boolean },
): MeteredEvidence | null {
  if (evidence === null || !isHttpAlone) return evidence;
  return { ...evidence, blindSpots: evidence.blindSpots.filter((spot) => spot !== BLIND_SPOTS.nothingSeen) };
}

/**
 * The failure, with what was refused: who repeats requests must read how that is turned off. A write that was not sent
 * because its key had changed is a fault of the step's code, and nothing of this attempt left.
 */
export function withRefusal(
  failure: Failure,
  refusal: Refusal | null,
  evidence: MeteredEvidence | null,
): Failure {
  if (refusal === null) return failure;
  const sentence = storableText(`${failure.sentence} ${refusedError(refusal).message}`, SENTENCE_CHARS_MAX);
  if (refusal.why !== "newKey" || !sentNothing(evidence)) return { ...failure, sentence };
  return failureOf({
    cause: "bug",
    executed: "no",
    confidence: "proved",
    rule: "wire.newKey",
    sentence: refusedError(refusal).message,
    raw: failure.raw,
  });
}

/** What is watched of a question: a check, a probe, a refresh, a ping. `name` tells it from any attempt. */
export function watchedQuestion(name: string, signal: AbortSignal, now: () => number): WatchedAttempt {
  return {
    idempotencyKey: name,
    signal,
    now,
    requestsMax: QUESTION_REQUESTS_MAX,
    mayRepeat: false,
    earlierKeys: [],
    onLate: () => undefined,
  };
}

/** What is kept of what a question sent; undefined where there is nothing to tell. */
export function questionSummary(evidence: MeteredEvidence | null): WireSummary | undefined {
  if (evidence === null || sentNothing(evidence)) return undefined;
  return summaryOf(evidence, UNBOUNDED, []);
}

/** Questions are not among the requests that the bounds of a step count. */
const UNBOUNDED: RequestBounds = { maxAttempts: 1, maxRequests: Infinity };

function sentNothing(evidence: MeteredEvidence | null): boolean {
  if (evidence === null) return false;
  const { requests, blindSpots } = evidence;
  return requests.length === 0 && blindSpots.every((spot) => spot === BLIND_SPOTS.nothingSeen);
}
