import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { postgresStore } from "../../src/store/postgres/store.ts";
import { eventIn, newDelivery, scope } from "../inbox/made-deliveries.ts";
import { createTestDatabase, type TestDatabase } from "../setup/database.ts";
import { findTestBinaries, startServer, type TestServer } from "../setup/server.ts";
import { runCommand, startCommand, type RunningCommand } from "./program.ts";

const order = JSON.stringify({ vendor: "ACME", amount: 12.5 });
const waiting = { timeout: 20_000, interval: 50 };
const running: RunningCommand[] = [];

afterEach(async () => {
  for (const command of running.splice(0)) {
    command.signal("SIGKILL");
    await command.ended();
  }
});

function keep(words: readonly string[], url?: string): RunningCommand {
  const command = startCommand(words, url === undefined ? {} : { env: { FOOTHOLD_DATABASE_URL: url } });
  running.push(command);
  return command;
}

/** The state that people read. */
async function stateOf(caseId: string, ...words: readonly string[]): Promise<string> {
  const { stdout, stderr } = await runCommand(["cases", "show", caseId, "--json", ...words]);
  if (stdout === "") return stderr;
  return z.object({ reading: z.object({ state: z.string() }) }).parse(JSON.parse(stdout)).reading.state;
}

async function start(caseType: string, ...words: readonly string[]): Promise<string> {
  const { stdout } = await runCommand(["cases", "start", caseType, "--input", order, "--json", ...words]);
  return z.object({ caseId: z.string() }).parse(JSON.parse(stdout)).caseId;
}

async function healthOf(url: string): Promise<{ readonly code: number; readonly status: unknown }> {
  const answer = await fetch(`${url}/healthz`);
  const { status } = z.object({ status: z.string() }).parse(await answer.json());
  return { code: answer.status, status };
}

/** Nobody watches a terminal here, so the log is JSON. */
const logLine = z.looseObject({ level: z.string(), time: z.string(), event: z.string(), msg: z.string() });

async function pageOf(command: RunningCommand): Promise<string> {
  const [, url = ""] = await command.waitFor(/page +(http:\S+)\/\n/);
  return url;
}

describe("foothold dev", () => {
  test(
    "runs everything in one process on its own database, and stops in order",
    { timeout: 90_000 },
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "foothold-dev-"));
      const data = ["--data", join(folder, "data")];
      const dev = keep(["dev", "--port", "0", "--no-open", ...data]);
      const url = await pageOf(dev);
      await dev.waitFor(/foothold cases start purchase/);
      expect(await healthOf(url)).toEqual({ code: 200, status: "ok" });

      const caseId = await start("purchase", ...data);
      await expect.poll(() => stateOf(caseId, ...data), waiting).toBe("Waiting for approval");
      expect(await (await fetch(`${url}/`)).text()).toContain("<title>Foothold</title>");
      expect(await (await fetch(`${url}/api/v1/cases`)).text()).toContain(caseId);
      const approved = await runCommand(["cases", "approve", caseId, ...data]);
      expect(approved.code).toBe(0);
      await expect.poll(() => stateOf(caseId, ...data), waiting).toBe("Done");

      dev.signal("SIGTERM");
      const { code, stderr } = await dev.ended();
      expect(code).toBe(0);
      const events = stderr
        .trim()
        .split("\n")
        .map((text) => logLine.parse(JSON.parse(text)).event);
      expect([events[0], events.at(-1)]).toEqual(["started", "stopping"]);
      await expect(fetch(url)).rejects.toThrow("fetch failed");
      // The database was stopped with its last user, and starts again with all that was in it.
      expect(await stateOf(caseId, ...data)).toBe("Done");
      rmSync(folder, { recursive: true, force: true });
    },
  );
});

describe("on a database of one's own", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
    await runCommand(["migrate", "--database", database.url]);
  });
  afterAll(() => database.drop());

  test("a port in use and a host that is not this machine are refused with their codes", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    // A server on TCP has an address with a port.
    const { port } = other.address() as AddressInfo;
    const url = ["--database", database.url];
    const taken = await runCommand(["serve", "--port", String(port), ...url]);
    const open = await runCommand(["serve", "--port", "0", "--host", "0.0.0.0", ...url]);
    other.close();
    expect(taken).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^PORT_IN_USE: .*--port/) as unknown,
    });
    expect(open).toMatchObject({ code: 2, stderr: expect.stringMatching(/^NOT_LOOPBACK: /) as unknown });
  });

  test(
    "a killed worker's case reads Worker lost by the clock, and one sweep frees it",
    { timeout: 60_000 },
    async () => {
      const url = ["--database", database.url];
      const worker = keep(["worker", "--name", "w-lost", "--lease", "1s", "--build", "b7"], database.url);
      await worker.waitFor(/worker +\S+/);
      const caseId = await start("hanging", ...url);
      await expect.poll(() => stateOf(caseId, ...url), waiting).toBe("Running");
      const shown = await runCommand(["cases", "show", caseId, ...url]);
      expect(shown.stdout).toMatch(
        /claim +held by w-lost \(\S+, b7\) until .* \+0[12]:00; freed by the sweep/,
      );

      worker.signal("SIGKILL");
      await worker.ended();
      await expect.poll(() => stateOf(caseId, ...url), waiting).toBe("Worker lost");
      const listed = await runCommand(["cases", "list", "--type", "hanging", ...url]);
      expect(listed.stdout).toMatch(/^! No worker takes `hanging` since .*; 1 lost its worker\./);

      const swept = await runCommand(["sweep", "--once", "--json", ...url]);
      expect(swept.code).toBe(0);
      expect(JSON.parse(swept.stdout)).toMatchObject({
        freedClaims: [{ caseId, why: "silent" }],
        failed: [],
      });
      const again = await runCommand(["sweep", "--once", ...url]);
      expect(again.stdout).toBe("Nothing was lost.\n");
    },
  );

  test("one sweep frees also the work of an event that a lost worker had begun", async () => {
    const store = postgresStore({ url: database.url });
    try {
      const delivery = newDelivery();
      await store.inbox.takeIn([delivery]);
      const consumers = [{ ...scope, consumer: "tell the order" }];
      const request = { holderId: "lost", claimIds: ["c1"], consumers, actWithinMs: 60_000 };
      expect((await store.inbox.claimWork(request)).claimed).toHaveLength(1);
      expect((await runCommand(["sweep", "--once", "--database", database.url])).code).toBe(0);
      expect((await store.inbox.showEvent(eventIn(delivery).eventId))?.work).toMatchObject([
        { state: "ready" },
      ]);
    } finally {
      await store.close();
    }
  });

  test("a second signal ends a worker at once, whatever it is doing", async () => {
    const worker = keep(["worker", "--lease", "1s"], database.url);
    await worker.waitFor(/worker +\S+/);
    const caseId = await start("hanging", "--database", database.url);
    await expect.poll(() => stateOf(caseId, "--database", database.url), waiting).toBe("Running");
    worker.signal("SIGINT");
    await worker.waitFor(/Stopping after SIGINT/);
    worker.signal("SIGINT");
    expect((await worker.ended()).code).toBe(130);
  });
});

describe("a database that goes away in the middle", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer(await findTestBinaries());
    await runCommand(["migrate", "--database", server.url]);
  });
  afterAll(() => server.stop());

  test(
    "the server stays up and says so, and the worker goes on when it is back",
    { timeout: 90_000 },
    async () => {
      const serve = keep(["serve", "--port", "0"], server.url);
      const worker = keep(["worker", "--lease", "2s"], server.url);
      const url = await pageOf(serve);
      await worker.waitFor(/worker +\S+/);
      expect(await healthOf(url)).toEqual({ code: 200, status: "ok" });
      const caseId = await start("purchase", "--database", server.url);

      await server.kill();
      await expect.poll(() => healthOf(url), waiting).toEqual({ code: 503, status: "down" });
      // The console itself needs no database; what it asks for says what is wrong.
      expect((await fetch(`${url}/`)).status).toBe(200);
      const act = await runCommand(["cases", "approve", caseId, "approve", "--database", server.url]);
      expect([act.code, act.stderr]).toEqual([5, expect.stringMatching(/^DATABASE_UNAVAILABLE: /)]);

      await server.start();
      await expect.poll(() => healthOf(url), waiting).toEqual({ code: 200, status: "ok" });
      expect((await runCommand(["cases", "approve", caseId, "--database", server.url])).code).toBe(0);
      await expect.poll(() => stateOf(caseId, "--database", server.url), waiting).toBe("Done");
      worker.signal("SIGTERM");
      serve.signal("SIGTERM");
      expect([(await worker.ended()).code, (await serve.ended()).code]).toEqual([0, 0]);
    },
  );
});
