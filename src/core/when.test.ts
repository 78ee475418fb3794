import { describe, expect, it } from "vitest";
import {
  broken,
  cannotTell,
  failure,
  fact,
  lostAnswer,
  outlineOf,
  person,
  Story,
  worker,
} from "./case.fixture.ts";
import { basisOf } from "./basis.ts";
import { digest } from "./case.fixture.ts";
import { decideLateReport } from "./late.ts";
import { decideCancel } from "./moves.ts";
import { outsideEffects } from "./outside.ts";
import { decideRedo } from "./vouching.ts";
import type { LapsePolicy } from "./outline.ts";

const LARGE = "over 1,000";
const small = broken("the amount is 12");

/** A record, an audit that only large amounts need, and a notification. */
const three = (onLapse: LapsePolicy = "review"): Story =>
  new Story(
    outlineOf(
      { kind: "step", name: "record" },
      { kind: "step", name: "audit", when: [fact(LARGE)], onLapse },
      { kind: "step", name: "notify" },
    ),
    { amount: 12 },
  ).confirm("record");

const isSmall = (story: Story): Story => {
  story.facts.set(`audit.${LARGE}`, small);
  return story;
};
const isLarge = (story: Story): Story => {
  story.facts.delete(`audit.${LARGE}`);
  return story;
};

const standingOf = (story: Story, step: string): string | undefined =>
  story.plan().steps.find((one) => one.step.name === step)?.standing.kind;

const passed = (onLapse?: LapsePolicy): Story => isSmall(three(onLapse)).settle();

describe("a step with `when`", () => {
  it("is sent like any other while its conditions hold", () => {
    expect(isLarge(three()).act("audit")).toMatchObject({ kind: "send" });
  });

  it("is passed over where one does not hold, with that condition as the reason on record", () => {
    const story = isSmall(three());
    expect(story.act("audit")).toMatchObject({
      kind: "confirm",
      entry: {
        kind: "stepConfirmed",
        intentVersion: 0,
        result: { kind: "value", value: null },
        by: { how: "notNeeded", why: `"${LARGE}" does not hold (the amount is 12)` },
      },
    });
    story.settle();
    expect(standingOf(story, "audit")).toBe("stands");
    expect(story.act("notify")).toMatchObject({ kind: "send" });
    expect(story.confirm("notify").plan()).toMatchObject({ isComplete: true, foothold: ["notify"] });
  });

  it("is not asked for before the steps that it follows stand", () => {
    const story = new Story(
      outlineOf({ kind: "step", name: "record" }, { kind: "step", name: "audit", when: [fact(LARGE)] }),
    );
    expect(isSmall(story).act("audit")).toEqual({ kind: "nothing", why: "follows" });
  });

  it.each(["approval", "waitForEvent", "sleep"] as const)("may be of the kind %s too", (kind) => {
    const story = new Story(outlineOf({ kind, name: "audit", when: [fact(LARGE)] }));
    expect(story.act("audit").kind).toBe("wait");
    expect(isSmall(story).settle().plan().isComplete).toBe(true);
  });

  it("goes to review where its condition cannot tell, and stays there until a person acted", () => {
    const story = three();
    story.facts.set(`audit.${LARGE}`, cannotTell("it threw TypeError"));
    expect(story.act("audit")).toMatchObject({ kind: "review", review: { reason: "bug" }, isOpen: false });
    expect(story.settle().act("audit")).toMatchObject({ kind: "review", isOpen: true });
    expect(isSmall(story).resume().act("audit")).toMatchObject({ kind: "confirm" });
  });

  it("has what may have happened settled first, needed or not", () => {
    const story = three().open("audit").fail("audit", lostAnswer);
    expect(isSmall(story).act("audit").kind).not.toBe("confirm");
    expect(isSmall(three().open("audit").fail("audit", failure())).act("audit").kind).toBe("confirm");
  });
});

describe("a step that was passed over", () => {
  it("is done once a correction makes it needed, and what follows it waits for that", () => {
    const story = isLarge(passed().correct({ amount: 4_000 }));
    expect(standingOf(story, "audit")).toBe("open");
    expect(story.act("audit")).toEqual({ kind: "nothing", why: "follows" });
    story.append({ kind: "redoOrdered", step: "record", by: person, reason: "other amount" });
    story.confirm("record");
    expect(story.act("audit")).toMatchObject({ kind: "send" });
    story.confirm("audit");
    expect(standingOf(story, "audit")).toBe("stands");
  });

  it("is decided anew, and passed over again, where what it was decided from changed", () => {
    const story = passed().correct({ amount: 13 });
    expect(standingOf(story, "audit")).toBe("open");
    story.append({ kind: "redoOrdered", step: "record", by: person, reason: "other amount" });
    story.confirm("record").settle();
    expect(story.step("audit").confirmation?.basis).toBe(
      basisOf(story.sendStep("audit"), story.state, digest),
    );
    expect(standingOf(story, "audit")).toBe("stands");
  });

  it("is neither open nor standing while a step that it follows is uncertain", () => {
    const story = isSmall(
      new Story(
        outlineOf(
          { kind: "step", name: "record", requires: [fact("open")] },
          { kind: "step", name: "audit", when: [fact(LARGE)] },
        ),
      ),
    )
      .confirm("record")
      .settle();
    story.facts.set("record.open", cannotTell("no answer"));
    expect(standingOf(story, "audit")).toBe("uncertain");
  });

  it("is sent under its old intent where exactly that is wanted again", () => {
    const story = isSmall(three().open("audit").fail("audit")).settle();
    expect(story.step("audit").confirmation?.by.how).toBe("notNeeded");
    isLarge(story).open("audit");
    expect(story.step("audit").intent).toMatchObject({ version: 1, attempts: [{}, {}] });
    expect(story.step("audit").confirmation).toBeNull();
  });

  it("has no result that a later step could mistake for one, and rests on that", () => {
    const without = basisOf(passed().sendStep("notify"), passed().state, digest);
    const done = three().confirm("audit");
    expect(without).not.toBe(basisOf(done.sendStep("notify"), done.state, digest));
    const gaveNull = three().confirm("audit", null);
    expect(without).not.toBe(basisOf(gaveNull.sendStep("notify"), gaveNull.state, digest));
  });

  it("cannot be ordered to be done again", () => {
    const order = { step: "audit", by: person, reason: "to be sure" };
    expect(decideRedo(passed().planInput(), null, order)).toMatchObject({
      kind: "refused",
      code: "NOTHING_TO_REDO",
    });
  });

  it("does not keep a case from being canceled, before or while a worker holds it", () => {
    const only = isSmall(
      new Story(
        outlineOf({ kind: "step", name: "audit", when: [fact(LARGE)] }, { kind: "step", name: "notify" }),
      ),
    );
    const request = { by: person, reason: null };
    expect(decideCancel(only.settle().state, null, request)).toMatchObject({ kind: "write" });
    only.append({ kind: "cancelRequested", ...request });
    expect(only.plan().halt).toBe("cancel");
    const meanwhile = isSmall(new Story(only.outline))
      .append({ kind: "cancelRequested", ...request })
      .settle();
    expect(meanwhile.state.cancelRequest).not.toBeNull();
    const later = passed();
    expect(outsideEffects(later.state)).toEqual([{ step: "record", what: "effect" }]);
  });

  it("is in sight where a late worker tells that it was done all the same", () => {
    const story = isSmall(three().open("audit").fail("audit")).settle().confirm("notify");
    const report = {
      ref: { step: "audit", intentVersion: 1, attempt: 1 },
      claimId: "claim-1",
      holder: worker,
      outcome: { kind: "succeeded", result: { kind: "value", value: null }, evidence: null },
    } as const;
    // The case goes on, so the report is evidence of a step that is open again.
    story.append(...decideLateReport(story.outline, story.state, report));
    expect(standingOf(story, "audit")).toBe("open");
    expect(story.act("audit")).toMatchObject({ kind: "confirm", entry: { by: { how: "lateReport" } } });
    const done = isSmall(three().open("audit").fail("audit")).settle().confirm("notify");
    done.append({ kind: "caseDone" });
    expect(decideLateReport(done.outline, done.state, report)).toMatchObject([
      { kind: "lateReport" },
      {
        kind: "reviewOpened",
        review: { step: "audit", sentence: expect.stringContaining("not needed") as string },
      },
    ]);
  });
});

describe("a step that was done and is not needed any more", () => {
  it.each(["redo", "recheck", "review"] as const)("goes to review where it would %s", (onLapse) => {
    const story = isSmall(
      new Story(outlineOf({ kind: "step", name: "audit", when: [fact(LARGE)], hasCheck: true, onLapse })),
    );
    isLarge(story).confirm("audit").correct({ amount: 1 });
    expect(isSmall(story).act("audit")).toMatchObject({
      kind: "review",
      review: { reason: "lapsed", sentence: expect.stringContaining("not needed any more") as string },
    });
  });

  it("goes to review also where it was begun anew in its place, and that came to nothing", () => {
    const story = isLarge(
      new Story(outlineOf({ kind: "step", name: "audit", when: [fact(LARGE)], onLapse: "redo" })),
    );
    story.confirm("audit").correct({ amount: 1 });
    story.append(...story.plan().shifts);
    story.open("audit").fail("audit", failure({ cause: "rejected", executed: "no" }));
    isSmall(story).correct({ amount: 2 });
    expect(story.act("audit")).toMatchObject({
      kind: "review",
      isOpen: false,
      review: { reason: "lapsed", sentence: expect.stringContaining("is still there") as string },
    });
    story.settle();
    expect(story.act("audit")).toMatchObject({ kind: "review", isOpen: true });
    expect(story.plan().isComplete).toBe(false);
  });

  it("is taken back where its policy is to undo, and then passed over", () => {
    const story = new Story(outlineOf({ kind: "step", name: "audit", when: [fact(LARGE)] }));
    const [audit] = story.outline.steps;
    if (audit?.kind !== "step") throw new Error("audit sends");
    const undo = {
      ...audit,
      name: "audit.undo",
      when: [],
      hasCheck: false,
      onLapse: "review",
      undo: null,
    } as const;
    story.outline = { ...story.outline, steps: [{ ...audit, onLapse: "undo", undo }] };
    story.confirm("audit").correct({ amount: 1 });
    isSmall(story).append(...story.plan().shifts);
    expect(story.plan().steps[0]).toMatchObject({ target: { name: "audit.undo" }, act: { kind: "send" } });
    story.confirm("audit.undo").settle();
    expect(story.step("audit").confirmation?.by.how).toBe("notNeeded");
    expect(story.plan().isComplete).toBe(true);
  });
});
