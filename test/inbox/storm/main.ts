/**
 * `npm run soak:inbox [-- --events N] [--seed S]`: the storm at full size, 10,000 events by default. What came of it is also
 * in build/inbox-storm.txt. Exit 1 on a violation.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { createTestDatabase } from "../../setup/database.ts";
import { findTestBinaries, removeOldTestFolders, startServer } from "../../setup/server.ts";
import { runStorm, type StormReport } from "./storm.ts";

/** Kills of the server, and of a worker. */
const KILLS = 10;
const SETTLE_WITHIN_MS = 900_000;
/** Violations that are told; the rest are counted. */
const TOLD_MAX = 20;

const { values } = parseArgs({
  options: { events: { type: "string", default: "10000" }, seed: { type: "string", default: "7" } },
});
const events = Number(values.events);

await removeOldTestFolders();
const server = await startServer(await findTestBinaries());
try {
  const database = await createTestDatabase(server.url);
  const report = await runStorm({
    databaseUrl: database.url,
    events,
    seed: Number(values.seed),
    serverKills: KILLS,
    workerKills: KILLS,
    settleWithinMs: SETTLE_WITHIN_MS,
    onLine: (line) => process.stderr.write(`${line}\n`),
  });
  await database.drop();
  const text = `${tellReport(report).join("\n")}\n`;
  mkdirSync("build", { recursive: true });
  writeFileSync("build/inbox-storm.txt", text);
  process.stdout.write(text);
  process.exitCode = report.violations.length > 0 ? 1 : 0;
} finally {
  await server.stop();
}

function tellReport(report: StormReport): readonly string[] {
  const { violations, deliveries, successes, refusals, again, repairs, attached, seconds } = report;
  return [
    ...violations.slice(0, TOLD_MAX),
    `${events} events in ${deliveries} deliveries: ${successes} answered with a success, ${refusals} forged ones refused,`,
    `${again} attempts that got no answer or were asked to come again; server and workers killed ${KILLS} times each;`,
    `${attached} events attached during ${repairs} repairs; ${seconds.toFixed(0)} s; ${violations.length} violations`,
  ];
}
