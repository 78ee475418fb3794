/** What was tried at a destination, in numbers. Pure. */

import type { WireSummary } from "./wire-evidence.ts";

/** What was tried at a destination. */
export interface AttemptCounts {
  /** Attempts that ended. */
  readonly attempts: number;
  /** Attempts that failed. */
  readonly failed: number;
  /** Requests that were seen to leave; more than attempts where a client repeats by itself. */
  readonly requests: number;
  /** How many of them were repeats that a client made by itself: hidden retries. */
  readonly repeats: number;
  /** Attempts whose requests could not all be seen. */
  readonly unmetered: number;
}

/** Nothing was tried. */
export const NO_ATTEMPTS: AttemptCounts = { attempts: 0, failed: 0, requests: 0, repeats: 0, unmetered: 0 };

/** Both together. */
export function addCounts(one: AttemptCounts, other: AttemptCounts): AttemptCounts {
  return {
    attempts: one.attempts + other.attempts,
    failed: one.failed + other.failed,
    requests: one.requests + other.requests,
    repeats: one.repeats + other.repeats,
    unmetered: one.unmetered + other.unmetered,
  };
}

/** One attempt that ended; `wire` = undefined where nothing was seen of what it sent. */
export function countAttempt(hasFailed: boolean, wire: WireSummary | undefined): AttemptCounts {
  return {
    attempts: 1,
    failed: hasFailed ? 1 : 0,
    requests: wire?.requests ?? 0,
    repeats: wire?.repeats ?? 0,
    unmetered: wire === undefined || wire.isAtLeast ? 1 : 0,
  };
}
