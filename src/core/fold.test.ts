import { describe, expect, it } from "vitest";
import {
  digest,
  failure,
  later,
  lostAnswer,
  MINUTE,
  numbered,
  outlineOf,
  person,
  probe,
  cannotTell,
  broken,
  holds,
  rejection,
  SECOND,
  START,
  started,
  Story,
  worker,
} from "./case.fixture.ts";
import { FRESH_ROUND, stepOf, UNTOUCHED_STEP, type CaseState, type Rest } from "./case-state.ts";
import { foldJournal } from "./fold.ts";
import type { Entry, JournalEntry, Review } from "./journal.ts";
import { EVENTS_KEPT } from "./received-events.ts";

const line = outlineOf({ kind: "step", name: "create" }, { kind: "step", name: "notify" });
const review: Review = {
  step: "create",
  reason: "limit",
  sentence: "It stopped.",
  owner: "platform",
  nextCheckAllowedAt: null,
};
const wait = { kind: "timer", step: "create", dueAt: START + MINUTE } as const;
const parkedWaiting: Entry = { kind: "parked", waits: [wait], dueAt: START + MINUTE };
const parkedInReview: Entry = { kind: "parked", waits: [], dueAt: null };
const pause: Entry = { kind: "paused", by: person, reason: "audit", untilAt: START + MINUTE };
const cancel: Entry = { kind: "canceled", by: person, reason: null };
const event: Entry = {
  kind: "eventReceived",
  eventType: "paid",
  sourceId: "e-1",
  payload: 1,
  by: person,
  ignored: null,
};
const note: Entry = { kind: "noteAdded", text: "called them", by: person };
const approval: Entry = {
  kind: "approvalAnswered",
  step: "create",
  approved: true,
  form: null,
  note: null,
  sourceId: "a-1",
  by: person,
};
const pauseRequest: Entry = { kind: "pauseRequested", by: person, reason: null, untilAt: null };
const cancelRequest: Entry = { kind: "cancelRequested", by: person, reason: null };
const report: Entry = {
  kind: "lateReport",
  step: "create",
  intentVersion: 1,
  attempt: 1,
  claimId: "claim-1",
  holder: worker,
  outcome: { kind: "failed", failure: failure() },
};

const stateOf = (...entries: readonly Entry[]): CaseState =>
  foldJournal("case-1", numbered([started(), ...entries], { from: 1, at: START }));
const restAfter = (before: readonly Entry[], entry: Entry): Rest["kind"] =>
  stateOf(...before, entry).rest.kind;

const inTrouble = (): Story =>
  new Story(line)
    .open("create")
    .fail("create")
    .append({ kind: "reviewOpened", review })
    .append(parkedInReview);

const reviewFor = (reason: Review["reason"]): Entry => ({
  kind: "reviewOpened",
  review: { ...review, reason },
});

describe("foldJournal", () => {
  it("starts a case ready and due at once", () => {
    const state = stateOf();
    expect(state).toMatchObject({ revision: 1, rest: { kind: "ready", dueAt: START }, repaired: false });
    expect(stepOf(state, "create")).toBe(UNTOUCHED_STEP);
  });

  it.each<[string, readonly JournalEntry[]]>([
    ["it is empty", []],
    ["it starts with noteAdded", numbered([note], { from: 1, at: START })],
    ["its first revision is not 1", numbered([started()], { from: 2, at: START })],
    ["the case starts a second time", numbered([started(), started()], { from: 1, at: START })],
    [
      "it follows revision 1",
      [...numbered([started()], { from: 1, at: START }), ...numbered([note], { from: 3, at: START })],
    ],
    [
      "this engine does not know such an entry",
      numbered([started(), { kind: "dreamt" } as never], { from: 1, at: START }),
    ],
  ])("refuses a journal of which %s, naming case and revision", (what, journal) => {
    expect(() => foldJournal("case-1", journal)).toThrow(
      expect.objectContaining({
        code: "CORRUPT_JOURNAL",
        message: expect.stringContaining(what) as string,
        details: { caseId: "case-1", revision: journal.at(-1)?.revision ?? 0 },
      }),
    );
  });

  it.each<[string, (story: Story) => unknown]>([
    ["an attempt without an intent", (story) => story.append({ ...opened(story), intentVersion: 4 })],
    ["an attempt out of order", (story) => story.append({ ...opened(story), attempt: 3 })],
    ["the end of an attempt that never was", (story) => story.append({ ...ended, attempt: 7 })],
    ["a confirmation by an attempt that never was", (story) => story.append(confirmedBy(9))],
    ["an intent version out of order", (story) => story.append({ ...intentOf(story), intentVersion: 3 })],
  ])("refuses %s", (_what, tell) => {
    const story = new Story(line).open("create");
    tell(story);
    expect(() => story.state).toThrow(expect.objectContaining({ code: "CORRUPT_JOURNAL" }));
  });

  it("keeps a step named like a part of every object apart from that part", () => {
    const story = new Story(outlineOf({ kind: "step", name: "constructor" })).confirm("constructor");
    expect(stepOf(story.state, "constructor").confirmation?.result).toEqual({
      kind: "value",
      value: { id: "constructor" },
    });
    expect(stepOf(story.state, "toString")).toBe(UNTOUCHED_STEP);
  });
});

describe("facts (R4)", () => {
  const facts = { event, note, approval, pauseRequest, cancelRequest, report };

  it.each(Object.entries(facts))(
    "a fact (%s) makes a waiting case or one in review ready, due now",
    (_kind, fact) => {
      expect(stateOf(parkedWaiting, fact).rest).toEqual({ kind: "ready", dueAt: START });
      expect(stateOf(parkedInReview, fact).rest).toEqual({ kind: "ready", dueAt: START });
    },
  );

  it.each(Object.entries(facts))(
    "a fact (%s) only appends to a paused, done or canceled case",
    (_kind, fact) => {
      // Whoever cancels wants the case to move.
      expect(restAfter([pause], fact)).toBe(fact === cancelRequest ? "ready" : "paused");
      expect(restAfter([{ kind: "caseDone" }], fact)).toBe("done");
      expect(restAfter([cancel], fact)).toBe("canceled");
    },
  );

  it("opening a review never changes a stored state", () => {
    const opening: Entry = { kind: "reviewOpened", review };
    expect(restAfter([{ kind: "caseDone" }], opening)).toBe("done");
    expect(restAfter([parkedWaiting], opening)).toBe("waiting");
    expect(stepOf(stateOf({ kind: "caseDone" }, opening), "create").review).toEqual(review);
  });

  it("an ignored event is seen by nothing", () => {
    const state = stateOf({ kind: "caseDone" }, { ...event, ignored: "the case is done" });
    expect(state.events).toEqual([]);
  });

  it("of very many events of a type the first and the last are kept, and all of another", () => {
    const count = 2 * EVENTS_KEPT + 50;
    const many = Array.from({ length: count }, (_, n): Entry => ({ ...event, sourceId: `e-${n}` }));
    const state = stateOf({ ...event, eventType: "other" }, ...many);
    const [other, ...kept] = state.events;
    expect(other?.eventType).toBe("other");
    expect(kept.map(({ sourceId }) => sourceId)).toEqual([
      ...Array.from({ length: EVENTS_KEPT }, (_, n) => `e-${n}`),
      ...Array.from({ length: EVENTS_KEPT }, (_, n) => `e-${count - EVENTS_KEPT + n}`),
    ]);
  });

  it("an event carries the revision it came at, so that conditions can tell earlier from later", () => {
    expect(stateOf(note, event).events).toEqual([
      { revision: 3, at: START, eventType: "paid", sourceId: "e-1", payload: 1 },
    ]);
  });
});

describe("what the holder stores", () => {
  it("leaves the case ready in case the claim ends there", () => {
    const story = new Story(line).append(parkedWaiting).open("create").wait(SECOND).fail("create");
    expect(story.state.rest).toEqual({ kind: "ready", dueAt: START + SECOND });
  });

  it("parks by its waits, and in review where there is none (R15)", () => {
    expect(stateOf(parkedWaiting).rest).toEqual({ kind: "waiting", dueAt: START + MINUTE, waits: [wait] });
    expect(stateOf(parkedInReview).rest).toEqual({ kind: "in_review" });
  });

  it("counts an attempt when it is opened, so that a claim lost with it open has used it up", () => {
    const story = new Story(line).open("create");
    expect(story.step("create").round.attempts).toBe(1);
    story.loseClaim("create");
    expect(story.step("create").round.attempts).toBe(1);
    expect(story.step("create").intent?.attempts[0]?.outcome).toEqual({ kind: "open" });
  });

  it("counts throttles apart from attempts, and only those that surely did not happen", () => {
    const story = new Story(line).open("create").fail("create", failure({ cause: "throttled" }));
    expect(story.step("create").round).toMatchObject({ attempts: 0, throttles: 1 });
    story.open("create").fail("create", failure({ cause: "throttled", executed: "maybe" }));
    expect(story.step("create").round).toMatchObject({ attempts: 1, throttles: 1 });
  });

  it("remembers what was rejected, once, and only where it surely did not happen", () => {
    const story = new Story(line).open("create").fail("create", rejection);
    const { fingerprint } = intentOf(story);
    expect(story.step("create").rejected).toEqual([fingerprint]);
    story.append({ ...opened(story), attempt: 2 }, { ...ended, attempt: 2, failure: rejection });
    expect(story.step("create").rejected).toEqual([fingerprint]);
    const other = new Story(line).open("create").fail("create", failure({ ...rejection, executed: "maybe" }));
    expect(other.step("create").rejected).toEqual([]);
  });

  it("starts the time that giveUpAfter bounds with the first failure or question of a round", () => {
    const failed = new Story(line).open("create").wait(SECOND).fail("create").wait(MINUTE);
    failed.open("create").fail("create");
    expect(failed.step("create").round.failingSinceAt).toBe(START + SECOND);
    const asked = new Story(line).open("create").wait(MINUTE).check("create", cannotTell("down"));
    expect(asked.step("create").round.failingSinceAt).toBe(START + MINUTE);
    expect(asked.wait(MINUTE).check("create", cannotTell("down")).step("create").round).toMatchObject({
      failingSinceAt: START + MINUTE,
      checks: 2,
    });
  });

  it("counts checks anew with every attempt", () => {
    const story = new Story(line).open("create").check("create", cannotTell("down")).open("create");
    expect(story.step("create").round).toMatchObject({ attempts: 2, checks: 0 });
  });

  it("counts unsure answers of each condition apart, and forgets them once it can be told", () => {
    const [first, second] = [probe("first"), probe("second")];
    const story = new Story(line);
    story.probe("create", first, cannotTell("down")).wait(SECOND).probe("create", second, holds);
    story.probe("create", first, cannotTell("down"));
    expect(story.step("create").conditions["first"]).toMatchObject({ timesUnsure: 2, unsureSinceAt: START });
    expect(story.step("create").conditions["second"]).toMatchObject({ timesUnsure: 0, unsureSinceAt: null });
    story.probe("create", first, broken("revoked"));
    expect(story.step("create").conditions["first"]).toMatchObject({ timesUnsure: 0, unsureSinceAt: null });
  });

  it("believes nothing that was asked before once the destination says that a precondition does not hold", () => {
    const story = new Story(line).probe("create", probe("inBudget"), holds).open("create");
    story.fail("create", failure({ cause: "precondition" }));
    expect(story.step("create").conditions).toEqual({});
    expect(story.step("create").round.preconditions).toBe(1);
  });

  it("counts preconditions anew on a changed basis (R16)", () => {
    const story = new Story(line).open("create").fail("create", failure({ cause: "precondition" }));
    story.append({ ...intentOf(story), intentVersion: 2, fingerprint: "other" });
    expect(story.step("create").round.preconditions).toBe(1);
    story.append({ ...intentOf(story), intentVersion: 3, basis: "other" });
    expect(story.step("create").round.preconditions).toBe(0);
  });

  it("a confirmation clears what was counted, and the losses of the case (R9)", () => {
    const story = new Story(line).open("create").loseClaim("create");
    expect(story.state.losses).toBe(1);
    story.open("create").succeed("create");
    expect(story.state.losses).toBe(0);
    expect(story.step("create")).toMatchObject({ round: FRESH_ROUND, review: null, notBefore: null });
  });

  it("a confirmation by a check settles the only attempt that can have made the effect", () => {
    const happened = { kind: "happened", result: { kind: "value", value: 1 }, evidence: null } as const;
    const one = new Story(line).open("create").fail("create", lostAnswer).check("create", happened);
    expect(outcomes(one)).toEqual(["confirmed"]);
    const two = new Story(line).open("create").fail("create", lostAnswer).open("create");
    two.fail("create", lostAnswer).check("create", happened);
    expect(outcomes(two)).toEqual(["failed", "failed"]);
    const none = new Story(line).open("create").fail("create").check("create", happened);
    expect(outcomes(none)).toEqual(["failed"]);
  });

  it("a proof by checks settles every attempt that may have happened, and no other", () => {
    const story = new Story(line).open("create").fail("create").open("create").fail("create", lostAnswer);
    story.append({
      kind: "checkAnswered",
      step: "create",
      intentVersion: 1,
      answer: { kind: "didNotHappen" },
      askedAt: START,
      proves: true,
      nextCheckAt: START,
    });
    expect(outcomes(story)).toEqual(["failed", "provedNotExecuted"]);
    expect(story.step("create")).toMatchObject({ notBefore: null, firstNotFoundAt: null });
  });

  it("the holder's own failure does not take back a success that was reported meanwhile", () => {
    const story = new Story(line).open("create");
    const ref = story.lastAttempt("create");
    const result = { kind: "value", value: { id: 7 } } as const;
    story.append({ ...report, ...ref, outcome: { kind: "succeeded", result, evidence: null } });
    story.fail("create", lostAnswer);
    expect(outcomes(story)).toEqual(["reportedLate"]);
  });

  it("losing a claim counts only with an attempt open, and leaves the case due now (R9)", () => {
    const lost = { kind: "claimLost", claimId: "c", holderId: "h", holderName: "w", why: "silent" } as const;
    const state = stateOf(parkedWaiting, { ...lost, openAttempts: [] });
    expect(state).toMatchObject({ losses: 0, rest: { kind: "ready", dueAt: START } });
    const open = { step: "create", intentVersion: 1, attempt: 1 };
    expect(stateOf({ ...lost, openAttempts: [open] }, { ...lost, openAttempts: [open] }).losses).toBe(2);
  });

  it("the fencing token is that of the last send", () => {
    const story = new Story(line).open("create");
    expect(story.state.fencingToken).toBe(START);
    story.fail("create").open("create");
    expect(story.state.fencingToken).toBe(START + 1);
  });
});

describe("what people store", () => {
  it("a resume closes reviews, opens a fresh round and cancels the pending automatic try; attempt numbers run on (R16)", () => {
    const story = inTrouble().wait(MINUTE).resume();
    expect(story.step("create")).toMatchObject({
      review: null,
      notBefore: null,
      renewedAt: START + MINUTE,
      round: { ...FRESH_ROUND, number: 2 },
    });
    expect(story.state).toMatchObject({
      repaired: true,
      losses: 0,
      rest: { kind: "ready", dueAt: START + MINUTE },
    });
    expect(story.open("create").lastAttempt("create").attempt).toBe(2);
  });

  it("a resume of one step leaves the others as they are", () => {
    const story = inTrouble().append({ kind: "reviewOpened", review: { ...review, step: "notify" } });
    story.resume("notify");
    expect(story.step("create").review).toEqual(review);
    expect(story.step("notify").review).toBeNull();
  });

  it("a resume drops a no, keeps a yes that was not used yet, and forgets what was asked", () => {
    const story = new Story(outlineOf({ kind: "approval", name: "approve" }));
    expect(story.approve("approve", false).resume().step("approve").answer).toBeNull();
    expect(story.approve("approve", true).resume().step("approve").answer?.approved).toBe(true);
    expect(story.probe("approve", probe("x"), broken("no")).resume().step("approve").conditions).toEqual({});
  });

  it("a resume ends a pause and withdraws the request for one", () => {
    expect(stateOf(pause, resumed).rest).toEqual({ kind: "ready", dueAt: START });
    expect(stateOf(pauseRequest, resumed).pauseRequest).toBeNull();
  });

  it("a resume of an ended case closes its reviews and leaves it ended", () => {
    for (const end of [cancel, { kind: "caseDone" } as const]) {
      const state = stateOf({ kind: "reviewOpened", review }, end, resumed);
      expect(state.rest.kind).toBe(end.kind === "canceled" ? "canceled" : "done");
      expect(stepOf(state, "create").review).toBeNull();
    }
  });

  it("a correction keeps the original, closes reviews, and voids answers given for the old input", () => {
    const story = inTrouble().approve("create").correct({ vendor: "other" });
    expect(story.state).toMatchObject({
      input: { vendor: "other" },
      originalInput: { vendor: "acme" },
      repaired: true,
      rest: { kind: "ready" },
    });
    expect(story.step("create")).toMatchObject({ review: null, answer: null, round: { number: 2 } });
  });

  it("a correction leaves a paused case paused", () => {
    expect(restAfter([pause], { kind: "inputCorrected", input: 1, by: person, reason: "r" })).toBe("paused");
  });

  it("carrying out a pause or a cancel ends the requests for it", () => {
    expect(stateOf(pauseRequest, pause)).toMatchObject({ pauseRequest: null, rest: { kind: "paused" } });
    expect(stateOf(cancelRequest, pauseRequest, cancel)).toMatchObject({
      pauseRequest: null,
      cancelRequest: null,
    });
    expect(stateOf(cancelRequest, pauseRequest, pause).cancelRequest).not.toBeNull();
  });

  it("a cancel that is asked for closes what waits for people to go on, and ends a pause", () => {
    const story = inTrouble().append(pause, cancelRequest);
    expect(story.state).toMatchObject({ rest: { kind: "ready" }, pauseRequest: null, takenBack: 0 });
    expect(story.step("create").review).toBeNull();
    const ended = inTrouble().append(cancel);
    expect(ended.step("create").review).toBeNull();
  });

  it("a cancel that a confirmation overtook goes on, so that what was confirmed is undone", () => {
    const asked = new Story(line).open("create").append({ ...cancelRequest, reason: "duplicate" });
    expect(asked.succeed("create").state).toMatchObject({
      cancelRequest: { reason: "duplicate" },
      pauseRequest: null,
    });
  });
});

describe("lapses", () => {
  it("a lapse is recorded with its reason, and keeps an answer that was given since", () => {
    const story = new Story(
      outlineOf({ kind: "approval", name: "approve" }, { kind: "step", name: "create" }),
    );
    story.approve("approve").settle().correct({ vendor: "other" }).approve("approve");
    story.append({ kind: "stepLapsed", step: "approve", because: { kind: "basis" }, confirmedAtRevision: 3 });
    expect(story.step("approve")).toMatchObject({ lapse: { kind: "basis" }, answer: { approved: true } });
  });

  it("a restored step closes the review of its lapse and no other", () => {
    const lapse: Entry = {
      kind: "stepLapsed",
      step: "create",
      because: { kind: "basis" },
      confirmedAtRevision: 1,
    };
    const restored: Entry = { kind: "stepRestored", step: "create" };
    expect(stepOf(stateOf(lapse, reviewFor("lapsed"), restored), "create")).toMatchObject({
      lapse: null,
      review: null,
    });
    expect(stepOf(stateOf(lapse, reviewFor("limit"), restored), "create").review?.reason).toBe("limit");
    expect(stepOf(stateOf(lapse, restored), "create").review).toBeNull();
  });
});

describe("later", () => {
  it("folds onto a state without changing it", () => {
    const before = new Story(line, { a: 1 }).state;
    const copy = structuredClone(before);
    expect(later(before, START + 1, note).revision).toBe(2);
    expect(before).toEqual(copy);
  });
});

const resumed: Entry = { kind: "resumed", step: null, by: person, reason: null };
const ended: Entry & { kind: "attemptFailed" } = {
  kind: "attemptFailed",
  step: "create",
  intentVersion: 1,
  attempt: 1,
  failure: failure(),
  retryAt: null,
};

function confirmedBy(attempt: number): Entry {
  return {
    kind: "stepConfirmed",
    step: "create",
    intentVersion: 1,
    basis: digest("x"),
    result: { kind: "value", value: null },
    evidence: null,
    by: { how: "response", attempt },
  };
}

function intentOf(story: Story): Extract<Entry, { kind: "intentOpened" }> {
  for (const { entry } of story.journal) if (entry.kind === "intentOpened") return entry;
  throw new Error("no intent");
}

function opened(story: Story): Extract<Entry, { kind: "attemptOpened" }> {
  for (const { entry } of story.journal) if (entry.kind === "attemptOpened") return entry;
  throw new Error("no attempt");
}

function outcomes(story: Story): readonly string[] {
  return story.step("create").intent?.attempts.map(({ outcome }) => outcome.kind) ?? [];
}
