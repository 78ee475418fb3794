import { afterEach, beforeEach, expect, test } from "vitest";
import { get, post } from "./calls.ts";
import { startErp } from "./erp.ts";
import type { RunningService } from "./http-service.ts";

let erp: RunningService;
beforeEach(async () => {
  erp = await startErp();
});
afterEach(() => erp.stop());

const record = { caseId: "case-1", vendor: "Acme", amount: 120.5 };

test("did it happen? is answered by key: 404 before, the record after", async () => {
  const byKey = `${erp.url}/records/by-key/${encodeURIComponent("case-1/createRecord/1")}`;
  expect((await get(byKey)).status).toBe(404);
  await post(`${erp.url}/records`, { body: record, key: "case-1/createRecord/1" });
  const found = await get(byKey);
  expect(found.status).toBe(200);
  expect(found.body).toMatchObject({
    recordId: "R-1",
    ...record,
    idempotencyKey: "case-1/createRecord/1",
    status: "standing",
  });
  expect((await get(`${erp.url}/records/R-1`)).body).toEqual(found.body);
  expect(erp.ledger.requests().map(({ method, ended }) => [method, ended])).toEqual([
    ["GET", 404],
    ["POST", 201],
    ["GET", 200],
    ["GET", 200],
  ]);
});

test("a record that breaks rules gets 422 with every field named, and is not created", async () => {
  const bodies = [
    {},
    { caseId: 7, vendor: " ", amount: -1 },
    { caseId: "c", vendor: "x".repeat(201), amount: 1e10 },
  ];
  const fields: string[][] = [];
  for (const body of bodies) {
    const answer = await post(`${erp.url}/records`, { body, key: "k" });
    expect(answer.status).toBe(422);
    const { errors } = answer.body as unknown as { errors: { field: string; message: string }[] };
    fields.push(errors.map(({ field }) => field));
  }
  expect(fields).toEqual([
    ["caseId", "vendor", "amount"],
    ["caseId", "vendor", "amount"],
    ["vendor", "amount"],
  ]);
  const badPlace = { ...record, occurrence: 0, position: "first" };
  expect((await post(`${erp.url}/records`, { body: badPlace })).body).toMatchObject({
    errors: [{ field: "occurrence" }, { field: "position" }],
  });
  expect(erp.ledger.effects()).toEqual([]);
  // A refusal binds no key: once corrected, the same key is executed.
  expect((await post(`${erp.url}/records`, { body: record, key: "k" })).status).toBe(201);
});

test("a revoked record stays and reads revoked, and so does nothing else", async () => {
  await post(`${erp.url}/records`, { body: record });
  await post(`${erp.url}/records`, { body: record });
  const revocation = { body: { reason: "approval withdrawn" }, key: "v-1" };
  expect((await post(`${erp.url}/records/R-1/revoke`, revocation)).status).toBe(201);
  expect((await get(`${erp.url}/records/R-1`)).body).toMatchObject({ status: "revoked" });
  expect((await get(`${erp.url}/records/R-2`)).body).toMatchObject({ status: "standing" });
  expect((await post(`${erp.url}/records/R-9/revoke`, { body: { reason: "x" } })).status).toBe(404);
  expect((await post(`${erp.url}/records/R-2/revoke`, { body: {} })).status).toBe(422);
  expect((await get(`${erp.url}/records/R-1-revoked-1`)).status).toBe(404);
});

test("with access revoked it answers 401 or 403 and has no effect until it is restored", async () => {
  erp.switchTo({ access: "unauthorized" });
  const unauthorized = await post(`${erp.url}/records`, { body: record, key: "k" });
  expect(unauthorized.status).toBe(401);
  expect(unauthorized.headers.get("www-authenticate")).toBe('Bearer error="invalid_token"');
  expect((await get(`${erp.url}/records/by-key/k`)).status).toBe(401);
  erp.switchTo({ access: "forbidden" });
  expect((await post(`${erp.url}/records`, { body: record, key: "k" })).status).toBe(403);
  expect(erp.ledger.effects()).toEqual([]);
  erp.switchTo({ access: "granted" });
  expect((await post(`${erp.url}/records`, { body: record, key: "k" })).status).toBe(201);
});

test("with latency a record is created no sooner than that", async () => {
  erp.switchTo({ latencyMs: 50 });
  const startedAt = performance.now();
  await post(`${erp.url}/records`, { body: record });
  expect(performance.now() - startedAt).toBeGreaterThan(45);
});
