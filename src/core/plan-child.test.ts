import { describe, expect, it } from "vitest";
import {
  broken,
  destination,
  fact,
  failure,
  later,
  numbered,
  outlineOf,
  person,
  START,
  started,
  Story,
  worker,
} from "./case.fixture.ts";
import { decideCancelByParent, newsOf, rowStanding, standingOfCase, tellingOf } from "./child-telling.ts";
import { foldJournal } from "./fold.ts";
import type { ChildStanding } from "./child-standing.ts";
import type { Entry } from "./journal.ts";
import type { Json } from "./json.ts";
import { decideCancel } from "./moves.ts";
import { outsideEffects } from "./outside.ts";
import type { ChildCanceledPolicy, SendStepOutline } from "./outline.ts";
import { rowOf } from "./row.ts";
import { undoName } from "./undo.ts";
import { decideSkip } from "./vouching.ts";

const cases = destination({ name: "foothold-cases", repeatSafety: { by: "transaction" } });
const [undo] = outlineOf({
  kind: "step",
  name: undoName("ship"),
  uses: [],
  destination: cases,
  child: { act: "cancel", caseType: "shipment" },
}).steps as [SendStepOutline];

/** An order: paid, shipped by a case of its own, told. */
const orderOf = (over: Partial<SendStepOutline> = {}, onCanceled: ChildCanceledPolicy = "review") =>
  outlineOf(
    { kind: "step", name: "pay", uses: ["vendor"] },
    {
      kind: "step",
      name: "ship",
      destination: cases,
      child: { act: "start", caseType: "shipment", onCanceled },
      undo,
      ...over,
    },
    { kind: "step", name: "tell" },
  );

const begun = (over: Partial<SendStepOutline> = {}, onCanceled?: ChildCanceledPolicy): Story =>
  new Story(orderOf(over, onCanceled), { vendor: "acme", note: "a" })
    .confirm("pay")
    .open("ship")
    .succeed("ship", {
      caseId: "07-child",
    });

const told = (standing: ChildStanding, childRevision = 9): Entry => ({
  kind: "childTold",
  step: "ship",
  caseId: "07-child",
  childRevision,
  standing,
});
const done: ChildStanding = { kind: "done", result: { parcels: 2 } };
const canceled: ChildStanding = { kind: "canceled", by: "ann", reason: "lost" };

const waiting = (needsPeople: boolean) => ({
  kind: "wait",
  wait: { kind: "child", step: "ship", dueAt: null, caseId: "07-child", caseType: "shipment", needsPeople },
});

const corrected = (over: Partial<SendStepOutline>): Story =>
  begun(over).correct({ vendor: "acme", note: "b" });

const cancel = (story: Story): Story => story.append({ kind: "cancelRequested", by: person, reason: null });

const telling = (standing: ChildStanding, childRevision = 9, caseId = "07-child") =>
  ({ kind: "childTold", step: "ship", caseId, childRevision, standing }) as const;

describe("a step with a child", () => {
  it("starts it as any send, and waits for it without a time of its own", () => {
    const story = new Story(orderOf()).confirm("pay");
    expect(story.act("ship")).toEqual({ kind: "send", repeats: [] });
    expect(begun().journal.at(-1)?.entry).toEqual({
      kind: "childStarted",
      step: "ship",
      intentVersion: 1,
      attempt: 1,
      caseId: "07-child",
      caseType: "shipment",
    });
    expect(begun().act("ship")).toEqual(waiting(false));
    expect(begun().act("tell")).toEqual({ kind: "nothing", why: "follows" });
    expect(rowOf(begun().settle().state)).toMatchObject({
      state: "waiting",
      dueAt: null,
      summary: { unsettled: [] },
    });
  });

  it("starts another one where the worker was lost before the start was stored: it was rolled back with it", () => {
    const story = new Story(orderOf()).confirm("pay").open("ship").loseClaim("ship");
    expect(story.act("ship")).toMatchObject({
      kind: "record",
      entry: { kind: "checkAnswered", proves: true },
    });
    expect(story.settle().act("ship")).toEqual({ kind: "send", repeats: [] });
  });

  it("does not take an answer for a start that tells no case", () => {
    for (const result of [{}, "07-child", null]) {
      const story = new Story(orderOf()).confirm("pay").open("ship");
      expect(() => story.succeed("ship", result)).toThrow("did not tell its id");
    }
    const garbled = new Story(orderOf()).confirm("pay").open("ship");
    const unreadable = { kind: "unreadable", why: "a function" } as const;
    expect(() => garbled.end("ship", { kind: "succeeded", result: unreadable, evidence: null })).toThrow(
      "did not tell its id",
    );
  });

  it.each<[string, ChildCanceledPolicy, ChildStanding, Json]>([
    ["is done", "review", done, { parcels: 2 }],
    ["is done", "result", done, { outcome: "done", result: { parcels: 2 } }],
    ["was canceled", "result", canceled, { outcome: "canceled", reason: "lost" }],
  ])("is confirmed once the child %s, by %s", (_, policy, standing, value) => {
    const story = begun({}, policy).append(told(standing));
    expect(story.act("ship")).toMatchObject({
      kind: "confirm",
      entry: {
        intentVersion: 1,
        result: { kind: "value", value },
        by: { how: "child", caseId: "07-child", ended: standing.kind },
      },
    });
    const [outside] = outsideEffects(story.settle().state).filter(({ step }) => step === "ship");
    expect(outside?.what).toBe(standing.kind === "done" ? "effect" : undefined);
  });

  it("goes to people where the child was canceled, and starts another one once they resume", () => {
    const story = begun().append(told(canceled)).settle();
    expect(story.act("ship")).toMatchObject({
      kind: "review",
      review: {
        reason: "refused",
        owner: "purchasing-lead",
        sentence: expect.stringContaining("by ann (lost)") as unknown,
      },
    });
    story.resume("ship");
    expect(story.act("ship")).toEqual({ kind: "send", repeats: [] });
    expect(story.open("ship").step("ship").intent?.version).toBe(2);
  });

  it("cancels its case where the child was canceled, if its definition says so", () => {
    const story = begun({}, "cancel")
      .append(told({ ...canceled, reason: null }))
      .settle();
    expect(story.state.cancelRequest).toMatchObject({
      by: { kind: "engine", name: "case 07-child" },
      reason: "ship: shipment case 07-child was canceled by ann",
    });
    expect(story.act("ship")).toEqual({ kind: "nothing", why: "canceling" });
  });

  it("shows that its child waits for people, or does not any more, without being worked on", () => {
    const story = begun()
      .settle()
      .append(told({ kind: "inReview" }));
    expect(story.state.rest).toMatchObject({ kind: "waiting", waits: [{ needsPeople: true }] });
    expect(story.act("ship")).toEqual(waiting(true));
    story.append(told({ kind: "running" }, 11));
    expect(story.state.rest).toMatchObject({ kind: "waiting", waits: [{ needsPeople: false }] });
    expect(story.append(told(done, 12)).state.rest.kind).toBe("ready");
  });

  it("passes over what is out of date, of another case, or of none", () => {
    const story = begun().append(told(done, 9));
    const known = story.step("ship").child;
    story.append(told({ kind: "running" }, 9), { ...told(canceled, 20), caseId: "08-other" } as Entry);
    expect(story.step("ship").child).toEqual(known);
    const without = new Story(orderOf()).append(told(done));
    expect(without.step("ship").child).toBeNull();
    const ready = begun().append(told({ kind: "inReview" }));
    expect(ready.state.rest.kind).toBe("ready");
  });

  it("leaves the waits of others as they are", () => {
    const story = begun().append({
      kind: "parked",
      dueAt: START,
      waits: [{ kind: "timer", step: "rest", dueAt: START }],
    });
    expect(story.append(told({ kind: "inReview" })).state.rest).toMatchObject({ waits: [{ kind: "timer" }] });
  });

  it("cannot be left out while its child runs", () => {
    const skip = { step: "ship", result: null, by: person, reason: "why" };
    expect(decideSkip(begun().settle().planInput(), null, skip)).toMatchObject({
      kind: "refused",
      sentence: expect.stringContaining("it waits for case 07-child; cancel that first") as unknown,
    });
    expect(decideSkip(begun().append(told(canceled)).settle().planInput(), null, skip).kind).toBe("write");
  });

  it("is not begun for more keys at once than its each says, children that run included", () => {
    const item = orderOf().steps[1] as SendStepOutline;
    const outline = outlineOf({ kind: "each", name: "ship", item, atOnce: 2 });
    const story = new Story(outline).append({ kind: "eachStarted", step: "ship", keys: ["a", "b", "c"] });
    for (const key of ["a", "b"]) story.open(`ship[${key}]`).succeed(`ship[${key}]`, { caseId: `07-${key}` });
    expect(story.act("ship[c]")).toEqual({ kind: "nothing", why: "atOnce" });
    story.append({ ...told(done), step: "ship[a]", caseId: "07-a" } as Entry);
    expect(story.settle().act("ship[c]")).toEqual({ kind: "send", repeats: [] });
  });
});

describe("a child that is not wanted as it is any more", () => {
  it.each(["review", "redo"] as const)("runs to its end where the policy is %s", (onLapse) => {
    const story = corrected({ onLapse });
    expect(story.act("ship")).toEqual(waiting(false));
    story.append(told(done)).settle();
    expect(story.act("ship")).toMatchObject(
      onLapse === "redo" ? { kind: "send" } : { kind: "review", review: { reason: "lapsed" } },
    );
  });

  it("is canceled at once where it is undone, waited for, and started anew", () => {
    const story = corrected({ onLapse: "undo" });
    expect(story.plan().steps[1]).toMatchObject({ target: { name: "ship.undo" }, act: { kind: "send" } });
    story.open("ship.undo").succeed("ship.undo", { caseId: "07-child" });
    expect(story.act("ship")).toEqual(waiting(false));
    story.append(told(canceled)).settle();
    expect(story.act("ship")).toEqual({ kind: "send", repeats: [] });
    expect(story.journal.map(({ entry }) => entry.kind)).toContain("stepUndone");
  });

  it("is known to be canceled for that, whatever people do to the case before it is written down", () => {
    const story = corrected({ onLapse: "undo" });
    story.open("ship.undo").succeed("ship.undo", { caseId: "07-child" }).append(told(canceled));
    story.correct({ vendor: "acme", note: "c" });
    expect(story.act("ship")).toMatchObject({ kind: "record", entry: { kind: "stepUndone" } });
    story.settle().open("ship").succeed("ship", { caseId: "08-child" });
    story.append({ ...telling(done), caseId: "08-child" });
    expect(story.act("ship")).toMatchObject({ kind: "confirm", entry: { by: { caseId: "08-child" } } });
  });

  it("is canceled where a prerequisite broke, and nothing is done where it was canceled already", () => {
    const story = begun({ onLapse: "undo", requires: [fact("open")] });
    story.facts.set("ship.open", broken("closed"));
    expect(story.plan().steps[1]).toMatchObject({ target: { name: "ship.undo" }, act: { kind: "send" } });
    const finished = begun({ onLapse: "undo" })
      .append(told(done))
      .settle()
      .correct({ vendor: "acme", note: "b" });
    finished.append(...finished.plan().shifts, told(canceled, 20));
    expect(finished.act("ship")).toMatchObject({
      kind: "record",
      entry: { kind: "stepUndone", intentVersion: 0 },
    });
  });

  it("goes to people where it was confirmed by hand, for there is no case to cancel", () => {
    const story = new Story(orderOf({ onLapse: "undo" }), { vendor: "acme", note: "a" }).confirm("pay");
    story.append({
      kind: "stepConfirmed",
      step: "ship",
      intentVersion: 0,
      basis: "other",
      result: { kind: "value", value: null },
      evidence: null,
      by: { how: "person", by: "ann", reason: "it is there" },
    });
    expect(story.settle().act("ship")).toMatchObject({
      kind: "review",
      isOpen: true,
      review: { reason: "lapsed" },
    });
    story.append({ kind: "cancelRequested", by: person, reason: null });
    expect(story.act("ship")).toMatchObject({ kind: "review", review: { reason: "staysOutside" } });
  });

  it("holds back what is new where its step has vanished from the definition", () => {
    const story = begun();
    story.outline = outlineOf(
      { kind: "step", name: "pay", uses: ["vendor"] },
      { kind: "step", name: "deliver" },
    );
    expect(story.act("deliver")).toEqual({ kind: "nothing", why: "vanished" });
    expect(story.plan().strays).toMatchObject([{ review: { step: "ship", reason: "bug" } }]);
  });
});

describe("a case that is canceled", () => {
  it("cancels its child first, whether it runs or is done, and goes on once that is canceled", () => {
    for (const story of [begun(), begun().append(told(done)).settle()]) {
      expect(decideCancel(story.state, null, { by: person, reason: null })).toMatchObject({
        entries: [{ kind: "cancelRequested" }],
      });
      cancel(story);
      expect(story.plan().steps.map(({ act }) => act.kind)).toEqual(["review", "send", "nothing"]);
      story
        .open("ship.undo")
        .fail("ship.undo", failure())
        .wait(60_000)
        .open("ship.undo")
        .succeed("ship.undo", {});
      expect(story.act("ship")).toEqual(waiting(false));
      story.append(told({ kind: "inReview" }, 30));
      expect(story.act("ship")).toEqual(waiting(true));
      story.append(told(canceled, 31)).settle();
      expect(outsideEffects(story.state)).toEqual([{ step: "pay", what: "effect" }]);
    }
  });
});

describe("what a child tells", () => {
  const parent = { caseId: "00-order", step: "ship", intentVersion: 1, depth: 1 };
  const child = (...entries: readonly Entry[]) =>
    foldJournal(
      "07-child",
      numbered([{ ...started(), parent } as Entry, ...entries], { from: 1, at: START }),
    );
  const review: Entry = {
    kind: "reviewOpened",
    review: { step: "a", reason: "bug", sentence: "It failed.", owner: "ops", nextCheckAllowedAt: null },
  };

  it.each<[string, readonly Entry[], ChildStanding]>([
    ["runs", [], { kind: "running" }],
    ["waits for people", [review], { kind: "inReview" }],
    ["is done", [{ kind: "caseDone", result: 7 }], { kind: "done", result: 7 }],
    ["is done, and gives nothing", [{ kind: "caseDone" }], { kind: "done", result: null }],
    [
      "is canceled",
      [{ kind: "canceled", by: person, reason: "lost" }],
      { kind: "canceled", by: "ada", reason: "lost" },
    ],
  ])("is that it %s", (_, entries, standing) => {
    expect(standingOfCase(child(...entries))).toEqual(standing);
    expect(tellingOf(child(...entries))).toEqual({
      kind: "childTold",
      step: "ship",
      caseId: "07-child",
      childRevision: entries.length + 1,
      standing,
    });
  });

  it("is that it waits for people while one below does, from the moment that this was told", () => {
    const story = begun().append(told({ kind: "inReview" }, 5));
    expect(standingOfCase(story.state)).toEqual({ kind: "inReview" });
    expect(standingOfCase(story.settle().state)).toEqual({ kind: "inReview" });
    expect(standingOfCase(story.append(told({ kind: "running" }, 6)).state)).toEqual({ kind: "running" });
  });

  it("is nothing of a case that no other one started", () => {
    expect(tellingOf(new Story(orderOf()).state)).toBeNull();
    expect(rowOf(child()).summary.parent).toEqual({ caseId: "00-order", step: "ship" });
    expect(rowOf(new Story(orderOf()).state).summary).not.toHaveProperty("parent");
  });

  it("is told by what its row says", () => {
    expect(rowStanding({ state: "claimed", hasReview: false })).toBe("running");
    expect(rowStanding({ state: "claimed", hasReview: true })).toBe("inReview");
    expect(rowStanding({ state: "done", hasReview: true })).toBe("done");
    expect(rowStanding({ state: "canceled", hasReview: false })).toBe("canceled");
  });

  it("is news to its parent once, while that has not ended", () => {
    const { state } = begun().append(told({ kind: "inReview" }, 5));
    expect(newsOf(state, telling(done))).toEqual(telling(done));
    expect(newsOf(state, { ...telling(done), step: "its former name" })).toEqual(telling(done));
    expect(newsOf(state, telling({ kind: "inReview" }))).toBeNull();
    expect(newsOf(state, telling({ kind: "running" }, 5))).toBeNull();
    expect(newsOf(state, telling({ kind: "running" }, 6))).not.toBeNull();
    expect(newsOf(state, telling(done, 9, "08-other"))).toBeNull();
    const ended = later(state, START, { kind: "canceled", by: person, reason: null });
    expect(newsOf(ended, telling(done))).toBeNull();
  });

  it("is its end, whatever it told before a failover lost that", () => {
    const story = begun().append(told({ kind: "inReview" }, 9));
    expect(newsOf(story.state, telling(done, 4))).toEqual(telling(done, 4));
    expect(story.append(told(done, 4)).act("ship")).toMatchObject({ kind: "confirm" });
    expect(newsOf(story.state, telling({ kind: "inReview" }, 8))).toBeNull();
  });

  it("is not done any more once its parent had it canceled, whoever tells so late", () => {
    const story = begun().append({ kind: "cancelRequested", by: person, reason: null });
    expect(newsOf(story.state, telling(done, 4))).toEqual(telling(done, 4));
    story.open("ship.undo").succeed("ship.undo", { caseId: "07-child" });
    expect(newsOf(story.state, telling(done, 4))).toBeNull();
    expect(newsOf(story.append(told(canceled, 9)).state, telling(done, 4))).toBeNull();
  });

  it("is taken back by its parent: canceled at once where nothing is outside, else undone, done or not", () => {
    const by = { kind: "engine", name: "case 00-order" } as const;
    const request = { by, reason: "canceled by ann" };
    expect(decideCancelByParent(child(), null, request)).toEqual({
      kind: "write",
      entries: [{ kind: "canceled", ...request }],
    });
    const effect = new Story(orderOf()).confirm("pay").append({ kind: "caseDone", result: 1 });
    const verdict = decideCancelByParent(effect.state, null, request);
    expect(verdict).toEqual({
      kind: "write",
      entries: [{ kind: "cancelRequested", ...request, byParent: true }],
    });
    if (verdict.kind !== "write") throw new Error("it was refused");
    effect.append(...verdict.entries);
    expect(effect.state.rest.kind).toBe("ready");
    expect(decideCancelByParent(effect.state, null, request)).toEqual({ kind: "repeated" });
    const claim = { claimId: "c", holderId: "h", claimedAt: START, actByAt: START };
    expect(decideCancelByParent(child(), { claim, holder: null }, request)).toMatchObject({
      entries: [{ kind: "cancelRequested" }],
    });
    const ended = child({ kind: "canceled", by: worker, reason: null });
    expect(decideCancelByParent(ended, null, request)).toEqual({ kind: "repeated" });
    expect(child({ kind: "caseDone" }, { kind: "cancelRequested", by: person, reason: null }).rest.kind).toBe(
      "done",
    );
  });
});
