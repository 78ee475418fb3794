/** `run.ts [ROWS]`: imports so many rows, 10,000 when not said, with a PostgreSQL of its own, and prints how it went. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbedded } from "foothold/embedded";
import { runImport } from "./import-run.ts";

const ROWS = 10_000;

const rowCount = Number(process.argv[2] ?? ROWS);
if (!Number.isSafeInteger(rowCount) || rowCount < 2) throw new Error("usage: run.ts [ROWS], 2 at the least");

const folder = mkdtempSync(join(tmpdir(), "foothold-import-"));
// Made by the server itself: it may have to run under another account, which must be able to enter it.
const server = await startEmbedded({ folder: `${folder}-database` });
const tell = (text: string): void => void process.stdout.write(`${text}\n`);
try {
  const figures = await runImport({ databaseUrl: server.url, folder, rowCount, tell });
  const { restMs, takenAtEnd, twice } = figures;
  tell(
    `${takenAtEnd} rows are in the CRM, ${twice} of them twice; all but the bad one within ${(restMs / 1_000).toFixed(1)} s`,
  );
} finally {
  await server.stop();
  for (const place of [folder, `${folder}-database`])
    rmSync(place, { recursive: true, force: true, maxRetries: 10 });
}
