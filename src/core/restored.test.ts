import { describe, expect, it } from "vitest";
import { digest, destination, HOUR, outlineOf, person, START, Story } from "./case.fixture.ts";
import { decideAssumedAttempt, type OpenAttempt } from "./decide.ts";
import type { CaseOutline, RepeatSafety } from "./outline.ts";

const pay = { kind: "step", name: "pay" } as const;
const tell = { kind: "step", name: "tell" } as const;

function outlineAt(repeatSafety: RepeatSafety, hasCheck = false): CaseOutline {
  return outlineOf({ ...pay, destination: destination({ repeatSafety }), hasCheck }, tell);
}

/** A case that is told so an hour after its backup. */
function restored(story: Story, backupAt = START): Story {
  return story.wait(HOUR).append({ kind: "restored", backupAt, by: person });
}

function assume(story: Story, step: string): OpenAttempt {
  const { outline, state } = story;
  return decideAssumedAttempt({
    outline,
    step: story.sendStep(step),
    state,
    request: story.request(step, state),
    digest,
  });
}

/** Notes the attempt that may have been, as the engine does for a doubtful send. */
function assumed(story: Story, step: string): Story {
  expect(story.act(step)).toEqual({ kind: "send", repeats: [], isDoubtful: true });
  const opened = assume(story, step);
  if (opened.kind === "refused") throw new Error(opened.review.sentence);
  return story.append(...opened.entries);
}

describe("a step that may have been sent before its case was restored", () => {
  it("is sent under the key and request that it would have had, while the key counts", () => {
    const story = assumed(restored(new Story(outlineAt({ by: "key", windowMs: 24 * HOUR }))), "pay");
    expect(story.step("pay").intent).toMatchObject({ idempotencyKey: "case-1.pay.1", openedAt: START });
    expect(story.act("pay")).toMatchObject({ kind: "send", repeats: [{ attempt: 1 }] });
    expect(story.act("pay")).not.toHaveProperty("isDoubtful");
    story.confirm("pay");
    expect(story.step("pay").confirmation).toMatchObject({ intentVersion: 1, by: { attempt: 2 } });
  });

  it("is asked for, or left to people, once the key may be forgotten since the backup", () => {
    const short = { by: "key", windowMs: HOUR } as const;
    expect(assumed(restored(new Story(outlineAt(short, true))), "pay").act("pay")).toMatchObject({
      kind: "check",
    });
    expect(assumed(restored(new Story(outlineAt(short))), "pay").act("pay")).toMatchObject({
      kind: "review",
      review: { reason: "unknown" },
    });
  });

  it.each(["lookup", "fence", "if-match"] as const)("is asked for before anything is sent at %s", (by) => {
    const story = assumed(restored(new Story(outlineAt({ by }, true))), "pay");
    expect(story.act("pay")).toMatchObject({ kind: "check", about: "outcome" });
  });

  it("is left to people where nothing can be asked", () => {
    const story = assumed(restored(new Story(outlineAt({ by: "none" }))), "pay");
    expect(story.act("pay")).toMatchObject({ kind: "review", review: { reason: "unknown" } });
  });

  it("is sent as a new one at last where it is proved that it did not happen", () => {
    const story = assumed(restored(new Story(outlineAt({ by: "lookup" }, true))), "pay");
    story.check("pay", { kind: "didNotHappen" }).wait(HOUR).check("pay", { kind: "didNotHappen" });
    expect(story.act("pay")).toEqual({ kind: "send", repeats: [] });
  });

  it("is found out about anew though an earlier attempt was proved not to have happened: another may have followed", () => {
    const story = new Story(outlineAt({ by: "lookup" }, true)).open("pay").fail("pay");
    assumed(restored(story).wait(HOUR), "pay");
    expect(story.step("pay").intent?.attempts).toHaveLength(2);
    expect(story.act("pay")).toMatchObject({ kind: "check" });
  });

  it("is no doubt where the effect was restored with the database", () => {
    expect(restored(new Story(outlineAt({ by: "transaction" }))).act("pay")).toEqual({
      kind: "send",
      repeats: [],
    });
  });

  it("is each step by itself; what is confirmed in the backup stands", () => {
    const story = restored(new Story(outlineAt({ by: "key", windowMs: 24 * HOUR })).confirm("pay"));
    expect(story.act("pay")).toEqual({ kind: "nothing", why: "stands" });
    assumed(story, "tell").confirm("tell");
    expect(story.plan().isComplete).toBe(true);
  });
});

describe("a restore", () => {
  it("remembers what was begun since under the name that it has now", () => {
    const story = assumed(restored(new Story(outlineAt({ by: "none" }))), "pay");
    const renamed = [{ from: "pay", to: "transfer" }];
    story.append({ kind: "definitionChanged", version: 1, renamed, by: person });
    expect(story.state.restored?.begun).toEqual(["transfer"]);
  });

  it("wakes a case that waits, and no other", () => {
    const waiting = new Story(outlineAt({ by: "none" })).open("pay").fail("pay").settle();
    expect(restored(waiting).state.rest).toMatchObject({ kind: "ready" });
    const paused = new Story(outlineAt({ by: "none" })).append({
      kind: "paused",
      by: person,
      reason: null,
      untilAt: null,
    });
    expect(restored(paused).state.rest).toMatchObject({ kind: "paused" });
  });

  it("that comes after another doubts all since the older backup", () => {
    const story = restored(new Story(outlineAt({ by: "none" })));
    assumed(story, "pay");
    story.open("pay");
    expect(story.state.restored?.begun).toEqual(["pay"]);
    restored(story, START + 2 * HOUR);
    expect(story.state.restored).toMatchObject({ backupAt: START, begun: [] });
  });

  it("is told of before anybody assumes an attempt", () => {
    expect(() => assume(new Story(outlineAt({ by: "none" })), "pay")).toThrow("was not restored");
  });
});
