/** Cron expressions in a time zone, as calendars of slots. */

import { Cron } from "croner";
import type { SlotCalendar } from "../core/schedule.ts";
import { describeThrown } from "./describe-value.ts";

/** What reading a cron expression gave. */
type CalendarReading =
  | { readonly kind: "calendar"; readonly calendar: SlotCalendar }
  /** `option`: which of the two is wrong. */
  | { readonly kind: "faulty"; readonly option: "cron" | "timeZone"; readonly why: string };

/** Makes the calendar of a cron expression in a time zone. */
export type ReadCalendar = (cron: string, timeZone: string) => CalendarReading;

/** Fields of a cron expression, from minute to day of the week. */
const FIELDS = 5;

/**
 * Reads a cron expression of five fields, or such as `@daily`, in a zone of the IANA list. Where clocks go forward, a slot
 * inside the gap comes at its end; where they go back, one that names an hour comes once, at its first time, and one that
 * comes every so often goes on coming.
 */
export const readCronCalendar: ReadCalendar = (cron, timeZone) => {
  if (!isTimeZone(timeZone)) {
    const why = `is no time zone that is known here: name one of the IANA list, such as "Europe/Berlin" or "UTC"`;
    return { kind: "faulty", option: "timeZone", why };
  }
  const fields = cron.trim().split(/\s+/).length;
  if (fields === FIELDS + 1 || fields === FIELDS + 2) {
    const why =
      `has ${fields} fields, and seconds and years are not taken: a case starts at most once a minute. ` +
      "Give minute, hour, day of the month, month, day of the week";
    return { kind: "faulty", option: "cron", why };
  }
  let read: Cron;
  try {
    read = new Cron(cron.trim(), { mode: "5-part", timezone: timeZone, paused: true });
  } catch (error) {
    const why = `is not a cron expression of five fields: ${describeThrown(error)}`;
    return { kind: "faulty", option: "cron", why };
  }
  const calendar = calendarOf(read);
  // From a fixed time, so that reading a definition needs no clock: leap days are in reach of it as of any other.
  if (calendar.next(0) === null) {
    return { kind: "faulty", option: "cron", why: `names a time that never comes` };
  }
  return { kind: "calendar", calendar };
};

function calendarOf(cron: Cron): SlotCalendar {
  return {
    next: (afterAt) => cron.nextRun(new Date(afterAt))?.getTime() ?? null,
    previous: (beforeAt) => cron.previousRuns(1, new Date(beforeAt))[0]?.getTime() ?? null,
  };
}

function isTimeZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

/** A zone in words at a time, such as `Central European Standard Time (UTC+01:00)`. */
export function zoneInWords(at: number, timeZone: string): string {
  const said = (timeZoneName: "long" | "longOffset"): string => {
    const parts = new Intl.DateTimeFormat("en", { timeZone, timeZoneName }).formatToParts(at);
    return parts.find(({ type }) => type === "timeZoneName")?.value ?? timeZone;
  };
  const offset = said("longOffset").replace("GMT", "UTC").replace("+00:00", "");
  const name = said("long");
  // Zones without a name of their own are named by their offset.
  return name.startsWith("GMT") ? offset : `${name} (${offset})`;
}

/** A time on the clocks of a zone, such as `2027-01-31T06:00`. */
export function localTime(at: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat("en", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
  });
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const part = (name: Intl.DateTimeFormatPartTypes): string => parts.get(name) ?? "";
  return `${part("year")}-${part("month")}-${part("day")}T${part("hour")}:${part("minute")}`;
}
