import { describe, expect, it } from "vitest";
import { broken, DAY, fact, HOUR, MINUTE, outlineOf, person, START, Story } from "./case.fixture.ts";
import type { Entry } from "./journal.ts";

const approval = (over: object = {}): Story =>
  new Story(outlineOf({ kind: "approval", name: "approve", ...over }));
const waiting = (over: object = {}): Story =>
  new Story(outlineOf({ kind: "waitForEvent", name: "paid", ...over }));
const review: Entry = {
  kind: "reviewOpened",
  review: { step: "x", reason: "limit", sentence: "Look.", owner: "o", nextCheckAllowedAt: null },
};
const reviewOf = (step: string): Entry => ({ ...review, review: { ...review.review, step } });

const sleeping = (over: object = {}): Story =>
  new Story(outlineOf({ kind: "sleep", name: "pause", ...over }));

/** What an approval with both waits with, asked then. */
function waitFrom(askedAt: number): unknown {
  return {
    kind: "wait",
    wait: {
      kind: "approval",
      step: "approve",
      dueAt: askedAt + 3 * DAY,
      by: "finance",
      remind: { askedAt, everyMs: DAY, times: 2 },
      escalation: { to: "board", at: askedAt + 2 * DAY },
    },
  };
}

describe("an approval", () => {
  it("is asked for from when it is reached, until it expires", () => {
    expect(approval().act("approve")).toEqual({
      kind: "wait",
      wait: { kind: "approval", step: "approve", dueAt: START + 3 * DAY, by: "finance" },
    });
    const second = new Story(
      outlineOf({ kind: "sleep", name: "pause" }, { kind: "approval", name: "approve" }),
    );
    second.wait(2 * HOUR).settle();
    expect(second.act("approve")).toMatchObject({ wait: { dueAt: START + 2 * HOUR + 3 * DAY } });
  });

  it("that never expires has no due time but somebody who acts next", () => {
    expect(approval({ expiresMs: null }).wait(DAY).act("approve")).toMatchObject({
      wait: { dueAt: null, by: "finance" },
    });
  });

  it("that nobody answered in time goes to review, and is asked anew after a resume", () => {
    const story = approval().wait(3 * DAY);
    expect(story.act("approve")).toMatchObject({
      review: { reason: "expired", owner: "finance" },
      isOpen: false,
    });
    story.settle();
    expect(story.act("approve")).toMatchObject({ isOpen: true });
    expect(story.resume().act("approve")).toMatchObject({ wait: { dueAt: START + 6 * DAY } });
  });

  it("is confirmed by a yes, also by one that came in time and is read late", () => {
    const story = approval()
      .wait(DAY)
      .approve("approve")
      .wait(9 * DAY);
    expect(story.act("approve")).toMatchObject({
      kind: "confirm",
      entry: {
        intentVersion: 0,
        result: { value: { by: "ada", form: null } },
        by: { how: "approval", by: "ada" },
      },
    });
    expect(story.settle().plan().isComplete).toBe(true);
  });

  it("is not confirmed by a no: that goes to review with what was said, and is asked again after a resume", () => {
    const story = approval().approve("approve", false);
    expect(story.act("approve")).toMatchObject({
      review: {
        reason: "refused",
        owner: "finance",
        sentence: 'ada refused approve: "too dear". Cancel the case, or resume it to ask again.',
      },
    });
    expect(story.settle().resume().act("approve")).toMatchObject({ kind: "wait" });
    const silent: Entry = {
      kind: "approvalAnswered",
      step: "approve",
      approved: false,
      form: null,
      note: null,
      sourceId: "s",
      by: person,
    };
    expect(approval().append(silent).act("approve")).toMatchObject({
      review: { sentence: "ada refused approve. Cancel the case, or resume it to ask again." },
    });
  });

  it("tells when its owner is reminded and who is asked too, both from when it was asked", () => {
    const story = approval({ remindMs: DAY, escalate: { to: "board", afterMs: 2 * DAY } });
    expect(story.act("approve")).toEqual(waitFrom(START));
    expect(story.act("approve", { now: START + 3 * DAY - 1 })).toEqual(waitFrom(START));
    story.approve("approve", false).settle().resume();
    expect(story.act("approve")).toEqual(waitFrom(story.state.changedAt));
  });

  it.each<[number, number | null, number]>([
    [DAY, null, 10],
    [DAY, 2 * DAY, 1],
    [DAY, 2 * DAY + 1, 2],
    [DAY, 90 * DAY, 10],
  ])("reminds every %d ms, where it expires after %d ms, %d times", (remindMs, expiresMs, times) => {
    expect(approval({ remindMs, expiresMs }).act("approve")).toMatchObject({ wait: { remind: { times } } });
  });

  it("is asked for only while its prerequisites hold", () => {
    const story = approval({ requires: [fact("open")] });
    story.facts.set("approve.open", broken("closed"));
    expect(story.act("approve")).toMatchObject({ review: { reason: "precondition" } });
  });
});

describe("a wait for an event", () => {
  it("waits until its deadline, then goes to review, and waits anew after a resume", () => {
    const story = waiting();
    expect(story.act("paid")).toEqual({
      kind: "wait",
      wait: { kind: "event", step: "paid", dueAt: START + DAY, eventType: "paid" },
    });
    story.wait(DAY);
    expect(story.act("paid")).toMatchObject({ review: { reason: "expired", owner: "purchasing-lead" } });
    expect(story.settle().resume().act("paid")).toMatchObject({ wait: { dueAt: START + 2 * DAY } });
  });

  it("sees an event that came before the wait", () => {
    const story = new Story(
      outlineOf({ kind: "sleep", name: "pause" }, { kind: "waitForEvent", name: "paid" }),
    );
    story.event("paid", "e-1", { amount: 3 }).wait(HOUR).settle();
    expect(story.step("paid").confirmation).toMatchObject({
      result: { kind: "value", value: { amount: 3 } },
      evidence: { receivedAt: START },
      by: { how: "event", sourceId: "e-1", eventType: "paid" },
    });
  });

  it("takes an event that came in time, also when that is read after the deadline", () => {
    expect(
      waiting()
        .event("paid", "e-1")
        .wait(9 * DAY)
        .act("paid"),
    ).toMatchObject({ kind: "confirm" });
  });

  it("is not ended by an event of another type, nor by an ignored one", () => {
    const story = waiting().event("revoked", "e-1").append({
      kind: "eventReceived",
      eventType: "paid",
      sourceId: "e-2",
      payload: null,
      by: person,
      ignored: "late",
    });
    expect(story.act("paid").kind).toBe("wait");
  });

  it("takes the first of several that came, whatever it was named after, and says which it was", () => {
    const either = { orTypes: ["refused", "gone"] };
    expect(waiting(either).act("paid")).toMatchObject({
      wait: { kind: "event", dueAt: START + DAY, eventType: "paid", orTypes: ["refused", "gone"] },
    });
    const story = waiting(either).event("other", "e-0").event("gone", "e-1", 7).event("paid", "e-2");
    const told = { kind: "value", value: { event: "gone", payload: 7 } };
    expect(story.act("paid")).toMatchObject({
      kind: "confirm",
      entry: { result: told, by: { how: "event", sourceId: "e-1", eventType: "gone" } },
    });
    story.settle().event("refused", "e-3");
    expect(story.step("paid").confirmation?.result).toEqual(told);
    expect(waiting(either).wait(DAY).act("paid")).toMatchObject({
      review: {
        reason: "expired",
        sentence: "The event paid or refused or gone did not come in time for paid.",
      },
    });
  });

  it("two waits of which one takes the first of several take two events", () => {
    const both = outlineOf(
      { kind: "waitForEvent", name: "either", after: [], orTypes: ["refused"] },
      { kind: "waitForEvent", name: "paid", after: [] },
    );
    const one = new Story(both).event("paid", "e-1").event("refused", "e-2").event("paid", "e-3");
    expect(one.act("either")).toMatchObject({ entry: { by: { sourceId: "e-1" } } });
    expect(one.act("paid")).toMatchObject({ entry: { by: { sourceId: "e-3" } } });
  });

  it("two waits of one type take two events, the first one the earlier, also in one plan", () => {
    const both = outlineOf(
      { kind: "waitForEvent", name: "first", after: [] },
      { kind: "waitForEvent", name: "second", after: [] },
    );
    const one = new Story(both).event("paid", "e-1");
    expect(one.act("first")).toMatchObject({ entry: { by: { sourceId: "e-1" } } });
    expect(one.act("second").kind).toBe("wait");
    one.event("paid", "e-2");
    expect(one.act("second")).toMatchObject({ entry: { by: { sourceId: "e-2" } } });
    one.settle();
    expect(one.plan().isComplete).toBe(true);
    const inLine = new Story(
      outlineOf({ kind: "waitForEvent", name: "a" }, { kind: "waitForEvent", name: "b" }),
    );
    inLine.event("paid", "e-1").settle();
    expect(inLine.act("b").kind).toBe("wait");
  });

  it("that lapsed takes its own event again, and leaves that of another", () => {
    const story = new Story(
      outlineOf({ kind: "waitForEvent", name: "a" }, { kind: "waitForEvent", name: "b" }),
    );
    story.event("paid", "e-1").event("paid", "e-2").settle().correct({ vendor: "other" });
    expect(story.act("a")).toMatchObject({ entry: { by: { sourceId: "e-1" } } });
    story.settle();
    expect(story.step("b").confirmation?.by).toMatchObject({ sourceId: "e-2" });
    expect(story.plan().isComplete).toBe(true);
  });

  it("waits only while its prerequisites hold, and an open review waits for a person", () => {
    const story = waiting({ requires: [fact("open")] });
    story.facts.set("paid.open", broken("closed"));
    expect(story.event("paid", "e-1").act("paid")).toMatchObject({ review: { reason: "precondition" } });
    expect(waiting().append(reviewOf("paid")).event("paid", "e-1").act("paid")).toMatchObject({
      isOpen: true,
    });
  });
});

describe("a sleep", () => {
  it("is confirmed by the clock once its time has passed since it was reached, and not before", () => {
    const story = sleeping();
    expect(story.act("pause")).toEqual({
      kind: "wait",
      wait: { kind: "timer", step: "pause", dueAt: START + HOUR },
    });
    story.wait(HOUR);
    expect(story.act("pause")).toMatchObject({
      kind: "confirm",
      entry: { result: { value: null }, by: { how: "timer", dueAt: START + HOUR } },
    });
    const after = new Story(outlineOf({ kind: "step", name: "create" }, { kind: "sleep", name: "pause" }));
    after.wait(MINUTE).confirm("create");
    expect(after.act("pause")).toMatchObject({ wait: { dueAt: START + MINUTE + HOUR } });
  });

  it("is not slept again after a correction: the time has passed", () => {
    const story = sleeping().wait(HOUR).settle().correct({ vendor: "other" });
    expect(story.plan().steps[0]?.standing.kind).toBe("lapsed");
    expect(story.act("pause").kind).toBe("confirm");
  });

  it("ends only while its prerequisites hold, and an open review waits for a person", () => {
    const story = sleeping({ requires: [fact("open")] }).wait(HOUR);
    story.facts.set("pause.open", broken("closed"));
    expect(story.act("pause")).toMatchObject({ review: { reason: "precondition" } });
    expect(sleeping().append(reviewOf("pause")).wait(HOUR).act("pause")).toMatchObject({ isOpen: true });
  });
});
