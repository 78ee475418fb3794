import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { createTestDatabase, type TestDatabase } from "../setup/database.ts";
import { runCommand, startCommand, type Ended } from "./program.ts";

let database: TestDatabase;
let folder = "";

beforeAll(async () => {
  database = await createTestDatabase();
  folder = mkdtempSync(join(tmpdir(), "foothold-replay-"));
  await cli("migrate");
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await database.drop();
});

function cli(...words: readonly string[]): Promise<Ended> {
  return runCommand(words, { env: { FOOTHOLD_DATABASE_URL: database.url } });
}

/** Asked again until it does, at most a hundred times. */
async function untilItReads(caseId: string, state: string): Promise<void> {
  const shape = z.object({ reading: z.object({ state: z.string() }) });
  for (let looks = 0; looks < 100; looks += 1) {
    const shown = await cli("cases", "show", caseId, "--json");
    if (shape.parse(JSON.parse(shown.stdout)).reading.state === state) return;
  }
  throw new Error(`${caseId} does not read ${state}`);
}

test("a case that a worker ran is exported, and replayed against the code that ran it and against other code", async () => {
  const input = JSON.stringify({ vendor: "ACME", amount: 12.5 });
  const started = await cli("cases", "start", "purchase", "--input", input, "--json");
  const { caseId } = z.object({ caseId: z.string() }).parse(JSON.parse(started.stdout));
  const worker = startCommand(["worker"], { env: { FOOTHOLD_DATABASE_URL: database.url } });
  await untilItReads(caseId, "Waiting for approval");
  await cli("cases", "approve", caseId);
  await untilItReads(caseId, "Done");
  worker.signal("SIGTERM");
  await worker.ended();

  const exported = await cli("cases", "export", caseId);
  expect(exported.code).toBe(0);
  const file = join(folder, "case.json");
  writeFileSync(file, exported.stdout);
  const same = await cli("replay", file);
  expect([same.code, same.stderr]).toEqual([0, ""]);
  expect(same.stdout).toMatch(/2 sends in \d+ entries, and this code would have sent the same$/m);
  const other = await cli("replay", file, "--config", "other.config.mjs");
  expect([other.code, other.stderr]).toEqual([3, expect.stringMatching(/^UNKNOWN_CASE_TYPE: /)]);
});

test("what is no case, and what is not there, is told", async () => {
  const none = await cli("cases", "export", "07-zzzzzzzzzzzz");
  expect([none.code, none.stderr]).toEqual([3, expect.stringMatching(/^CASE_NOT_FOUND: /)]);
  const missing = await cli("replay", join(folder, "none.json"));
  expect([missing.code, missing.stderr]).toEqual([
    6,
    expect.stringMatching(/^INVALID_REQUEST: .*none\.json cannot be read/),
  ]);
  const file = join(folder, "wrong.json");
  writeFileSync(file, "{}");
  expect((await cli("replay", file)).stderr).toMatch(
    /^INVALID_REQUEST: This is no exported case: its format is null/,
  );
});
