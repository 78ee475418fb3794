import { expect, test } from "vitest";
import { formatDistance, formatTime, readUntil } from "./times.ts";

const now = Date.parse("2026-11-29T10:00:00Z");

test("a time is written in full with the offset of its zone, and means the same moment", () => {
  const text = formatTime(now);
  expect(text).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d\d:\d\d$/);
  expect(Date.parse(text)).toBe(now);
});

test.each([
  [now + 12_000, "in 12 s"],
  [now - 180_000, "3 min ago"],
  [now + 3 * 3_600_000, "in 3 h"],
  [now - 3 * 86_400_000, "3 d ago"],
  [now + 200, "now"],
])("the distance to %i is %s", (at, text) => {
  expect(formatDistance(at, now)).toBe(text);
});

test.each([
  ["30m", now + 1_800_000],
  ["2h", now + 7_200_000],
  ["2026-11-29T11:00:00+01:00", now],
  ["2026-11-30T10:00Z", now + 86_400_000],
])("--until %s is a time", (text, at) => {
  expect(readUntil(text, now)).toBe(at);
});

test.each(["yesterday", "2026-11-29T10:00:00", "5 minutes", "", "2026-13-45T10:00:00Z"])(
  "--until %j is no time, or not the same everywhere",
  (text) => {
    expect(() => readUntil(text, now)).toThrow("is no time");
  },
);
