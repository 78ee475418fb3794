import { describe, expect, test } from "vitest";
import type { SlotCalendar } from "../core/schedule.ts";
import { localTime, readCronCalendar, zoneInWords } from "./cron.ts";

function calendarOf(cron: string, timeZone: string): SlotCalendar {
  const read = readCronCalendar(cron, timeZone);
  if (read.kind === "faulty") throw new Error(read.why);
  return read.calendar;
}

/** The slots after a time, as UTC to the minute, and the same from the last one back. */
function slotsAfter(cron: string, timeZone: string, after: string, count: number): readonly string[] {
  const calendar = calendarOf(cron, timeZone);
  const slots: number[] = [];
  for (
    let at = calendar.next(Date.parse(after));
    at !== null && slots.length < count;
    at = calendar.next(at)
  ) {
    slots.push(at);
  }
  const back: number[] = [];
  let before = calendar.previous((slots.at(-1) ?? 0) + 1);
  while (before !== null && back.length < slots.length) {
    back.unshift(before);
    before = calendar.previous(before);
  }
  expect(back).toEqual(slots);
  return slots.map((at) => new Date(at).toISOString().slice(5, 16));
}

describe("where clocks go forward", () => {
  test.each([
    // In Berlin 02:00 to 03:00 is missing on 29 March 2026; in New York the same on 8 March; in Havana 00:00 to 01:00.
    ["30 2 * * *", "Europe/Berlin", "2026-03-27T12:00Z", ["03-28T01:30", "03-29T01:00", "03-30T00:30"]],
    ["30 2 29 3 *", "Europe/Berlin", "2026-01-01T00:00Z", ["03-29T01:00", "03-29T00:30"]],
    ["30 2 * * *", "America/New_York", "2026-03-07T00:00Z", ["03-07T07:30", "03-08T07:00", "03-09T06:30"]],
    ["15 0 * * *", "America/Havana", "2026-03-07T00:00Z", ["03-07T05:15", "03-08T05:00", "03-09T04:15"]],
  ])("%s in %s comes at the end of the gap, and once", (cron, timeZone, after, slots) => {
    expect(slotsAfter(cron, timeZone, after, slots.length)).toEqual(slots);
  });

  test.each(["Europe/Berlin", "America/New_York"])(
    "what comes every half hour goes on so in %s",
    (timeZone) => {
      const after = timeZone === "Europe/Berlin" ? "2026-03-29T00:00Z" : "2026-03-08T06:00Z";
      const slots = slotsAfter("*/30 * * * *", timeZone, after, 6);
      const times = slots.map((slot) => Date.parse(`2026-${slot}Z`));
      expect(times.map((at) => at - Date.parse(after))).toEqual([1, 2, 3, 4, 5, 6].map((n) => n * 1_800_000));
    },
  );
});

describe("where clocks go back", () => {
  test.each([
    // In Berlin 02:00 to 03:00 comes twice on 25 October 2026; in New York 01:00 to 02:00 on 1 November.
    ["30 2 * * *", "Europe/Berlin", "2026-10-23T12:00Z", ["10-24T00:30", "10-25T00:30", "10-26T01:30"]],
    ["30 1 * * *", "America/New_York", "2026-10-31T00:00Z", ["10-31T05:30", "11-01T05:30", "11-02T06:30"]],
  ])("%s in %s comes once, the first time", (cron, timeZone, after, slots) => {
    expect(slotsAfter(cron, timeZone, after, slots.length)).toEqual(slots);
  });

  test.each([
    [
      "0 * * * *",
      "Europe/Berlin",
      "2026-10-24T22:40Z",
      ["10-24T23:00", "10-25T00:00", "10-25T01:00", "10-25T02:00"],
    ],
    ["15 * * * *", "America/New_York", "2026-11-01T04:40Z", ["11-01T05:15", "11-01T06:15", "11-01T07:15"]],
  ])("%s in %s comes in both hours", (cron, timeZone, after, slots) => {
    expect(slotsAfter(cron, timeZone, after, slots.length)).toEqual(slots);
  });
});

describe("reading an expression", () => {
  test.each([
    ["@daily", "UTC", ["01-02T00:00", "01-03T00:00"]],
    ["0 6 1 * *", "Asia/Kolkata", ["01-01T00:30", "02-01T00:30"]],
    ["0 0 31 * *", "UTC", ["01-31T00:00", "03-31T00:00"]],
    ["0 0 29 2 *", "UTC", ["02-29T00:00", "02-29T00:00"]],
    [" 0 12 * * 1-5 ", "UTC", ["01-01T12:00", "01-02T12:00"]],
    ["0 0 L * *", "UTC", ["01-31T00:00", "02-28T00:00"]],
  ])("takes %s in %s", (cron, timeZone, slots) => {
    expect(slotsAfter(cron, timeZone, "2026-01-01T00:00Z", 2)).toEqual(slots);
  });

  test.each([
    ["* * * * * *", "UTC", "cron", "at most once a minute"],
    ["0 0 1 1 * * 2030", "UTC", "cron", "at most once a minute"],
    ["61 * * * *", "UTC", "cron", "minute: 61"],
    ["every day", "UTC", "cron", "not a cron expression of five fields"],
    ["", "UTC", "cron", "not a cron expression of five fields"],
    ["@reboot", "UTC", "cron", "not a cron expression of five fields"],
    ["0 0 30 2 *", "UTC", "cron", "never comes"],
    ["0 0 * * *", "Europe/Berlyn", "timeZone", "no time zone"],
    ["0 0 * * *", "", "timeZone", "no time zone"],
  ])("refuses %s in %s and says which is wrong", (cron, timeZone, option, why) => {
    const read = readCronCalendar(cron, timeZone);
    expect(read).toMatchObject({ kind: "faulty", option });
    expect(read.kind === "faulty" ? read.why : "").toContain(why);
  });

  test("has no slot before the first that there can be", () => {
    expect(() => calendarOf("@yearly", "UTC").previous(0)).not.toThrow();
  });
});

test("a time is told as the clocks of the zone show it", () => {
  const at = Date.parse("2026-12-31T23:30:00Z");
  expect(localTime(at, "Europe/Berlin")).toBe("2027-01-01T00:30");
  expect(localTime(at, "America/New_York")).toBe("2026-12-31T18:30");
});

test.each([
  ["Europe/Berlin", "2026-12-31T23:30:00Z", "Central European Standard Time (UTC+01:00)"],
  ["Europe/Berlin", "2026-07-01T00:00:00Z", "Central European Summer Time (UTC+02:00)"],
  ["Asia/Kolkata", "2026-07-01T00:00:00Z", "India Standard Time (UTC+05:30)"],
  ["Etc/GMT+5", "2026-07-01T00:00:00Z", "UTC-05:00"],
  ["UTC", "2026-07-01T00:00:00Z", "Coordinated Universal Time (UTC)"],
])("the zone %s is told in words as it is at %s", (timeZone, time, words) => {
  expect(zoneInWords(Date.parse(time), timeZone)).toBe(words);
});
