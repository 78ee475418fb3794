/** Claiming due cases. */

import { invariant } from "../../core/errors.ts";
import type { TurnGroup } from "../../core/turns.ts";
import { FOLD_VERSION } from "../../core/snapshot.ts";
import { CLAIM_BATCH_MAX, type ClaimReply, type ClaimRequest, type StoredRow } from "../port.ts";
import {
  foldTail,
  foldWhole,
  groupByCase,
  toRow,
  type CaseColumns,
  type FoldableColumns,
  type MaybeEntryColumns,
  type ReadCase,
} from "./case-rows.ts";
import type { Database, Parameter } from "./database.ts";
import type { SearchIndex } from "./search-index.ts";
import { writeSnapshot } from "./snapshots.ts";

type ClaimedColumns = FoldableColumns & {
  readonly now: number;
  readonly shared_to_type: string | null;
  readonly shared_to_tenant: string | null;
};

/** Claims due cases as the port says. */
export async function claimDue(
  database: Database,
  searchIndex: SearchIndex,
  request: ClaimRequest,
): Promise<ClaimReply> {
  const { claimIds, caseTypes, holderId, actWithinMs } = request;
  invariant(claimIds.length <= CLAIM_BATCH_MAX, `a claim of ${claimIds.length} cases was asked for`);
  const whichCases: readonly Parameter[] = [
    request.now ?? null,
    request.engineVersion,
    caseTypes.map(({ name }) => name),
    caseTypes.map(({ version }) => version),
  ];
  const { places = 0, after = null } = request.share ?? {};
  const claim: readonly Parameter[] = [...whichCases, holderId, actWithinMs, claimIds, FOLD_VERSION];
  const rows =
    places === 0
      ? await database.run<ClaimedColumns>("claim_due", claim)
      : await database.run<ClaimedColumns>("claim_shared", [
          ...claim,
          places,
          after?.caseType ?? null,
          after?.tenant ?? null,
        ]);
  const groups = groupByCase(rows);
  const read = await Promise.all(groups.map((group) => readClaimed(database, group)));
  for (const one of read) {
    if (one?.kind === "folded") {
      const { caseId, summary } = one.stored.row;
      searchIndex.note({ caseId, search: summary.search });
    }
  }
  const found = {
    cases: read.flatMap((one) => (one?.kind === "folded" ? [one.stored] : [])).toSorted(byDueTime),
    unreadable: read.flatMap((one) =>
      one?.kind === "unreadable" ? [{ row: one.row, fault: one.fault }] : [],
    ),
  };
  const [first] = rows;
  const sharedTo = first === undefined ? null : sharedToOf(first);
  if (first !== undefined && groups.length === claimIds.length) {
    return { ...found, nextDueAt: first.now, sharedTo, now: first.now };
  }
  const [next] = await database.run<{ readonly now: number; readonly next_due_at: number | null }>(
    "next_due",
    whichCases,
  );
  invariant(next !== undefined, "next_due returned no row");
  return { ...found, nextDueAt: next.next_due_at, sharedTo, now: first?.now ?? next.now };
}

function sharedToOf({
  shared_to_type: caseType,
  shared_to_tenant: tenant,
}: ClaimedColumns): TurnGroup | null {
  return caseType === null || tenant === null ? null : { caseType, tenant };
}

/**
 * A case that changed while the claim began is claimed as it is now, but comes with the journal of before. It is read once
 * more then, row and journal in one statement, as others may go on writing facts to it; if it does not add up even so, its
 * journal is damaged. Null: the claim was taken back meanwhile.
 */
async function readClaimed(database: Database, rows: readonly FoldableColumns[]): Promise<ReadCase | null> {
  const [first] = rows;
  invariant(first !== undefined, "a group of rows is empty");
  const row = toRow(first);
  const read = foldTail(row, rows) ?? (await readAgain(database, row));
  if (read?.kind === "folded")
    await writeSnapshot(database, read.stored.row, read.stored.state, read.entryCount);
  return read;
}

async function readAgain(database: Database, { shard, caseId, claim }: StoredRow): Promise<ReadCase | null> {
  const rows = await database.run<CaseColumns & MaybeEntryColumns>("load_case", [shard, caseId]);
  const [first] = rows;
  if (first === undefined) return null;
  const row = toRow(first);
  if (row.claim?.claimId !== claim?.claimId) return null;
  return foldWhole(
    row,
    rows.filter((one) => one.entry_revision !== null),
  );
}

function byDueTime(a: ClaimReply["cases"][number], b: ClaimReply["cases"][number]): number {
  return (a.row.dueAt ?? 0) - (b.row.dueAt ?? 0);
}
