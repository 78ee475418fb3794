/**
 * Counts of all cases for everybody who asks at about the same time. Counting reads every row: with a million cases that
 * takes most of a second, and each open page asks again with every change.
 */

import type { Clock } from "../core/ports.ts";

/** Counts that took less, in ms, are counted anew each time. */
const QUICK_MS = 100;
/** Slower ones are told again for so many times what they took: counting is never more than a tenth of what is done. */
const AGAIN_TIMES = 10;

/** Tells the counts, and counts once for all who ask meanwhile. Throws what counting throws. */
export function shareCounts<Counts>(counting: () => Promise<Counts>, clock: Clock): () => Promise<Counts> {
  let known: { readonly counts: Counts; readonly untilAt: number } | null = null;
  let underWay: Promise<Counts> | null = null;
  const count = async (): Promise<Counts> => {
    const from = clock.monotonic();
    const counts = await counting();
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
