import { describe, expect, test } from "vitest";
import {
  engineVersionFor,
  givePlaces,
  isPlaceHeld,
  KEYED_ENGINE_VERSION,
  keyTurnAt,
  lookAgainAt,
  type InLine,
  type KeyPlace,
  type KeySeen,
} from "./key-places.ts";
import { PRIORITY_STEP_MS } from "./starting.ts";

const SECOND = 1_000;

function due(caseId: string, dueAt: number, more: Partial<InLine> = {}): InLine {
  return { caseId, dueAt, heldSinceAt: null, priority: "normal", ...more };
}

function place(slot: number, caseId: string): KeyPlace {
  return { slot, caseId, claimId: `claim-${caseId}`, freedBy: "rest" };
}

const free: KeySeen = { limit: 1, held: [], firstBehindAt: null };

describe("the places of a key", () => {
  test.each<readonly [string, readonly InLine[], Partial<KeySeen>, Readonly<Record<string, number>>]>([
    ["go to nobody where nobody is in line", [], {}, {}],
    ["go to the first in turn", [due("b", 2), due("a", 1)], {}, { a: 1 }],
    ["go to as many as the limit", [due("c", 3), due("a", 1), due("b", 2)], { limit: 2 }, { a: 1, b: 2 }],
    ["go to one of two that were due at once by their ids", [due("b", 1), due("a", 1)], {}, { a: 1 }],
    [
      "go to one of two that were due at once, whichever comes first",
      [due("a", 1), due("b", 1)],
      {},
      { a: 1 },
    ],
    ["go by priority too", [due("a", 1), due("b", 2, { priority: "high" })], {}, { b: 1 }],
    ["go to nobody while all are taken", [due("a", 1)], { held: [place(1, "x")] }, {}],
    [
      "that are free are between others",
      [due("a", 1)],
      { limit: 3, held: [place(1, "x"), place(3, "y")] },
      { a: 2 },
    ],
    ["are kept by whoever has one", [due("a", 1), due("b", 0)], { held: [place(1, "a")] }, { a: 1 }],
    [
      "are kept above a limit that is lower by now, and none is given before fewer are taken",
      [due("a", 1), due("b", 0)],
      { limit: 2, held: [place(2, "x"), place(3, "a")] },
      { a: 3 },
    ],
    [
      "are not taken by a new one before whoever is held back for longer",
      [due("a", 5)],
      { firstBehindAt: 4 },
      {},
    ],
    ["are taken by a new one that has its turn first", [due("a", 4)], { firstBehindAt: 4 }, { a: 1 }],
    [
      "are taken by one that was held back itself, so that none waits for ever",
      [due("a", 5, { heldSinceAt: 5 })],
      { firstBehindAt: 4 },
      { a: 1 },
    ],
    [
      "go to whoever was held back first, whenever it comes due by itself",
      [due("a", 90, { heldSinceAt: 1 }), due("b", 2)],
      {},
      { a: 1 },
    ],
  ])("%s", (_, inLine, seen, given) => {
    expect(Object.fromEntries(givePlaces(inLine, { ...free, ...seen }))).toEqual(given);
  });

  test("are given by turns that move with the priority", () => {
    expect(keyTurnAt(due("a", 9, { priority: "low" }))).toBe(9 + PRIORITY_STEP_MS);
    expect(keyTurnAt(due("a", 9, { heldSinceAt: 3 }))).toBe(3);
  });

  test.each([
    ["rest", { state: "claimed", claimId: "claim-a" }, true],
    ["rest", { state: "claimed", claimId: "another" }, false],
    ["rest", { state: "waiting", claimId: null }, false],
    ["rest", null, false],
    ["end", { state: "claimed", claimId: "another" }, true],
    ["end", { state: "waiting", claimId: null }, true],
    ["end", { state: "in_review", claimId: null }, true],
    ["end", { state: "done", claimId: null }, false],
    ["end", { state: "canceled", claimId: null }, false],
    ["end", null, false],
  ] as const)("freed by %s hold for a case that is %j: %j", (freedBy, holder, isHeld) => {
    expect(isPlaceHeld({ ...place(1, "a"), freedBy }, holder)).toBe(isHeld);
  });
});

describe("a case that its key holds back", () => {
  test.each([
    [0, 30],
    [29, 30],
    [45, 45],
    [599, 599],
    [86_400, 600],
  ])("for %i seconds comes due by itself after %i more", (heldFor, after) => {
    expect(lookAgainAt(1_000 * SECOND, (1_000 + heldFor) * SECOND)).toBe((1_000 + heldFor + after) * SECOND);
  });

  test("needs an engine that knows of places; one without a key does not", () => {
    expect(engineVersionFor(null)).toBe(1);
    expect(engineVersionFor("c-7")).toBe(KEYED_ENGINE_VERSION);
  });
});
