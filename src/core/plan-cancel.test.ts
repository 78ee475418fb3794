import { describe, expect, it } from "vitest";
import {
  destination,
  failure,
  HOUR,
  ledger,
  lostAnswer,
  outlineOf,
  person,
  START,
  Story,
} from "./case.fixture.ts";
import type { Entry } from "./journal.ts";
import { decideApproval, decideCancel } from "./moves.ts";
import type { CaseOutline, SendStepOutline } from "./outline.ts";
import { isUntouched, outsideEffects, undoingOf } from "./outside.ts";
import { rowOf } from "./row.ts";
import { readState, type Reading } from "./state.ts";
import { undoName } from "./undo.ts";
import {
  decideConfirmation,
  decideLeavingOutside,
  decideRedo,
  decideSkip,
  decideUndo,
  type LeavingOutside,
} from "./vouching.ts";
import type { HeldBy, MoveVerdict } from "./moves.ts";

const why = { by: person, reason: "ordered twice" };
const cancel: Entry = { kind: "cancelRequested", ...why };

/** A step that says how it is undone. */
const undoable = (name: string, over: Partial<SendStepOutline> = {}) => {
  const [undo] = outlineOf({ kind: "step", name: undoName(name), uses: [], ...over, after: [] }).steps;
  if (undo?.kind !== "step") throw new Error("an undo is a step that sends");
  return { kind: "step", name, ...over, undo } as const;
};

/** approve -> pay -> (ship, tell) -> close; only tell and close cannot be undone. */
const order: CaseOutline = outlineOf(
  { kind: "approval", name: "approve" },
  undoable("pay"),
  undoable("ship", { after: ["pay"] }),
  { kind: "step", name: "tell", after: ["pay"] },
  { kind: "waitForEvent", name: "close", after: ["ship", "tell"] },
);

const begun = (): Story => new Story(order).approve("approve").settle();
const acts = (story: Story): readonly string[] =>
  story.plan().steps.map(({ step, target, act }) => {
    const what = act.kind === "nothing" ? act.why : act.kind;
    return `${target === step ? "" : "undo "}${step.name}: ${what}`;
  });
const read = (one: Story): Reading => {
  const { state, dueAt, summary } = rowOf(one.state);
  return readState({ state, dueAt, summary, claim: null, holder: null, now: START });
};
const leave = (step: string): Entry => ({ kind: "leftOutside", step, by: person, reason: "they keep it" });
const undo = (story: Story, step: string): Story => story.confirm(undoName(step)).settle();
const codeOf = (verdict: MoveVerdict): string => (verdict.kind === "refused" ? verdict.code : verdict.kind);

describe("a case that is being canceled", () => {
  it("is canceled at once where nothing of it is outside, whatever people answered", () => {
    expect(begun().append(cancel).plan().halt).toBe("cancel");
    expect(acts(begun().append(cancel))).toEqual([
      "approve: canceling",
      "pay: canceling",
      "ship: canceling",
      "tell: canceling",
      "close: canceling",
    ]);
  });

  it("undoes what follows before what it follows, and the case is canceled after the last one", () => {
    const story = begun().confirm("pay").confirm("ship").append(cancel);
    expect(acts(story).slice(1, 3)).toEqual(["pay: undoLater", "undo ship: send"]);
    undo(story, "ship");
    expect(acts(story).slice(1, 3)).toEqual(["undo pay: send", "ship: canceling"]);
    expect(story.plan()).toMatchObject({ halt: "none", isComplete: false, shifts: [] });
    undo(story, "pay");
    expect(story.plan().halt).toBe("cancel");
    expect(isUntouched(story.state)).toBe(true);
  });

  it("brings all that cannot be undone to people at once, and does not undo what that follows before they have said so", () => {
    const story = begun().confirm("pay").confirm("ship").confirm("tell").append(cancel).settle();
    expect(story.step("tell").review).toMatchObject({ reason: "staysOutside", owner: "platform" });
    undo(story, "ship");
    expect(acts(story).slice(1, 4)).toEqual(["pay: undoLater", "ship: canceling", "tell: review"]);
    story.append(leave("tell"));
    expect(story.step("tell").review).toBeNull();
    expect(acts(story).slice(1, 4)).toEqual(["undo pay: send", "ship: canceling", "tell: canceling"]);
    expect(undo(story, "pay").plan().halt).toBe("cancel");
  });

  it("first finds out what may have happened, by asking where it can be asked, and undoes nothing before", () => {
    const asked = outlineOf(
      undoable("pay"),
      undoable("ship", { destination: destination(), hasCheck: true }),
    );
    const story = new Story(asked).confirm("pay").open("ship").fail("ship", lostAnswer).append(cancel);
    expect(acts(story)).toEqual(["pay: undoLater", "ship: check"]);
    story.check("ship", { kind: "happened", result: { kind: "value", value: 1 }, evidence: null });
    expect(acts(story)).toEqual(["pay: undoLater", "undo ship: send"]);
  });

  it("sends again what cannot be asked for, with its key, so that it is known and can be undone", () => {
    const story = begun().confirm("pay").open("ship").fail("ship", lostAnswer).append(cancel);
    expect(story.act("ship")).toMatchObject({ kind: "wait", wait: { kind: "retry" } });
    story.wait(HOUR);
    expect(story.act("ship")).toMatchObject({ kind: "send", repeats: [{ attempt: 1 }] });
    expect(story.open("ship").step("ship").intent?.version).toBe(1);
    story.fail("ship", failure({ cause: "rejected" }));
    expect(acts(story).slice(1, 3)).toEqual(["pay: undoLater", "ship: review"]);
  });

  it("does nothing about a send that surely did not happen, and begins none that was due", () => {
    const story = begun().confirm("pay").open("ship").fail("ship").wait(HOUR);
    expect(story.act("tell").kind).toBe("send");
    expect(acts(story.append(cancel)).slice(1, 4)).toEqual([
      "undo pay: send",
      "ship: canceling",
      "tell: canceling",
    ]);
  });

  it("waits for what is under way, and goes on undoing beside another undo", () => {
    const two = outlineOf(undoable("a", { after: [] }), undoable("b", { after: [] }));
    const story = new Story(two).confirm("a").open("b").append(cancel);
    expect(story.act("a", { busy: new Set(["b"]) })).toEqual({ kind: "nothing", why: "undoLater" });
    story.succeed("b").open("a.undo");
    const during = { busy: new Set(["a.undo"]) };
    expect(story.act("a", during)).toEqual({ kind: "nothing", why: "busy" });
    expect(story.act("b", during).kind).toBe("send");
    story.append({ kind: "pauseRequested", ...why, untilAt: null });
    expect(story.act("b", during)).toEqual({ kind: "nothing", why: "halting" });
  });

  it("takes what a late worker reports for what happened, and undoes it", () => {
    const story = begun().confirm("pay").open("ship").loseClaim("ship").append(cancel);
    const ref = { step: "ship", intentVersion: 1, attempt: 1, claimId: "claim-1" };
    const outcome = { kind: "succeeded", result: { kind: "value", value: 1 }, evidence: null } as const;
    const holder = { kind: "worker", name: "w", holderId: "h" } as const;
    story.append({ kind: "lateReport", ...ref, holder, outcome });
    expect(story.act("ship")).toMatchObject({ kind: "confirm", entry: { by: { how: "lateReport" } } });
    story.settle();
    expect(acts(story)[2]).toBe("undo ship: send");
  });

  it("leaves an undo that cannot go on to people, who resume it or leave its effect outside", () => {
    const story = begun().confirm("pay").append(cancel).open("pay.undo");
    story.fail("pay.undo", failure({ cause: "rejected" })).settle();
    expect(story.step("pay.undo").review).toMatchObject({ reason: "rejected" });
    expect(outsideEffects(story.state)).toEqual([{ step: "pay", what: "effect" }]);
    story.append(leave("pay"));
    expect(story.step("pay.undo").review).toBeNull();
    expect(story.plan()).toMatchObject({ halt: "cancel", strays: [] });
  });

  it("knows of an earlier effect that was to be done again, which nothing else is left of", () => {
    const story = new Story(outlineOf(undoable("pay", { onLapse: "redo" }))).confirm("pay");
    story.append({ kind: "redoOrdered", step: "pay", by: person, reason: "wrong" }).settle();
    story.request = () => "another";
    story.open("pay").fail("pay").append(cancel);
    expect(outsideEffects(story.state)).toEqual([{ step: "pay", what: "earlier" }]);
    expect(story.act("pay")).toMatchObject({ kind: "review", review: { reason: "staysOutside" } });
    const again = story.confirm("pay");
    expect(outsideEffects(again.state)).toEqual([{ step: "pay", what: "effect" }]);
  });

  it("knows of what was confirmed once and has vanished from the definition", () => {
    const story = begun().confirm("pay").open("tell").fail("tell", lostAnswer);
    story.outline = outlineOf({ kind: "approval", name: "approve" });
    story.append(cancel);
    expect(story.plan().strays.map(({ review }) => [review.step, review.reason])).toEqual([
      ["tell", "unknown"],
      ["pay", "staysOutside"],
    ]);
    story.settle().append(leave("pay"));
    expect(story.plan().strays.map(({ review, isOpen }) => [review.step, isOpen])).toEqual([["tell", true]]);
    expect(story.append(leave("tell")).plan()).toMatchObject({ halt: "cancel", strays: [] });
  });

  it("shows a second effect to people before one of the two is undone", () => {
    const blind = { destination: ledger, hasCheck: true };
    const story = new Story(outlineOf(undoable("pay", blind))).open("pay").loseClaim("pay");
    const outcome = { kind: "succeeded", result: { kind: "value", value: 1 }, evidence: null } as const;
    const holder = { kind: "worker", name: "w", holderId: "h" } as const;
    story.check("pay", { kind: "didNotHappen" }).wait(HOUR).check("pay", { kind: "didNotHappen" });
    story.confirm("pay");
    story.append({
      kind: "lateReport",
      ...story.lastAttempt("pay"),
      attempt: 1,
      claimId: "claim-1",
      holder,
      outcome,
    });
    story.append(cancel);
    expect(story.act("pay")).toMatchObject({ kind: "review", review: { reason: "mayExistTwice" } });
    expect(story.settle().act("pay")).toMatchObject({ kind: "review", isOpen: true });
    expect(story.resume("pay").wait(HOUR).act("pay").kind).toBe("send");
  });

  it("is asked anew about what a person wants to know", () => {
    const asked = outlineOf(undoable("pay", { destination: ledger, hasCheck: true }));
    const story = new Story(asked).open("pay").fail("pay", lostAnswer).append(cancel);
    story.append({ kind: "checkOrdered", step: "pay", by: person, reason: null });
    expect(story.act("pay").kind).toBe("check");
  });

  it("stops for people where three workers were lost with it", () => {
    const story = begun();
    for (const _ of [1, 2, 3]) story.open("pay").loseClaim("pay");
    expect(story.append(cancel).act("pay")).toMatchObject({ kind: "review", review: { reason: "poison" } });
    expect(story.settle().act("pay")).toMatchObject({ kind: "review", isOpen: true });
  });

  it("reads how far undoing has come", () => {
    const story = begun().confirm("pay").confirm("ship").append(cancel);
    expect(undoingOf(begun().state)).toBeNull();
    expect(undoingOf(story.state)).toEqual({ undone: 0, of: 2 });
    expect(read(story)).toMatchObject({
      state: "Undoing",
      sentence: "Undoing 1 of 2: It is due and waits for a free worker.",
    });
    undo(story, "ship").open("pay.undo").fail("pay.undo").settle();
    expect(read(story)).toMatchObject({
      state: "Undoing",
      sentence: expect.stringMatching(/^Undoing 2 of 2: pay\.undo is tried again/) as string,
    });
    expect(read(story.open("pay.undo").loseClaim("pay.undo")).state).toBe("Worker lost");
    const known = begun().confirm("pay").confirm("tell").append(cancel).settle();
    expect(read(known).state).toBe("Needs review");
    expect(rowOf(known.append(leave("tell")).state).summary.undoing).toEqual({ undone: 1, of: 2 });
  });
});

describe("leaving an effect outside", () => {
  const say: LeavingOutside = { step: "pay", by: person, reason: "they keep it" };
  const claim = { claimId: "c", holderId: "h", claimedAt: START, actByAt: START + HOUR };
  const held: HeldBy = { claim, holder: null };

  it.each<[string, () => Story, HeldBy | null, string]>([
    ["of a case that is not being canceled", () => begun().confirm("pay"), null, "NOTHING_TO_LEAVE"],
    [
      "of which nothing is there",
      () => begun().confirm("pay").append(cancel, leave("pay")),
      null,
      "repeated",
    ],
    ["of a step without effect", () => begun().append(cancel), null, "NOTHING_TO_LEAVE"],
    ["of a case that somebody holds", () => begun().confirm("pay").append(cancel), held, "CASE_CLAIMED"],
    ["of an ended case", () => begun().append({ kind: "canceled", ...why }), null, "CASE_ENDED"],
    ["that is there", () => begun().confirm("pay").append(cancel), null, "write"],
    ["that may be there", () => begun().open("pay").append(cancel), null, "write"],
  ])("%s", (_, story, by, expected) => {
    expect(codeOf(decideLeavingOutside(story().state, by, say))).toBe(expected);
  });

  it("may name the undo that is stuck", () => {
    const { state } = begun().confirm("pay").append(cancel);
    expect(decideLeavingOutside(state, null, { ...say, step: "pay.undo" })).toMatchObject({
      entries: [{ kind: "leftOutside", step: "pay" }],
    });
  });

  it("no longer counts what may have happened as open", () => {
    const story = begun().open("pay").append(cancel);
    expect(rowOf(story.state).summary.unsettled).toEqual(["pay"]);
    expect(rowOf(story.append(leave("pay")).state).summary.unsettled).toEqual([]);
  });
});

const canceling = (): Story => begun().confirm("pay").append(cancel);

describe("moves on a case that is being canceled", () => {
  it("refuse to begin, repeat or leave out anything", () => {
    const input = canceling().planInput();
    const redo = { step: "pay", by: person, reason: "why" };
    expect(codeOf(decideRedo(input, null, redo))).toBe("NOTHING_TO_REDO");
    expect(codeOf(decideUndo(input, null, redo))).toBe("NOTHING_TO_UNDO");
    expect(codeOf(decideSkip(input, null, { ...redo, step: "tell", result: null }))).toBe("NOTHING_TO_SKIP");
    const asked = new Story(order).append(cancel);
    const answer = { step: "approve", approved: true, form: null, note: null, sourceId: "s", by: person };
    expect(decideApproval(asked.planInput(), null, answer)).toMatchObject({
      sentence: expect.stringContaining("the case is being canceled") as string,
    });
  });

  it("let people confirm by hand what may have happened, whether it would stand or not, so that it is undone", () => {
    const blind = destination({ repeatSafety: { by: "none" } });
    const one = new Story(outlineOf(undoable("pay", { destination: blind })));
    one.open("pay").fail("pay", lostAnswer).append(cancel).settle();
    const said = { step: "pay", result: { id: 1 }, evidence: null, by: person, reason: "seen" };
    const verdict = decideConfirmation(one.planInput(), null, said);
    if (verdict.kind !== "write") throw new Error("refused");
    expect(acts(one.append(...verdict.entries).wait(HOUR))).toEqual(["undo pay: send"]);
  });

  it("are not needed twice: it is being canceled already", () => {
    expect(codeOf(decideCancel(canceling().state, null, why))).toBe("repeated");
  });
});
