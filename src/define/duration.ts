/** Durations as people write them. One parser for every option that takes one. */

import { FootholdError } from "../core/errors.ts";

const MS_BY_UNIT = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A unit of time: milliseconds, seconds, minutes, hours, days. */
type DurationUnit = keyof typeof MS_BY_UNIT;

/** Milliseconds as a number, or a text such as `"250ms"`, `"30s"`, `"5m"`, `"1.5h"`, `"3d"`. */
export type Duration = number | `${number}${DurationUnit}`;

/** The longest duration: ten years of 365 days. */
export const DURATION_MS_MAX: number = 3_650 * MS_BY_UNIT.d;

/** What reading a duration gave. */
export type DurationReading =
  { readonly kind: "duration"; readonly ms: number } | { readonly kind: "faulty"; readonly why: string };

/** Reads a duration of any origin; whole milliseconds from 0 to {@link DURATION_MS_MAX}. Never throws. */
export function readDuration(value: unknown): DurationReading {
  const ms = typeof value === "string" ? msOfText(value) : value;
  if (typeof ms !== "number" || !Number.isFinite(ms) || ms < 0) {
    const form = `write milliseconds as a number, or a text such as "250ms", "30s", "5m", "24h" or "3d"`;
    return { kind: "faulty", why: `${shown(value)} is not a duration: ${form}` };
  }
  if (ms > DURATION_MS_MAX) return { kind: "faulty", why: `${shown(value)} is longer than ten years` };
  return { kind: "duration", ms: Math.round(ms) };
}

/** A duration in milliseconds, for texts that the compiler cannot judge. Throws `INVALID_REQUEST` when it is none. */
export function parseDuration(text: string | number): number {
  const read = readDuration(text);
  if (read.kind === "duration") return read.ms;
  throw new FootholdError("INVALID_REQUEST", `${read.why}.`);
}

/** A duration in words that {@link readDuration} reads, in the largest unit that keeps it whole. */
export function describeDuration(ms: number): string {
  const units: readonly DurationUnit[] = ["d", "h", "m", "s"];
  const unit = units.find((one) => ms >= MS_BY_UNIT[one] && ms % MS_BY_UNIT[one] === 0) ?? "ms";
  return `${ms / MS_BY_UNIT[unit]}${unit}`;
}

function msOfText(text: string): number | null {
  const [, amount, unit] = /^(\d{1,15}(?:\.\d{1,6})?)(ms|s|m|h|d)$/.exec(text) ?? [];
  return amount === undefined || !isUnit(unit) ? null : Number(amount) * MS_BY_UNIT[unit];
}

function isUnit(unit: string | undefined): unit is DurationUnit {
  return unit !== undefined && Object.hasOwn(MS_BY_UNIT, unit);
}

function shown(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value.slice(0, 40)) : String(value);
}
