import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import type { PayloadCodec } from "../../src/core/payload-codec.ts";
import { sealAll } from "../../src/desk/sealing.ts";
import { verifyAudit } from "../../src/desk/verify-audit.ts";
import { systemPorts } from "../../src/engine/system.ts";
import type { Store } from "../../src/store/port.ts";
import { aesGcm } from "../../src/store/postgres/aes-gcm.ts";
import { postgresStore } from "../../src/store/postgres/store.ts";
import { newDelivery } from "../inbox/made-deliveries.ts";
import { Bench } from "./contract/contract.ts";
import { appending } from "./contract/changes.ts";
import { changeOf, newCase, newId, note } from "./made-cases.ts";
import { tablesWith } from "./plain-search.ts";
import { openPostgres, type PostgresSubject } from "./postgres-subject.ts";

const older = { id: "2025", secret: randomBytes(32) };
const newer = { id: "2026", secret: randomBytes(32) };
const ports = systemPorts();

async function startCase(store: Store): Promise<string> {
  const start = newCase({ at: await store.now() });
  expect(await store.insertCase(start)).toEqual({ kind: "started" });
  return start.identity.caseId;
}

async function rotateAll(store: Store): Promise<{ turned: number; unturned: readonly unknown[] }> {
  const all = { turned: 0, unturned: [] as unknown[] };
  let next: string | null = null;
  do {
    const page = await store.keys.rewrap(next);
    all.turned += page.turned;
    all.unturned.push(...page.unturned);
    ({ next } = page);
  } while (next !== null);
  return all;
}

describe("a store with a codec", () => {
  const bench = new Bench();
  let subject: PostgresSubject;
  let opened: Store[] = [];
  beforeEach(async () => {
    subject = await openPostgres(inject("databaseUrl"), { codec: aesGcm({ keys: [older] }) });
    bench.set(subject);
  });
  afterEach(async () => {
    await Promise.all(opened.map((store) => store.close()));
    opened = [];
    await subject.close();
  });

  const storeWith = (codec?: PayloadCodec): Store => {
    const store = postgresStore({ url: subject.url, ...(codec === undefined ? {} : { codec }) });
    opened.push(store);
    return store;
  };
  /** The time since which nobody was heard to seal is the database's: made to be past. */
  const letMinutesPass = (keyId: string): Promise<unknown> =>
    subject.client.query(
      "update foothold.payload_keys set used_at = now() - interval '1 hour' where key_id = $1",
      [keyId],
    );

  test("refuses bytes that somebody put in another row, and a changed mark, naming case and revision", async () => {
    const { identity } = await bench.start({ entries: [note("two"), note("three")] });
    const swap = `
      update foothold.journal as j set body = o.body, body_hash = o.body_hash, codec = o.codec
      from foothold.journal as o where j.revision = 2 and o.revision = 3`;
    await subject.client.query(swap);
    const told = { code: "CORRUPT_JOURNAL", details: { caseId: identity.caseId, revision: 2 } };
    await expect(subject.store.loadCase(identity.caseId)).rejects.toMatchObject(told);
    await expect(subject.store.loadCase(identity.caseId)).rejects.toThrow("of another place");
    const { unreadable } = await bench.claim(5);
    expect(unreadable).toMatchObject([{ row: { caseId: identity.caseId }, fault: told }]);
    expect((await subject.store.listCases({ limit: 5 })).rows).toHaveLength(1);
  });

  test("is read, and gone on with, by all that have the key; whoever lacks it claims and begins nothing", async () => {
    const caseId = await startCase(subject.store);
    const keyless = storeWith();
    const refused = {
      code: "PAYLOAD_KEY_MISSING",
      message: expect.stringContaining("2025 of aes-256-gcm") as unknown,
    };
    await expect(keyless.checkSchema()).rejects.toMatchObject(refused);
    await expect(keyless.insertCase(newCase({ at: await keyless.now() }))).rejects.toMatchObject(refused);
    await expect(keyless.inbox.takeIn([newDelivery()])).rejects.toMatchObject(refused);
    await expect(keyless.loadCase(caseId)).rejects.toMatchObject({
      code: "PAYLOAD_KEY_MISSING",
      details: { caseId, revision: 1, keyId: "2025" },
    });
    expect((await keyless.listCases({ limit: 5 })).rows).toMatchObject([{ caseId }]);
    const reading = storeWith(aesGcm({ keys: [older], readOnly: true }));
    expect((await reading.loadCase(caseId))?.row.caseId).toBe(caseId);
  });

  test("is given back what a process claimed in the moment before it saw that a key is in use", async () => {
    const keyless = storeWith();
    await keyless.checkSchema();
    const caseId = await startCase(subject.store);
    const claimIds = [newId()];
    const caseTypes = [{ name: "purchase", version: 1 }];
    const request = { claimIds, caseTypes, holderId: "w", engineVersion: 1, actWithinMs: 60_000 };
    expect(await keyless.claimDue(request)).toMatchObject({ cases: [], unreadable: [] });
    const row = await subject.store.loadRow(caseId);
    expect(row).toMatchObject({ state: "ready", claim: null, summary: { reviews: [] } });
    expect(row?.dueAt).toBeGreaterThan(await subject.store.now());
  });

  test("goes on without a key that somebody gave up: its cases are set aside, new ones are sealed with another", async () => {
    const lost = await startCase(subject.store);
    const store = storeWith(aesGcm({ keys: [newer] }));
    await expect(store.checkSchema()).rejects.toMatchObject({ code: "PAYLOAD_KEY_MISSING" });
    expect(await store.keys.lose("2024")).toBe(false);
    expect(await store.keys.lose("2025")).toBe(true);
    await store.checkSchema();
    const other = await startCase(store);
    await expect(store.loadCase(lost)).rejects.toMatchObject({ code: "CORRUPT_JOURNAL" });
    expect((await store.loadCase(other))?.journal).toHaveLength(1);
    expect(await store.keys.list()).toMatchObject([
      { keyId: "2025", state: "lost", here: "missing" },
      { keyId: "2026", state: "inUse", here: "seals" },
    ]);
  });

  test("keeps an engine away that would take what is sealed for damaged", async () => {
    const version = async (): Promise<unknown> =>
      (await subject.client.query("select readable_from from foothold.schema_info")).rows;
    expect(await version()).toEqual([{ readable_from: 6 }]);
    await startCase(subject.store);
    expect(await version()).toEqual([{ readable_from: 24 }]);
  });

  test("reads what was stored before it had a codec, and what is stored plain in the first of two deploys", async () => {
    await subject.client.query("truncate foothold.payload_keys");
    const plain = storeWith(aesGcm({ keys: [newer], readOnly: true }));
    const caseId = await startCase(plain);
    expect((await subject.client.query("select distinct codec from foothold.journal")).rows).toEqual([
      { codec: "json" },
    ]);
    const sealing = storeWith(aesGcm({ keys: [newer] }));
    const commitId = newId();
    await sealing.changeCase(caseId, changeOf(commitId), appending([note("sealed")], commitId));
    expect((await plain.loadCase(caseId))?.journal).toHaveLength(2);
    await expect(plain.keys.rewrap(null)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });

  test("tells keys that are away from damage: everything waits as for the database, and goes on", async () => {
    let isAway = false;
    const inner = aesGcm({ keys: [older] });
    const remote: PayloadCodec = {
      ...inner,
      seal: async (payloads) => {
        if (isAway) throw new Error("the key service said: secret-of-the-service");
        return inner.seal(payloads);
      },
      open: async (payloads) => {
        if (isAway) throw new Error("the key service does not answer");
        return inner.open(payloads);
      },
    };
    const store = storeWith(remote);
    const caseId = await startCase(store);
    isAway = true;
    const away = {
      code: "DATABASE_UNAVAILABLE",
      message: expect.not.stringContaining("secret-of") as unknown,
    };
    await expect(store.loadCase(caseId)).rejects.toMatchObject(away);
    await expect(store.insertCase(newCase({ at: await store.now() }))).rejects.toMatchObject(away);
    isAway = false;
    expect((await store.loadCase(caseId))?.journal).toHaveLength(1);
    const careless = storeWith({ ...inner, open: () => [] });
    await expect(careless.loadCase(caseId)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });

  test("turns all to another key while cases go on, and takes the older one off once nobody seals with it", async () => {
    const old = subject.store;
    const caseIds = [await startCase(old), await startCase(old)];
    const small = newDelivery({ body: '{"small":true}' });
    const large = newDelivery({ body: randomBytes(1_500_000) });
    await old.inbox.takeIn([small, large]);
    const request = { bulkId: "b-1", move: "resume", request: { step: null }, filter: {}, by: "ada" };
    await old.bulk.create({ ...request, reason: null, state: "trying" }, caseIds);
    await sealAll({ store: old, ports });

    const store = storeWith(aesGcm({ keys: [newer, older] }));
    const startedAt = await store.now();
    await startCase(store);
    const first = await rotateAll(store);
    expect(first).toEqual({ turned: 5, unturned: [] });
    expect(await store.keys.retire(startedAt)).toEqual([]);
    // One process still has the older key first: what it stored meanwhile is found by the next pass.
    const lagging = storeWith(aesGcm({ keys: [older, newer] }));
    const commitId = newId();
    await lagging.changeCase(caseIds[0] ?? "", changeOf(commitId), appending([note("late")], commitId));
    await letMinutesPass("2025");
    expect(await rotateAll(store)).toEqual({ turned: 1, unturned: [] });
    expect(await rotateAll(store)).toEqual({ turned: 0, unturned: [] });
    expect(await store.keys.retire(await store.now())).toEqual(["2025"]);

    const later = storeWith(aesGcm({ keys: [newer] }));
    await later.checkSchema();
    expect((await later.loadCase(caseIds[0] ?? ""))?.journal).toHaveLength(2);
    expect(await later.inbox.loadBody(small.deliveryId)).toEqual(small.body);
    expect(Buffer.from((await later.inbox.loadBody(large.deliveryId)) ?? []).equals(large.body)).toBe(true);
    expect(await later.bulk.load("b-1")).toMatchObject({ request: { step: null } });
    expect((await verifyAudit({ store: later, digest: ports.digest, exported: [] })).findings).toEqual([]);
    expect(await tablesWith(subject.client, ":2025:")).toEqual([]);
  });
});
