/** R18: an intent is settled only when every attempt is proved not executed, or its effect is confirmed. */

import { isUnproved, tookEffect, type Confirmation, type Intent } from "./case-state.ts";
import type { DestinationOutline } from "./outline.ts";
import { isOneEffect } from "./repeat-safety.ts";

/** True when nothing of the intent is left outside: no attempt can have taken effect, or what did was undone. */
export function hasNoEffect({ attempts, isUndone }: Intent): boolean {
  return isUndone || attempts.every((one) => !isUnproved(one) && !tookEffect(one));
}

/** True when nothing about the intent is open any more, so that a new intent version may be opened. */
export function isSettled(intent: Intent, confirmation: Confirmation | null): boolean {
  return confirmation?.intentVersion === intent.version || hasNoEffect(intent);
}

/**
 * The intent under which whatever is sent next is sent, with its request and its key, whatever the input says now (R18);
 * null = none. A confirmed one is done with, also where its confirmation has lapsed.
 */
export function pendingIntent(intent: Intent | null, confirmation: Confirmation | null): Intent | null {
  return intent === null || isSettled(intent, confirmation) ? null : intent;
}

/**
 * True when two attempts of one intent were seen to take effect where the destination does not take the second for the
 * first (R10).
 */
export function hasSecondEffect({ attempts }: Intent, { repeatSafety }: DestinationOutline): boolean {
  return !isOneEffect(repeatSafety) && attempts.filter(tookEffect).length > 1;
}

/** The latest moment at which a request of this intent can still be executed, as far as the destination declares. */
export function lastPossibleArrivalAt(
  intent: Intent,
  lags: { readonly readLagMs: number; readonly requestAgeMs: number },
): number {
  const deadlines = intent.attempts.filter(isUnproved).map((one) => one.sendDeadlineAt);
  return Math.max(0, ...deadlines) + lags.readLagMs + lags.requestAgeMs;
}
