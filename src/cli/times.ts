/** Times as people read and write them: in the zone of this machine, always with its offset. */

import { FootholdError } from "../core/errors.ts";
import { readDuration } from "../define/duration.ts";

/** Such as `2026-11-29 10:04:10 +01:00`. */
export function formatTime(at: number): string {
  const date = new Date(at);
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  const offset = -date.getTimezoneOffset();
  const minutes = Math.abs(offset);
  const zone = `${offset < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
  return `${day} ${time} ${zone}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

/** How long ago or ahead, roughly: `in 12 s`, `3 min ago`. */
export function formatDistance(at: number, now: number): string {
  const seconds = Math.round(Math.abs(at - now) / 1_000);
  const text = formatSpan(seconds);
  if (seconds === 0) return "now";
  return at > now ? `in ${text}` : `${text} ago`;
}

function formatSpan(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} d`;
}

/** A moment as people name it: so far from now, or by the calendar. */
export type Moment =
  | { readonly kind: "span"; readonly ms: number }
  /** Epoch ms. */
  | { readonly kind: "time"; readonly at: number };

/** Reads a duration (`2h`), or a time with its zone (`2026-11-29T10:00:00Z`). Throws `USAGE`. */
export function readMoment(text: string): Moment {
  const duration = readDuration(text);
  if (duration.kind === "duration") return { kind: "span", ms: duration.ms };
  // Without a zone the same text means different times on different machines.
  const hasZone = /T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text);
  const at = hasZone ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(at)) return { kind: "time", at };
  throw new FootholdError(
    "USAGE",
    `${JSON.stringify(text)} is no time. Write how long (30m, 2h, 3d) or a time with its zone (2026-11-29T10:00:00Z).`,
  );
}

/** A moment to come where the time is `now`, epoch ms. */
export function readUntil(text: string, now: number): number {
  const moment = readMoment(text);
  return moment.kind === "time" ? moment.at : now + moment.ms;
}

/** The same of the past: a duration before now. */
export function readSince(text: string, now: number): number {
  const moment = readMoment(text);
  return moment.kind === "time" ? moment.at : now - moment.ms;
}
