import { describe, expect, it } from "vitest";
import {
  meetsCriteria,
  REVIEW_WORDS,
  WAIT_WORDS,
  type CaseCriteria,
  type JudgedRow,
} from "./case-criteria.ts";
import type { Review, ReviewReason } from "./journal.ts";
import type { Wait } from "./waits.ts";
import { readState } from "./state.ts";

const review = (reason: ReviewReason): Review => ({
  step: "send",
  reason,
  sentence: "The ERP refused the Field vendor.",
  owner: "purchasing",
  nextCheckAllowedAt: null,
});

const timer: Wait = { kind: "timer", step: "rest", dueAt: 1 };
const approval: Wait = { kind: "approval", step: "approve", dueAt: null, by: "finance" };

const row: JudgedRow = {
  caseId: "07-abc",
  tenant: "acme",
  caseType: "purchase",
  businessKey: "PO-1",
  state: "in_review",
  dueAt: null,
  changedAt: 1_000,
  summary: {
    confirmed: 0,
    waits: [timer, approval],
    reviews: [review("rejected")],
    unsettled: ["book"],
    lastFailure: {
      step: "send",
      attempt: 1,
      at: 900,
      kind: "rejected",
      executed: "no",
      sentence: "Status 422.",
    },
    losses: 0,
    isRepaired: false,
    repair: null,
    stoppedBy: null,
    search: [{ name: "no", type: "text", value: "A-7" }],
    assignee: { id: "ada", label: "Ada" },
  },
  claim: null,
};

const { search: _search, assignee: _assignee, ...unsearched } = row.summary;
const bare: JudgedRow = {
  ...row,
  businessKey: null,
  summary: { ...unsearched, waits: [], reviews: [], unsettled: [], lastFailure: null },
};

const seen = { holder: null, now: 2_000, secondUntilAt: null };

const access: Wait = {
  kind: "access",
  step: "s",
  dueAt: 1,
  destination: "erp",
  credentialId: "c",
  owner: "erp-admins",
};

const nobodys = (one: JudgedRow): boolean => meetsCriteria(one, { assignees: [null] }, seen);
const isOpen = (one: JudgedRow): boolean => meetsCriteria(one, { isOpen: true }, seen);
const isOverdue = (one: JudgedRow, overdueAfterMs = 1_000): boolean =>
  meetsCriteria(one, { overdueAfterMs }, seen);
const needsPeople = (wait: Wait): boolean =>
  meetsCriteria({ ...bare, summary: { ...bare.summary, waits: [wait] } }, { needsPeople: true }, seen);

describe("what a list shows", () => {
  it.each<[string, CaseCriteria]>([
    ["nothing asked", {}],
    ["tenant", { tenant: "acme" }],
    ["type", { caseType: "purchase" }],
    ["state", { states: ["done", "in_review"] }],
    ["open review", { withReview: true }],
    ["open review or not", { withReview: false }],
    ["business key", { businessKey: "PO-1" }],
    ["what people read", { readable: ["Done", "Needs correction"] }],
    ["owner of a review", { owner: "purchasing" }],
    ["who answers an approval", { owner: "finance" }],
    ["step in review", { atSteps: [{ caseType: "purchase", step: "send" }] }],
    ["step that waits", { atSteps: [{ caseType: "purchase", step: "approve" }] }],
    ["step that is not settled", { atSteps: [{ caseType: "purchase", step: "book" }] }],
    ["kind of failure", { failureKind: "rejected" }],
    ["age", { unchangedSinceAt: 1_000 }],
    ["text of the id", { text: "7-AB" }],
    ["text of the business key", { text: "po-" }],
    ["text of a review", { text: "field VENDOR" }],
    ["text of a failure", { text: "422" }],
    ["attribute", { search: [{ name: "no", value: "A-7", from: null, to: null }] }],
    ["whose it is", { assignees: [null, "ada"] }],
    ["not ended", { isOpen: true }],
    ["needs a person", { needsPeople: true }],
    ["overdue", { overdueAfterMs: 1_000 }],
    ["all tenants and types", { visible: [{ tenants: null, caseTypes: null }] }],
    [
      "one grant of several",
      {
        visible: [
          { tenants: [], caseTypes: null },
          { tenants: ["acme"], caseTypes: ["purchase"] },
        ],
      },
    ],
  ])("has a case that meets it: %s", (_what, criteria) => {
    expect(meetsCriteria(row, criteria, seen)).toBe(true);
  });

  it.each<[string, CaseCriteria]>([
    ["tenant", { tenant: "other" }],
    ["type", { caseType: "other" }],
    ["state", { states: [] }],
    ["open review", { withReview: true }],
    ["business key", { businessKey: "PO-1" }],
    ["what people read", { readable: ["Needs review"] }],
    ["owner", { owner: "purchasing" }],
    ["step of another type", { atSteps: [{ caseType: "other", step: "send" }] }],
    ["step", { atSteps: [{ caseType: "purchase", step: "send" }] }],
    ["kind of failure", { failureKind: "rejected" }],
    ["age", { unchangedSinceAt: 999 }],
    ["text", { text: "vendor" }],
    ["no step at all, of another type", { atSteps: [{ caseType: "other", step: null }] }],
    ["parent", { parentId: "07-parent" }],
    ["attribute", { search: [{ name: "no", value: "A-7", from: null, to: null }] }],
    ["whose it is", { assignees: ["ada"] }],
    ["needs a person", { needsPeople: true }],
    ["overdue", { overdueAfterMs: 0 }],
    ["no grant", { visible: [] }],
    ["another tenant", { visible: [{ tenants: ["other"], caseTypes: null }] }],
    ["another type", { visible: [{ tenants: null, caseTypes: ["other"] }] }],
  ])("leaves out a case that does not: %s", (_what, criteria) => {
    expect(meetsCriteria(bare, criteria, seen)).toBe(false);
  });

  it("finds what stands at no step, and what another case started", () => {
    const nowhere = { atSteps: [{ caseType: "purchase", step: null }] };
    expect([row, bare].map((one) => meetsCriteria(one, nowhere, seen))).toEqual([false, true]);
    const parent = { caseId: "07-parent", step: "ship", intentVersion: 1, depth: 1 };
    const child = { ...bare, summary: { ...bare.summary, parent } };
    expect(meetsCriteria(child, { parentId: "07-parent" }, seen)).toBe(true);
    expect(meetsCriteria(child, { parentId: "07-other" }, seen)).toBe(false);
  });

  it("finds a case with a move that waits for a second person, until its time is over", () => {
    const asks = { awaitsSecond: true };
    const meets = (secondUntilAt: number | null): boolean =>
      meetsCriteria(bare, asks, { ...seen, secondUntilAt });
    expect([meets(seen.now + 1), meets(seen.now), meets(null)]).toEqual([true, false, false]);
    expect(meetsCriteria(bare, { awaitsSecond: false }, seen)).toBe(true);
  });

  it("finds what is nobody's, and an ended case alone where a review of it is open", () => {
    expect([row, bare].map(nobodys)).toEqual([false, true]);
    const ended = (["done", "canceled"] as const).flatMap((state) => [
      { ...row, state },
      { ...bare, state },
    ]);
    expect(ended.map(isOpen)).toEqual([true, false, true, false]);
    expect(ended.map((one) => meetsCriteria(one, { isOpen: false }, seen))).not.toContain(false);
  });

  it("finds what a person should have dealt with, unless somebody does or time is left", () => {
    const waiting = { ...bare, summary: { ...bare.summary, waits: [approval] } };
    expect(
      [row, waiting, { ...bare, summary: { ...bare.summary, waits: [timer] } }].map((one) => isOverdue(one)),
    ).toEqual([true, true, false]);
    expect(isOverdue(waiting, 1_001)).toBe(false);
    expect(isOverdue({ ...row, state: "paused" })).toBe(false);
    const repair = { name: "ada", events: 0 };
    expect(isOverdue({ ...row, summary: { ...row.summary, repair } })).toBe(false);
  });

  it("finds what only waits for a person, and not what waits for the clock", () => {
    expect([approval, access, timer].map(needsPeople)).toEqual([true, true, false]);
  });

  it("finds what waits for an approval by whom it was escalated to, from then on", () => {
    const escalated = { ...approval, escalation: { to: "board", at: seen.now } };
    const waiting = { ...bare, summary: { ...bare.summary, waits: [escalated] } };
    const isBoards = (now: number): boolean => meetsCriteria(waiting, { owner: "board" }, { ...seen, now });
    expect([seen.now - 1, seen.now].map(isBoards)).toEqual([false, true]);
  });

  it("finds what waits for access by who can restore it", () => {
    const waiting = { ...bare, summary: { ...bare.summary, waits: [access] } };
    expect(meetsCriteria(waiting, { owner: "erp-admins" }, seen)).toBe(true);
    expect(meetsCriteria(waiting, { owner: "erp" }, seen)).toBe(false);
  });

  it("reads the words of every review as the reading does", () => {
    for (const [reason, word] of Object.entries(REVIEW_WORDS)) {
      const summary = { ...bare.summary, reviews: [{ ...review("bug"), reason: reason as ReviewReason }] };
      expect(readState({ ...bare, summary, ...seen }).state).toBe(word);
    }
  });

  it.each<Wait>([
    { kind: "retry", step: "s", dueAt: 1, attempt: 1, attemptsMax: 5, by: "backoff" },
    { kind: "check", step: "s", dueAt: 1 },
    { kind: "probe", step: "s", dueAt: 1, condition: "c", why: "w" },
    approval,
    { kind: "event", step: "s", dueAt: 1, eventType: "e" },
    { kind: "timer", step: "s", dueAt: 1 },
    { kind: "held", step: "s", dueAt: 1, destination: "erp", credentialId: "c" },
    access,
  ])("reads the words of every wait as the reading does: $kind", (wait) => {
    const summary = { ...bare.summary, waits: [wait] };
    expect(readState({ ...bare, state: "waiting", summary, ...seen }).state).toBe(WAIT_WORDS[wait.kind]);
  });
});
