import { afterEach, beforeEach, expect, test } from "vitest";
import { get, post } from "./calls.ts";
import type { RunningService } from "./http-service.ts";
import { startMail } from "./mail.ts";

let mail: RunningService;
beforeEach(async () => {
  mail = await startMail();
});
afterEach(() => mail.stop());

const message = { caseId: "case-1", to: "a@b.test", subject: "Ordered", body: "R-1 is on its way." };

test("a message is sent once per key and found by it", async () => {
  const sent = await post(`${mail.url}/messages`, { body: message, key: "k-1" });
  expect(sent.status).toBe(201);
  expect(sent.body).toEqual({ messageId: "M-1", caseId: "case-1", to: "a@b.test", subject: "Ordered" });
  await post(`${mail.url}/messages`, { body: message, key: "k-1" });
  expect(mail.ledger.effects()).toHaveLength(1);
  expect((await get(`${mail.url}/messages/by-key/k-1`)).body).toMatchObject({
    messageId: "M-1",
    idempotencyKey: "k-1",
  });
  expect((await get(`${mail.url}/messages/by-key/k-2`)).status).toBe(404);
});

test("the first N tries of each key fail with 503 and have no effect, then it is sent", async () => {
  await post(`${mail.url}/faults`, { body: { failFirstPerKey: 2 } });
  for (const key of ["k-1", "k-2"]) {
    const statuses: number[] = [];
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      const other = { ...message, caseId: `case of ${key}` };
      statuses.push((await post(`${mail.url}/messages`, { body: other, key })).status);
    }
    expect(statuses).toEqual([503, 503, 201, 201]);
  }
  expect(mail.ledger.effects().map(({ key }) => key)).toEqual(["k-1", "k-2"]);
});

test("without a key the first N tries of a step fail", async () => {
  mail.switchTo({ failFirstPerKey: 1 });
  expect((await post(`${mail.url}/messages`, { body: message })).status).toBe(503);
  expect((await post(`${mail.url}/messages`, { body: message })).status).toBe(201);
});

test("a message that breaks rules gets 422 with every field named, and is not sent", async () => {
  const empty = await post(`${mail.url}/messages`, { body: {} });
  expect(empty.body).toMatchObject({
    errors: [{ field: "caseId" }, { field: "to" }, { field: "subject" }, { field: "body" }],
  });
  const address = await post(`${mail.url}/messages`, { body: { ...message, to: "nobody" } });
  expect(address.body).toMatchObject({ errors: [{ field: "to" }] });
  expect(mail.ledger.effects()).toEqual([]);
});
