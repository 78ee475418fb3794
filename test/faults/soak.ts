/**
 * `npm run soak [-- --only TEXT] [--runs N] [--seed SEED]`: every fault at full size. TEXT names a group or a part of a
 * name, N is the number of runs of each. The table at the end is also in build/soak.txt. Exit 1 on a violation.
 */

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { findTestBinaries, removeOldTestFolders, startServer } from "../setup/server.ts";
import { LEASE_MS } from "./arena.ts";
import { FAULTS } from "./catalog.ts";
import { runFault, tellViolations, type Fault, type Outcome } from "./tally.ts";

/** A lease, and what finding out and freeing may take. */
const RESUMED_WITHIN_MS = LEASE_MS + 2_000;

interface Line {
  readonly fault: Fault;
  readonly outcome: Outcome;
  readonly seconds: number;
}

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    runs: { type: "string" },
    seed: { type: "string", default: new Date().toISOString() },
  },
});

process.exitCode = await soak(chooseFaults(values.only));

async function soak(faults: readonly Fault[]): Promise<number> {
  if (faults.length === 0) {
    const groups = [...new Set(FAULTS.map(({ group }) => group))].join(", ");
    process.stderr.write(`no fault is named so; groups: ${groups}\n`);
    return 2;
  }
  await removeOldTestFolders();
  const server = await startServer(await findTestBinaries());
  const lines: Line[] = [];
  try {
    for (const fault of faults) lines.push(await runOne(fault, server.url));
  } finally {
    await server.stop();
  }
  const report = tellReport(lines, server.version);
  mkdirSync("build", { recursive: true });
  writeFileSync("build/soak.txt", report);
  process.stdout.write(report);
  return lines.some(({ outcome }) => outcome.kind === "ran" && outcome.violations.length > 0) ? 1 : 0;
}

function chooseFaults(only: string | undefined): readonly Fault[] {
  if (only === undefined) return FAULTS;
  return FAULTS.filter(({ group, name }) => group === only || name.includes(only));
}

async function runOne(fault: Fault, serverUrl: string): Promise<Line> {
  const startedAt = performance.now();
  const runs = values.runs === undefined ? fault.soakRuns : Number(values.runs);
  progress(`${fault.name}: 0 of ${runs} runs`);
  const outcome = await runFault(
    fault,
    { serverUrl, seed: values.seed, runs, resumedWithinMs: RESUMED_WITHIN_MS },
    (tally) =>
      progress(
        `${fault.name}: ${tally.runs} of ${runs} runs, ${tally.hits} hits, ${tally.violations.length} violations`,
      ),
  );
  if (process.stdout.isTTY) process.stdout.write("\n");
  return { fault, outcome, seconds: Math.round((performance.now() - startedAt) / 1_000) };
}

/** One line that is written over on a terminal. */
function progress(text: string): void {
  process.stdout.write(process.stdout.isTTY ? `\r\u001B[K${text}` : `${text}\n`);
}

function tellReport(lines: readonly Line[], postgresVersion: string): string {
  const width = Math.max(...lines.map(({ fault }) => fault.name.length));
  const row = (name: string, ...cells: readonly (string | number)[]): string =>
    [name.padEnd(width), ...cells.map((cell) => String(cell).padStart(10))].join("  ");
  const rows = lines.map(({ fault, outcome, seconds }) =>
    outcome.kind === "skipped"
      ? `${fault.name.padEnd(width)}  skipped: ${outcome.reason}`
      : row(fault.name, outcome.runs, outcome.hits, outcome.violations.length, seconds),
  );
  const found = lines.flatMap(({ outcome }) =>
    outcome.kind === "ran" ? tellViolations(outcome.violations) : [],
  );
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  return [
    `commit ${commit}, seed ${values.seed}, Node ${process.version}, PostgreSQL ${postgresVersion}`,
    "",
    row("fault", "runs", "hits", "violations", "seconds"),
    ...rows,
    "",
    ...found,
    "",
  ].join("\n");
}
