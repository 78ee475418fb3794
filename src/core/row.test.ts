import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  failure,
  HOUR,
  later,
  lostAnswer,
  MINUTE,
  numbered,
  outlineOf,
  person,
  SECOND,
  START,
  started,
  Story,
} from "./case.fixture.ts";
import { foldJournal } from "./fold.ts";
import type { Entry } from "./journal.ts";
import { isClaimable, rowOf, type StoredState } from "./row.ts";

const two = outlineOf({ kind: "step", name: "create" }, { kind: "step", name: "notify" });

const due = (...entries: readonly Entry[]): number | null =>
  rowOf(new Story(two).append(...entries).state).dueAt;

describe("the row of a case", () => {
  it("names who can restore the access that it waits for", () => {
    const wait = {
      kind: "access",
      step: "create",
      dueAt: START,
      destination: "erp",
      credentialId: "erp-1",
      owner: "erp-admins",
    } as const;
    const parked = new Story(two).append({ kind: "parked", waits: [wait], dueAt: START });
    expect(rowOf(parked.state).summary.waits).toEqual([wait]);
  });

  it("follows from its journal alone: state, due time, revision, and since when", () => {
    const story = new Story(two).wait(SECOND).open("create").fail("create").settle();
    expect(rowOf(story.state)).toMatchObject({
      state: "waiting",
      dueAt: START + SECOND + 2_500,
      revision: 5,
      changedAt: START + SECOND,
      summary: {
        confirmed: 0,
        waits: [{ kind: "retry" }],
        reviews: [],
        unsettled: [],
        lastFailure: { step: "create", attempt: 1, kind: "transient", executed: "no", at: START + SECOND },
        losses: 0,
        isRepaired: false,
        stoppedBy: null,
      },
    });
  });

  it("has the key that limits how many cases are worked on at once, whatever becomes of its input", () => {
    const first = started({ customer: "c-7" });
    if (first.kind !== "caseStarted") throw new Error("it begins with its start");
    const begun: Entry = { ...first, concurrencyKey: "c-7" };
    const corrected: Entry = {
      kind: "inputCorrected",
      input: { customer: "c-8" },
      by: person,
      reason: "typing error",
    };
    const state = foldJournal("case-1", numbered([begun, corrected], { from: 1, at: START }));
    expect(rowOf(state).summary.concurrencyKey).toBe("c-7");
    expect(rowOf(new Story(two).state).summary).not.toHaveProperty("concurrencyKey");
  });

  it("is due at once when ready, never when in review or ended, and when its pause ends", () => {
    expect(due()).toBe(START);
    expect(due({ kind: "parked", waits: [], dueAt: null })).toBeNull();
    expect(due({ kind: "caseDone" })).toBeNull();
    expect(due({ kind: "canceled", by: person, reason: null })).toBeNull();
    expect(due({ kind: "paused", by: person, reason: null, untilAt: null })).toBeNull();
    expect(due({ kind: "paused", by: person, reason: null, untilAt: START + HOUR })).toBe(START + HOUR);
  });

  it("counts what is confirmed and not found lapsed", () => {
    const story = new Story(two).confirm("create").confirm("notify");
    expect(rowOf(story.state).summary.confirmed).toBe(2);
    expect(rowOf(story.correct({ vendor: "other" }).settle().state).summary.confirmed).toBe(0);
  });

  it("lists every open review, and who stopped the case and why", () => {
    const story = new Story(two)
      .open("create")
      .fail("create", failure({ cause: "denied" }))
      .settle();
    expect(rowOf(story.state)).toMatchObject({
      state: "in_review",
      summary: { reviews: [{ reason: "denied" }] },
    });
    const paused = later(story.state, START, {
      kind: "paused",
      by: person,
      reason: "audit",
      untilAt: START + HOUR,
    });
    expect(rowOf(paused).summary.stoppedBy).toEqual({ name: "ada", reason: "audit", untilAt: START + HOUR });
    const canceled = later(story.state, START, { kind: "canceled", by: person, reason: null });
    expect(rowOf(canceled).summary.stoppedBy).toEqual({ name: "ada", reason: null, untilAt: null });
  });

  it("names the steps of which nobody knows whether they happened", () => {
    const story = new Story(two).open("create");
    expect(rowOf(story.state).summary.unsettled).toEqual(["create"]);
    expect(rowOf(story.fail("create", lostAnswer).state).summary.unsettled).toEqual(["create"]);
    expect(rowOf(story.wait(MINUTE).confirm("create").state).summary.unsettled).toEqual([]);
    expect(rowOf(new Story(two).open("create").fail("create").state).summary.unsettled).toEqual([]);
  });

  it("shows the newest failure of what is not confirmed yet: what was overcome is history", () => {
    const side = outlineOf({ kind: "step", name: "a", after: [] }, { kind: "step", name: "b", after: [] });
    const story = new Story(side).open("a").fail("a").wait(SECOND).open("b").fail("b");
    expect(rowOf(story.state).summary.lastFailure).toMatchObject({ step: "b", at: START + SECOND });
    story.wait(SECOND).open("a").fail("a");
    expect(rowOf(story.state).summary.lastFailure).toMatchObject({ step: "a", attempt: 2 });
    story.open("a").succeed("a").open("b").succeed("b");
    expect(rowOf(story.state).summary.lastFailure).toBeNull();
  });
});

describe("the claimable rule", () => {
  const states: readonly StoredState[] = [
    "ready",
    "claimed",
    "waiting",
    "paused",
    "in_review",
    "done",
    "canceled",
  ];

  it("a case may be claimed when it is ready, waiting or paused, and due", () => {
    const claimable = states.filter((state) => isClaimable({ state, dueAt: START }, START));
    expect(claimable).toEqual(["ready", "waiting", "paused"]);
    expect(states.some((state) => isClaimable({ state, dueAt: START + 1 }, START))).toBe(false);
    expect(states.some((state) => isClaimable({ state, dueAt: null }, START))).toBe(false);
  });

  it("stays true once it is: nothing but a change of the row takes a due case away", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...states),
        fc.integer(),
        fc.integer(),
        fc.nat(),
        (state, dueAt, now, more) => {
          const before = isClaimable({ state, dueAt }, now);
          const after = isClaimable({ state, dueAt }, now + more);
          expect(after || !before).toBe(true);
        },
      ),
    );
  });
});
