/**
 * What a store tells of all cases by time: the entries of journals that others than those who work on a case want to know of.
 * Times are epoch milliseconds by the store's clock.
 */

import type { EntryKind, JournalEntry } from "../core/journal.ts";

/** Kinds of entries that are milestones of a case. */
export const MILESTONE_KINDS: readonly ["reviewOpened", "caseDone", "canceled", "claimLost"] = [
  "reviewOpened",
  "caseDone",
  "canceled",
  "claimLost",
];

/** A kind of milestone. */
export type MilestoneKind = Extract<EntryKind, (typeof MILESTONE_KINDS)[number]>;

/** An entry with what names its case. */
export interface Milestone {
  readonly caseId: string;
  readonly caseType: string;
  readonly tenant: string;
  readonly businessKey: string | null;
  readonly entry: JournalEntry;
}

/** Which milestones to list, newest first. */
export interface MilestoneFilter {
  /** Left out = of every kind. */
  readonly kinds?: readonly MilestoneKind[];
  /** Before this time. */
  readonly untilAt?: number;
  /** At most {@link MILESTONES_MAX}. */
  readonly limit: number;
  /** From {@link MilestonePage.next}. */
  readonly after?: string;
}

/** One page of milestones. */
export interface MilestonePage {
  readonly milestones: readonly Milestone[];
  /** Cursor of the next page; null = this is the last one. */
  readonly next: string | null;
}

/** Milestones, as a store tells them. Errors as in {@link Store}; `CORRUPT_JOURNAL` for an entry that cannot be read. */
export interface MilestoneStore {
  /** Throws `INVALID_REQUEST` for a limit out of bounds and a cursor that is none. */
  list(filter: MilestoneFilter): Promise<MilestonePage>;
}

/** Milestones in one page. */
export const MILESTONES_MAX = 500;
