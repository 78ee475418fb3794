import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createTestDatabase, type TestDatabase } from "../setup/database.ts";
import { runCommand, startCommand, type Ended, type RunningCommand } from "./program.ts";

// Every command is a process of its own, and the machine may be busy.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

const order = JSON.stringify({ vendor: "ACME", amount: 12.5 });

let database: TestDatabase;
let server: RunningCommand;
let url = "";
/** An operator's folder: neither a configuration nor a database. */
let folder: string;

/** Beside the server, on its database. */
function beside(...words: readonly string[]): Promise<Ended> {
  return runCommand(words, { env: { FOOTHOLD_DATABASE_URL: database.url } });
}

function through(words: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
  return runCommand(words, { cwd: folder, env: { FOOTHOLD_SERVER: url, ...env } });
}

async function tokenOf(person: string, role: string): Promise<string> {
  await beside("people", "add", person, "--role", role);
  const { stdout } = await beside("tokens", "create", "cli", "--person", person);
  return stdout.trim().split("\n").at(-1) ?? "";
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "foothold-operator-"));
  database = await createTestDatabase();
  await beside("migrate");
  // It outlives every command of this file, also where the machine is busy.
  const options = { env: { FOOTHOLD_DATABASE_URL: database.url }, lastsMs: 600_000 };
  server = startCommand(["serve", "--port", "0"], options);
  [, url = ""] = await server.waitFor(/page +(http:\S+)\/\n/);
});
afterAll(async () => {
  server.signal("SIGTERM");
  await server.ended();
  rmSync(folder, { recursive: true });
  await database.drop();
});

test("an operator with a token alone works through a server, by their rights and on record", async () => {
  const operator = { FOOTHOLD_TOKEN: await tokenOf("ada", "operator") };
  const started = await through(["cases", "start", "purchase", "--input", order, "--key", "PO-1"], operator);
  expect([started.code, started.stderr]).toEqual([0, ""]);
  const listed = await through(["cases", "list", "--find", "vendor:ACME"], operator);
  const [caseId = ""] = /\d\d-[0-9a-z]{12}/.exec(listed.stdout) ?? [];
  expect(listed.stdout).toContain("PO-1");
  const paused = await through(["cases", "pause", caseId, "--until", "2h"], operator);
  expect([paused.code, paused.stdout]).toEqual([0, `${caseId}: Stored.\n`]);
  expect((await beside("audit", "list", "--act", "pause")).stdout).toMatch(/ada \(cli\) +pause/);

  const viewer = { FOOTHOLD_TOKEN: await tokenOf("eve", "viewer") };
  const refused = await through(["cases", "resume", caseId], viewer);
  expect([refused.code, refused.stderr]).toEqual([4, expect.stringMatching(/^NOT_ALLOWED: eve \(cli\) /)]);
  const nobody = await through(["cases", "show", caseId], {});
  expect([nobody.code, nobody.stderr]).toEqual([
    4,
    expect.stringMatching(/^NOT_SIGNED_IN: .*FOOTHOLD_TOKEN/),
  ]);
});

test("a database that is named on the command line goes before a server of the environment", async () => {
  const words = ["cases", "list", "--database", "postgres://nobody@127.0.0.1:1/nowhere"];
  const { code, stderr } = await through(words, {});
  expect([code, stderr]).toEqual([5, expect.stringMatching(/^DATABASE_UNAVAILABLE: /)]);
});
