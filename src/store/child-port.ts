/** The part of the store port that knows which cases others started. */

import type { RowStanding } from "../core/child-telling.ts";

/** Which cases to list whose parents are not told. */
export interface UntoldRequest {
  readonly limit: number;
  readonly unchangedMs: number;
}

/** A case whose parent is not told yet how it stands. */
export interface UntoldCase {
  readonly caseId: string;
  readonly standing: RowStanding;
}

/** Cases that other cases started. */
export interface ChildStore {
  /**
   * Cases that others started and that stand otherwise than their parent was last told, those that do so for longest
   * first; only those that nothing was written to for so long: who changed them tells it itself. A case that is inserted
   * with a parent counts as told to be running.
   */
  listUntold(request: UntoldRequest): Promise<readonly UntoldCase[]>;
  /** Notes how a case stood when its parent was told. Nothing where it has none. */
  noteTold(caseId: string, standing: RowStanding): Promise<void>;
}
