import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { postgresStore } from "../../src/store/postgres/store.ts";
import { COUNTED_EVERY_MS } from "../../src/store/sample-port.ts";
import { createTestDatabase, type TestDatabase } from "../setup/database.ts";
import { runCommand, type Ended, type RunOptions } from "./program.ts";

const order = JSON.stringify({ vendor: "ACME", amount: 12.5 });
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  const { code, stderr } = await cli(["migrate"]);
  if (code !== 0) throw new Error(stderr);
});
afterAll(() => database.drop());

/** A command on the database of this file, which it learns from the environment. */
function cli(words: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return runCommand(words, { ...options, env: { FOOTHOLD_DATABASE_URL: database.url, ...options.env } });
}

async function start(...words: readonly string[]): Promise<string> {
  const { stdout, stderr } = await cli(["cases", "start", "purchase", "--input", order, "--json", ...words]);
  expect(stderr).toBe("");
  return z.object({ caseId: z.string(), isNew: z.boolean() }).parse(JSON.parse(stdout)).caseId;
}

describe("the command line itself", () => {
  test("the help shows every command and the exit codes", async () => {
    const { code, stdout } = await cli(["help"]);
    const bare = await cli([]);
    expect([code, bare.code]).toEqual([0, 0]);
    expect(bare.stdout).toBe(stdout);
    for (const text of ["dev", "serve", "worker", "sweep", "migrate", "cases list", "Exit codes", "  4  "]) {
      expect(stdout).toContain(text);
    }
  });

  test("each command explains itself", async () => {
    const { code, stdout } = await cli(["help", "cases", "resume"]);
    const same = await cli(["cases", "resume", "--help"]);
    expect(code).toBe(0);
    expect(stdout).toContain("--step STEP");
    expect(same.stdout).toBe(stdout);
  });

  test("what can be done with cases is listed by their help", async () => {
    const { code, stdout } = await cli(["help", "cases"]);
    const same = await cli(["cases", "--help"]);
    expect([code, same.code]).toEqual([0, 0]);
    expect(stdout).toContain("cases approve CASE [STEP]");
    expect(same.stdout).toBe(stdout);
  });

  test("commands that are printed to be copied are called as this one was", async () => {
    const caseId = await start();
    const plain = await cli(["cases", "show", caseId]);
    const byNpx = await cli(["cases", "show", caseId], { env: { npm_command: "exec" } });
    expect(plain.stdout).toContain(`\n  foothold cases cancel ${caseId}\n`);
    expect(byNpx.stdout).toContain(`\n  npx foothold cases cancel ${caseId}\n`);
  });

  test("the release is told", async () => {
    expect((await cli(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test.each([
    [["wroker"], "Did you mean: foothold worker?"],
    [["serve", "--port", "70000"], "whole number from 0 to 65535"],
    [["worker", "--lease", "1ms"], "--lease"],
    [["sweep", "--json"], "--once"],
  ])("%j is a usage error that says what is meant", async (words, hint) => {
    const { code, stdout, stderr } = await cli(words);
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/^USAGE: /);
    expect(stderr).toContain(hint);
  });

  test("errors show no stack unless asked for", async () => {
    const plain = await cli(["cases", "show", "07-zzzzzzzzzzzz"]);
    const debugged = await cli(["cases", "show", "07-zzzzzzzzzzzz", "--debug"]);
    expect(plain.stderr.trim().split("\n")).toHaveLength(1);
    expect(debugged.stderr).toMatch(/\n\s+at /);
  });
});

describe("cases", () => {
  test("migrating again changes nothing", async () => {
    const { code, stdout } = await cli(["migrate"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Up to date: schema version \d+\.\n$/);
  });

  test("a started case is listed for people, aligned, with who acts next", async () => {
    const caseId = await start("--key", "PO-listed");
    const { code, stdout } = await cli(["cases", "list", "--key", "PO-listed"]);
    const [heading = "", row = ""] = stdout.split("\n").filter((line) => !line.startsWith("!"));
    expect(code).toBe(0);
    expect(heading).toMatch(/^CASE +TYPE +KEY +STATE +SINCE +NEXT +BY +WHAT$/);
    expect(row.slice(heading.indexOf("KEY"))).toMatch(/^PO-listed  /);
    expect(row).toContain(caseId);
    expect(row).toContain("the next free worker");
    // In full, with the offset of the zone that the command runs in.
    expect(row).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0[12]:00/);
    expect(stdout).toContain("No worker takes `purchase`");
  });

  test("--json prints one document", async () => {
    const caseId = await start();
    const shown = await cli(["cases", "show", caseId, "--json"]);
    const listed = await cli(["cases", "list", "--limit", "1", "--json"]);
    expect(JSON.parse(shown.stdout)).toMatchObject({ caseId, input: { vendor: "ACME" } });
    expect(JSON.parse(listed.stdout)).toMatchObject({
      cases: [{ caseId }],
      next: expect.anything() as unknown,
    });
  });

  test("a case is shown with what stands, the plan, and what one can type next", async () => {
    const caseId = await start();
    const { stdout } = await cli(["cases", "show", caseId]);
    expect(stdout.split("\n")[0]).toMatch(
      new RegExp(`^${caseId}  Waiting until: .* Next: the next free worker`),
    );
    expect(stdout).toContain("approve: waits for the approval of finance");
    expect(stdout).toContain(`foothold cases approve ${caseId} approve`);
    expect(stdout).toContain("resume: NOTHING_TO_RESUME");
  });

  test("the same business key finds the first case", async () => {
    const first = await start("--key", "PO-twice");
    const { code, stdout } = await cli(["cases", "start", "purchase", "--input", order, "--key", "PO-twice"]);
    expect(code).toBe(0);
    expect(stdout).toBe(`${first} has this business key already; nothing was started.\n`);
  });

  test("an input comes from a file or from stdin too", async () => {
    const folder = mkdtempSync(join(tmpdir(), "foothold-input-"));
    writeFileSync(join(folder, "order.json"), order);
    const fromFile = await cli(["cases", "start", "purchase", "--input", `@${join(folder, "order.json")}`]);
    const fromStdin = await cli(["cases", "start", "purchase", "--input", "-"], { input: order });
    rmSync(folder, { recursive: true });
    expect([fromFile.code, fromStdin.code]).toEqual([0, 0]);
  });

  test.each([
    [["--input", "{}"], "INVALID_INPUT", /vendor: .*amount: /],
    [[], "INVALID_INPUT", /purchase/],
    [["--input", "{vendor"], "INVALID_REQUEST", /--input is no JSON/],
    [["--input", '{"vendor":"A","amount":12345678901234567890}'], "INVALID_REQUEST", /12345678901234567890/],
    [["--input", "@/nowhere/at/all.json"], "INVALID_REQUEST", /cannot be read/],
    [["--input", order, "--key", "\u001b[2J"], "INVALID_REQUEST", /businessKey/],
  ])("the start %j is refused as invalid", async (words, errorCode, sentence) => {
    const { code, stderr } = await cli(["cases", "start", "purchase", ...words]);
    expect(code).toBe(6);
    expect(stderr).toMatch(new RegExp(`^${errorCode}: `));
    expect(stderr).toMatch(sentence);
  });

  test("what there is not is told with its own exit code", async () => {
    const noType = await cli(["cases", "start", "purchases", "--input", order]);
    const noCase = await cli(["cases", "show", "07-zzzzzzzzzzzz"]);
    const keyForId = await cli(["cases", "show", "PR-1004"]);
    expect([noType.code, noCase.code, keyForId.code]).toEqual([3, 3, 3]);
    expect(keyForId.stderr).toMatch(/^CASE_NOT_FOUND: There is no case "PR-1004" .*not by its business key/);
    expect(noType.stderr).toMatch(/^UNKNOWN_CASE_TYPE: .*Loaded: purchase, hanging/);
    expect(noCase.stderr).toMatch(/^CASE_NOT_FOUND: /);
  });

  test("an approval is answered once, without naming the only one there is", async () => {
    const caseId = await start();
    const first = await cli(["cases", "approve", caseId, "--note", "fine", "--by", "finn"]);
    const again = await cli(["cases", "reject", caseId, "approve"]);
    expect(first).toMatchObject({ code: 0, stdout: `${caseId}: Stored.\n` });
    expect(again.code).toBe(4);
    expect(again.stderr).toMatch(/^ALREADY_ANSWERED: /);
    expect((await cli(["cases", "show", caseId])).stdout).toContain("finn approved approve: fine.");
  });

  test("an act on a plan that changed is refused, saying what changed", async () => {
    const caseId = await start();
    const { plan } = z
      .object({ plan: z.object({ version: z.string() }) })
      .parse(JSON.parse((await cli(["cases", "show", caseId, "--json"])).stdout));
    const corrected = JSON.stringify({ vendor: "ACME", amount: 9_000 });
    await cli(["cases", "correct", caseId, "--input", corrected, "--reason", "typo"]);
    const { code, stderr } = await cli(["cases", "approve", caseId, "--plan", plan.version]);
    expect(code).toBe(4);
    expect(stderr).toMatch(/^PLAN_CHANGED: .*approve: input or earlier results changed/);
  });

  test("an event is stored once per source, and an invalid one is refused", async () => {
    const caseId = await start();
    const event = ["cases", "event", caseId, "approval.revoked", "--source", "evt-1"];
    const first = await cli([...event, "--payload", '{"why":"fraud"}']);
    const again = await cli([...event, "--payload", '{"why":"fraud"}', "--json"]);
    const invalid = await cli([...event, "--payload", '{"why":7}']);
    const unknown = await cli(["cases", "event", caseId, "approval.revokd"]);
    expect(first.code).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({ caseId, outcome: "repeated" });
    expect([invalid.code, unknown.code]).toEqual([6, 6]);
    expect(invalid.stderr).toMatch(/^INVALID_EVENT: .*why/);
    expect(unknown.stderr).toContain("approval.revoked");
  });

  test("resume says with a code what is missing", async () => {
    const { code, stderr } = await cli(["cases", "resume", await start()]);
    expect(code).toBe(4);
    expect(stderr).toMatch(/^NOTHING_TO_RESUME: .*approve waits for the approval of finance/);
  });

  test("a case is paused, resumed, noted on and canceled; then it has ended", async () => {
    const caseId = await start();
    const codes = [
      await cli(["cases", "pause", caseId, "--until", "2h", "--reason", "stock taking"]),
      await cli(["cases", "resume", caseId]),
      await cli(["cases", "note", caseId, "called the vendor"]),
      await cli(["cases", "cancel", caseId, "--reason", "ordered twice"]),
      await cli(["cases", "pause", caseId]),
    ].map(({ code }) => code);
    expect(codes).toEqual([0, 0, 0, 0, 4]);
    const { stdout } = await cli(["cases", "list", "--state", "canceled"]);
    expect(stdout).toContain(caseId);
  });

  test("destinations are listed with what was tried there, hidden retries told apart", async () => {
    const store = postgresStore({ url: database.url });
    const fromAt = Math.floor(Date.now() / COUNTED_EVERY_MS) * COUNTED_EVERY_MS;
    const numbers = { attempts: 120, failed: 4, requests: 127, repeats: 7, unmetered: 0 };
    const { stdout: json } = await cli(["destinations", "--json"]);
    const Listed = z.object({
      destinations: z.array(
        z.object({ destination: z.string(), credentialId: z.string(), tried: z.looseObject({}) }),
      ),
    });
    const [first] = Listed.parse(JSON.parse(json)).destinations;
    if (first === undefined) throw new Error("the configuration of the test sends nowhere");
    const { destination, credentialId } = first;
    await store.samples.tellAttempts("w-1", [{ fromAt, destination, credentialId, ...numbers }]);
    await store.close();
    const { stdout } = await cli(["destinations"], { env: { COLUMNS: "200" } });
    expect(stdout).toContain("120 attempts, 4 failed, 7 hidden retries");
    const again = Listed.parse(JSON.parse((await cli(["destinations", "--json"])).stdout));
    expect(again.destinations[0]?.tried).toMatchObject({ ...numbers, points: [{ fromAt, ...numbers }] });
  });

  test("cases are found and counted by their search attributes", async () => {
    const caseId = await start("--key", "PO-found");
    const find = ["--find", "vendor:ACME", "--find", "amount:12..13", "--key", "PO-found"];
    const { stdout } = await cli(["cases", "list", ...find]);
    const counted = await cli(["cases", "list", ...find, "--count"]);
    const none = await cli([
      "cases",
      "list",
      "--find",
      "amount:..1",
      "--key",
      "PO-found",
      "--count",
      "--json",
    ]);
    const shown = await cli(["cases", "show", caseId]);
    const wrong = await cli(["cases", "list", "--find", "color:red"]);
    expect(stdout).toContain(caseId);
    expect(counted.stdout).toBe("1 case matches.\n");
    expect(JSON.parse(none.stdout)).toEqual({ count: 0, isCapped: false });
    expect(shown.stdout).toContain("  found by  vendor:ACME, amount:12.5\n");
    expect(wrong.code).not.toBe(0);
    expect(wrong.stderr).toContain('INVALID_REQUEST: find: "color:red" cannot be looked for');
  });

  test("a case is held by one person at a time while they repair it", async () => {
    const caseId = await start();
    const opened = await cli(["cases", "open", caseId, "--by", "ann", "--json"]);
    const { repairId } = z.object({ repairId: z.string() }).parse(JSON.parse(opened.stdout));
    const second = await cli(["cases", "open", caseId, "--by", "bob"]);
    expect(second.code).toBe(4);
    expect(second.stderr).toMatch(/^CASE_CLAIMED: .* is being repaired by ann until /);
    const shown = await cli(["cases", "show", caseId, "--repair", repairId]);
    expect(shown.stdout).toContain(`\n  foothold cases close ${caseId} --repair ${repairId}\n`);
    await cli([
      "cases",
      "event",
      caseId,
      "approval.revoked",
      "--payload",
      '{"why":"fraud"}',
      "--source",
      "e-1",
    ]);
    const during = await cli(["cases", "show", caseId]);
    expect(during.stdout).toContain("Being repaired: ann has it open for repair; 1 event came meanwhile.");
    expect(during.stdout).toContain("Came during the repair, not applied yet\n");
    const words = ["--input", '{"vendor":"ACME","amount":7}', "--reason", "typo", "--by", "ann"];
    expect((await cli(["cases", "correct", caseId, ...words])).code).toBe(4);
    expect((await cli(["cases", "correct", caseId, ...words, "--repair", repairId])).code).toBe(0);
    const closed = await cli(["cases", "close", caseId, "--repair", repairId]);
    expect(closed.stdout).toBe(`${caseId}: Closed, and what came meanwhile is applied.\n`);
    expect((await cli(["cases", "show", caseId])).stdout).toContain("1 event came meanwhile: applied now.");
  });

  test("a repair is taken over with a reason, and the person before is told by whom", async () => {
    const caseId = await start();
    const opened = await cli(["cases", "open", caseId, "--by", "ann"]);
    const [, repairId = ""] = /cases close \S+ --repair (\S+)/.exec(opened.stdout) ?? [];
    expect((await cli(["cases", "take-over", caseId, "--by", "bob"])).code).toBe(2);
    expect((await cli(["cases", "take-over", caseId, "--by", "bob", "--reason", "lunch"])).code).toBe(0);
    const late = await cli(["cases", "pause", caseId, "--by", "ann", "--repair", repairId]);
    expect(late.code).toBe(4);
    expect(late.stderr).toMatch(/^REPAIR_OVER: .* is over: bob took it over at .* \(lunch\)/);
    expect((await cli(["cases", "close", caseId])).code).toBe(2);
  });

  test("a correction without a reason is a usage error", async () => {
    expect((await cli(["cases", "correct", await start(), "--input", order])).code).toBe(2);
  });

  test("what a terminal would obey is shown and not obeyed", async () => {
    const input = JSON.stringify({ vendor: "\u001b]0;owned\u0007\u202ecod.exe", amount: 1 });
    const { stdout } = await cli(["cases", "start", "purchase", "--input", input, "--json"]);
    const { caseId } = z.object({ caseId: z.string() }).parse(JSON.parse(stdout));
    const note = await cli(["cases", "note", caseId, "--", "red \u001b[31m"]);
    await cli(["cases", "note", caseId, "first\n07-aaaaaaaaaaaa  Done: every step is confirmed."]);
    const shown = await cli(["cases", "show", caseId]);
    expect(note.code).toBe(6);
    expect(shown.stdout).not.toMatch(/^07-aaaaaaaaaaaa/m);
    expect(shown.stdout).toContain("\\u202ecod.exe");
    // eslint-disable-next-line no-control-regex -- these are what must not come through
    expect(shown.stdout + note.stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });

  test("cases whose definition is not loaded are listed and shown, and can be canceled", async () => {
    const caseId = await start("--key", "PO-gone");
    const elsewhere = { cwd: tmpdir() };
    const listed = await cli(["cases", "list", "--key", "PO-gone"], elsewhere);
    const shown = await cli(["cases", "show", caseId], elsewhere);
    const resumed = await cli(["cases", "resume", caseId], elsewhere);
    const canceled = await cli(["cases", "cancel", caseId], elsewhere);
    expect(listed.stdout).toContain("purchase (not loaded)");
    expect(shown.stdout).toContain("Nothing of the case is lost");
    expect(resumed).toMatchObject({ code: 2 });
    expect(resumed.stderr).toMatch(/^CONFIG_NOT_FOUND: /);
    expect(canceled.code).toBe(0);
  });
});

describe("bad configuration", () => {
  test.each([
    ["throwing", "CONFIG_INVALID", ["the vault is sealed"]],
    ["empty", "CONFIG_INVALID", ["has no default export", "defineConfig"]],
    ["wrong", "CONFIG_INVALID", ["cases[0]", "defineCase"]],
    ["faulty", "INVALID_DEFINITION", ["version", "owner", "check", "nap"]],
  ])("%s.config.mjs is refused with all that is wrong", async (name, errorCode, texts) => {
    const { code, stderr } = await cli(["cases", "start", "purchase", "--config", `${name}.config.mjs`]);
    expect(code).toBe(6);
    expect(stderr).toMatch(new RegExp(`^${errorCode}: `));
    for (const text of texts) expect(stderr).toContain(text);
  });

  test("definitions are compared with the cases that are under way, before they are deployed", async () => {
    await start();
    const same = await cli(["diff", "purchase", "--limit", "1"]);
    expect(same.stdout).toMatch(/^1 open cases looked at, 1 go on as they are\./);
    expect(same.code).toBe(0);
    const lost = await cli(["diff", "purchase", "--config", "other.config.mjs"]);
    expect(lost.stdout).toMatch(/^\d+ +purchase +- +\d\d-\S+ +no worker with these definitions takes it/m);
    expect(lost.code).toBe(1);
    const asJson = await cli(["diff", "purchase", "--limit", "1", "--json"]);
    expect(JSON.parse(asJson.stdout)).toMatchObject({ looked: 1, unchanged: 1, changes: [] });
    expect(await cli(["diff", "--limit", "0"])).toMatchObject({ code: 2 });
  });

  test("a configuration that is not there is a usage error", async () => {
    const { code, stderr } = await cli(["worker", "--config", "nowhere.mjs"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^CONFIG_NOT_FOUND: .*nowhere\.mjs/);
  });
});

describe("bad databases", () => {
  test("a database that does not answer ends every command with its code, and no password is told", async () => {
    const url = "postgres://foothold:hunter2@127.0.0.1:1/x";
    for (const command of [["cases", "list"], ["serve"], ["worker"], ["sweep", "--once"], ["migrate"]]) {
      const { code, stdout, stderr } = await cli([...command, "--database", url]);
      expect([command, code]).toEqual([command, 5]);
      expect(stderr).toMatch(/^DATABASE_UNAVAILABLE: /);
      expect(stdout + stderr).not.toContain("hunter2");
    }
  });

  test.each(["mysql://foothold:hunter2@127.0.0.1/x", "hunter2"])("%s is no database", async (url) => {
    const { code, stderr } = await cli(["cases", "list", "--database", url]);
    expect(code).toBe(5);
    expect(stderr).toMatch(/^DATABASE_URL_INVALID: /);
    expect(stderr).not.toContain("hunter2");
  });

  test("a database without the schema says how to make it", async () => {
    const bare = await createTestDatabase();
    for (const command of [["cases", "list"], ["serve"], ["worker"], ["sweep"]]) {
      const { code, stderr } = await cli([...command, "--database", bare.url]);
      expect([command, code]).toEqual([command, 5]);
      expect(stderr).toMatch(/^SCHEMA_MISSING: .*foothold migrate/);
    }
    await bare.drop();
  });

  test("no database at all is told, and none is made by looking", async () => {
    const folder = mkdtempSync(join(tmpdir(), "foothold-none-"));
    const { code, stderr } = await runCommand(["cases", "list"], { cwd: folder });
    rmSync(folder, { recursive: true });
    expect(code).toBe(5);
    expect(stderr).toMatch(/^SCHEMA_MISSING: .*--database/);
  });
});
