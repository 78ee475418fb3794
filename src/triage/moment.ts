/** Times as destinations write them: numbers of an unnamed unit, durations, and dates in five forms. */

const MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
const DAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
const TIME = "\\d{2}:\\d{2}:\\d{2}";

/** It has no zone, and means UTC. */
const ASCTIME = new RegExp(`^${DAY} ${MONTH} [ \\d]\\d ${TIME} \\d{4}$`);

/** Forms of a date that are read; whatever else a lenient parser would make of a text is none. */
const DATES: readonly RegExp[] = [
  // RFC 9110: the form of today, that of RFC 850, and that of asctime.
  new RegExp(`^${DAY}, \\d{2} ${MONTH} \\d{4} ${TIME} GMT$`),
  new RegExp(`^[A-Z][a-z]+day, \\d{2}-${MONTH}-\\d{2} ${TIME} GMT$`),
  ASCTIME,
  // RFC 3339.
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/,
  // What a Date of JavaScript says of itself.
  new RegExp(`^${DAY} ${MONTH} \\d{2} \\d{4} ${TIME} GMT[+-]\\d{4}( \\(.*\\))?$`),
];

/** Epoch ms of a date in one of the known forms; null = it is none. */
export function dateAt(text: string): number | null {
  if (!DATES.some((form) => form.test(text))) return null;
  const at = Date.parse(ASCTIME.test(text) ? `${text} GMT` : text);
  return Number.isNaN(at) ? null : at;
}

const UNITS_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/** A duration as Go writes it, such as `1m30s`, `6.5s` or `12ms`, in ms; null = it is none. */
function durationMs(text: string): number | null {
  if (!/^(\d+(\.\d+)?(ms|h|m|s))+$/.test(text)) return null;
  return [...text.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (UNITS_MS[unit ?? ""] ?? 0),
    0,
  );
}

/** Copies of one header that are read. */
const COPIES_MAX = 8;
/** From here on a number is no time at all. */
const NUMBER_MAX = 1e14;
/** From here on it is a moment in epoch ms. */
const EPOCH_MS_MIN = 1e11;
/** From here on it is a moment in epoch seconds. */
export const EPOCH_SECONDS_MIN: number = 1e9;

/**
 * How long a text says to wait, in ms: a number of `unitMs` or a moment sent in its place, a duration, or a date. Not
 * positive where it lies in the past; null where it says nothing. `now` is the clock of whoever wrote it, epoch ms.
 */
export function waitMs(text: string, unitMs: number, now: number): number | null {
  const plain = text.trim();
  // A header that was sent twice comes as one with a comma; dates have commas of their own.
  const numbers = plain.split(",").map((one) => one.trim());
  if (numbers.length <= COPIES_MAX && numbers.every((one) => /^-?\d+(\.\d+)?$/.test(one))) {
    return longest(numbers.map((one) => numberMs(Number(one), unitMs, now)));
  }
  const at = dateAt(plain);
  return at === null ? durationMs(plain) : at - now;
}

function longest(waits: readonly (number | null)[]): number | null {
  const said = waits.filter((one) => one !== null);
  return said.length === 0 ? null : Math.max(...said);
}

function numberMs(number: number, unitMs: number, now: number): number | null {
  if (number >= NUMBER_MAX) return null;
  if (number >= EPOCH_MS_MIN) return number - now;
  // A count of ms may be that large, a count of seconds is not.
  if (unitMs === 1_000 && number >= EPOCH_SECONDS_MIN) return number * 1_000 - now;
  return number * unitMs;
}
