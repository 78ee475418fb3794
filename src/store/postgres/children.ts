/** Cases that other cases started: whose parent is not told yet how they stand. */

import type { RowStanding } from "../../core/child-telling.ts";
import type { ChildStore } from "../child-port.ts";
import { shardOf } from "./case-lock.ts";
import type { Database } from "./database.ts";

interface UntoldColumns {
  readonly case_id: string;
  readonly standing: RowStanding;
}

/** The part of the port that knows of them. */
export function postgresChildren(database: Database): ChildStore {
  return {
    listUntold: ({ limit, unchangedMs }) =>
      database.guarded(async () => {
        const rows = await database.run<UntoldColumns>("list_untold", [limit, unchangedMs]);
        return rows.map(({ case_id: caseId, standing }) => ({ caseId, standing }));
      }),
    noteTold: (caseId, standing, known) =>
      database.guarded(async () => {
        const shard = shardOf(caseId);
        if (shard === null) return;
        const sourceId = known.kind === "told" ? known.sourceId : null;
        await database.run("note_told", [shard, caseId, standing, known.kind, sourceId]);
      }),
  };
}
