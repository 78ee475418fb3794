import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { testDesk } from "../../../src/desk/purchase.fixture.ts";
import { keyHash } from "../../../src/inbox/keys.ts";
import type { InboxStore } from "../../../src/store/inbox-port.ts";
import { postgresStore } from "../../../src/store/postgres/store.ts";
import { eventIn, newDelivery, scope, type Made } from "../made-deliveries.ts";
import { claim, onBothStores, onPostgres, outcomeOf, takeOne as take } from "./stores.ts";

const order = { vendor: "ACME", amount: 12.5 };

onBothStores("what arrives", (storeOf) => {
  const inbox = (): InboxStore => storeOf().inbox;
  const takeOne = (made?: Made): Promise<string> => take(inbox(), made);

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

  test("keeps sources and tenants apart: one never hides what another sends", async () => {
    const one = await takeOne({ key: "k" });
    const other = await takeOne({ key: "k", source: "other" });
    expect(one).not.toBe(other);
    expect(await inbox().listEvents({ limit: 10 })).toMatchObject({ events: [{}, {}], next: null });
    expect((await inbox().listEvents({ source: "other", limit: 10 })).events).toHaveLength(1);
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

  test("gives a further key to the first event, and notes the others on it", async () => {
    const key = { kind: "business", hash: keyHash(scope, "business", ["in_1"]) } as const;
    const [one, other] = [await takeOne(), await takeOne()];
    expect(await inbox().takeKey(one, key)).toBeNull();
    expect(await inbox().takeKey(one, key)).toBeNull();
    expect(await inbox().takeKey(other, key)).toBe(one);
    expect((await inbox().showEvent(one))?.sightings).toMatchObject([{ kind: "sameFact", reference: other }]);
  });
});

onPostgres("what arrives at several processes at once", ({ store, database, client }) => {
  test("takes an event in once, however many processes take it in at the same moment", async () => {
    const other = postgresStore({ url: database().url });
    const taken = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (index % 2 === 0 ? store() : other).inbox.takeIn([
          newDelivery({ key: "k1" }),
          newDelivery({ key: "k2" }),
        ]),
      ),
    );
    await other.close();
    const fresh = taken.flat(2).filter(({ isNew }) => isNew);
    expect(fresh).toHaveLength(2);
    const { rows } = await client().query("select sightings from foothold.inbox_events");
    expect(rows).toEqual([{ sightings: 40 }, { sightings: 40 }]);
  });
});
