/** What a destination's headers say about trying again. One parser, with bounds. */

import type { Instruction } from "../core/failure.ts";

/** Waits over a day are no instruction for a machine: the number is wrong, or a person must know. */
const DELAY_MS_MAX = 24 * 3_600_000;
/** From here on a plain number of seconds is taken for a moment in time that somebody sent by mistake. */
const EPOCH_SECONDS_MIN = 1e9;

/** Headers by lower-case name. */
export type Headers = Readonly<Record<string, string>>;

/** The instruction in a response's headers; null = none, or none that makes sense. `now`: epoch ms, for dates. */
export function instructionOf(headers: Headers, now: number): Instruction | null {
  if (headers["stripe-should-retry"] === "false" || headers["x-should-retry"] === "false") {
    return { kind: "doNotRetry", source: "should-retry: false" };
  }
  const exact = milliseconds(headers["retry-after-ms"] ?? headers["x-ms-retry-after-ms"]);
  if (exact !== null) return { kind: "retryAfter", delayMs: exact, source: "retry-after-ms" };
  const delayMs = retryAfter(headers["retry-after"], headers["date"], now);
  return delayMs === null ? null : { kind: "retryAfter", delayMs, source: "retry-after" };
}

function milliseconds(text: string | undefined): number | null {
  return text === undefined ? null : bounded(numberOf(text));
}

/** Seconds, a fraction of them allowed, or an HTTP date, which is measured against the response's own `Date`. */
function retryAfter(text: string | undefined, date: string | undefined, now: number): number | null {
  if (text === undefined) return null;
  const seconds = numberOf(text);
  if (!Number.isNaN(seconds)) return seconds >= EPOCH_SECONDS_MIN ? null : bounded(seconds * 1_000);
  const at = Date.parse(text);
  const serverNow = date === undefined ? now : Date.parse(date);
  return bounded(at - (Number.isNaN(serverNow) ? now : serverNow));
}

function numberOf(text: string): number {
  return /^\s*-?\d+(\.\d+)?\s*$/.test(text) ? Number(text) : Number.NaN;
}

/** Past, zero and senseless waits are dropped, so that our own delay holds: never "at once". */
function bounded(delayMs: number): number | null {
  return delayMs > 0 && delayMs <= DELAY_MS_MAX ? Math.ceil(delayMs) : null;
}
