import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { basisOf } from "./basis.ts";
import { UNTOUCHED_STEP, type CaseState, type StepState } from "./case-state.ts";
import { foldJournal } from "./fold.ts";
import type { StepResult } from "./journal.ts";
import { canonicalJson, type Json } from "./json.ts";
import type { SleepStepOutline } from "./outline.ts";

const asItIs = (text: string): string => text;

function step(over: Partial<SleepStepOutline> = {}): SleepStepOutline {
  return {
    kind: "sleep",
    name: "s",
    after: [],
    formerly: [],
    closure: [],
    when: [],
    requires: [],
    uses: null,
    forMs: 1,
    ...over,
  };
}

function stateOf(input: Json, results: { readonly [step: string]: StepResult } = {}): CaseState {
  const started = foldJournal("00-a", [
    {
      revision: 1,
      at: 0,
      commitId: "c",
      entry: {
        kind: "caseStarted",
        caseType: "t",
        definitionVersion: 1,
        tenant: "default",
        businessKey: null,
        input,
        by: { kind: "person", name: "ada" },
      },
    },
  ]);
  const steps = Object.fromEntries(
    Object.entries(results).map(([name, result]): [string, StepState] => {
      const by = { how: "timer", dueAt: 0 } as const;
      const rest = { revision: 2, at: 0, intentVersion: 0, basis: "", evidence: null, round: 1 };
      return [name, { ...UNTOUCHED_STEP, confirmation: { ...rest, result, by } }];
    }),
  );
  return { ...started, steps };
}

const basisOfInput = (input: Json): string => basisOf(step(), stateOf(input), asItIs);

const narrowedBasis = (input: Json): string => basisOf(step({ uses: ["a", "b"] }), stateOf(input), asItIs);

const basisOfResult = (result: StepResult): string =>
  basisOf(step({ closure: ["z"] }), stateOf(null, { z: result }), asItIs);

describe("the basis of a step", () => {
  it("is the whole input and the results of all steps that it follows, as canonical JSON", () => {
    const input = { b: [1, { d: null, c: "x" }], a: true };
    const results = {
      z: { kind: "value", value: { id: "R-1" } },
      other: { kind: "value", value: 5 },
    } as const;
    const closure = ["z", "open"];
    const text = canonicalJson({ input, results: { z: { value: { id: "R-1" } }, open: null } });
    expect(basisOf(step({ closure }), stateOf(input, results), asItIs)).toBe(text);
    // Asked again of the very same values, as every plan does.
    const state = stateOf(input, results);
    expect(basisOf(step({ closure }), state, asItIs)).toBe(basisOf(step({ closure }), state, asItIs));
  });

  it("is the same for equal values in another order, and another one for another value", () => {
    expect(basisOfInput({ a: 1, b: 2 })).toBe(basisOfInput({ b: 2, a: 1 }));
    expect(basisOfInput({ a: 1, b: 2 })).not.toBe(basisOfInput({ a: 1, b: 3 }));
    expect(basisOfInput("1")).not.toBe(basisOfInput(1));
    expect(basisOfInput(null)).toBe(canonicalJson({ input: null, results: {} }));
  });

  it("is narrowed to the fields that are used, and tells a field that is null from one that is not there", () => {
    expect(narrowedBasis({ a: { x: 1 }, b: null, c: 3 })).toBe(
      canonicalJson({
        input: [
          ["a", { x: 1 }],
          ["b", null],
        ],
        results: {},
      }),
    );
    expect(narrowedBasis({ a: { x: 1 }, b: null, c: 3 })).toBe(narrowedBasis({ a: { x: 1 }, b: null, c: 4 }));
    expect(narrowedBasis({ a: { x: 1 } })).not.toBe(narrowedBasis({ a: { x: 1 }, b: null }));
    expect(narrowedBasis(["an", "array"])).toBe(canonicalJson({ input: ["an", "array"], results: {} }));
  });

  it("tells a result that cannot be read from any value", () => {
    const unreadable = basisOfResult({ kind: "unreadable", why: "too big" });
    expect(unreadable).toBe(canonicalJson({ input: null, results: { z: { unreadable: true } } }));
    expect(unreadable).not.toBe(basisOfResult({ kind: "value", value: { unreadable: true } }));
  });

  it("is the same for any two equal inputs, whatever the order of their fields", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (fields) => {
        const input = JSON.parse(JSON.stringify(fields)) as { readonly [name: string]: Json };
        const reversed = Object.fromEntries(Object.entries(input).toReversed());
        expect(basisOfInput(input)).toBe(basisOfInput(reversed));
        expect(basisOfInput(input)).toBe(canonicalJson({ input, results: {} }));
      }),
    );
  });

  it("does not take what every object has for a field of the input", () => {
    const odd = step({ uses: ["constructor"] });
    expect(basisOf(odd, stateOf({ a: 1 }), asItIs)).toBe(
      canonicalJson({ input: [["constructor"]], results: {} }),
    );
    expect(basisOf(odd, stateOf({ constructor: 1 }), asItIs)).not.toBe(basisOf(odd, stateOf({}), asItIs));
  });

  it("is made anew only where something changed that the step rests on, whatever states come in turn", () => {
    const made: string[] = [];
    const counting = (text: string): string => {
      made.push(text);
      return text;
    };
    const of = step({ closure: ["y", "z"] });
    const first = stateOf({ a: 1 }, { y: { kind: "value", value: 1 }, w: { kind: "value", value: 1 } });
    const basis = basisOf(of, first, counting);
    const steps = { ...first.steps, w: UNTOUCHED_STEP };
    expect(basisOf(of, { ...first, steps }, counting)).toBe(basis);
    expect(made).toHaveLength(1);
    const others: readonly CaseState[] = [
      { ...first, input: { a: 2 } },
      { ...first, steps: { ...steps, y: UNTOUCHED_STEP } },
      { ...first, names: { y: ["x", "y"] } },
      stateOf({ a: 1 }, { y: { kind: "value", value: 1 }, z: { kind: "value", value: 1 } }),
    ];
    for (const [index, other] of others.entries()) {
      expect(basisOf(of, other, counting)).not.toBe(basis);
      expect(basisOf(of, { ...first }, counting)).toBe(basis);
      expect(made).toHaveLength(3 + 2 * index);
    }
  });
});
