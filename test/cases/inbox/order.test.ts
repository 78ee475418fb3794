import { afterEach, describe, expect, test } from "vitest";
import type { CaseType } from "foothold";
import type { SourceOptions } from "foothold/inbox";
import { openWorld, shopSource, until, type World } from "../../inbox/world.ts";

/** What a provider's API says of a subscription, and how long it takes to say it. */
class Provider {
  state = "incomplete";
  version = 1;
  delayMs = 0;
  asked = 0;
  running = 0;
  runningMax = 0;

  async read(): Promise<{ readonly order: string; readonly version: number }> {
    this.asked += 1;
    this.running += 1;
    this.runningMax = Math.max(this.runningMax, this.running);
    const { version, delayMs } = this;
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    this.running -= 1;
    return { order: "o1", version };
  }
}

function fetching(provider: Provider): (order: CaseType) => readonly (readonly [string, SourceOptions])[] {
  return (order) => [
    [
      "stripe",
      shopSource(order, {
        preset: "stripe",
        consumers: {
          changed: {
            kind: "tell",
            caseType: "order",
            on: ["subscription.created", "subscription.updated"],
            as: "changed",
            key: null,
            payload: ({ data }) => data,
            fetch: () => provider.read(),
          },
        },
      }),
    ],
  ];
}

const stripeEvent = (id: string, type: string): object => ({
  id,
  type,
  created: 1,
  data: { object: { id: "sub_1" } },
});

describe("order", () => {
  let world: World;
  afterEach(() => world.close());

  const start = async (order = "o1"): Promise<string> =>
    (await world.desk.startCase("order", { order }, { by: "test", businessKey: order })).caseId;
  const versionsApplied = async (caseId: string): Promise<readonly unknown[]> => {
    const stored = await world.store.loadCase(caseId);
    return (stored?.journal ?? []).flatMap(({ entry }) =>
      entry.kind === "eventReceived" && entry.ignored === null ? [entry.payload] : [],
    );
  };

  test("C09 a newer event first: what is known is asked for anew, and an older version is kept and ignored", async () => {
    const provider = new Provider();
    world = await openWorld({ sources: fetching(provider) });
    const caseId = await start();
    provider.version = 266;
    await world.post({ body: stripeEvent("evt_2", "subscription.updated") });
    await world.settle();
    await world.post({ body: stripeEvent("evt_1", "subscription.created") });
    await world.settle();
    expect(await versionsApplied(caseId)).toEqual([{ order: "o1", version: 266 }]);
    const states = (await world.history()).map(({ work }) => work[0]?.state ?? "").toSorted();
    expect(states).toEqual(["done", "ignored"]);
  });

  test("C09 in every order of four versions the case ends with the newest", { timeout: 60_000 }, async () => {
    world = await openWorld();
    const orders = permutations([1, 2, 3, 4]);
    await Promise.all(orders.map((_, index) => start(`p${index}`)));
    for (let place = 0; place < 4; place += 1) {
      await Promise.all(
        orders.map((versions, index) =>
          world.post({ body: { order: `p${index}`, version: versions[place] }, eventType: "order.changed" }),
        ),
      );
      await world.settle();
    }
    for (const [index] of orders.entries()) {
      const caseId = await start(`p${index}`);
      expect((await versionsApplied(caseId)).at(-1)).toMatchObject({ version: 4 });
    }
  });

  test("C09 an event is held for the one that must come first, and a person looks when that never comes", async () => {
    world = await openWorld();
    const caseId = await start();
    await world.post({ body: { order: "o1", amount: 2 }, eventType: "order.closed" });
    await until(async () => (await world.history())[0]?.work[0]?.state === "waiting", "the hold");
    expect((await world.history())[0]?.work[0]?.sentence).toContain("has had no opened yet");
    await world.post({ body: { order: "o1", amount: 1 }, eventType: "order.opened" });
    await world.settle();
    expect(await versionsApplied(caseId)).toHaveLength(2);
    await start("o2");
    await world.post({ body: { order: "o2" }, eventType: "order.closed" });
    await until(async () => (await world.history())[0]?.work[0]?.state === "in_review", "the review");
  });

  test("C11 a slow reading never writes over a newer one: one subject is worked on by one at a time", async () => {
    const provider = new Provider();
    world = await openWorld({ sources: fetching(provider) });
    const caseId = await start();
    provider.delayMs = 700;
    await world.post({ body: stripeEvent("evt_1", "subscription.updated") });
    await until(() => provider.asked === 1, "the first reading");
    provider.version = 2;
    provider.delayMs = 0;
    await world.post({ body: stripeEvent("evt_2", "subscription.updated") });
    await world.settle();
    expect(provider.runningMax).toBe(1);
    expect((await versionsApplied(caseId)).at(-1)).toMatchObject({ version: 2 });
  });

  test("C11 without lanes the write compares, and the older one is ignored", async () => {
    world = await openWorld();
    const caseId = await start();
    for (const version of [2, 1]) {
      await world.post({ body: { order: "o1", version }, eventType: "order.changed" });
      await world.settle();
    }
    expect(await versionsApplied(caseId)).toEqual([{ order: "o1", version: 2 }]);
    const [older] = await world.history();
    expect(older?.work).toMatchObject([{ state: "ignored" }]);
    expect(older?.work[0]?.sentence).toContain("it is of version 1, and the case knows version 2");
  });

  test("C13 an event that comes before its case is kept, and applied within a second of its start", async () => {
    world = await openWorld();
    expect((await world.post({ body: { order: "o1" } })).status).toBe(202);
    await until(async () => (await world.history())[0]?.work[0]?.state === "waiting", "the wait");
    const caseId = await start();
    const startedAt = performance.now();
    await until(async () => (await versionsApplied(caseId)).length === 1, "the event");
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });

  test("C13 an event that knows only an outside id finds its case as soon as a step made that id known", async () => {
    world = await openWorld({
      sources: (order) => [
        [
          "shop",
          shopSource(order, {
            consumers: {
              paid: {
                kind: "tell",
                caseType: "order",
                on: ["*"],
                as: "paid",
                payload: () => ({ order: "o1" }),
                fetch: null,
                // What the step `reserve` got from the shop, and nobody could know before.
                key: () => JSON.stringify({ id: "reserve-o1" }),
              },
            },
          }),
        ],
      ],
    });
    await world.post({ body: { id: "reserve-o1" } });
    await until(async () => (await world.history())[0]?.work[0]?.state === "waiting", "the wait");
    await start();
    await until(() => world.ledger.lines.includes("reserve o1"), "the reservation");
    const reservedAt = performance.now();
    await until(() => world.ledger.lines.includes("ship o1"), "the shipping");
    expect(performance.now() - reservedAt).toBeLessThan(2_000);
  });

  test("C13 an event whose case never comes ends with a person, and was never answered with an error", async () => {
    world = await openWorld({ sources: (order) => [["shop", shopSource(order, { caseWithin: "1s" })]] });
    expect((await world.post({ body: { order: "nobody" } })).status).toBe(202);
    await until(async () => (await world.history())[0]?.work[0]?.state === "in_review", "the review");
    expect((await world.history())[0]?.work[0]?.sentence).toContain(
      "There is no case of order with the key nobody",
    );
  });

  test("C17 an old failure after a later success is recorded and changes nothing", async () => {
    world = await openWorld();
    const caseId = await start();
    await world.post({ body: { order: "o1", version: 2 }, eventType: "order.changed" });
    await world.post({ body: { order: "o1" } });
    await until(() => world.ledger.lines.includes("ship o1"), "the shipping");
    await world.settle();
    await until(async () => (await world.store.loadCase(caseId))?.row.state === "done", "the end");
    await world.post({ body: { order: "o1", version: 1 }, eventType: "order.changed" });
    await world.settle();
    expect((await world.store.loadCase(caseId))?.row.state).toBe("done");
    expect((await world.history())[0]?.work).toMatchObject([{ state: "ignored" }]);
  });

  test("C37 an event to a case that is over is stored as ignored; a retried start opens nothing", async () => {
    world = await openWorld();
    const caseId = await start();
    await world.post({ id: "E1", body: { order: "o1" } });
    await until(async () => (await world.store.loadCase(caseId))?.row.state === "done", "the end");
    await world.post({ body: { order: "o1", amount: 2 } });
    await world.settle();
    const [late] = await world.history();
    expect(late?.work).toMatchObject([{ state: "ignored", caseIds: [caseId] }]);
    expect(late?.work[0]?.sentence).toContain("the case is done");
    expect(await start()).toBe(caseId);
    await world.post({ id: "E1", body: { order: "o1" } });
    await world.settle();
    expect((await world.desk.list()).cases).toHaveLength(1);
    expect(world.ledger.lines).toEqual(["reserve o1", "ship o1"]);
  });
});

function permutations(items: readonly number[]): readonly (readonly number[])[] {
  if (items.length <= 1) return [items];
  return items.flatMap((item, index) =>
    permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]),
  );
}
