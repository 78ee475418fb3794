import { describe, expect, it } from "vitest";
import {
  broken,
  cannotTell,
  destination,
  fact,
  failure,
  HOUR,
  lostAnswer,
  outlineOf,
  person,
  probe,
  rejection,
  SECOND,
  START,
  Story,
} from "./case.fixture.ts";
import type { Entry } from "./journal.ts";
import {
  askedApproval,
  decideApproval,
  decideCancel,
  decideCorrection,
  decideEvent,
  decideNote,
  decidePause,
  decideResume,
  type HeldBy,
  type MoveVerdict,
} from "./moves.ts";
import type { Holder } from "./state.ts";

const line = outlineOf({ kind: "approval", name: "approve" }, { kind: "step", name: "create" });
const one = (): Story => new Story(outlineOf({ kind: "step", name: "create" }));
const why = { by: person, reason: null };
const pause: Entry = { kind: "paused", ...why, untilAt: null };
const done: Entry = { kind: "caseDone" };
const canceled: Entry = { kind: "canceled", ...why };

const holder: Holder = {
  holderId: "h-1",
  kind: "worker",
  name: "w-3",
  host: "box",
  build: "1",
  leaseMs: 10 * SECOND,
  beatAt: START,
  endedAt: null,
};
const claim = { claimId: "c", holderId: "h-1", claimedAt: START, actByAt: START + HOUR };
const held: HeldBy = { claim, holder };
const byPage: HeldBy = { claim, holder: { ...holder, kind: "page", name: "ada" } };
const inRepair: Entry = { kind: "repairOpened", claimId: "c", holderId: "h-1", by: person };

const written = (verdict: MoveVerdict): readonly Entry[] | string => {
  switch (verdict.kind) {
    case "write":
      return verdict.entries;
    case "repeated":
      return "repeated";
    case "refused":
      return `${verdict.code}: ${verdict.sentence}`;
  }
};
const code = (verdict: MoveVerdict): string => (verdict.kind === "refused" ? verdict.code : verdict.kind);

const now = (): string => '#{"input":{"vendor":"acme"},"step":"create"}';

describe("an event (R4)", () => {
  const event = { eventType: "paid", sourceId: "e-1", payload: 1, by: person };

  it("is stored, whoever holds the case", () => {
    const story = one();
    expect(written(decideEvent(story.state, null, event))).toEqual([
      { kind: "eventReceived", ...event, ignored: null },
    ]);
  });

  it("is kept as ignored on an ended case, and applied on a paused one", () => {
    expect(written(decideEvent(one().append(done).state, null, event))).toMatchObject([
      { ignored: "the case is done" },
    ]);
    expect(written(decideEvent(one().append(canceled).state, null, event))).toMatchObject([
      { ignored: "the case is canceled" },
    ]);
    expect(written(decideEvent(one().append(pause).state, null, event))).toMatchObject([{ ignored: null }]);
  });
});

describe("an approval answer", () => {
  const answer = {
    step: "approve",
    approved: true,
    form: { limit: 1 },
    note: null,
    sourceId: "a-1",
    by: person,
  };
  const decide = (story: Story, over: Partial<typeof answer> = {}): MoveVerdict =>
    decideApproval(story.planInput(), null, { ...answer, ...over });

  it("is stored where it is asked for, once", () => {
    const story = new Story(line);
    expect(written(decide(story))).toEqual([{ kind: "approvalAnswered", ...answer }]);
    story.append({ kind: "approvalAnswered", ...answer });
    expect(written(decide(story, { sourceId: "a-2" }))).toBe(
      "ALREADY_ANSWERED: approve of case case-1 is answered already.",
    );
    expect(code(decide(story.settle(), { sourceId: "a-2" }))).toBe("ALREADY_ANSWERED");
  });

  it("is asked for with the wait that says of whom, and of nobody once it is given", () => {
    const story = new Story(line);
    const asked = (step: string): unknown => askedApproval(story.planInput(), step);
    expect(asked("approve")).toMatchObject({ kind: "approval", step: "approve", by: "finance" });
    expect([asked("create"), asked("other")]).toEqual([null, null]);
    story.append({ kind: "approvalAnswered", ...answer });
    expect(asked("approve")).toBeNull();
    const waits = new Story(outlineOf({ kind: "waitForEvent", name: "paid" }));
    expect(askedApproval(waits.planInput(), "paid")).toBeNull();
  });

  it("after a no is refused until a person resumes", () => {
    const story = new Story(line).approve("approve", false).settle();
    expect(written(decide(story))).toBe(
      "ALREADY_ANSWERED: approve of case case-1 is answered already. Resume it first, so that it is asked again.",
    );
    expect(code(decide(story.resume()))).toBe("write");
  });

  it("is taken again for an approval that lapsed, also before anybody wrote the lapse down", () => {
    const story = new Story(line).approve("approve").settle().correct({ vendor: "other" });
    expect(code(decide(story))).toBe("write");
    expect(code(decide(story.settle()))).toBe("write");
  });

  it("is refused with the approvals there are for a step that is none", () => {
    expect(written(decide(new Story(line), { step: "create" }))).toBe(
      "NOT_WAITING_FOR_APPROVAL: create is not an approval of purchase. Its approvals: approve.",
    );
    expect(written(decide(one(), { step: "nothing" }))).toBe(
      "NOT_WAITING_FOR_APPROVAL: nothing is not an approval of purchase. It has no approval.",
    );
  });

  it("is refused with the reason while it is not asked for", () => {
    const later = new Story(
      outlineOf({ kind: "step", name: "create" }, { kind: "approval", name: "approve" }),
    );
    expect(written(decide(later))).toBe(
      "NOT_WAITING_FOR_APPROVAL: approve of case case-1 is not asked for: it follows create.",
    );
    const late = new Story(line).wait(100 * HOUR);
    expect(written(decide(late))).toMatch(
      /is not asked for: Nobody answered approve in time; .* after a resume\.$/,
    );
    const unsure = new Story(outlineOf({ kind: "approval", name: "approve", requires: [probe("open")] }));
    const notYet = /is not asked for: its prerequisites are not answered yet\.$/;
    expect(written(decide(unsure))).toMatch(notYet);
    expect(written(decide(unsure.probe("approve", probe("open"), cannotTell("down"))))).toMatch(notYet);
    const busy = decideApproval(unsure.planInput({ busy: new Set(["approve"]) }), null, answer);
    expect(written(busy)).toMatch(notYet);
  });

  it("is refused on an ended case", () => {
    expect(code(decide(new Story(line).append(done)))).toBe("CASE_ENDED");
  });
});

describe("a note", () => {
  it("is stored on any case", () => {
    expect(written(decideNote("called them", person))).toEqual([
      { kind: "noteAdded", text: "called them", by: person },
    ]);
  });
});

describe("a cancel", () => {
  it("ends a case of which nothing is confirmed and nothing can have happened", () => {
    expect(written(decideCancel(one().state, null, why))).toEqual([canceled]);
    expect(written(decideCancel(one().append(pause).state, null, why))).toEqual([canceled]);
    expect(written(decideCancel(one().open("create").fail("create").state, null, why))).toEqual([canceled]);
  });

  it("is no matter of answers: what a person approved is no effect", () => {
    expect(written(decideCancel(new Story(line).approve("approve").settle().state, null, why))).toEqual([
      canceled,
    ]);
  });

  it("is asked for where something is confirmed or may have happened, once", () => {
    const asked = [{ kind: "cancelRequested", ...why }];
    const story = new Story(line).approve("approve").settle().open("create").fail("create", lostAnswer);
    expect(written(decideCancel(story.state, null, why))).toEqual(asked);
    expect(written(decideCancel(one().confirm("create").append(pause).state, null, why))).toEqual(asked);
    story.append({ kind: "cancelRequested", ...why });
    expect(code(decideCancel(story.state, null, why))).toBe("repeated");
  });

  it("against a worker's claim becomes a request, once; without a claim a request is carried out at once", () => {
    const story = one();
    expect(written(decideCancel(story.state, held, why))).toEqual([{ kind: "cancelRequested", ...why }]);
    story.append({ kind: "cancelRequested", ...why });
    expect(code(decideCancel(story.state, held, why))).toBe("repeated");
    expect(written(decideCancel(story.state, null, why))).toEqual([canceled]);
  });

  it("is refused against a person's open page, and on an ended case; a canceled one knows it", () => {
    expect(code(decideCancel(one().append(inRepair).state, byPage, why))).toBe("CASE_CLAIMED");
    expect(code(decideCancel(one().append(done).state, null, why))).toBe("CASE_ENDED");
    expect(code(decideCancel(one().append(canceled).state, null, why))).toBe("repeated");
  });
});

describe("a pause", () => {
  const until = { ...why, untilAt: START + HOUR };

  it("stops a case nobody holds, and asks a worker that holds it", () => {
    expect(written(decidePause(one().state, null, until))).toEqual([{ kind: "paused", ...until }]);
    expect(written(decidePause(one().state, held, until))).toEqual([{ kind: "pauseRequested", ...until }]);
  });

  it("is known where it stands as asked, and takes another time", () => {
    const paused = one().append({ kind: "paused", ...until });
    expect(code(decidePause(paused.state, null, until))).toBe("repeated");
    expect(written(decidePause(paused.state, null, { ...why, untilAt: null }))).toEqual([pause]);
    const asked = one().append({ kind: "pauseRequested", ...until });
    expect(code(decidePause(asked.state, held, until))).toBe("repeated");
    expect(code(decidePause(asked.state, held, { ...why, untilAt: null }))).toBe("write");
  });

  it("is asked of the worker that claimed a paused case when its time had passed, and carried out where none did", () => {
    const paused = one().append({ kind: "paused", ...until });
    expect(written(decidePause(paused.state, held, until))).toEqual([{ kind: "pauseRequested", ...until }]);
    expect(code(decidePause(one().append({ kind: "pauseRequested", ...until }).state, null, until))).toBe(
      "write",
    );
  });

  it("is refused against a person's open page and on an ended case", () => {
    expect(code(decidePause(one().append(inRepair).state, byPage, until))).toBe("CASE_CLAIMED");
    expect(code(decidePause(one().append(done).state, null, until))).toBe("CASE_ENDED");
  });
});

describe("a resume (R16)", () => {
  const decide = (story: Story, over: { step?: string; held?: HeldBy | null } = {}): MoveVerdict =>
    decideResume(story.planInput(), over.held ?? null, { step: over.step ?? null, ...why });
  const resumed: readonly Entry[] = [{ kind: "resumed", step: null, ...why }];

  it("lets a step go on that waits for a person or for its next automatic try", () => {
    expect(written(decide(one().open("create").fail("create")))).toEqual(resumed);
    expect(
      written(
        decide(
          one()
            .open("create")
            .fail("create", failure({ cause: "bug" }))
            .settle(),
        ),
      ),
    ).toEqual(resumed);
    const unsure = new Story(outlineOf({ kind: "step", name: "create", requires: [probe("open")] }));
    expect(written(decide(unsure.probe("create", probe("open"), cannotTell("down"))))).toEqual(resumed);
    const asked = new Story(
      outlineOf({
        kind: "step",
        name: "create",
        hasCheck: true,
        destination: destination({ repeatSafety: { by: "lookup" } }),
      }),
    );
    asked.open("create").fail("create", lostAnswer).check("create", cannotTell("down"));
    expect(written(decide(asked))).toEqual(resumed);
  });

  it("is refused where nothing waits for a person or a retry, and says what it waits for", () => {
    expect(written(decide(new Story(line)))).toBe(
      "NOTHING_TO_RESUME: Case case-1 has nothing to resume: approve waits for the approval of finance.",
    );
    expect(written(decide(one(), { step: "create" }))).toBe(
      "NOTHING_TO_RESUME: Case case-1 has nothing to resume at create: no step waits for a person or for a retry.",
    );
  });

  it("is refused with the holder and the time against a claim", () => {
    const stuck = one().open("create").fail("create");
    expect(written(decide(stuck, { held }))).toBe(
      "CASE_CLAIMED: Case case-1 is held by w-3 (box) until 2023-11-14T22:13:30Z, or longer while that holder is at " +
        "work; then the sweep frees it. Try again once it is free.",
    );
    expect(written(decide(stuck, { held: { claim, holder: null } }))).toMatch(
      /held by holder h-1 until 2023-11-14T23:13:20Z/,
    );
  });

  it("ends a pause, and withdraws a request for one", () => {
    expect(written(decide(one().append(pause)))).toEqual(resumed);
    expect(written(decide(one().append({ kind: "pauseRequested", ...why, untilAt: null })))).toEqual(resumed);
  });

  it("is refused with what is still missing where the case would only stop again", () => {
    const story = new Story(
      outlineOf({ kind: "step", name: "create", requires: [fact("approved")] }),
    ).confirm("create");
    story.facts.set("create.approved", broken("revoked"));
    expect(written(decide(story.settle()))).toBe(
      "RESUME_BLOCKED: Case case-1 would stop again at create: create was done, but no longer stands: " +
        'the prerequisite "approved" is broken (revoked). It is not done again by itself.',
    );
  });

  it("is refused for a rejected request that has not changed, and allowed once it has", () => {
    const story = one().open("create").fail("create", rejection).settle();
    const fingerprint = story.step("create").intent?.fingerprint ?? "";
    const request = { step: null, ...why };
    expect(written(decide(story))).toBe(
      "RESUME_BLOCKED: Case case-1 would send create again exactly as it was rejected. " +
        "erp rejected the request. (vendor: is unknown) " +
        "Correct the input first, or force it for this step with a reason.",
    );
    expect(code(decideResume(story.planInput(), null, request, () => fingerprint))).toBe("RESUME_BLOCKED");
    // New code, an event or another result can change the request as well as a correction can.
    expect(code(decideResume(story.planInput(), null, request, () => "another"))).toBe("write");
    expect(code(decide(story.correct({ vendor: "other" })))).toBe("NOTHING_TO_RESUME");
  });

  it("sends what was rejected once more where a person forces it, and only once", () => {
    const story = one().open("create").fail("create", rejection).settle();
    const order = { step: "create", by: person, reason: "they corrected their side", forced: true } as const;
    const fingerprint = story.step("create").intent?.fingerprint ?? "";
    const verdict = decideResume(story.planInput(), null, order, () => fingerprint);
    if (verdict.kind !== "write") throw new Error(JSON.stringify(verdict));
    story.append(...verdict.entries);
    expect(story.act("create")).toEqual({ kind: "send", repeats: [] });
    story.open("create").fail("create", rejection).settle();
    expect(code(decideResume(story.planInput(), null, { step: null, ...why }, () => fingerprint))).toBe(
      "RESUME_BLOCKED",
    );
    // For the whole case it is a fold over every step.
    story.append({ kind: "resumed", step: null, by: person, reason: "again", forced: true });
    expect(story.step("create").rejected).toEqual([]);
  });

  it("is refused for a request that was rejected under an earlier version and is wanted again", () => {
    const story = one().open("create").fail("create", rejection).correct({ vendor: "other" }).open("create");
    story.fail("create").correct({ vendor: "acme" });
    const opened = story.decideOpen("create");
    if (opened.kind === "open") throw new Error("it was opened");
    story.append({ kind: "reviewOpened", review: opened.review }, { kind: "parked", waits: [], dueAt: null });
    expect(code(decideResume(story.planInput(), null, { step: null, ...why }, now))).toBe("RESUME_BLOCKED");
  });

  it("of several problems is allowed when one of them can go on, and of a named step for that alone", () => {
    const story = new Story(
      outlineOf({ kind: "step", name: "a", after: [] }, { kind: "step", name: "b", after: [] }),
    );
    story
      .open("a")
      .fail("a", rejection)
      .open("b")
      .fail("b", failure({ cause: "bug" }))
      .settle();
    expect(code(decide(story))).toBe("write");
    expect(code(decide(story, { step: "a" }))).toBe("RESUME_BLOCKED");
    expect(written(decide(story, { step: "b" }))).toEqual([{ kind: "resumed", step: "b", ...why }]);
  });

  it("closes a review that outlived its cause", () => {
    const story = new Story(
      outlineOf({ kind: "step", name: "create", requires: [fact("approved")] }),
    ).confirm("create");
    story.facts.set("create.approved", broken("revoked"));
    story.settle().facts.clear();
    expect(written(decide(story))).toEqual(resumed);
    expect(code(decide(story, { step: "create" }))).toBe("write");
  });

  it("closes the review of a rejected step that the definition no longer has", () => {
    const story = one().open("create").fail("create", rejection).settle();
    story.outline = outlineOf({ kind: "step", name: "notify" });
    expect(written(decide(story))).toEqual(resumed);
  });

  it("is refused for a step that the definition no longer has while nobody knows whether it happened", () => {
    const story = one().open("create").fail("create", lostAnswer);
    story.outline = outlineOf({ kind: "step", name: "notify" });
    story.confirm("notify").settle();
    expect(written(decide(story))).toMatch(
      /^RESUME_BLOCKED: Case case-1 would stop again at create: create may have happened/,
    );
  });

  it("of an ended case only closes its open reviews", () => {
    const review: Entry = {
      kind: "reviewOpened",
      review: {
        step: "create",
        reason: "mayExistTwice",
        sentence: "Look.",
        owner: "o",
        nextCheckAllowedAt: null,
      },
    };
    expect(written(decide(one().append(done, review)))).toEqual(resumed);
    expect(code(decide(one().append(done, review), { step: "create" }))).toBe("write");
    expect(code(decide(one().append(done, review), { step: "other" }))).toBe("CASE_ENDED");
    expect(written(decide(one().append(done)))).toBe(
      "CASE_ENDED: Case case-1 is done; nothing more can be done with it.",
    );
  });

  it("sees the case as it is later than a clock that went back", () => {
    const story = one()
      .wait(HOUR)
      .open("create")
      .fail("create", failure({ cause: "bug" }))
      .settle();
    expect(code(decide(story.wait(-2 * HOUR)))).toBe("write");
    expect(story.now).toBe(START - HOUR);
  });
});

describe("a correction", () => {
  const correction = { input: { vendor: "other" }, by: person, reason: "typing error" };

  it("is stored on an open case that nobody holds", () => {
    expect(written(decideCorrection(one().state, null, correction))).toEqual([
      { kind: "inputCorrected", ...correction },
    ]);
  });

  it("is refused against a claim and on an ended case", () => {
    expect(code(decideCorrection(one().state, held, correction))).toBe("CASE_CLAIMED");
    expect(code(decideCorrection(one().append(done).state, null, correction))).toBe("CASE_ENDED");
  });
});
