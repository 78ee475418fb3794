import { expect, test } from "vitest";
import { nameSteps, stepLabel, stepName, stepNameCharsMax } from "./step-names.ts";

test.each([
  ["T02 Check confirmation of receipt", 2, "t02CheckConfirmationOfReceipt2"],
  ["Confirmation of receipt", 1, "confirmationOfReceipt1"],
  ["T07-1 Draft intern advice aspect 1", 1, "t071DraftInternAdviceAspect11"],
  ["T04 determine document X", 10, "t04DetermineDocumentX10"],
  ["2nd look", 1, "s2ndLook1"],
  ["Prüfung  (neu)", 1, "prFungNeu1"],
  ["検査", 3, "step3"],
])("%s, occurrence %i, is the step %s", (activity, occurrence, name) => {
  expect(stepName({ activity, occurrence })).toBe(name);
});

test("a step is told in words with its occurrence", () => {
  expect(stepLabel({ activity: "T02 Check", occurrence: 2 })).toBe("T02 Check #2");
});

const hostile = [
  { activity: "aspect 1", occurrence: 1 },
  { activity: "aspect", occurrence: 11 },
  { activity: "Aspect", occurrence: 11 },
  { activity: "aspect-", occurrence: 11 },
  { activity: "検査", occurrence: 1 },
  { activity: "審査", occurrence: 1 },
  { activity: "9", occurrence: 1 },
  { activity: "s9", occurrence: 1 },
  { activity: `${"long ".repeat(30)}a`, occurrence: 1 },
  { activity: `${"long ".repeat(30)}b`, occurrence: 1 },
  { activity: `${"long ".repeat(30)}b`, occurrence: 2 },
];

test("names of one case type are valid, unique, the same each time, and lead back to their steps", () => {
  const { names, stepOf } = nameSteps(hostile);
  expect(names).toHaveLength(hostile.length);
  expect(new Set(names).size).toBe(hostile.length);
  for (const name of names) expect(name).toMatch(/^[a-zA-Z][a-zA-Z0-9]*$/);
  expect(Math.max(...names.map((name) => name.length))).toBeLessThanOrEqual(stepNameCharsMax);
  expect(names.map(stepOf)).toEqual(hostile);
  expect(nameSteps(hostile).names).toEqual(names);
  expect(stepOf("aspect1")).toBeUndefined();
});

test("a step that is in the list twice is refused", () => {
  const step = { activity: "A", occurrence: 1 };
  expect(() => nameSteps([step, { ...step }])).toThrow(/A #1 is in the list twice/);
});
