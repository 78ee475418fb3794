import { expect, test } from "vitest";
import { generatedCasesMax, generatePermitLog } from "./generate.ts";
import { destinationOf, readPermitLog } from "./log.ts";
import { nameSteps } from "./step-names.ts";

test.each([1, 7, 99])(
  "a generated log (seed %i) reads without a fault and has the shapes of a real one",
  (seed) => {
    const text = generatePermitLog({ seed, caseCount: 120 });
    const read = readPermitLog(text);
    if (read.kind === "fault") throw new Error(`line ${read.line}: ${read.message}`);
    const { cases, variants, activityCount } = read.log;
    expect(cases).toHaveLength(120);
    expect(activityCount).toBe(text.trimEnd().split("\n").length - 1);
    const lengths = cases.map(({ activities }) => activities.length);
    expect(Math.min(...lengths)).toBe(1);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(18);
    expect(variants.length).toBeGreaterThan(8);
    expect(variants.length).toBeLessThan(60);
    for (const { steps } of variants) expect(nameSteps(steps).names).toHaveLength(steps.length);
  },
);

test("six cases are enough for every shape", () => {
  const text = generatePermitLog({ seed: 3, caseCount: 6 });
  const read = readPermitLog(text);
  if (read.kind === "fault") throw new Error(`line ${read.line}: ${read.message}`);
  const activities = read.log.cases.flatMap((each) => each.activities);
  expect(read.log.cases.some((each) => each.activities.length === 1)).toBe(true);
  expect(Math.max(...activities.map(({ occurrence }) => occurrence))).toBe(3);
  const sent = activities
    .map(({ activity }) => activity)
    .filter((activity) => destinationOf(activity) === "mail");
  expect([...new Set(sent.map((activity) => activity.slice(0, 3)))].toSorted()).toEqual([
    "T05",
    "T15",
    "T20",
  ]);
  expect(text).toContain('"');
});

test("the same seed and count give the same text, another seed another", () => {
  const text = generatePermitLog({ seed: 7, caseCount: 20 });
  expect(generatePermitLog({ seed: 7, caseCount: 20 })).toBe(text);
  expect(generatePermitLog({ seed: 8, caseCount: 20 })).not.toBe(text);
});

test.each([0, 1.5, generatedCasesMax + 1])("a log of %d cases is refused", (caseCount) => {
  expect(() => generatePermitLog({ seed: 1, caseCount })).toThrow(RangeError);
});
