/** The part of the store port that knows which cases others started. */

import type { RowStanding, ToldStanding } from "../core/child-telling.ts";

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

/**
 * What a parent knows of its child when that is noted. A failover can lose it in between, and then nothing may be noted: `told`
 * = the fact with this source is in its journal; `ended` = it has ended, and is told nothing any more; `nothing` = nothing
 * was to be told.
 */
export type ParentKnows =
  | { readonly kind: "told"; readonly sourceId: string }
  | { readonly kind: "ended" }
  | { readonly kind: "nothing" };

/** Cases that other cases started. */
export interface ChildStore {
  /**
   * Cases that others started and that stand otherwise than their parent was last told, those that do so for longest
   * first; only those that nothing was written to for so long: who changed them tells it itself. A case that is inserted
   * with a parent counts as told to be running; one that comes back from its end, as not told.
   */
  listUntold(request: UntoldRequest): Promise<readonly UntoldCase[]>;
  /**
   * Notes how a case stood when its parent was told: where it has one that knows what is said. With `telling` it is listed,
   * however it stands, until something else is noted.
   */
  noteTold(caseId: string, standing: ToldStanding, known: ParentKnows): Promise<void>;
}
