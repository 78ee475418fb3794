/** Rows as the statements return them, and what they become: the one place where columns meet fields. */

import { FootholdError } from "../../core/errors.ts";
import { foldJournal } from "../../core/fold.ts";
import type { JournalEntry } from "../../core/journal.ts";
import type { CaseSummary, StoredState } from "../../core/row.ts";
import { foldOnto } from "../../core/snapshot.ts";
import type { FoldedCase, HeldClaim, StoredHolder, StoredRow } from "../port.ts";
import { decodeEntry, type EntryColumns } from "./journal-codec.ts";
import { decodeSnapshot, type SnapshotColumns } from "./snapshots.ts";

/** The columns of a case. Times are whole epoch ms, rounded down. */
export interface CaseColumns {
  readonly shard: number;
  readonly case_id: string;
  readonly tenant: string;
  readonly case_type: string;
  readonly business_key: string | null;
  readonly definition_version: number;
  readonly engine_version: number;
  readonly state: StoredState;
  readonly due_at: number | null;
  readonly revision: number;
  readonly lineage: string;
  readonly started_at: number;
  readonly changed_at: number;
  readonly held_since_at: number | null;
  readonly claim_id: string | null;
  readonly holder_id: string | null;
  readonly claimed_at: number | null;
  readonly act_by_at: number | null;
  /** Null in all but the first row of a case that comes with its journal. */
  readonly summary: CaseSummary | null;
}

/** The columns of one entry, which are null where a case has none to give. */
export type MaybeEntryColumns = EntryColumns | { readonly entry_revision: null };

/** A case's columns, and those of its snapshot and of one of its entries. */
export type FoldableColumns = CaseColumns & SnapshotColumns & MaybeEntryColumns;

/** A case as read; `fault` says why its journal cannot be. */
export type ReadCase =
  | { readonly kind: "folded"; readonly stored: FoldedCase; readonly entryCount: number }
  | { readonly kind: "unreadable"; readonly row: StoredRow; readonly fault: FootholdError };

/** A case's columns as its row. Throws `INVARIANT_BROKEN` when they lack the summary. */
export function toRow(columns: CaseColumns): StoredRow {
  const { claim_id: claimId, holder_id: holderId, claimed_at: claimedAt, act_by_at: actByAt } = columns;
  if (columns.summary === null) {
    throw new FootholdError("INVARIANT_BROKEN", `case ${columns.case_id} was read without its summary`);
  }
  const isClaimed = claimId !== null && holderId !== null && claimedAt !== null && actByAt !== null;
  return {
    caseId: columns.case_id,
    shard: columns.shard,
    tenant: columns.tenant,
    caseType: columns.case_type,
    businessKey: columns.business_key,
    startedAt: columns.started_at,
    definitionVersion: columns.definition_version,
    engineVersion: columns.engine_version,
    state: columns.state,
    dueAt: columns.due_at,
    ...(columns.held_since_at === null ? {} : { heldSinceAt: columns.held_since_at }),
    revision: columns.revision,
    lineage: columns.lineage,
    changedAt: columns.changed_at,
    summary: columns.summary,
    claim: isClaimed ? { claimId, holderId, claimedAt, actByAt } : null,
  };
}

/** The rows of cases, grouped, in the order in which the cases come. */
export function groupByCase<Row extends CaseColumns>(rows: readonly Row[]): readonly (readonly Row[])[] {
  const byCase = new Map<string, Row[]>();
  for (const row of rows) {
    const group = byCase.get(row.case_id);
    if (group === undefined) byCase.set(row.case_id, [row]);
    else group.push(row);
  }
  return [...byCase.values()];
}

/**
 * A case folded from its snapshot and the entries after it, checked: no entry is missing, doubled or damaged, and the
 * journal goes on from the snapshot. Null where that does not hold: the whole journal must be read then.
 */
export function foldTail(
  row: StoredRow,
  rows: readonly (SnapshotColumns & MaybeEntryColumns)[],
): Extract<ReadCase, { kind: "folded" }> | null {
  const [first] = rows;
  const entries = rows.filter((one) => one.entry_revision !== null);
  if (first === undefined || first.snapshot_revision === null) {
    const read = foldWhole(row, entries);
    return read.kind === "folded" ? read : null;
  }
  try {
    const snapshot = decodeSnapshot(first);
    if (snapshot === null) return null;
    const tail = toEntries(row, first.snapshot_revision, entries);
    const state = foldOnto(snapshot, tail, row.lineage);
    return state === null ? null : { kind: "folded", stored: { row, state }, entryCount: tail.length };
  } catch (error) {
    if (error instanceof FootholdError) return null;
    throw error;
  }
}

/** A case folded from its whole journal, checked likewise. */
export function foldWhole(row: StoredRow, entries: readonly EntryColumns[]): ReadCase {
  try {
    const journal = toEntries(row, 0, entries);
    const stored = { row, state: foldJournal(row.caseId, journal) };
    return { kind: "folded", stored, entryCount: journal.length };
  } catch (error) {
    if (error instanceof FootholdError) return { kind: "unreadable", row, fault: error };
    throw error;
  }
}

/** The entries after a revision. Throws `CORRUPT_JOURNAL` unless they go on to the row's without a gap and can be read. */
export function toEntries(
  { caseId, revision }: Pick<StoredRow, "caseId" | "revision">,
  afterRevision: number,
  entries: readonly EntryColumns[],
): readonly JournalEntry[] {
  const read = entries.map((columns, index) => {
    const expected = afterRevision + index + 1;
    if (columns.entry_revision !== expected) throw missing(caseId, expected, columns.entry_revision);
    return decodeEntry(caseId, columns);
  });
  if (read.length !== revision - afterRevision)
    throw missing(caseId, afterRevision + read.length + 1, revision);
  return read;
}

function missing(caseId: string, revision: number, next: number): FootholdError {
  return new FootholdError(
    "CORRUPT_JOURNAL",
    `The journal of case ${caseId} lacks revision ${revision}, although it should go on to ${next}. ` +
      `Nothing of the case was changed; restore its journal rows from a backup.`,
    { details: { caseId, revision } },
  );
}

/** The columns of a claim. */
export interface ClaimColumns {
  readonly shard: number;
  readonly case_id: string;
  readonly claim_id: string;
  readonly holder_id: string;
  readonly revision: number;
  readonly claimed_at: number;
  readonly act_by_at: number;
  readonly act_within_ms: number;
  readonly claim_touches: number;
}

/** A claim's columns as a claim. */
export function toHeldClaim(columns: ClaimColumns): HeldClaim {
  return {
    caseId: columns.case_id,
    shard: columns.shard,
    claimId: columns.claim_id,
    holderId: columns.holder_id,
    revision: columns.revision,
    claimedAt: columns.claimed_at,
    actByAt: columns.act_by_at,
    actWithinMs: columns.act_within_ms,
    touches: columns.claim_touches,
  };
}

/** The columns of a holder. */
export interface HolderColumns {
  readonly holder_id: string;
  readonly kind: "worker" | "page";
  readonly name: string;
  readonly host: string;
  readonly build: string;
  readonly lease_ms: number;
  readonly case_types: StoredHolder["caseTypes"];
  readonly destinations: readonly string[];
  readonly beat: number;
  readonly beat_at: number;
  readonly started_at: number;
  readonly ended_at: number | null;
}

/** A holder's columns as a holder. */
export function toHolder(columns: HolderColumns): StoredHolder {
  return {
    holderId: columns.holder_id,
    kind: columns.kind,
    name: columns.name,
    host: columns.host,
    build: columns.build,
    leaseMs: columns.lease_ms,
    caseTypes: columns.case_types,
    destinations: columns.destinations,
    beat: columns.beat,
    beatAt: columns.beat_at,
    startedAt: columns.started_at,
    endedAt: columns.ended_at,
  };
}
