import { afterEach, describe, expect, test } from "vitest";
import { defineCase, defineDestination, ResponseError, type CaseType } from "foothold";
import { z } from "zod";
import { openWorld, shopSource, until, type World } from "../../inbox/world.ts";

describe("people and late workers", () => {
  let world: World;
  afterEach(() => world.close());

  test("C15 a late event to a case that staff ended changes nothing, and is shown with the reason", async () => {
    world = await openWorld({ hasWorkers: false });
    const { caseId } = await world.desk.startCase(
      "order",
      { order: "o1" },
      { by: "test", businessKey: "o1" },
    );
    await world.desk.cancel(caseId, { by: "ann", reason: "refunded in full" });
    await world.post({ body: { order: "o1" } });
    await world.worker.start();
    await world.inboxWorker.start();
    await world.settle();
    const [late] = await world.history();
    expect(late?.work).toMatchObject([{ state: "ignored", caseIds: [caseId] }]);
    expect(late?.work[0]?.sentence).toContain("the case is canceled");
    expect((await world.store.loadCase(caseId))?.row.state).toBe("canceled");
    expect(world.ledger.lines).toEqual([]);
  });

  test("C15 an event that comes while a person repairs is attached and shown, and applied when the repair ends", async () => {
    world = await openWorld();
    const { caseId } = await world.desk.startCase(
      "order",
      { order: "o1" },
      { by: "test", businessKey: "o1" },
    );
    await until(
      async () => (await world.store.loadCase(caseId))?.row.state === "waiting",
      "the wait for payment",
    );
    const page = { by: "ann", host: "desk-1", build: "test" };
    const repair = await world.desk.openRepair(caseId, page);
    await world.post({ body: { order: "o1" } });
    await world.settle();
    expect((await world.history())[0]?.work[0]).toMatchObject({ state: "done", caseIds: [caseId] });
    expect((await world.history())[0]?.work[0]?.sentence).toContain("attached to the open repair");
    const shown = await world.desk.show(caseId);
    expect(shown.repair?.attached).toHaveLength(1);
    expect(shown.events).toHaveLength(0);
    expect(world.ledger.lines).toEqual(["reserve o1"]);
    await world.desk.closeRepair(caseId, repair.repairId);
    await until(() => world.ledger.lines.includes("ship o1"), "the shipping");
  });

  test("C27 a worker that wakes up after its claim was freed stores nothing", async () => {
    world = await openWorld({ hasWorkers: false });
    await world.post({ body: { order: "o1" } });
    const consumers = [{ tenant: "default", source: "shop", consumer: "paid" }];
    const claim = async (holderId: string): Promise<string> => {
      const request = { holderId, claimIds: [`claim of ${holderId}`], consumers, actWithinMs: 60_000 };
      return (await world.store.inbox.claimWork(request)).claimed[0]?.work.claimId ?? "";
    };
    const outcome = (claimId: string, sentence: string) => ({
      eventId,
      consumer: "paid",
      claimId,
      state: "done" as const,
      dueInMs: null,
      attempts: 0,
      sentence,
      errorClass: null,
      caseIds: [],
      sourceId: null,
      waitsFor: null,
    });
    const eventId = (await world.history())[0]?.event.eventId ?? "";
    const late = await claim("a");
    await world.store.inbox.freeWork(["a"]);
    const now = await claim("b");
    expect(await world.store.inbox.settleWork([outcome(now, "by b")])).toEqual([true]);
    expect(await world.store.inbox.settleWork([outcome(late, "by a")])).toEqual([false]);
    expect((await world.history())[0]?.work[0]?.sentence).toBe("by b");
  });

  test("C29 an event that comes again, and is replayed, uses the same keys everywhere", async () => {
    world = await openWorld();
    await world.desk.startCase("order", { order: "o1" }, { by: "test", businessKey: "o1" });
    await world.post({ id: "E1", body: { order: "o1" } });
    await until(() => world.ledger.lines.includes("ship o1"), "the shipping");
    await world.settle();
    const keys = [...world.ledger.keys.keys()];
    await world.post({ id: "E1", body: { order: "o1" } });
    const eventId = (await world.history())[0]?.event.eventId ?? "";
    await world.inbox.replay(eventId, { by: "ann", reason: "to see" });
    await world.settle();
    expect([...world.ledger.keys.keys()]).toEqual(keys);
  });

  test("C31 corrected input is sent under a new key, and no key is ever sent with two contents", async () => {
    const sent: { readonly key: string; readonly amount: number }[] = [];
    world = await openWorld({
      caseTypes: () => [refund(sent)],
      sources: (order) => [["shop", shopSource(order, { consumers: { refund: startRefund } })]],
    });
    await world.post({ body: { amount: -1 }, eventType: "refund.asked" });
    await until(async () => (await world.desk.list({ withReview: true })).cases.length === 1, "the review");
    const [stopped] = (await world.desk.list()).cases;
    const caseId = stopped?.caseId ?? "";
    const page = { by: "ann", host: "desk-1", build: "test" };
    const { repairId } = await world.desk.openRepair(caseId, page);
    await world.desk.correctInput(caseId, { input: { amount: 5 }, by: "ann", reason: "mistyped", repairId });
    await world.desk.closeRepair(caseId, repairId);
    await until(async () => (await world.store.loadCase(caseId))?.row.state === "done", "the end");
    expect(sent.map(({ amount }) => amount)).toEqual([-1, 5]);
    expect(new Set(sent.map(({ key }) => key)).size).toBe(2);
  });
});

const startRefund = {
  kind: "start",
  caseType: "refund",
  on: ["refund.asked"],
  input: ({ data }: { readonly data: unknown }) => data,
  businessKey: null,
} as const;

function refund(sent: { readonly key: string; readonly amount: number }[]): CaseType {
  const bank = defineDestination("bank", { idempotency: { by: "key", window: "24h" } });
  return defineCase("refund", {
    version: 1,
    owner: "shop-team",
    input: z.object({ amount: z.number() }),
  }).step("pay", {
    to: bank,
    request: ({ input }) => ({ amount: input.amount }),
    run: ({ idempotencyKey, request }) => {
      sent.push({ key: idempotencyKey, amount: request.amount });
      if (request.amount < 0) throw new ResponseError(422, "https://bank.example/refunds", {}, "{}");
      return Promise.resolve({ paid: request.amount });
    },
  });
}
