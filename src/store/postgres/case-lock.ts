/** A case under its lock: read, and written on top of what was read. */

import { invariant } from "../../core/errors.ts";
import type { JournalEntry } from "../../core/journal.ts";
import { FOLD_VERSION } from "../../core/snapshot.ts";
import { SHARD_COUNT, type ClaimChange, type FoldedCase, type StoredRow } from "../port.ts";
import {
  foldTail,
  foldWhole,
  toEntries,
  toRow,
  type CaseColumns,
  type MaybeEntryColumns,
  type ReadCase,
} from "./case-rows.ts";
import type { Runner } from "./database.ts";
import {
  codecColumn,
  encodeEntries,
  entryColumns,
  lineageAfter,
  summaryColumns,
  type Appending,
} from "./entry-columns.ts";
import { openEntries, sealEntries, type EntryColumns } from "./journal-codec.ts";
import { indexChange } from "./search-index.ts";
import type { SnapshotColumns } from "./snapshots.ts";

/** The shard in the first two characters of a case id; null when it is no id of ours. */
export function shardOf(caseId: string): number | null {
  if (!/^\d\d/.test(caseId)) return null;
  const shard = Number(caseId.slice(0, 2));
  return shard < SHARD_COUNT ? shard : null;
}

/** Locks a case and reads its row; null when there is none. */
export async function lockCase(runner: Runner, shard: number, caseId: string): Promise<StoredRow | null> {
  const [columns] = await runner.run<CaseColumns>("lock_case", [shard, caseId]);
  return columns === undefined ? null : toRow(columns);
}

/** The entries after `revision`, up to that of the row; none where the row is behind. Throws `CORRUPT_JOURNAL`. */
export async function readMissed(
  runner: Runner,
  row: StoredRow,
  revision: number,
): Promise<readonly JournalEntry[]> {
  if (row.revision <= revision) return [];
  return toEntries(row, revision, await readEntries(runner, row, revision));
}

/** A case folded, what a change of it is known by already, and the database's time. */
export interface LockedCase {
  readonly stored: FoldedCase;
  /** Entries that it took to fold it. */
  readonly entryCount: number;
  /** The commit that stored the change before; null = none did. */
  readonly knownBy: string | null;
  readonly now: number;
}

/** Folds a locked case. Throws `CORRUPT_JOURNAL`. */
export async function readLocked(runner: Runner, row: StoredRow, knownAs: string): Promise<LockedCase> {
  const stored = await runner.run<TailColumns>("read_tail", [row.shard, row.caseId, FOLD_VERSION, knownAs]);
  const rows = await openEntries(runner.payloads, stored, () => row.caseId);
  const read = foldTail(row, rows) ?? (await readWhole(runner, row));
  if (read.kind === "unreadable") throw read.fault;
  const [first] = rows;
  invariant(first !== undefined, "read_tail returned no row");
  return { ...read, knownBy: first.known_by, now: first.now };
}

/** Folds a case from its whole journal. */
async function readWhole(runner: Runner, row: StoredRow): Promise<ReadCase> {
  return foldWhole(row, await readEntries(runner, row, 0));
}

/** The entries after `revision` as they are stored, opened. */
async function readEntries(
  runner: Runner,
  { shard, caseId }: StoredRow,
  revision: number,
): Promise<readonly EntryColumns[]> {
  const rows = await runner.run<EntryColumns>("read_journal", [shard, caseId, revision]);
  return openEntries(runner.payloads, rows, () => caseId);
}

type TailColumns = SnapshotColumns &
  MaybeEntryColumns & { readonly known_by: string | null; readonly now: number };

/**
 * Stores a change on top of the locked row. `hint`: what to notify listeners with, null = nothing; `knownAs`: what the
 * change is known by when it comes again, null = it is a holder's.
 */
export async function writeCase(
  runner: Runner,
  locked: StoredRow,
  change: Appending & {
    readonly claim: ClaimChange;
    readonly hint: string | null;
    readonly knownAs: string | null;
  },
): Promise<void> {
  const { row, claim } = change;
  const taken = typeof claim === "object" && claim.kind === "take" ? claim : null;
  const isClaimed = claim !== "free" && (locked.claim !== null || taken !== null);
  const { caseId, revision } = locked;
  const plain = { caseId, revision, entries: encodeEntries(caseId, revision, change) };
  const [entries = plain.entries] = await sealEntries(runner.payloads, [plain]);
  await indexChange(runner, locked, row.summary);
  await runner.run("write_case", [
    locked.shard,
    locked.caseId,
    row.revision,
    row.changedAt,
    row.state,
    row.dueAt,
    ...summaryColumns(row),
    isClaimed,
    isClaimed && typeof claim === "object" ? claim.actWithinMs : null,
    change.at,
    change.commitId,
    locked.revision,
    lineageAfter(locked.lineage, change),
    ...entryColumns(entries),
    change.hint,
    taken?.claimId ?? null,
    taken?.holderId ?? null,
    change.knownAs,
    row.definitionVersion,
    codecColumn(entries),
  ]);
}
