import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { createTestDatabase, type TestDatabase } from "../setup/database.ts";
import { runCommand, type Ended } from "./program.ts";

// Every command is a process of its own, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const cwd = fileURLToPath(new URL("doctor", import.meta.url));
let status = 200;
let requests = 0;
const server: Server = createServer((request, response) => {
  requests += 1;
  request.resume();
  response.writeHead(status).end("{}");
});
let url = "";
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/me`;
});
afterAll(async () => {
  server.close();
  await database.drop();
});
beforeEach(() => {
  status = 200;
  requests = 0;
});

function doctor(config: string, ...words: readonly string[]): Promise<Ended> {
  const named = ["--config", `${config}.config.mjs`, "--data", "none-there"];
  return runCommand(["doctor", ...named, ...words], { cwd, env: { ERP_URL: url } });
}

const Report = z.object({
  findings: z.array(
    z.object({
      code: z.string(),
      severity: z.string(),
      caseType: z.string().nullable(),
      step: z.string().nullable(),
      destination: z.string().nullable(),
      sentence: z.string().min(10),
      remedy: z.string(),
    }),
  ),
  live: z.array(
    z.object({ destination: z.string(), requests: z.number(), repeats: z.number(), isReached: z.boolean() }),
  ),
  database: z.string().nullable(),
  counts: z.object({ error: z.number(), warning: z.number(), info: z.number() }),
});

async function report(config: string, ...words: readonly string[]): Promise<z.infer<typeof Report>> {
  const { stdout, stderr } = await doctor(config, ...words, "--json");
  expect(stderr).toBe("");
  return Report.parse(JSON.parse(stdout));
}
/** What is found about this machine does not belong to a test. */
const codes = ({ findings }: z.infer<typeof Report>): readonly string[] =>
  findings.map(({ code }) => code).filter((code) => !code.startsWith("NODE_"));

describe("foothold doctor", () => {
  test("finds nothing but that there is no database in sound definitions, sends nothing, and ends with 0", async () => {
    const { code, stdout, stderr } = await doctor("sound", "--strict");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("0 errors, 0 warnings, ");
    expect(codes(await report("sound"))).toEqual(["DATABASE_MISSING"]);
    expect(requests).toBe(0);
  });

  test("ends with 0 for warnings, with 8 where --strict asks for it, and with 7 for errors", async () => {
    expect((await doctor("worrying")).code).toBe(0);
    expect((await doctor("worrying", "--strict")).code).toBe(8);
    expect((await doctor("worrying", "--strict", "--repair-time", "8h")).code).toBe(0);
    expect((await doctor("dangerous")).code).toBe(7);
  });

  test("tells each finding with its place, in a sentence, and how it is mended", async () => {
    const { stdout } = await doctor("dangerous");
    expect(stdout).toContain(
      "error WINDOW_TOO_SHORT (bank)\n" +
        "  bank knows a key again for 1h only, and a step is tried for 4h: later tries are not repeats there.\n" +
        "  Mend it: retry: { giveUpAfter } below 1h, or a longer window if bank has one\n",
    );
    expect(stdout).toContain("warning REQUEST_MISSING (paying.pay, bank)\n");
    expect(codes(await report("dangerous"))).toEqual([
      "WINDOW_TOO_SHORT",
      "ACCESS_OWNER_MISSING",
      "REQUEST_MISSING",
      "INPUT_OWNER_MISSING",
      "OUTAGE_OWNER_MISSING",
      "PING_MISSING",
      "DATABASE_MISSING",
    ]);
  });

  test("with --live makes one dry attempt per destination, and counts what the server counts", async () => {
    const sound = await report("sound", "--live");
    expect(sound.live).toMatchObject([{ destination: "erp", requests: 1, repeats: 0, isReached: true }]);
    expect(requests).toBe(1);
    status = 503;
    const worrying = await report("worrying", "--live");
    expect(worrying.live).toMatchObject([{ destination: "mail", requests: 3, repeats: 2 }]);
    expect(requests).toBe(4);
    expect(codes(worrying)).toEqual(["WINDOW_TIGHT", "HIDDEN_RETRY", "MULTIPLIED", "DATABASE_MISSING"]);
    const { stdout } = await doctor("worrying", "--live");
    expect(stdout).toContain("(3 requests by fetch, 2 of them repeated by the client itself, ");
  });

  test("tells that a credential is refused, as an error", async () => {
    status = 401;
    const { code, stdout } = await doctor("sound", "--live");
    expect(code).toBe(7);
    expect(stdout).toContain("error CREDENTIAL_REFUSED (erp)\n  erp answered 401.\n");
  });

  test("tells faults of definitions as findings, and a missing file as the error that it is", async () => {
    const faulty = await runCommand(["doctor", "--config", "../configs/faulty.config.mjs", "--json"], {
      cwd,
    });
    expect(faulty.code).toBe(7);
    expect(codes(Report.parse(JSON.parse(faulty.stdout)))).toContain("DEFINITION_FAULTY");
    const missing = await runCommand(["doctor", "--config", "nowhere.mjs"], { cwd });
    expect([missing.code, missing.stdout]).toEqual([2, ""]);
    const wrong = await doctor("sound", "--repair-time", "soon");
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining("USAGE: --repair-time") as unknown,
    ]);
  });
});

const at = (...words: readonly string[]): readonly string[] => ["--database", database.url, ...words];

describe("foothold doctor and its database", () => {
  test("finds a schema that is not there, one that is, and connections that will not do", async () => {
    expect(codes(await report("sound", ...at()))).toContain("SCHEMA_MISSING");
    await runCommand(["migrate", ...at()], { cwd });
    const settings = ["FSYNC_OFF", "SYNCHRONOUS_COMMIT_OFF", "FULL_PAGE_WRITES_OFF"];
    const ready = await report("sound", ...at());
    // The server of the tests is set to be quick, and not to keep what it has.
    expect(codes(ready).filter((code) => !settings.includes(code))).toEqual([]);
    expect(ready.database).toContain("PostgreSQL");
    const many = await report("sound", ...at("--processes", "1000"));
    expect(many.findings.find(({ code }) => code === "CONNECTIONS_SHORT")?.sentence).toMatch(
      /^1000 processes need up to 11000 connections \(11 each\), and the database allows \d+\.$/,
    );
  });

  test("finds a database that does not answer, without its password", async () => {
    const { code, stdout } = await doctor("sound", "--database", "postgres://ann:secret@127.0.0.1:1/none");
    expect(code).toBe(7);
    expect(stdout).toContain("error DATABASE_UNREACHABLE");
    expect(stdout).not.toContain("secret");
  });
});
