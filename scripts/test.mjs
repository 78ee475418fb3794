// `npm test`: everything a fresh clone needs, then the tests. With arguments only the named tests are run.
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { bootstrapForTests, root } from "./bootstrap.mjs";

bootstrapForTests();

const named = process.argv.slice(2);
const runs =
  named.length > 0
    ? [["run", ...named]]
    : [
        // The pure part is run by itself: its coverage must be whole without help from the other tests.
        ["run", "--project", "core", "--coverage"],
        ["run", "--project", "all", "--project", "verify", "--project", "types"],
        // Real processes are killed and stopped here, and judged by how soon others go on: nothing else runs meanwhile.
        ["run", "--project", "faults"],
      ];

for (const parameters of runs) {
  const vitest = [join(root, "node_modules/vitest/vitest.mjs"), ...parameters];
  const { status } = spawnSync(process.execPath, vitest, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
