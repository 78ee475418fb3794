/** When to try again: bounded, growing, and as the provider says. */

import { isSlowDown, type Failure, type Instruction } from "./failure.ts";
import type { Round } from "./case-state.ts";
import type { RetryPolicy } from "./outline.ts";

type Pace = Extract<Instruction, { kind: "pace" }>;

/** Growth of the delay from one attempt to the next. */
const DELAY_GROWTH = 4;
/** Growth of a wait that a destination did not name. */
const PACE_GROWTH = 2;
/** A provider's wait is lengthened by up to this share, so that waiting cases do not return at the same moment. */
const PROVIDER_JITTER_SHARE = 0.1;
/** Cap of that lengthening. */
const PROVIDER_JITTER_MS_MAX = 30_000;

/**
 * Delay before try number `tries + 1`, in ms: `firstDelayMs` x 4^(tries - 1), capped, with equal jitter (half fixed,
 * half random), so that "next check allowed" is honest. `random` is in [0, 1).
 */
export function backoffMs(policy: RetryPolicy, tries: number, random: number): number {
  const full = Math.min(policy.maxDelayMs, policy.firstDelayMs * DELAY_GROWTH ** (Math.max(1, tries) - 1));
  return Math.round(full / 2 + (full / 2) * random);
}

/** Delay that a provider asked for, in ms, lengthened a little and never shortened. */
export function providerDelayMs(delayMs: number, random: number): number {
  return Math.round(delayMs + random * Math.min(delayMs * PROVIDER_JITTER_SHARE, PROVIDER_JITTER_MS_MAX));
}

/** Wait after try number `tries` where the habits of a destination are known, in ms. */
function paceMs({ firstMs, maxMs }: Pace, tries: number): number {
  return Math.min(maxMs, firstMs * PACE_GROWTH ** (Math.max(1, tries) - 1));
}

/** When the engine may try again after `failure`; `round` already counts it. Null = not by itself. */
export function retryAt(
  policy: RetryPolicy,
  failure: Failure,
  round: Round,
  now: number,
  random: number,
): number | null {
  const tries = isSlowDown(failure) ? round.throttles : round.attempts;
  switch (failure.instruction?.kind) {
    case "doNotRetry":
      return null;
    case "retryAfter":
      return now + providerDelayMs(failure.instruction.delayMs, random);
    case "pace":
      return now + providerDelayMs(paceMs(failure.instruction, tries), random);
    case "newerToken":
      // The next token is above the one it has seen: nothing is to be waited for.
      return now;
    case undefined:
      break;
  }
  // We stopped it ourselves (a graceful stop, a lost lease): nothing speaks against trying at once.
  if (failure.kind === "stopped" && failure.executed === "no") return now;
  return now + backoffMs(policy, tries, random);
}

/**
 * True when a further try would break the bounds of the round: too many, or set (`notBefore`) for later than the engine
 * goes on by itself. Time that passed because nobody picked the case up does not count.
 */
export function isUsedUp(policy: RetryPolicy, round: Round, notBefore: number | null): boolean {
  return (
    round.attempts >= policy.maxAttempts ||
    requestsLeft(policy, round) <= 0 ||
    round.throttles >= policy.maxThrottles ||
    isTooLate(policy, round, notBefore)
  );
}

/** Real requests that the round may still make: attempts count one each, and so does each repeat within one. */
export function requestsLeft({ maxRequests }: RetryPolicy, { attempts, repeats }: Round): number {
  return maxRequests - attempts - repeats;
}

function isTooLate(policy: RetryPolicy, { failingSinceAt }: Round, notBefore: number | null): boolean {
  return notBefore !== null && failingSinceAt !== null && notBefore > failingSinceAt + policy.giveUpAfterMs;
}
