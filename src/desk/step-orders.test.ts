import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { happened } from "../define/answers.ts";
import { defineCase } from "../define/builder.ts";
import { defineDestination } from "../define/destination.ts";
import { probe } from "../define/probe.ts";
import { registryOf, type Registry } from "../define/registry.ts";
import { systemPorts } from "../engine/system.ts";
import { createWorker, type Worker } from "../engine/worker.ts";
import { memoryStore } from "../store/memory/store.ts";
import type { Store } from "../store/port.ts";
import { ResponseError } from "../triage/response.ts";
import type { Desk } from "./desk.ts";
import { purchase, testDesk } from "./purchase.fixture.ts";
import { refusalOf } from "./refusal.fixture.ts";
import { onEachStore } from "./stores.fixture.ts";

const order = { vendor: "ACME", amount: 12.5 };
const ann = { id: "u-7", label: "Ann", roles: ["operator"] };
const waiting = { timeout: 20_000, interval: 10 };

const reads = (desk: Desk, caseId: string, state: string): Promise<unknown> =>
  expect.poll(async () => (await desk.show(caseId)).reading.state, waiting).toBe(state);

onEachStore("what people order", (storeOf) => {
  let desk: Desk;
  let caseId: string;
  beforeEach(async () => {
    desk = testDesk(storeOf());
    ({ caseId } = await desk.startCase("purchase", order, { by: "ada" }));
  });

  test("is on record with who was signed in", async () => {
    await desk.assignCase(caseId, { to: { id: "u-7", label: "Ann" }, by: ann, reason: "her vendor" });
    const view = await desk.show(caseId);
    expect(view).toMatchObject({ assignee: { id: "u-7", label: "Ann" }, storedState: "ready" });
    expect(view.history.at(-1)).toMatchObject({
      by: { kind: "person", name: "Ann", personId: "u-7" },
      sentence: "Ann gave the case to Ann: her vendor.",
    });
    expect((await desk.list()).cases[0]?.assignee).toEqual({ id: "u-7", label: "Ann" });
    const again = await desk.assignCase(caseId, { to: { id: "u-7", label: "Ann" }, by: ann });
    expect(again.outcome).toBe("repeated");
  });

  test("is done once under its own id, and told the same when it comes again", async () => {
    const note = { text: "called them", by: ann, actId: "act-1" };
    expect((await desk.addNote(caseId, note)).outcome).toBe("done");
    expect((await desk.addNote(caseId, note)).outcome).toBe("done");
    const notes = (await desk.show(caseId)).history.filter(({ kind }) => kind === "noteAdded");
    expect(notes).toHaveLength(1);
    expect((await refusalOf(desk.addNote(caseId, { ...note, actId: "" }))).code).toBe("INVALID_REQUEST");
  });

  test("hands an open repair over to a named person, and only from its own page", async () => {
    const page = { by: ann, host: "h", build: "b" };
    const { repairId } = await desk.openRepair(caseId, page);
    const to = { id: "u-8", label: "Bob" };
    const over = { to, by: ann, reason: "my shift ends" };
    expect((await refusalOf(desk.handOver(caseId, { ...over, repairId: "other" }))).code).toBe("REPAIR_OVER");
    await desk.handOver(caseId, { ...over, repairId });
    const view = await desk.show(caseId);
    expect(view).toMatchObject({ assignee: to, repair: null, holding: null });
    const late = await refusalOf(desk.closeRepair(caseId, repairId));
    expect(late.message).toContain("the case was handed over");
    await desk.openRepair(caseId, { ...page, by: "bob" });
  });

  test("is refused on a plan that changed since, naming what", async () => {
    const { plan } = await desk.show(caseId);
    await desk.answerApproval(caseId, {
      step: "approve",
      approved: true,
      form: { costCenter: "7" },
      by: "finn",
    });
    const request = { step: "approve", reason: "r", by: ann, plan: plan?.version };
    const refused = await refusalOf(desk.undoStep(caseId, request));
    expect(refused.code).toBe("PLAN_CHANGED");
    expect(refused.message).toContain("approve: answer changed");
  });

  test("is refused for what a case does not allow, and offered with the reason", async () => {
    const said = { reason: "r", by: ann };
    const skipped = await refusalOf(desk.skipStep(caseId, { step: "approve", ...said }));
    expect(skipped).toMatchObject({ code: "NOTHING_TO_SKIP" });
    expect((await refusalOf(desk.undoStep(caseId, { step: "notify", ...said }))).code).toBe(
      "NOTHING_TO_UNDO",
    );
    expect((await refusalOf(desk.checkNow(caseId, { step: "notify", by: ann }))).code).toBe(
      "NOTHING_TO_CHECK",
    );
    expect((await refusalOf(desk.checkNow(caseId, { step: "none", by: ann }))).code).toBe("INVALID_REQUEST");
    const { moves } = await desk.show(caseId);
    expect(moves.find(({ move }) => move === "skip")).toMatchObject({
      isAllowed: false,
      code: "NOTHING_TO_SKIP",
      why: skipped.message,
    });
  });

  test("is not offered to whoever lacks the right", async () => {
    const { moves } = await desk.show(caseId, undefined, { hasRight: (right) => right === "note" });
    expect(moves.filter(({ isAllowed }) => isAllowed).map(({ move }) => move)).toEqual(["note"]);
    expect(moves.find(({ move }) => move === "cancel")).toMatchObject({
      isForbidden: true,
      why: "You have not the right to cancel here.",
    });
  });
});

describe("previews", () => {
  let desk: Desk;
  let caseId: string;
  beforeEach(async () => {
    desk = testDesk(memoryStore());
    ({ caseId } = await desk.startCase("purchase", order, { by: "ada" }));
  });

  test("of a correction tell what changes and what lapses, and leave no trace", async () => {
    const { revision } = await desk.show(caseId);
    const preview = await desk.preview(caseId, { move: "correct", input: { ...order, amount: 9 } });
    expect(preview).toMatchObject({
      isAllowed: true,
      inputChanges: [{ path: "amount", kind: "changed", from: 12.5, to: 9 }],
      after: { needs: [{ step: "approve", who: "finance" }] },
    });
    expect((await desk.show(caseId)).revision).toBe(revision);
    const faulty = desk.preview(caseId, { move: "correct", input: { vendor: "" } });
    expect((await refusalOf(faulty)).code).toBe("INVALID_INPUT");
  });

  test("say why a move is not allowed, in the words of the move itself", async () => {
    const preview = await desk.preview(caseId, { move: "redo", step: "approve" });
    const refused = await refusalOf(desk.redoStep(caseId, { step: "approve", reason: "r", by: ann }));
    expect(preview).toMatchObject({
      isAllowed: false,
      code: refused.code,
      why: refused.message,
      after: null,
    });
    for (const request of [
      { move: "cancel" },
      { move: "resume" },
      { move: "undo", step: "notify" },
      { move: "confirm", step: "notify" },
      { move: "ruleOut", step: "notify" },
      { move: "check", step: "notify" },
    ] as const) {
      expect((await desk.preview(caseId, request)).isAllowed).toBe(request.move === "cancel");
    }
  });

  test("under a repair are those of its holder, and none once it is over", async () => {
    const { repairId } = await desk.openRepair(caseId, { by: ann, host: "h", build: "b" });
    expect(await desk.preview(caseId, { move: "cancel" })).toMatchObject({ code: "CASE_CLAIMED" });
    expect((await desk.preview(caseId, { move: "cancel", repairId })).isAllowed).toBe(true);
    await desk.closeRepair(caseId, repairId);
    expect((await refusalOf(desk.preview(caseId, { move: "cancel", repairId }))).code).toBe("REPAIR_OVER");
  });

  test("of an unknown case, step or type are refused", async () => {
    expect((await refusalOf(desk.preview("07-absent", { move: "cancel" }))).code).toBe("CASE_NOT_FOUND");
    const step = desk.preview(caseId, { move: "redo", step: "none" });
    expect((await refusalOf(step)).code).toBe("INVALID_REQUEST");
    expect(() => desk.forms("none")).toThrow("Loaded: purchase, side-by-side");
  });

  test("forms are told as JSON Schema, or why they cannot be", () => {
    expect(desk.forms("purchase")).toMatchObject({
      version: purchase.outline.version,
      input: { kind: "schema", schema: { required: ["vendor", "amount"] } },
      approvals: { approve: { kind: "schema" } },
      events: { "approval.revoked": { schema: { properties: { why: { type: "string" } } } } },
    });
  });
});

describe("with a worker", () => {
  interface Outside {
    readonly sent: string[];
    /** Steps whose answers are lost. */
    readonly down: Set<string>;
    /** Steps that are refused for what they ask for. */
    readonly refused?: Set<string>;
    isThere: boolean;
    stock: boolean;
  }

  function caseTypeOn(outside: Outside) {
    const shop = defineDestination("shop", {
      idempotency: { by: "lookup" },
      owners: { outage: "shop-team" },
      retry: { maxAttempts: 1, firstDelay: "1h" },
    });
    const send = async (what: string): Promise<{ id: string }> => {
      outside.sent.push(what);
      if (outside.refused?.has(what) === true) throw new ResponseError(422, "shop", {}, "");
      if (outside.down.has(what)) throw new Error("connection lost after sending");
      return { id: `${what}-1` };
    };
    return defineCase("ordering", { version: 1, owner: "sales", input: z.object({ item: z.string() }) })
      .step("order", {
        to: shop,
        before: {
          "in stock": probe({ of: shop, ask: async () => outside.stock, freshFor: "1h" }),
        },
        run: () => send("order"),
        check: async () =>
          outside.isThere
            ? happened({ id: "order-found" }, "seen")
            : { kind: "cannotTell", why: "the shop does not say" },
        undo: { run: async () => void (await send("undo")), check: async () => happened(null, null) },
        result: z.object({ id: z.string() }),
      })
      .step("thank", {
        to: shop,
        run: () => send("thank"),
        check: async () => ({ kind: "cannotTell", why: "the shop does not say" }),
      });
  }

  async function started(
    outside: Outside,
  ): Promise<{ desk: Desk; caseId: string; worker: Worker; store: Store }> {
    const store = memoryStore();
    const registry: Registry = registryOf([caseTypeOn(outside)]);
    const desk = testDesk(store, registry);
    const label = { name: "w-1", host: "host-1", build: "build-1" };
    const worker = createWorker({ store, registry, ports: systemPorts(), ...label });
    await worker.start();
    const { caseId } = await desk.startCase("ordering", { item: "tea" }, { by: "ada" });
    return { desk, caseId, worker, store };
  }

  test("check now asks what stands in review, sends nothing, and goes on where the effect is there", async () => {
    const outside: Outside = { sent: [], down: new Set(["order"]), isThere: false, stock: true };
    const { desk, caseId, worker } = await started(outside);
    await reads(desk, caseId, "Outcome unknown");
    await expect.poll(async () => (await desk.show(caseId)).reviews.length, waiting).toBe(1);
    const before = await desk.show(caseId);
    expect(before.prerequisites).toMatchObject([{ step: "order", name: "in stock", canCheckNow: true }]);
    await desk.checkNow(caseId, { step: "order", by: ann });
    await expect
      .poll(
        async () => (await desk.show(caseId)).history.filter(({ kind }) => kind === "checkAnswered").length,
        waiting,
      )
      .toBeGreaterThan(before.history.filter(({ kind }) => kind === "checkAnswered").length);
    await expect.poll(async () => (await desk.show(caseId)).storedState, waiting).toBe("in_review");
    outside.isThere = true;
    outside.down.clear();
    await desk.checkNow(caseId, { step: "order", by: ann });
    await reads(desk, caseId, "Done");
    expect(outside.sent).toEqual(["order", "thank"]);
    await worker.stop();
  });

  test("a step that stopped is left out with a result that fits, and what follows goes on", async () => {
    const outside: Outside = { sent: [], down: new Set(), isThere: false, stock: false };
    const { desk, caseId, worker } = await started(outside);
    await reads(desk, caseId, "Needs review");
    const request = { step: "order", reason: "bought in the store", by: ann };
    const wrong = await refusalOf(desk.skipStep(caseId, { ...request, result: { no: 1 } }));
    expect(wrong.code).toBe("INVALID_REQUEST");
    const preview = await desk.preview(caseId, { move: "skip", step: "order", result: { id: "r-1" } });
    expect(preview.after?.willSend).toMatchObject([
      { step: "thank", idempotencyKey: `${caseId}.thank.1`, effect: "first", destination: "shop" },
    ]);
    expect(JSON.stringify(preview.after)).toContain("without being done: you left it out: your reason");
    await desk.skipStep(caseId, { ...request, result: { id: "r-1" } });
    await reads(desk, caseId, "Done after repair");
    expect(outside.sent).toEqual(["thank"]);
    const [skipped] = (await desk.show(caseId)).confirmed;
    expect(skipped).toMatchObject({ how: "without being done: Ann left it out: bought in the store" });
    await worker.stop();
  });

  test("what a step did before stays in sight while it is to be done again, and once it is left out", async () => {
    const refused = new Set<string>();
    const outside: Outside = { sent: [], down: new Set(["thank"]), refused, isThere: false, stock: true };
    const { desk, caseId, worker } = await started(outside);
    await reads(desk, caseId, "Outcome unknown");
    await expect.poll(async () => (await desk.show(caseId)).storedState, waiting).not.toBe("claimed");
    refused.add("order");
    await desk.redoStep(caseId, { step: "order", reason: "more tea", by: ann });
    await reads(desk, caseId, "Needs correction");
    const earlier = {
      step: "order",
      how: "by the answer to attempt 1",
      result: { value: { id: "order-1" } },
      standing: "lapsed",
      lapsedBecause: "it was to be done again in its place, which has not happened: it is still there",
    };
    expect((await desk.show(caseId)).confirmed).toMatchObject([earlier]);
    const skip = { step: "order", reason: "one is enough", by: ann, result: { id: "order-1" } };
    const preview = await desk.preview(caseId, { ...skip, move: "skip" });
    expect(preview.after?.steps[0]?.sentence).toContain("What it did before is still there");
    await desk.skipStep(caseId, skip);
    expect((await desk.show(caseId)).confirmed).toMatchObject([
      { step: "order", how: "without being done: Ann left it out: one is enough", standing: "stands" },
      earlier,
    ]);
    await worker.stop();
  });

  test("a confirmed step is undone by its order, is not done again by itself, and is under a new key once resumed", async () => {
    const outside: Outside = { sent: [], down: new Set(["thank"]), isThere: false, stock: true };
    const { desk, caseId, worker } = await started(outside);
    await reads(desk, caseId, "Outcome unknown");
    await expect.poll(async () => (await desk.show(caseId)).storedState, waiting).not.toBe("claimed");
    const undone = await desk.preview(caseId, { move: "undo", step: "order" });
    expect(undone.after?.willSend).toMatchObject([{ undoes: "order", step: "order.undo" }]);
    await desk.undoStep(caseId, { step: "order", reason: "the wrong tea", by: ann });
    await reads(desk, caseId, "Needs review");
    const view = await desk.show(caseId);
    expect(view.reviews[0]?.sentence).toContain("was undone, as Ann ordered (the wrong tea)");
    expect(view.ifResumed?.willSend).toMatchObject([{ step: "order", idempotencyKey: `${caseId}.order.2` }]);
    expect(outside.sent.filter((one) => one === "order")).toHaveLength(1);
    await worker.stop();
  });
});
