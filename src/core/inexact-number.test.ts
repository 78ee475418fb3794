import { describe, expect, test } from "vitest";
import { findInexactNumber } from "./inexact-number.ts";

describe("a whole number that reading would change", () => {
  test.each([
    ["9007199254740993", "9007199254740993"],
    ["-9007199254740993", "-9007199254740993"],
    ['{"id":[1,12345678901234567890]}', "12345678901234567890"],
    ['{"a":"\\"","b":9007199254740992}', "9007199254740992"],
  ])("is found in %s", (text, found) => {
    expect(findInexactNumber(text)).toBe(found);
  });

  test.each([
    "9007199254740991",
    "-0",
    '"9007199254740993"',
    '{"9007199254740993":"say \\"9007199254740993\\" aloud"}',
    "0.12345678901234567890",
    "6.02e23",
    "[true,null,1e3]",
  ])("is not found in %s", (text) => {
    expect(findInexactNumber(text)).toBeNull();
  });

  test("is looked for in a time that grows with the text alone", () => {
    const text = JSON.stringify({ text: '\\"'.repeat(300_000) });
    const startedAt = performance.now();
    expect(findInexactNumber(text)).toBeNull();
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});
