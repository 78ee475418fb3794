import { afterEach, describe, expect, test } from "vitest";
import { createInbox, type Inbox } from "../../src/inbox.ts";
import { systemPorts } from "../../src/engine/system.ts";
import { SWEEP_MAX, type NewDelivery } from "../../src/store/inbox-port.ts";
import { newDelivery } from "./made-deliveries.ts";
import { openWorld, shopSource, until, type World } from "./world.ts";

const DAY_MS = 86_400_000;

describe("what the inbox does now and then", () => {
  let world: World;
  afterEach(() => world.close());

  const sweepUntilForgotten = async (
    inbox: Pick<Inbox, "sweep">,
    { deliveryId }: NewDelivery,
  ): Promise<void> => {
    const sweep = inbox.sweep({ intervalMs: 50 });
    sweep.start();
    await expect.poll(() => world.store.inbox.loadBody(deliveryId), { timeout: 60_000 }).toBeNull();
    await sweep.stop();
  };

  test("forgets all that is old, however much that is", async () => {
    world = await openWorld({ hasWorkers: false });
    const at = Date.now() - 40 * DAY_MS;
    const deliveries = Array.from({ length: SWEEP_MAX + 150 }, () => newDelivery({ at, work: [] }));
    for (let from = 0; from < deliveries.length; from += 100)
      await world.store.inbox.takeIn(deliveries.slice(from, from + 100));
    const sweep = world.inbox.sweep({ intervalMs: 50 });
    sweep.start();
    const kept = async (): Promise<number> => {
      const { rows } = await world.client.query<{ readonly n: number }>(
        "select count(*)::integer as n from foothold.deliveries where body is not null",
      );
      return rows[0]?.n ?? -1;
    };
    await expect.poll(kept, { timeout: 60_000 }).toBe(0);
    await sweep.stop();
  });

  test("forgets by what a source said last of its bodies, also when it is declared no more", async () => {
    world = await openWorld({
      hasWorkers: false,
      sources: (order) => [["shop", shopSource(order, { keepBodies: "7d" })]],
    });
    const { inbox: stored } = world.store;
    const [old, fresh, later] = [8, 6, 9].map((days) =>
      newDelivery({ at: Date.now() - days * DAY_MS, work: [] }),
    ) as [NewDelivery, NewDelivery, NewDelivery];
    await stored.takeIn([old, fresh]);
    await sweepUntilForgotten(world.inbox, old);
    await stored.takeIn([later]);
    await sweepUntilForgotten(createInbox({ store: world.store, sources: [], ports: systemPorts() }), later);
    expect(await stored.loadBody(fresh.deliveryId)).not.toBeNull();
  });

  test("reads a list beside the sweep: no claim of a lost worker waits for a provider that is slow", async () => {
    let isAsked = false;
    world = await openWorld({
      hasWorkers: false,
      sources: (order) => [
        [
          "shop",
          shopSource(order, {
            list: {
              every: "1h",
              // Does not even look at its signal, and holds up the end of the sweep no more than its work.
              page: () => {
                isAsked = true;
                return new Promise(() => undefined);
              },
            },
          }),
        ],
      ],
    });
    const sweep = world.inbox.sweep({ intervalMs: 50 });
    sweep.start();
    await until(() => isAsked, "the reading of the list");
    await world.post();
    const consumers = [{ tenant: "default", source: "shop", consumer: "paid" }];
    const request = { holderId: "lost", claimIds: ["c1"], consumers, actWithinMs: 60_000 };
    expect((await world.store.inbox.claimWork(request)).claimed).toHaveLength(1);
    const state = async (): Promise<unknown> => (await world.history())[0]?.work[0]?.state;
    await expect.poll(state, { timeout: 60_000 }).toBe("ready");
    await sweep.stop();
  });

  test("a list that fails holds up no other, and each failure names its source", async () => {
    const read: string[] = [];
    world = await openWorld({
      hasWorkers: false,
      sources: (order) => [
        [
          "broken",
          shopSource(order, {
            list: { every: "1h", page: () => Promise.reject(new Error("the list is down")) },
          }),
        ],
        [
          "shop",
          shopSource(order, {
            list: {
              every: "1h",
              page: () => {
                read.push("shop");
                return Promise.resolve({ items: [], next: null });
              },
            },
          }),
        ],
      ],
    });
    const sweep = world.inbox.sweep({ intervalMs: 50 });
    sweep.start();
    await until(() => read.length > 0 && world.reports.some(({ kind }) => kind === "fault"), "both readings");
    await sweep.stop();
    expect(world.reports).toContainEqual(
      expect.objectContaining({ kind: "fault", during: "reading the list of broken" }),
    );
  });
});
