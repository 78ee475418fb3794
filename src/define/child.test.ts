import { describe, expect, test } from "vitest";
import { z } from "zod";
import { CHILD_DEPTH_MAX } from "../core/child-telling.ts";
import { EACH_CHILDREN_MAX } from "../core/each.ts";
import { defineCase } from "./builder.ts";
import type { CaseType } from "./case-type.ts";
import { childCallsIn } from "./child-calls.ts";
import { faultsIn } from "./faulty-definition.ts";
import { sendStepNamed } from "./facts.ts";
import { makeResult } from "./make-request.ts";
import { registryOf } from "./registry.ts";
import { erp, faultsOf, head, input, run, untypedCase } from "./untyped.fixture.ts";

const options = { version: 1, owner: "ops", input };
const label = defineCase("label", options)
  .step("print", { to: erp, run })
  .result(({ input: { vendor } }) => ({ vendor }));
const order = defineCase("order", options)
  .child("ship", { of: label, input: ({ input: { vendor } }) => ({ vendor }), onLapse: "undo" })
  .eachChild("labels", {
    items: () => ["a", "b"],
    key: (item) => item,
    of: "label",
    input: ({ item }) => ({ vendor: item }),
    onCanceled: "result",
  });

const faultsTogether = (...caseTypes: readonly CaseType[]): readonly string[] => {
  try {
    registryOf(caseTypes);
    return [];
  } catch (error) {
    return (faultsIn(error) ?? []).flatMap(({ name, faults }) =>
      faults.map(({ path, message }) => `${name}: ${path}: ${message}`),
    );
  }
};

/** A case type that starts cases of others. */
const starting = (name: string, ...of: readonly string[]): CaseType =>
  of.reduce<CaseType & { child: (name: string, options: unknown) => never }>(
    (one, child) => one.child(`start-${child}`, { of: child, input: () => null, after: [] }),
    untypedCase(name, head).step("do", { to: erp, run, after: [] }) as never,
  );

const many = (count: number) =>
  untypedCase("many", head).eachChild("labels", {
    items: () => Array.from({ length: count }, (_, index) => `${index}`),
    key: (item: string) => item,
    of: "label",
    input: () => null,
  }).steps["labels"];

const giving = (give: unknown) => untypedCase("label", head).step("print", { to: erp, run }).result(give);

describe("a child", () => {
  test("is a send for the plan, in the engine's own database, with an undo that cancels it", () => {
    const ship = sendStepNamed(order, "ship");
    expect(ship?.outline).toMatchObject({
      kind: "step",
      destination: { name: "foothold-cases", repeatSafety: { by: "transaction" } },
      child: { act: "start", caseType: "label", onCanceled: "review" },
      onLapse: "undo",
      hasRequest: true,
      undo: { name: "ship.undo", child: { act: "cancel", caseType: "label" } },
    });
    expect(sendStepNamed(order, "labels[a]")?.outline).toMatchObject({
      child: { onCanceled: "result" },
      undo: { name: "labels[a].undo" },
      part: { of: "labels", key: "a", atOnce: 10 },
    });
  });

  test("is asked what it starts with like a request", () => {
    const facts = { caseId: "c", input: { vendor: "acme" }, results: {}, events: {} as never };
    expect(sendStepNamed(order, "ship")?.request?.(facts)).toEqual({ vendor: "acme" });
    expect(sendStepNamed(order, "labels[b]")?.request?.(facts)).toEqual({ vendor: "b" });
  });

  test("runs only with what the engine gives", () => {
    expect(() => childCallsIn({ caseId: "c" } as never)).toThrow("gave case c no way to its children");
  });

  test("takes more items than a send, and no more than its bound", () => {
    const each = order.steps["labels"];
    const facts = { caseId: "c", input: null, results: {}, events: {} as never };
    expect(each?.kind).toBe("each");
    const most = many(EACH_CHILDREN_MAX);
    expect(most?.kind === "each" && most.items(facts)).toHaveLength(EACH_CHILDREN_MAX);
    const tooMany = many(EACH_CHILDREN_MAX + 1);
    expect(() => tooMany?.kind === "each" && tooMany.items(facts)).toThrow("at most 2000 are allowed");
  });

  test.each<[string, unknown, readonly string[]]>([
    [
      "without options",
      {},
      [
        "steps.ship.of: is missing: say which case type it starts: the definition, or its name",
        "steps.ship.input: is missing: give the function that gives what the child starts with",
      ],
    ],
    [
      "with a destination",
      { of: "label", input: () => null, to: erp },
      [expect.stringContaining("steps.ship.to: there is no such option")],
    ],
    [
      "with an async input",
      { of: "label", input: async () => null },
      [expect.stringContaining("must not be async")],
    ],
    [
      "of what is no case type",
      { of: { outline: 7 }, input: () => null },
      [expect.stringContaining("is no case type")],
    ],
    [
      "of a case type with faults",
      { of: untypedCase("label", head), input: () => null },
      [expect.stringContaining("is a case type with faults of its own")],
    ],
    [
      "with policies that there are not",
      { of: "label", input: () => null, onCanceled: "retry", onLapse: "recheck" },
      [
        "steps.ship.onCanceled: must be one of review, cancel, result",
        "steps.ship.onLapse: must be one of review, redo, undo",
      ],
    ],
  ])("is faulty %s", (_, given, faults) => {
    expect(faultsOf(untypedCase("order", head).child("ship", given))).toEqual(faults);
  });
});

describe("what a case gives", () => {
  const state = { input: { vendor: "acme" }, steps: {}, events: [] } as never;

  test("is what its function says, as JSON, or nothing", () => {
    expect(makeResult(label, state)).toEqual({ kind: "made", value: { vendor: "acme" } });
    expect(makeResult(order, state)).toEqual({ kind: "made", value: null });
  });

  test("is not had from a function that throws, or gives no JSON", () => {
    const broken = giving(() => {
      throw new Error("no label");
    });
    expect(makeResult(broken, state)).toEqual({
      kind: "failed",
      why: expect.stringContaining("no label") as unknown,
    });
    expect(
      makeResult(
        giving(() => 1n),
        state,
      ),
    ).toMatchObject({
      kind: "failed",
      why: expect.stringContaining(
        "What result of result in case type label gave cannot be stored",
      ) as unknown,
    });
  });

  test("is said by a function that is not async", () => {
    expect(faultsOf(giving(7))).toEqual([
      expect.stringContaining("result: must be a function that is not async"),
    ]);
    expect(faultsOf(giving(async () => 1))).toHaveLength(1);
  });
});

describe("case types that start each other", () => {
  test("are loaded where each child is", () => {
    expect(faultsTogether(order, label)).toEqual([]);
    expect(faultsTogether(order)).toEqual([
      "order: steps.ship.of: there is no case type label loaded here. Loaded: order",
      "order: steps.labels.of: there is no case type label loaded here. Loaded: order",
    ]);
  });

  test("are refused where one would start itself, directly or through others", () => {
    expect(faultsTogether(starting("a", "a"))).toEqual([
      "a: steps.start-a.of: a starts a: such a case would start further ones without end",
    ]);
    expect(
      faultsTogether(starting("a", "b", "d"), starting("b", "c"), starting("c", "a"), starting("d")),
    ).toEqual([
      "a: steps.start-b.of: a starts b starts c starts a: such a case would start further ones without end",
      "b: steps.start-c.of: b starts c starts a starts b: such a case would start further ones without end",
      "c: steps.start-a.of: c starts a starts b starts c: such a case would start further ones without end",
    ]);
  });

  test("are refused deeper than cases may stand, and judged in no time however they branch", () => {
    const names = Array.from({ length: CHILD_DEPTH_MAX + 1 }, (_, index) => `t${index}`);
    const line = (depth: number): readonly CaseType[] =>
      names.slice(0, depth + 1).map((name, index) => starting(name, ...names.slice(index + 1, depth + 1)));
    expect(faultsTogether(...line(CHILD_DEPTH_MAX))).toEqual([]);
    const deep = [starting("top", "t0"), ...line(CHILD_DEPTH_MAX)];
    expect(faultsTogether(...deep)).toEqual([expect.stringContaining(`top starts t0 starts t1`)]);
    expect(faultsTogether(...deep)[0]).toContain(`at most ${CHILD_DEPTH_MAX} deep`);
  });
});

describe("a child in types", () => {
  test("is started with what its type takes, and gives what that gives", () => {
    const typed = defineCase("typed", options)
      .child("ship", { of: label, input: ({ input: { vendor } }) => ({ vendor }), onCanceled: "result" })
      .result(({ results }) =>
        results.ship.outcome === "done" ? results.ship.result.vendor : results.ship.reason,
      );
    // @ts-expect-error -- a label starts with a vendor
    const wrong = defineCase("wrong", options).child("ship", { of: label, input: () => ({ parcel: 1 }) });
    expect([typed.outline.name, wrong.outline.name]).toEqual(["typed", "wrong"]);
    expect(z.string().safeParse(typed.outline.owner).success).toBe(true);
  });
});
