import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { PayloadCodec } from "../../src/core/payload-codec.ts";
import { SNAPSHOT_ENTRIES } from "../../src/core/snapshot.ts";
import { defineCase } from "../../src/define/builder.ts";
import { defineDestination } from "../../src/define/destination.ts";
import { registryOf } from "../../src/define/registry.ts";
import { createDesk } from "../../src/desk/desk.ts";
import { ENGINE_VERSION } from "../../src/engine/version.ts";
import { COMMIT_ENTRIES_MAX } from "../../src/store/port.ts";
import { aesGcm } from "../../src/store/postgres/aes-gcm.ts";
import { postgresStore } from "../../src/store/postgres/store.ts";
import { newDelivery } from "../inbox/made-deliveries.ts";
import { createTestDatabase, type TestDatabase } from "../setup/database.ts";
import { appending } from "../store/contract/changes.ts";
import { changeOf, newId, note } from "../store/made-cases.ts";
import { tablesWith } from "../store/plain-search.ts";
import { World } from "./world.ts";

const MARKER = "mArKeR-5c1e-of-a-person";

const bank = defineDestination("bank", {
  idempotency: { by: "key", window: "24h" },
  retry: { maxAttempts: 1 },
  owners: { input: "ops" },
});

const payout = defineCase("payout", {
  version: 1,
  owner: "ops",
  input: z.object({ name: z.string(), iban: z.string() }),
  events: { told: z.object({ ref: z.string() }) },
})
  .approval("approve", { by: "ops", form: z.object({ pin: z.string() }), uses: ["name"] })
  .step("register", {
    to: bank,
    uses: ["name"],
    request: ({ input }) => ({ iban: input.iban }),
    run: () => ({ token: MARKER }),
    result: z.object({ token: z.string() }),
  })
  .step("pay", {
    to: bank,
    request: ({ results }) => ({ from: results.register.token }),
    run: () => {
      throw Object.assign(new Error("refused"), { status: 422 });
    },
  });

/** A case with input, form, request, result, failure, event, repair, correction, second person, bulk act and webhooks. */
async function live(world: World): Promise<void> {
  const desk = world.desk(payout);
  await world.worker([payout]);
  const caseId = await world.start(payout, { name: "Ada", iban: MARKER });
  await world.rests(caseId, "waiting");
  await desk.answerApproval(caseId, { step: "approve", approved: true, form: { pin: MARKER }, by: "ops" });
  await world.rests(caseId, "in_review");
  await desk.recordEvent(caseId, { eventType: "told", payload: { ref: MARKER }, by: "bank" });
  await world.rests(caseId, "in_review");
  const { repairId } = await desk.openRepair(caseId, { by: "ben", host: "here", build: "test" });
  await desk.correctInput(caseId, {
    input: { name: "Ada", iban: `${MARKER}-2` },
    reason: MARKER,
    by: "ben",
    repairId,
  });
  await desk.closeRepair(caseId, repairId, "ben");
  await world.rests(caseId, "in_review", "waiting");
  for (let left = SNAPSHOT_ENTRIES; left > 0; left -= COMMIT_ENTRIES_MAX) {
    const commitId = newId();
    const notes = Array.from({ length: COMMIT_ENTRIES_MAX }, () => note(MARKER));
    await world.store.changeCase(caseId, changeOf(commitId), appending(notes, commitId));
    await world.rests(caseId, "in_review", "waiting");
  }
  await desk.addNote(caseId, { text: MARKER, by: "ben" });
  await world.rests(caseId, "in_review", "waiting");
  const strict = createDesk({
    store: world.store,
    ports: world.ports,
    registry: registryOf([payout]),
    engineVersion: ENGINE_VERSION,
    secondRules: [{ moves: ["correct"], caseTypes: "all" }],
  });
  await strict.correctInput(caseId, {
    input: { name: "Ada", iban: `${MARKER}-3` },
    reason: "asked for",
    by: "ben",
  });
  const request = { step: "pay", result: MARKER };
  const act = { bulkId: "b-1", move: "skip", request, filter: {}, by: "ben", reason: null };
  await world.store.bulk.create({ ...act, state: "running" }, [caseId]);
  const deliveries = [MARKER, MARKER.padEnd(300_000, "-")].map((body) => newDelivery({ body }));
  await world.store.inbox.takeIn(deliveries);
  // All of it is there to be read.
  expect(JSON.stringify((await world.store.loadCase(caseId))?.journal)).toContain(`${MARKER}-2`);
  expect(JSON.stringify(await strict.listSeconds())).not.toContain("unreadable");
  expect(JSON.stringify(await world.store.seconds.listOpen(caseId))).toContain(`${MARKER}-3`);
  expect(await world.store.bulk.load("b-1")).toMatchObject({ request });
  expect(JSON.stringify(await world.store.audit.list({ limit: 500 }))).toContain(MARKER);
  for (const { deliveryId, body } of deliveries)
    expect(Buffer.from((await world.store.inbox.loadBody(deliveryId)) ?? []).equals(body)).toBe(true);
}

describe("what a whole story leaves in the tables", () => {
  let database: TestDatabase;
  let client: Client;
  beforeAll(async () => {
    database = await createTestDatabase();
    client = new Client(database.url);
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  async function tell(codec: PayloadCodec | undefined): Promise<readonly string[]> {
    await client.query("drop schema if exists foothold cascade");
    const store = postgresStore({ url: database.url, ...(codec === undefined ? {} : { codec }) });
    const world = new World(store);
    try {
      await store.migrate();
      await live(world);
      return await tablesWith(client, MARKER);
    } finally {
      await world.close();
    }
  }

  test("is plain without a codec, wherever a payload is kept; and nowhere with one", async () => {
    expect(await tell(undefined)).toEqual([
      "audit",
      "bulk_acts",
      "deliveries",
      "delivery_parts",
      "journal",
      "second_requests",
      "snapshots",
    ]);
    expect(await tell(aesGcm({ keys: [{ id: "2026", secret: randomBytes(32) }] }))).toEqual([]);
  });
});
