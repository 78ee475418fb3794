import { describe, expect, it } from "vitest";
import {
  broken,
  cannotTell,
  destination,
  fact,
  HOUR,
  holds,
  MINUTE,
  outlineOf,
  probe,
  retry,
  SECOND,
  START,
  Story,
} from "./case.fixture.ts";
import { actForConditions, usableAnswer } from "./conditions.ts";
import type { ConditionOutline } from "./outline.ts";
import type { Act } from "./planning.ts";

const inBudget = probe("in budget");
const open = probe("open");
const approved = fact("approved");
const told = (...requires: readonly ConditionOutline[]): Story =>
  new Story(outlineOf({ kind: "step", name: "create", requires }));
const act = (story: Story): Act | null => {
  const step = story.sendStep("create");
  return actForConditions(story.planInput(), step, step.requires);
};
const usable = (story: Story, condition: ConditionOutline): string | null =>
  usableAnswer(story.planInput(), "create", condition)?.kind ?? null;

describe("a fact", () => {
  it("is answered anew for every plan, whatever was recorded under its name", () => {
    const story = told(approved).probe("create", probe("approved"), broken("old"));
    expect(usable(story, approved)).toBe("holds");
    story.facts.set("create.approved", broken("revoked"));
    expect(usable(story, approved)).toBe("broken");
  });

  it("that cannot tell will not tell by waiting: a bug, for the owner of the case type", () => {
    const story = told(approved);
    story.facts.set("create.approved", cannotTell("it threw TypeError"));
    expect(usable(story, approved)).toBe("cannotTell");
    expect(act(story)).toMatchObject({
      kind: "review",
      review: {
        reason: "bug",
        owner: "purchasing-lead",
        sentence: 'create cannot go on: whether "approved" holds could not be told (it threw TypeError).',
      },
    });
  });

  it("that was not evaluated cannot tell", () => {
    const input = { ...told(approved).planInput(), answers: new Map() };
    expect(usableAnswer(input, "create", approved)).toEqual({
      kind: "cannotTell",
      why: "it was not evaluated",
    });
  });
});

describe("a probe", () => {
  it("is asked when nothing is recorded, all missing ones at once", () => {
    expect(act(told(inBudget, approved, open))).toEqual({ kind: "ask", conditions: ["in budget", "open"] });
  });

  it("is used while its answer is fresh, and asked again after that, whatever it was", () => {
    const story = told(inBudget).probe("create", inBudget, holds).wait(MINUTE);
    expect(act(story)).toBeNull();
    expect(act(story.wait(1))).toEqual({ kind: "ask", conditions: ["in budget"] });
    story.probe("create", inBudget, broken("spent"));
    expect(act(story)).toMatchObject({ review: { reason: "precondition" } });
    expect(act(story.wait(MINUTE + 1))).toMatchObject({ kind: "ask" });
  });

  it("that cannot tell is waited for with a growing delay, and asked again when that is over", () => {
    const story = told(inBudget).probe("create", inBudget, cannotTell("crm is down"));
    expect(act(story)).toEqual({
      kind: "wait",
      wait: {
        kind: "probe",
        step: "create",
        dueAt: START + 2_500,
        condition: "in budget",
        why: "crm is down",
      },
    });
    story.wait(2_500);
    expect(usable(story, inBudget)).toBeNull();
    expect(act(story)).toMatchObject({ kind: "ask" });
    story.probe("create", inBudget, cannotTell("crm is down"));
    expect(act(story)).toMatchObject({ wait: { dueAt: story.now + 10_000 } });
  });

  it("goes to people after its destination's bounds, to the owner of that destination (R13)", () => {
    const story = told(inBudget);
    for (let times = 1; times <= 5; times += 1)
      story.probe("create", inBudget, cannotTell("down")).wait(HOUR);
    expect(act(story)).toMatchObject({
      review: {
        reason: "limit",
        owner: "crm-team",
        sentence:
          'create cannot go on: crm was asked, but whether "in budget" holds could not be told, asked 5 times; last: down.',
      },
    });
    expect(usable(story, inBudget)).toBeNull();
  });

  it("without an owner of its destination goes to the owner of the case type", () => {
    const lonely = probe("x", {
      destination: destination({ owners: { access: null, input: null, outage: null } }),
    });
    const story = told(lonely);
    for (let times = 1; times <= 5; times += 1) story.probe("create", lonely, cannotTell("down"));
    expect(act(story)).toMatchObject({ review: { owner: "purchasing-lead" } });
  });

  it("goes to people when it would be asked later than giveUpAfter allows", () => {
    const patient = probe("x", {
      destination: destination({ retry: { ...retry, giveUpAfterMs: 5 * SECOND } }),
    });
    const story = told(patient).probe("create", patient, cannotTell("down"));
    expect(act(story)).toMatchObject({ kind: "wait" });
    story.wait(2_500).probe("create", patient, cannotTell("down"));
    expect(act(story)).toMatchObject({ review: { reason: "limit" } });
  });

  it("says why it could not be told the last time, and how often it was asked", () => {
    const once = probe("x", { destination: destination({ retry: { ...retry, maxAttempts: 1 } }) });
    const story = told(once).probe("create", once, cannotTell("it threw Error: 503 from the gateway."));
    expect(act(story)).toMatchObject({
      review: {
        sentence:
          'create cannot go on: erp was asked, but whether "x" holds could not be told, asked once; ' +
          "last: it threw Error: 503 from the gateway.",
      },
    });
  });

  it("whose next time was not set is asked at once", () => {
    const story = told(inBudget).append({
      kind: "conditionAnswered",
      step: "create",
      condition: "in budget",
      answer: cannotTell("down"),
      askedAt: START,
      nextProbeAt: null,
    });
    expect(act(story)).toMatchObject({ kind: "ask" });
  });
});

describe("several conditions", () => {
  it("one that is broken decides, whatever else is not known", () => {
    const story = told(inBudget, open, approved).probe("create", open, broken("closed"));
    story.facts.set("create.approved", cannotTell("?"));
    expect(act(story)).toMatchObject({ review: { reason: "precondition" } });
  });

  it("the earliest of those that could not be told sets the time", () => {
    const story = told(inBudget, open).probe("create", inBudget, cannotTell("a"), 0.9);
    story.probe("create", open, cannotTell("b"), 0);
    expect(act(story)).toMatchObject({ wait: { condition: "open", dueAt: START + 2_500 } });
  });

  it("named like parts of every object are kept apart from those parts", () => {
    for (const name of ["constructor", "__proto__", "toString"]) {
      const odd = probe(name);
      const story = told(odd);
      expect(act(story)).toEqual({ kind: "ask", conditions: [name] });
      story.probe("create", odd, cannotTell("down"));
      expect(act(story)).toMatchObject({ kind: "wait", wait: { condition: name } });
      expect(usable(story.probe("create", odd, holds), odd)).toBe("holds");
    }
  });

  it("hold when each one does", () => {
    expect(act(told(approved, inBudget).probe("create", inBudget, holds))).toBeNull();
    expect(act(told())).toBeNull();
  });
});
