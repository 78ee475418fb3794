/** Sending a notice on: whether it is tried again, and when it counts as undeliverable. */

import type { Failure, FailureCause } from "./failure.ts";
import type { RetryPolicy } from "./outline.ts";
import { isUsedUp, retryAt } from "./retry.ts";
import { FRESH_ROUND, type Round } from "./case-state.ts";

/** How sending a message stands. */
export interface DeliveryRound {
  /** Times that it was begun, the one under way included; throttled ones do not count. */
  readonly attempts: number;
  readonly throttles: number;
  /** When it first failed, epoch ms; null = it has not. */
  readonly failingSinceAt: number | null;
}

/** What becomes of a message after a failure. */
export type DeliveryDecision =
  | { readonly kind: "retry"; readonly dueAt: number; readonly round: DeliveryRound }
  | { readonly kind: "undeliverable"; readonly round: DeliveryRound };

/** What a repeat may mend. Whether it arrived does not matter here: a message keeps its id, so a repeat does no harm. */
const CAN_PASS: Readonly<Record<FailureCause, boolean>> = {
  transient: true,
  throttled: true,
  stopped: true,
  quota: true,
  conflict: false,
  precondition: false,
  rejected: false,
  denied: false,
  gone: false,
  bug: false,
};

/** Judges a failure; `round` counts the attempt that failed. `random` is in [0, 1). */
export function afterFailedDelivery(
  failure: Failure,
  round: DeliveryRound,
  policy: RetryPolicy,
  now: number,
  random: number,
): DeliveryDecision {
  const isThrottled = failure.kind === "throttled";
  const next: DeliveryRound = {
    attempts: round.attempts - (isThrottled ? 1 : 0),
    throttles: round.throttles + (isThrottled ? 1 : 0),
    failingSinceAt: round.failingSinceAt ?? now,
  };
  const counted: Round = { ...FRESH_ROUND, ...next };
  const at = CAN_PASS[failure.cause] ? retryAt(policy, failure, counted, now, random) : null;
  if (at === null || isUsedUp(policy, counted, at)) return { kind: "undeliverable", round: next };
  return { kind: "retry", dueAt: at, round: next };
}

/** True for a message that was begun more often than it may be: whoever began it was lost each time. */
export function isWornOut({ attempts }: DeliveryRound, { maxAttempts }: RetryPolicy): boolean {
  return attempts > maxAttempts;
}
