/**
 * Every place where a payload is stored, and what it is called: a codec binds the bytes to that name. Snapshots are the one
 * place more; they are made anew, and never turned to another key.
 */

/** The tables whose payloads are turned to another key, in the order in which that is done. */
export const SEALED_TABLES = ["journal", "audit", "deliveries", "bulk_acts", "second_requests"] as const;

/** One of {@link SEALED_TABLES}. */
export type SealedTable = (typeof SEALED_TABLES)[number];

/** The name of the payload in a row; the revision counts for journal entries alone. */
export function payloadPlace(table: SealedTable, id: string, revision = 0): string {
  return table === "journal" ? `journal/${id}/${revision}` : `${table}/${id}`;
}

/** The name of a case's snapshot at a revision. */
export function snapshotPlace(caseId: string, revision: number): string {
  return `snapshots/${caseId}/${revision}`;
}
