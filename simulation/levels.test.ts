import { expect, test } from "vitest";
import { LEVEL_KINDS } from "./faults.ts";
import { LEVELS_WORLD } from "./levels.ts";
import { runSeed } from "./run.ts";

/** Seeds of one run of the tests; `npm run simulate -- --world levels --seeds N` runs more. */
const SEEDS = 120;

test("an order that is canceled half-way leaves nothing at any level without a word, whatever the seed", async () => {
  const broken: string[] = [];
  const hitIn = new Map(LEVEL_KINDS.map((kind) => [kind, 0]));
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const { violations, counts } = await runSeed(seed, undefined, LEVELS_WORLD);
    broken.push(...violations.map(({ rule, what }) => `seed ${seed}: ${rule}: ${what}`));
    for (const [kind, seeds] of hitIn) hitIn.set(kind, seeds + (counts.of(kind) > 0 ? 1 : 0));
  }
  expect(broken).toEqual([]);
  // A run in which something of this did not happen would prove nothing of it.
  expect([...hitIn].filter(([, seeds]) => seeds === 0)).toEqual([]);
}, 240_000);
