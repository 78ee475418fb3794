import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { defineCase } from "../define/builder.ts";
import { defineDestination } from "../define/destination.ts";
import { registryOf } from "../define/registry.ts";
import type { Desk } from "./desk.ts";
import { testDesk } from "./purchase.fixture.ts";
import { refusalOf } from "./refusal.fixture.ts";
import { onEachStore } from "./stores.fixture.ts";

const ada = { by: "ada" };
const why = { ...ada, reason: "asked the supplier" };

async function start(desk: Desk): Promise<string> {
  const { caseId } = await desk.startCase("purchase", { vendor: "ACME", amount: 12.5 }, ada);
  return caseId;
}

onEachStore("what people vouch for at the desk", (storeOf) => {
  let desk: Desk;
  beforeEach(() => {
    desk = testDesk(storeOf());
  });

  describe("confirming, ruling out and ordering again", () => {
    test("say what is missing where nothing of that kind can be said", async () => {
      const caseId = await start(desk);
      const step = "createRecord";
      expect((await refusalOf(desk.confirmStep(caseId, { ...why, step }))).code).toBe("NOTHING_TO_CONFIRM");
      expect((await refusalOf(desk.ruleOut(caseId, { ...why, step }))).code).toBe("NOTHING_TO_RULE_OUT");
      expect((await refusalOf(desk.redoStep(caseId, { ...why, step }))).code).toBe("NOTHING_TO_REDO");
      expect((await refusalOf(desk.redoStep(caseId, { ...why, step: "nothing" }))).code).toBe(
        "INVALID_REQUEST",
      );
    });

    test("take a result of one key of an each only as a key gives it", async () => {
      const erp = defineDestination("erp", { idempotency: { by: "key", window: "24h" } });
      const invoice = defineCase("invoice", { version: 1, owner: "books", input: z.object({}) }).each(
        "lines",
        {
          items: () => ["a"],
          key: (item) => item,
          to: erp,
          result: z.object({ id: z.string() }),
          run: () => Promise.reject(new Error("nothing is sent here")),
        },
      );
      const own = testDesk(storeOf(), registryOf([invoice]));
      const { caseId } = await own.startCase("invoice", {}, ada);
      const confirm = (result: object) =>
        refusalOf(own.confirmStep(caseId, { ...why, step: "lines[a]", result }));
      expect(await confirm({ id: 7 })).toMatchObject({
        code: "INVALID_REQUEST",
        details: { fields: [{ path: "id" }] },
      });
      expect((await confirm({ id: "R-7" })).code).toBe("NOTHING_TO_CONFIRM");
      expect(own.forms("invoice").results).toMatchObject({ "lines[]": { kind: "schema" } });
    });

    test("need a reason, on one screen", async () => {
      const caseId = await start(desk);
      const refusal = await refusalOf(
        desk.ruleOut(caseId, { step: "createRecord", by: "ada", reason: "", evidence: "e".repeat(100_000) }),
      );
      expect(refusal.details.fields?.map(({ path }) => path)).toEqual(["reason", "evidence"]);
    });

    test("are refused on a plan that changed since", async () => {
      const caseId = await start(desk);
      const { plan } = await desk.show(caseId);
      await desk.correctInput(caseId, { ...why, input: { vendor: "Other", amount: 1 } });
      const seen = { ...why, step: "createRecord", plan: plan?.version };
      expect((await refusalOf(desk.ruleOut(caseId, seen))).code).toBe("PLAN_CHANGED");
      expect((await refusalOf(desk.redoStep(caseId, seen))).code).toBe("PLAN_CHANGED");
    });
  });
});
