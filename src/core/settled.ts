/** R18: an intent is settled only when every attempt is proved not executed, or its effect is confirmed. */

import { isUnproved, tookEffect, type Confirmation, type Intent } from "./case-state.ts";
import type { DestinationOutline } from "./outline.ts";

/** True when no attempt of the intent can have taken effect, now or later. */
export function isProvedNotExecuted({ attempts }: Intent): boolean {
  return attempts.every((one) => !isUnproved(one) && !tookEffect(one));
}

/** True when nothing about the intent is open any more, so that a new intent version may be opened. */
export function isSettled(intent: Intent, confirmation: Confirmation | null): boolean {
  return confirmation?.intentVersion === intent.version || isProvedNotExecuted(intent);
}

/**
 * True when two attempts of one intent were seen to take effect where the destination does not take the second for the
 * first (R10).
 */
export function hasSecondEffect({ attempts }: Intent, { repeatSafety }: DestinationOutline): boolean {
  return repeatSafety.by !== "key" && attempts.filter(tookEffect).length > 1;
}

/** The latest moment at which a request of this intent can still be executed, as far as the destination declares. */
export function lastPossibleArrivalAt(
  intent: Intent,
  lags: { readonly readLagMs: number; readonly requestAgeMs: number },
): number {
  const deadlines = intent.attempts.filter(isUnproved).map((one) => one.sendDeadlineAt);
  return Math.max(0, ...deadlines) + lags.readLagMs + lags.requestAgeMs;
}
