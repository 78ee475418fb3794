import { expect, test } from "vitest";
import { findClosedUrl } from "./closed-port.ts";
import type { FaultedStep, FaultPlan } from "./faults.ts";
import { faultAtSight, faultPlan, faultsOfStep, faultsPerStepMax, urlForAttempt } from "./faults.ts";
import { hashText, seededRandom } from "./seeded-random.ts";

const steps: readonly FaultedStep[] = Array.from({ length: 5000 }, (_, index) => ({
  caseId: `case-${index % 700}`,
  activity: `T0${index % 7} Do it`,
  occurrence: 1 + Math.floor(index / 700),
}));

test("the hash and the random numbers are the same on every platform, forever", () => {
  expect([hashText(""), hashText("a"), hashText("case-1"), hashText("é€😀")]).toMatchInlineSnapshot(`
    [
      2872998923,
      2448022055,
      1010754596,
      2457953519,
    ]
  `);
  const random = seededRandom("seed 7");
  expect(Array.from({ length: 8 }, () => random.under(1000))).toMatchInlineSnapshot(`
    [
      828,
      550,
      124,
      948,
      116,
      809,
      631,
      669,
    ]
  `);
});

test("a random number is refused without a bound, and a pick without items", () => {
  expect(() => seededRandom("").under(0)).toThrow(RangeError);
  expect(() => seededRandom("").under(1.5)).toThrow(RangeError);
  expect(() => seededRandom("").pick([])).toThrow(RangeError);
});

test("no step meets more than two faults, even when every step meets the most that a plan can hold", () => {
  const always: FaultPlan = { seed: 3, firstPermille: 1000, secondPermille: 1000 };
  for (const step of steps) {
    const { served, refusedAttemptNumbers } = faultsOfStep(always, step);
    expect(served.length + refusedAttemptNumbers.length).toBe(faultsPerStepMax);
    expect(new Set(refusedAttemptNumbers).size).toBe(refusedAttemptNumbers.length);
    // Whatever order kills and refusals bring about: sights are counted apart from attempts.
    const sights = Array.from({ length: 50 }, (_, sight) => faultAtSight({ plan: always, step, sight }));
    expect(sights.filter((fault) => fault !== null)).toEqual(served);
  }
});

test("the default plan faults a quarter of all steps, a third of these twice, in every way", () => {
  const plan = faultPlan(7);
  const counts = steps.map((step) => {
    const { served, refusedAttemptNumbers } = faultsOfStep(plan, step);
    return served.length + refusedAttemptNumbers.length;
  });
  const atLeast = (count: number): number => counts.filter((each) => each >= count).length / steps.length;
  expect(atLeast(1)).toBeCloseTo(0.25, 1);
  expect(atLeast(2)).toBeCloseTo(0.083, 1);
  const kinds = new Set(steps.flatMap((step) => faultsOfStep(plan, step).served));
  expect([...kinds].toSorted()).toEqual(["answerLost", "throttled", "unavailable", "unavailableRetryAfter"]);
  const refused = new Set(steps.flatMap((step) => faultsOfStep(plan, step).refusedAttemptNumbers));
  expect([...refused].toSorted((a, b) => a - b)).toEqual([1, 2]);
});

function planText(seed: number, change: Partial<FaultedStep>): string {
  const changed = steps.slice(0, 200).map((step) => ({ ...step, ...change }));
  return JSON.stringify(changed.map((step) => faultsOfStep(faultPlan(seed), step)));
}

test("a plan depends on its seed, the case, the activity and the occurrence, and on nothing else", () => {
  expect(planText(7, {})).toBe(planText(7, {}));
  expect(planText(7, {})).not.toBe(planText(8, {}));
  expect(planText(7, {})).not.toBe(planText(7, { caseId: "other" }));
  expect(planText(7, {})).not.toBe(planText(7, { activity: "other" }));
  expect(planText(7, {})).not.toBe(planText(7, { occurrence: 9 }));
});

test("without a plan every attempt goes to the destination", () => {
  for (const step of steps.slice(0, 100)) {
    const asked = { plan: null, step, attemptNumber: 1, url: "http://open", closedUrl: "http://closed" };
    expect(urlForAttempt(asked)).toBe("http://open");
  }
});

test("a refused attempt meets a real ECONNREFUSED, and only attempts that the plan names do", async () => {
  const closedUrl = await findClosedUrl();
  const plan: FaultPlan = { seed: 1, firstPermille: 1000, secondPermille: 1000 };
  const step = steps.find((each) => faultsOfStep(plan, each).refusedAttemptNumbers.includes(2));
  if (step === undefined) throw new Error("no step of the plan is refused at its second attempt");
  const { refusedAttemptNumbers } = faultsOfStep(plan, step);
  const urls = [1, 2, 3, 4, 5].map((attemptNumber) =>
    urlForAttempt({ plan, step, attemptNumber, url: "http://open", closedUrl }),
  );
  expect(urls.map((url) => url === closedUrl)).toEqual(
    [1, 2, 3, 4, 5].map((attemptNumber) => refusedAttemptNumbers.includes(attemptNumber)),
  );
  await expect(fetch(closedUrl)).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
});
