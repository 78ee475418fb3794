import { afterEach, describe, expect, test } from "vitest";
import type { ListOptions } from "foothold/inbox";
import { openWorld, shopSource, type World } from "./world.ts";

const item = (id: string) => ({
  body: { order: id },
  headers: { "x-event-id": id, "x-event-type": "order.paid" },
});

describe("a provider's list", () => {
  let world: World;
  afterEach(() => world.close());

  const openWith = async (page: ListOptions["page"]): Promise<World> => {
    world = await openWorld({
      hasWorkers: false,
      sources: (order) => [["shop", shopSource(order, { list: { page } })]],
    });
    return world;
  };

  test("is never cut: a page that is larger than any is refused, and nothing is taken for read", async () => {
    await openWith(() =>
      Promise.resolve({ items: Array.from({ length: 10_001 }, (_, n) => item(`e${n}`)), next: null }),
    );
    const refused = world.inbox.reconcile("shop");
    await expect(refused).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    await expect(refused).rejects.toThrow("10001 events on one page, more than 10000");
    expect((await world.store.inbox.readReconciling("default", "shop")).readToAt).toBeNull();
  });

  test("begins anew where the provider does not know any more where the last reading stopped", async () => {
    const asked: unknown[] = [];
    let knowsCursor = true;
    await openWith(({ cursor }) => {
      asked.push(cursor);
      if (asked.length === 2) return Promise.reject(new Error("the connection broke"));
      if (cursor !== null && !knowsCursor) return Promise.reject(new Error("no such cursor"));
      return Promise.resolve({
        items: [item(cursor === null ? "e1" : "e2")],
        next: cursor === null ? "c1" : null,
      });
    });
    await expect(world.inbox.reconcile("shop")).rejects.toThrow("the connection broke");
    knowsCursor = false;
    await expect(world.inbox.reconcile("shop")).rejects.toThrow("no such cursor");
    knowsCursor = true;
    expect(await world.inbox.reconcile("shop")).toEqual({ items: 2, missed: 1, isComplete: true });
    expect(asked).toEqual([null, "c1", "c1", null, "c1"]);
  });

  test("ends where a page has no next, and says so where it is no page at all", async () => {
    const pages: unknown[] = [{ items: [item("e1")] }, { data: [] }];
    // What somebody writes who has no compiler at hand.
    await openWith(() => Promise.resolve(pages.shift()) as ReturnType<ListOptions["page"]>);
    expect(await world.inbox.reconcile("shop")).toEqual({ items: 1, missed: 1, isComplete: true });
    await expect(world.inbox.reconcile("shop")).rejects.toThrow("gives no `items`");
  });
});
