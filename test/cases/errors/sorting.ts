/** How the cases sort: what was thrown, what the wire showed, and nothing else. */

import type { Failure } from "../../../src/core/failure.ts";
import type { WireEvidence, WireRequest } from "../../../src/core/wire-evidence.ts";
import { sortFailure } from "../../../src/triage/sort.ts";

/** The time of every case that has none of its own. */
export const NOW: number = Date.parse("2026-11-29T12:00:00Z");

/** Sorts as an attempt does. */
export function sort(thrown: unknown, evidence: WireEvidence | null = null, now: number = NOW): Failure {
  return sortFailure(thrown, { destination: "erp", stopped: null, now, evidence, sorters: [] });
}

/** One POST of an attempt. */
export function sent(over: Partial<WireRequest> = {}): WireRequest {
  return {
    method: "POST",
    origin: "https://erp.example",
    group: "g",
    keyHash: null,
    startedAt: 0,
    sent: "full",
    status: null,
    headers: {},
    isAnswerComplete: false,
    ...over,
  };
}

/** What a meter that sees everything saw. */
export function seen(...requests: readonly WireRequest[]): WireEvidence {
  const unsentCount = requests.filter((one) => one.sent === "none").length;
  return { requests, sentCount: requests.length - unsentCount, unsentCount, blindSpots: [] };
}

/** An answer as a plain author throws it. */
export function answered(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: unknown = null,
): Error {
  return Object.assign(new Error(`answered ${status}`), { response: { status, headers, body } });
}
