import { afterEach, describe, expect, test } from "vitest";
import { openWorld, shopSource, until, type World } from "../../inbox/world.ts";

/** What was received is one thing, what was done about it another. */
describe("the receipt exists, the work does not", () => {
  let world: World;
  afterEach(() => world.close());

  test("C01 a handler that fails is tried again by our own schedule, and the provider's retry is not needed", async () => {
    let failures = 1;
    world = await openWorld({
      sources: (order) => [
        [
          "shop",
          shopSource(order, {
            consumers: {
              paid: {
                kind: "tell",
                caseType: "order",
                on: ["order.paid"],
                as: "paid",
                key: null,
                fetch: null,
                payload: ({ data }) => {
                  if (failures > 0) {
                    failures -= 1;
                    throw new Error("the second write failed");
                  }
                  return data;
                },
              },
            },
          }),
        ],
      ],
      firstDelayMs: 500,
    });
    await world.desk.startCase("order", { order: "o1" }, { by: "test", businessKey: "o1" });
    expect((await world.post({ id: "E1", body: { order: "o1" } })).status).toBe(202);
    await until(async () => (await world.history())[0]?.work[0]?.attempts === 1, "the failed try");
    expect((await world.history())[0]?.work).toMatchObject([
      { state: "waiting", attempts: 1, errorClass: "Error" },
    ]);
    expect((await world.post({ id: "E1", body: { order: "o1" } })).status).toBe(202);
    await until(() => world.ledger.lines.includes("ship o1"), "the shipping");
    await world.settle();
    const [one] = await world.history();
    expect(one?.event.sightings).toBe(2);
    expect(one?.work).toMatchObject([{ state: "done" }]);
    expect(world.ledger.lines).toEqual(["reserve o1", "ship o1"]);
  });

  test("C01 without the provider's retry the work is done all the same", async () => {
    world = await openWorld();
    await world.post({ id: "E1", body: { order: "o1" } });
    await world.desk.startCase("order", { order: "o1" }, { by: "test", businessKey: "o1" });
    await until(() => world.ledger.lines.includes("ship o1"), "the shipping");
    await world.settle();
    expect((await world.history())[0]?.work).toMatchObject([{ state: "done" }]);
  });

  test("C03 work whose workers die is in sight at every moment, and ends with a person", async () => {
    world = await openWorld({ hasWorkers: false });
    await world.post({ id: "E1", body: { order: "o1" } });
    const consumers = [{ tenant: "default", source: "shop", consumer: "paid" }];
    for (let deaths = 1; deaths <= 3; deaths += 1) {
      const holderId = `dead-${deaths}`;
      const request = { holderId, claimIds: [`c${deaths}`], consumers, actWithinMs: 60_000 };
      expect((await world.store.inbox.claimWork(request)).claimed).toHaveLength(1);
      expect(await world.unowned()).toEqual([]);
      expect(await world.store.inbox.freeWork([holderId])).toBe(1);
      expect(await world.unowned()).toEqual([]);
    }
    expect((await world.history())[0]?.work).toMatchObject([
      {
        state: "in_review",
        owner: "shop-team",
        sentence: "Whoever worked on it was lost 3 times, without an error.",
        losses: 3,
      },
    ]);
  });

  test("C05 a retry of what never arrived is the first copy: it is worked on", async () => {
    world = await openWorld({
      sources: (order) => [["slack", shopSource(order, { preset: "slack", consumers: slackConsumers })]],
    });
    await world.desk.startCase("order", { order: "o1" }, { by: "test", businessKey: "o1" });
    const body = {
      event_id: "Ev1",
      team_id: "T1",
      event: { type: "order.paid", channel: "C1", event_ts: "1.5", order: "o1" },
    };
    const headers = { "x-slack-retry-num": "1", "x-slack-retry-reason": "connection_failed" };
    expect((await world.post({ body, headers })).status).toBe(200);
    await until(() => world.ledger.lines.includes("ship o1"), "the shipping");
    await world.settle();
    const [one] = await world.history();
    expect(one?.work).toMatchObject([{ state: "done" }]);
    expect(one?.delivery?.headers).toContainEqual(["x-slack-retry-num", "1"]);
  });

  test("C07 one fact under three ids is acted on once, and all three are kept and shown", async () => {
    world = await openWorld({
      sources: (order) => [["slack", shopSource(order, { preset: "slack", consumers: slackConsumers })]],
    });
    await world.desk.startCase("order", { order: "o1" }, { by: "test", businessKey: "o1" });
    for (const id of ["Ev1", "Ev2", "Ev3"]) {
      const event = { type: "order.paid", channel: "C1", event_ts: "1700000000.5", order: "o1" };
      expect((await world.post({ body: { event_id: id, team_id: "T1", event } })).status).toBe(200);
      await world.settle();
    }
    await until(() => world.ledger.lines.includes("ship o1"), "the shipping");
    const events = await world.history();
    expect(events).toHaveLength(3);
    expect(events.map(({ work }) => work[0]?.state ?? "").toSorted()).toEqual(["done", "ignored", "ignored"]);
    const first = events.find(({ work }) => work[0]?.state === "done");
    expect(first?.sightings.map(({ kind }) => kind)).toEqual(["sameFact", "sameFact"]);
    expect(events.find(({ work }) => work[0]?.state === "ignored")?.work[0]?.sentence).toContain(
      `It is the same fact as ${first?.event.eventId}`,
    );
    expect(world.ledger.lines.filter((line) => line === "ship o1")).toHaveLength(1);
  });

  test("C33 a repeat dispatches what an earlier one left behind, and runs nothing again", async () => {
    world = await openWorld({ hasWorkers: false });
    const { caseId } = await world.desk.startCase(
      "order",
      { order: "o1" },
      { by: "test", businessKey: "o1" },
    );
    await world.post({ id: "E1", body: { order: "o1" } });
    const eventId = (await world.history())[0]?.event.eventId ?? "";
    // The crash: the fact is stored, and the work that stored it never heard so.
    await world.desk.recordEvent(caseId, {
      eventType: "paid",
      payload: { order: "o1" },
      sourceId: `inbox:shop:${eventId}`,
    });
    await world.post({ id: "E1", body: { order: "o1" } });
    await world.worker.start();
    await world.inboxWorker.start();
    await world.settle();
    await until(() => world.ledger.lines.includes("ship o1"), "the shipping");
    expect((await world.history())[0]?.work).toMatchObject([{ state: "done" }]);
    expect(world.ledger.lines).toEqual(["reserve o1", "ship o1"]);
    const shown = await world.desk.show(caseId);
    expect(shown.history.filter(({ kind }) => kind === "eventReceived")).toHaveLength(1);
  });

  test("C33 a repeat makes the work that is missing", async () => {
    world = await openWorld();
    await world.desk.startCase("order", { order: "o1" }, { by: "test", businessKey: "o1" });
    await world.post({ id: "E1", body: { order: "o1" } });
    await world.settle();
    await world.client.query("delete from foothold.inbox_work");
    await world.post({ id: "E1", body: { order: "o1" } });
    await world.settle();
    expect((await world.history())[0]?.work).toMatchObject([{ state: "done" }]);
  });

  test("C35 recovery never touches what is finished", async () => {
    world = await openWorld();
    await world.desk.startCase("order", { order: "o1" }, { by: "test", businessKey: "o1" });
    for (let index = 0; index < 100; index += 1) await world.post({ body: { order: "o1" } });
    await world.settle();
    const { rows: before } = await world.client.query("select * from foothold.inbox_work order by event_id");
    const holders = (await world.store.listHolders()).map(({ holderId }) => holderId);
    expect(await world.store.inbox.freeWork(holders)).toBe(0);
    expect(await world.store.inbox.expireWork()).toBe(0);
    const { rows: after } = await world.client.query("select * from foothold.inbox_work order by event_id");
    expect(after).toEqual(before);
    expect(after).toHaveLength(100);
  });
});

const slackConsumers = {
  paid: {
    kind: "tell",
    caseType: "order",
    on: ["order.paid"],
    as: "paid",
    key: null,
    fetch: null,
    payload: ({ data }: { readonly data: unknown }) => {
      const { event } = data as { readonly event: { readonly order: string } };
      return { order: event.order };
    },
  },
} as const;
