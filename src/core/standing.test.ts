import { describe, expect, it } from "vitest";
import { broken, fact, outlineOf, Story } from "./case.fixture.ts";
import { brokenPrerequisite, describeLapse, standingOf } from "./standing.ts";

describe("a lapse in words", () => {
  it("says which prerequisite, that the basis changed, or which step it follows", () => {
    expect(describeLapse({ kind: "prerequisite", name: "approved", why: "revoked" })).toBe(
      'the prerequisite "approved" is broken (revoked)',
    );
    expect(describeLapse({ kind: "basis" })).toBe(
      "the input or an earlier result that it rested on has changed",
    );
    expect(describeLapse({ kind: "follows", step: "create" })).toBe(
      "it follows create, which does not stand",
    );
  });
});

describe("the standing of a step", () => {
  const outline = outlineOf(
    { kind: "step", name: "a", requires: [fact("x"), fact("y")] },
    { kind: "step", name: "b" },
  );

  it("names the first prerequisite that is broken, before anything else that speaks against it", () => {
    const story = new Story(outline).confirm("a").correct({ vendor: "other" });
    story.facts.set("a.y", broken("second"));
    expect(brokenPrerequisite(story.planInput(), story.sendStep("a"))).toMatchObject({ name: "y" });
    story.facts.set("a.x", broken("first"));
    expect(standingOf(story.planInput(), story.sendStep("a"), new Map())).toEqual({
      kind: "lapsed",
      because: { kind: "prerequisite", name: "x", why: "first" },
    });
  });

  it("is never certain without what it follows", () => {
    const story = new Story(outline).confirm("a").confirm("b");
    expect(standingOf(story.planInput(), story.sendStep("b"), new Map()).kind).toBe("uncertain");
    expect(standingOf(story.planInput(), story.sendStep("b"), new Map([["a", { kind: "open" }]])).kind).toBe(
      "lapsed",
    );
    expect(
      standingOf(story.planInput(), story.sendStep("b"), new Map([["a", { kind: "stands" }]])).kind,
    ).toBe("stands");
  });
});
