/**
 * What a store tells of how cases stand at their steps, and the samples of that which it keeps for pictures over time. Only
 * pictures rest on samples: a gap in them harms nothing. Times are epoch milliseconds by the store's clock.
 */

import type { AttemptCounts } from "../core/attempt-counts.ts";
import type { StepCount } from "../core/step-counts.ts";
import type { ReadableState } from "../core/state.ts";

/** Counts by step, and whether everything was counted. */
export interface StepCounts {
  readonly now: number;
  /** The largest first, at most {@link STEP_COUNTS_MAX}. */
  readonly counts: readonly StepCount[];
  /** False where there is more than was looked at: then there are at least so many. */
  readonly isWhole: boolean;
}

/** Open cases of one type in one state as people read it. */
export interface StateSample {
  readonly caseType: string;
  readonly reading: ReadableState;
  readonly cases: number;
  /** Since when the first of them stood so. */
  readonly oldestAt: number;
}

/** How a destination stands for what is to be sent there. */
export type DestinationStanding = "up" | "failing" | "down" | "throttled" | "quota" | "denied";

/** A destination under one credential, as it stood. */
export interface DestinationSample {
  readonly destination: string;
  readonly credentialId: string;
  /** Attempts that might be under way; null where nothing bounds them. */
  readonly limit: number | null;
  readonly inFlight: number;
  readonly heldBack: number;
  readonly standing: DestinationStanding;
}

/** What was tried at a destination under one credential, in the stretch that begins at `fromAt`. */
export interface CountedAttempts extends AttemptCounts {
  readonly fromAt: number;
  readonly destination: string;
  readonly credentialId: string;
}

/** How everything stood at one moment. */
export interface Sample {
  readonly at: number;
  readonly states: readonly StateSample[];
  readonly destinations: readonly DestinationSample[];
  readonly isWhole: boolean;
}

/** Which samples to read. */
export interface SampleQuery {
  /** After this time. */
  readonly sinceAt: number;
  /** The last one of each stretch of this length, in ms. */
  readonly everyMs: number;
}

/** Samples, as a store keeps them. Errors as in {@link Store}. */
export interface SampleStore {
  /** Counts open cases by the step that they stand at; looks at {@link STEP_CASES_MAX} of a kind. */
  countSteps(): Promise<StepCounts>;
  /** Takes the turn at sampling; false = another process did within `everyMs`. */
  takeTurn(everyMs: number): Promise<boolean>;
  /** Keeps a sample. One of the same moment is replaced. */
  write(sample: Sample): Promise<void>;
  /** Oldest first, at most {@link SAMPLES_MAX}, the newest of them. */
  list(query: SampleQuery): Promise<readonly Sample[]>;
  /**
   * Keeps what one worker counted. `countedBy` is its random id of this start; what it told before of the same stretch and
   * destination is replaced, so that it may be told again.
   */
  tellAttempts(countedBy: string, counted: readonly CountedAttempts[]): Promise<void>;
  /** Sums over all workers, of stretches that begin after a time; by time, at most {@link COUNTED_MAX}, the newest. */
  listAttempts(after: number): Promise<readonly CountedAttempts[]>;
  /** Deletes samples taken before, and what was counted in stretches that began more than {@link COUNTED_KEEP_MS} ago. */
  forget(before: number): Promise<void>;
}

/** Counts in one answer. */
export const STEP_COUNTS_MAX = 10_000;
/** Cases of each kind (in review, due at a time, waiting, paused, claimed) that one count looks at. */
export const STEP_CASES_MAX = 50_000;
/** How long one stretch of counted attempts is, in ms. */
export const COUNTED_EVERY_MS = 900_000;
/** How long they are kept, in ms. */
export const COUNTED_KEEP_MS = 86_400_000;
/** Sums of counted attempts in one answer: 500 destinations over 12 h. */
export const COUNTED_MAX = 24_000;
/** Samples in one answer. */
export const SAMPLES_MAX = 500;
