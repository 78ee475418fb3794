import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { caseLines } from "../../src/cli/case-text.ts";
import { foldJournal } from "../../src/core/fold.ts";
import { rowOf } from "../../src/core/row.ts";
import { defineCase } from "../../src/define/builder.ts";
import { defineDestination } from "../../src/define/destination.ts";
import { defineEvent } from "../../src/define/event.ts";
import { registryOf } from "../../src/define/registry.ts";
import { createDesk, type Desk } from "../../src/desk/desk.ts";
import { exportCase } from "../../src/desk/export-case.ts";
import { sealAll } from "../../src/desk/sealing.ts";
import { verifyAudit } from "../../src/desk/verify-audit.ts";
import { ENGINE_VERSION } from "../../src/engine/version.ts";
import { API_BASE, API_ROUTES, type RouteHead } from "../../src/http/api/routes.ts";
import { fromHere, testApp } from "../../src/http/app.fixture.ts";
import { memoryStore } from "../../src/store/memory/store.ts";
import type { Store } from "../../src/store/port.ts";
import { aesGcm } from "../../src/store/postgres/aes-gcm.ts";
import { postgresStore } from "../../src/store/postgres/store.ts";
import { claim, outcomeOf } from "../inbox/contract/stores.ts";
import { eventIn, newDelivery } from "../inbox/made-deliveries.ts";
import { createTestDatabase, type TestDatabase } from "../setup/database.ts";
import { World } from "./world.ts";

/** Wherever something is typed or comes from outside, it says whom it is about. */
const MARK = "lovelace-1815";
const ben = { by: "ben" };
const reason = `${MARK} wrote to us`;

const bank = defineDestination("bank", {
  idempotency: { by: "key", window: "24h" },
  retry: { maxAttempts: 1 },
});

const Person = z.object({ name: z.string(), iban: z.string(), parcels: z.array(z.string()) });
const label = defineCase("label", { version: 1, owner: "ops", input: z.object({ name: z.string() }) })
  .step("print", { to: bank, request: ({ input }) => input, run: () => ({ printedFor: MARK }) })
  .result(({ input }) => ({ label: input.name }));

const payout = defineCase("payout", {
  version: 1,
  owner: "ops",
  input: Person,
  attributes: { name: "text" },
  tags: ["parcels"],
  keys: ({ input }) => [`${input.name}-key`],
  concurrency: { key: ({ input }) => `${input.name}-together` },
  events: { told: defineEvent(z.object({ ref: z.string() }), { correlate: ({ ref }) => ref }) },
})
  .approval("approve", { by: "ops", uses: ["name"], form: z.object({ pin: z.string() }) })
  .step("pay", {
    to: bank,
    requires: { "is known": ({ input }) => input.name !== "" },
    request: ({ input }) => ({ to: input.iban }),
    run: ({ request }) => {
      if (request.to.startsWith("good")) return { paidTo: request.to };
      const errors = [{ field: MARK, message: `${request.to} is closed` }];
      throw Object.assign(new Error(`refused ${request.to}`), {
        status: 422,
        response: { status: 422, headers: { "x-request-id": MARK }, data: { errors } },
      });
    },
  })
  .eachChild("labels", {
    items: ({ input }) => input.parcels,
    key: (parcel) => parcel,
    atOnce: 2,
    of: label,
    input: ({ item }) => ({ name: item }),
  })
  .result(({ input }) => ({ for: input.name }));

const caseTypes = [payout, label];

/** A whole life of a case. */
async function live(world: World, desk: Desk): Promise<string> {
  const { store } = world;
  await world.worker(caseTypes);
  const input = { name: MARK, iban: `bad ${MARK}`, parcels: [MARK, `${MARK}-2`] };
  const { caseId } = await desk.startCase("payout", input, { by: "shop", businessKey: MARK });
  await world.rests(caseId, "waiting");
  await desk.answerApproval(caseId, {
    step: "approve",
    approved: true,
    form: { pin: MARK },
    note: reason,
    by: "ops",
  });
  await world.rests(caseId, "in_review");
  await tellByInbox(store, desk, caseId);
  await world.rests(caseId, "in_review");
  const { repairId } = await desk.openRepair(caseId, { ...ben, host: "h", build: "b" });
  await desk.addNote(caseId, { text: reason, ...ben });
  await desk.closeRepair(caseId, repairId, "ben");
  await world.rests(caseId, "in_review");
  const filter = { by: "criteria", criteria: { businessKey: MARK } } as const;
  await desk.startBulk({ move: { move: "note", text: reason }, filter, reason: "all of them", ...ben });
  const runner = desk.bulkRunner({
    onError: (error) => {
      throw error;
    },
  });
  while (await runner.runOnce());
  await world.rests(caseId, "in_review");
  await desk.skipStep(caseId, { step: "pay", reason, ...ben });
  const [asked] = await desk.listSeconds(caseId);
  await desk.answerSecond(asked?.requestId ?? "", { approved: false, reason, by: "eve" });
  await world.rests(caseId, "in_review");
  await desk.correctInput(caseId, { input: { ...input, iban: `good ${MARK}` }, reason, ...ben });
  await world.rests(caseId, "done");
  await expect(desk.pause(caseId, { reason, ...ben })).rejects.toMatchObject({ code: "CASE_ENDED" });
  return caseId;
}

async function tellByInbox(store: Store, desk: Desk, caseId: string): Promise<void> {
  const made = newDelivery({ body: JSON.stringify({ ref: MARK }), work: [{ lane: MARK }] });
  const delivery = {
    ...made,
    headers: [["x-customer", MARK]] as const,
    events: made.events.map((event) => ({ ...event, subject: MARK })),
  };
  await store.inbox.takeIn([delivery]);
  const { eventId } = eventIn(delivery);
  const sourceId = `inbox:shop:${eventId}`;
  await desk.recordEvent(caseId, { eventType: "told", payload: { ref: MARK }, sourceId, by: "the shop" });
  const claimed = await claim(store.inbox);
  const sentence = `Case ${caseId} of ${MARK}: Stored.`;
  await store.inbox.settleWork(
    claimed.map((one) => outcomeOf(one, { sentence, caseIds: [caseId], sourceId })),
  );
}

/** What every route that only reads tells of a case. */
async function readEverything(store: Store, desk: Desk, caseIds: readonly string[]): Promise<string> {
  const app = testApp(store, { desk, registry: registryOf(caseTypes) });
  const events = await store.inbox.listEvents({ limit: 10 });
  const bulks = await store.bulk.list(10);
  const told: string[] = [];
  for (const [id, { method, path }] of Object.entries<RouteHead>(API_ROUTES)) {
    if (method !== "GET" || id === "watchChanges") continue;
    for (const caseId of caseIds) {
      const named: Readonly<Record<string, string>> = {
        caseId,
        caseType: "payout",
        bulkId: bulks[0]?.bulkId ?? "",
        eventId: events.events[0]?.event.eventId ?? "",
        owner: "ops",
      };
      const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => named[name] ?? "none");
      const answer = await app.request(`${API_BASE}${url}`, { headers: { host: "localhost" } }, fromHere);
      told.push(`${id}: ${await answer.text()}`);
    }
  }
  return told.join("\n");
}

/** Every column of every table as text; what is bytes as they are and as text. */
async function dump(client: Client | null): Promise<string> {
  if (client === null) return "";
  const { rows: tables } = await client.query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = 'foothold'::regnamespace and relkind = 'r'",
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await client.query<Readonly<Record<string, unknown>>>(
      `select * from foothold."${name}"`,
    );
    for (const row of rows) {
      const columns = Object.entries(row).map(([column, value]) => [
        column,
        Buffer.isBuffer(value) ? value.toString("utf8") : value,
      ]);
      texts.push(`${name} ${JSON.stringify(columns)}`);
    }
  }
  return texts.join("\n");
}

/** Where it stands before it is erased; a memory store has no tables. */
const TABLES = {
  memory: [],
  PostgreSQL: [
    "audit",
    "bulk_acts",
    "case_keys",
    "cases",
    "deliveries",
    "inbox_events",
    "inbox_work",
    "journal",
    "key_places",
    "search_values",
    "second_requests",
  ],
  // The guide to encryption names what stays in clear: keys, attributes, names of steps, headers, filters.
  "PostgreSQL that is sealed": [
    "bulk_acts",
    "case_keys",
    "cases",
    "deliveries",
    "inbox_events",
    "inbox_work",
    "journal",
    "key_places",
    "search_values",
    "second_requests",
  ],
} as const;

/** The lines that say it. */
function saying(text: string): readonly string[] {
  return text.split("\n").flatMap((one) => {
    const at = one.indexOf(MARK);
    return at === -1 ? [] : [`${one.slice(0, 40)} … ${one.slice(Math.max(0, at - 100), at + 40)}`];
  });
}

const codec = aesGcm({ keys: [{ id: "2026", secret: randomBytes(32) }] });

describe.each(["memory", "PostgreSQL", "PostgreSQL that is sealed"] as const)(
  "erasing a case on %s",
  (kind) => {
    let database: TestDatabase | null = null;
    let client: Client | null = null;
    let world: World;
    let desk: Desk;
    let caseId = "";
    let family: readonly string[] = [];

    beforeAll(async () => {
      if (kind !== "memory") {
        database = await createTestDatabase();
        client = new Client(database.url);
        await client.connect();
      }
      const store =
        database === null
          ? memoryStore()
          : postgresStore({ url: database.url, poolMax: 6, ...(kind === "PostgreSQL" ? {} : { codec }) });
      await store.migrate();
      world = new World(store);
      desk = createDesk({
        store,
        ports: world.ports,
        registry: registryOf(caseTypes),
        engineVersion: ENGINE_VERSION,
        secondRules: [{ moves: ["skip"], caseTypes: "all" }],
      });
      caseId = await live(world, desk);
      const children = await store.listCases({ parentId: caseId, limit: 10 });
      family = [caseId, ...children.rows.map((row) => row.caseId)];
    }, 120_000);

    afterAll(async () => {
      await world.close();
      await client?.end();
      await database?.drop();
    });

    const verify = () => verifyAudit({ store: world.store, digest: world.ports.digest, exported: [] });

    test("leaves nothing of whom it is about anywhere, while its seals hold and its page tells who erased it", async () => {
      const { store, ports } = world;
      // It is everywhere before.
      const before = await readEverything(store, desk, family);
      expect(new Set(saying(before).map((one) => one.split(":")[0]))).toContain("showCase");
      const tables = new Set(saying(await dump(client)).map((one) => one.split(" ")[0]));
      expect(tables).toEqual(new Set(TABLES[kind]));
      await sealAll({ store, ports });
      const sealed = await verify();
      expect(sealed).toMatchObject({ findings: [], erased: 0, unsealed: { entries: 0 } });
      const shape = await shapeOf(store, caseId);

      const preview = await desk.previewErasure(caseId);
      expect(preview.cases).toHaveLength(3);
      expect(preview.cases[0]).toMatchObject({
        caseId,
        refusal: null,
        isErased: false,
        traces: { entries: shape.length, events: 1, bodies: 1, bulkActs: 1 },
      });
      // Asked for by a child, it is of all.
      const reply = await desk.erase(family[1] ?? "", { by: "eve", reason: "asked for by letter 7" });
      expect([...reply.erased].toSorted()).toEqual([...family].toSorted());

      expect(saying(await readEverything(store, desk, family))).toEqual([]);
      expect(saying(await dump(client))).toEqual([]);
      for (const id of family) {
        const exported = await exportCase({ store, registry: registryOf(caseTypes) }, id, {
          isMasked: false,
        });
        expect(saying(JSON.stringify(exported))).toEqual([]);
        const stored = await store.loadCase(id);
        const { state, dueAt, summary } = rowOf(foldJournal(id, stored?.journal ?? []));
        expect(stored?.row).toMatchObject({
          state,
          dueAt,
          summary: JSON.parse(JSON.stringify(summary)) as object,
        });
      }
      // Reports name the steps of an each with their keys.
      const reports = JSON.stringify(world.reports).replaceAll(/labels\[[^\]]*\]/g, "labels");
      expect(saying(reports)).toEqual([]);

      expect(await shapeOf(store, caseId)).toEqual(shape);
      const packet = await desk.show(caseId);
      expect(packet.headline).toMatch(/What it held was erased by eve at .*: asked for by letter 7\./);
      expect(packet.moves).toEqual([]);
      expect(caseLines(packet, null).join("\n")).toContain("[erased]");

      const after = await verify();
      expect(after.findings).toEqual([]);
      expect(after.erased).toBeGreaterThan(shape.length);
      await sealAll({ store, ports });
      expect(await verify()).toMatchObject({ findings: [], unsealed: { entries: 0, lines: 0 } });
    });

    test("is done once, and nothing more is done with the case by anybody", async () => {
      const again = await desk.erase(caseId, { by: "eve", reason: "once more" });
      expect(again.erased).toEqual([]);
      expect(new Set(again.known)).toEqual(new Set(family));
      for (const act of [
        () => desk.addNote(caseId, { text: "hello", ...ben }),
        () => desk.cancel(caseId, { reason: "r", ...ben }),
        () => desk.resume(caseId, { step: "pay", ...ben }),
        () => desk.preview(caseId, { move: "resume" }),
        () => desk.recordEvent(caseId, { eventType: "told", payload: { ref: MARK }, by: "the shop" }),
        () => desk.openRepair(caseId, { ...ben, host: "h", build: "b" }),
      ]) {
        await expect(act()).rejects.toMatchObject({ code: "CASE_ERASED" });
      }
      // Its key is free.
      const input = { name: "Eve", iban: "good", parcels: [] };
      const { caseId: another, isNew } = await desk.startCase("payout", input, {
        by: "shop",
        businessKey: MARK,
      });
      expect(isNew).toBe(true);
      await world.rests(another, "waiting");
    });

    test("is refused while the case has not ended, without a reason, and where there is no such case", async () => {
      const { caseId: open } = await desk.startCase("payout", { name: "A", iban: "good", parcels: [] }, ben);
      await world.rests(open, "waiting");
      await expect(desk.erase(open, { by: "eve", reason: "r" })).rejects.toMatchObject({
        code: "ERASE_REFUSED",
      });
      await expect(desk.erase(open, { by: "eve", reason: " " })).rejects.toMatchObject({
        code: "INVALID_REQUEST",
      });
      await expect(desk.previewErasure("07-nobody")).rejects.toMatchObject({ code: "CASE_NOT_FOUND" });
      await expect(desk.erase("07-000000000000", { by: "eve", reason: "r" })).rejects.toMatchObject({
        code: "CASE_NOT_FOUND",
      });
    });

    test.runIf(kind !== "memory")(
      "hides nobody who changes what is left, or marks as erased what nobody erased",
      async () => {
        const tables = ["journal", "audit"];
        for (const one of tables)
          await client?.query(`create temp table saved_${one} as table foothold.${one}`);
        const changes = [
          `update foothold.journal set body = '\\x7b7d', body_hash = sha256('\\x7b7d') where revision = 2 and case_id = '${caseId}'`,
          `update foothold.journal set step = 'other' where revision = 2 and case_id = '${caseId}'`,
          `update foothold.audit set who = 'ada' where sealed_as is not null and case_id = '${caseId}'`,
          `update foothold.audit set sealed_as = sha256('x') where act = 'seeBody'`,
          `update foothold.journal set sealed_as = null where revision = 3 and case_id = '${caseId}'`,
          `delete from foothold.audit where act = 'erase' and case_id = '${caseId}'`,
        ];
        for (const change of changes) {
          expect((await verify()).findings).toEqual([]);
          await client?.query(change);
          const { findings } = await verify();
          expect([change, findings.length > 0]).toEqual([change, true]);
          for (const one of tables) {
            await client?.query(`truncate foothold.${one}`);
            await client?.query(`insert into foothold.${one} select * from saved_${one}`);
          }
        }
      },
    );
  },
);

/** What stays of a journal. */
async function shapeOf(store: Store, caseId: string) {
  const stored = await store.loadCase(caseId);
  return (stored?.journal ?? []).map(({ revision, at, commitId, entry }) => ({
    revision,
    at,
    commitId,
    kind: entry.kind,
    by: "by" in entry && "name" in entry.by ? entry.by.name : null,
  }));
}
