import { describe, expect, test } from "vitest";
import { describeDuration, DURATION_MS_MAX, parseDuration, readDuration } from "./duration.ts";

describe("a duration", () => {
  test.each([
    ["250ms", 250],
    ["30s", 30_000],
    ["5m", 300_000],
    ["1.5h", 5_400_000],
    ["24h", 86_400_000],
    ["3d", 259_200_000],
    ["0s", 0],
    ["0.0004s", 0],
    [1_500, 1_500],
    [0, 0],
  ])("%j is %d ms", (text, ms) => {
    expect(readDuration(text)).toEqual({ kind: "duration", ms });
  });

  test.each([
    "",
    "5",
    "5 m",
    "5min",
    "-5s",
    "5M",
    "1e3s",
    "five minutes",
    ".5s",
    "5s ",
    -1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    null,
    undefined,
    {},
    "10n",
  ])("%j is refused with the forms that are right", (value) => {
    const read = readDuration(value);
    expect(read).toMatchObject({ kind: "faulty" });
    expect(JSON.stringify(read)).toContain(
      "is not a duration: write milliseconds as a number, or a text such as",
    );
  });

  test("is at most ten years", () => {
    expect(readDuration("3650d")).toEqual({ kind: "duration", ms: DURATION_MS_MAX });
    expect(readDuration("3651d")).toEqual({ kind: "faulty", why: '"3651d" is longer than ten years' });
  });

  test("is parsed from texts that are known only at run time, or refused by code", () => {
    expect(parseDuration("90s")).toBe(90_000);
    expect(() => parseDuration("soon")).toThrow(expect.objectContaining({ code: "INVALID_REQUEST" }));
  });

  test.each([
    [250, "250ms"],
    [30_000, "30s"],
    [600_000, "10m"],
    [86_400_000, "1d"],
    [90_000, "90s"],
    [0, "0ms"],
  ])("of %d ms is written %s, and read back", (ms, text) => {
    expect(describeDuration(ms)).toBe(text);
    expect(readDuration(text)).toEqual({ kind: "duration", ms });
  });
});
