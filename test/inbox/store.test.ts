import { randomUUID } from "node:crypto";
import { Client } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { testDesk } from "../../src/desk/purchase.fixture.ts";
import { countEventNeeds } from "../../src/core/event-needs.ts";
import { keyHash } from "../../src/inbox/keys.ts";
import {
  LOST_FACT_SENTENCE,
  WORK_LOSSES_MAX,
  type ClaimedWork,
  type InboxStore,
  type WorkOutcome,
} from "../../src/store/inbox-port.ts";
import { memoryStore } from "../../src/store/memory/store.ts";
import type { Store } from "../../src/store/port.ts";
import { postgresStore } from "../../src/store/postgres/store.ts";
import { createTestDatabase, type TestDatabase } from "../setup/database.ts";
import { newCase } from "../store/made-cases.ts";
import { eventIn, newDelivery, newWork, scope, type Made } from "./made-deliveries.ts";
import { until } from "../engine/world.ts";

const tables = [
  "deliveries",
  "delivery_parts",
  "inbox_events",
  "inbox_keys",
  "inbox_sightings",
  "inbox_work",
  "inbox_refusals",
  "inbox_sources",
  "case_keys",
  "cases",
  "journal",
].map((table) => `foothold.${table}`);

const consumers = [{ ...scope, consumer: "tell the order" }];

describe("the inbox of the memory store", () => {
  let store: Store;
  beforeEach(() => {
    store = memoryStore();
  });
  testInbox(() => store);
});

describe("the inbox of the PostgreSQL store", () => {
  let database: TestDatabase;
  let client: Client;
  let store: Store;
  beforeAll(async () => {
    database = await createTestDatabase();
    client = new Client(database.url);
    await client.connect();
    store = postgresStore({ url: database.url });
    await store.migrate();
  });
  beforeEach(async () => {
    await client.query(`truncate ${tables.join(", ")}`);
  });
  afterAll(async () => {
    await client.end();
    await store.close();
    await database.drop();
  });
  testInbox(() => store);

  test("takes an event in once, however many processes take it in at the same moment", async () => {
    const other = postgresStore({ url: database.url });
    const taken = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (index % 2 === 0 ? store : other).inbox.takeIn([
          newDelivery({ key: "k1" }),
          newDelivery({ key: "k2" }),
        ]),
      ),
    );
    await other.close();
    const fresh = taken.flat(2).filter(({ isNew }) => isNew);
    expect(fresh).toHaveLength(2);
    const { rows } = await client.query("select sightings from foothold.inbox_events");
    expect(rows).toEqual([{ sightings: 40 }, { sightings: 40 }]);
  });

  test("claims a lane for one process only, however many ask at the same moment", async () => {
    const other = postgresStore({ url: database.url });
    const lane = { work: [{ lane: "sub_1" }] };
    await store.inbox.takeIn(Array.from({ length: 20 }, () => newDelivery(lane)));
    for (let round = 0; round < 10; round += 1) {
      const replies = await Promise.all(
        Array.from({ length: 8 }, (_, index) => claim((index % 2 === 0 ? store : other).inbox, 4)),
      );
      expect(replies.flat().length).toBeLessThanOrEqual(1);
      await store.inbox.settleWork(replies.flat().map((one) => outcomeOf(one, { state: "done" })));
    }
    await other.close();
  });
});

async function claim(inbox: InboxStore, count = 10): Promise<readonly ClaimedWork[]> {
  const claimIds = Array.from({ length: count }, () => randomUUID());
  const reply = await inbox.claimWork({ holderId: "h1", claimIds, consumers, actWithinMs: 60_000 });
  return reply.claimed;
}

const order = { vendor: "ACME", amount: 12.5 };

function outcomeOf({ work }: ClaimedWork, given: Partial<WorkOutcome>): WorkOutcome {
  return {
    eventId: work.eventId,
    consumer: work.consumer,
    claimId: work.claimId ?? "",
    state: "done",
    dueInMs: null,
    attempts: work.attempts,
    sentence: "Told.",
    errorClass: null,
    caseIds: [],
    sourceId: null,
    waitsFor: null,
    ...given,
  };
}

function testInbox(storeOf: () => Store): void {
  const inbox = (): InboxStore => storeOf().inbox;
  const takeOne = async (made?: Made): Promise<string> => {
    const delivery = newDelivery(made);
    await inbox().takeIn([delivery]);
    return eventIn(delivery).eventId;
  };

  test("keeps the bytes of a delivery as they were sent, and its events and work with it", async () => {
    for (const body of [
      Buffer.from([0, 255, 254, 123, 92]),
      Buffer.from('{"a":"\\u0000","a":1e400}'),
      Buffer.alloc(0),
      Buffer.alloc(700_000, 7),
    ]) {
      const delivery = newDelivery({ body });
      expect(await inbox().takeIn([delivery])).toEqual([
        [{ eventId: eventIn(delivery).eventId, isNew: true, isDifferent: false }],
      ]);
      const kept = Buffer.from((await inbox().loadBody(delivery.deliveryId)) ?? []);
      // Compared as bytes: a comparison that can show where they differ takes seconds.
      expect([kept.length, kept.equals(body)]).toEqual([body.length, true]);
      const shown = await inbox().showEvent(eventIn(delivery).eventId);
      expect(shown).toMatchObject({
        event: {
          eventType: "order.paid",
          sightings: 1,
          standing: "routed",
          firstSeenAt: delivery.receivedAt,
        },
        work: [{ consumer: "tell the order", state: "ready", owner: "shop-team" }],
        delivery: { kept: "here", bodyBytes: body.length, bodyHash: delivery.bodyHash },
      });
    }
    expect(await inbox().loadBody("d00-unknown")).toBeNull();
    expect(await inbox().showEvent("e00-00000000000000000000000000000000")).toBeNull();
  });

  test("takes many deliveries in at once, each reply at the place of its delivery", async () => {
    const old = newDelivery({ key: "old" });
    await inbox().takeIn([old]);
    const bodies = ["{}", '{"n":2}', "x".repeat(300_000), ""];
    const deliveries = [newDelivery({ key: "old" }), ...bodies.map((body) => newDelivery({ body }))];
    const taken = await inbox().takeIn(deliveries);
    expect(taken.map(([one]) => one?.isNew)).toEqual([false, true, true, true, true]);
    for (const { deliveryId, body } of deliveries.slice(1)) {
      expect(Buffer.from((await inbox().loadBody(deliveryId)) ?? []).equals(Buffer.from(body))).toBe(true);
    }
  });

  test("notes a repeat as a sighting, keeps its bytes once, and makes no second work", async () => {
    const eventId = await takeOne({ key: "k" });
    const again = newDelivery({ key: "k", at: 1_800_000_005_000 });
    expect(await inbox().takeIn([again])).toEqual([[{ eventId, isNew: false, isDifferent: false }]]);
    const shown = await inbox().showEvent(eventId);
    expect(shown?.event).toMatchObject({ sightings: 2, lastSeenAt: 1_800_000_005_000 });
    expect(shown?.work).toHaveLength(1);
    expect(shown?.sightings).toEqual([
      { at: 1_800_000_005_000, kind: "repeat", reference: again.deliveryId, by: null, reason: null },
    ]);
    expect(await inbox().loadBody(again.deliveryId)).toBeNull();
  });

  test("tells a repeat with other bytes, and keeps both; not where a list writes it in its own way", async () => {
    const eventId = await takeOne({ key: "k" });
    const other = newDelivery({ key: "k", body: '{"id":2}' });
    expect(await inbox().takeIn([other])).toEqual([[{ eventId, isNew: false, isDifferent: true }]]);
    expect(await inbox().loadBody(other.deliveryId)).not.toBeNull();
    const listed = newDelivery({ key: "k", body: '{ "id": 1 }', how: "listed" });
    expect(await inbox().takeIn([listed])).toEqual([[{ eventId, isNew: false, isDifferent: false }]]);
    const kinds = (await inbox().showEvent(eventId))?.sightings.map(({ kind }) => kind) ?? [];
    expect(new Set(kinds)).toEqual(new Set(["different", "listed"]));
  });

  test("makes the work that a known event lacks when it comes again", async () => {
    const eventId = await takeOne({ key: "k", work: [], standing: "nobody" });
    expect((await inbox().showEvent(eventId))?.work).toEqual([]);
    await takeOne({ key: "k", work: [{}] });
    const shown = await inbox().showEvent(eventId);
    expect(shown?.event.standing).toBe("routed");
    expect(shown?.work).toMatchObject([{ state: "ready" }]);
  });

  test("leaves work that is done as it is when its event comes again", async () => {
    const eventId = await takeOne({ key: "k" });
    const [claimed] = await claim(inbox());
    if (claimed === undefined) throw new Error("nothing was claimed");
    const { caseId } = await testDesk(storeOf()).startCase("purchase", order, { by: "ada" });
    expect(await inbox().settleWork([outcomeOf(claimed, { caseIds: [caseId] })])).toEqual([true]);
    await takeOne({ key: "k" });
    expect((await inbox().showEvent(eventId))?.work).toMatchObject([{ state: "done", caseIds: [caseId] }]);
    expect(await claim(inbox())).toEqual([]);
  });

  test("takes work for done only with what its cases were told: what a failover lost since is told again", async () => {
    const desk = testDesk(storeOf());
    const { caseId } = await desk.startCase("purchase", order, { by: "ada" });
    const sourceId = "inbox:bank:e-1";
    const eventId = await takeOne({ key: "k" });
    const settled = async (given: Partial<WorkOutcome>) => {
      const shown = async () => (await inbox().showEvent(eventId))?.work[0];
      const [claimed] = await until("the work to be due", async () => {
        const found = await claim(inbox());
        return found.length === 0 ? null : found;
      });
      if (claimed === undefined) throw new Error("nothing was claimed");
      expect(await inbox().settleWork([outcomeOf(claimed, given)])).toEqual([true]);
      return shown();
    };
    const lost = { state: "ready", claimId: null, sentence: LOST_FACT_SENTENCE };
    // The case itself, or the fact in it, was of the server that is gone.
    expect(await settled({ caseIds: [caseId, "07-gone"] })).toMatchObject(lost);
    expect(await settled({ caseIds: [caseId], sourceId, state: "ignored" })).toMatchObject(lost);
    const event = { eventType: "approval.revoked", payload: { why: "late" }, sourceId };
    await desk.recordEvent(caseId, event);
    expect(await settled({ caseIds: [caseId], sourceId })).toMatchObject({ state: "done", dueAt: null });
  });

  test("keeps sources and tenants apart: one never hides what another sends", async () => {
    const one = await takeOne({ key: "k" });
    const other = await takeOne({ key: "k", source: "other" });
    expect(one).not.toBe(other);
    expect(await inbox().listEvents({ limit: 10 })).toMatchObject({ events: [{}, {}], next: null });
    expect((await inbox().listEvents({ source: "other", limit: 10 })).events).toHaveLength(1);
  });

  test("claims what is due, each piece once, with its event and only for consumers that are known", async () => {
    const eventId = await takeOne({ work: [{}, { consumer: "unknown here" }] });
    const claimed = await claim(inbox());
    expect(claimed).toMatchObject([
      { work: { eventId, consumer: "tell the order", state: "claimed" }, event: { eventId, itemNo: 0 } },
    ]);
    expect(await claim(inbox())).toEqual([]);
  });

  test("stores an outcome only while the claim still holds", async () => {
    await takeOne();
    const [claimed] = await claim(inbox());
    if (claimed === undefined) throw new Error("nothing was claimed");
    const foreign = outcomeOf(claimed, { claimId: "another" });
    expect(await inbox().settleWork([foreign, outcomeOf(claimed, {})])).toEqual([false, true]);
    expect(await inbox().settleWork([outcomeOf(claimed, { state: "in_review" })])).toEqual([false]);
  });

  test("makes work wait until it is due again", async () => {
    const eventId = await takeOne();
    const [claimed] = await claim(inbox());
    if (claimed === undefined) throw new Error("nothing was claimed");
    const later = { state: "waiting", dueInMs: 60_000, attempts: 1, errorClass: "TypeError" } as const;
    await inbox().settleWork([outcomeOf(claimed, later)]);
    expect(await claim(inbox())).toEqual([]);
    expect((await inbox().showEvent(eventId))?.work).toMatchObject([
      { state: "waiting", attempts: 1, errorClass: "TypeError" },
    ]);
    const reply = await inbox().claimWork({ holderId: "h", claimIds: ["c"], consumers, actWithinMs: 1 });
    expect(reply.nextDueAt).toBeGreaterThan(reply.now + 50_000);
  });

  test("claims one of a lane at a time, oldest first, and lanes side by side", async () => {
    for (const lane of ["a", "a", "b", null, null]) await takeOne({ work: [{ lane }] });
    const first = await claim(inbox());
    expect(first).toHaveLength(4);
    expect(await claim(inbox())).toEqual([]);
    await inbox().settleWork(first.map((one) => outcomeOf(one, {})));
    expect(await claim(inbox())).toHaveLength(1);
  });

  test("frees claims of holders that ended, and puts the third loss of a round in review", async () => {
    const eventId = await takeOne();
    for (let losses = 1; losses <= WORK_LOSSES_MAX; losses += 1) {
      expect(await claim(inbox())).toHaveLength(1);
      expect(await inbox().listWorkHolders()).toEqual(["h1"]);
      expect(await inbox().freeWork(["another"])).toBe(0);
      expect(await inbox().freeWork(["h1"])).toBe(1);
    }
    expect((await inbox().showEvent(eventId))?.work).toMatchObject([
      { state: "in_review", losses: WORK_LOSSES_MAX, dueAt: null, errorClass: "lost" },
    ]);
  });

  test("names nobody as a holder of work who has settled it", async () => {
    await takeOne();
    const claimed = await claim(inbox());
    await inbox().settleWork(claimed.map((one) => outcomeOf(one, {})));
    expect(await inbox().listWorkHolders()).toEqual([]);
  });

  test("takes claims back that their holder does not know: those alone, and without a loss", async () => {
    await takeOne();
    await takeOne();
    const [first, second] = [randomUUID(), randomUUID()];
    const claimed = { consumers, holderId: "h1", actWithinMs: 60_000 };
    await inbox().claimWork({ ...claimed, claimIds: [first] });
    await inbox().claimWork({ ...claimed, claimIds: [second] });
    expect(await inbox().releaseWork("h2", [])).toBe(0);
    expect(await inbox().releaseWork("h1", [first, second])).toBe(0);
    expect(await inbox().releaseWork("h1", [second, randomUUID()])).toBe(1);
    expect(await inbox().releaseWork("h1", [second])).toBe(0);
    expect(await claim(inbox())).toMatchObject([{ work: { losses: 0 } }]);
  });

  test("frees a claim whose time is over, though its holder lives", async () => {
    await takeOne();
    const claimIds = [randomUUID()];
    await inbox().claimWork({ holderId: "h1", claimIds, consumers, actWithinMs: 0 });
    await expect.poll(() => inbox().freeWork([])).toBe(1);
    expect(await claim(inbox())).toHaveLength(1);
  });

  test("puts work in review when its deadline has passed, with what was last said of it", async () => {
    const eventId = await takeOne({ work: [{ withinMs: 0 }] });
    await expect.poll(() => inbox().expireWork()).toBe(1);
    expect((await inbox().showEvent(eventId))?.work).toMatchObject([
      {
        state: "in_review",
        sentence: "It was not done in time. No worker has taken it.",
        owner: "shop-team",
      },
    ]);
  });

  test("finds a case by its business key and by keys that were linked, and wakes what waits for it", async () => {
    const start = newCase({ at: 1, businessKey: "order-1" });
    const { shard, tenant, caseType, caseId } = start.identity;
    const byKey = { shard, tenant, caseType, key: "order-1" };
    const byLink = { shard: 3, tenant, caseType, key: "ch_1" };
    await takeOne();
    await takeOne();
    const claimed = await claim(inbox());
    await inbox().settleWork(
      claimed.map((one, index) =>
        outcomeOf(one, { state: "waiting", dueInMs: 60_000, waitsFor: index === 0 ? byKey : byLink }),
      ),
    );
    expect(await inbox().rematchWork()).toBe(0);
    await storeOf().insertCase(start);
    expect(await inbox().findCases(byKey)).toEqual([caseId]);
    expect(await inbox().rematchWork()).toBe(1);
    await inbox().linkCase(caseId, [byLink]);
    await inbox().linkCase(caseId, [byLink]);
    expect(await inbox().findCases(byLink)).toEqual([caseId]);
    expect(await inbox().findCases({ ...byLink, tenant: "another" })).toEqual([]);
    expect(await inbox().rematchWork()).toBe(1);
    expect(await claim(inbox())).toHaveLength(2);
  });

  test("hints when a case is linked that an event waits for", async () => {
    let hints = 0;
    const stop = await storeOf().listen(() => (hints += 1));
    const target = { shard: 3, tenant: "default", caseType: "order", key: "ch_1" };
    await inbox().linkCase("07-abc", [{ ...target, key: "nobody waits" }]);
    await takeOne();
    const [claimed] = await claim(inbox());
    if (claimed === undefined) throw new Error("nothing was claimed");
    await inbox().settleWork([outcomeOf(claimed, { state: "waiting", dueInMs: 60_000, waitsFor: target })]);
    await inbox().linkCase("07-abc", [target]);
    await expect.poll(() => hints).toBe(1);
    await stop();
  });

  test("gives a further key to the first event, and notes the others on it", async () => {
    const key = { kind: "business", hash: keyHash(scope, "business", ["in_1"]) } as const;
    const [one, other] = [await takeOne(), await takeOne()];
    expect(await inbox().takeKey(one, key)).toBeNull();
    expect(await inbox().takeKey(one, key)).toBeNull();
    expect(await inbox().takeKey(other, key)).toBe(one);
    expect((await inbox().showEvent(one))?.sightings).toMatchObject([{ kind: "sameFact", reference: other }]);
  });

  test("opens work again for a person and notes who and why; not what is claimed", async () => {
    const eventId = await takeOne();
    const act = { by: "ann", reason: "the definition was corrected" };
    const [claimed] = await claim(inbox());
    if (claimed === undefined) throw new Error("nothing was claimed");
    expect(await inbox().reopenWork(eventId, [newWork()], act)).toEqual([]);
    await inbox().settleWork([outcomeOf(claimed, { state: "in_review", attempts: 5 })]);
    const missing = newWork({ consumer: "start an order" });
    expect(await inbox().reopenWork(eventId, [newWork(), missing], act)).toEqual([
      "start an order",
      "tell the order",
    ]);
    const shown = await inbox().showEvent(eventId);
    expect(shown?.work).toMatchObject([
      { consumer: "start an order", state: "ready" },
      { consumer: "tell the order", state: "ready", attempts: 0, sentence: null },
    ]);
    expect(shown?.sightings[0]).toMatchObject({ kind: "replayed", ...act });
  });

  test("lists events newest first, page by page, and by what stands open", async () => {
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      const standing = index === 2 ? "nobody" : "routed";
      ids.push(await takeOne({ at: 1_800_000_000_000 + index, standing, work: index === 2 ? [] : [{}] }));
    }
    const first = await inbox().listEvents({ limit: 3 });
    expect(first.events.map(({ event }) => event.eventId)).toEqual(ids.toReversed().slice(0, 3));
    const rest = await inbox().listEvents({ limit: 3, after: first.next ?? "" });
    expect(rest.events.map(({ event }) => event.eventId)).toEqual(ids.toReversed().slice(3));
    expect(rest.next).toBeNull();
    expect((await inbox().listEvents({ limit: 9, standing: "nobody" })).events).toHaveLength(1);
    expect((await inbox().listEvents({ limit: 9, workStates: ["ready"] })).events).toHaveLength(4);
    expect((await inbox().listEvents({ limit: 9, workStates: ["in_review"] })).events).toEqual([]);
    expect(await inbox().countWork()).toMatchObject([{ ...scope, state: "ready", count: 4 }]);
  });

  test("counts what stands in review as the pure function does, by who takes it and where it came from", async () => {
    const review = "which case?";
    for (const [consumer, owner] of [
      ["one", "finance"],
      ["two", "finance"],
      ["one", "sales"],
    ] as const) {
      await takeOne({ work: [{ consumer, owner, review }] });
    }
    await takeOne({
      work: [
        { consumer: "one", owner: "finance", review },
        { consumer: "two", owner: "finance", review },
      ],
    });
    await takeOne({ work: [{ consumer: "open" }] });
    const { events } = await inbox().listEvents({ limit: 9, workStates: ["in_review"] });
    const works = events.flatMap(({ work }) => work.filter(({ state }) => state === "in_review"));
    expect(works).toHaveLength(5);
    for (const dueAfterMs of [3_600_000, -1_000]) {
      const now = Math.max(...works.map(({ changedAt }) => changedAt));
      const wanted = countEventNeeds(works, { now, dueAfterMs });
      expect(await inbox().countNeeds(dueAfterMs)).toEqual({ needs: wanted, isWhole: true });
      expect(wanted.map(({ owner, events: counted }) => [owner, counted])).toEqual([
        ["finance", 3],
        ["sales", 1],
      ]);
    }
  });

  test("keeps an unreadable event in review from the start", async () => {
    const review = "Its body cannot be read: it is not UTF-8.";
    const eventId = await takeOne({ standing: "unreadable", work: [{ consumer: "(unreadable)", review }] });
    expect((await inbox().showEvent(eventId))?.work).toMatchObject([
      { state: "in_review", sentence: review, dueAt: null, owner: "shop-team" },
    ]);
    expect((await inbox().listEvents({ limit: 9, workStates: ["in_review"] })).events).toHaveLength(1);
  });

  test("notes refusals without their bodies", async () => {
    const refusal = {
      refusalId: `r01-${randomUUID()}`,
      ...scope,
      at: 1_800_000_000_000,
      reason: "wrongSignature",
      bodyBytes: 26_214_400,
      headers: [["user-agent", "GitHub-Hookshot"]],
      isLost: true,
      count: 3,
    } as const;
    await inbox().refuse([refusal]);
    await inbox().refuse([refusal]);
    expect(await inbox().listRefusals(10)).toEqual([refusal]);
  });

  test("remembers how far a list was read", async () => {
    expect(await inbox().readReconciling("t", "s")).toEqual({ readToAt: null, underWay: null });
    const underWay = { sinceAt: 1, untilAt: 2, cursor: { page: ["a"] } };
    await inbox().writeReconciling("t", "s", { readToAt: 5, underWay });
    expect(await inbox().readReconciling("t", "s")).toEqual({ readToAt: 5, underWay });
    await inbox().writeReconciling("t", "s", { readToAt: 9, underWay: null });
    expect(await inbox().readReconciling("t", "s")).toEqual({ readToAt: 9, underWay: null });
  });

  test("forgets bodies first and events much later, and neither while work is open", async () => {
    const at = 1_700_000_000_000;
    const open = newDelivery({ at, key: "open" });
    const done = newDelivery({ at, key: "done", body: "x".repeat(300_000), work: [] });
    const repeat = newDelivery({ at: at + 1_000, key: "done", body: "x".repeat(300_000), work: [] });
    await inbox().takeIn([open, done]);
    await inbox().takeIn([repeat]);
    expect(await inbox().forget(scope, { bodiesBefore: at + 1, eventsBefore: 0 })).toEqual({
      bodies: 1,
      events: 0,
    });
    expect(await inbox().loadBody(done.deliveryId)).toBeNull();
    expect(await inbox().loadBody(open.deliveryId)).not.toBeNull();
    expect(
      (await inbox().takeIn([newDelivery({ at: at + 2_000, key: "done", work: [] })]))[0]?.[0]?.isNew,
    ).toBe(false);
    const before = { bodiesBefore: at + 9_000, eventsBefore: at + 9_000 };
    expect(await inbox().forget(scope, before)).toMatchObject({ events: 1 });
    expect(await inbox().showEvent(eventIn(done).eventId)).toBeNull();
    expect(await inbox().showEvent(eventIn(open).eventId)).not.toBeNull();
  });
}
