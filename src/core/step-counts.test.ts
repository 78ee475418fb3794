import { describe, expect, test } from "vitest";
import type { JudgedRow } from "./case-criteria.ts";
import type { Review } from "./journal.ts";
import type { Wait } from "./waits.ts";
import type { CaseSummary } from "./row.ts";
import { countSteps, type CountedRow } from "./step-counts.ts";

const NOW = 10_000;
const nothing: CaseSummary = {
  confirmed: 0,
  waits: [],
  reviews: [],
  unsettled: [],
  lastFailure: null,
  losses: 0,
  isRepaired: false,
  repair: null,
  stoppedBy: null,
};
const review: Review = {
  step: "create",
  reason: "rejected",
  sentence: "erp said no.",
  owner: "purchasing",
  nextCheckAllowedAt: null,
};
const approval: Wait = { kind: "approval", step: "approve", dueAt: null, by: "finance" };

function counted(summary: Partial<CaseSummary>, over: Partial<JudgedRow> = {}): CountedRow {
  const row: JudgedRow = {
    caseId: "07-a",
    tenant: "default",
    caseType: "purchase",
    businessKey: null,
    state: "waiting",
    dueAt: null,
    changedAt: 500,
    summary: { ...nothing, ...summary },
    claim: null,
    ...over,
  };
  return { row, holder: null };
}

describe("counts by step", () => {
  test("add up cases of one type, step and state, and tell since when the first stands so", () => {
    const rows = [
      counted({ waits: [approval] }),
      counted({ waits: [approval] }, { changedAt: 300 }),
      counted({ waits: [approval] }, { caseType: "refund" }),
      counted({ reviews: [review] }, { state: "in_review" }),
    ];
    const approving = { step: "approve", reading: "Waiting for approval" } as const;
    expect(countSteps(rows, NOW)).toEqual([
      { caseType: "purchase", ...approving, cases: 2, once: 2, oldestAt: 300 },
      { caseType: "refund", ...approving, cases: 1, once: 1, oldestAt: 500 },
      { caseType: "purchase", step: "create", reading: "Needs correction", cases: 1, once: 1, oldestAt: 500 },
    ]);
  });

  test("count a case at each step that it stands at, once at each, and a step of one key as the whole step", () => {
    const both = counted({
      reviews: [review],
      waits: [approval],
      unsettled: ["create", "ship[a]", "ship[b]"],
    });
    expect(countSteps([both], NOW).map(({ step, cases, once }) => [step, cases, once])).toEqual([
      ["approve", 1, 1],
      ["create", 1, 0],
      ["ship", 1, 0],
    ]);
  });

  test("count a case that stands at no step apart, and one that is held since it was claimed", () => {
    const claim = { claimId: "c", holderId: "h", claimedAt: 700, actByAt: 90_000 };
    const rows = [counted({}, { state: "ready", dueAt: 1 }), counted({}, { state: "claimed", claim })];
    expect(countSteps(rows, NOW)).toEqual([
      { caseType: "purchase", step: null, reading: "Waiting until", cases: 1, once: 1, oldestAt: 500 },
      { caseType: "purchase", step: null, reading: "Worker lost", cases: 1, once: 1, oldestAt: 700 },
    ]);
  });

  test("leave ended cases out, even with an open review", () => {
    const ended = [counted({ reviews: [review] }, { state: "done" }), counted({}, { state: "canceled" })];
    expect(countSteps(ended, NOW)).toEqual([]);
  });
});
