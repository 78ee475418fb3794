/** Entries of a commit, numbered, encoded, and turned into one array for each column. */

import { FootholdError } from "../../core/errors.ts";
import type { Entry, JournalEntry } from "../../core/journal.ts";
import { extendLineage } from "../../core/lineage.ts";
import type { RestingRow } from "../../core/row.ts";
import { COMMIT_ENTRIES_MAX } from "../port.ts";
import type { Parameter } from "./database.ts";
import { Unstorable } from "./failures.ts";
import { encodeEntry, type EncodedEntry } from "./journal-codec.ts";

/** Entries to append, and the row that follows from them. */
export interface Appending {
  readonly commitId: string;
  readonly at: number;
  readonly entries: readonly Entry[];
  readonly row: RestingRow;
}

/** The text of a summary, and whether it has a review. */
export type SummaryColumns = readonly [summary: string, hasReview: boolean];

/** Numbers the entries from `revision` on. */
export function numberEntries(
  revision: number,
  { commitId, at, entries }: Omit<Appending, "row">,
): readonly JournalEntry[] {
  return entries.map((entry, index) => ({ revision: revision + index + 1, at, commitId, entry }));
}

/**
 * Encodes what a write on top of `revision` appends. Throws {@link Unstorable} when it has too many entries or one holds
 * what JSON cannot, and `INVARIANT_BROKEN` when its row is not that of its last entry.
 */
export function encodeEntries(
  caseId: string,
  revision: number,
  appending: Appending,
): readonly EncodedEntry[] {
  const { entries, row } = appending;
  if (entries.length > COMMIT_ENTRIES_MAX) {
    throw new Unstorable(`it has ${entries.length} entries, more than the ${COMMIT_ENTRIES_MAX} of a commit`);
  }
  if (row.revision !== revision + entries.length) {
    throw new FootholdError(
      "INVARIANT_BROKEN",
      `the row of case ${caseId} is for revision ${row.revision}, its entries end at ${revision + entries.length} ` +
        `(this is a bug in Foothold: please report it)`,
    );
  }
  try {
    return entries.map(encodeEntry);
  } catch (error) {
    throw new Unstorable(`an entry is no JSON: ${String(error)}`, { cause: error });
  }
}

/** The lineage of a journal once this is appended. */
export function lineageAfter(lineage: string, appending: Omit<Appending, "row">): string {
  return extendLineage(lineage, numberEntries(0, appending));
}

/** A summary as the text of its column, and the flag beside it. Throws {@link Unstorable}. */
export function summaryColumns({ summary }: Pick<RestingRow, "summary">): SummaryColumns {
  try {
    return [JSON.stringify(summary), summary.reviews.length > 0];
  } catch (error) {
    throw new Unstorable(`its summary is no JSON: ${String(error)}`, { cause: error });
  }
}

/** One array for each column of the entries, in the order of the statements. */
export function entryColumns(entries: readonly EncodedEntry[]): readonly Parameter[] {
  return [
    entries.map(({ kind }) => kind),
    entries.map(({ step }) => step),
    entries.map(({ credentialId }) => credentialId),
    entries.map(({ body }) => body),
  ];
}

/** How the body of each entry is written: the last of their columns, which statements take at their end. */
export function codecColumn(entries: readonly EncodedEntry[]): Parameter {
  return entries.map(({ codec }) => codec);
}
