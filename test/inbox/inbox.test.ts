import { afterEach, describe, expect, test } from "vitest";
import { tellCase } from "foothold/inbox";
import { openWorld, secret, shopSource, until, type World } from "./world.ts";

describe("the inbox over HTTP", () => {
  let world: World;
  afterEach(() => world.close());

  test("lets a paid order go on, and a repeat changes nothing", async () => {
    world = await openWorld();
    const { caseId } = await world.desk.startCase(
      "order",
      { order: "o1" },
      { by: "test", businessKey: "o1" },
    );
    for (let times = 0; times < 3; times += 1) {
      const response = await world.post({ body: { order: "o1" }, id: "evt_1" });
      expect(response.status).toBe(202);
      expect(await response.text()).toBe("");
    }
    await until(() => world.ledger.lines.length === 2, "the order's shipping");
    await world.settle();
    expect(world.ledger.lines).toEqual(["reserve o1", "ship o1"]);
    const [one] = await world.history();
    expect(one?.event.sightings).toBe(3);
    expect(one?.work).toMatchObject([{ state: "done", caseIds: [caseId] }]);
    expect(await world.unowned()).toEqual([]);
  });

  test("refuses what is not authentic, without a word why, and shows it without its body", async () => {
    world = await openWorld();
    const forged = await world.post({ secret: "another" });
    expect([forged.status, await forged.text()]).toEqual([401, ""]);
    const unsigned = await fetch(`${world.url}/inbox/shop`, { method: "POST", body: "{}" });
    expect(unsigned.status).toBe(401);
    expect((await fetch(`${world.url}/inbox/unknown`, { method: "POST", body: "{}" })).status).toBe(404);
    expect((await fetch(`${world.url}/inbox/shop`)).status).toBe(405);
    await world.inbox.settled();
    const refusals = await world.store.inbox.listRefusals(10);
    expect(refusals.map(({ reason }) => reason).toSorted()).toEqual(["unsigned", "wrongSignature"]);
    expect(await world.history()).toEqual([]);
  });

  test("answers what is authentic but unknown or unreadable with a success, and keeps it in sight", async () => {
    world = await openWorld();
    expect((await world.post({ eventType: "never.heard.of" })).status).toBe(202);
    expect((await world.post({ raw: Buffer.from("{broken") })).status).toBe(202);
    const nobody = await world.store.inbox.listEvents({ standing: "nobody", limit: 10 });
    expect(nobody.events).toMatchObject([{ event: { eventType: "never.heard.of" }, work: [] }]);
    const unreadable = await world.store.inbox.listEvents({ standing: "unreadable", limit: 10 });
    expect(unreadable.events).toMatchObject([{ work: [{ state: "in_review", owner: "shop-team" }] }]);
  });

  test("asks the sender to come again while the database is away", async () => {
    world = await openWorld({ hasWorkers: false });
    await world.store.close();
    const response = await world.post();
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("5");
    expect(world.reports.map(({ kind }) => kind)).toEqual(["databaseAway"]);
  });

  test("counts a flood of forged requests and stores few of them", async () => {
    world = await openWorld({ hasWorkers: false });
    for (let times = 0; times < 60; times += 1) await world.post({ secret: "another" });
    await world.inbox.settled();
    const refusals = await world.store.inbox.listRefusals(100);
    expect(refusals.length).toBeLessThan(25);
    expect(refusals.reduce((sum, { count }) => sum + count, 0)).toBe(60);
  });

  test("starts a case for an event, once however often it comes", async () => {
    world = await openWorld({
      sources: (order) => [
        [
          "shop",
          shopSource(order, {
            consumers: {
              start: {
                kind: "start",
                caseType: "order",
                on: ["order.placed"],
                input: ({ data }) => data,
                businessKey: null,
              },
            },
          }),
        ],
      ],
    });
    for (const id of ["a", "a", "b", "a"])
      await world.post({ id, body: { order: id }, eventType: "order.placed" });
    await world.settle();
    expect((await world.desk.list()).cases).toHaveLength(2);
    await world.post({ id: "c", body: { wrong: true }, eventType: "order.placed" });
    await world.settle();
    const [newest] = await world.history();
    expect(newest?.work).toMatchObject([{ state: "in_review", errorClass: "INVALID_INPUT" }]);
  });

  test("opens work again for a person, with the keys it had", async () => {
    world = await openWorld();
    await world.desk.startCase("order", { order: "o1" }, { by: "test", businessKey: "o1" });
    await world.post({ body: { order: "o1" }, id: "evt_1" });
    await until(() => world.ledger.lines.length === 2, "the order's shipping");
    await world.settle();
    const [one] = await world.history();
    const eventId = one?.event.eventId ?? "";
    await world.inbox.replay(eventId, { by: "ann", reason: "to see" });
    await world.settle();
    expect(await world.inbox.show(eventId)).toMatchObject({
      work: [{ state: "done", sentence: expect.stringContaining("knew that already") as unknown }],
      sightings: [{ kind: "replayed", by: "ann", reason: "to see" }],
    });
    expect(world.ledger.lines).toEqual(["reserve o1", "ship o1"]);
    await expect(
      world.inbox.replay(eventId, { by: "ann", reason: "x", consumer: "nobody" }),
    ).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    await expect(world.inbox.show("nonsense")).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  });

  test("leaves work undone that a person ignores, however often its event comes, until it is replayed", async () => {
    let isPoisonous = true;
    const asked: string[] = [];
    world = await openWorld({
      attemptsMax: 1,
      sources: (order) => [
        [
          "shop",
          shopSource(order, {
            consumers: {
              tell: tellCase(order, {
                on: "order.paid",
                as: "paid",
                fetch: ({ eventId, data }) => {
                  asked.push(eventId);
                  return isPoisonous ? Promise.reject(new Error("no such thing")) : Promise.resolve(data);
                },
              }),
            },
          }),
        ],
      ],
    });
    await world.desk.startCase("order", { order: "o1" }, { by: "test", businessKey: "o1" });
    const poisonous = { body: { order: "o1" }, id: "evt_1" };
    await world.post(poisonous);
    await world.settle();
    const [one] = await world.history();
    const eventId = one?.event.eventId ?? "";
    expect(one?.work).toMatchObject([{ state: "in_review", errorClass: "Error" }]);
    await world.inbox.ignore(eventId, { by: "ann", reason: "it is a test" });
    await world.post(poisonous);
    await world.settle();
    expect(asked).toEqual([eventId]);
    expect(world.ledger.lines).toEqual(["reserve o1"]);
    expect((await world.inbox.show(eventId)).work).toMatchObject([
      { state: "ignored", sentence: "Ignored by ann: it is a test" },
    ]);
    isPoisonous = false;
    await world.inbox.replay(eventId, { by: "ann", reason: "it was none" });
    await until(() => world.ledger.lines.length === 2, "the order's shipping");
    await expect(world.inbox.ignore("nonsense", { by: "ann", reason: "x" })).rejects.toMatchObject({
      code: "INVALID_REQUEST",
    });
  });

  test("leaves undone what tells the same fact as an event that was ignored before anybody took it", async () => {
    world = await openWorld({
      hasWorkers: false,
      sources: (order) => [["shop", shopSource(order, { businessKey: [{ path: ["order"] }] })]],
    });
    await world.desk.startCase("order", { order: "o1" }, { by: "test", businessKey: "o1" });
    await world.post({ body: { order: "o1" }, id: "evt_1" });
    const [first] = await world.history();
    await world.inbox.ignore(first?.event.eventId ?? "", { by: "ann", reason: "it is a test" });
    await world.post({ body: { order: "o1" }, id: "evt_2" });
    await world.inboxWorker.workOnce();
    const second = (await world.history()).find(({ event }) => event.eventId !== first?.event.eventId);
    expect(second?.work).toMatchObject([
      { state: "ignored", sentence: expect.stringContaining("It is the same fact as") as unknown },
    ]);
  });

  test("reads a provider's list into the same inbox, page by page, and goes on where it was cut off", async () => {
    let asked = 0;
    let isBroken = true;
    world = await openWorld({
      sources: (order) => [
        [
          "shop",
          shopSource(order, {
            list: {
              page: ({ cursor }) => {
                asked += 1;
                const at = typeof cursor === "number" ? cursor : 0;
                if (at === 2 && isBroken) return Promise.reject(new Error("the list is down"));
                const headers = { "x-event-id": `evt_${at}`, "x-event-type": "order.paid" };
                return Promise.resolve({
                  items: [{ body: { order: `o${at}` }, headers }],
                  next: at === 3 ? null : at + 1,
                });
              },
            },
          }),
        ],
      ],
    });
    await world.post({ id: "evt_1", body: { order: "o1" } });
    await expect(world.inbox.reconcile("shop")).rejects.toThrow("the list is down");
    isBroken = false;
    expect(await world.inbox.reconcile("shop")).toEqual({ items: 2, missed: 2, isComplete: true });
    expect(asked).toBe(5);
    const events = await world.history();
    expect(events).toHaveLength(4);
    const known = events.find(({ event }) => event.sightings === 2);
    expect(known?.sightings).toMatchObject([{ kind: "listed" }]);
    expect((await world.store.inbox.readReconciling("default", "shop")).readToAt).not.toBeNull();
  });

  test("takes gzip where a source says so, and never more than it may become", async () => {
    const { gzipSync } = await import("node:zlib");
    world = await openWorld({
      sources: (order) => [
        ["plain", shopSource(order)],
        ["packed", shopSource(order, { compression: "gzip" })],
      ],
    });
    const packed = gzipSync(JSON.stringify({ order: "o1" }));
    const headers = { "content-encoding": "gzip" };
    expect((await world.post({ source: "plain", raw: packed, headers })).status).toBe(415);
    expect((await world.post({ source: "packed", raw: packed, headers })).status).toBe(202);
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
    expect((await world.post({ source: "packed", raw: bomb, headers })).status).toBe(202);
    const unreadable = await world.store.inbox.listEvents({ standing: "unreadable", limit: 10 });
    expect(unreadable.events).toHaveLength(1);
  });
});

test("a window that is shorter than the provider sends again is refused", async () => {
  const { defineSource } = await import("foothold/inbox");
  const options = { preset: "stripe", owner: "shop", secrets: () => secret, consumers: {} } as const;
  expect(() => defineSource("stripe", { ...options, remember: "7d" })).toThrow("its keys are forgotten");
  expect(() => defineSource("stripe", { ...options, remember: "30d" })).not.toThrow();
  expect(() => defineSource("a/b", options)).toThrow("is not a name");
  expect(() => defineSource("hub", { ...options, preset: "hubspot" })).toThrow("give the public url");
});
