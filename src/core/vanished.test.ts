import { describe, expect, it } from "vitest";
import { failure, fact, outlineOf, person, probe, Story } from "./case.fixture.ts";
import type { CaseOutline } from "./outline.ts";

const record = { kind: "step", name: "createRecord" } as const;
const notify = { kind: "step", name: "notify" } as const;

const before = outlineOf(record, notify);
const renamed = outlineOf({ ...record, name: "makeRecord" }, notify);

/** A case that went on under another definition. */
const under = (outline: CaseOutline, story: Story): Story => {
  story.outline = outline;
  return story;
};
const recorded = (): Story => new Story(before).confirm("createRecord");

describe("a step that took effect and has vanished from the definition", () => {
  it("keeps steps that are new to the case from being begun, in sight of the owner", () => {
    const story = under(renamed, recorded());
    expect(story.act("makeRecord")).toEqual({ kind: "nothing", why: "vanished" });
    expect(story.plan().strays).toMatchObject([
      {
        isOpen: false,
        review: {
          step: "createRecord",
          reason: "bug",
          owner: "purchasing-lead",
          sentence: expect.stringContaining("makeRecord is not begun") as string,
        },
      },
    ]);
    expect(story.settle().plan().strays).toMatchObject([{ isOpen: true }]);
    expect(story.act("makeRecord")).toEqual({ kind: "nothing", why: "vanished" });
  });

  it("keeps them from asking anything, too", () => {
    const asking = outlineOf({ ...record, name: "makeRecord", before: [probe("inBudget")] }, notify);
    expect(under(asking, recorded()).act("makeRecord")).toEqual({ kind: "nothing", why: "vanished" });
  });

  it("is gone for good once a person resumes the case", () => {
    const story = under(renamed, recorded()).settle().resume();
    expect(story.act("makeRecord")).toMatchObject({ kind: "send" });
    expect(story.plan().strays).toEqual([]);
  });

  it("is no matter where the definition says that it was removed", () => {
    const story = under({ ...outlineOf(notify), removed: ["createRecord"] }, recorded());
    expect(story.act("notify")).toMatchObject({ kind: "send" });
    expect(story.plan().strays).toEqual([]);
  });

  it("goes on where its name comes back, after a person resumed", () => {
    const story = under(before, under(renamed, recorded()).settle());
    expect(story.resume().act("notify")).toMatchObject({ kind: "send" });
  });

  it("lets what was begun come to its end", () => {
    const story = new Story(before).confirm("createRecord").open("notify").fail("notify");
    expect(under(outlineOf(notify), story).act("notify").kind).not.toBe("nothing");
  });

  it("lets a case end that has nothing new to do", () => {
    const story = new Story(before).confirm("createRecord").confirm("notify");
    story.outline = {
      ...before,
      steps: before.steps.slice(1).map((step) => ({ ...step, after: [], closure: [] })),
    };
    expect(story.plan().strays).toEqual([]);
  });

  it("counts where a person vouched for it", () => {
    const story = new Story(before)
      .open("createRecord")
      .fail("createRecord", failure({ cause: "bug" }))
      .settle();
    story.append({
      kind: "stepConfirmed",
      step: "createRecord",
      intentVersion: 0,
      basis: "b",
      result: { kind: "value", value: null },
      evidence: null,
      by: { how: "person", by: person.name, reason: "seen" },
    });
    expect(under(renamed, story).act("makeRecord")).toEqual({ kind: "nothing", why: "vanished" });
  });

  it("is no step that took no effect: an approval, one that was passed over, or one that failed", () => {
    const approved = new Story(outlineOf({ kind: "approval", name: "approve" }, notify))
      .approve("approve")
      .settle();
    expect(under(outlineOf(notify), approved).act("notify")).toMatchObject({ kind: "send" });
    const passed = new Story(outlineOf({ ...record, when: [fact("large")] }, notify));
    passed.facts.set("createRecord.large", { kind: "broken", why: "small" });
    expect(under(outlineOf(notify), passed.settle()).act("notify")).toMatchObject({ kind: "send" });
    const failed = new Story(before).open("createRecord").fail("createRecord");
    expect(under(outlineOf(notify), failed).act("notify")).toMatchObject({ kind: "send" });
  });
});
