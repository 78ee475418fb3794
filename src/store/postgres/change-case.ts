/** Changes of one case under its lock: facts, moves, the taking and freeing of claims; and reading it. */

import { isClaimable, type CaseSummary } from "../../core/row.ts";
import type { CaseChange, ClaimChange, StoredCase, StoredRow } from "../port.ts";
import { lockCase, readWhole, shardOf, writeCase } from "./case-lock.ts";
import { toCases, type CaseAndEntryColumns } from "./case-rows.ts";
import type { Database, Session } from "./database.ts";
import { summaryColumns } from "./entry-columns.ts";
import type { Hinting } from "./listener.ts";

/** The reply of `changeCase`, as the port has it. */
export type ChangeReply<Reply> =
  { readonly kind: "decided"; readonly reply: Reply } | { readonly kind: "repeated" } | null;

/** A change that waits for its lock. */
export interface ChangeRequest<Reply> {
  readonly caseId: string;
  readonly commitId: string;
  readonly decide: (stored: StoredCase, now: number) => CaseChange<Reply>;
}

/** Changes a case as the port says. */
export async function changeCase<Reply>(
  database: Database,
  hinting: Hinting,
  request: ChangeRequest<Reply>,
): Promise<ChangeReply<Reply>> {
  const shard = shardOf(request.caseId);
  if (shard === null) return null;
  const { reply, isDue } = await database.transact("begin_change", (session) =>
    changeLocked(hinting, session, shard, request),
  );
  if (isDue) hinting.hint();
  return reply;
}

interface Changed<Reply> {
  readonly reply: ChangeReply<Reply>;
  readonly isDue: boolean;
}

async function changeLocked<Reply>(
  hinting: Hinting,
  session: Session,
  shard: number,
  { caseId, commitId, decide }: ChangeRequest<Reply>,
): Promise<Changed<Reply>> {
  const row = await lockCase(session, shard, caseId);
  if (row === null) return { reply: null, isDue: false };
  const { stored, now } = await readWhole(session, row);
  if (stored.journal.some((entry) => entry.commitId === commitId))
    return { reply: { kind: "repeated" }, isDue: false };
  const change = decide(stored, now);
  switch (change.kind) {
    case "leave":
      return { reply: { kind: "decided", reply: change.reply }, isDue: false };
    case "write": {
      const isDue = isFreeAfter(row, change.claim) && isClaimable(change.row, now);
      await writeCase(session, row, { ...change, hint: isDue ? hinting.payload : null });
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
  const [read] = toCases(await database.run<CaseAndEntryColumns>("load_case", [shard, caseId]));
  if (read === undefined) return null;
  if (read.kind === "unreadable") throw read.fault;
  return read.stored;
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
