import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { testDesk } from "../../../src/desk/purchase.fixture.ts";
import {
  LOST_FACT_SENTENCE,
  WORK_LOSSES_MAX,
  type InboxStore,
  type WorkOutcome,
} from "../../../src/store/inbox-port.ts";
import { postgresStore } from "../../../src/store/postgres/store.ts";
import { until } from "../../engine/world.ts";
import { newCase } from "../../store/made-cases.ts";
import { newDelivery, newWork, type Made } from "../made-deliveries.ts";
import { claim, consumers, onBothStores, onPostgres, outcomeOf, takeOne as take } from "./stores.ts";

const order = { vendor: "ACME", amount: 12.5 };

onBothStores("work", (storeOf) => {
  const inbox = (): InboxStore => storeOf().inbox;
  const takeOne = (made?: Made): Promise<string> => take(inbox(), made);

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

  test("ignores work that stands as a person saw it, whatever it is, and notes who and why", async () => {
    const consumersOf = ["tell the order", "start an order", "count"];
    const eventId = await takeOne({ work: consumersOf.map((consumer) => ({ consumer })) });
    const act = { by: "ann", reason: "sent by mistake", sentence: "Ignored by ann: sent by mistake" };
    const [claimed] = await claim(inbox());
    const { claimId = null } = claimed?.work ?? {};
    const seen = [
      { consumer: "tell the order", state: "claimed", claimId: "another" },
      { consumer: "start an order", state: "waiting", claimId: null },
      { consumer: "nobody", state: "ready", claimId: null },
    ] as const;
    expect(await inbox().ignoreWork(eventId, seen, act)).toEqual([]);
    expect((await inbox().showEvent(eventId))?.sightings).toEqual([]);
    const now = [
      { consumer: "tell the order", state: "claimed", claimId },
      { consumer: "start an order", state: "ready", claimId: null },
    ] as const;
    expect(await inbox().ignoreWork(eventId, now, act)).toEqual(["start an order", "tell the order"]);
    const { sentence } = act;
    const closed = { state: "ignored", dueAt: null, claimId: null, holderId: null, sentence };
    const shown = await inbox().showEvent(eventId);
    expect(shown?.work).toMatchObject([{ consumer: "count", state: "ready" }, closed, closed]);
    expect(shown?.sightings).toMatchObject([
      {
        kind: "ignored",
        reference: "start an order, tell the order",
        by: "ann",
        reason: "sent by mistake",
      },
    ]);
    expect(await inbox().ignoreWork(eventId, now, act)).toEqual([]);
  });

  test("takes no outcome for work that was ignored meanwhile, and no repeat, sweep or case brings it back", async () => {
    const made = { key: "k", work: [{ withinMs: 0 }] };
    const eventId = await takeOne(made);
    const [claimed] = await claim(inbox());
    if (claimed === undefined) throw new Error("nothing was claimed");
    const target = { shard: 3, tenant: "default", caseType: "order", key: "ch_1" };
    await inbox().settleWork([outcomeOf(claimed, { state: "waiting", dueInMs: 0, waitsFor: target })]);
    const [again] = await until("the work to be due", async () => {
      const found = await claim(inbox());
      return found.length === 0 ? null : found;
    });
    if (again === undefined) throw new Error("nothing was claimed");
    const seen = [{ consumer: "tell the order", state: "claimed", claimId: again.work.claimId }] as const;
    const act = { by: "ann", reason: "x", sentence: "Ignored by ann: x" };
    expect(await inbox().ignoreWork(eventId, seen, act)).toEqual(["tell the order"]);
    expect(await inbox().settleWork([outcomeOf(again, {})])).toEqual([false]);
    await take(inbox(), made);
    await inbox().linkCase("07-abc", [target]);
    expect(await inbox().freeWork(["h1"])).toBe(0);
    expect(await inbox().expireWork()).toBe(0);
    expect(await inbox().rematchWork()).toBe(0);
    expect(await claim(inbox())).toEqual([]);
    expect((await inbox().showEvent(eventId))?.work).toMatchObject([{ state: "ignored", waitsFor: null }]);
    await inbox().reopenWork(eventId, [newWork()], act);
    expect(await claim(inbox())).toMatchObject([{ work: { eventId } }]);
  });

  test("lets what follows in a lane go on at once when the claim before it is ignored", async () => {
    const blocked = await takeOne({ work: [{ lane: "a" }] });
    const [claimed] = await claim(inbox());
    const follows = await takeOne({ work: [{ lane: "a" }] });
    expect(await claim(inbox())).toEqual([]);
    const { claimId = null } = claimed?.work ?? {};
    const seen = [{ consumer: "tell the order", state: "claimed", claimId }] as const;
    await inbox().ignoreWork(blocked, seen, { by: "ann", reason: "x", sentence: "x" });
    expect(await claim(inbox())).toMatchObject([{ work: { eventId: follows } }]);
  });
});

onPostgres("work that several processes want at once", ({ store, database }) => {
  test("claims a lane for one process only, however many ask at the same moment", async () => {
    const other = postgresStore({ url: database().url });
    const lane = { work: [{ lane: "sub_1" }] };
    await store().inbox.takeIn(Array.from({ length: 20 }, () => newDelivery(lane)));
    for (let round = 0; round < 10; round += 1) {
      const replies = await Promise.all(
        Array.from({ length: 8 }, (_, index) => claim((index % 2 === 0 ? store() : other).inbox, 4)),
      );
      expect(replies.flat().length).toBeLessThanOrEqual(1);
      await store().inbox.settleWork(replies.flat().map((one) => outcomeOf(one, { state: "done" })));
    }
    await other.close();
  });
});
