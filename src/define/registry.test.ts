import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineCase, type NoEvents } from "./builder.ts";
import type { CaseType } from "./case-type.ts";
import type { CaseDefinition } from "./definition.ts";
import { defineDestination } from "./destination.ts";
import { faultsIn } from "./faulty-definition.ts";
import { probe } from "./probe.ts";
import { registryOf } from "./registry.ts";
import type { CasePartsOf } from "./shape.ts";

const input = z.object({ vendor: z.string() });
const erp = defineDestination("erp", { idempotency: { by: "key", window: "24h" } });
const otherErp = defineDestination("erp", { idempotency: { by: "none" } });
const run = (): null => null;

function caseNamed(name: string, version = 1): CaseDefinition<CasePartsOf<typeof input, NoEvents>> {
  return defineCase(name, { version, owner: "purchasing", input });
}

function faultsOf(load: () => unknown): readonly string[] {
  try {
    load();
  } catch (error) {
    const faulty = faultsIn(error) ?? [];
    return faulty.flatMap(({ name, faults }) => faults.map(({ path }) => `${name} ${path}`));
  }
  return [];
}

describe("loading case types", () => {
  const purchase = caseNamed("purchase").step("send", { to: erp, run });
  const refund = caseNamed("refund").step("send", { to: erp, run });

  test("finds each by its name, and names what is loaded where one is not", () => {
    const registry = registryOf([purchase, refund]);
    expect(registry.all).toEqual([purchase, refund]);
    expect(registry.find("refund")).toBe(refund);
    expect(registry.get("purchase")).toBe(purchase);
    expect(registry.find("toString")).toBeNull();
    expect(() => registry.get("returns")).toThrow(
      expect.objectContaining({
        code: "UNKNOWN_CASE_TYPE",
        message: "No case type returns is loaded here. Loaded: purchase, refund.",
      }),
    );
    expect(() => registryOf([]).get("returns")).toThrow("Loaded: none.");
  });

  test("refuses all that are faulty at once, with all their faults", () => {
    const stuck = caseNamed("stuck", 0).sleep("rest", { for: "0s" });
    expect(faultsOf(() => registryOf([purchase, stuck, caseNamed("empty"), refund]))).toEqual([
      "stuck version",
      "stuck steps.rest.for",
      "empty steps",
    ]);
  });

  test("refuses two of one name", () => {
    expect(
      faultsOf(() => registryOf([purchase, refund, caseNamed("purchase").sleep("a", { for: 1 })])),
    ).toEqual(["purchase name"]);
  });

  test("refuses destinations of one name with different settings, in steps and in probes", () => {
    const sends = caseNamed("sends").step("send", { to: otherErp, run });
    const asks = caseNamed("asks").sleep("rest", {
      for: 1,
      requires: { open: probe({ of: otherErp, ask: () => true }) },
    });
    expect(faultsOf(() => registryOf([purchase, sends, asks, refund]))).toEqual([
      "sends destinations.erp",
      "asks destinations.erp",
    ]);
    expect(() => registryOf([purchase, sends])).toThrow("(the other is in case type purchase)");
  });

  test("passes on what is no fault of a definition", () => {
    const broken: CaseType = {
      input: purchase.input,
      events: purchase.events,
      eventRules: purchase.eventRules,
      keys: purchase.keys,
      concurrencyKey: purchase.concurrencyKey,
      masks: purchase.masks,
      resultOf: purchase.resultOf,
      steps: purchase.steps,
      destinations: purchase.destinations,
      get outline(): never {
        throw new RangeError("the stack is full");
      },
    };
    expect(() => registryOf([broken])).toThrow(RangeError);
  });
});
