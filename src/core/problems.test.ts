import { describe, expect, it } from "vitest";
import { failure, HOUR, outlineOf, rejection, START, Story } from "./case.fixture.ts";
import { groupProblems, plainCause, problemsOf, type Problem, type ProblemRow } from "./problems.ts";
import { rowOf } from "./row.ts";

const pay = { kind: "step", name: "pay" } as const;

const refused = (message: string, path: string): Story =>
  new Story(outlineOf(pay))
    .open("pay")
    .fail("pay", failure({ ...rejection, rule: "http 422", fields: [{ path, message }] }))
    .settle();

describe("the cause of a problem", () => {
  it.each([
    ["Order 4711 is unknown.", "Order … is unknown."],
    ['The field "vendor" must not be "ACME Ltd".', "The field … must not be …."],
    ["No invoice INV-2024-77 for ann@example.org at 12:30:05.", "No invoice … for … at …."],
    ["See https://erp.example/x/1 and 'that' or `this` or “these”.", "See … and … or … or …."],
    ["3 of 5 times, in 2,000.50 EUR", "… of … times, in … EUR"],
    ["nothing differs", "nothing differs"],
  ])("is the sentence without what differs: %s", (sentence, cause) => {
    expect(plainCause(sentence)).toBe(cause);
  });

  it("is told by the rule and the fields first, so that other values are the same problem", () => {
    const [one] = problemsOf(refused("ACME is unknown", "lines.0.vendor").state);
    expect(one).toEqual({
      step: "pay",
      kind: "rejected",
      destination: "erp",
      cause: "http 422: lines.#.vendor",
      sinceAt: START,
    });
    expect(problemsOf(refused("Umbrella is unknown", "lines.7.vendor").state)).toEqual([one]);
  });

  it("is told by the rule and the message where no field is named", () => {
    const said = failure({ cause: "bug", rule: "plain TypeError", sentence: "x17 is not a function" });
    const one = new Story(outlineOf(pay)).open("pay").fail("pay", said).settle();
    expect(problemsOf(one.state)).toMatchObject([
      { kind: "bug", cause: "plain TypeError: … is not a function" },
    ]);
  });

  it("is the review's own sentence where no failure of this round led to it", () => {
    const one = new Story(outlineOf({ kind: "approval", name: "approve" }))
      .settle()
      .approve("approve", false);
    one.settle();
    expect(problemsOf(one.state)).toMatchObject([
      {
        step: "approve",
        kind: "refused",
        destination: null,
        cause: expect.stringContaining("refused approve") as unknown,
      },
    ]);
    const failed = new Story(outlineOf(pay, { kind: "step", name: "notify" }))
      .open("pay")
      .fail("pay")
      .resume();
    failed.append({
      kind: "reviewOpened",
      review: {
        step: "pay",
        reason: "poison",
        sentence: "3 were lost",
        owner: "x",
        nextCheckAllowedAt: null,
      },
    });
    expect(problemsOf(failed.state)).toMatchObject([{ cause: "… were lost", destination: "erp" }]);
  });
});

it("a row tells the problems of its case, and none where nothing waits for people", () => {
  const one = new Story(outlineOf(pay)).open("pay").fail("pay", rejection).wait(HOUR).settle();
  expect(rowOf(one.state).summary.problems).toMatchObject([{ sinceAt: START + HOUR }]);
  expect(rowOf(one.resume().state).summary).not.toHaveProperty("problems");
});

describe("groups of problems", () => {
  const now = START + 100 * HOUR;
  const problem = (over: Partial<Problem>): Problem => ({
    step: "pay",
    kind: "denied",
    destination: "erp",
    cause: "c",
    sinceAt: now - HOUR / 2,
    ...over,
  });
  const row = (caseId: string, problems: readonly Problem[], owner = "admins"): ProblemRow => ({
    caseId,
    caseType: "purchase",
    changedAt: now,
    summary: {
      problems,
      reviews: [{ step: "pay", reason: "denied", owner, sentence: `${caseId} is stuck` }],
    },
  });

  it("count what is the same, largest first, with the newest as the example", () => {
    const groups = groupProblems(
      [
        row("c-1", [problem({ sinceAt: now - 50 * HOUR })]),
        row("c-2", [problem({ sinceAt: now - 1 })], "others"),
        row("c-3", [problem({}), problem({ step: "notify", sinceAt: now - 30 * HOUR })]),
        { caseId: "c-4", caseType: "purchase", changedAt: now, summary: { reviews: [] } },
      ],
      now,
    );
    expect(groups).toMatchObject([
      {
        step: "pay",
        count: 3,
        firstSinceAt: now - 50 * HOUR,
        lastSinceAt: now - 1,
        came: { hour: 2, day: 2, week: 3 },
        cameByHour: [...Array.from({ length: 23 }, () => 0), 2],
        isGrowing: true,
        isNew: false,
        owners: ["admins", "others"],
        example: "c-2 is stuck",
        exampleCaseId: "c-2",
      },
      {
        step: "notify",
        count: 1,
        came: { hour: 0, day: 0, week: 1 },
        isGrowing: false,
        owners: [],
        example: "c",
      },
    ]);
  });

  it("take a row that has only its reviews by what these say", () => {
    const reviews = [
      { step: "pay", reason: "bug", owner: "platform", sentence: "Revision 7 is missing." },
    ] as const;
    const groups = groupProblems(
      [{ caseId: "c-1", caseType: "purchase", changedAt: now - 5, summary: { reviews } }],
      now,
    );
    expect(groups).toMatchObject([
      {
        kind: "bug",
        cause: "Revision … is missing.",
        destination: null,
        lastSinceAt: now - 5,
        owners: ["platform"],
      },
    ]);
  });

  it("of one size come newest first, and are kept apart by what they have not in common", () => {
    const groups = groupProblems(
      [
        row("c-1", [problem({ sinceAt: now - 2 })]),
        row("c-2", [problem({ cause: "other", sinceAt: now - 1 })]),
        row("c-3", [problem({ destination: null, sinceAt: now - 3 })]),
        { ...row("c-4", [problem({ sinceAt: now - 4 })]), caseType: "refund" },
      ],
      now,
    );
    expect(groups.map(({ exampleCaseId, isNew }) => [exampleCaseId, isNew])).toEqual([
      ["c-2", true],
      ["c-1", true],
      ["c-3", true],
      ["c-4", true],
    ]);
  });
});
