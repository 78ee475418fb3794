/** Claiming due cases. */

import { invariant } from "../../core/errors.ts";
import { CLAIM_BATCH_MAX, type ClaimReply, type ClaimRequest } from "../port.ts";
import { toCases, withJournal, type CaseAndEntryColumns, type ReadCase } from "./case-rows.ts";
import type { Database, Parameter } from "./database.ts";
import type { EntryColumns } from "./journal-codec.ts";

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
  const rows = await database.run<CaseAndEntryColumns & { readonly now: number }>("claim_due", [
    ...whichCases,
    holderId,
    actWithinMs,
    claimIds,
  ]);
  const read = await Promise.all(toCases(rows).map((one) => readAgain(database, one)));
  const found = {
    cases: read.flatMap((one) => (one.kind === "whole" ? [one.stored] : [])).toSorted(byDueTime),
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
async function readAgain(database: Database, read: ReadCase): Promise<ReadCase> {
  if (read.kind === "whole") return read;
  const { row } = read;
  const entries = await database.run<EntryColumns>("read_journal", [row.shard, row.caseId, 0]);
  return withJournal(row, entries);
}

function byDueTime(a: ClaimReply["cases"][number], b: ClaimReply["cases"][number]): number {
  return (a.row.dueAt ?? 0) - (b.row.dueAt ?? 0);
}
