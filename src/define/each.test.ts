import { describe, expect, test } from "vitest";
import { z } from "zod";
import { answerKey } from "../core/planning.ts";
import { foldJournal } from "../core/fold.ts";
import type { Entry } from "../core/journal.ts";
import type { Json } from "../core/json.ts";
import { happened } from "./answers.ts";
import { defineCase } from "./builder.ts";
import type { CaseType, RunContext } from "./case-type.ts";
import { defineDestination } from "./destination.ts";
import { answerFacts, sendStepNamed, undoneBy } from "./facts.ts";
import { makeKeys, makeRequest } from "./make-request.ts";
import { faultsOf, untypedCase } from "./untyped.fixture.ts";

const erp = defineDestination("erp", { idempotency: { by: "key", window: "24h" } });
const records = defineDestination("records", { idempotency: { by: "if-match" } });
const Lines = z.array(z.object({ id: z.string(), amount: z.number() }));
const input = z.object({ lines: Lines });
const run = (): null => null;

const invoice = defineCase("invoice", { version: 1, owner: "ops", input }).each("lines", {
  items: ({ input: { lines } }) => lines,
  key: ({ id }) => id,
  to: erp,
  request: ({ item, key }) => ({ key, amount: item.amount }),
  run: ({ request, item, key }) => ({ booked: request.amount, of: item.id, key }),
  check: ({ item, key }) => happened({ booked: item.amount, of: item.id, key }, null),
  undo: { run: ({ request, result }) => ({ back: result.booked - request.amount }) },
});

const lines: Json = [
  { id: "a", amount: 1 },
  { id: "b", amount: 2 },
];

function stateOf(given: Json, ...entries: readonly Entry[]) {
  const by = { kind: "person", name: "ada" } as const;
  const first: Entry = {
    kind: "caseStarted",
    caseType: "invoice",
    definitionVersion: 1,
    tenant: "",
    businessKey: null,
    input: given,
    by,
  };
  const all = [first, ...entries];
  return foldJournal(
    "case-1",
    all.map((entry, index) => ({ revision: index + 1, at: 1_000, commitId: `c${index}`, entry })),
  );
}
const begun: Entry = { kind: "eachStarted", step: "lines", keys: ["a", "b"] };

const part = (name: string, caseType: CaseType = invoice) => {
  const step = sendStepNamed(caseType, name);
  if (step === null) throw new Error(`there is no ${name}`);
  return step;
};

/** What the functions are called with; none of these uses the rest. */
const context = (given: Json) =>
  ({
    input: given,
    results: {},
    events: { all: () => [], latest: () => null },
    request: { amount: 1 },
  }) as unknown as RunContext;

describe("an each as defined", () => {
  test("is one step of the outline, with what is done for every key", () => {
    expect(invoice.outline.steps).toMatchObject([
      {
        kind: "each",
        name: "lines",
        atOnce: 10,
        keys: null,
        item: { name: "lines", hasRequest: true, hasCheck: true },
      },
    ]);
  });

  test("says whether its keys have an order", () => {
    const ordered = untypedCase("invoice", { version: 1, owner: "ops", input }).each("lines", {
      to: erp,
      items: () => [],
      key: () => "a",
      run,
      inOrder: true,
    });
    expect(ordered.outline.steps).toMatchObject([{ kind: "each", atOnce: 1, inOrder: true }]);
    expect(part("lines[a]", ordered).outline.part).toEqual({
      of: "lines",
      key: "a",
      atOnce: 1,
      inOrder: true,
    });
    expect(part("lines[a]").outline.part).toEqual({ of: "lines", key: "a", atOnce: 10 });
  });

  test("gives the keys of its items, and says why where it cannot", () => {
    expect(makeKeys(invoice, stateOf({ lines }), "lines")).toEqual({ kind: "made", keys: ["a", "b"] });
    expect(makeKeys(invoice, stateOf({ lines: [{ id: "a b" }] }), "lines")).toMatchObject({
      why: expect.stringContaining('"a b" is no key') as string,
    });
    expect(makeKeys(invoice, stateOf({ lines: "none" }), "lines")).toMatchObject({
      why: expect.stringContaining("instead of a list") as string,
    });
    expect(makeKeys(invoice, stateOf({}), "lines").kind).toBe("failed");
    expect(
      makeKeys(invoice, stateOf({ lines: Array.from({ length: 501 }, () => ({ id: "a" })) }), "lines"),
    ).toMatchObject({
      why: expect.stringContaining("501 items, at most 500") as string,
    });
    expect(makeKeys(invoice, stateOf({ lines }), "other").kind).toBe("failed");
    const late = untypedCase("late", { version: 1, owner: "ops", input }).each("lines", {
      to: erp,
      items: () => Promise.resolve([]),
      key: () => "a",
      run,
    });
    expect(makeKeys(late, stateOf({ lines }), "lines")).toMatchObject({
      why: expect.stringContaining("it is a promise") as string,
    });
  });

  test("has a step for each key, whose functions get its item as it is now", async () => {
    const state = stateOf({ lines }, begun);
    expect(makeRequest(invoice, state, part("lines[b]").outline)).toEqual({
      kind: "made",
      value: { key: "b", amount: 2 },
    });
    expect(await part("lines[a]").run(context({ lines }))).toEqual({ booked: 1, of: "a", key: "a" });
    expect(await part("lines[b]").check?.(context({ lines }))).toMatchObject({ kind: "happened" });
    await expect(part("lines[c]").run(context({ lines }))).rejects.toThrow(
      "lines[c] is not among the items any more",
    );
    expect(makeRequest(invoice, stateOf({ lines: [] }, begun), part("lines[a]").outline).kind).toBe("failed");
    expect(part("lines[a].undo").outline.name).toBe("lines[a].undo");
    for (const name of ["lines", "lines[a].other", "gone[a]"])
      expect(sendStepNamed(invoice, name)).toBeNull();
  });

  test("takes back what one key did", () => {
    const confirmed: Entry = {
      kind: "stepConfirmed",
      step: "lines[a]",
      intentVersion: 0,
      basis: "",
      result: { kind: "value", value: { booked: 1 } },
      evidence: null,
      by: { how: "person", by: "ada", reason: "seen" },
    };
    expect(undoneBy(invoice, stateOf({ lines }, begun, confirmed), "lines[a].undo")).toMatchObject({
      result: { booked: 1 },
    });
    expect(undoneBy(invoice, stateOf({ lines }, begun), "lines[a].undo")).toBeUndefined();
  });

  test("knows whether the keys that it began with are those of its items still", () => {
    const answers = (given: Json) => {
      const all = answerFacts(invoice, stateOf(given, begun), 5);
      return ["lines[a]", "lines[b]", "lines"].map((step) => {
        const name = step === "lines" ? "no item came after the start" : "is still one of the items";
        return all.get(answerKey(step, name))?.answer.kind;
      });
    };
    expect(answers({ lines })).toEqual(["holds", "holds", "holds"]);
    expect(
      answers({
        lines: [
          { id: "b", amount: 2 },
          { id: "c", amount: 3 },
        ],
      }),
    ).toEqual(["broken", "holds", "broken"]);
    expect(answers({})).toEqual(["cannotTell", "cannotTell", "cannotTell"]);
    expect(answerFacts(invoice, stateOf({ lines }), 5).size).toBe(0);
  });

  test("reads the version of one item where writes are conditional on it", async () => {
    const caseType = defineCase("invoice", { version: 1, owner: "ops", input }).each("lines", {
      items: ({ input: { lines: all } }) => all,
      key: ({ id }) => id,
      to: records,
      version: ({ item }) => `v${item.amount}`,
      run,
      check: () => happened(null, null),
      undo: { run, check: () => happened(null, null) },
    });
    for (const name of ["lines[b]", "lines[b].undo"]) {
      const [condition] = part(name, caseType).before;
      if (condition?.kind !== "probe") throw new Error("the version is a probe");
      expect(await condition.ask(context({ lines }))).toEqual({ kind: "holds", version: "v2" });
    }
  });
});

const each = (options: object, name = "lines") =>
  faultsOf(
    untypedCase("invoice", { version: 1, owner: "ops", input }).each(name, { to: erp, run, ...options }),
  );

describe("a faulty each", () => {
  const sound = { items: () => [], key: () => "a" };

  test.each<[string, object, readonly string[]]>([
    ["is none", sound, ["no fault: invoice"]],
    [
      "lacks its items and key",
      {},
      [
        expect.stringContaining("steps.lines.items:") as string,
        expect.stringContaining("steps.lines.key:") as string,
      ],
    ],
    [
      "asks for its items",
      { ...sound, items: async () => [] },
      [expect.stringContaining("must not be async") as string],
    ],
    [
      "does none at once",
      { ...sound, atOnce: 0 },
      [expect.stringContaining("steps.lines.atOnce:") as string],
    ],
    [
      "says no more than yes or no of its order",
      { ...sound, inOrder: "yes" },
      [expect.stringContaining("steps.lines.inOrder: must be true or false, not a") as string],
    ],
    ["is in order", { ...sound, inOrder: true }, ["no fault: invoice"]],
    ["has no order", { ...sound, inOrder: false, atOnce: 4 }, ["no fault: invoice"]],
    [
      "is in order and does several at once",
      { ...sound, inOrder: true, atOnce: 4 },
      [expect.stringContaining("steps.lines.atOnce: says nothing where `inOrder` is true") as string],
    ],
    ["asks before each of them", { ...sound, before: {} }, [expect.stringContaining("before") as string]],
    [
      "names a condition as the engine does",
      { ...sound, requires: { "no item came after the start": () => true } },
      [expect.stringContaining("give yours another name") as string],
    ],
  ])("%s", (_, options, expected) => {
    expect(each(options)).toEqual(expected);
  });

  test("has too long a name", () => {
    expect(each(sound, "x".repeat(33))).toEqual([expect.stringContaining("at most 32") as string]);
  });
});
