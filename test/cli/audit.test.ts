import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../setup/database.ts";
import { runCommand, type Ended } from "./program.ts";

const order = JSON.stringify({ vendor: "ACME", amount: 12.5 });

describe("the audit on the command line", () => {
  const folder = mkdtempSync(join(tmpdir(), "foothold-audit-"));
  const heads = join(folder, "heads.json");
  let database: TestDatabase;
  let client: Client;
  let caseId = "";
  const cli = (...words: readonly string[]): Promise<Ended> =>
    runCommand(words, { env: { FOOTHOLD_DATABASE_URL: database.url } });

  beforeAll(async () => {
    database = await createTestDatabase();
    client = new Client(database.url);
    await client.connect();
    await cli("migrate");
    const { stdout } = await cli("cases", "start", "purchase", "--input", order);
    caseId = /\d\d-[0-9a-z]+/.exec(stdout)?.[0] ?? "";
    await cli("cases", "pause", caseId, "--by", "ada", "--reason", "stock is being counted");
    await cli("people", "add", "ben", "--role", "viewer");
    await cli("cases", "cancel", caseId, "--by", "eve", "--plan", "p1.0123456789abcdef");
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await client.end();
    await database.drop();
  });

  test("is listed, with what was refused, and by what is asked for", async () => {
    const all = await cli("audit", "list");
    expect(all.code).toBe(0);
    for (const text of [
      "ada",
      "pause",
      caseId,
      "stock is being counted",
      "addPerson",
      "refused PLAN_CHANGED",
    ]) {
      expect(all.stdout).toContain(text);
    }
    const refused = await cli("audit", "list", "--outcome", "refused", "--since", "1h", "--json");
    expect(JSON.parse(refused.stdout)).toMatchObject({ lines: [{ who: "eve", act: "cancel", caseId }] });
    expect((await cli("audit", "list", "--who", "nobody")).stdout).toBe("Nothing is on record.\n");
    expect((await cli("audit", "list", "--outcome", "failed")).code).toBe(2);
  });

  test("is sealed by a sweep, and verified against heads that were kept elsewhere", async () => {
    expect((await cli("audit", "verify")).stdout).toContain("Not sealed yet: 2 entries and 3 lines.");
    expect((await cli("sweep", "--once")).code).toBe(0);
    const head = await cli("audit", "head");
    writeFileSync(heads, head.stdout);
    const clean = await cli("audit", "verify", "--against", heads);
    expect(clean).toMatchObject({ code: 0, stderr: "" });
    expect(clean.stdout).toContain("over 2 journal entries and 3 audit lines were compared.");
    expect(clean.stdout).toContain("Everything sealed is as it was sealed.");
    expect(clean.stdout).not.toContain("--against");
    expect((await cli("audit", "verify", "--against", join(folder, "none.json"))).code).toBe(2);
  });

  test("ends with a code of its own where something was changed, and says what and where", async () => {
    await client.query(`update foothold.audit set who = 'ben' where act = 'pause'`);
    await client.query(`update foothold.journal set body = '\\x7b7d' where case_id = $1 and revision = 2`, [
      caseId,
    ]);
    const found = await cli("audit", "verify");
    expect(found.code).toBe(7);
    expect(found.stdout).toContain(`edited: Entry 2 of case ${caseId} has another body than its hash says.`);
    expect(found.stdout).toMatch(/edited: Audit line \S+ is not as it was sealed\./);
    expect(found.stdout).toContain("Without --against,");
    const told = await cli("audit", "verify", "--against", heads, "--json");
    expect(told.code).toBe(7);
    expect(JSON.parse(told.stdout)).toMatchObject({ findings: [{ kind: "edited" }, { kind: "edited" }] });
  });
});
