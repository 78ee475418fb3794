/** A case under its lock: read, and written on top of what was read. */

import type { JournalEntry } from "../../core/journal.ts";
import { SHARD_COUNT, type ClaimChange, type StoredCase, type StoredRow } from "../port.ts";
import { toEntries, toRow, withJournal, type CaseColumns } from "./case-rows.ts";
import type { Runner } from "./database.ts";
import {
  encodeEntries,
  entryColumns,
  lineageAfter,
  summaryColumns,
  type Appending,
} from "./entry-columns.ts";
import type { EntryColumns } from "./journal-codec.ts";

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
  const rows = await runner.run<JournalColumns>("read_journal", [row.shard, row.caseId, revision]);
  return toEntries(row, revision, rows);
}

/** The case of a row with its whole journal, and the database's time. Throws `CORRUPT_JOURNAL`. */
export async function readWhole(
  runner: Runner,
  row: StoredRow,
): Promise<{ readonly stored: StoredCase; readonly now: number }> {
  const rows = await runner.run<JournalColumns>("read_journal", [row.shard, row.caseId, 0]);
  const read = withJournal(row, rows);
  if (read.kind === "unreadable") throw read.fault;
  // A case has at least one entry, or its journal would not have been readable.
  return { stored: read.stored, now: rows[0]?.now ?? row.changedAt };
}

type JournalColumns = EntryColumns & { readonly now: number };

/** Stores a change on top of the locked row. `hint`: what to notify listeners with, null = nothing. */
export async function writeCase(
  runner: Runner,
  locked: StoredRow,
  change: Appending & { readonly claim: ClaimChange; readonly hint: string | null },
): Promise<void> {
  const { row, claim } = change;
  const taken = typeof claim === "object" && claim.kind === "take" ? claim : null;
  const isClaimed = claim !== "free" && (locked.claim !== null || taken !== null);
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
    ...entryColumns(encodeEntries(locked.caseId, locked.revision, change)),
    change.hint,
    taken?.claimId ?? null,
    taken?.holderId ?? null,
  ]);
}
