/**
 * What the store keeps of bulk acts: one move made on many cases, whose ids are frozen when the act is created. Items are
 * worked off under claims that end by the store's clock, so that what a killed process had begun is taken up by another. That
 * a move is made once although it is begun twice is its act id's part.
 */

import type { Json } from "../core/json.ts";

/** Cases of one bulk act. */
export const BULK_CASES_MAX = 20_000;
/** Items in one claim, and in one page of items. */
export const BULK_ITEMS_MAX = 200;

/**
 * Where a bulk act stands. `trying`: only its first case is worked on. `paused`: nothing further is begun; `why` says why.
 * `stopped`: for good, whatever is left is not begun.
 */
export type BulkState = "trying" | "running" | "paused" | "stopped" | "done";

/** A bulk act as it is created. */
export interface NewBulkAct {
  readonly bulkId: string;
  readonly move: string;
  /** What the move is made with, and who makes it. */
  readonly request: Json;
  /** What the cases were found by, for people. */
  readonly filter: Json;
  readonly by: Json;
  readonly reason: string | null;
  readonly state: "trying" | "running";
}

/** How many items stand where. */
interface BulkCounts {
  readonly total: number;
  /** Not begun, or begun by a process that may be gone. */
  readonly open: number;
  readonly done: number;
  readonly refused: number;
}

/** A bulk act as stored. Times are epoch ms. */
export interface BulkAct extends Omit<NewBulkAct, "state"> {
  readonly state: BulkState;
  /** Why it is paused or stopped; null otherwise. */
  readonly why: string | null;
  /** True once its first case turned out well, or where none was to be tried. */
  readonly isTried: boolean;
  readonly createdAt: number;
  readonly changedAt: number;
  readonly counts: BulkCounts;
}

/** One case of a bulk act. */
export interface BulkItem {
  readonly bulkId: string;
  readonly caseId: string;
  /** From 0; the first is the one that is tried. */
  readonly place: number;
  readonly state: "open" | "claimed" | "done" | "refused";
  /** Of the refusal; null otherwise. */
  readonly code: string | null;
  /** What became of it; null before. */
  readonly sentence: string | null;
  /** When that was; null before. */
  readonly endedAt: number | null;
}

/** What became of one case. */
export interface BulkOutcome {
  readonly bulkId: string;
  readonly caseId: string;
  readonly claimId: string;
  readonly state: "done" | "refused";
  readonly code: string | null;
  readonly sentence: string;
}

/** A person's or the runner's change of where a bulk act stands: done only from one of `from`. */
export interface BulkShift {
  readonly bulkId: string;
  readonly from: readonly BulkState[];
  readonly to: BulkState;
  readonly why: string | null;
  /** True = its first case turned out well; left as it is otherwise. */
  readonly isTried: boolean;
}

/** What a person says of a group of problems; it outlives the cases in it. */
export interface ProblemMark {
  readonly problemId: string;
  readonly note: string | null;
  readonly owner: string | null;
  readonly by: string;
  readonly at: number;
}

/** Groups of problems whose marks are read at once. */
export const PROBLEM_MARKS_MAX = 1_000;

/** Bulk acts and what people said of problems, as a store keeps them. Errors as in {@link Store}. */
export interface BulkStore {
  /** Stores an act and its cases, in this order, at once. The same id again changes nothing. At most {@link BULK_CASES_MAX}. */
  create(act: NewBulkAct, caseIds: readonly string[]): Promise<void>;
  load(bulkId: string): Promise<BulkAct | null>;
  /** Newest first. */
  list(limit: number): Promise<readonly BulkAct[]>;
  /** In their order, after a place; those of one state where one is named. At most {@link BULK_ITEMS_MAX}. */
  listItems(
    bulkId: string,
    page: { readonly afterPlace: number; readonly limit: number; readonly state?: BulkItem["state"] },
  ): Promise<readonly BulkItem[]>;
  /** True if the act was in one of the states to shift from. */
  shift(change: BulkShift): Promise<boolean>;
  /**
   * Claims open items of acts that are worked on, oldest act first: of one that is trying, only its first. An item whose
   * claim ended without an outcome is open again. `holdMs`: how long a claim lasts.
   */
  claim(request: {
    readonly claimId: string;
    readonly limit: number;
    readonly holdMs: number;
  }): Promise<readonly BulkItem[]>;
  /** Stores what became of an item whose claim is still this one; false where another has it by now, or it has ended. */
  settle(outcome: BulkOutcome): Promise<boolean>;
  /** Acts that are trying and whose first case was acted on: somebody has to see what became of it. */
  listTrying(): Promise<readonly { readonly act: BulkAct; readonly first: BulkItem }[]>;
  /** Marks running acts without open items as done. Returns their ids. */
  finish(): Promise<readonly string[]>;
  /** Replaces what is said of a group of problems. */
  mark(mark: Omit<ProblemMark, "at">): Promise<void>;
  /** Of those that have one. At most {@link PROBLEM_MARKS_MAX} ids. */
  listMarks(problemIds: readonly string[]): Promise<readonly ProblemMark[]>;
}
