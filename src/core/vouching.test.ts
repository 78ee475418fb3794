import { describe, expect, it } from "vitest";
import {
  destination,
  failure,
  HOUR,
  ledger,
  lostAnswer,
  MINUTE,
  outlineOf,
  person,
  SECOND,
  START,
  Story,
} from "./case.fixture.ts";
import type { HeldBy, MoveVerdict } from "./moves.ts";
import type { SendStepOutline } from "./outline.ts";
import { decideConfirmation, decideRedo, decideRulingOut } from "./vouching.ts";

const held: HeldBy = {
  claim: { claimId: "c", holderId: "h-1", claimedAt: START, actByAt: START + HOUR },
  holder: null,
};
const said = { evidence: "statement of May", by: person, reason: "asked the bank" } as const;
const none = destination({
  name: "bank",
  repeatSafety: { by: "none" },
  readLagMs: 10 * SECOND,
  requestAgeMs: MINUTE,
});
const unknown = (): Story =>
  new Story(outlineOf({ kind: "step", name: "pay", destination: none }))
    .open("pay")
    .fail("pay", lostAnswer)
    .settle();
const ruleOut = (one: Story, step = "pay", by: HeldBy | null = null): MoveVerdict =>
  decideRulingOut(one.planInput(), by, { ...said, step });
const redo = (one: Story, step: string, by: HeldBy | null = null): MoveVerdict =>
  decideRedo(one.planInput(), by, { step, by: person, reason: "printed wrongly" });
const stored = (one: Story, verdict: MoveVerdict): Story => {
  if (verdict.kind !== "write") throw new Error(JSON.stringify(verdict));
  return one.append(...verdict.entries);
};
/** Deadline of the send, read lag and request age. */
const ARRIVAL = 30 * SECOND + 10 * SECOND + MINUTE;

describe("ruling out that a step happened", () => {
  it("R18: counts only after the last moment at which its request can still arrive", () => {
    const early = unknown().wait(ARRIVAL - 1);
    expect(ruleOut(early)).toMatchObject({ kind: "refused", code: "RULE_OUT_TOO_EARLY" });
    const one = unknown().wait(ARRIVAL);
    stored(one, ruleOut(one));
    expect(one.step("pay")).toMatchObject({ review: null, intent: { version: 1 } });
    expect(one.act("pay")).toEqual({ kind: "send", repeats: [] });
    expect(one.open("pay").step("pay").intent?.attempts).toHaveLength(2);
  });

  it("is refused where nothing is unknown, for ended cases, and while somebody holds the case", () => {
    const failed = new Story(outlineOf({ kind: "step", name: "pay" })).open("pay").fail("pay", failure());
    for (const one of [failed, new Story(outlineOf({ kind: "step", name: "pay" })).confirm("pay")]) {
      expect(ruleOut(one)).toMatchObject({ code: "NOTHING_TO_RULE_OUT" });
    }
    expect(ruleOut(failed, "nothing")).toMatchObject({ code: "NOTHING_TO_RULE_OUT" });
    expect(ruleOut(unknown().wait(HOUR), "pay", held)).toMatchObject({ code: "CASE_CLAIMED" });
    const canceled = unknown().append({ kind: "canceled", by: person, reason: null });
    expect(ruleOut(canceled)).toMatchObject({ code: "CASE_ENDED" });
  });

  it("leaves a paused case paused", () => {
    const one = unknown().append({ kind: "paused", by: person, reason: null, untilAt: null }).wait(HOUR);
    expect(stored(one, ruleOut(one)).state.rest.kind).toBe("paused");
  });

  it("can be said of what the definition no longer sends", () => {
    const one = unknown().wait(30 * SECOND);
    one.outline = outlineOf({ kind: "step", name: "notify" });
    expect(stored(one, ruleOut(one)).plan().strays).toEqual([]);
  });
});

describe("ordering a step to be done again", () => {
  it("does it as a new effect, under a new key", () => {
    const one = new Story(outlineOf({ kind: "step", name: "pay", destination: none })).confirm("pay");
    stored(one, redo(one, "pay"));
    expect(one.act("pay")).toEqual({ kind: "send", repeats: [] });
    expect(one.open("pay").step("pay").intent?.version).toBe(2);
  });

  it("asks an approval again, waits for another event, and sleeps anew", () => {
    const one = new Story(
      outlineOf(
        { kind: "approval", name: "approve" },
        { kind: "waitForEvent", name: "paid", after: [] },
        { kind: "sleep", name: "rest", after: [] },
      ),
    );
    one.approve("approve").event("paid", "e-1").wait(HOUR).settle();
    expect(one.plan().isComplete).toBe(true);
    for (const step of ["approve", "paid", "rest"]) stored(one, redo(one, step));
    expect(one.act("approve")).toMatchObject({ kind: "wait", wait: { kind: "approval" } });
    expect(one.act("paid")).toMatchObject({ kind: "wait", wait: { kind: "event" } });
    expect(one.act("rest")).toMatchObject({ kind: "wait", wait: { kind: "timer", dueAt: one.now + HOUR } });
    one.approve("approve").event("paid", "e-2").wait(HOUR).settle();
    expect(one.plan().isComplete).toBe(true);
    expect(one.step("paid").confirmation?.by).toMatchObject({ sourceId: "e-2" });
  });

  it("is refused for a step that is not confirmed, for ended cases, and while somebody holds the case", () => {
    const one = new Story(outlineOf({ kind: "step", name: "pay" }));
    expect(redo(one, "pay")).toMatchObject({ code: "NOTHING_TO_REDO" });
    expect(redo(one, "nothing")).toMatchObject({ code: "NOTHING_TO_REDO" });
    one.confirm("pay");
    expect(redo(one, "pay", held)).toMatchObject({ code: "CASE_CLAIMED" });
    expect(redo(one.append({ kind: "caseDone" }), "pay")).toMatchObject({ code: "CASE_ENDED" });
  });
});

describe("an undo that waits for a person", () => {
  const undo: SendStepOutline = {
    kind: "step",
    name: "pay.undo",
    after: [],
    formerly: [],
    closure: [],
    when: [],
    requires: [],
    uses: [],
    destination: ledger,
    before: [],
    hasRequest: true,
    hasCheck: false,
    deadlineMs: 30 * SECOND,
    versionCondition: null,
    onLapse: "review",
    undo: null,
  };
  const stuck = (): Story => {
    const step = { kind: "step", name: "pay", onLapse: "undo", undo } as const;
    const one = new Story(outlineOf(step), { amount: 1 }).confirm("pay").correct({ amount: 2 }).settle();
    return one.open("pay.undo").fail("pay.undo", lostAnswer).wait(HOUR).settle();
  };

  it("can be confirmed by hand under its own name, and the step goes on", () => {
    const one = stuck();
    expect(one.act("pay")).toMatchObject({ kind: "review", review: { step: "pay.undo", reason: "unknown" } });
    const vouching = { ...said, step: "pay.undo", result: null };
    stored(one, decideConfirmation(one.planInput(), null, vouching)).settle();
    expect(one.act("pay")).toEqual({ kind: "send", repeats: [] });
  });

  it("can be ruled out, and is sent again", () => {
    const one = stuck();
    stored(one, ruleOut(one, "pay.undo"));
    expect(one.plan().steps[0]?.target.name).toBe("pay.undo");
    expect(one.act("pay")).toEqual({ kind: "send", repeats: [] });
  });
});
