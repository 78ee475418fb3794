import { memoryStore } from "foothold/memory";
import { startDev, type Dev } from "foothold/dev";
import {
  createTestWorld,
  expectDone,
  expectReview,
  expectSafe,
  expectWaiting,
  rehearse,
  type ListedEffect,
  type TestWorld,
} from "foothold/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RunningService } from "../services/http-service.ts";
import { startMail } from "../services/mail.ts";
import { defineRefund, stripeEvents } from "./refunds.ts";
import { startStripeServer, type StripeServer } from "./stripe-server.ts";

const stripeKey = "rk_test_local";
const secret = "whsec_local";
const small = { number: "RF-1", paymentIntent: "pi_1", cents: 4_800, customer: "kim@example.com" };
const large = { ...small, number: "RF-2", cents: 48_000 };

let stripe: StripeServer;
let mail: RunningService;

beforeEach(async () => {
  [stripe, mail] = await Promise.all([startStripeServer(stripeKey), startMail()]);
});

afterEach(async () => {
  await Promise.all([stripe.stop(), mail.stop()]);
});

function refundHere(): ReturnType<typeof defineRefund> {
  return defineRefund({ stripeUrl: stripe.url, stripeKey, mailUrl: mail.url });
}

/** What Stripe posts, as the inbox hands it to the case. */
function outcomeOf(number: string, status: string): object {
  return { id: "re_1", amount: 4_800, status, metadata: { number } };
}

/** What both ledgers have of a case. */
function effectsOf(caseId: string): readonly ListedEffect[] {
  const refunds = stripe.refunds.filter(({ metadata }) => metadata["case"] === caseId);
  const messages = mail.ledger.effects().filter(({ step }) => step.caseId === caseId);
  return [
    ...refunds.map(({ id }) => ({ step: "refund", id })),
    ...messages.map(({ id }) => ({ step: "tell", id })),
  ];
}

describe("a refund, with virtual time and real HTTP", () => {
  let world: TestWorld;
  let refund: ReturnType<typeof defineRefund>;

  beforeEach(() => {
    refund = refundHere();
    world = createTestWorld({ cases: [refund] });
  });

  const start = (input: typeof small): Promise<string> =>
    world.start(refund, input, { businessKey: input.number });

  test("goes out once though Stripe's answer was lost and the worker died over the next one", async () => {
    stripe.meets({ kind: "loseAnswer" });
    world.crashAt("afterSend", "refund");
    const caseId = await start(small);
    expectWaiting(await world.runToNextWait(caseId), "event", "outcome");
    expect(stripe.requestCount).toBeGreaterThan(1);
    expect(stripe.refunds).toMatchObject([{ amount: 4_800, metadata: { number: "RF-1", case: caseId } }]);
    await world.sendEvent(caseId, "refund.updated", outcomeOf("RF-1", "succeeded"));
    expectDone(await world.runToEnd(caseId));
    expect(mail.ledger.effects()).toHaveLength(1);
  });

  test("that is large waits for a person first, and one that nobody approves sends nothing", async () => {
    const caseId = await start(large);
    expectWaiting(await world.runToNextWait(caseId), "approval", "approve");
    expect(stripe.requestCount).toBe(0);
    await world.approve(caseId, "approve");
    expectWaiting(await world.runToNextWait(caseId), "event", "outcome");
    expect(stripe.refunds).toMatchObject([{ amount: 48_000 }]);
  });

  test("that Stripe rejects is sent once, and goes to support with Stripe's own words", async () => {
    const error = { type: "invalid_request_error", param: "amount", message: "Refund amount is too large." };
    stripe.meets({ kind: "answer", status: 400, error });
    const journal = await world.runToNextWait(await start(small));
    const review = expectReview(journal, "refund", "rejected");
    expect(review.owner).toBe("support");
    expect(review.sentence).toContain("Refund amount is too large");
    expect([stripe.requestCount, stripe.refunds.length]).toEqual([1, 0]);
  });

  test("whose key was revoked goes on when the access is restored", async () => {
    stripe.meets({
      kind: "answer",
      status: 401,
      error: { type: "invalid_request_error", message: "Expired" },
    });
    const caseId = await start(small);
    expect(expectReview(await world.runToNextWait(caseId), "refund", "denied").owner).toBe("payments");
    await world.advance("1h");
    expect(await world.restoreAccess("stripe")).toMatchObject({ probe: { kind: "works" }, released: 1 });
    expectWaiting(await world.runToNextWait(caseId), "event", "outcome");
    expect(stripe.refunds).toHaveLength(1);
  });

  test("that the bank has not decided tells the customer nothing", async () => {
    const caseId = await start(small);
    await world.runToNextWait(caseId);
    await world.sendEvent(caseId, "refund.updated", outcomeOf("RF-1", "pending"));
    expectReview(await world.runToNextWait(caseId), "tell", "precondition");
    expect(mail.ledger.effects()).toHaveLength(0);
  });

  test("is safe under every crash, lost answer, late worker and refusal, as both ledgers say", async () => {
    const report = await rehearse(refund, {
      input: (run) => ({ ...small, number: `RF-${run}` }),
      approvals: { approve: null },
      events: [{ eventType: "refund.updated", payload: outcomeOf("RF-1", "succeeded") }],
      corrected: { refund: { ...small, number: "RF-corrected", cents: 4_700 } },
      effects: (caseId) => effectsOf(caseId),
    });
    expectSafe(report);
    expect(report.steps.map(({ step, judgedBy }) => [step, judgedBy])).toEqual([
      ["refund", "effects"],
      ["tell", "effects"],
    ]);
  });
});

describe("Stripe's signed webhooks", () => {
  let dev: Dev;

  beforeEach(async () => {
    const refund = refundHere();
    dev = await startDev({
      store: memoryStore(),
      cases: [refund],
      sources: [stripeEvents(refund, secret)],
      port: 0,
    });
  });

  afterEach(() => dev.stop());

  const stateOf = async (caseId: string): Promise<string> => (await dev.desk.show(caseId)).storedState;

  test("tell the case what became of its refund, once though they come twice; a forged one is refused", async () => {
    const { caseId } = await dev.desk.startCase("refund", small, { by: "shop", businessKey: small.number });
    await expect.poll(() => stripe.refunds.length, { timeout: 30_000 }).toBe(1);
    const to = { url: `${dev.url}/inbox/stripe`, secret, eventId: "evt_1" };
    expect(await stripe.settle("re_1", "failed", { ...to, secret: "whsec_of_somebody_else" })).toBe(401);
    const first = await stripe.settle("re_1", "succeeded", to);
    const again = await stripe.settle("re_1", "succeeded", to);
    expect([first, again].every((status) => status >= 200 && status < 300)).toBe(true);
    await expect.poll(() => stateOf(caseId), { timeout: 30_000 }).toBe("done");
    expect(mail.ledger.effects().map(({ answer }) => answer.body)).toEqual([
      expect.stringContaining("Your refund RF-1"),
    ]);
  });
});
