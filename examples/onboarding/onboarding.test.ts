import {
  createTestWorld,
  expectConfirmed,
  expectDone,
  expectReview,
  expectSafe,
  expectWaiting,
  rehearse,
  type ListedEffect,
  type TestWorld,
} from "foothold/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startCompany, type Company } from "./company.ts";
import { defineOnboarding } from "./onboarding.ts";

const kim = {
  name: "Kim Berg",
  login: "kim",
  privateMail: "kim@home.example",
  address: "1 Hill Road",
  startsOn: "2027-03-01",
};
const form = { team: "Billing", laptop: "13 inch" };

let company: Company;

beforeEach(async () => {
  company = await startCompany();
});

afterEach(() => company.stop());

describe("an onboarding, with virtual time, real HTTP and real SMTP", () => {
  let world: TestWorld;
  let caseId: string;

  beforeEach(async () => {
    const onboarding = defineOnboarding(company);
    world = createTestWorld({ cases: [onboarding] });
    caseId = await world.start(onboarding, kim, { businessKey: kim.login });
    expectWaiting(await world.runToNextWait(caseId), "approval", "approve");
  });

  test("makes the account, orders the laptop and sends one mail once the manager has said yes", async () => {
    expect([company.accounts, company.orders, company.mails]).toEqual([[], [], []]);
    await world.approve(caseId, "approve", { form });
    expectDone(await world.runToEnd(caseId));
    expect(company.accounts).toMatchObject([{ login: "kim", team: "Billing", createdFor: caseId }]);
    expect(company.orders).toMatchObject([{ model: "13 inch", by: "2027-03-01" }]);
    expect(company.mails).toMatchObject([{ to: ["kim@home.example"] }]);
    expect(company.mails[0]?.text).toContain("Your login is kim; your laptop is on its way (O-1)");
  });

  test("that no manager answers in five days, or that one refuses, goes to people with nothing done", async () => {
    const other = await world.start(defineOnboarding(company), { ...kim, login: "alex" });
    await world.runToNextWait(other);
    await world.reject(other, "approve", { note: "not this year" });
    expectReview(await world.runToNextWait(other), "approve", "refused");
    await world.advance("5d");
    expectReview(await world.runToNextWait(caseId), "approve", "expired");
    expect([company.accounts, company.orders, company.mails]).toEqual([[], [], []]);
  });

  test("whose login a namesake has is repaired by a person; nothing that stands is asked for or done again", async () => {
    company.employ("kim", "Kim Lund");
    await world.approve(caseId, "approve", { form });
    const stopped = await world.runToNextWait(caseId);
    expect(expectReview(stopped, "account", "conflict").owner).toBe("identity");
    expectConfirmed(stopped, "laptop");

    const page = { by: "ann", host: "desk-1", build: "1" };
    const { repairId } = await world.desk.openRepair(caseId, page);
    const input = { ...kim, login: "kim.berg" };
    await world.desk.correctInput(caseId, { by: "ann", repairId, input, reason: "kim is Kim Lund" });
    await world.desk.closeRepair(caseId, repairId);

    expectDone(await world.runToEnd(caseId));
    expect(company.accounts.map(({ login, name }) => [login, name])).toEqual([
      ["kim", "Kim Lund"],
      ["kim.berg", "Kim Berg"],
    ]);
    expect(company.orders).toHaveLength(1);
    expect(company.mails).toHaveLength(1);
    expect(company.mails[0]?.text).toContain("Your login is kim.berg;");
  });

  test("tries a mail again in a quarter of an hour where the server knows nobody yet, and sends one", async () => {
    company.mailMeets({ kind: "reply", says: "451 4.7.1 Greylisted, please come again" });
    await world.approve(caseId, "approve", { form });
    const from = world.now;
    expectDone(await world.runToEnd(caseId));
    expect(world.now - from).toBeGreaterThanOrEqual(15 * 60_000);
    expect(company.mails).toHaveLength(1);
  });

  test("asks HR for another address where there is no such mailbox, and that is all that is done anew", async () => {
    company.mailMeets({ kind: "reply", says: "550 5.1.1 No such user here" });
    await world.approve(caseId, "approve", { form });
    expect(expectReview(await world.runToNextWait(caseId), "welcome", "rejected").owner).toBe("hr");
    await world.correctInput(caseId, { ...kim, privateMail: "kim@other.example" });
    expectDone(await world.runToEnd(caseId));
    expect(company.mails.map(({ to }) => to)).toEqual([["kim@other.example"]]);
    expect([company.accounts.length, company.orders.length]).toEqual([1, 1]);
  });

  test("never sends a mail again that may be out: a person looks, and says that it came", async () => {
    company.mailMeets({ kind: "loseAnswer" });
    await world.approve(caseId, "approve", { form });
    expectReview(await world.runToNextWait(caseId), "welcome", "unknown");
    await world.advance("3d");
    expect(company.mails).toHaveLength(1);
    await world.desk.confirmStep(caseId, {
      step: "welcome",
      by: "ann",
      reason: "Kim has it",
      evidence: "a call",
      result: { messageId: "<as in the log>", response: "250 taken" },
    });
    expectDone(await world.runToEnd(caseId));
    expect(company.mails).toHaveLength(1);
  });
});

/** What the three systems have of a case. */
function effectsOf(caseId: string): readonly ListedEffect[] {
  const accounts = company.accounts.filter(({ createdFor }) => createdFor === caseId);
  const orders = company.orders.filter(({ key }) => key.startsWith(`${caseId}.`));
  const mails = company.mails.filter(({ text }) => text.includes(`<${caseId}.`));
  return [
    ...accounts.map(({ id }) => ({ step: "account", id })),
    ...orders.map(({ orderId }) => ({ step: "laptop", id: orderId })),
    ...mails.map((_, index) => ({ step: "welcome", id: String(index) })),
  ];
}

test("is safe under every crash, lost answer, late worker and refusal; of a mail that may be out a person hears", async () => {
  const report = await rehearse(defineOnboarding(company), {
    input: (run) => ({ ...kim, login: `kim-${run}` }),
    approvals: { approve: form },
    effects: effectsOf,
  });
  expectSafe(report);
  expect(report.steps.map(({ step, judgedBy }) => [step, judgedBy])).toEqual([
    ["account", "effects"],
    ["laptop", "effects"],
    ["welcome", "effects"],
  ]);
  const forPeople = report.steps.flatMap(({ cells }) => cells).filter(({ verdict }) => verdict === "person");
  expect(forPeople.length).toBeGreaterThan(0);
  expect(new Set(forPeople.map(({ step }) => step))).toEqual(new Set(["welcome"]));
});
