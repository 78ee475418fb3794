import { describe, expect, test } from "vitest";
import type { Review } from "./journal.ts";
import type { Wait } from "./waits.ts";
import { countNeeds, type NeedCount, type NeedRow } from "./needs.ts";
import type { Problem } from "./problems.ts";

const NOW = 1_000_000;
const DAY = 86_400_000;
const times = { now: NOW, dueAfterMs: DAY };

function review(over: Partial<Review> = {}): Review {
  return {
    step: "create",
    reason: "rejected",
    sentence: "erp said no.",
    owner: "purchasing",
    nextCheckAllowedAt: null,
    ...over,
  };
}

function problem(over: Partial<Problem> = {}): Problem {
  return { step: "create", kind: "rejected", destination: "erp", cause: "a", sinceAt: 500, ...over };
}

function row(
  caseId: string,
  summary: Partial<NeedRow["summary"]>,
  over: Partial<Omit<NeedRow, "summary">> = {},
): NeedRow {
  return {
    caseId,
    caseType: "purchase",
    state: "in_review",
    changedAt: 900,
    summary: { reviews: [], waits: [], repair: null, ...summary },
    ...over,
  };
}

const access: Wait = {
  kind: "access",
  step: "create",
  dueAt: 5_000,
  destination: "erp",
  credentialId: "erp-service",
  owner: "admins",
};
const approval: Wait = { kind: "approval", step: "approve", dueAt: null, by: "finance" };
const retry: Wait = {
  kind: "retry",
  step: "create",
  dueAt: 5,
  attempt: 1,
  attemptsMax: 5,
  by: "backoff",
};

function only(rows: readonly NeedRow[], at = times): NeedCount {
  const counted = countNeeds(rows, at);
  expect(counted).toHaveLength(1);
  const [one] = counted;
  if (one === undefined) throw new Error("nothing was counted");
  return one;
}

describe("needs", () => {
  test("are counted by who has to act on what, each case once", () => {
    const rows = [
      row("07-b", { reviews: [review()], problems: [problem({ cause: "b", sinceAt: 700 })] }),
      row("07-a", {
        reviews: [review({ nextCheckAllowedAt: 800 })],
        problems: [problem({ step: "other" }), problem()],
      }),
      row("07-c", { reviews: [review({ nextCheckAllowedAt: 600 })], problems: [problem()] }),
    ];
    expect(only(rows)).toEqual({
      owner: "purchasing",
      kind: "review",
      reason: "rejected",
      caseType: "purchase",
      step: "create",
      destination: "erp",
      credentialId: null,
      held: 0,
      open: {
        cases: 3,
        causes: 2,
        firstSinceAt: 500,
        lastSinceAt: 700,
        firstDueAt: 500 + DAY,
        nextCheckAllowedAt: 600,
        lastRemindAt: null,
        caseId: "07-a",
      },
      overdue: null,
    });
  });

  test("of different owners, reasons, steps, types and destinations stand apart, in the order of their keys", () => {
    const rows = [
      row("07-a", { reviews: [review(), review({ step: "tell", owner: "ops" })] }),
      row("07-b", { reviews: [review({ reason: "gone" })] }),
      row("07-c", { reviews: [review()], problems: [problem()] }),
      row("07-d", { reviews: [review()] }, { caseType: "refund" }),
    ];
    const told = countNeeds(rows, times).map((one) =>
      [one.owner, one.reason, one.caseType, one.step, one.destination, one.open?.cases].join(" "),
    );
    expect(told).toEqual([
      "ops rejected purchase tell  1",
      "purchasing gone purchase create  1",
      "purchasing rejected purchase create erp 1",
      "purchasing rejected purchase create  1",
      "purchasing rejected refund create  1",
    ]);
  });

  test("of a row without problems begin when the row was last changed, and count no cause", () => {
    expect(only([row("07-a", { reviews: [review()] })]).open).toMatchObject({
      causes: 0,
      firstSinceAt: 900,
      firstDueAt: 900 + DAY,
    });
  });

  test("are due when their review says, and are overdue then", () => {
    const window = { dueAt: NOW - 5, resendSafeUntilAt: NOW };
    const later = { dueAt: NOW + 1, resendSafeUntilAt: NOW + 9 };
    const counted = only([
      row("07-a", { reviews: [review({ window })] }),
      row("07-b", { reviews: [review({ window: later })] }),
      row("07-c", { reviews: [review({ window: { ...window, dueAt: NOW } })] }),
    ]);
    expect(counted.open?.firstDueAt).toBe(NOW - 5);
    expect(counted.overdue).toEqual({ cases: 2, lastDueAt: NOW });
  });

  test("of a case that is paused or open for repair are held, and no longer open or overdue", () => {
    const reviews = [review({ window: { dueAt: 1, resendSafeUntilAt: 2 } })];
    const counted = only([
      row("07-a", { reviews }, { state: "paused" }),
      row("07-b", { reviews, repair: { name: "ada", events: 0 } }, { state: "claimed" }),
    ]);
    expect(counted).toMatchObject({ held: 2, open: null, overdue: null });
  });

  test("of waits are those for access and for approval; what the engine settles itself needs nobody", () => {
    const rows = [row("07-a", { waits: [retry, access, approval] }, { state: "waiting" })];
    expect(countNeeds(rows, times)).toEqual([
      expect.objectContaining({
        owner: "admins",
        kind: "access",
        reason: null,
        destination: "erp",
        credentialId: "erp-service",
      }),
      expect.objectContaining({ owner: "finance", kind: "approval", step: "approve", destination: null }),
    ]);
    expect(countNeeds([row("07-b", { waits: [retry] })], times)).toEqual([]);
  });

  describe("of an approval that is reminded of and escalated", () => {
    const escalated = {
      ...approval,
      remind: { askedAt: 100, everyMs: 300, times: 2 },
      escalation: { to: "board", at: 950 },
    } as const;
    const told = (now: number, changedAt = 500): unknown =>
      countNeeds([row("07-a", { waits: [escalated] }, { state: "waiting", changedAt })], {
        ...times,
        now,
      }).map(({ owner, open }) => [owner, open?.firstSinceAt, open?.firstDueAt, open?.lastRemindAt]);

    test("are those of its owner alone, until it is escalated", () => {
      expect(told(399)).toEqual([["finance", 500, 500 + DAY, null]]);
      expect(told(949)).toEqual([["finance", 500, 500 + DAY, 700]]);
    });

    test("are those of both from then on, the second since then", () => {
      expect(told(950)).toEqual([
        ["board", 950, 950 + DAY, 700],
        ["finance", 500, 500 + DAY, 700],
      ]);
      // Whoever is asked too has no less time than its owner.
      expect(told(2_000, 1_500)).toEqual([
        ["board", 1_500, 1_500 + DAY, 700],
        ["finance", 1_500, 1_500 + DAY, 700],
      ]);
    });
  });

  test("of the same case twice in one group are one case", () => {
    const twice = { ...access, step: "create" };
    expect(only([row("07-a", { waits: [access, twice] }, { state: "waiting" })]).open?.cases).toBe(1);
  });
});
