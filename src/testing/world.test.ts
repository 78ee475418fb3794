import { createServer } from "node:http";
import { AssertionError } from "node:assert";
import { setTimeout as realDelay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { didNotHappen, happened } from "../define/answers.ts";
import { defineCase } from "../define/builder.ts";
import { defineDestination } from "../define/destination.ts";
import {
  entriesOf,
  expectAttempts,
  expectConfirmed,
  expectDone,
  expectNotConfirmed,
  expectReview,
  expectWaiting,
} from "./case-journal.ts";
import { fakeDestination } from "./fake-destination.ts";
import { createTestWorld, type TestWorld } from "./world.ts";

interface Order {
  readonly item: string;
}

const DAY_MS = 86_400_000;
const Item = z.object({ item: z.string() });
const shop = fakeDestination<Order>("shop", { idempotency: { by: "key", window: "24h" } });
const bank = fakeDestination<Order>("bank", { idempotency: { by: "lookup" } });
const press = fakeDestination<Order>("press", { idempotency: { by: "none" } });

const ordering = defineCase("ordering", { version: 1, owner: "sales", input: Item, events: { paid: Item } })
  .approval("approve", { by: "boss", expires: "3d" })
  .step("order", {
    to: shop.destination,
    request: ({ input }) => ({ item: input.item }),
    run: ({ request, idempotencyKey, signal }) => shop.send(request, { idempotencyKey, signal }),
  })
  .waitForEvent("payment", { event: "paid", timeout: "30d" })
  .sleep("rest", { for: "7d" })
  .step("close", {
    to: shop.destination,
    request: ({ input }) => ({ item: `${input.item} closed` }),
    run: ({ request, idempotencyKey, signal }) => shop.send(request, { idempotencyKey, signal }),
  });

const paying = defineCase("paying", { version: 1, owner: "sales", input: Item }).step("pay", {
  to: bank.destination,
  request: ({ input }) => ({ item: input.item }),
  run: ({ request, idempotencyKey, signal }) => bank.send(request, { idempotencyKey, signal }),
  check: async ({ idempotencyKey, signal }) => {
    const found = await bank.find(idempotencyKey, { signal });
    return found === null ? didNotHappen() : happened(found.result);
  },
});

const printing = defineCase("printing", { version: 1, owner: "sales", input: Item }).step("print", {
  to: press.destination,
  request: ({ input }) => ({ item: input.item }),
  run: ({ request, signal }) => press.send(request, { signal }),
});

let world: TestWorld;

beforeEach(() => {
  for (const fake of [shop, bank, press]) fake.reset();
  world = createTestWorld({ cases: [ordering, paying, printing] });
});

describe("a case with people, events and sleeps", () => {
  test("runs to each wait and to its end, and days cost nothing", async () => {
    const begunAt = performance.now();
    const caseId = await world.start(ordering, { item: "desk" });
    expectWaiting(await world.runToNextWait(caseId), "approval", "approve");
    await world.approve(caseId, "approve");
    const paid = await world.runToNextWait(caseId);
    expectWaiting(paid, "event", "payment");
    expect(expectConfirmed(paid, "order").result).toMatchObject({
      kind: "value",
      value: paid.results["order"],
    });
    await world.sendEvent(caseId, "paid", { item: "desk" });
    expectWaiting(await world.runToNextWait(caseId), "timer", "rest");
    expectNotConfirmed(await world.journal(caseId), "close");
    const sleepsFrom = world.now;
    expectDone(await world.runToEnd(caseId));
    expect(world.now - sleepsFrom).toBeGreaterThanOrEqual(7 * DAY_MS);
    expect(shop.ledger.map(({ request, step }) => [request.item, step])).toEqual([
      ["desk", "order"],
      ["desk closed", "close"],
    ]);
    expect(performance.now() - begunAt).toBeLessThan(5_000);
  });

  test("stays where it is while no time passes, and goes to review when an approval expires", async () => {
    const caseId = await world.start(ordering, { item: "desk" });
    await world.runUntilIdle();
    await world.advance("2d");
    expectWaiting(await world.journal(caseId), "approval", "approve");
    await world.advance("1.5d");
    expectReview(await world.journal(caseId), "approve", "expired");
    await world.resume(caseId);
    expectWaiting(await world.runToNextWait(caseId), "approval", "approve");
    await world.reject(caseId, "approve", { note: "too dear" });
    const refused = await world.runToNextWait(caseId);
    expect(expectReview(refused, "approve", "refused").sentence).toContain("too dear");
  });

  test("advancing moves the clock by exactly that much", async () => {
    const from = world.now;
    await world.advance("3d");
    expect(world.now - from).toBe(3 * DAY_MS);
  });

  test("a second start with the same business key finds the first case", async () => {
    const options = { businessKey: "PO-1" };
    const caseId = await world.start(ordering, { item: "desk" }, options);
    expect(await world.start(ordering, { item: "desk" }, options)).toBe(caseId);
  });
});

describe("faults", () => {
  test("a key makes a lost answer harmless", async () => {
    const caseId = await world.start(ordering, { item: "desk" });
    await world.runToNextWait(caseId);
    await world.approve(caseId, "approve");
    shop.willLoseAnswers();
    const journal = await world.runToNextWait(caseId);
    expectConfirmed(journal, "order");
    expectAttempts(journal, "order", 2);
    expect(shop.ledger).toHaveLength(1);
  });

  test("a lookup is asked after a crash, and its effect is not made again", async () => {
    const caseId = await world.start(paying, { item: "desk" });
    world.crashAt("afterSend", "pay");
    const journal = await world.runToEnd(caseId);
    expect(expectConfirmed(journal, "pay").by.how).toBe("check");
    expect(bank.ledger).toHaveLength(1);
    expect(entriesOf(journal, "claimLost")).toHaveLength(1);
  });

  test("without any repeat safety a lost answer goes to a person", async () => {
    const caseId = await world.start(printing, { item: "desk" });
    world.loseAnswer("print");
    expectReview(await world.runToNextWait(caseId), "print", "unknown");
    expect(press.ledger).toHaveLength(1);
  });

  test.each([
    ["422 needs another input", 422, "rejected"],
    ["401 needs access", 401, "denied"],
    // It says nothing about whether it happened, and a destination without repeat safety is not asked twice.
    ["503 is not known to have done nothing", 503, "unknown"],
  ] as const)("%s", async (_, status, reason) => {
    press.willAnswer(status);
    const caseId = await world.start(printing, { item: "desk" });
    expect(expectReview(await world.runToNextWait(caseId), "print", reason).step).toBe("print");
    expect(press.ledger).toEqual([]);
  });

  test("a closed port is tried again, 429 is heeded, and the time of both is skipped", async () => {
    press.willRefuse(2);
    press.willAnswer(429, { retryAfter: "90s" });
    const caseId = await world.start(printing, { item: "desk" });
    const from = world.now;
    expectDone(await world.runToEnd(caseId));
    expect(world.now - from).toBeGreaterThanOrEqual(90_000);
    expect(press.ledger).toHaveLength(1);
  });

  test("slowness passes in virtual time, and the deadline of a send cuts it off", async () => {
    shop.willBeSlow("20s");
    const caseId = await world.start(ordering, { item: "desk" });
    await world.runToNextWait(caseId);
    await world.approve(caseId, "approve");
    const from = world.now;
    expectAttempts(await world.runToNextWait(caseId), "order", 1);
    expect(world.now - from).toBeGreaterThanOrEqual(20_000);
    shop.willBeSlow("60s");
    await world.sendEvent(caseId, "paid", { item: "desk" });
    expectAttempts(await world.runToEnd(caseId), "close", 2);
    expect(shop.ledger).toHaveLength(2);
  });
});

describe("real asynchronous code", () => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  test("time stands still while a real request is under way, and passes its deadline when it never ends", async () => {
    let requests = 0;
    const server = createServer((_, response) => {
      requests += 1;
      // The first is answered after real time, the second never.
      if (requests === 1) setTimeout(() => response.end("{}"), 100);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    stops.push(() => {
      server.closeAllConnections();
      return new Promise((resolve) => void server.close(() => resolve()));
    });
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    const to = defineDestination("real", { idempotency: { by: "none" } });
    const calling = defineCase("calling", { version: 1, owner: "it", input: Item }).step("call", {
      to,
      run: async ({ signal }) => {
        await realDelay(20);
        const response = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", signal });
        return response.json();
      },
    });
    const real = createTestWorld({ cases: [calling], patience: "2s" });
    const first = await real.start(calling, { item: "one" });
    const from = real.now;
    expectDone(await real.runToEnd(first));
    expect(real.now).toBe(from);
    const second = await real.start(calling, { item: "two" });
    expectReview(await real.runToNextWait(second), "call", "unknown");
    expect(real.now - from).toBeGreaterThanOrEqual(30_000);
  });
});

describe("access that was refused", () => {
  test("is restored by a person while the world goes on: one case is tried, and all go on", async () => {
    const refused = await world.start(printing, { item: "desk" });
    press.willAnswer(401, { body: { error: "invalid_grant" } });
    expectReview(await world.runToNextWait(refused), "print", "denied");
    const keptBack = [
      await world.start(printing, { item: "chair" }),
      await world.start(printing, { item: "lamp" }),
    ];
    for (const caseId of keptBack) expectWaiting(await world.runToNextWait(caseId), "access", "print");
    expect(press.ledger).toHaveLength(0);
    await world.advance("1h");
    const reply = await world.restoreAccess(press.name);
    expect(reply).toMatchObject({ probe: { kind: "works" }, released: 3, waiting: 0 });
    for (const caseId of [refused, ...keptBack]) expectDone(await world.runToEnd(caseId));
    expect(press.ledger).toHaveLength(3);
  });

  test("stays refused when the one that is tried is refused again", async () => {
    const caseId = await world.start(printing, { item: "desk" });
    press.willAnswer(401, { body: { error: "invalid_grant" }, times: 2 });
    expectReview(await world.runToNextWait(caseId), "print", "denied");
    await world.advance("1h");
    expect(await world.restoreAccess(press.name, { by: "kim" })).toMatchObject({
      probe: { kind: "stillDenied", caseId },
      released: 0,
    });
    expect(press.ledger).toHaveLength(0);
  });
});

describe("a failed assertion", () => {
  test("names the case, where it stands and its history", async () => {
    const caseId = await world.start(printing, { item: "desk" });
    world.loseAnswer("print");
    const journal = await world.runToNextWait(caseId);
    expect(() => expectDone(journal)).toThrow(AssertionError);
    expect(() => expectDone(journal)).toThrow(
      /is not done: print is in review \(unknown\)[^]*1\. the case starts/,
    );
    expect(() => expectConfirmed(journal, "print")).toThrow("print is not confirmed");
    expect(() => expectReview(journal, "print", "denied")).toThrow("open for another reason");
    expect(() => expectReview(journal, "other")).toThrow("other has no open review");
    expect(() => expectWaiting(journal, "event", "print")).toThrow("print does not wait for event");
    expect(() => expectAttempts(journal, "print", 2)).toThrow("print was attempted 1 times, not 2");
    await expect(world.runToEnd(caseId)).rejects.toThrow("it does not reach its end by itself");
  });

  test("an approval that nobody gave is named, and a case that does not exist too", async () => {
    const caseId = await world.start(ordering, { item: "desk" });
    await expect(world.runToEnd(caseId)).rejects.toThrow("it waits for approval (approve)");
    await expect(world.journal("00-none")).rejects.toMatchObject({ code: "CASE_NOT_FOUND" });
  });
});

describe("cases of one key", () => {
  const refund = defineCase("refund", {
    version: 1,
    owner: "finance",
    input: Item,
    concurrency: { key: ({ input }) => input.item, freedBy: "end" },
  }).approval("approve", { by: "boss", expires: "3d" });

  test("come one after the other, and a run says when one cannot go on for another that waits for a person", async () => {
    const own = createTestWorld({ cases: [refund] });
    const [first, second] = [
      await own.start(refund, { item: "c-7" }),
      await own.start(refund, { item: "c-7" }),
    ];
    expectWaiting(await own.runToNextWait(first), "approval", "approve");
    expect((await own.runToNextWait(second)).state).toBe("ready");
    await expect(own.runToEnd(second)).rejects.toThrow(`Case ${second}: it does not reach its end by itself`);
    await own.approve(first, "approve");
    expectDone(await own.runToEnd(first));
    await own.runToNextWait(second);
    await own.approve(second, "approve");
    expectDone(await own.runToEnd(second));
  });
});
