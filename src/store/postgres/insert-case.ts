/** Starting a case. */

import { invariant } from "../../core/errors.ts";
import { FIRST_LINEAGE } from "../../core/lineage.ts";
import type { InsertReply, NewCase } from "../port.ts";
import type { Database } from "./database.ts";
import type { Hinting } from "./listener.ts";
import { encodeEntries, entryColumns, lineageAfter, summaryColumns } from "./entry-columns.ts";

/** Stores a new case as the port says. Throws `INVALID_REQUEST` when its data cannot be stored. */
export async function insertCase(database: Database, hinting: Hinting, start: NewCase): Promise<InsertReply> {
  const { identity, commitId, claim, row } = start;
  const isDue = claim === null && row.dueAt !== null && row.dueAt <= start.at;
  const inserted = await database.run("insert_case", [
    identity.shard,
    identity.caseId,
    identity.tenant,
    identity.caseType,
    identity.businessKey,
    identity.definitionVersion,
    identity.engineVersion,
    row.revision,
    identity.startedAt,
    row.changedAt,
    row.state,
    row.dueAt,
    ...summaryColumns(row),
    claim?.claimId ?? null,
    claim?.holderId ?? null,
    claim?.actWithinMs ?? null,
    start.at,
    commitId,
    lineageAfter(FIRST_LINEAGE, start),
    ...entryColumns(encodeEntries(identity.caseId, 0, start)),
    isDue ? hinting.payload : null,
  ]);
  if (inserted.length > 0) {
    if (isDue) hinting.hint();
    return { kind: "started" };
  }
  const { shard, caseId, tenant, caseType, businessKey } = identity;
  const [found] = await database.run<{ readonly commit_id: string | null; readonly case_id: string | null }>(
    "find_start",
    [shard, caseId, tenant, caseType, businessKey],
  );
  invariant(found !== undefined, "find_start returned no row");
  if (found.commit_id === commitId) return { kind: "repeated" };
  if (found.case_id !== null) return { kind: "exists", caseId: found.case_id };
  return { kind: "idTaken" };
}
