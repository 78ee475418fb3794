import { describe, expect, test } from "vitest";
import type { NeedCount } from "./needs.ts";
import {
  decideNotice,
  gatherMatters,
  noticeKey,
  OVER_AFTER_MS,
  type NoticeMatter,
  type NoticeRules,
  type NoticeState,
} from "./notices.ts";

const NOW = 10_000_000;
const rules: NoticeRules = { gatherMs: 30_000, againMs: 3_600_000, growth: null };

function need(over: Partial<NeedCount> = {}): NeedCount {
  return {
    owner: "admins",
    kind: "review",
    reason: "denied",
    caseType: "purchase",
    step: "create",
    destination: "erp",
    credentialId: null,
    held: 0,
    open: {
      cases: 3,
      causes: 1,
      firstSinceAt: NOW - 60_000,
      lastSinceAt: NOW - 50_000,
      firstDueAt: NOW + 5_000,
      nextCheckAllowedAt: null,
      lastRemindAt: null,
      caseId: "07-b",
    },
    overdue: null,
    ...over,
  };
}

const credentialOf = ({ step }: { readonly step: string }): string | null =>
  step === "unknown" ? null : "erp-service";
const gather = (...needs: readonly NeedCount[]): readonly NoticeMatter[] => [
  ...gatherMatters(needs, credentialOf).values(),
];

describe("a matter", () => {
  test("of access joins every step and every wait that the same credential keeps from going on", () => {
    const waiting = need({
      kind: "access",
      reason: null,
      step: "notify",
      credentialId: "erp-service",
      held: 2,
      open: {
        cases: 4_997,
        causes: 0,
        firstSinceAt: NOW - 40_000,
        lastSinceAt: NOW - 1_000,
        firstDueAt: NOW + 1_000,
        nextCheckAllowedAt: 7,
        lastRemindAt: 6,
        caseId: "07-a",
      },
    });
    expect(gather(need(), waiting)).toEqual([
      {
        owner: "admins",
        subject: { kind: "access", reason: "denied", destination: "erp", credentialId: "erp-service" },
        held: 2,
        open: {
          cases: 5_000,
          causes: 1,
          firstSinceAt: NOW - 60_000,
          lastSinceAt: NOW - 1_000,
          firstDueAt: NOW + 1_000,
          nextCheckAllowedAt: 7,
          lastRemindAt: 6,
          caseId: "07-a",
        },
        overdue: null,
      },
    ]);
  });

  test("joins what is held with what is open, and what is overdue with what is not", () => {
    const held = need({ open: null, held: 1 });
    const late = need({ step: "other", overdue: { cases: 1, lastDueAt: 5 } });
    const later = need({ step: "third", overdue: { cases: 2, lastDueAt: 9 } });
    expect(gather(held, late)).toMatchObject([{ held: 1, open: { cases: 3 }, overdue: { cases: 1 } }]);
    expect(gather(late, held)).toMatchObject([{ held: 1, open: { cases: 3 }, overdue: { cases: 1 } }]);
    expect(gather(late, later)[0]?.overdue).toEqual({ cases: 3, lastDueAt: 9 });
    expect(gather(need(), need({ step: "other" }))[0]?.open?.nextCheckAllowedAt).toBeNull();
    const open = { ...need().open, caseId: "07-a" };
    expect(
      gather(need({ open: { ...need().open, ...open } as NeedCount["open"] }), need())[0]?.open,
    ).toMatchObject({
      caseId: "07-a",
    });
  });

  test("of a review, of an approval, and of access that no destination is named for, keeps its step", () => {
    const subjects = [
      need({ reason: "rejected" }),
      need({ kind: "approval", reason: null, step: "approve", destination: null }),
      need({ destination: null }),
      need({ kind: "access", reason: null, destination: null }),
      need({ reason: "quota", step: "unknown" }),
    ].map((one) => gather(one)[0]?.subject);
    expect(subjects).toEqual([
      { kind: "review", reason: "rejected", caseType: "purchase", step: "create", destination: "erp" },
      { kind: "approval", caseType: "purchase", step: "approve" },
      { kind: "review", reason: "denied", caseType: "purchase", step: "create", destination: null },
      { kind: "review", reason: "denied", caseType: "purchase", step: "create", destination: null },
      { kind: "access", reason: "quota", destination: "erp", credentialId: null },
    ]);
  });

  test("has a key of its own for each owner, and for whatever one act cannot settle together", () => {
    const keys = [
      need(),
      need({ owner: "others" }),
      need({ reason: "quota" }),
      need({ reason: "rejected" }),
      need({ reason: "rejected", step: "notify" }),
      need({ kind: "approval", reason: null, destination: null }),
    ].map((one) => gather(one).map(noticeKey)[0]);
    expect(new Set(keys).size).toBe(keys.length);
  });
});

const known: NoticeState = {
  openedAt: NOW - 7_200_000,
  tellings: 1,
  toldAt: NOW - 7_200_000,
  toldCases: 3,
  overdueToldAt: null,
  goneAt: null,
};

function matter(over: Partial<NeedCount> & { readonly cases?: number } = {}): NoticeMatter {
  const { cases, ...rest } = over;
  const base = need(rest);
  const [one] = gather(
    cases === undefined || base.open === null ? base : { ...base, open: { ...base.open, cases } },
  );
  if (one === undefined) throw new Error("no matter");
  return one;
}

const since = (
  firstSinceAt: number,
  lastSinceAt = firstSinceAt,
  lastRemindAt: number | null = null,
): Partial<NeedCount> => {
  const { open } = need();
  return { open: open === null ? null : { ...open, firstSinceAt, lastSinceAt, lastRemindAt } };
};
const late = (lastDueAt: number): Partial<NeedCount> => ({ overdue: { cases: 1, lastDueAt } });
const review: Partial<NeedCount> = { reason: "rejected" };

describe("an owner", () => {
  test.each<[string, NoticeMatter | null, Partial<NoticeState> | null, Partial<NoticeRules>, string]>([
    ["is told of nothing where nothing is needed", null, null, {}, "leave"],
    ["is not told while cases are still gathering", matter(since(NOW - 29_999)), null, {}, "leave"],
    ["is told once the first case has waited that long", matter(since(NOW - 30_000)), null, {}, "tell new"],
    ["is not told of what somebody deals with already", matter({ open: null, held: 3 }), null, {}, "leave"],
    ["is told once: not again for the same cases", matter(), {}, {}, "leave"],
    ["is not told again for more cases that the same act lets go on", matter(since(0, NOW)), {}, {}, "leave"],
    [
      "is told of further cases that each need work, after a while",
      matter({ ...review, ...since(0, NOW - 1) }),
      {},
      {},
      "tell more",
    ],
    [
      "is left alone before that",
      matter({ ...review, ...since(0, NOW - 1) }),
      { toldAt: NOW - 3_599_999 },
      {},
      "leave",
    ],
    [
      "is not told again where no case came since",
      matter({ ...review, ...since(0, NOW - 7_200_000) }),
      {},
      {},
      "leave",
    ],
    [
      "is told again where an approval asks for it",
      matter({ ...review, ...since(0, 0, NOW - 1) }),
      {},
      {},
      "tell reminder",
    ],
    [
      "is not told again of a reminder from before it was told last",
      matter({ ...review, ...since(0, 0, NOW - 7_200_000) }),
      {},
      {},
      "leave",
    ],
    [
      "is left alone with a reminder so soon after it was told",
      matter({ ...review, ...since(0, 0, NOW - 1) }),
      { toldAt: NOW - 3_599_999 },
      {},
      "leave",
    ],
    ["is told that it is overdue", matter(late(NOW - 1)), {}, {}, "tell overdue"],
    ["is told so once", matter(late(NOW - 1)), { overdueToldAt: NOW - 1 }, {}, "leave"],
    [
      "is told so again where others fell overdue since, after a while",
      matter(late(NOW - 1)),
      { overdueToldAt: NOW - 3_600_000 },
      {},
      "tell overdue",
    ],
    [
      "is left alone with those before that",
      matter(late(NOW - 1)),
      { overdueToldAt: NOW - 3_599_999 },
      {},
      "leave",
    ],
    ["is not told of growth unless that is asked for", matter({ cases: 5_000 }), {}, {}, "leave"],
    ["is told of growth where it is", matter({ cases: 30 }), {}, { growth: 10 }, "tell grown"],
    ["is not told of less growth than that", matter({ cases: 29 }), {}, { growth: 10 }, "leave"],
    ["is told nothing when the last case is out of sight", null, {}, {}, "note"],
    [
      "is told that it is over once it has been for a while",
      null,
      { goneAt: NOW - OVER_AFTER_MS },
      {},
      "over",
    ],
    ["is not told so before", null, { goneAt: NOW - OVER_AFTER_MS + 1 }, {}, "leave"],
    ["is told nothing when it comes back before that", matter(), { goneAt: NOW - 1 }, {}, "note"],
    [
      "is told nothing where all that is left is dealt with",
      matter({ open: null, held: 1 }),
      {},
      { growth: 2 },
      "leave",
    ],
  ])("%s", (_, given, state, over, expected) => {
    const stored = state === null ? null : { ...known, ...state };
    const decided = decideNotice(given, stored, { ...rules, ...over }, NOW);
    expect(decided.kind === "tell" ? `tell ${decided.why}` : decided.kind).toBe(expected);
  });

  test("is told how many cases there were, and what was told is kept", () => {
    expect(decideNotice(matter(), null, rules, NOW)).toEqual({
      kind: "tell",
      why: "new",
      matter: matter(),
      state: {
        openedAt: NOW,
        tellings: 1,
        toldAt: NOW,
        toldCases: 3,
        overdueToldAt: null,
        goneAt: null,
      },
    });
    expect(
      decideNotice(matter({ cases: 30 }), { ...known, goneAt: 5 }, { ...rules, growth: 10 }, NOW),
    ).toEqual({
      kind: "tell",
      why: "grown",
      matter: matter({ cases: 30 }),
      state: { ...known, tellings: 2, toldAt: NOW, toldCases: 30, goneAt: null },
    });
  });

  test("who is first told of what is overdue already is not told so again", () => {
    const first = decideNotice(matter(late(NOW - 1)), null, rules, NOW);
    expect(first).toMatchObject({ why: "new", state: { overdueToldAt: NOW } });
    expect(decideNotice(matter(late(NOW - 1)), known, rules, NOW)).toMatchObject({
      why: "overdue",
      state: { overdueToldAt: NOW },
    });
  });

  test("a notice that is out of sight and back keeps everything else", () => {
    expect(decideNotice(null, known, rules, NOW)).toEqual({ kind: "note", state: { ...known, goneAt: NOW } });
    expect(decideNotice(matter(), { ...known, goneAt: 5 }, rules, NOW)).toEqual({
      kind: "note",
      state: known,
    });
  });
});
