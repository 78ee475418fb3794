import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Json } from "../core/json.ts";
import { defineCase } from "./builder.ts";
import { defineEvent, outdatedBy, type EventOptions } from "./event.ts";
import { faultsOf, untypedCase } from "./untyped.fixture.ts";

const Payment = z.object({ order: z.string(), version: z.union([z.number(), z.string()]) });
type Payment = z.output<typeof Payment>;

const ordered = (options: EventOptions<Payment>): ReturnType<typeof defineOrder> => defineOrder(options);

function defineOrder(options: EventOptions<Payment>) {
  return defineCase("order", {
    version: 1,
    owner: "shop",
    input: z.object({ charge: z.string().optional() }),
    events: { paid: defineEvent(Payment, options), created: z.object({}) },
    keys: ({ input, results }) => [
      input.charge,
      typeof results["pay"] === "string" ? results["pay"] : "",
      null,
      input.charge,
    ],
  }).waitForEvent("wait", { event: "paid", timeout: "1d" });
}

const knownEvents = (
  ...versions: readonly Json[]
): readonly { readonly payload: Json; readonly at: number }[] =>
  versions.map((version) => ({ payload: { order: "o1", version }, at: 0 }));

describe("an event with more than a schema", () => {
  test("names its case from its payload", () => {
    const rule = ordered({ correlate: ({ order }) => order }).eventRules["paid"];
    expect(rule?.correlate?.({ order: "o1", version: 1 })).toBe("o1");
    expect(ordered({ correlate: () => "" }).eventRules["paid"]?.correlate?.({})).toBeNull();
  });

  test("plainly given is applied as it comes", () => {
    expect(ordered({}).eventRules["created"]).toEqual({ correlate: null, order: { by: "arrival" } });
  });

  test.each([
    [5, [4], false],
    [5, [5], true],
    [5, [6, 1], true],
    ["10", ["9"], false],
    ["9", ["10"], true],
    ["90071992547409930", ["90071992547409931"], true],
    ["2026-01-02", ["2026-01-01"], false],
    ["2026-01-01", ["2026-01-01"], true],
    [1, [], false],
  ])("of version %j after %j is outdated: %j", (version, known, isOutdated) => {
    const rule = ordered({ order: { version: (payment) => payment.version } }).eventRules["paid"];
    if (rule === undefined) throw new Error("no rule");
    const why = outdatedBy(rule, { order: "o1", version }, knownEvents(...known));
    expect(why !== null).toBe(isOutdated);
  });

  test("is compared only with what is counted together", () => {
    const order = { version: (payment: Payment) => payment.version, of: (payment: Payment) => payment.order };
    const rule = ordered({ order }).eventRules["paid"];
    if (rule === undefined) throw new Error("no rule");
    expect(outdatedBy(rule, { order: "o2", version: 1 }, knownEvents(9))).toBeNull();
    expect(outdatedBy(rule, { order: "o1", version: 1 }, knownEvents(9))).toBe(
      "it is of version 1, and the case knows version 9",
    );
  });

  test("is held for another event of the case type only", () => {
    expect(ordered({ order: { after: "created", within: "5m" } }).eventRules["paid"]?.order).toEqual({
      by: "hold",
      after: "created",
      withinMs: 300_000,
    });
    for (const after of ["paid", "unknown"]) {
      expect(() => ordered({ order: { after } }).outline).toThrow(`waits for ${after}`);
    }
  });

  test("is refused with every fault of what is said of it", () => {
    const options = { correlate: "order", order: { version: 1, after: "created" }, more: true };
    const events = { paid: { kind: "event", schema: Payment, options }, created: z.object({}) };
    const written = { version: 1, owner: "shop", input: z.object({}), events };
    const faults = faultsOf(untypedCase("order", written).sleep("rest", { for: "1s" }));
    expect(faults.map((fault) => fault.split(":")[0])).toEqual([
      "events.paid.more",
      "events.paid.correlate",
      "events.paid.order.version",
    ]);
  });
});

test("the keys of a case are its texts, each once", () => {
  const facts = {
    caseId: "07-abc",
    input: { charge: "ch_1" },
    results: {},
    events: { all: () => [], latest: () => null },
  };
  expect(ordered({}).keys?.(facts)).toEqual(["ch_1"]);
});
