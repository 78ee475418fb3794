import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatUtc, parseTime } from "./utc-time.ts";

describe("formatUtc", () => {
  it("says what a Date would say, to the second", () => {
    const year0 = Date.UTC(2000, 0, 1) - 730_485 * 86_400_000;
    fc.assert(
      fc.property(fc.integer({ min: year0, max: Date.UTC(9999, 11, 31, 23, 59, 59) }), (at) => {
        expect(formatUtc(at)).toBe(new Date(at).toISOString().replace(/\.\d{3}Z$/, "Z"));
      }),
      { numRuns: 1_000 },
    );
  });

  it.each(["1970-01-01T00:00:00Z", "2024-02-29T23:59:59Z", "2100-03-01T00:00:00Z", "2000-12-31T09:05:07Z"])(
    "knows %s",
    (text) => {
      expect(formatUtc(Date.parse(text))).toBe(text);
    },
  );
});

describe("parseTime", () => {
  it("reads what a Date writes, to the millisecond", () => {
    const year0 = Date.UTC(2000, 0, 1) - 730_485 * 86_400_000;
    fc.assert(
      fc.property(fc.integer({ min: year0, max: Date.UTC(9999, 11, 31, 23, 59, 59, 999) }), (at) => {
        expect(parseTime(new Date(at).toISOString())).toBe(at);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    "2024-02-29",
    "2026-03-29T02:30+02:00",
    "2026-12-31T23:59:59.123456789-11:30",
    "2026-06-01T00:00Z",
  ])("reads %s as a Date does", (text) => {
    expect(parseTime(text)).toBe(Date.parse(text.replace(/(\.\d{3})\d+/, "$1")));
  });

  it.each([
    "2026-02-29",
    "2026-13-01",
    "2026-00-10",
    "2026-01-32",
    "2026-01-01T24:00:00Z",
    "2026-01-01T10:60:00Z",
    "2026-01-01T10:00:60Z",
    "2026-01-01T10:00:00+24:00",
    "2026-01-01T10:00:00+01:60",
    "2026-01-01T10:00:00",
    "2026-01-01Z",
    "1 January 2026",
    "",
  ])("knows no time in %j", (text) => {
    expect(parseTime(text)).toBeNull();
  });
});
