import { describe, expect, it } from "vitest";
import {
  broken,
  destination,
  fact,
  failure,
  HOUR,
  lostAnswer,
  outlineOf,
  person,
  START,
  Story,
} from "./case.fixture.ts";
import type { HeldBy, MoveVerdict } from "./moves.ts";
import { decideConfirmation } from "./vouching.ts";

const none = destination({ repeatSafety: { by: "none" } });
const unknown = (): Story =>
  new Story(outlineOf({ kind: "step", name: "create", destination: none }, { kind: "step", name: "notify" }))
    .open("create")
    .fail("create", lostAnswer)
    .settle();
const held: HeldBy = {
  claim: { claimId: "c", holderId: "h-1", claimedAt: START, actByAt: START + HOUR },
  holder: null,
};
const decide = (story: Story, step = "create", by: HeldBy | null = null): MoveVerdict =>
  decideConfirmation(story.planInput(), by, {
    step,
    result: { id: "R-1" },
    evidence: "seen in the ERP",
    by: person,
    reason: "checked by phone",
  });
const confirmed = (story: Story, step?: string): Story => {
  const verdict = decide(story, step);
  if (verdict.kind !== "write") throw new Error(JSON.stringify(verdict));
  return story.append(...verdict.entries);
};

describe("confirming a step by hand", () => {
  it("settles an unknown outcome: the step stands, nothing is sent, and the next one goes on", () => {
    const story = confirmed(unknown());
    expect(story.plan().foothold).toEqual(["create"]);
    expect(story.act("notify")).toMatchObject({ kind: "send" });
    expect(story.step("create")).toMatchObject({
      review: null,
      confirmation: { intentVersion: 1, by: { how: "person", by: "ada", reason: "checked by phone" } },
    });
    expect(story.state.repaired).toBe(true);
  });

  it("makes a lapsed step stand for the present input", () => {
    const story = new Story(outlineOf({ kind: "step", name: "create" }))
      .confirm("create")
      .correct({ vendor: "other" });
    expect(story.settle().act("create")).toMatchObject({ kind: "review", review: { reason: "lapsed" } });
    expect(confirmed(story).plan().isComplete).toBe(true);
  });

  it("vouches for a step of which nothing was sent", () => {
    const story = new Story(outlineOf({ kind: "step", name: "create", before: [fact("open")] }));
    story.facts.set("create.open", broken("closed"));
    expect(confirmed(story.settle()).step("create")).toMatchObject({
      intent: null,
      confirmation: { intentVersion: 0 },
    });
  });

  it("is refused while a prerequisite is broken, because it would not stand", () => {
    const story = new Story(outlineOf({ kind: "step", name: "create", requires: [fact("approved")] }));
    story.facts.set("create.approved", broken("revoked"));
    expect(decide(story.settle())).toEqual({
      kind: "refused",
      code: "CONFIRM_BLOCKED",
      sentence:
        'create of case case-1 would not stand: the prerequisite "approved" is broken (revoked). Restore that first.',
    });
  });

  it("is refused for a step that waits for nobody, is no send, or does not exist", () => {
    const line = outlineOf({ kind: "approval", name: "approve" }, { kind: "step", name: "create" });
    for (const step of ["approve", "create", "nowhere"]) {
      expect(decide(new Story(line).settle(), step)).toMatchObject({ code: "NOTHING_TO_CONFIRM" });
    }
    const retrying = new Story(outlineOf({ kind: "step", name: "create" }))
      .open("create")
      .fail("create", failure());
    expect(decide(retrying)).toMatchObject({ code: "NOTHING_TO_CONFIRM" });
  });

  it("supplies the result of a step that took effect and gave one that could not be stored", () => {
    const line = outlineOf({ kind: "step", name: "create" }, { kind: "step", name: "notify" });
    const unreadable = { kind: "unreadable", why: "it is a bigint" } as const;
    const story = new Story(line)
      .open("create")
      .end("create", { kind: "succeeded", result: unreadable, evidence: null });
    expect(story.settle().act("create")).toMatchObject({ review: { reason: "unreadable" } });
    expect(confirmed(story).act("notify")).toMatchObject({ kind: "send" });
  });

  it("is refused for a step that stands already: what it rests on and gave is not overwritten", () => {
    const line = outlineOf(
      { kind: "step", name: "create", destination: none },
      { kind: "step", name: "notify" },
    );
    const story = new Story(line).confirm("create");
    const review = { step: "create", reason: "mayExistTwice", sentence: "Twice.", owner: "o" } as const;
    story.append({ kind: "reviewOpened", review: { ...review, nextCheckAllowedAt: null } });
    expect(story.act("create")).toMatchObject({ kind: "review" });
    expect(decide(story)).toMatchObject({ code: "NOTHING_TO_CONFIRM" });
  });

  it("leaves a pause as it is: the case goes on when that ends", () => {
    const pause = { kind: "paused", by: person, reason: null, untilAt: null } as const;
    const story = confirmed(unknown().append(pause));
    expect(story.plan().foothold).toEqual(["create"]);
    expect(story.state.rest).toMatchObject({ kind: "paused" });
  });

  it("is refused against a claim, and on an ended case", () => {
    expect(decide(unknown(), "create", held)).toMatchObject({ code: "CASE_CLAIMED" });
    expect(decide(unknown().append({ kind: "canceled", by: person, reason: null }))).toMatchObject({
      code: "CASE_ENDED",
    });
  });
});

describe("a review that something may exist twice", () => {
  it("outlives the confirmation of one of the two, until a person resumes", () => {
    const story = new Story(outlineOf({ kind: "step", name: "create", destination: none })).open("create");
    const review = {
      step: "create",
      reason: "mayExistTwice",
      sentence: "It may exist twice.",
      owner: "platform",
      nextCheckAllowedAt: null,
    } as const;
    story.append({ kind: "reviewOpened", review }).succeed("create");
    expect(story.step("create").review).toEqual(review);
    expect(story.plan().isComplete).toBe(false);
    expect(story.resume().plan().isComplete).toBe(true);
  });
});
