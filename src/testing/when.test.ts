import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineCase } from "../define/builder.ts";
import { fakeDestination } from "./fake-destination.ts";
import { expectConfirmed, expectDone, expectReview } from "./case-journal.ts";
import { rehearse } from "./rehearse.ts";
import { createTestWorld } from "./world.ts";

interface Sent {
  readonly step: string;
  readonly amount?: number;
}

/** A payment that a second person looks at when it is large. */
function paymentAt(name: string, onLapse: "review" | "undo" = "review") {
  const bank = fakeDestination<Sent>(name, { idempotency: { by: "key", window: "24h" } });
  const payment = defineCase("payment", {
    version: 1,
    owner: "treasury",
    input: z.object({ amount: z.number() }),
  })
    .step("audit", {
      to: bank.destination,
      uses: ["amount"],
      when: { "over 1,000": ({ input }) => input.amount > 1_000 },
      request: () => ({ step: "audit" }),
      run: ({ request, ...given }) => bank.send(request, given),
      onLapse,
      undo: { run: ({ idempotencyKey }) => bank.send({ step: "audit.undo" }, { idempotencyKey }) },
    })
    .approval("second", {
      by: "board",
      when: { "it was audited": ({ results }) => results.audit !== undefined },
    })
    .step("pay", {
      to: bank.destination,
      request: ({ input }) => ({ step: "pay", amount: input.amount }),
      run: ({ request, ...given }) => bank.send(request, given),
    });
  return { bank, payment };
}

const sent = ({ ledger }: ReturnType<typeof paymentAt>["bank"]): readonly string[] =>
  ledger.map(({ request }) => request.step);

describe("a case with steps that are not always needed", () => {
  test("passes them over, with the reason on record, and never sends them", async () => {
    const { bank, payment } = paymentAt("bank");
    const world = createTestWorld({ cases: [payment] });
    const caseId = await world.start(payment, { amount: 12 });
    const journal = await world.runToEnd(caseId);
    expectDone(journal);
    expect(sent(bank)).toEqual(["pay"]);
    expect(Object.keys(journal.results)).toEqual(["pay"]);
    const packet = await world.desk.show(caseId);
    expect(packet.confirmed.map(({ step }) => step)).toEqual(["pay"]);
    expect(packet.history.map(({ sentence }) => sentence)).toContain(
      'audit: not needed: "over 1,000" does not hold (the condition is not true).',
    );
  });

  test("does them once a correction makes them needed, before anything that follows is sent", async () => {
    const { bank, payment } = paymentAt("bank");
    const world = createTestWorld({ cases: [payment] });
    bank.willAnswer(422);
    const caseId = await world.start(payment, { amount: 12 });
    expectReview(await world.runToNextWait(caseId), "pay", "rejected");
    await world.correctInput(caseId, { amount: 4_000 });
    await world.runToNextWait(caseId);
    expect(sent(bank)).toEqual(["audit"]);
    await world.approve(caseId, "second");
    const journal = await world.runToEnd(caseId);
    expectDone(journal);
    expectConfirmed(journal, "audit");
    expect(sent(bank)).toEqual(["audit", "pay"]);
  });

  test("takes back what a correction makes needless, where the step says so", async () => {
    const { bank, payment } = paymentAt("bank", "undo");
    const world = createTestWorld({ cases: [payment] });
    const caseId = await world.start(payment, { amount: 4_000 });
    await world.runToNextWait(caseId);
    await world.correctInput(caseId, { amount: 12 });
    expectDone(await world.runToEnd(caseId));
    expect(sent(bank)).toEqual(["audit", "audit.undo", "pay"]);
  });

  test("leaves to a person what was done and is needless now, where it does not say so", async () => {
    const { bank, payment } = paymentAt("bank");
    const world = createTestWorld({ cases: [payment] });
    const caseId = await world.start(payment, { amount: 4_000 });
    await world.runToNextWait(caseId);
    await world.correctInput(caseId, { amount: 12 });
    expectReview(await world.runToNextWait(caseId), "audit", "lapsed");
    expect(sent(bank)).toEqual(["audit"]);
  });

  test("is rehearsed like any other", async () => {
    const { payment } = paymentAt("bank");
    const report = await rehearse(payment, { input: { amount: 4_000 } });
    expect(report.isSafe).toBe(true);
  });
});
