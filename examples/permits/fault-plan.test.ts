import { expect, test } from "vitest";
import { killPoints, planWorkerFaults } from "./fault-plan.ts";
import { generatePermitLog } from "./generate.ts";
import { readPermitLog, type PermitCase } from "./log.ts";

function casesOf(caseCount: number): readonly PermitCase[] {
  const read = readPermitLog(generatePermitLog({ seed: 3, caseCount }));
  if (read.kind === "fault") throw new Error(read.message);
  return read.log.cases;
}

test("the same seed and log give the same faults, another seed gives others", () => {
  const cases = casesOf(200);
  expect(planWorkerFaults(cases, 7)).toEqual(planWorkerFaults(cases, 7));
  expect(planWorkerFaults(cases, 7)).not.toEqual(planWorkerFaults(cases, 8));
});

test("a large log gets at least 15 kills with an intent open, one at each point, and five stops", () => {
  const cases = casesOf(1_400);
  for (const seed of [0, 1, 7, 42]) {
    const faults = planWorkerFaults(cases, seed);
    const kills = faults.filter(({ act }) => act === "kill");
    expect(kills.filter(({ point }) => point !== "beforeIntent").length).toBeGreaterThanOrEqual(15);
    for (const point of killPoints) expect(kills.filter((kill) => kill.point === point)).not.toEqual([]);
    expect(faults.filter(({ act }) => act === "stop").length).toBeGreaterThanOrEqual(5);
  }
});

test("a small log gets one kill at each point and one stop", () => {
  const faults = planWorkerFaults(casesOf(40), 7);
  const killed = faults.filter(({ act }) => act === "kill").map(({ point }) => point);
  expect(killed.toSorted()).toEqual(killPoints.toSorted());
  expect(faults.filter(({ act }) => act === "stop")).toHaveLength(1);
});

test("every fault is at a step that its case has, and no case has two", () => {
  const cases = casesOf(300);
  const lengths = new Map(cases.map(({ caseId, activities }) => [caseId, activities.length]));
  const faults = planWorkerFaults(cases, 42);
  for (const { permitId, position } of faults) {
    expect(position).toBeGreaterThanOrEqual(1);
    expect(position).toBeLessThanOrEqual(lengths.get(permitId) ?? 0);
  }
  expect(new Set(faults.map(({ permitId }) => permitId)).size).toBe(faults.length);
});

test("a log of one case gets no more faults than it has cases", () => {
  expect(planWorkerFaults(casesOf(1), 7)).toHaveLength(1);
  expect(planWorkerFaults([], 7)).toEqual([]);
});
