import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { get, post } from "./calls.ts";
import { findClosedUrl } from "./closed-port.ts";
import { startErp } from "./erp.ts";
import type { FaultPlan } from "./faults.ts";
import { faultsOfStep, urlForAttempt } from "./faults.ts";
import type { RunningService, ServiceOptions } from "./http-service.ts";
import { readLedgerAt, readLedgerFile } from "./ledger-reader.ts";
import { Ledger } from "./ledger.ts";
import { startRegistry } from "./registry.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function erp(options: ServiceOptions = {}): Promise<RunningService> {
  const service = await startErp(options);
  stops.push(service.stop);
  return service;
}

async function connected(service: RunningService): Promise<Socket> {
  const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
  await once(socket, "connect");
  return socket;
}

const record = { caseId: "case-1", vendor: "Acme", amount: 120.5 };

test("a key is executed once: a repeat gets the stored first answer, marked as replayed", async () => {
  const service = await erp();
  const first = await post(`${service.url}/records`, { body: record, key: "k-1", fencingToken: "41" });
  const again = await post(`${service.url}/records`, { body: record, key: "k-1", fencingToken: "42" });
  expect(first.status).toBe(201);
  expect(first.headers.get("idempotent-replayed")).toBeNull();
  expect(first.body).toEqual({ recordId: "R-1", ...record });
  expect(again.status).toBe(201);
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect(again.body).toEqual(first.body);
  const { effects, requests, totals } = await readLedgerAt(service.url);
  expect(effects).toHaveLength(1);
  expect(effects[0]).toMatchObject({ id: "R-1", key: "k-1", fencingToken: "41", path: "/records" });
  expect(effects[0]?.step).toEqual({
    caseId: "case-1",
    activity: "createRecord",
    occurrence: 1,
    position: null,
  });
  expect(
    requests.map(({ fencingToken, ended, replayed, executedId }) => [
      fencingToken,
      ended,
      replayed,
      executedId,
    ]),
  ).toEqual([
    ["41", 201, false, "R-1"],
    ["42", 201, true, null],
  ]);
  expect(totals).toMatchObject({ effects: 1, requests: 2, replayed: 1, dropped: 0, byEnd: { "201": 2 } });
});

test("repeats of one key that arrive together are executed once", async () => {
  const service = await erp({ switches: { latencyMs: 20 } });
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => post(`${service.url}/records`, { body: record, key: "k-1" })),
  );
  expect(new Set(answers.map(({ body }) => body["recordId"]))).toEqual(new Set(["R-1"]));
  expect(service.ledger.effects()).toHaveLength(1);
});

test("a key with another body, or at another path, gets 422 and has no effect", async () => {
  const service = await erp();
  await post(`${service.url}/records`, { body: record, key: "k-1" });
  const otherBody = await post(`${service.url}/records`, { body: { ...record, amount: 1 }, key: "k-1" });
  const revocation = { body: { reason: "wrong" }, key: "k-1" };
  const otherPath = await post(`${service.url}/records/R-1/revoke`, revocation);
  expect([otherBody.status, otherPath.status]).toEqual([422, 422]);
  expect(otherBody.body).toMatchObject({ error: { code: "key_reused" } });
  expect(service.ledger.effects()).toHaveLength(1);
});

test("without a key every request is executed", async () => {
  const service = await erp();
  const first = await post(`${service.url}/records`, { body: record });
  const second = await post(`${service.url}/records`, { body: record });
  expect([first.body["recordId"], second.body["recordId"]]).toEqual(["R-1", "R-2"]);
  expect(service.ledger.effects().map(({ key }) => key)).toEqual([null, null]);
});

/** A plan under which every step meets faults, and a case whose first step meets just the wanted ones. */
function caseWith(wanted: readonly string[]): { plan: FaultPlan; caseId: string } {
  const plan: FaultPlan = { seed: 5, firstPermille: 1000, secondPermille: 500 };
  for (let index = 0; index < 1000; index += 1) {
    const caseId = `case-${index}`;
    const faults = faultsOfStep(plan, { caseId, activity: "createRecord", occurrence: 1 });
    const served = JSON.stringify(faults.served) === JSON.stringify(wanted);
    if (served && faults.refusedAttemptNumbers.length === 0) return { plan, caseId };
  }
  throw new Error(`no case of the plan meets ${wanted.join(", ")}`);
}

test("an answer lost after executing leaves one effect, and the repeat gets its first answer", async () => {
  const { plan, caseId } = caseWith(["answerLost"]);
  const service = await erp({ switches: { plan } });
  const call = { body: { ...record, caseId }, key: "k-1" };
  await expect(post(`${service.url}/records`, call)).rejects.toThrow("fetch failed");
  expect(service.ledger.effects()).toHaveLength(1);
  const again = await post(`${service.url}/records`, call);
  expect(again.body).toMatchObject({ recordId: "R-1" });
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect(service.ledger.effects()).toHaveLength(1);
  expect(service.ledger.totals()).toMatchObject({ dropped: 1, replayed: 1, byFault: { answerLost: 1 } });
});

test.each([
  ["unavailable", 503, null],
  ["unavailableRetryAfter", 503, "1"],
  ["throttled", 429, "1"],
] as const)("%s is answered %i before executing and leaves no effect", async (fault, status, retryAfter) => {
  const { plan, caseId } = caseWith([fault]);
  const service = await erp({ switches: { plan } });
  const call = { body: { ...record, caseId }, key: "k-1" };
  const failed = await post(`${service.url}/records`, call);
  expect(failed.status).toBe(status);
  expect(failed.headers.get("retry-after")).toBe(retryAfter);
  expect(service.ledger.effects()).toEqual([]);
  expect((await get(`${service.url}/records/by-key/k-1`)).status).toBe(404);
  expect((await post(`${service.url}/records`, call)).status).toBe(201);
});

test("a refusal after a lost answer does not undo the effect, and leaves it alone", async () => {
  const { plan, caseId } = caseWith(["answerLost", "unavailable"]);
  const service = await erp({ switches: { plan } });
  const call = { body: { ...record, caseId }, key: "k-1" };
  await expect(post(`${service.url}/records`, call)).rejects.toThrow("fetch failed");
  expect((await post(`${service.url}/records`, call)).status).toBe(503);
  expect((await get(`${service.url}/records/by-key/k-1`)).status).toBe(200);
  expect((await post(`${service.url}/records`, call)).headers.get("idempotent-replayed")).toBe("true");
  expect(service.ledger.effects()).toHaveLength(1);
});

test("faults are counted in the ledger file, so a restart does not bring them again", async () => {
  const folder = mkdtempSync(join(tmpdir(), "service-"));
  try {
    const { plan, caseId } = caseWith(["unavailable", "answerLost"]);
    const options = { ledgerFile: join(folder, "ledger.jsonl"), switches: { plan } };
    const call = { body: { ...record, caseId }, key: "k-1" };
    const before = await startErp(options);
    expect((await post(`${before.url}/records`, call)).status).toBe(503);
    await before.stop();
    const between = await startErp(options);
    await expect(post(`${between.url}/records`, call)).rejects.toThrow("fetch failed");
    await between.stop();
    const after = await startErp(options);
    const answer = await post(`${after.url}/records`, call);
    expect(answer.headers.get("idempotent-replayed")).toBe("true");
    after.switchTo({ plan: null });
    expect((await post(`${after.url}/records`, { body: record })).body["recordId"]).toBe("R-2");
    await after.stop();
    const { effects, requests } = await readLedgerFile(options.ledgerFile);
    expect(effects.map(({ id }) => id)).toEqual(["R-1", "R-2"]);
    expect(requests.map(({ ended }) => ended)).toEqual([503, "dropped", 201, 201]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("with every fault switched on, no step meets more than two and each is entered once", async () => {
  const plan: FaultPlan = { seed: 11, firstPermille: 800, secondPermille: 800 };
  const closedUrl = await findClosedUrl();
  const service = await startRegistry({ switches: { plan } });
  stops.push(service.stop);
  const refusals: unknown[] = [];
  const failures = await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      const step = { caseId: `case-${index}`, activity: "T02 Check", occurrence: 1 };
      for (let attemptNumber = 1; attemptNumber <= 5; attemptNumber += 1) {
        const url = urlForAttempt({ plan, step, attemptNumber, url: service.url, closedUrl });
        const call = { body: { ...step, position: 1 }, key: `k-${index}` };
        const answer = await post(`${url}/activities`, call).catch((error: Error) => error);
        if (url === closedUrl) refusals.push(answer);
        else if ("status" in answer && answer.status === 201) return attemptNumber - 1;
      }
      return 5;
    }),
  );
  expect(Math.max(...failures)).toBe(2);
  const { effects, totals } = await readLedgerAt(service.url);
  expect(new Set(effects.map(({ step }) => step.caseId)).size).toBe(200);
  expect(effects).toHaveLength(200);
  expect(Object.keys(totals.byFault).toSorted()).toEqual([
    "answerLost",
    "throttled",
    "unavailable",
    "unavailableRetryAfter",
  ]);
  expect(refusals.length).toBeGreaterThan(0);
  for (const refusal of refusals) expect(refusal).toMatchObject({ cause: { code: "ECONNREFUSED" } });
  // A fault may come after the effect stood, so every failure is counted on one side or the other.
  const served = Object.values(totals.byFault).reduce((sum, count) => sum + count, 0);
  expect(served + refusals.length).toBe(failures.reduce((sum, count) => sum + count, 0));
});

test.each([
  ["text that is not JSON", "{nope", {}, 400],
  ["JSON that is not an object", "[1]", {}, 400],
  ["nothing", "", {}, 400],
  ["another content type", "{}", { "content-type": "text/plain" }, 415],
  ["a packed body", "{}", { "content-encoding": "gzip" }, 415],
  ["a body over 64 KiB", JSON.stringify({ ...record, pad: "x".repeat(70_000) }), {}, 413],
  ["a key that is too long", JSON.stringify(record), { "idempotency-key": "k".repeat(256) }, 400],
  ["an empty key", JSON.stringify(record), { "idempotency-key": "" }, 400],
  ["a fencing token that is too long", JSON.stringify(record), { "fencing-token": "1".repeat(65) }, 400],
] as const)("%s gets a clear refusal and has no effect", async (_, body, headers, status) => {
  const service = await erp();
  const answer = await post(`${service.url}/records`, { body, headers });
  expect(answer.status).toBe(status);
  expect(answer.body).toMatchObject({ error: { message: expect.any(String) as string } });
  expect(service.ledger.effects()).toEqual([]);
  expect(service.ledger.requests().map(({ ended }) => ended)).toEqual([status]);
  expect((await post(`${service.url}/records`, { body: record })).status).toBe(201);
});

test("a body without end is cut off and has no effect", async () => {
  const service = await erp();
  const socket = await connected(service);
  socket.on("error", () => undefined);
  socket.write("POST /records HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n");
  socket.write("transfer-encoding: chunked\r\n\r\n");
  const pump = setInterval(() => socket.write(`10000\r\n${"x".repeat(65_536)}\r\n`), 1);
  // Not once(): it would reject at the reset that is wanted here.
  await new Promise((resolve) => socket.once("close", resolve));
  clearInterval(pump);
  expect(service.ledger.requests().map(({ ended }) => ended)).toEqual([413]);
  expect(service.ledger.effects()).toEqual([]);
});

test("bytes that are not UTF-8 are refused", async () => {
  const service = await erp();
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${service.url}/records`, {
    method: "POST",
    headers,
    body: Buffer.from([0x22, 0xff]),
  });
  expect(response.status).toBe(400);
  expect(service.ledger.effects()).toEqual([]);
});

test("unknown paths and methods are refused and recorded; a path that is too long is not recorded", async () => {
  const service = await erp();
  expect((await get(`${service.url}/nothing`)).status).toBe(404);
  expect((await get(`${service.url}/records/by-key/%E0%A4%A`)).status).toBe(404);
  expect((await post(`${service.url}/nothing`, { body: {} })).status).toBe(404);
  expect((await fetch(`${service.url}/records`, { method: "DELETE" })).status).toBe(405);
  expect((await get(`${service.url}/${"x".repeat(600)}`)).status).toBe(414);
  expect(service.ledger.requests().map(({ ended }) => ended)).toEqual([404, 404, 404, 405]);
});

test("a client that goes away before its body has arrived is recorded and has no effect", async () => {
  const service = await erp();
  const socket = await connected(service);
  socket.write(
    "POST /records HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{",
  );
  socket.destroy();
  await expect.poll(() => service.ledger.requests().map(({ ended }) => ended)).toEqual(["aborted"]);
  expect(service.ledger.effects()).toEqual([]);
});

test("faults are switched while it runs, one switch at a time", async () => {
  const service = await erp();
  const switched = await post(`${service.url}/faults`, { body: { seed: 7, latencyMs: 1 } });
  expect(switched.body).toMatchObject({
    plan: { seed: 7 },
    latencyMs: 1,
    access: "granted",
    failFirstPerKey: 0,
  });
  expect((await post(`${service.url}/faults`, { body: { seed: null } })).body).toMatchObject({
    plan: null,
    latencyMs: 1,
  });
  expect((await get(`${service.url}/faults`)).body).toEqual({
    plan: null,
    latencyMs: 1,
    access: "granted",
    failFirstPerKey: 0,
  });
  service.switchTo({ access: "forbidden" });
  expect(service.switches()).toMatchObject({ access: "forbidden", latencyMs: 1 });
  expect((await get(`${service.url}/healthz`)).body).toEqual({ status: "ok" });
  expect(service.ledger.requests()).toEqual([]);
});

test("a switch that makes no sense changes nothing and names each field", async () => {
  const service = await erp();
  const body = { seed: 1.5, access: "maybe", latencyMs: -1, failFirstPerKey: "two", speed: 3 };
  const refused = await post(`${service.url}/faults`, { body });
  expect(refused.status).toBe(422);
  const { errors } = refused.body as unknown as { errors: { field: string }[] };
  expect(errors.map(({ field }) => field)).toEqual(Object.keys(body));
  expect((await post(`${service.url}/faults`, { body: "nope" })).status).toBe(422);
  expect((await post(`${service.url}/faults`, { body: "[]" })).status).toBe(422);
  const plain = { body: "{}", headers: { "content-type": "text/plain" } };
  expect((await post(`${service.url}/faults`, plain)).status).toBe(415);
  expect(service.switches()).toEqual({ plan: null, access: "granted", latencyMs: 0, failFirstPerKey: 0 });
});

test("the whole ledger is read page by page, and a page that makes no sense is refused", async () => {
  const ledger = Ledger.open();
  for (let index = 0; index < 12_000; index += 1) {
    const step = { caseId: `case-${index}`, activity: "a", occurrence: 1, position: 1 };
    const answer = { status: 201, body: "{}" };
    const key = String(index);
    ledger.appendEffect({
      service: "erp",
      id: key,
      path: "/records",
      key,
      fencingToken: null,
      bodyHash: "",
      step,
      answer,
    });
  }
  const service = await erp({ ledger });
  const { effects, totals } = await readLedgerAt(service.url);
  expect(effects.map(({ sequence }) => sequence)).toEqual(
    Array.from({ length: 12_000 }, (_, index) => index + 1),
  );
  expect(totals.effects).toBe(12_000);
  expect((await get(`${service.url}/ledger?after=11999&limit=1`)).body).toMatchObject({ nextAfter: null });
  expect((await get(`${service.url}/ledger?limit=0`)).status).toBe(400);
  expect((await get(`${service.url}/ledger?after=x`)).status).toBe(400);
});

test("reading a ledger says so when the service is not there or refuses", async () => {
  await expect(readLedgerAt(await findClosedUrl())).rejects.toThrow("fetch failed");
  const service = await erp();
  const stopped = AbortSignal.abort(new Error("stopped by us"));
  await expect(readLedgerAt(service.url, stopped)).rejects.toThrow("stopped by us");
});

test("a full ledger turns every request away and executes nothing", async () => {
  const service = await erp({ ledger: Ledger.open({ entriesMax: 3 }) });
  expect((await post(`${service.url}/records`, { body: record })).status).toBe(201);
  expect((await post(`${service.url}/records`, { body: record })).status).toBe(507);
  expect(service.ledger.totals()).toMatchObject({ effects: 1, requests: 1, turnedAway: 1 });
});

test("a ledger whose file takes nothing more answers 500 and has no effect", async () => {
  const folder = mkdtempSync(join(tmpdir(), "service-"));
  try {
    const ledger = Ledger.open({ file: join(folder, "ledger.jsonl") });
    const service = await erp({ ledger });
    ledger.close();
    const answer = await post(`${service.url}/records`, { body: record });
    expect(answer.status).toBe(500);
    expect(answer.body).toMatchObject({ error: { code: "internal" } });
    expect(ledger.effects()).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("stop executes nothing that still waits, ends within its bound, and may be called twice", async () => {
  const service = await startErp({ switches: { latencyMs: 5000 } });
  const socket = await connected(service);
  const text = JSON.stringify(record);
  const parts = [
    "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n",
    "POST /records HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n",
    `content-length: ${text.length}\r\n\r\n${text}`,
  ];
  // One write: when the first request is answered, the second has arrived.
  socket.write(parts.join(""));
  await once(socket, "data");
  const startedAt = performance.now();
  await Promise.all([service.stop(), service.stop()]);
  expect(performance.now() - startedAt).toBeLessThan(2500);
  expect(service.ledger.requests().map(({ ended }) => ended)).toEqual(["aborted"]);
  expect(service.ledger.effects()).toEqual([]);
  await expect(get(`${service.url}/healthz`)).rejects.toThrow("fetch failed");
});

test("a port that is taken is refused when the service starts", async () => {
  const service = await erp();
  const port = Number(new URL(service.url).port);
  await expect(startErp({ port })).rejects.toMatchObject({ code: "EADDRINUSE" });
});
