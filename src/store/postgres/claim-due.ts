/** Claiming due cases. */

import { invariant } from "../../core/errors.ts";
import type { TurnGroup } from "../../core/turns.ts";
import { FOLD_VERSION } from "../../core/snapshot.ts";
import {
  CLAIM_BATCH_MAX,
  type ClaimReply,
  type ClaimRequest,
  type StoredRow,
  type UnreadableCase,
} from "../port.ts";
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
import { openEntries } from "./journal-codec.ts";
import type { SearchIndex } from "./search-index.ts";
import { writeSnapshot } from "./snapshots.ts";

/** How long a case is left to processes that have its key, in ms: by then this one has looked at the keys again. */
const PUT_BACK_MS = 15_000;

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
  const replied = await runClaim(database, request, [
    ...whichCases,
    holderId,
    actWithinMs,
    claimIds,
    FOLD_VERSION,
  ]);
  const rows = await openEntries(database.payloads, replied.filter(isOfCase), (row) => row.case_id);
  const groups = groupByCase(rows);
  const read = await Promise.all(groups.map((group) => readClaimed(database, group)));
  for (const one of read) {
    if (one?.kind === "folded") {
      const { caseId, summary } = one.stored.row;
      searchIndex.note({ caseId, search: summary.search });
    }
  }
  const unread = read.flatMap((one) =>
    one?.kind === "unreadable" ? [{ row: one.row, fault: one.fault }] : [],
  );
  for (const { row } of unread.filter(isKeyless)) await putBack(database, row);
  const found = {
    cases: read.flatMap((one) => (one?.kind === "folded" ? [one.stored] : [])).toSorted(byDueTime),
    unreadable: unread.filter((one) => !isKeyless(one)),
  };
  const [first] = rows;
  const sharedTo = first === undefined ? null : sharedToOf(first);
  const [one] = replied;
  const isLeft = groups.length === claimIds.length || rows.length < replied.length;
  if (one !== undefined && isLeft) return { ...found, nextDueAt: one.now, sharedTo, now: one.now };
  const [next] = await database.run<{ readonly now: number; readonly next_due_at: number | null }>(
    "next_due",
    whichCases,
  );
  invariant(next !== undefined, "next_due returned no row");
  return { ...found, nextDueAt: next.next_due_at, sharedTo, now: first?.now ?? next.now };
}

/**
 * It is this process that cannot read it, and another one can: it is given back, and not set aside as damaged. Only cases
 * that were written in the few seconds since this process looked at the keys come so far.
 */
function isKeyless({ fault }: UnreadableCase): boolean {
  return fault.code === "PAYLOAD_KEY_MISSING";
}

async function putBack(database: Database, { shard, caseId, claim }: StoredRow): Promise<void> {
  await database.run("put_back", [shard, caseId, claim?.claimId ?? null, PUT_BACK_MS]);
}

async function runClaim(
  database: Database,
  { caseTypes, share }: ClaimRequest,
  claim: readonly Parameter[],
): Promise<readonly MaybeClaimed[]> {
  const { places = 0, after = null } = share ?? {};
  const round = [places, after?.caseType ?? null, after?.tenant ?? null];
  const isLimited = caseTypes.some(({ concurrency }) => concurrency !== undefined);
  const limits = isLimited
    ? [
        caseTypes.map(({ concurrency }) => concurrency?.limit ?? null),
        caseTypes.map(({ concurrency }) => concurrency?.freedBy ?? null),
      ]
    : [];
  const name = isLimited ? "_in_places" : "";
  return places === 0
    ? database.run<MaybeClaimed>(`claim_due${name}`, [...claim, ...limits])
    : database.run<MaybeClaimed>(`claim_shared${name}`, [...claim, ...round, ...limits]);
}

/** Where not all that were due were claimed, a row of no case comes with them. */
type MaybeClaimed = ClaimedColumns | { readonly case_id: null; readonly now: number };

function isOfCase(row: MaybeClaimed): row is ClaimedColumns {
  return row.case_id !== null;
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
  const stored = await database.run<CaseColumns & MaybeEntryColumns>("load_case", [shard, caseId]);
  const rows = await openEntries(database.payloads, stored, () => caseId);
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
