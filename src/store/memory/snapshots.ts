/**
 * The states of a memory store's cases, kept from one reading to the next. As snapshots in a database they are no part of
 * what a standby has, so that what a failover lost may still be folded into one.
 */

import type { CaseState } from "../../core/case-state.ts";
import { foldJournal } from "../../core/fold.ts";
import { foldOnto, type Snapshot } from "../../core/snapshot.ts";
import type { MemoryCase } from "./cases.ts";

/** Snapshots by case id. */
export class MemorySnapshots {
  private readonly snapshots = new Map<string, Snapshot>();

  /** The state of a case. Throws `CORRUPT_JOURNAL`. */
  stateOf({ identity: { caseId }, journal, lineage }: MemoryCase): CaseState {
    const snapshot = this.snapshots.get(caseId) ?? null;
    const known =
      snapshot === null ? null : foldOnto(snapshot, journal.slice(snapshot.state.revision), lineage);
    const state = known ?? foldJournal(caseId, journal);
    this.snapshots.set(caseId, { state, lineage });
    return state;
  }

  /** Forgets the state of a case. */
  drop(caseId: string): void {
    this.snapshots.delete(caseId);
  }
}
