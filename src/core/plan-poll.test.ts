import { describe, expect, it } from "vitest";
import {
  broken,
  DAY,
  destination,
  digest,
  fact,
  HOUR,
  MINUTE,
  outlineOf,
  seen,
  SECOND,
  START,
  Story,
} from "./case.fixture.ts";
import type { LookAnswer } from "./journal.ts";
import type { PollStepOutline } from "./outline.ts";
import { decideAfterLook, isSameLook } from "./plan-poll.ts";

const notYet: LookAnswer = { kind: "notYet", why: "it runs." };
const cannotTell: LookAnswer = { kind: "cannotTell", why: "it is down" };

const polling = (over: Partial<PollStepOutline> = {}): Story =>
  new Story(outlineOf({ kind: "poll", name: "export", ...over }));

/** The step looks, and is answered a second later. */
function look(story: Story, answer: LookAnswer): Story {
  expect(story.act("export")).toEqual({ kind: "look" });
  return story.append(entryOf(story, answer));
}

function entryOf(story: Story, answer: LookAnswer): ReturnType<typeof decideAfterLook> {
  const step = story.outline.steps.find(({ name }) => name === "export");
  if (step?.kind !== "poll") throw new Error("there is no poll");
  const made = { state: story.state, askedAt: story.now, answeredAt: story.now + SECOND };
  return decideAfterLook(step, answer, made, { random: 0, digest });
}

const wait = (dueAt: number): object => ({
  kind: "wait",
  wait: { kind: "poll", step: "export", dueAt, untilAt: START + DAY, destination: "erp", why: "it runs." },
});

describe("a poll", () => {
  it("looks at once, and again as the step or the answer says", () => {
    const story = look(polling(), notYet);
    expect(story.act("export")).toEqual(wait(START + SECOND + MINUTE));
    look(story.wait(SECOND + MINUTE), { ...notYet, againMs: HOUR });
    expect(story.act("export")).toEqual(wait(START + 2 * SECOND + MINUTE + HOUR));
  });

  it("keeps what was seen of the requests of a look", () => {
    const { state, now } = polling();
    const made = { state, askedAt: now, answeredAt: now, wire: seen(2) };
    const step = outlineOf({ kind: "poll", name: "export" }).steps[0];
    if (step?.kind !== "poll") throw new Error("there is no poll");
    expect(decideAfterLook(step, notYet, made, { random: 0, digest })).toMatchObject({ wire: seen(2) });
  });

  it("is confirmed by what it finds, on what was known when it looked", () => {
    const story = look(polling(), { kind: "found", value: { rows: 3 } });
    expect(story.step("export")).toMatchObject({
      confirmation: {
        result: { kind: "value", value: { rows: 3 } },
        evidence: { askedAt: START, answeredAt: START + SECOND },
        by: { how: "poll", askedAt: START },
      },
      look: null,
    });
    expect(story.plan().isComplete).toBe(true);
  });

  it("looks for the last time when its time is over, then goes to review, and looks anew after a resume", () => {
    const story = look(polling({ everyMs: 9 * DAY }), notYet);
    expect(story.act("export")).toEqual(wait(START + DAY));
    look(story.wait(DAY), notYet);
    expect(story.act("export")).toMatchObject({
      isOpen: false,
      review: {
        reason: "expired",
        owner: "purchasing-lead",
        sentence:
          "erp did not have in time what export waits for; last: it runs. Resume it to go on looking.",
      },
    });
    story.settle();
    expect(story.act("export")).toMatchObject({ isOpen: true });
    look(story.resume(), notYet);
    expect(story.act("export")).toMatchObject({ wait: { dueAt: START + 2 * DAY } });
  });

  it("that nobody looked at in time is looked at once more before people are", () => {
    const story = look(polling(), notYet).wait(9 * DAY);
    expect(look(story, { kind: "found", value: 1 }).plan().isComplete).toBe(true);
  });

  it("that cannot tell is asked again under the retry policy of its destination, then goes to who mends that", () => {
    const erp = destination({ owners: { access: null, input: null, outage: "platform" } });
    const story = look(polling({ destination: erp }), cannotTell);
    for (const attempts of [2, 3, 4, 5]) {
      expect(story.act("export")).toMatchObject({ wait: { kind: "poll", why: "it is down" } });
      look(story.wait(HOUR / 4), cannotTell);
      expect(story.step("export").look?.timesUnsure).toBe(attempts);
    }
    expect(story.act("export")).toMatchObject({
      review: {
        reason: "limit",
        owner: "platform",
        sentence: "export looked at erp 5 times and could not tell; last: it is down.",
      },
    });
  });

  it("that cannot tell is not asked again later than the destination is tried", () => {
    const erp = destination({ retry: { ...destination().retry, giveUpAfterMs: 1 } });
    expect(look(polling({ destination: erp }), cannotTell).act("export")).toMatchObject({
      review: {
        reason: "limit",
        sentence: "export looked at erp once and could not tell; last: it is down.",
      },
    });
  });

  it("counts anew what it could not tell once it can", () => {
    const story = look(polling(), cannotTell).wait(MINUTE);
    look(story, notYet);
    expect(story.step("export").look).toMatchObject({ timesUnsure: 0, unsureSinceAt: null });
  });

  it("looks only while its prerequisites hold", () => {
    const story = polling({ requires: [fact("open")] });
    story.facts.set("export.open", broken("closed"));
    expect(story.act("export")).toMatchObject({ review: { reason: "precondition" } });
  });

  it("is looked at anew for a corrected input", () => {
    const story = look(polling(), notYet).correct({ vendor: "other" });
    look(story, { kind: "found", value: 1 });
    expect(story.plan().isComplete).toBe(true);
  });

  it("writes nothing down where a look finds what the one before found", () => {
    const story = look(polling(), notYet);
    expect(isSameLook(story.state, entryOf(story, { ...notYet, againMs: HOUR }))).toBe(true);
    expect(isSameLook(story.state, entryOf(story, { ...notYet, why: "it is queued" }))).toBe(false);
    expect(isSameLook(story.state, entryOf(story, cannotTell))).toBe(false);
    expect(isSameLook(story.state, entryOf(story, { kind: "found", value: 1 }))).toBe(false);
    expect(isSameLook(polling().state, entryOf(story, notYet))).toBe(false);
    const unsure = look(polling(), cannotTell);
    expect(isSameLook(unsure.state, entryOf(unsure, { ...notYet, why: "it is down" }))).toBe(false);
  });
});
