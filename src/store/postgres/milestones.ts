/** Milestones in PostgreSQL. */

import { checkMilestoneLimit, milestoneCursor, readMilestoneCursor } from "../milestone-cursor.ts";
import type { Milestone, MilestoneFilter, MilestonePage, MilestoneStore } from "../milestone-port.ts";
import type { Database } from "./database.ts";
import { decodeEntry, openEntries, type EntryColumns } from "./journal-codec.ts";

/** Makes them over the store's own pool. */
export function postgresMilestones(database: Database): MilestoneStore {
  return { list: (filter) => database.guarded(() => list(database, filter)) };
}

interface MilestoneRow extends EntryColumns {
  readonly case_id: string;
  readonly case_type: string;
  readonly tenant: string;
  readonly business_key: string | null;
}

async function list(
  database: Database,
  { kinds, untilAt, limit, after }: MilestoneFilter,
): Promise<MilestonePage> {
  checkMilestoneLimit(limit);
  const place = readMilestoneCursor(after);
  const stored = await database.run<MilestoneRow>("list_milestones", [
    kinds ?? null,
    untilAt ?? null,
    place?.at ?? null,
    place?.caseId ?? null,
    place?.revision ?? null,
    // One more than wanted tells whether there is a next page.
    limit + 1,
  ]);
  const rows = await openEntries(database.payloads, stored, (row) => row.case_id);
  const milestones = rows.slice(0, limit).map(toMilestone);
  const last = milestones.at(-1);
  return { milestones, next: rows.length > limit && last !== undefined ? milestoneCursor(last) : null };
}

function toMilestone(row: MilestoneRow): Milestone {
  return {
    caseId: row.case_id,
    caseType: row.case_type,
    tenant: row.tenant,
    businessKey: row.business_key,
    entry: decodeEntry(row.case_id, row),
  };
}
