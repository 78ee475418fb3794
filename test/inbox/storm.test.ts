import { expect, test } from "vitest";
import { openWorld, until } from "./world.ts";

const ORDERS = 40;
const EVENTS_PER_ORDER = 6;

/** The same in every run, so that a failure can be looked at. */
function draws(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

test(
  "deliveries that repeat, shuffle and break, while workers come and go, are each stored once with their work in sight",
  { timeout: 180_000 },
  async () => {
    const world = await openWorld({ hasWorkers: false });
    try {
      const random = draws(7);
      const wanted = Array.from({ length: ORDERS * EVENTS_PER_ORDER }, (_, index) => ({
        id: `evt_${index}`,
        body: { order: `o${index % ORDERS}`, version: Math.floor(index / ORDERS) + 1 },
        eventType: index % EVENTS_PER_ORDER === 0 ? "order.paid" : "order.changed",
        isForged: random() < 0.05,
      }));
      const repeats = wanted.filter(() => random() < 0.3);
      const deliveries = [...wanted, ...repeats]
        .map((delivery) => ({ delivery, place: random() }))
        .toSorted((one, other) => one.place - other.place)
        .map(({ delivery }) => delivery);
      const answered = new Set<string>();
      await world.worker.start();
      await world.inboxWorker.start();
      const first = Math.floor(deliveries.length / 2);
      for (const [index, { isForged, ...delivery }] of deliveries.entries()) {
        const { status } = await world.post({ ...delivery, ...(isForged ? { secret: "forged" } : {}) });
        expect(status).toBe(isForged ? 401 : 202);
        if (!isForged) answered.add(delivery.id);
        // Halfway the one that works is gone, with whatever it had claimed.
        if (index === first) await world.inboxWorker.stop();
        if (index === first) await world.store.inbox.freeWork([world.worker.holderId]);
        if (index % 4 === 0) {
          const [order] = [delivery.body.order];
          await world.desk.startCase("order", { order }, { by: "test", businessKey: order });
        }
      }
      for (let index = 0; index < ORDERS; index += 1) {
        await world.desk.startCase("order", { order: `o${index}` }, { by: "test", businessKey: `o${index}` });
      }
      const next = world.inbox.worker({
        door: world.desk,
        registry: world.registry,
        holderId: () => world.worker.holderId,
      });
      await next.start();
      await world.settle();
      await next.stop();
      const events = await world.history();
      expect(events).toHaveLength(answered.size);
      expect(new Set(events.map(({ work }) => work[0]?.state))).toEqual(new Set(["done", "ignored"]));
      expect(events.reduce((sum, { event }) => sum + event.sightings, 0)).toBe(
        deliveries.filter(({ isForged }) => !isForged).length,
      );
      expect(await world.unowned()).toEqual([]);
      await until(
        async () => (await world.desk.list({ states: ["claimed", "ready"] })).cases.length === 0,
        "rest",
      );
      expect(new Set(world.ledger.lines).size).toBe(world.ledger.lines.length);
    } finally {
      await world.close();
    }
  },
);
