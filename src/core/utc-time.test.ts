import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatUtc } from "./utc-time.ts";

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
