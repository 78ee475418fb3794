import { describe, expect, test } from "vitest";
import type { Instruction } from "../core/failure.ts";
import type { Json } from "../core/json.ts";
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
    ["the longest of two that were sent", { "retry-after": "5, 120" }, 120_000],
    ["one of two that makes sense", { "retry-after": "-5, 7" }, 7_000],
    ["a year at most, which is for people to know all the same", { "retry-after": "99999999" }, 366 * DAY_MS],
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
    ["a reset that is a count of ms, or of days", { "x-ratelimit-reset": "600000" }],
    ["the same, in the header of the draft", { "ratelimit-reset": "600000", "ratelimit-remaining": "0" }],
    ["two that are no numbers", { "retry-after": "soon, later" }],
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

describe("a source of its own", () => {
  const later = NOW + 90_000;
  test.each<[string, Headers, number]>([
    ["AWS, in ms, cut to what it may mean", { "x-amz-retry-after": "3600000" }, 300_000],
    ["the IETF draft", { ratelimit: '"burst";r=0;t=30, "day";r=9;t=80000' }, 30_000],
    ["its older form", { ratelimit: "limit=10, remaining=0, reset=12" }, 12_000],
    ["three headers", { "ratelimit-remaining": "0", "ratelimit-reset": "9" }, 9_000],
    [
      "GitHub, a second later",
      { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(later / 1_000) },
      91_000,
    ],
    ["X", { "x-rate-limit-remaining": "0", "x-rate-limit-reset": String(later / 1_000) }, 90_000],
    ["Discord", { "x-ratelimit-remaining": "0", "x-ratelimit-reset-after": "1.25" }, 1_250],
    ["OpenAI", { "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m0s" }, 360_000],
    [
      "Anthropic",
      {
        "anthropic-ratelimit-tokens-remaining": "0",
        "anthropic-ratelimit-tokens-reset": new Date(later).toISOString(),
      },
      90_000,
    ],
    [
      "HubSpot",
      { "x-hubspot-ratelimit-remaining": "0", "x-hubspot-ratelimit-interval-milliseconds": "10000" },
      10_000,
    ],
    ["a date of JavaScript", { "x-ratelimit-reset": "Sun Mar 01 2026 12:00:59 GMT+0000 (UTC)" }, 60_000],
    ["epoch ms", { "x-ratelimit-reset": String(later) }, 91_000],
  ])("is read: %s", (_, headers, delayMs) => {
    expect(instructionOf(headers, NOW)).toMatchObject({ kind: "retryAfter", delayMs });
  });

  test("says nothing while something is left, or while nothing asks to slow down", () => {
    const reset = { "x-ratelimit-reset": "58" };
    expect(instructionOf({ ...reset, "x-ratelimit-remaining": "4900" }, NOW)).toBeNull();
    expect(readInstruction({ headers: reset, body: null, isSlowDown: false }, NOW).instruction).toBeNull();
  });

  test("is outranked by what is more exact, and the longest of one rank holds", () => {
    const reset = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "50", "x-rate-limit-reset": "70" };
    expect(instructionOf({ ...reset, "retry-after": "5" }, NOW)).toMatchObject({ delayMs: 5_000 });
    expect(instructionOf(reset, NOW)).toMatchObject({ delayMs: 70_000, source: "x-rate-limit-reset" });
  });
});

describe("what is odd about an instruction is said", () => {
  test.each<[string, Headers, readonly string[]]>([
    [
      "a unit that another hint contradicts",
      { "retry-after": "60000", "x-ratelimit-reset": "58" },
      ["unit_suspect"],
    ],
    ["a wait that was cut", { "x-amz-retry-after": "3600000" }, ["capped"]],
    ["one of years", { "retry-after": "Sun, 01 Mar 2099 12:00:00 GMT" }, ["capped"]],
    ["a clock that differs", { "retry-after": "5", date: "Sun, 01 Mar 2026 15:00:00 GMT" }, ["clock_skew"]],
    ["nothing", { "retry-after": "5" }, []],
  ])("%s", (_, headers, notes) => {
    expect(readInstruction({ headers, body: null, isSlowDown: true }, NOW).notes).toEqual(notes);
  });
});

describe("an instruction in a body", () => {
  test.each<[string, Json, number]>([
    ["Discord", { retry_after: 64.57 }, 64_570],
    ["Google, as JSON", { error: { details: [{ retryDelay: "1.5s" }] } }, 1_500],
    ["Google, decoded", { statusDetails: [{ retryDelay: { seconds: "7", nanos: 500_000_000 } }] }, 7_500],
    ["MongoDB, cut to what it may mean", { errorResponse: { baseBackoffMS: 99_000 } }, 10_000],
    ["OpenAI's text", { error: { message: "Please try again in 250ms." } }, 250],
  ])("is read where no header says anything: %s", (_, body, delayMs) => {
    expect(readInstruction({ headers: {}, body, isSlowDown: true }, NOW).instruction).toMatchObject({
      delayMs,
    });
    const headers = { "retry-after": "3" };
    expect(readInstruction({ headers, body, isSlowDown: true }, NOW).instruction).toMatchObject({
      delayMs: 3_000,
    });
  });

  test.each<[string, Json]>([
    ["nothing", {}],
    ["a text", "try again in 5s"],
    ["another type", { retry_after: "soon" }],
    [
      "points that are there",
      {
        extensions: {
          cost: { requestedQueryCost: 1, throttleStatus: { currentlyAvailable: 9, restoreRate: 5 } },
        },
      },
    ],
    [
      "no rate at which they come back",
      {
        extensions: {
          cost: { requestedQueryCost: 9, throttleStatus: { currentlyAvailable: 1, restoreRate: 0 } },
        },
      },
    ],
  ])("that makes no sense is none: %s", (_, body) => {
    expect(readInstruction({ headers: {}, body, isSlowDown: true }, NOW).instruction).toBeNull();
  });
});

describe("a date", () => {
  test.each([
    "Sun, 01 Mar 2026 12:01:00 GMT",
    "Sunday, 01-Mar-26 12:01:00 GMT",
    "Sun Mar  1 12:01:00 2026",
    "2026-03-01T12:01:00Z",
    "2026-03-01T13:01:00.000+01:00",
  ])("is read in each of its forms: %s", (text) => {
    expect(instructionOf({ "retry-after": text }, NOW)).toMatchObject({ delayMs: 60_000 });
  });

  test.each(["March 1", "1 Mar 2026", "Wed, 99 Foo 2026 12:00:00 GMT", "Sun, 01 Mar 2026"])(
    "that a lenient parser would guess is none: %s",
    (text) => {
      expect(instructionOf({ "retry-after": text }, NOW)).toBeNull();
    },
  );
});
