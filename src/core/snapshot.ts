/**
 * Snapshots: the state of a journal up to one of its entries, so that a long one is not folded from its beginning each
 * time. A snapshot is only ever a shortcut; whatever is wrong with one, the journal is there.
 */

import type { CaseState } from "./case-state.ts";
import { foldEntries } from "./fold.ts";
import type { JournalEntry } from "./journal.ts";
import { extendLineage } from "./lineage.ts";

/**
 * Which fold made a state. Raised with every change of what the fold makes of a journal, or of the shape of
 * {@link CaseState}; a snapshot of another fold is not used. fold-version.test.ts says when.
 */
export const FOLD_VERSION = 15;

/** From this many entries after the last snapshot on, a reader makes a new one. */
export const SNAPSHOT_ENTRIES = 200;

/** The state of a journal up to the revision in it. */
export interface Snapshot {
  readonly state: CaseState;
  /** Of the journal up to there. */
  readonly lineage: string;
}

/**
 * The state of a journal of this lineage, from a snapshot and the entries after it. Null when the journal does not go on
 * from there: a failover lost entries that are folded into the snapshot. Throws `CORRUPT_JOURNAL`.
 */
export function foldOnto(
  snapshot: Snapshot,
  entries: readonly JournalEntry[],
  lineage: string,
): CaseState | null {
  if (extendLineage(snapshot.lineage, entries) !== lineage) return null;
  return foldEntries(snapshot.state, entries);
}
