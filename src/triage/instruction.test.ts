import { describe, expect, test } from "vitest";
import type { Instruction } from "../core/failure.ts";
import { readInstruction, type Headers } from "./instruction.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const DAY_MS = 86_400_000;

function instructionOf(headers: Headers, now: number): Instruction | null {
  return readInstruction({ headers, body: null, isSlowDown: true }, now).instruction;
}

describe("an instruction in the headers", () => {
  test.each<[string, Headers, number]>([
    ["seconds", { "retry-after": "37" }, 37_000],
    ["a fraction of a second", { "retry-after": "0.25" }, 250],
    ["white space around", { "retry-after": " 5 " }, 5_000],
    ["milliseconds, which are more exact", { "retry-after": "9", "retry-after-ms": "1500" }, 1_500],
    ["milliseconds as Azure writes them", { "x-ms-retry-after-ms": "20" }, 20],
    ["days, which is for people to know", { "retry-after": "172800" }, 2 * DAY_MS],
    ["a date, by our clock", { "retry-after": "Sun, 01 Mar 2026 12:00:30 GMT" }, 30_000],
    [
      "a date, by the clock of the server that wrote it",
      { "retry-after": "Sun, 01 Mar 2026 15:00:30 GMT", date: "Sun, 01 Mar 2026 15:00:00 GMT" },
      30_000,
    ],
    [
      "a date, by our clock where the server's own cannot be read",
      { "retry-after": "Sun, 01 Mar 2026 12:00:30 GMT", date: "yesterday" },
      30_000,
    ],
  ])("is read: %s", (_, headers, delayMs) => {
    expect(instructionOf(headers, NOW)).toMatchObject({ kind: "retryAfter", delayMs });
  });

  test.each<[string, Headers]>([
    ["nothing", {}],
    ["zero, which would be at once", { "retry-after": "0" }],
    ["a negative number", { "retry-after": "-5" }],
    ["words", { "retry-after": "soon" }],
    ["an empty text", { "retry-after": "" }],
    ["more than a year", { "retry-after": "99999999" }],
    ["a moment in time as a number", { "retry-after": "1772366400" }],
    ["a moment in time as milliseconds", { "retry-after-ms": "1772366400000" }],
    ["a date in the past", { "retry-after": "Sun, 01 Mar 2026 11:59:00 GMT" }],
    ["a number of another notation", { "retry-after": "1e3" }],
    ["an endless number", { "retry-after": "9".repeat(400) }],
  ])("that makes no sense is none, so that our own delay holds: %s", (_, headers) => {
    expect(instructionOf(headers, NOW)).toBeNull();
  });

  test("not to try again wins over a time to try again", () => {
    for (const name of ["stripe-should-retry", "x-should-retry"]) {
      expect(instructionOf({ [name]: "false", "retry-after": "5" }, NOW)).toMatchObject({
        kind: "doNotRetry",
      });
      expect(instructionOf({ [name]: "true" }, NOW)).toBeNull();
    }
  });
});
