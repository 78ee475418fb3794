/** Changes of one case under its lock: facts, moves, the taking and freeing of claims; and reading it. */

import { foldJournal } from "../../core/fold.ts";
import { isClaimable, type CaseSummary } from "../../core/row.ts";
import type {
  CaseChange,
  ChangeId,
  ChangeReply,
  ClaimChange,
  FoldedCase,
  StoredCase,
  StoredRow,
} from "../port.ts";
import { addAuditLine } from "./audit.ts";
import { lockCase, readLocked, shardOf, writeCase } from "./case-lock.ts";
import { toEntries, toRow, type CaseColumns, type MaybeEntryColumns } from "./case-rows.ts";
import type { Database, Session } from "./database.ts";
import { summaryColumns } from "./entry-columns.ts";
import { openEntries } from "./journal-codec.ts";
import type { Hinting } from "./listener.ts";
import { writeSnapshot } from "./snapshots.ts";

/** A change that waits for its lock. */
export interface ChangeRequest<Reply> {
  readonly caseId: string;
  readonly change: ChangeId;
  readonly decide: (stored: FoldedCase, now: number) => CaseChange<Reply>;
}

/** Changes a case as the port says. */
export async function changeCase<Reply>(
  database: Database,
  hinting: Hinting,
  request: ChangeRequest<Reply>,
): Promise<ChangeReply<Reply> | null> {
  const shard = shardOf(request.caseId);
  if (shard === null) return null;
  const { reply, isDue } = await database.transact("begin_change", (session) =>
    changeLocked(hinting, session, shard, request),
  );
  if (isDue) hinting.hint();
  return reply;
}

/** The same in a transaction that others write in. Tells whether the case is due by it. */
export async function changeCaseIn<Reply>(
  hinting: Hinting,
  session: Session,
  request: ChangeRequest<Reply>,
): Promise<Changed<Reply>> {
  const shard = shardOf(request.caseId);
  return shard === null ? { reply: null, isDue: false } : changeLocked(hinting, session, shard, request);
}

interface Changed<Reply> {
  readonly reply: ChangeReply<Reply> | null;
  readonly isDue: boolean;
}

async function changeLocked<Reply>(
  hinting: Hinting,
  session: Session,
  shard: number,
  { caseId, change: { commitId, sourceId }, decide }: ChangeRequest<Reply>,
): Promise<Changed<Reply>> {
  const row = await lockCase(session, shard, caseId);
  if (row === null) return { reply: null, isDue: false };
  const knownAs = sourceId ?? commitId;
  const { stored, entryCount, knownBy, now } = await readLocked(session, row, knownAs);
  await writeSnapshot(session, row, stored.state, entryCount);
  if (knownBy !== null) return { reply: { kind: knownBy === commitId ? "repeated" : "known" }, isDue: false };
  if (stored.state.erased !== undefined) return { reply: { kind: "erased" }, isDue: false };
  const change = decide(stored, now);
  switch (change.kind) {
    case "leave":
      return { reply: { kind: "decided", reply: change.reply }, isDue: false };
    case "write": {
      // `now` is from before the lock was had: what was written meanwhile may be later.
      const isDue = isFreeAfter(row, change.claim) && isClaimable(change.row, Math.max(now, change.at));
      await writeCase(session, row, { ...change, knownAs, hint: isDue ? hinting.payload : null });
      if (change.line !== undefined) await addAuditLine(session, change.line);
      return { reply: { kind: "decided", reply: change.reply }, isDue };
    }
  }
}

function isFreeAfter({ claim }: StoredRow, change: ClaimChange): boolean {
  if (change === "free") return true;
  return claim === null && (change === "keep" || change.kind === "touch");
}

/** Reads a case with its journal. Throws `CORRUPT_JOURNAL`. */
export async function loadCase(database: Database, caseId: string): Promise<StoredCase | null> {
  const shard = shardOf(caseId);
  if (shard === null) return null;
  const stored = await database.run<CaseColumns & MaybeEntryColumns>("load_case", [shard, caseId]);
  const rows = await openEntries(database.payloads, stored, () => caseId);
  const [first] = rows;
  if (first === undefined) return null;
  const row = toRow(first);
  const journal = toEntries(
    row,
    0,
    rows.filter((one) => one.entry_revision !== null),
  );
  return { row, state: foldJournal(caseId, journal), journal };
}

/** Reads the row of a case. */
export async function loadRow(database: Database, caseId: string): Promise<StoredRow | null> {
  const shard = shardOf(caseId);
  if (shard === null) return null;
  const [columns] = await database.run<CaseColumns>("load_row", [shard, caseId]);
  return columns === undefined ? null : toRow(columns);
}

/** Puts an unreadable case in sight as the port says. */
export async function setAside(
  database: Database,
  caseId: string,
  claimId: string | null,
  summary: CaseSummary,
): Promise<boolean> {
  const shard = shardOf(caseId);
  if (shard === null) return false;
  const rows = await database.run("set_aside", [shard, caseId, claimId, ...summaryColumns({ summary })]);
  return rows.length > 0;
}
