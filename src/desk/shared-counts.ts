/**
 * Counts of all cases for everybody who asks at about the same time. Counting reads every row: with a million cases that
 * takes most of a second, and each open page asks again with every change.
 */

import type { Clock } from "../core/ports.ts";
import type { Store, TypeCount } from "../store/port.ts";

/** Counts that took less, in ms, are counted anew each time. */
const QUICK_MS = 100;
/** Slower ones are told again for so many times what they took: counting is never more than a tenth of what is done. */
const AGAIN_TIMES = 10;

/** Tells the counts, and counts once for all who ask meanwhile. Throws `DATABASE_UNAVAILABLE`. */
export function shareCounts(
  store: Pick<Store, "countCases">,
  clock: Clock,
): () => Promise<readonly TypeCount[]> {
  let known: { readonly counts: readonly TypeCount[]; readonly untilAt: number } | null = null;
  let underWay: Promise<readonly TypeCount[]> | null = null;
  const count = async (): Promise<readonly TypeCount[]> => {
    const from = clock.monotonic();
    const counts = await store.countCases();
    const tookMs = clock.monotonic() - from;
    known = tookMs < QUICK_MS ? null : { counts, untilAt: clock.monotonic() + AGAIN_TIMES * tookMs };
    return counts;
  };
  return () => {
    if (known !== null && clock.monotonic() < known.untilAt) return Promise.resolve(known.counts);
    underWay ??= count().finally(() => {
      underWay = null;
    });
    return underWay;
  };
}
