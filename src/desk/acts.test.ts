import { beforeEach, describe, expect, test } from "vitest";
import type { Desk } from "./desk.ts";
import { purchase, testDesk } from "./purchase.fixture.ts";
import { refusalOf } from "./refusal.fixture.ts";
import { onEachStore } from "./stores.fixture.ts";

const order = { vendor: "ACME", amount: 12.5 };
const ada = { by: "ada" };

async function start(desk: Desk, input: object = order): Promise<string> {
  const { caseId } = await desk.startCase("purchase", input, ada);
  return caseId;
}

onEachStore("the acts of the desk", (storeOf) => {
  let desk: Desk;
  beforeEach(() => {
    desk = testDesk(storeOf());
  });

  describe("starting", () => {
    test("a started case is stored with its input and who started it, and its id begins with its shard", async () => {
      const { caseId, isNew } = await desk.startCase(purchase, order, ada);
      const view = await desk.show(caseId);
      expect(isNew).toBe(true);
      expect(caseId).toMatch(/^[0-3]\d-[0-9a-z]{12}$/);
      expect(view).toMatchObject({ input: order, originalInput: order, storedState: "ready", revision: 1 });
      expect(view.startedBy).toEqual({ kind: "person", name: "ada" });
    });

    test("a second start with the same tenant, type and business key finds the first case and writes nothing", async () => {
      const named = { ...ada, businessKey: `PO-${Math.random()}` };
      const first = await desk.startCase("purchase", order, named);
      const second = await desk.startCase("purchase", { ...order, amount: 99 }, named);
      const elsewhere = await desk.startCase("purchase", order, { ...named, tenant: "other" });
      expect(second).toEqual({ caseId: first.caseId, isNew: false });
      expect(elsewhere.isNew).toBe(true);
      expect((await desk.show(first.caseId)).input).toEqual(order);
    });

    test("an invalid input is refused naming each field, and no case is left behind", async () => {
      const before = await desk.list({ tenant: "faulty" });
      const refusal = await refusalOf(
        desk.startCase("purchase", { vendor: "", amount: -1 }, { ...ada, tenant: "faulty" }),
      );
      expect(refusal.code).toBe("INVALID_INPUT");
      expect(refusal.details.fields?.map(({ path }) => path)).toEqual(["vendor", "amount"]);
      expect(refusal.message).toMatch(/vendor: .*amount: /);
      expect((await desk.list({ tenant: "faulty" })).cases).toEqual(before.cases);
    });

    test("an unknown case type is refused naming those that are loaded", async () => {
      const refusal = await refusalOf(desk.startCase("purchases", order, ada));
      expect(refusal.code).toBe("UNKNOWN_CASE_TYPE");
      expect(refusal.message).toContain("purchase, side-by-side");
    });

    test.each([
      ["an empty name", { by: " " }, "by"],
      ["a NUL in the business key", { by: "ada", businessKey: "a\u0000b" }, "businessKey"],
      ["an escape sequence in the business key", { by: "ada", businessKey: "\u001b[2J" }, "businessKey"],
      ["half a surrogate pair in the tenant", { by: "ada", tenant: "\ud800" }, "tenant"],
      ["a business key that is too long", { by: "ada", businessKey: "k".repeat(201) }, "businessKey"],
    ])("%s is refused naming the field", async (_, options, field) => {
      const refusal = await refusalOf(desk.startCase("purchase", order, options));
      expect(refusal.code).toBe("INVALID_REQUEST");
      expect(refusal.details.fields?.map(({ path }) => path)).toEqual([field]);
    });
  });

  describe("events", () => {
    test("an event is stored once per source id, and makes the case due", async () => {
      const caseId = await start(desk);
      const event = { eventType: "approval.revoked", payload: { why: "fraud" }, sourceId: "evt-1" };
      const first = await desk.recordEvent(caseId, event);
      const again = await desk.recordEvent(caseId, event);
      const view = await desk.show(caseId);
      expect([first.outcome, again.outcome]).toEqual(["done", "repeated"]);
      expect(view.events).toMatchObject([{ sourceId: "evt-1", payload: { why: "fraud" } }]);
      expect(view.revision).toBe(2);
    });

    test("an unknown event type is refused naming those that the case takes", async () => {
      const refusal = await refusalOf(
        desk.recordEvent(await start(desk), { eventType: "approval.revokd", payload: {} }),
      );
      expect(refusal.code).toBe("INVALID_EVENT");
      expect(refusal.message).toContain("It takes: approval.revoked");
    });

    test("an event type from Object's prototype is unknown", async () => {
      const caseId = await start(desk);
      const refusal = await refusalOf(desk.recordEvent(caseId, { eventType: "constructor", payload: {} }));
      expect(refusal.code).toBe("INVALID_EVENT");
    });

    test("an invalid payload is refused naming each field, and nothing is written", async () => {
      const caseId = await start(desk);
      const refusal = await refusalOf(
        desk.recordEvent(caseId, { eventType: "approval.revoked", payload: { why: 7 } }),
      );
      expect(refusal.code).toBe("INVALID_EVENT");
      expect(refusal.details.fields?.map(({ path }) => path)).toEqual(["why"]);
      expect((await desk.show(caseId)).revision).toBe(1);
    });
  });

  describe("approvals", () => {
    const yes = { step: "approve", approved: true, form: { costCenter: "4711" }, by: "finn" };

    test("an approval that is asked for can be answered once", async () => {
      const caseId = await start(desk);
      const reply = await desk.answerApproval(caseId, yes);
      const refusal = await refusalOf(desk.answerApproval(caseId, yes));
      expect(reply.outcome).toBe("done");
      expect(refusal.code).toBe("ALREADY_ANSWERED");
      expect((await desk.show(caseId)).history.at(-1)?.sentence).toBe("finn approved approve.");
    });

    test("the same answer sent again by its source id is known and changes nothing", async () => {
      const caseId = await start(desk);
      await desk.answerApproval(caseId, { ...yes, sourceId: "click-1" });
      const again = await desk.answerApproval(caseId, { ...yes, sourceId: "click-1" });
      expect(again.outcome).toBe("repeated");
      expect((await desk.show(caseId)).revision).toBe(2);
    });

    test("a form that is not filled in as it must be is refused naming each field", async () => {
      const refusal = await refusalOf(desk.answerApproval(await start(desk), { ...yes, form: {} }));
      expect(refusal.code).toBe("INVALID_APPROVAL");
      expect(refusal.details.fields?.map(({ path }) => path)).toEqual(["costCenter"]);
    });

    test("a form for an approval that has none is refused", async () => {
      const { caseId } = await desk.startCase("side-by-side", null, ada);
      const answer = { step: "left", approved: true, form: { x: 1 }, by: "finn" };
      expect((await refusalOf(desk.answerApproval(caseId, answer))).code).toBe("INVALID_APPROVAL");
    });

    test("a refusal needs no form", async () => {
      const caseId = await start(desk);
      await desk.answerApproval(caseId, { step: "approve", approved: false, note: "too much", by: "finn" });
      expect((await desk.show(caseId)).history.at(-1)?.sentence).toBe("finn refused approve: too much.");
    });

    test.each(["createRecord", "nosuch", "__proto__"])("%s is refused as no approval", async (step) => {
      const refusal = await refusalOf(desk.answerApproval(await start(desk), { ...yes, step }));
      expect(refusal.code).toBe("NOT_WAITING_FOR_APPROVAL");
      expect(refusal.message).toContain("Its approvals: approve");
    });
  });

  describe("plan versions", () => {
    const yes = { step: "approve", approved: true, form: { costCenter: "4711" }, by: "finn" };

    test("an act on the plan that was seen is done, and notes do not change a plan", async () => {
      const caseId = await start(desk);
      const plan = (await desk.show(caseId)).plan?.version;
      await desk.addNote(caseId, { text: "called the vendor", by: "ada" });
      expect((await desk.answerApproval(caseId, { ...yes, plan })).outcome).toBe("done");
    });

    test("R5: an act on a plan that changed since is refused, saying what changed, and nothing is written", async () => {
      const caseId = await start(desk);
      const plan = (await desk.show(caseId)).plan?.version;
      const { by } = ada;
      await desk.correctInput(caseId, { input: { ...order, amount: 9_000 }, by, reason: "typo" });
      const refusal = await refusalOf(desk.answerApproval(caseId, { ...yes, plan }));
      expect(refusal.code).toBe("PLAN_CHANGED");
      expect(refusal.message).toContain("approve: input or earlier results changed");
      expect((await desk.show(caseId)).revision).toBe(2);
    });

    test("the plan version of a step covers that step and what follows it, no other branch", async () => {
      const { caseId } = await desk.startCase("side-by-side", null, ada);
      const seen = await desk.show(caseId);
      const versionOf = (step: string): string | undefined =>
        seen.plan?.steps.find((one) => one.step === step)?.version;
      await desk.answerApproval(caseId, { step: "left", approved: true, by: "finn" });
      const right = { step: "right", approved: true, by: "lena" };
      const stale = await refusalOf(desk.answerApproval(caseId, { ...right, plan: seen.plan?.version }));
      expect(stale.code).toBe("PLAN_CHANGED");
      expect(stale.message).toContain("left: answer changed");
      expect((await desk.answerApproval(caseId, { ...right, plan: versionOf("right") })).outcome).toBe(
        "done",
      );
    });

    test.each(["", "p1", "p1.xyz", "p0.0123456789abcdef", `p1.${"0".repeat(17)}`])(
      "the text %j is not taken for the plan now",
      async (plan) => {
        const caseId = await start(desk);
        const refusal = await refusalOf(desk.answerApproval(caseId, { ...yes, plan }));
        expect(["INVALID_REQUEST", "PLAN_CHANGED"]).toContain(refusal.code);
        expect((await desk.show(caseId)).revision).toBe(1);
      },
    );
  });

  describe("moves", () => {
    test("an untouched case is canceled; then only notes and events are taken", async () => {
      const caseId = await start(desk);
      await desk.cancel(caseId, { by: "ada", reason: "ordered twice" });
      await desk.addNote(caseId, { text: "for the record", by: "ada" });
      const view = await desk.show(caseId);
      expect(view.reading).toMatchObject({
        state: "Canceled",
        sentence: "Canceled by ada (ordered twice).",
        actsNext: "nobody",
      });
      expect((await desk.cancel(caseId, ada)).outcome).toBe("repeated");
      expect((await refusalOf(desk.pause(caseId, ada))).code).toBe("CASE_ENDED");
      expect((await refusalOf(desk.resume(caseId, ada))).code).toBe("CASE_ENDED");
    });

    test("a pause ends in the future or when somebody resumes", async () => {
      const caseId = await start(desk);
      const past = await refusalOf(desk.pause(caseId, { by: "ada", untilAt: 1 }));
      expect(past.details.fields?.map(({ path }) => path)).toEqual(["untilAt"]);
      await desk.pause(caseId, { by: "ada", untilAt: Date.now() + 3_600_000 });
      expect((await desk.show(caseId)).reading.state).toBe("Paused");
      await desk.resume(caseId, ada);
      expect((await desk.show(caseId)).storedState).toBe("ready");
    });

    test("a resume with nothing to resume says what the case waits for", async () => {
      const refusal = await refusalOf(desk.resume(await start(desk), ada));
      expect(refusal.code).toBe("NOTHING_TO_RESUME");
      expect(refusal.message).toContain("approve waits for the approval of finance");
    });

    test("a resume of a step that there is not is refused naming those that there are", async () => {
      const refusal = await refusalOf(desk.resume(await start(desk), { by: "ada", step: "aprove" }));
      expect(refusal.code).toBe("INVALID_REQUEST");
      expect(refusal.message).toContain("approve, createRecord, notify");
    });

    test("a correction keeps the original input, and an invalid one is refused naming each field", async () => {
      const caseId = await start(desk);
      const faulty = desk.correctInput(caseId, { input: { vendor: "B" }, by: "ada", reason: "typo" });
      expect((await refusalOf(faulty)).details.fields?.map(({ path }) => path)).toEqual(["amount"]);
      await desk.correctInput(caseId, { input: { ...order, vendor: "B" }, by: "ada", reason: "typo" });
      const view = await desk.show(caseId);
      expect(view.input).toEqual({ ...order, vendor: "B" });
      expect(view.originalInput).toEqual(order);
      expect(view.history.at(-1)?.sentence).toBe("ada corrected the input: typo.");
    });

    test("what a case allows now is what the acts say", async () => {
      const caseId = await start(desk);
      const allowed = (await desk.show(caseId)).moves.filter(({ isAllowed }) => isAllowed);
      expect(allowed.map(({ move }) => move)).toEqual([
        "approve",
        "correct",
        "cancel",
        "pause",
        "assign",
        "open",
        "note",
      ]);
      await desk.cancel(caseId, ada);
      const after = (await desk.show(caseId)).moves.filter(({ isAllowed }) => isAllowed);
      expect(after.map(({ move }) => move)).toEqual(["assign", "note"]);
    });
  });
});
