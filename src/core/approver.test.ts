import { describe, expect, test } from "vitest";
import { decideApproverOf, sayWhoAnswers, type ApprovalOwner, type OwnerAccount } from "./approver.ts";
import type { Actor } from "./journal.ts";

function account(name: string, maySignIn = true): OwnerAccount {
  return { personId: `id-${name}`, name, maySignIn };
}

function owner(name: string, ...accounts: readonly OwnerAccount[]): ApprovalOwner {
  return { owner: name, accounts };
}

const signedIn = (name: string): Actor => ({ kind: "person", name, personId: `id-${name}` });
const named = (name: string): Actor => ({ kind: "person", name });
const token: Actor = { kind: "person", name: "ada (nightly)", personId: "id-ada" };

const finance = owner("finance", account("ada"), account("ben"));
const board = owner("board", account("cleo"));
const nobody = owner("legal");
const gone = owner("finance", account("ada", false));

type Outcome = "theirs" | "in place of finance" | "in place of finance or board" | "refused";

describe("an answer", () => {
  test.each<[string, readonly ApprovalOwner[], Actor, boolean, Outcome]>([
    ["by one of its people", [finance], signedIn("ben"), false, "theirs"],
    ["by a token of one of them", [finance], token, false, "theirs"],
    ["by the name of one of them", [finance], named("ada"), false, "theirs"],
    ["by somebody else", [finance], signedIn("cleo"), false, "refused"],
    ["by the name of somebody else", [finance], named("root"), false, "refused"],
    ["by another account of that name", [finance], { ...signedIn("ben"), name: "ada" }, false, "theirs"],
    [
      "by somebody else's account of that name",
      [finance],
      { ...signedIn("x"), name: "ada" },
      false,
      "refused",
    ],
    ["by somebody else, who stands in", [finance], signedIn("cleo"), true, "in place of finance"],
    ["by one of its people, who would stand in", [finance], signedIn("ada"), true, "theirs"],
    ["by anybody, where nobody can tell who they are", [nobody], named("root"), false, "theirs"],
    ["by anybody, where nobody is named", [], named("root"), false, "theirs"],
    ["by anybody, who would stand in for nobody", [nobody], named("root"), true, "theirs"],
    ["by whoever it was passed on to", [finance, board], signedIn("cleo"), false, "theirs"],
    ["by its people after it was passed on", [finance, board], signedIn("ada"), false, "theirs"],
    ["by somebody else after it was passed on", [finance, board], signedIn("dan"), false, "refused"],
    ["for both", [finance, board], signedIn("dan"), true, "in place of finance or board"],
    ["by anybody, passed on to nobody who is known", [finance, nobody], signedIn("dan"), false, "refused"],
    ["by anybody, once open to all", [nobody, board], signedIn("dan"), false, "theirs"],
    ["by somebody else, where its people are disabled", [gone], signedIn("dan"), false, "refused"],
  ])("%s", (_, owners, by, standsIn, outcome) => {
    const verdict = decideApproverOf(owners, { by, standsIn, caseId: "07-1", step: "approve" });
    const told =
      verdict.kind === "refused"
        ? "refused"
        : verdict.inPlaceOf === null
          ? "theirs"
          : `in place of ${verdict.inPlaceOf}`;
    expect(told).toBe(outcome);
  });

  test("that is refused says who may give it, and what to do", () => {
    const verdict = decideApproverOf([finance], {
      by: signedIn("dan"),
      standsIn: false,
      caseId: "07-1",
      step: "approve",
    });
    expect(verdict).toEqual({
      kind: "refused",
      code: "APPROVER_REFUSED",
      sentence:
        "approve of case 07-1 is not for dan to answer. Only ada or ben of finance may answer. " +
        "Ask them, or somebody with the right to stand in (standIn), who gives a reason. Nothing was done.",
    });
  });
});

test.each<[readonly ApprovalOwner[], string]>([
  [[finance], "Only ada or ben of finance may answer."],
  [[finance, board], "Only ada or ben of finance, or cleo of board may answer."],
  [[owner("ada", account("ada"))], "Only ada may answer."],
  [[owner("finance", account("ada"))], "Only ada of finance may answer."],
  [[owner("finance", account("ada", false), account("ben"))], "Only ben of finance may answer."],
  [[gone], "Only finance may answer, and nobody of them may sign in."],
  [[gone, board], "Only cleo of board may answer."],
  [
    [owner("finance", ..."abcdefg".split("").map((name) => account(name)))],
    "Only a, b, c, d, e or 2 more of finance may answer.",
  ],
  [
    [owner("finance", ..."abc".split("").map((name) => account(name)))],
    "Only a, b or c of finance may answer.",
  ],
  [[nobody], "Whoever has the right to approve may answer: no account is known to be legal's."],
  [[], "Whoever has the right to approve may answer: no account is known to be its owner's."],
])("who may answer is said: %#", (owners, sentence) => {
  expect(sayWhoAnswers(owners)).toBe(sentence);
});
