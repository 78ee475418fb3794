import { describe, expect, it } from "vitest";
import {
  broken,
  cannotTell,
  failure,
  holds,
  HOUR,
  ledger,
  lostAnswer,
  MINUTE,
  outlineOf,
  person,
  probe,
  START,
  Story,
  worker,
} from "./case.fixture.ts";
import { decideLateReport } from "./late.ts";
import { decideAssignment, decideCancel, decideCheck, type HeldBy, type MoveVerdict } from "./moves.ts";
import { MOVE_NAMES, MOVES } from "./move-names.ts";
import { decideHandOver, standingOfRepair } from "./repair-moves.ts";
import type { SendStepOutline } from "./outline.ts";
import { decideSkip, decideUndo } from "./vouching.ts";
import { undoName } from "./undo.ts";

const held: HeldBy = {
  claim: { claimId: "c", holderId: "h-1", claimedAt: START, actByAt: START + HOUR },
  holder: null,
};
const reason = "the supplier is gone";
const skip = (one: Story, step: string, by: HeldBy | null = null): MoveVerdict =>
  decideSkip(one.planInput(), by, { step, result: { id: "by hand" }, by: person, reason });
const undo = (one: Story, step: string, by: HeldBy | null = null): MoveVerdict =>
  decideUndo(one.planInput(), by, { step, by: person, reason });
const check = (one: Story, step: string, by: HeldBy | null = null): MoveVerdict =>
  decideCheck(one.planInput(), by, { step, by: person, reason: null });
const stored = (one: Story, verdict: MoveVerdict): Story => {
  if (verdict.kind !== "write") throw new Error(JSON.stringify(verdict));
  return one.append(...verdict.entries);
};
const pay = { kind: "step", name: "pay" } as const;
const notify = { kind: "step", name: "notify" } as const;
const stock = probe("stock");
const canceled = { kind: "canceled", by: person, reason: null } as const;

describe("leaving a step out", () => {
  it("lets what follows go on with the result given, and sends nothing", () => {
    const one = new Story(outlineOf(pay, notify));
    one
      .open("pay")
      .fail("pay", failure({ cause: "rejected" }))
      .settle();
    stored(one, skip(one, "pay"));
    expect(one.step("pay")).toMatchObject({
      review: null,
      confirmation: { by: { how: "skip", by: "ada", reason }, result: { value: { id: "by hand" } } },
    });
    expect(one.act("pay")).toEqual({ kind: "nothing", why: "stands" });
    expect(one.act("notify")).toEqual({ kind: "send", repeats: [] });
    expect(one.state.repaired).toBe(true);
  });

  it("stands whatever the step would have needed, and asks for none of it", () => {
    const one = new Story(outlineOf({ ...pay, requires: [probe("stock")] }, notify));
    one.probe("pay", probe("stock"), broken("sold out")).settle();
    stored(one, skip(one, "pay"));
    expect(one.wait(HOUR).act("pay")).toEqual({ kind: "nothing", why: "stands" });
  });

  it("leaves a case that did nothing else to be canceled", () => {
    const one = new Story(outlineOf(pay, { kind: "approval", name: "approve" }));
    stored(one, skip(one, "pay"));
    expect(decideCancel(one.state, null, { by: person, reason: null })).toMatchObject({ kind: "write" });
  });

  it("is refused while it is not known whether the step happened", () => {
    const one = new Story(outlineOf(pay, notify)).open("pay").fail("pay", lostAnswer).settle();
    expect(skip(one, "pay")).toMatchObject({
      code: "NOTHING_TO_SKIP",
      sentence: expect.stringContaining("confirm it or rule it out first") as unknown,
    });
  });

  it("is refused for approvals, for what is confirmed, not reached or unknown, and for ended and held cases", () => {
    const one = new Story(outlineOf(pay, notify)).confirm("pay");
    const asking = new Story(outlineOf({ kind: "approval", name: "approve" }, pay));
    for (const verdict of [
      skip(one, "pay"),
      skip(one, "nothing"),
      skip(asking, "approve"),
      skip(asking, "pay"),
      skip(new Story(outlineOf(pay)).confirm("pay").correct({ vendor: "other" }), "pay"),
    ]) {
      expect(verdict).toMatchObject({ code: "NOTHING_TO_SKIP" });
    }
    expect(skip(one, "notify", held)).toMatchObject({ code: "CASE_CLAIMED" });
    expect(skip(one.append(canceled), "notify")).toMatchObject({ code: "CASE_ENDED" });
  });

  it("is asked about again once the input that it rested on is corrected, and nothing is undone or sent", () => {
    const undoStep = outlineOf({ ...pay, name: undoName("pay") }).steps[0] as SendStepOutline;
    for (const onLapse of ["undo", "redo", "recheck", "review"] as const) {
      const one = new Story(outlineOf({ ...pay, onLapse, undo: undoStep }, notify));
      stored(one, skip(one, "pay")).correct({ vendor: "other" });
      expect(one.act("pay")).toMatchObject({ kind: "review", review: { reason: "lapsed" } });
      expect(one.settle().step("pay").review?.sentence).toMatch(/^pay was left out, but no longer stands/);
      stored(one, skip(one, "pay"));
      expect(one.act("pay")).toEqual({ kind: "nothing", why: "stands" });
    }
  });

  it("waits for no event and no time that was left out", () => {
    for (const step of [
      { kind: "waitForEvent", name: "paid" },
      { kind: "sleep", name: "paid" },
    ] as const) {
      const one = new Story(outlineOf(step, notify)).settle();
      stored(one, skip(one, "paid"));
      expect(one.act("notify")).toEqual({ kind: "send", repeats: [] });
    }
  });

  it("is done after all where a person orders it, as a new effect", () => {
    const one = new Story(outlineOf(pay)).open("pay").fail("pay").settle();
    stored(one, skip(one, "pay"));
    one.append({ kind: "redoOrdered", step: "pay", by: person, reason });
    expect(one.act("pay")).toEqual({ kind: "send", repeats: [] });
    expect(one.open("pay").step("pay")).toMatchObject({ intent: { version: 2 }, confirmation: null });
  });

  it("brings a late success of it into sight: what was left out must not exist", () => {
    const one = new Story(outlineOf(pay, notify)).open("pay").fail("pay").settle();
    stored(one, skip(one, "pay"));
    const outcome = {
      kind: "succeeded",
      result: { kind: "value", value: null },
      evidence: null,
    } as const;
    const ref = { step: "pay", intentVersion: 1, attempt: 1 };
    const entries = decideLateReport(one.outline, one.state, {
      ref,
      claimId: one.claimId,
      holder: worker,
      outcome,
    });
    expect(entries).toMatchObject([
      { kind: "lateReport" },
      { review: { reason: "mayExistTwice", sentence: expect.stringContaining("left out") as unknown } },
    ]);
  });
});

describe("ordering a step to be undone", () => {
  const undoStep = outlineOf({ ...pay, name: undoName("pay") }).steps[0] as SendStepOutline;
  const undoable = { ...pay, undo: undoStep };

  it("takes back what it did, and does not do it again before somebody resumes it", () => {
    const one = new Story(outlineOf(undoable, notify)).confirm("pay");
    stored(one, undo(one, "pay"));
    expect(one.plan().steps[0]).toMatchObject({ target: { name: "pay.undo" }, act: { kind: "send" } });
    one.confirm("pay.undo").settle();
    expect(one.step("pay")).toMatchObject({
      confirmation: null,
      review: { reason: "lapsed", sentence: expect.stringContaining("as ada ordered") as unknown },
    });
    expect(one.act("notify")).toEqual({ kind: "nothing", why: "follows" });
    one.resume();
    expect(one.act("pay")).toEqual({ kind: "send", repeats: [] });
    expect(one.open("pay").step("pay").intent?.version).toBe(2);
  });

  it("leaves a step that was undone to be skipped", () => {
    const one = new Story(outlineOf(undoable, notify)).confirm("pay");
    stored(one, undo(one, "pay")).confirm("pay.undo").settle();
    stored(one, skip(one, "pay"));
    expect(one.act("notify")).toEqual({ kind: "send", repeats: [] });
  });

  it("is refused where nothing is there, nothing says how, or it is ordered already", () => {
    const plain = new Story(outlineOf(pay)).confirm("pay");
    const open = new Story(outlineOf(undoable));
    const skipped = stored(new Story(outlineOf(undoable)), skip(new Story(outlineOf(undoable)), "pay"));
    const ordered = new Story(outlineOf(undoable)).confirm("pay");
    stored(ordered, undo(ordered, "pay"));
    for (const one of [plain, open, skipped, ordered]) {
      expect(undo(one, "pay")).toMatchObject({ code: "NOTHING_TO_UNDO" });
    }
    expect(undo(plain, "nothing")).toMatchObject({ code: "NOTHING_TO_UNDO" });
    expect(undo(plain, "pay", held)).toMatchObject({ code: "CASE_CLAIMED" });
    expect(undo(plain.append(canceled), "pay")).toMatchObject({ code: "CASE_ENDED" });
  });

  it("waits for a person where the definition no longer says how, and cannot be left out meanwhile", () => {
    const one = new Story(outlineOf(undoable, notify)).confirm("pay");
    stored(one, undo(one, "pay"));
    expect(skip(one, "pay")).toMatchObject({ sentence: expect.stringContaining("undo it first") as unknown });
    one.outline = outlineOf(pay, notify);
    expect(one.settle().step("pay").review?.sentence).toContain("ada ordered it to be undone (the supplier");
    const begun = new Story(outlineOf(undoable)).confirm("pay");
    stored(begun, undo(begun, "pay")).open("pay.undo");
    expect(skip(begun, "pay")).toMatchObject({
      sentence: expect.stringContaining("being undone") as unknown,
    });
  });

  it("leaves a paused case paused", () => {
    const one = new Story(outlineOf(undoable)).confirm("pay");
    one.append({ kind: "paused", by: person, reason: null, untilAt: null });
    expect(stored(one, undo(one, "pay")).state.rest.kind).toBe("paused");
  });
});

describe("ordering what is known of a step to be asked anew", () => {
  const asked = { kind: "step", name: "pay", destination: ledger, hasCheck: true } as const;
  const review = (): Story =>
    new Story(outlineOf({ ...asked, requires: [probe("stock")] }, notify))
      .probe("pay", probe("stock"), holds)
      .open("pay")
      .fail("pay", failure({ cause: "bug" }))
      .settle();

  it("asks its probes and then for its effect, and leaves its review open", () => {
    const one = review().wait(MINUTE);
    stored(one, check(one, "pay"));
    expect(one.state.rest.kind).toBe("ready");
    expect(one.act("pay")).toEqual({ kind: "ask", conditions: ["stock"] });
    one.probe("pay", probe("stock"), cannotTell("it is down"));
    expect(one.act("pay")).toEqual({ kind: "check", about: "outcome" });
    one.check("pay", { kind: "didNotHappen" });
    expect(one.act("pay")).toMatchObject({ kind: "review", isOpen: true });
    expect(one.settle().state.rest.kind).toBe("in_review");
  });

  it("confirms the step where its effect turns out to be there", () => {
    const one = review();
    stored(one, check(one, "pay")).probe("pay", probe("stock"), holds);
    one.check("pay", { kind: "happened", result: { kind: "value", value: 1 }, evidence: null });
    expect(one.step("pay")).toMatchObject({ review: null, checkOrderedAt: null });
    expect(one.act("notify")).toEqual({ kind: "send", repeats: [] });
  });

  it("uses up none of the questions that the engine asks by itself, and brings no try forward", () => {
    const one = new Story(outlineOf(asked)).open("pay").fail("pay", failure()).settle();
    const { notBefore, round } = one.step("pay");
    stored(one, check(one, "pay")).check("pay", { kind: "didNotHappen" });
    expect(one.step("pay").round).toEqual(round);
    expect(one.step("pay").notBefore).toBeGreaterThanOrEqual(notBefore ?? Infinity);
  });

  it("asks what was done before whether it is what is wanted now", () => {
    const one = new Story(outlineOf(asked, notify)).confirm("pay").correct({ vendor: "other" }).settle();
    stored(one, check(one, "pay"));
    expect(one.act("pay")).toEqual({ kind: "check", about: "present" });
    one.recheck("pay", { kind: "cannotTell", why: "it is down" });
    expect(one.act("pay")).toMatchObject({ kind: "review", isOpen: true });
  });

  it("asks about an undo that is under way", () => {
    const back = outlineOf({ ...asked, name: undoName("pay") }).steps[0] as SendStepOutline;
    const one = new Story(outlineOf({ ...asked, undo: back })).confirm("pay");
    stored(one, undo(one, "pay")).open("pay.undo").fail("pay.undo", lostAnswer);
    one.check("pay.undo", { kind: "differs", why: "another", evidence: null }).settle();
    stored(one.wait(1), check(one, "pay.undo"));
    expect(one.plan().steps[0]).toMatchObject({
      target: { name: "pay.undo" },
      act: { kind: "check", about: "outcome" },
    });
  });

  it("asks about the undo of a step that is being taken back: that it was made says nothing any more", () => {
    const back = outlineOf({ ...asked, name: undoName("pay") }).steps[0] as SendStepOutline;
    const one = new Story(outlineOf({ ...asked, onLapse: "undo", undo: back })).confirm("pay");
    one.correct({ vendor: "other" }).open("pay.undo").fail("pay.undo", lostAnswer);
    expect(stored(one, check(one, "pay")).plan().steps[0]).toMatchObject({
      target: { name: "pay.undo" },
      act: { kind: "check", about: "outcome" },
    });
  });

  it("asks an approval's prerequisites, and every probe of a step that was never asked", () => {
    const one = new Story(outlineOf({ kind: "approval", name: "approve", requires: [stock] })).settle();
    stored(one.probe("approve", stock, holds).settle().wait(1), check(one, "approve"));
    expect(one.act("approve")).toEqual({ kind: "ask", conditions: ["stock"] });
    one.probe("approve", stock, holds);
    expect(one.act("approve")).toMatchObject({ kind: "wait", wait: { kind: "approval" } });
  });

  it("asks at once what was never asked", () => {
    const one = new Story(outlineOf({ ...asked, requires: [stock] }));
    expect(stored(one, check(one, "pay")).act("pay")).toEqual({ kind: "ask", conditions: ["stock"] });
  });

  it("is known already while it is not served, and is served by what is asked after it", () => {
    const one = review();
    stored(one, check(one, "pay"));
    expect(check(one, "pay")).toEqual({ kind: "repeated" });
    one.wait(1).probe("pay", probe("stock"), holds).check("pay", { kind: "didNotHappen" });
    expect(check(one.wait(1), "pay")).toMatchObject({ kind: "write" });
  });

  it("is refused where there is nothing to ask, on paused, ended and held cases", () => {
    const plain = new Story(outlineOf(pay, { ...asked, name: "record" })).open("pay").fail("pay");
    expect(check(plain, "pay")).toMatchObject({ code: "NOTHING_TO_CHECK" });
    expect(check(plain, "record")).toMatchObject({ code: "NOTHING_TO_CHECK" });
    expect(check(plain, "nothing")).toMatchObject({ code: "NOTHING_TO_CHECK" });
    const standing = new Story(outlineOf(asked)).confirm("pay");
    expect(check(standing, "pay")).toMatchObject({ code: "NOTHING_TO_CHECK" });
    const ordered = new Story(outlineOf(asked, notify)).confirm("pay");
    ordered.append({ kind: "redoOrdered", step: "pay", by: person, reason });
    expect(check(ordered, "pay")).toMatchObject({ code: "NOTHING_TO_CHECK" });
    expect(check(review(), "pay", held)).toMatchObject({ code: "CASE_CLAIMED" });
    const paused = review().append({ kind: "paused", by: person, reason: null, untilAt: null });
    expect(check(paused, "pay")).toMatchObject({ code: "NOTHING_TO_CHECK" });
    expect(check(review().append(canceled), "pay")).toMatchObject({ code: "CASE_ENDED" });
  });
});

describe("saying whose a case is", () => {
  const ann = { id: "p-1", label: "Ann" };

  it("moves nothing, needs no claim, and is known already where it is theirs", () => {
    const one = new Story(outlineOf(pay)).settle();
    const before = one.state.rest;
    const give = (to: typeof ann | null): MoveVerdict =>
      decideAssignment(one.state, { to, by: person, reason: null });
    expect(give(null)).toEqual({ kind: "repeated" });
    stored(one, give(ann));
    expect(one.state).toMatchObject({ assignee: ann, rest: before });
    expect(give(ann)).toEqual({ kind: "repeated" });
    expect(stored(one, give(null)).state.assignee).toBeNull();
  });

  it("hands an open repair over: it ends, and what came meanwhile is applied", () => {
    const one = new Story(outlineOf({ kind: "waitForEvent", name: "paid" })).settle();
    one.append({ kind: "repairOpened", claimId: "r", holderId: "p", by: person });
    one.append({ kind: "eventAttached", eventType: "paid", sourceId: "e", payload: 1, by: person });
    stored(one, decideHandOver(one.state, { to: ann, by: person, reason: "my shift ends" }));
    expect(one.state).toMatchObject({ assignee: ann, repair: null, rest: { kind: "ready" } });
    expect(one.state.formerRepairs).toMatchObject([{ end: { why: "handedOver" } }]);
    expect(one.state.events).toMatchObject([{ sourceId: "e" }]);
    expect(standingOfRepair(one.state, null, "r")).toMatchObject({
      sentence: expect.stringContaining("the case was handed over at") as unknown,
    });
  });
});

it("every move names its right, and those that vouch or go against the plan need a reason", () => {
  expect(MOVE_NAMES).toEqual(Object.keys(MOVES));
  const vouching = [
    "confirm",
    "ruleOut",
    "skip",
    "redo",
    "undo",
    "leaveOutside",
    "force",
    "takeOver",
    "handOver",
    "correct",
    "standIn",
  ];
  const needed = MOVE_NAMES.filter((name) => MOVES[name].reason === "needed");
  expect(needed.toSorted()).toEqual(vouching.toSorted());
});
