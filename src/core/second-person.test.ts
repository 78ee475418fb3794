import { describe, expect, it, test } from "vitest";
import type { Actor } from "./journal.ts";
import {
  decideApprover,
  decideSecond,
  isSamePerson,
  needsSecond,
  type AskedSecond,
  type SecondMove,
  type SecondRule,
} from "./second-person.ts";

const named = (name: string): Actor => ({ kind: "person", name });
const known = (name: string, personId: string): Actor => ({ kind: "person", name, personId });

const rules: readonly SecondRule[] = [
  { moves: ["skip", "force"], caseTypes: "all" },
  { moves: ["cancel"], caseTypes: ["payout"] },
];

test.each<[SecondMove, string, boolean]>([
  ["skip", "purchase", true],
  ["force", "payout", true],
  ["cancel", "payout", true],
  ["cancel", "purchase", false],
  ["undo", "payout", false],
])("%s of %s needs a second person: %s", (move, caseType, needed) => {
  expect(needsSecond(rules, move, caseType)).toBe(needed);
  expect(needsSecond([], move, caseType)).toBe(false);
});

test.each<[string, Actor, Actor, boolean]>([
  ["the same id under two names", known("ada", "p-1"), known("ada (ci)", "p-1"), true],
  ["the same name with two ids", known("ada", "p-1"), known("ada", "p-2"), false],
  ["two people", known("ada", "p-1"), known("ben", "p-2"), false],
  ["the same name without ids", named("ada"), named("ada"), true],
  ["a name and its token", named("ada"), known("ada (ci)", "p-1"), true],
  ["two names", named("ada"), known("ben", "p-1"), false],
  ["a name that only begins alike", named("ada"), named("adam"), false],
  ["an engine of that name", { kind: "engine", name: "ada" }, named("ada"), true],
])("%s", (_, one, other, same) => {
  expect(isSamePerson(one, other)).toBe(same);
  expect(isSamePerson(other, one)).toBe(same);
});

test("an approval is given by somebody else than those who shaped what is approved, by whatever they act", () => {
  const shapedBy = [known("ada", "p-1"), known("ben (ci)", "p-2")];
  const judge = (by: Actor): unknown => decideApprover(shapedBy, { by, caseId: "07-1", step: "approve" });
  expect(judge(known("cleo", "p-3"))).toEqual({ kind: "taken" });
  for (const by of [known("ada (ci)", "p-1"), known("ben", "p-2"), named("ada")]) {
    expect(judge(by)).toMatchObject({
      kind: "refused",
      code: "SECOND_REFUSED",
      sentence: expect.stringContaining("another person has to approve approve") as unknown,
    });
  }
});

describe("an answer", () => {
  const request: AskedSecond = {
    requestId: "s07-1",
    state: "open",
    askedBy: known("ada", "p-1"),
    endsAt: 10_000,
    why: null,
  };
  const judge = (wishes: Partial<AskedSecond>, by: Actor, isApproved = true, now = 9_999): unknown =>
    decideSecond({ ...request, ...wishes }, { by, isApproved, now });
  const ben = known("ben", "p-2");

  it("is taken from another person in time, and a refusal from whoever asked too", () => {
    expect(judge({}, ben)).toEqual({ kind: "taken" });
    expect(judge({}, ben, false)).toEqual({ kind: "taken" });
    expect(judge({}, request.askedBy, false)).toEqual({ kind: "taken" });
  });

  test.each<[string, Partial<AskedSecond>, Actor, number, string, string]>([
    ["from whoever asked", {}, request.askedBy, 0, "SECOND_REFUSED", "another person"],
    ["by a token of theirs", {}, known("ada (ci)", "p-1"), 0, "SECOND_REFUSED", "another person"],
    ["too late", {}, ben, 10_000, "SECOND_OVER", "ended at"],
    ["a second time", { state: "approved" }, ben, 0, "SECOND_OVER", "is approved."],
    [
      "after the plan changed",
      { state: "void", why: "the plan changed." },
      ben,
      0,
      "SECOND_OVER",
      "plan changed.",
    ],
  ])("is refused %s", (_, wishes, by, now, code, words) => {
    expect(judge(wishes, by, true, now)).toMatchObject({
      kind: "refused",
      code,
      sentence: expect.stringContaining(words) as unknown,
    });
  });
});
