import { afterEach, beforeEach, expect, test } from "vitest";
import { get, post } from "./calls.ts";
import type { RunningService } from "./http-service.ts";
import { Ledger } from "./ledger.ts";
import { readLedgerAt } from "./ledger-reader.ts";
import { startMail } from "./mail.ts";
import { startRegistry } from "./registry.ts";

let ledger: Ledger;
let registry: RunningService;
let mail: RunningService;
beforeEach(async () => {
  ledger = Ledger.open();
  registry = await startRegistry({ ledger });
  mail = await startMail({ ledger });
});
afterEach(async () => {
  await Promise.all([registry.stop(), mail.stop()]);
  ledger.close();
});

test("an activity is entered once per key with its case, step and position", async () => {
  const activity = { caseId: "case-1", activity: "T02 Check", occurrence: 2, position: 4 };
  const entered = await post(`${registry.url}/activities`, { body: activity, key: "k-1" });
  expect(entered.status).toBe(201);
  expect(entered.body).toEqual({ entryId: "E-1", ...activity });
  expect(ledger.effects().map(({ step }) => step)).toEqual([activity]);
  expect((await get(`${registry.url}/activities/by-key/k-1`)).body).toMatchObject({
    entryId: "E-1",
    ...activity,
  });
});

test("an activity without its case, name, occurrence or position gets 422 and is not entered", async () => {
  const refused = await post(`${registry.url}/activities`, { body: {} });
  expect(refused.status).toBe(422);
  const { errors } = refused.body as unknown as { errors: { field: string }[] };
  expect(errors.map(({ field }) => field)).toEqual(["caseId", "activity", "occurrence", "position"]);
  expect(ledger.effects()).toEqual([]);
});

test("registry and mail that share a ledger have one true order of effects, read from either", async () => {
  const first = { caseId: "case-1", occurrence: 1, position: 1 };
  const text = { to: "a@b.test", subject: "s", body: "b" };
  await post(`${registry.url}/activities`, { body: { ...first, activity: "Received" }, key: "k-1" });
  await post(`${mail.url}/messages`, {
    body: { ...first, position: 2, activity: "T05 Send", ...text },
    key: "k-2",
  });
  await post(`${registry.url}/activities`, {
    body: { ...first, position: 3, activity: "T06 Decide" },
    key: "k-3",
  });
  const [atRegistry, atMail] = await Promise.all([readLedgerAt(registry.url), readLedgerAt(mail.url)]);
  expect(atRegistry).toEqual(atMail);
  expect(
    atMail.effects.map(({ service, step: { activity, position } }) => [service, activity, position]),
  ).toEqual([
    ["registry", "Received", 1],
    ["mail", "T05 Send", 2],
    ["registry", "T06 Decide", 3],
  ]);
  const sequences = atMail.effects.map(({ sequence }) => sequence);
  expect(sequences).toEqual([...sequences].toSorted((a, b) => a - b));
  const times = atMail.effects.map(({ executedAt }) => executedAt);
  expect(times).toEqual([...times].toSorted((a, b) => a - b));
});

test("a shared ledger stays open when one of its services stops", async () => {
  await registry.stop();
  const text = { to: "a@b.test", subject: "s", body: "b", caseId: "case-1" };
  expect((await post(`${mail.url}/messages`, { body: text })).status).toBe(201);
});
