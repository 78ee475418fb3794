/**
 * Refreshing access: a credential whose token is not good any more is made usable again, by one sender at a time for all
 * who use it. Two refreshes at once make providers with rotating tokens revoke the whole grant, and one for every case
 * that was refused is a storm. Pure; the store keeps what is known of a credential and compares.
 */

import { stepOf, type CaseState } from "./case-state.ts";
import { invariant } from "./errors.ts";
import { failureOf, namedWaitMs, type Failure } from "./failure.ts";
import type { AttemptRef, Entry, RefreshAnswer } from "./journal.ts";
import type { SendStepOutline } from "./outline.ts";
import { retryAt } from "./retry.ts";
import type { WireSummary } from "./wire-evidence.ts";

/** How long one refresh may take before it is given up, in ms. */
export const REFRESH_MS_MAX = 15_000;
/** How long the right to refresh is kept: longer than a refresh, so that a second one begins after it, in ms. */
export const TURN_MS = 25_000;
/** How long after a refresh no other one is made, in ms. */
export const REST_MS = 60_000;
/** The same after one that may work soon, in ms. */
export const REST_TRANSIENT_MS = 5_000;
/** The same at most, where the token endpoint named a time, in ms. */
const REST_MS_MAX = 900_000;

/** What is kept of a credential. */
export interface CredentialState {
  /** Who refreshes it now, and until when nobody else may. */
  readonly turn: { readonly turnId: string; readonly untilAt: number } | null;
  /** The last refresh; `failure` null = it worked. */
  readonly last: {
    readonly endedAt: number;
    readonly restUntilAt: number;
    readonly failure: Failure | null;
  } | null;
}

/** What one who was refused may do. */
export type RefreshTurn =
  /** Refresh, and say what came of it. */
  | { readonly kind: "yours" }
  /** Nothing: it is known already. */
  | { readonly kind: "known"; readonly answer: RefreshAnswer; readonly restUntilAt: number }
  /** Ask again in a moment: somebody refreshes it. */
  | { readonly kind: "underWay" };

/** Who asks for the right to refresh. */
export interface TurnRequest {
  readonly credentialId: string;
  /** Random, one for each refresh: asked again after a lost reply it is the same right. */
  readonly turnId: string;
  /** When the attempt that was refused began: a refresh since then may be what it lacked. */
  readonly usedAt: number;
}

const NEVER: CredentialState = { turn: null, last: null };

/** Decides who refreshes. `state` null = nothing changes. */
export function takeTurn(
  stored: CredentialState | null,
  { credentialId, turnId, usedAt }: TurnRequest,
  now: number,
): { readonly state: CredentialState | null; readonly reply: RefreshTurn } {
  const { turn, last } = stored ?? NEVER;
  if (turn?.turnId === turnId) return { state: null, reply: { kind: "yours" } };
  if (turn !== null && turn.untilAt > now) return { state: null, reply: { kind: "underWay" } };
  if (last?.failure === null && last.endedAt >= usedAt) return known({ kind: "refreshed" }, last.restUntilAt);
  if (last !== null && now < last.restUntilAt) {
    return known({ kind: "failed", failure: last.failure ?? refusedAgain(credentialId) }, last.restUntilAt);
  }
  return { state: { turn: { turnId, untilAt: now + TURN_MS }, last }, reply: { kind: "yours" } };
}

function known(
  answer: RefreshAnswer,
  restUntilAt: number,
): { readonly state: null; readonly reply: RefreshTurn } {
  return { state: null, reply: { kind: "known", answer, restUntilAt } };
}

/** What is kept once a refresh has ended; null = nothing changes: somebody else has the turn by now. */
export function endTurn(
  stored: CredentialState | null,
  turnId: string,
  answer: RefreshAnswer,
  now: number,
): CredentialState | null {
  if (stored?.turn?.turnId !== turnId) return null;
  const failure = answer.kind === "failed" ? answer.failure : null;
  return { turn: null, last: { endedAt: now, restUntilAt: now + restMs(failure), failure } };
}

/** A person says that the access is good again: what went wrong before is forgotten. */
export function forgetRefresh(stored: CredentialState | null): CredentialState | null {
  return stored === null || stored.last === null ? null : { ...stored, last: null };
}

function restMs(failure: Failure | null): number {
  if (failure === null || !mayRefreshAgain(failure)) return REST_MS;
  return Math.min(REST_MS_MAX, namedWaitMs(failure.instruction) ?? REST_TRANSIENT_MS);
}

/** True where a failed refresh may work later by itself. */
export function mayRefreshAgain({ kind }: Failure): boolean {
  return kind === "transient" || kind === "throttled" || kind === "stopped";
}

function refusedAgain(credentialId: string): Failure {
  return failureOf({
    cause: "denied",
    executed: "no",
    access: "revoked",
    confidence: "proved",
    rule: "refresh.again",
    sentence: `The access of ${credentialId} was refreshed less than a minute ago, and is refused all the same.`,
  });
}

/** What came of a refresh, for one who wanted it. */
export interface Refreshed {
  readonly answer: RefreshAnswer;
  /** Before that, nobody refreshes again; null = the store could not be told. */
  readonly restUntilAt: number | null;
  /** What it sent; only for who made it. */
  readonly wire?: WireSummary | undefined;
}

/** What is written when a refresh has ended, whoever made it. `random` in [0, 1) sets the time of the next one, once. */
export function decideAfterRefresh(
  step: SendStepOutline,
  state: CaseState,
  { answer, restUntilAt, wire }: Refreshed,
  now: number,
  random: number,
): Extract<Entry, { kind: "accessRefreshed" }> {
  const { destination } = step;
  const ref = deniedAttempt(state, step.name);
  return {
    kind: "accessRefreshed",
    ...ref,
    credentialId: destination.credentialId,
    answer,
    retryAt:
      answer.kind === "failed"
        ? nextAt(step, state, answer.failure, { restUntilAt: restUntilAt ?? now, now, random })
        : null,
    ...(wire === undefined ? {} : { wire }),
  };
}

function nextAt(
  { name, destination }: SendStepOutline,
  state: CaseState,
  failure: Failure,
  {
    restUntilAt,
    now,
    random,
  }: { readonly restUntilAt: number; readonly now: number; readonly random: number },
): number | null {
  if (!mayRefreshAgain(failure)) return null;
  const { refresh, round } = stepOf(state, name);
  const { intentVersion, attempt } = deniedAttempt(state, name);
  const isFirst = refresh?.attempt !== attempt || refresh.intentVersion !== intentVersion;
  const tries = isFirst ? 1 : refresh.times + 1;
  const counted = { ...round, attempts: tries, throttles: tries };
  const at = retryAt(destination.retry, failure, counted, now, random);
  // To ask before anybody refreshes again would spend a try on what is known.
  return at === null ? null : Math.max(at, restUntilAt);
}

/** The attempt that was refused. */
function deniedAttempt(state: CaseState, step: string): AttemptRef {
  const { intent, lastFailure } = stepOf(state, step);
  invariant(intent !== null && lastFailure !== null, `${step} of case ${state.caseId} was not refused`);
  return { step, intentVersion: intent.version, attempt: lastFailure.attempt };
}
