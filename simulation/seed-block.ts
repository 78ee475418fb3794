/** Seeds that are run one after the other in one process. */

import { runSeed, type RunResult } from "./run.ts";
import { addTallies, EMPTY_TALLY, tallySeed, type Tally } from "./tally.ts";
import type { World } from "./world.ts";
import { WORLDS } from "./worlds.ts";

/** Seeds from `from` on. `rerun`: each is run twice, and both must come to the same hash. */
export interface SeedBlock {
  readonly world: World["name"];
  readonly from: number;
  readonly count: number;
  readonly rerun: boolean;
  /** Ends with the first seed that breaks a rule. */
  readonly untilFound: boolean;
}

/** Runs a block. */
export async function runBlock({ world, from, count, rerun, untilFound }: SeedBlock): Promise<Tally> {
  let tally = EMPTY_TALLY;
  const run = (seed: number): Promise<RunResult> => runSeed(seed, undefined, WORLDS[world]);
  for (let seed = from; seed < from + count; seed += 1) {
    const result = await run(seed);
    tally = addTallies(tally, tallySeed(result, rerun ? await run(seed) : null));
    if (untilFound && tally.violations > 0) break;
  }
  return tally;
}
