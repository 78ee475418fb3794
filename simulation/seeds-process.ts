/** A process that runs the blocks of seeds it is given and answers each with its tally; see main.ts. */

import { runSeed } from "./run.ts";
import { addTallies, EMPTY_TALLY, tallySeed, type Tally } from "./tally.ts";

/** Seeds from `from` on. `rerun`: each is run twice, and both must come to the same hash. */
export interface SeedBlock {
  readonly from: number;
  readonly count: number;
  readonly rerun: boolean;
  /** Ends with the first seed that breaks a rule. */
  readonly untilFound: boolean;
}

/** Runs a block. */
export async function runBlock({ from, count, rerun, untilFound }: SeedBlock): Promise<Tally> {
  let tally = EMPTY_TALLY;
  for (let seed = from; seed < from + count; seed += 1) {
    const result = await runSeed(seed);
    tally = addTallies(tally, tallySeed(result, rerun ? await runSeed(seed) : null));
    if (untilFound && tally.violations > 0) break;
  }
  return tally;
}

process.on("message", (block: SeedBlock) => {
  void runBlock(block).then(
    (tally) => process.send?.(tally),
    (error: unknown) => {
      process.stderr.write(
        `seeds from ${block.from}: ${error instanceof Error ? error.stack : String(error)}\n`,
      );
      process.exit(1);
    },
  );
});
