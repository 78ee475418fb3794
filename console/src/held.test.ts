import { expect, test } from "vitest";
import type { CaseLine } from "./api.ts";
import { countChanges, lineOfCase, type HeldLine } from "./held.ts";

function line(caseId: string, revision = 1): HeldLine {
  return lineOfCase(caseOf(caseId, revision));
}

function caseOf(caseId: string, revision: number): CaseLine {
  return {
    caseId,
    tenant: "default",
    caseType: "order",
    businessKey: null,
    startedAt: 0,
    definitionVersion: 1,
    revision,
    storedState: "waiting",
    reading: { state: "Will retry", sentence: "It is tried again.", actsNext: "the engine", byAt: null },
    sinceAt: 0,
    dueAt: null,
    holding: null,
    isDefinitionLoaded: true,
    confirmedSteps: 0,
    openReviews: 0,
    assignee: null,
    parent: null,
    search: [],
  };
}

test.each([
  ["nothing changed", ["a", "b"], ["a", "b"], 0],
  ["one came first", ["a", "b"], ["n", "a", "b"], 1],
  ["one came and one went", ["a", "b"], ["n", "a"], 2],
  ["two changed places", ["a", "b", "c"], ["b", "a", "c"], 2],
  ["all went", ["a", "b"], [], 2],
])("counts the lines of a list that differ: %s", (_, shown, fresh, count) => {
  expect(
    countChanges(
      shown.map((id) => line(id)),
      fresh.map((id) => line(id)),
    ),
  ).toBe(count);
});

test("counts a line that says something else by now", () => {
  expect(countChanges([line("a"), line("b")], [line("a", 2), line("b")])).toBe(1);
});
