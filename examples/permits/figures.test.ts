import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { Effect } from "../services/ledger-entries.ts";
import { effectRequest, inputOf } from "./effects.ts";
import { isGood, judgeRun, type EndedCase, type Evidence } from "./figures.ts";
import { generatePermitLog } from "./generate.ts";
import { readPermitLog, type PermitActivity, type PermitCase, type PermitLog } from "./log.ts";

const log: PermitLog = (() => {
  const read = readPermitLog(generatePermitLog({ seed: 5, caseCount: 8 }));
  if (read.kind === "fault") throw new Error(read.message);
  return read.log;
})();

function effectOf(permit: PermitCase, activity: PermitActivity): Omit<Effect, "sequence"> {
  const { service, path, body } = effectRequest(inputOf(permit), activity);
  return {
    kind: "effect",
    executedAt: 0,
    service,
    id: "E-1",
    path,
    key: `${permit.caseId}.${activity.position}`,
    fencingToken: null,
    bodyHash: createHash("sha256").update(JSON.stringify(body)).digest("hex"),
    step: { ...activity, caseId: permit.caseId },
    answer: { status: 201, body: "{}" },
  };
}

const goodEffects = log.cases.flatMap((permit) =>
  permit.activities.map((activity) => effectOf(permit, activity)),
);

const doneCases: readonly EndedCase[] = log.cases.map(({ caseId }) => ({
  permitId: caseId,
  caseId: `00-${caseId}`,
  state: "done",
  sentence: null,
  lostAttempts: [],
  lateReports: 0,
}));

function evidenceOf(change: {
  readonly effects?: readonly Omit<Effect, "sequence">[];
  readonly cases?: readonly EndedCase[];
  readonly kills?: Evidence["kills"];
  readonly stops?: Evidence["stops"];
}): Evidence {
  const { effects = goodEffects, cases = doneCases, kills = [], stops = [] } = change;
  const numbered = effects.map((effect, index) => ({ ...effect, sequence: index + 1 }));
  return { log, effects: numbered, cases, kills, stops, leaseMs: 3_000, seconds: 1.234 };
}

function longCase(): PermitCase {
  const found = log.cases.find(({ activities }) => activities.length > 3);
  if (found === undefined) throw new Error("the log has no long case");
  return found;
}

test("a run in which all went well says so, the figures of the public line first and in their order", () => {
  const { figures, findings } = judgeRun(evidenceOf({}));
  expect(isGood(figures)).toBe(true);
  expect(findings).toEqual([]);
  expect(Object.keys(figures).slice(0, 11)).toEqual([
    "cases",
    "done",
    "steps",
    "effects",
    "duplicateEffects",
    "missing",
    "outOfOrder",
    "lateRefused",
    "killedWithIntentOpen",
    "stoppedPastLease",
    "seconds",
  ]);
  expect(figures).toMatchObject({ cases: 8, done: 8, steps: goodEffects.length, seconds: 1.23 });
});

test("a second effect of a step is a duplicate, whatever its key", () => {
  const [first] = goodEffects;
  if (first === undefined) throw new Error("there are no effects");
  const evidence = evidenceOf({ effects: [...goodEffects, { ...first, key: "another" }] });
  expect(judgeRun(evidence).figures).toMatchObject({ duplicateEffects: 1, missing: 0, unexpected: 0 });
  expect(isGood(judgeRun(evidence).figures)).toBe(false);
  expect(judgeRun(evidence).findings[0]).toMatch(/took effect twice.*another/);
});

test("a step without an effect is missing", () => {
  const evidence = evidenceOf({ effects: goodEffects.slice(1) });
  expect(judgeRun(evidence).figures).toMatchObject({ missing: 1, duplicateEffects: 0 });
  expect(isGood(judgeRun(evidence).figures)).toBe(false);
});

test("an effect after one of a later step of its case is out of order, also across the two services", () => {
  const { caseId } = longCase();
  const own = goodEffects.filter(({ step }) => step.caseId === caseId);
  const others = goodEffects.filter(({ step }) => step.caseId !== caseId);
  const [first, second, ...rest] = own;
  if (first === undefined || second === undefined) throw new Error("the case is too short");
  const evidence = evidenceOf({ effects: [...others, second, first, ...rest] });
  expect(judgeRun(evidence).figures).toMatchObject({ outOfOrder: 1, missing: 0 });
  expect(isGood(judgeRun(evidence).figures)).toBe(false);
});

test("an effect at the wrong service, with another body or of no step is unexpected and proves no step", () => {
  const [first, second, ...rest] = goodEffects;
  if (first === undefined || second === undefined) throw new Error("there are no effects");
  const elsewhere = { ...first, service: first.service === "mail" ? "registry" : "mail" };
  const distorted = { ...second, bodyHash: "0".repeat(64) };
  const stray = { ...second, step: { ...second.step, occurrence: 99 } };
  const evidence = evidenceOf({ effects: [elsewhere, distorted, stray, ...rest] });
  expect(judgeRun(evidence).figures).toMatchObject({ unexpected: 3, missing: 2, duplicateEffects: 0 });
});

test("a case that is not done is told with the reason why", () => {
  const [first, second, ...others] = doneCases;
  if (first === undefined || second === undefined) throw new Error("there are no cases");
  const slow = { ...first, state: "ready" };
  const stuck = { ...second, state: "in_review", sentence: "mail answered 422." };
  const evidence = evidenceOf({ cases: [slow, stuck, ...others] });
  expect(judgeRun(evidence).figures).toMatchObject({ done: 6, inReview: 1 });
  expect(isGood(judgeRun(evidence).figures)).toBe(false);
  expect(judgeRun(evidence).findings[0]).toMatch(/is in review: mail answered 422\.$/);
});

test("a kill or stop counts only where the journal shows its attempt as lost, and a stop only past the lease", () => {
  const [first, ...others] = doneCases;
  if (first === undefined) throw new Error("there are no cases");
  const fault = {
    act: "kill",
    point: "afterSend",
    caseId: first.caseId,
    step: "a1",
    attempt: 2,
    worker: "w-1",
    pid: 1,
  } as const;
  const cases = [{ ...first, lostAttempts: [{ step: "a1", attempt: 2 }], lateReports: 2 }, ...others];
  const missed = { ...fault, attempt: 1 };
  const early = { ...fault, point: "beforeIntent" } as const;
  const stops = [
    { fault, stoppedMs: 4_500 },
    { fault, stoppedMs: 2_900 },
    { fault: missed, stoppedMs: 4_500 },
  ];
  const { figures } = judgeRun(evidenceOf({ cases, kills: [fault, missed, early], stops }));
  expect(figures).toMatchObject({ killedWithIntentOpen: 1, stoppedPastLease: 1, lateRefused: 2 });
  expect(figures.killsByPoint).toMatchObject({ afterSend: 2, beforeIntent: 1, afterIntent: 0 });
});
