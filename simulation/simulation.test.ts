import { describe, expect, it } from "vitest";
import { runSeed } from "./run.ts";

/** Seeds of one run of the tests; `npm run simulate -- --seeds N` runs more. */
const SEEDS = 150;

describe("the engine in a world that fails", () => {
  it("keeps every invariant, whatever the seed", async () => {
    const broken: string[] = [];
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const { violations } = await runSeed(seed);
      broken.push(...violations.map(({ rule, what }) => `seed ${seed}: ${rule}: ${what}`));
    }
    expect(broken).toEqual([]);
  }, 120_000);

  it("runs the same again from the same seed", async () => {
    for (const seed of [3, 17, 99]) {
      const [first, second] = [await runSeed(seed), await runSeed(seed)];
      expect(second.hash).toBe(first.hash);
      expect(second.events).toBe(first.events);
    }
  }, 60_000);
});
