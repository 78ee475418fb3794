import { describe, expect, test } from "vitest";
import { REVIEW_WORDS } from "./case-criteria.ts";
import type { ReviewReason } from "./journal.ts";
import { groupDigits, noticeFacts, tellMatter, tellOver, tellTest } from "./notice-words.ts";
import type { NoticeSubject, OpenMatter } from "./notices.ts";

const access: NoticeSubject = {
  kind: "access",
  reason: "denied",
  destination: "erp",
  credentialId: "erp-service",
};
const rejected: NoticeSubject = {
  kind: "review",
  reason: "rejected",
  caseType: "purchase",
  step: "create",
  destination: "erp",
};
const approval: NoticeSubject = { kind: "approval", caseType: "purchase", step: "approve" };

function matter(subject: NoticeSubject, over: Partial<OpenMatter["open"]> = {}): OpenMatter {
  const open = {
    cases: 5_000,
    causes: 3,
    firstSinceAt: 1,
    lastSinceAt: 2,
    firstDueAt: 3,
    nextCheckAllowedAt: null,
    lastRemindAt: null,
    caseId: "07-a",
    ...over,
  };
  return { owner: "ERP admins", subject, held: 0, open, overdue: { cases: 2, lastDueAt: 1 } };
}

const pathOf = (subject: NoticeSubject, cases = 2): string =>
  tellMatter(matter(subject, { cases }), "new").path;

const at = (time: number): string => `t${time}`;

describe("a notice says", () => {
  test.each<[NoticeSubject, number, string, string]>([
    [
      access,
      5_000,
      "5,000 cases need access to erp",
      "erp refuses the credential erp-service: cases wait until somebody restores the access.",
    ],
    [
      { ...access, credentialId: null, reason: "quota" },
      1,
      "1 case waits for a higher limit at erp",
      "erp allows no more with its credential at present: cases wait until the limit is raised or reset.",
    ],
    [
      rejected,
      12,
      "12 cases need correction at create (purchase)",
      "erp rejected what create of purchase sends: the input must be corrected.",
    ],
    [
      { ...rejected, destination: null, reason: "gone" },
      1,
      "1 case needs review at create (purchase)",
      "What create of purchase acts on is not there: somebody must decide.",
    ],
    [approval, 2, "2 cases wait for approve (purchase)", "approve of purchase waits for an answer."],
  ])("what is needed: %j of %i", (subject, cases, title, sentence) => {
    expect(tellMatter(matter(subject, { cases }), "new")).toMatchObject({
      title,
      sentence,
      about: { cases },
    });
  });

  test.each([
    ["more", "More: 5,000 cases need access to erp"],
    ["grown", "Growing: 5,000 cases need access to erp"],
    ["reminder", "Reminder: 5,000 cases need access to erp"],
    ["overdue", "Overdue: 5,000 cases need access to erp"],
  ] as const)("why it is told again: %s", (why, title) => {
    expect(tellMatter(matter(access), why).title).toBe(title);
  });

  test("something else for every reason of a review, and never what somebody else said", () => {
    const reasons = Object.keys(REVIEW_WORDS) as readonly ReviewReason[];
    const said = reasons.map((reason) => tellMatter(matter({ ...rejected, reason }), "new").sentence);
    expect(new Set(said).size).toBe(reasons.length);
    for (const sentence of said) expect(sentence).toContain("create of purchase");
  });

  test("where the cases are, and of a single one where it is itself", () => {
    expect(pathOf(access)).toBe("/cases?owner=ERP%20admins&destination=erp");
    expect(pathOf(rejected)).toBe("/cases?owner=ERP%20admins&type=purchase&review=true");
    expect(pathOf(approval)).toBe("/cases?owner=ERP%20admins&type=purchase&reading=Waiting%20for%20approval");
    expect(pathOf(access, 1)).toBe("/cases/07-a");
  });

  test("how many, of how many causes, since when, who, by when, and what is done once it is settled", () => {
    expect(noticeFacts(tellMatter(matter(access), "new"), at)).toEqual([
      ["Cases", "5,000, 3 causes, 2 overdue, the first since t1"],
      ["Owner", "ERP admins"],
      ["Due", "t3"],
      ["Next check allowed", "only after a person acted"],
      ["When it is settled", "foothold access restored erp --credential erp-service"],
    ]);
    const plain = { ...matter(rejected, { causes: 1, nextCheckAllowedAt: 9 }), overdue: null };
    expect(noticeFacts(tellMatter(plain, "new"), at)).toEqual([
      ["Cases", "5,000, the first since t1"],
      ["Owner", "ERP admins"],
      ["Due", "t3"],
      ["Next check allowed", "t9"],
    ]);
    const unnamed = tellMatter(matter({ ...access, credentialId: null }), "new");
    expect(unnamed.command).toBe("foothold access restored erp");
  });

  test("that it is over, and that it was only tried out", () => {
    const over = tellOver("ops", access);
    expect(over.title).toBe("Over: no case needs access to erp any more");
    expect(over.sentence).toContain("Nothing of the kind is left.");
    expect(noticeFacts(over, at)).toEqual([["Owner", "ops"]]);
    expect(tellTest("ops")).toMatchObject({
      why: "test",
      title: "Test: notices for ops arrive",
      about: null,
    });
  });

  test("numbers in groups of three digits", () => {
    expect([0, 999, 1_000, 1_234_567].map(groupDigits)).toEqual(["0", "999", "1,000", "1,234,567"]);
  });
});
