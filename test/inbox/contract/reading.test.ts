import { expect, test } from "vitest";
import { countEventNeeds } from "../../../src/core/event-needs.ts";
import type { InboxStore, Refusal } from "../../../src/store/inbox-port.ts";
import { eventIn, newDelivery, scope, type Made } from "../made-deliveries.ts";
import { onBothStores, takeOne as take } from "./stores.ts";

onBothStores("the inbox, read and forgotten", (storeOf) => {
  const inbox = (): InboxStore => storeOf().inbox;
  const takeOne = (made?: Made): Promise<string> => take(inbox(), made);

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

  test("remembers how far a list was read", async () => {
    expect(await inbox().readReconciling("t", "s")).toEqual({ readToAt: null, underWay: null });
    const underWay = { sinceAt: 1, untilAt: 2, cursor: { page: ["a"] } };
    await inbox().writeReconciling("t", "s", { readToAt: 5, underWay });
    expect(await inbox().readReconciling("t", "s")).toEqual({ readToAt: 5, underWay });
    await inbox().writeReconciling("t", "s", { readToAt: 9, underWay: null });
    expect(await inbox().readReconciling("t", "s")).toEqual({ readToAt: 9, underWay: null });
  });

  test("remembers what each source said last of how long it keeps what it took in", async () => {
    expect(await inbox().listSources()).toEqual([]);
    await inbox().writeReconciling("t", "shop", { readToAt: 5, underWay: null });
    const bank = { tenant: "t", source: "bank", keepBodiesMs: 1_000, rememberMs: 5_000_000_000 };
    const shop = { ...bank, source: "shop", keepBodiesMs: 2_000 };
    await inbox().noteSources([shop, bank]);
    expect(await inbox().listSources()).toEqual([bank, shop]);
    await inbox().noteSources([{ ...bank, keepBodiesMs: 3_000 }]);
    expect(await inbox().listSources()).toEqual([{ ...bank, keepBodiesMs: 3_000 }, shop]);
    expect(await inbox().readReconciling("t", "shop")).toEqual({ readToAt: 5, underWay: null });
    expect(await inbox().readReconciling("t", "bank")).toEqual({ readToAt: null, underWay: null });
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
      refusals: 0,
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

  test("forgets refusals with the bodies of their time, of one source alone", async () => {
    const at = 1_700_000_000_000;
    const refused = (refusalId: string, given: Partial<Refusal> = {}): Refusal => ({
      refusalId,
      ...scope,
      at,
      reason: "wrongSignature",
      bodyBytes: 2,
      headers: [],
      isLost: false,
      count: 1,
      ...given,
    });
    await inbox().refuse([
      refused("r01-old"),
      refused("r02-new", { at: at + 1_000 }),
      refused("r03-elsewhere", { source: "bank" }),
    ]);
    expect(await inbox().forget(scope, { bodiesBefore: at + 1, eventsBefore: 0 })).toMatchObject({
      refusals: 1,
    });
    const withinMs = Date.now() - at + 3_600_000;
    expect(await inbox().countRefusals(withinMs)).toEqual([
      { source: "bank", reason: "wrongSignature", count: 1 },
      { source: "shop", reason: "wrongSignature", count: 1 },
    ]);
    expect(await inbox().countRefusals(60_000)).toEqual([]);
    const left = (await inbox().listRefusals(9)).map(({ refusalId }) => refusalId);
    expect(left.toSorted()).toEqual(["r02-new", "r03-elsewhere"]);
  });
});
