/** A process that runs the blocks of seeds it is given and answers each with its tally; see main.ts. */

import { runBlock, type SeedBlock } from "./seed-block.ts";

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
