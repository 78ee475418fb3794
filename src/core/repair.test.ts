import { describe, expect, it } from "vitest";
import { HOUR, MINUTE, numbered, outlineOf, person, SECOND, START, started, Story } from "./case.fixture.ts";
import { foldJournal } from "./fold.ts";
import type { Actor, Entry } from "./journal.ts";
import {
  decideApproval,
  decideCancel,
  decideCorrection,
  decideEvent,
  decidePause,
  decideResume,
  type HeldBy,
  type MoveVerdict,
} from "./moves.ts";
import { decideConfirmation, decideRedo, decideRulingOut } from "./vouching.ts";
import {
  decideCloseRepair,
  decideOpenRepair,
  decideTakeOver,
  sayRepairEnd,
  standingOfRepair,
} from "./repair-moves.ts";
import { endOfStaleRepair, endRepair, PAGE_LEASE_MS, repairUnder, withAttached } from "./repair.ts";
import { rowOf } from "./row.ts";

const ann: Actor = { kind: "person", name: "ann" };
const bob: Actor = { kind: "person", name: "bob" };
const opening = { claimId: "r-1", holderId: "p-1", by: ann } as const;
const opened: Entry = { kind: "repairOpened", ...opening };
const byBob = { claimId: "r-2", holderId: "p-2", by: bob, reason: "ann is at lunch" } as const;
const takenOver: Entry = { kind: "repairTakenOver", ...byBob, from: { claimId: "r-1", by: ann } };
const attached = (sourceId: string, eventType = "paid"): Entry => ({
  kind: "eventAttached",
  eventType,
  sourceId,
  payload: null,
  by: person,
});
const ended = (over: Partial<Extract<Entry, { kind: "repairEnded" }>> = {}): Entry => ({
  kind: "repairEnded",
  claimId: "r-1",
  why: "closed",
  events: 0,
  ignored: null,
  ...over,
});
const done: Entry = { kind: "caseDone" };

const heldBy = (claimId: string, kind: "worker" | "page", name: string): HeldBy => ({
  claim: { claimId, holderId: `holder of ${claimId}`, claimedAt: START, actByAt: START + 8 * HOUR },
  holder: {
    holderId: `holder of ${claimId}`,
    kind,
    name,
    host: "box",
    build: "1",
    leaseMs: kind === "page" ? PAGE_LEASE_MS : 10 * SECOND,
    beatAt: START,
    endedAt: null,
  },
});
const byWorker = heldBy("c-1", "worker", "w-3");
const byAnn = heldBy("r-1", "page", "ann");

const outline = outlineOf({ kind: "waitForEvent", name: "payment" }, { kind: "step", name: "create" });
const told = (verdict: MoveVerdict): readonly Entry[] | string =>
  verdict.kind === "write"
    ? verdict.entries
    : verdict.kind === "refused"
      ? `${verdict.code}: ${verdict.sentence}`
      : verdict.kind;

/** A case that waits for the event `paid`. */
const waiting = (): Story => new Story(outline).settle();
const inReview = (): Story =>
  waiting().append(
    {
      kind: "reviewOpened",
      review: {
        step: "create",
        reason: "limit",
        sentence: "It stopped.",
        owner: "ops",
        nextCheckAllowedAt: null,
      },
    },
    { kind: "parked", waits: [], dueAt: null },
  );

describe("opening a repair (R4)", () => {
  it.each([
    ["ready", new Story(outline)],
    ["waiting", waiting()],
    ["in_review", inReview()],
    ["paused", waiting().append({ kind: "paused", by: person, reason: null, untilAt: null })],
  ])("is possible on a case that is %s, and leaves that state below the repair", (state, story) => {
    expect(told(decideOpenRepair(story.state, null, opening))).toEqual([opened]);
    const before = rowOf(story.state);
    const after = rowOf(story.append(opened).state);
    expect(after).toMatchObject({ state, dueAt: before.dueAt });
    expect(after.summary).toEqual({ ...before.summary, repair: { name: "ann", events: 0 } });
  });

  it("is refused against a worker's live claim and against another person, naming each until when", () => {
    expect(told(decideOpenRepair(waiting().state, byWorker, opening))).toBe(
      "CASE_CLAIMED: Case case-1 is held by w-3 (box) until 2023-11-14T22:13:30Z, or longer while that holder is at work; " +
        "then the sweep frees it. Try again once it is free.",
    );
    expect(told(decideOpenRepair(waiting().append(opened).state, byAnn, { ...opening, by: bob }))).toBe(
      "CASE_CLAIMED: Case case-1 is being repaired by ann until 2023-11-14T22:18:20Z, or longer while that page is open. " +
        "Add a note, or take the repair over with a reason.",
    );
  });

  it("is refused on an ended case, in which nothing can be set right", () => {
    for (const rest of [done, { kind: "canceled", by: person, reason: null } as const]) {
      const { state } = new Story(outline).append(rest);
      expect(told(decideOpenRepair(state, null, opening))).toMatch(
        /^CASE_ENDED: .*there is nothing to repair/,
      );
      expect(told(decideTakeOver(state, byAnn, { ...byBob, from: null }))).toMatch(/^CASE_ENDED/);
    }
  });
});

describe("against a person's repair (R4)", () => {
  const story = inReview().append(opened);
  const { state } = story;
  const why = { by: bob, reason: "x" };

  it("everything that another person does is refused, naming who has it open", () => {
    const vouching = { step: "create", result: null, evidence: null, ...why };
    const answer = { step: "create", approved: true, form: null, note: null, sourceId: "a", by: bob };
    const verdicts = [
      decideResume(story.planInput(), byAnn, { step: null, ...why }),
      decideCorrection(state, byAnn, { input: 1, ...why }),
      decideConfirmation(story.planInput(), byAnn, vouching),
      decideRulingOut(story.planInput(), byAnn, vouching),
      decideRedo(story.planInput(), byAnn, vouching),
      decideCancel(state, byAnn, why),
      decidePause(state, byAnn, { ...why, untilAt: null }),
      decideApproval(story.planInput(), byAnn, answer),
    ];
    for (const verdict of verdicts) expect(told(verdict)).toMatch(/^CASE_CLAIMED: .*repaired by ann until/);
  });

  it("the same is allowed to its holder, for whom nobody else holds the case", () => {
    expect(told(decideResume(story.planInput(), null, { step: null, ...why }))).toMatchObject([
      { kind: "resumed" },
    ]);
    expect(told(decidePause(state, null, { ...why, untilAt: null }))).toMatchObject([{ kind: "paused" }]);
  });

  it("a holder that nobody knows is still known as a person by the journal", () => {
    const nameless = { ...byAnn, holder: null };
    expect(told(decidePause(state, nameless, { ...why, untilAt: null }))).toMatch(
      /^CASE_CLAIMED: Case case-1 is being repaired by ann until 2023-11-15T06:13:20Z/,
    );
  });
});

describe("taking a repair over (R4)", () => {
  it("needs a reason and is on record: who, from whom, why", () => {
    const { state } = waiting().append(opened);
    expect(told(decideTakeOver(state, byAnn, { ...byBob, from: null }))).toEqual([takenOver]);
    expect(told(decideTakeOver(state, byAnn, { ...byBob, from: "holder of r-1" }))).toEqual([takenOver]);
  });

  it("is refused where another page has it by now than the one seen", () => {
    const { state } = waiting().append(opened);
    expect(told(decideTakeOver(state, byAnn, { ...byBob, from: "p-0" }))).toMatch(
      /^CASE_CLAIMED: .*ann until/,
    );
  });

  it("is refused against a worker, and where nobody holds the case", () => {
    const { state } = waiting();
    expect(told(decideTakeOver(state, byWorker, { ...byBob, from: null }))).toMatch(/^CASE_CLAIMED: .*w-3/);
    expect(told(decideTakeOver(state, null, { ...byBob, from: null }))).toBe(
      "NOTHING_TO_TAKE_OVER: Nobody holds case case-1 any more. Open it for repair.",
    );
  });

  it("makes the page before refused from then on, in words that name who took over, when and why", () => {
    const { state } = waiting().append(opened).wait(MINUTE).append(takenOver);
    expect(standingOfRepair(state, "r-2", "r-2")).toMatchObject({ kind: "open", repair: { by: bob } });
    expect(told(decideCloseRepair(state, "r-2", "r-1"))).toBe(
      "REPAIR_OVER: This repair of case case-1 is over: bob took it over at 2023-11-14T22:14:20Z (ann is at lunch). " +
        "Nothing was done; open the case again to go on.",
    );
  });

  it("keeps what is attached, for the one who has it now", () => {
    const { state } = waiting().append(opened, attached("e-1"), takenOver, attached("e-2"));
    expect(state.repair?.attached.map(({ sourceId }) => sourceId)).toEqual(["e-1", "e-2"]);
    expect(state.events).toEqual([]);
  });
});

describe("an event during a repair (R22)", () => {
  const event = { eventType: "paid", sourceId: "e-1", payload: null, by: person };

  it("is attached and not applied", () => {
    const story = waiting().append(opened);
    expect(told(decideEvent(story.state, byAnn, event))).toEqual([attached("e-1")]);
    story.append(attached("e-1"));
    expect(story.state.events).toEqual([]);
    expect(story.act("payment").kind).toBe("wait");
    expect(rowOf(story.state)).toMatchObject({
      state: "waiting",
      summary: { repair: { name: "ann", events: 1 } },
    });
  });

  it("is applied where the claim is a worker's, or the repair has lost its claim", () => {
    const { state } = waiting().append(opened);
    expect(told(decideEvent(waiting().state, byWorker, event))).toMatchObject([{ kind: "eventReceived" }]);
    expect(told(decideEvent(state, null, event))).toMatchObject([{ kind: "eventReceived" }]);
  });

  it("is seen ahead of its time by who looks, without being applied", () => {
    const { state } = waiting().append(opened, attached("e-1"));
    const ahead = withAttached(state);
    expect(ahead.events.map(({ sourceId }) => sourceId)).toEqual(["e-1"]);
    expect(state.events).toEqual([]);
    const { state: untouched } = waiting().append(opened);
    expect(withAttached(untouched)).toBe(untouched);
    const { state: plain } = waiting();
    expect(withAttached(plain)).toBe(plain);
  });
});

describe("the end of a repair (R22)", () => {
  it.each([
    ["waiting", waiting],
    ["in_review", inReview],
    ["paused", () => waiting().append({ kind: "paused", by: person, reason: "x", untilAt: START + HOUR })],
  ] as const)("gives back the state before it: %s, with its due time", (_, storyOf) => {
    const before = storyOf().state;
    const note: Entry = { kind: "noteAdded", text: "looked at it", by: ann };
    for (const why of ["closed", "silent", "actBy"] as const) {
      const { state } = storyOf().append(opened, note, ended({ why }));
      expect(state.rest).toEqual(before.rest);
      expect(state).toMatchObject({ repair: null, losses: 0 });
    }
  });

  it("applies what is attached, in the order in which it came, and makes the case ready if that would have", () => {
    const story = waiting().append(opened, attached("e-1"), attached("e-2", "revoked"));
    expect(endRepair(story.state, "closed")).toEqual([ended({ events: 2 })]);
    const { state } = story.wait(MINUTE).append(ended({ events: 2 }));
    expect(state.events).toMatchObject([
      { sourceId: "e-1", revision: 4, at: START },
      { sourceId: "e-2", revision: 5 },
    ]);
    expect(state.rest).toEqual({ kind: "ready", dueAt: START + MINUTE });
    expect(story.act("payment")).toMatchObject({ kind: "confirm", entry: { by: { sourceId: "e-1" } } });
  });

  it("leaves a pause alone, with what was attached applied below it", () => {
    const { state } = waiting().append(
      { kind: "paused", by: person, reason: null, untilAt: null },
      opened,
      attached("e-1"),
      ended({ events: 1 }),
    );
    expect(state.rest.kind).toBe("paused");
    expect(state.events).toHaveLength(1);
  });

  it("with the case itself applies nothing, and says why", () => {
    const canceled: Entry = { kind: "canceled", by: ann, reason: null };
    const story = waiting().append(opened, attached("e-1"), canceled);
    const [end] = endRepair(story.state, "caseEnded");
    expect(end).toEqual(ended({ why: "caseEnded", events: 1, ignored: "the case is canceled" }));
    expect(story.append(ended({ events: 1, ignored: "the case is canceled" })).state).toMatchObject({
      events: [],
      repair: null,
      rest: { kind: "canceled" },
    });
    const { state } = waiting().append(opened, done);
    expect(endRepair(state, "caseEnded")).toEqual([ended({ why: "caseEnded" })]);
  });

  it("is nothing where none is open", () => {
    expect(endRepair(waiting().state, "closed")).toEqual([]);
    expect(repairUnder(waiting().state, null)).toBeNull();
  });

  it("comes once: closing again is known, and closing what another way ended is refused with that", () => {
    const story = waiting().append(opened);
    expect(told(decideCloseRepair(story.state, "r-1", "r-1"))).toEqual([ended()]);
    story.append(ended());
    expect(told(decideCloseRepair(story.state, null, "r-1"))).toBe("repeated");
    expect(told(decideCloseRepair(story.state, null, "r-9"))).toBe(
      "REPAIR_OVER: This repair of case case-1 is not open. Nothing was done; open the case again to go on.",
    );
    const { state } = waiting().append(opened, ended({ why: "silent" }));
    expect(told(decideCloseRepair(state, null, "r-1"))).toMatch(
      /^REPAIR_OVER: .*no sign of life for a whole lease; it was freed at 2023/,
    );
  });

  it.each(["closed", "caseEnded", "silent", "actBy", "orphaned"] as const)("is told in words: %s", (why) => {
    expect(sayRepairEnd(why)).not.toBe("");
  });

  it("is made up for where its claim is gone, so that nothing stays attached for good", () => {
    const { state } = waiting().append(opened, attached("e-1"));
    expect(endOfStaleRepair(state, null)).toEqual([ended({ why: "orphaned", events: 1 })]);
    expect(endOfStaleRepair(state, "r-1")).toEqual([]);
    expect(endOfStaleRepair(waiting().state, null)).toEqual([]);
  });

  it("is remembered for the last twenty", () => {
    const story = waiting();
    for (let index = 1; index <= 25; index += 1) {
      const claimId = `r-${index}`;
      story.append({ ...opening, kind: "repairOpened", claimId }, ended({ claimId }));
    }
    const { formerRepairs } = story.state;
    expect(formerRepairs.map(({ claimId }) => claimId)).toEqual(
      Array.from({ length: 20 }, (_, index) => `r-${index + 6}`),
    );
  });
});

describe("a journal that speaks of a repair that never was", () => {
  it.each([[[attached("e-1")]], [[ended()]], [[takenOver]], [[opened, opened]]])(
    "is corrupt: %j",
    (entries) => {
      const journal = numbered([started(), ...entries], { from: 1, at: START });
      expect(() => foldJournal("case-1", journal)).toThrow(
        expect.objectContaining({ code: "CORRUPT_JOURNAL" }),
      );
    },
  );
});
