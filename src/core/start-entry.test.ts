import { describe, expect, it } from "vitest";
import { DAY, HOUR, outlineOf, person, START, started, Story } from "./case.fixture.ts";
import type { Entry } from "./journal.ts";
import { rowOf, type RestingState } from "./row.ts";
import { holdsKey, keyFreedByIn, priorityIn } from "./start-entry.ts";
import { PRIORITY_STEP_MS, turnAt } from "./starting.ts";

const first = started() as Extract<Entry, { kind: "caseStarted" }>;
const note: Entry = { kind: "noteAdded", text: "x", by: person };

/** A case that was started to begin in a day. */
function later(): Story {
  const story = new Story(
    outlineOf({ kind: "waitForEvent", name: "paid" }, { kind: "approval", name: "approve" }),
  );
  story.journal.splice(0, 1);
  return story.append({ ...first, startAt: START + DAY });
}

const dueAt = (story: Story): number | null => rowOf(story.state).dueAt;

describe("a case that is started for later", () => {
  it("is due then, whatever comes before", () => {
    const story = later().wait(HOUR).append(note).event("paid", "e-1").correct({ vendor: "other" });
    expect(rowOf(story.state)).toMatchObject({ state: "ready", dueAt: START + DAY });
    expect(story.state).toMatchObject({ startedAt: START, beginsAt: START + DAY });
  });

  it("is due at once where its time has passed already", () => {
    const story = new Story(outlineOf({ kind: "waitForEvent", name: "paid" }));
    story.journal.splice(0, 1);
    expect(dueAt(story.append({ ...first, startAt: START - DAY }))).toBe(START);
  });

  it("counts its times from when it begins", () => {
    expect(later().act("paid")).toMatchObject({ wait: { dueAt: START + 2 * DAY } });
  });

  it("begins at once when a person resumes it, and not when they resume one of its steps", () => {
    const story = later().wait(HOUR);
    expect(dueAt(story.append({ kind: "resumed", step: "paid", by: person, reason: null }))).toBe(
      START + DAY,
    );
    expect(dueAt(story.append({ kind: "resumed", step: null, by: person, reason: null }))).toBe(START + HOUR);
  });

  it("does not begin sooner by a pause or its end", () => {
    const paused = { kind: "paused", by: person, reason: null, untilAt: START + HOUR } as const;
    const story = later().append(paused);
    expect(rowOf(story.state)).toMatchObject({ state: "paused", dueAt: START + DAY });
    expect(dueAt(story.append({ kind: "resumed", step: null, by: person, reason: null }))).toBe(START + DAY);
    expect(dueAt(later().append({ ...paused, untilAt: null }))).toBeNull();
  });

  it("is canceled without waiting for its time", () => {
    const story = later().wait(HOUR).append({ kind: "cancelRequested", by: person, reason: null });
    expect(dueAt(story)).toBe(START + HOUR);
  });
});

describe("what a case starts with", () => {
  it("is normal priority and a key that nothing frees, unless it says otherwise", () => {
    expect([priorityIn([first]), keyFreedByIn([first])]).toEqual(["normal", "nothing"]);
    const told = [{ ...first, priority: "low", keyFreedBy: "end" } as const, note];
    expect([priorityIn(told), keyFreedByIn(told)]).toEqual(["low", "end"]);
    expect([priorityIn([note]), keyFreedByIn([])]).toEqual(["normal", "nothing"]);
  });
});

describe("a business key", () => {
  const states: readonly RestingState[] = ["ready", "waiting", "paused", "in_review", "done", "canceled"];

  it.each([
    ["nothing", []],
    ["canceled", ["canceled"]],
    ["end", ["done", "canceled"]],
  ] as const)("freed by %s is free in the states %j", (freedBy, free) => {
    expect(states.filter((state) => !holdsKey(state, freedBy))).toEqual(free);
  });
});

describe("the turn of a due case", () => {
  it("comes before those of lower priority, until they have waited for one step more", () => {
    expect(turnAt(START, "high")).toBeLessThan(turnAt(START, "normal"));
    expect(turnAt(START, "normal")).toBeLessThan(turnAt(START, "low"));
    expect(turnAt(START, "low")).toBe(turnAt(START + PRIORITY_STEP_MS, "normal"));
    expect(turnAt(START - PRIORITY_STEP_MS - 1, "normal")).toBeLessThan(turnAt(START, "high"));
  });
});
