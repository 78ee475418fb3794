import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { createTestDatabase, type TestDatabase } from "../setup/database.ts";
import { runCommand, type Ended } from "./program.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await cli("migrate");
});
afterAll(() => database.drop());

function cli(...words: readonly string[]): Promise<Ended> {
  return runCommand(words, { env: { FOOTHOLD_DATABASE_URL: database.url } });
}

test("open cases are told that the database was restored, and say so", async () => {
  const input = JSON.stringify({ vendor: "ACME", amount: 12.5 });
  const started = await cli("cases", "start", "purchase", "--input", input, "--json");
  const { caseId } = z.object({ caseId: z.string() }).parse(JSON.parse(started.stdout));
  const told = await cli("restored", "--backup-at", "1h", "--by", "ann");
  expect([told.code, told.stderr]).toEqual([0, ""]);
  expect(told.stdout).toContain("1 open cases know that what was sent since");
  const again = await cli("restored", "--backup-at", "1h", "--json");
  expect(JSON.parse(again.stdout)).toEqual({ cases: 1, untold: [] });
  const shown = await cli("cases", "show", caseId);
  expect(shown.stdout).toContain("The database was restored from a backup of");
});

test("the time of the backup must be given", async () => {
  const refused = await cli("restored");
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("--backup-at")]);
});
