/**
 * Grace after our own create: a destination may not show at once what was made there a moment ago. "Not there" is then
 * no verdict yet, and is tried again a few times before people are asked.
 */

import { stepOf, type CaseState, type Confirmation, type Intent } from "./case-state.ts";
import type { SendStepOutline } from "./outline.ts";
import { undoneName } from "./undo.ts";

/** How long after a create "not there" is doubted, in ms. */
const GRACE_MS = 60_000;
/** Waits before each further try, in ms: three within half a minute. */
const GRACE_DELAYS_MS: readonly number[] = [2_000, 8_000, 20_000];

/**
 * How long to wait, in ms, before `step` is tried again that was told "not there" at `failedAt`; `times` = how often in a
 * row it was told so by then. Null = it is really gone: the case made nothing there a moment before, or waited enough.
 */
export function graceDelayMs(
  step: SendStepOutline,
  state: CaseState,
  failedAt: number,
  times: number,
): number | null {
  const madeAt = lastMadeAt(step, state);
  if (madeAt === null || failedAt - madeAt > GRACE_MS) return null;
  return GRACE_DELAYS_MS[times - 1] ?? null;
}

/** How often in a row the last attempts of an intent were told "not there". */
export function timesGone({ attempts }: Intent): number {
  const other = attempts.findLastIndex(
    ({ outcome }) => outcome.kind !== "failed" || outcome.failure.kind !== "gone",
  );
  return attempts.length - 1 - other;
}

/** When the case last made something that `step` rests on, at the same destination; null = never. */
function lastMadeAt({ name, closure, destination }: SendStepOutline, state: CaseState): number | null {
  const times = [...closure, undoneName(name)].flatMap((one) => {
    const { intent, confirmation } = stepOf(state, one);
    const isThere = intent?.destination === destination.name && confirmation !== null;
    return isThere && isByUs(confirmation) ? [confirmation.at] : [];
  });
  return times.length === 0 ? null : Math.max(...times);
}

function isByUs({ by }: Confirmation): boolean {
  return by.how === "response" || by.how === "check" || by.how === "lateReport";
}
