/** Claiming due cases. */

import { invariant } from "../../core/errors.ts";
import { FOLD_VERSION } from "../../core/snapshot.ts";
import { CLAIM_BATCH_MAX, type ClaimReply, type ClaimRequest } from "../port.ts";
import { readWhole } from "./case-lock.ts";
import { foldTail, groupByCase, toRow, type FoldableColumns, type ReadCase } from "./case-rows.ts";
import type { Database, Parameter } from "./database.ts";
import { writeSnapshot } from "./snapshots.ts";

/** Claims due cases as the port says. */
export async function claimDue(database: Database, request: ClaimRequest): Promise<ClaimReply> {
  const { claimIds, caseTypes, holderId, actWithinMs } = request;
  invariant(claimIds.length <= CLAIM_BATCH_MAX, `a claim of ${claimIds.length} cases was asked for`);
  const whichCases: readonly Parameter[] = [
    request.now ?? null,
    request.engineVersion,
    caseTypes.map(({ name }) => name),
    caseTypes.map(({ version }) => version),
  ];
  const rows = await database.run<FoldableColumns & { readonly now: number }>("claim_due", [
    ...whichCases,
    holderId,
    actWithinMs,
    claimIds,
    FOLD_VERSION,
  ]);
  const read = await Promise.all(groupByCase(rows).map((group) => readClaimed(database, group)));
  const found = {
    cases: read.flatMap((one) => (one.kind === "folded" ? [one.stored] : [])).toSorted(byDueTime),
    unreadable: read.flatMap((one) =>
      one.kind === "unreadable" ? [{ row: one.row, fault: one.fault }] : [],
    ),
  };
  const [first] = rows;
  if (first !== undefined && read.length === claimIds.length) {
    return { ...found, nextDueAt: first.now, now: first.now };
  }
  const [next] = await database.run<{ readonly now: number; readonly next_due_at: number | null }>(
    "next_due",
    whichCases,
  );
  invariant(next !== undefined, "next_due returned no row");
  return { ...found, nextDueAt: next.next_due_at, now: first?.now ?? next.now };
}

/**
 * A case that changed while the claim began is claimed as it is now, but comes with the journal of before. What it lacks
 * is there for the next statement to read; if it is not, the journal is damaged.
 */
async function readClaimed(database: Database, rows: readonly FoldableColumns[]): Promise<ReadCase> {
  const [first] = rows;
  invariant(first !== undefined, "a group of rows is empty");
  const row = toRow(first);
  const read = foldTail(row, rows) ?? (await readWhole(database, row));
  if (read.kind === "folded") await writeSnapshot(database, row, read.stored.state, read.entryCount);
  return read;
}

function byDueTime(a: ClaimReply["cases"][number], b: ClaimReply["cases"][number]): number {
  return (a.row.dueAt ?? 0) - (b.row.dueAt ?? 0);
}
