/** `npm run soak:desk [-- --cases N]`: the storm at full size, 5,000 cases by default. Exit 1 where it broke a promise. */

import { parseArgs } from "node:util";
import { createTestDatabase } from "../../setup/database.ts";
import { findTestBinaries, removeOldTestFolders, startServer } from "../../setup/server.ts";
import { IN_FLIGHT_MAX } from "./storm-types.ts";
import { runStorm } from "./storm.ts";

const WORKERS = 3;

const { values } = parseArgs({ options: { cases: { type: "string", default: "5000" } } });
const cases = Number(values.cases);

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

await removeOldTestFolders();
const server = await startServer(await findTestBinaries());
try {
  const database = await createTestDatabase(server.url);
  const report = await runStorm({ databaseUrl: database.url, cases, workers: WORKERS, onLine: say });
  await database.drop();
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  const isKept =
    report.notices === 1 &&
    report.probeRequests === 1 &&
    report.done === cases &&
    report.effects === cases &&
    report.inFlightPeak <= IN_FLIGHT_MAX;
  process.exitCode = isKept ? 0 : 1;
} finally {
  await server.stop();
}
