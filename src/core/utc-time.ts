/** A time in a sentence. Core has no `Date`: it must not be able to read a clock. */

const MS_PER_DAY = 86_400_000;
/** Days of 400 years of the Gregorian calendar, after which it repeats. */
const DAYS_PER_ERA = 146_097;
/** Days from 1 March of the year 0 to 1 January 1970. */
const DAYS_TO_EPOCH = 719_468;

/** Epoch ms as `2026-01-31T09:05:00Z`; parts of a second are dropped. For the years 0 to 9999. */
export function formatUtc(at: number): string {
  const days = Math.floor(at / MS_PER_DAY);
  const seconds = Math.floor((at - days * MS_PER_DAY) / 1_000);
  const clock = [seconds / 3_600, (seconds / 60) % 60, seconds % 60].map((part) => pad(Math.floor(part), 2));
  return `${formatDay(days)}T${clock.join(":")}Z`;
}

/** Years are counted from 1 March, so that the day that some have more is the last one. */
function formatDay(epochDays: number): string {
  const days = epochDays + DAYS_TO_EPOCH;
  const era = Math.floor(days / DAYS_PER_ERA);
  const dayOfEra = days - era * DAYS_PER_ERA;
  const leapDays =
    Math.floor(dayOfEra / 1_460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = ((monthFromMarch + 2) % 12) + 1;
  const year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0);
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
}

function pad(value: number, digits: number): string {
  return String(value).padStart(digits, "0");
}

const ISO_TIME =
  /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:Z|([+-])(\d\d):(\d\d)))?$/;

/**
 * The time, epoch ms, that a text of ISO 8601 names: with `Z` or an offset, or a day alone, which begins in UTC. Null for any
 * other text: a clock without a zone is a different time in every place. Parts of a ms are dropped.
 */
export function parseTime(text: string): number | null {
  const found = ISO_TIME.exec(text);
  if (found === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const [, , , , , , , fraction = "", sign = "+", offsetHour = "0", offsetMinute = "0"] = found;
  const midnight = daysSinceEpoch(year, month, day) * MS_PER_DAY;
  // A day that the month does not have would be one of the next.
  if (formatDay(midnight / MS_PER_DAY) !== text.slice(0, 10)) return null;
  if (hour > 23 || minute > 59 || second > 59 || Number(offsetHour) > 23 || Number(offsetMinute) > 59)
    return null;
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * 60_000;
  const clock = ((hour * 60 + minute) * 60 + second) * 1_000 + Number(fraction.padEnd(3, "0").slice(0, 3));
  return midnight + clock - (sign === "-" ? -offset : offset);
}

/** The other way round: see `formatDay`. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const fromMarch = month <= 2 ? year - 1 : year;
  const era = Math.floor(fromMarch / 400);
  const yearOfEra = fromMarch - era * 400;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * DAYS_PER_ERA + dayOfEra - DAYS_TO_EPOCH;
}
