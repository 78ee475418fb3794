import { describe, expect, test } from "vitest";
import { z } from "zod";
import { foldJournal } from "../core/fold.ts";
import type { CaseState } from "../core/case-state.ts";
import type { Json } from "../core/json.ts";
import type { CaseOutline } from "../core/outline.ts";
import { defineCase, type CaseOptions, type NoEvents } from "../define/builder.ts";
import { examineAttributes, examineFound } from "./attributes.ts";

type Attributes = NonNullable<CaseOptions<z.ZodUnknown, NoEvents>["attributes"]>;

function outlineOf(name: string, attributes: Attributes, version = 1): CaseOutline {
  const options = { version, owner: "ops", input: z.unknown(), attributes };
  return defineCase(name, options).sleep("rest", { for: "1s" }).outline;
}

function started({ name: caseType, version, search }: CaseOutline, input: Json): CaseState {
  const entry = {
    kind: "caseStarted",
    caseType,
    definitionVersion: version,
    tenant: "default",
    businessKey: null,
    input,
    by: { kind: "person", name: "ann" },
    ...(search === undefined ? {} : { search }),
  } as const;
  return foldJournal("00-a", [{ revision: 1, at: 1, commitId: "c", entry }]);
}

describe("the doctor, of search attributes", () => {
  test("finds a name that has two types", () => {
    const found = examineAttributes([
      outlineOf("order", { no: "text", amount: "number" }),
      outlineOf("refund", { no: "number", amount: "number" }),
      outlineOf("plain", {}),
    ]);
    expect(found).toMatchObject([
      {
        code: "ATTRIBUTE_TYPES",
        caseType: "refund",
        sentence:
          "The attribute no is text in order and number in refund: nobody can look for it in both at once.",
      },
    ]);
  });

  test("finds attributes of the input that no case seen has a value of, and says why that may be", () => {
    const order = outlineOf("order", { no: "text", amount: "number", of: { type: "text", step: "rest" } });
    const states = [started(order, { no: "A" }), started(order, { no: 7, amount: "much" })];
    expect(examineFound([order], states)).toMatchObject([
      { code: "ATTRIBUTE_EMPTY", caseType: "order", remedy: "the path, the type, a higher `version`" },
    ]);
    expect(examineFound([order], [])).toEqual([]);
    const later = outlineOf("order", { amount: "number" }, 2);
    expect(examineFound([later], states)).toMatchObject([
      { remedy: "nothing, once cases start with this version" },
    ]);
  });
});
