import { expect, test } from "vitest";
import type { CaseView } from "../api.ts";
import { conditionLines } from "./condition-lines.ts";

type Prerequisite = CaseView["prerequisites"][number];

function condition(
  step: string,
  answer: Prerequisite["answer"],
  more: Partial<Prerequisite> = {},
): Prerequisite {
  return {
    step,
    name: "in stock",
    kind: "fact",
    role: "requires",
    answer,
    why: null,
    askedAt: null,
    ageMs: null,
    nextCheckAllowedAt: null,
    canCheckNow: false,
    ...more,
  };
}

function told(prerequisites: readonly Prerequisite[]): readonly string[] {
  return conditionLines(prerequisites).map(({ step, answer, keys }) => `${step} ${answer ?? "?"} ${keys}`);
}

test("what does not hold stands first, each by itself, and what holds for many keys once", () => {
  expect(
    told([
      condition("lines[a]", "holds"),
      condition("lines[b]", "broken"),
      condition("lines[c]", "holds"),
      condition("lines[d]", null),
      condition("book", "holds"),
      condition("parcels[a]", "holds"),
    ]),
  ).toEqual(["lines[b] broken 1", "lines[d] ? 1", "lines holds 2", "book holds 1", "parcels[a] holds 1"]);
});

test("another name or role is another condition, and what can be asked now keeps its line", () => {
  expect(
    told([
      condition("lines[a]", "holds"),
      condition("lines[b]", "holds", { name: "paid" }),
      condition("lines[c]", "holds", { role: "before" }),
      condition("lines[d]", "holds", { canCheckNow: true }),
    ]),
  ).toEqual(["lines[a] holds 1", "lines[b] holds 1", "lines[c] holds 1", "lines[d] holds 1"]);
});
