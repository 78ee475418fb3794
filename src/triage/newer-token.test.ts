import { describe, expect, test } from "vitest";
import type { Failure } from "../core/failure.ts";
import type { Sorter } from "../core/seen-failure.ts";
import { sortFailure } from "./sort.ts";

const NOW = 1_772_366_400_000;
const DAY_MS = 24 * 3_600_000;

function sort(thrown: unknown, ...sorters: readonly Sorter[]): Failure {
  return sortFailure(thrown, { destination: "crm", stopped: null, now: NOW, evidence: null, sorters });
}

function refused(seen: unknown): Error {
  return Object.assign(new Error("late"), { code: "NEWER_TOKEN", seen });
}

const tooFar: Sorter = () => ({ cause: "transient", executed: "no", newerToken: NOW + 400 * DAY_MS });

describe("a destination that has seen a newer fencing token", () => {
  test("did nothing, and says how far ours must be raised", () => {
    const wrapped = new Error("could not book", { cause: refused(NOW + 5) });
    for (const thrown of [refused(NOW + 5), wrapped]) {
      expect(sort(thrown)).toMatchObject({
        kind: "transient",
        executed: "no",
        confidence: "declared",
        instruction: { kind: "newerToken", seen: NOW + 5, source: "foothold.NEWER_TOKEN" },
      });
    }
  });

  test.each([undefined, "5", 1.5, Number.NaN, 2 ** 53])("is not understood when it says %s", (seen) => {
    expect(sort(refused(seen))).toMatchObject({ executed: "maybe", instruction: null });
  });

  test("is not followed more than a year ahead: ours would soon be out of reach", () => {
    expect(sort(refused(NOW + 366 * DAY_MS)).instruction).toMatchObject({ kind: "newerToken" });
    expect(sort(refused(NOW + 366 * DAY_MS + 1))).toMatchObject({
      kind: "bug",
      executed: "no",
      owner: "developer",
      instruction: null,
      sentence: expect.stringMatching(/more than a year ahead.*\.$/) as unknown,
    });
  });

  test("is not followed further where a sorter of one's own says it", () => {
    expect(sort(new Error("409"), tooFar)).toMatchObject({ kind: "bug", instruction: null });
  });
});

test("what exists for another request is a conflict that did nothing", () => {
  const error = Object.assign(new Error("other"), { code: "DIFFERENT_REQUEST" });
  expect(sort(error)).toMatchObject({ kind: "conflict", executed: "no", rule: "foothold.DIFFERENT_REQUEST" });
});
