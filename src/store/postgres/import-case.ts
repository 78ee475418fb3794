/** Storing a case with the journal that it had elsewhere. */

import type { ImportedCommit } from "../../core/imported-case.ts";
import { invariant } from "../../core/errors.ts";
import { isClaimable } from "../../core/row.ts";
import type { CaseIdentity, InsertReply } from "../port.ts";
import { lockCase, writeCase } from "./case-lock.ts";
import type { Database, Session } from "./database.ts";
import type { Hinting } from "./listener.ts";
import { startCaseIn } from "./starts.ts";

/** Nobody is told of a case before all of it is there. */
const QUIET: Hinting = { payload: "", hint: () => undefined };

/** Stores it as the port says. */
export async function importCase(
  database: Database,
  hinting: Hinting,
  identity: CaseIdentity,
  commits: readonly ImportedCommit[],
): Promise<InsertReply> {
  const reply = await database.transact("begin_change", (session) => write(session, identity, commits));
  const row = commits.at(-1)?.row;
  if (reply.kind === "started" && row !== undefined && isClaimable(row, Infinity)) hinting.hint();
  return reply;
}

async function write(
  session: Session,
  identity: CaseIdentity,
  commits: readonly ImportedCommit[],
): Promise<InsertReply> {
  const [first, ...others] = commits;
  invariant(first !== undefined, `the import of case ${identity.caseId} has no commit`);
  const { reply } = await startCaseIn(session, QUIET, { identity, ...first, claim: null });
  if (reply.kind !== "started") return reply;
  for (const { sourceId, ...commit } of others) {
    const locked = await lockCase(session, identity.shard, identity.caseId);
    invariant(locked !== null, `case ${identity.caseId} is gone while it is imported`);
    await writeCase(session, locked, { ...commit, claim: "keep", hint: null, knownAs: sourceId });
  }
  return reply;
}
