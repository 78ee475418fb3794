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
function formatDay(daysSinceEpoch: number): string {
  const days = daysSinceEpoch + DAYS_TO_EPOCH;
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
