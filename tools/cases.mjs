// `npm run cases -- errors`: runs one set of handed cases and tells each by its number. The last line is
// `N passed, N failed`; the exit code is 1 when any failed. Without a name, the sets that there are.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bootstrapForTests, root } from "../scripts/bootstrap.mjs";

const folder = "test/cases";
const sets = readdirSync(join(root, folder));
const [name = ""] = process.argv.slice(2);
if (!sets.includes(name)) {
  console.error(
    `foothold: name a set of cases, as in: npm run cases -- ${sets[0]}. There are: ${sets.join(", ")}`,
  );
  process.exit(2);
}

bootstrapForTests();

/**
 * @typedef {{ fullName: string, title: string, status: string, failureMessages: string[] }} Case
 * @typedef {{ testResults: { name: string, message: string, assertionResults: Case[] }[] }} Report
 */
const { cases, broken } = run(join(folder, name));
for (const { title, status, failureMessages } of cases) {
  console.log(`${status === "passed" ? "passed" : "FAILED"}  ${title}`);
  for (const message of failureMessages) console.log(message);
}
for (const message of broken) console.log(message);
const passed = cases.filter(({ status }) => status === "passed").length;
const failed = cases.length - passed + broken.length;
console.log(`${passed} passed, ${failed} failed`);
// A run of nothing proves nothing.
process.exit(failed > 0 || passed === 0 ? 1 : 0);

/**
 * Runs the tests of one folder. A file that could not even be loaded counts as failed.
 *
 * @param {string} path
 * @returns {{ cases: Case[], broken: string[] }}
 */
function run(path) {
  const out = mkdtempSync(join(tmpdir(), "foothold-cases-"));
  try {
    const file = join(out, "report.json");
    const vitest = join(root, "node_modules/vitest/vitest.mjs");
    const parameters = ["run", "--project", "all", `${path}/`, "--reporter=json", `--outputFile=${file}`];
    const { stderr } = spawnSync(process.execPath, [vitest, ...parameters], { cwd: root, encoding: "utf8" });
    if (!existsSync(file)) return { cases: [], broken: [stderr] };
    const { testResults } = /** @type {Report} */ (JSON.parse(readFileSync(file, "utf8")));
    return {
      cases: testResults
        .flatMap(({ assertionResults }) => assertionResults)
        .toSorted((a, b) => a.title.localeCompare(b.title, "en", { numeric: true })),
      broken: testResults
        .filter(({ assertionResults }) => assertionResults.length === 0)
        .map((one) => `${one.name}: ${one.message}`),
    };
  } finally {
    rmSync(out, { recursive: true });
  }
}
