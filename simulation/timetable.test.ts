import { expect, test } from "vitest";
import { runTimetable } from "./timetable.ts";

/** Seeds of one run of the tests. */
const SEEDS = 60;

test("a schedule has one case for each slot and no slot without a reason, whatever the seed", async () => {
  const broken: string[] = [];
  const hits = new Map<string, number>();
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const run = await runTimetable(seed);
    broken.push(...run.violations.map((what) => `seed ${seed}: ${what}`));
    for (const [what, times] of run.hits) hits.set(what, (hits.get(what) ?? 0) + times);
  }
  expect(broken).toEqual([]);
  // A run in which nothing of this happened would prove nothing of it.
  for (const what of [
    "killed",
    "failedOver",
    "unavailable",
    "started",
    "skipped",
    "refused",
    "startSlot",
    "pause",
    "pauseUntil",
  ]) {
    expect([what, (hits.get(what) ?? 0) > 0]).toEqual([what, true]);
  }
}, 240_000);
