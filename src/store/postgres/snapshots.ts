/**
 * Snapshots as bytes: the state as JSON in UTF-8, sealed where the store has a codec. Readers write them, not commits: a reader
 * has the state at hand, a commit is what everybody waits for, and a snapshot that is missing costs nothing but the time to make it.
 */

import type { CaseState } from "../../core/case-state.ts";
import { FOLD_VERSION, SNAPSHOT_ENTRIES, type Snapshot } from "../../core/snapshot.ts";
import type { StoredRow } from "../port.ts";
import type { Runner } from "./database.ts";
import { snapshotPlace } from "./payload-places.ts";

/** Largest snapshot, in bytes: one that takes longer to read than the journal saves nobody time. */
const SNAPSHOT_BYTES_MAX = 8 * 1024 * 1024;
/** The mark of bodies that are not sealed. */
const JSON_CODEC = "json";

/** The columns of a snapshot, all null where there is none; in later rows of the same case all but the revision are. */
export interface SnapshotColumns {
  readonly snapshot_revision: number | null;
  readonly snapshot_lineage: string | null;
  readonly snapshot_codec: string | null;
  readonly snapshot_body: Buffer | null;
  readonly snapshot_is_intact: boolean | null;
}

/** The snapshot in these columns; null where it cannot be read. */
export function decodeSnapshot(columns: SnapshotColumns): Snapshot | null {
  const { snapshot_lineage: lineage, snapshot_body: body, snapshot_codec: codec } = columns;
  if (lineage === null || body === null || codec !== JSON_CODEC || columns.snapshot_is_intact !== true) {
    return null;
  }
  // The hash says that these are the bytes which writeSnapshot wrote, and the fold version that it was this very fold.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return { state: JSON.parse(body.toString("utf8")) as CaseState, lineage };
}

/** Makes a snapshot of a case if it was read from this many entries or more. */
export async function writeSnapshot(
  runner: Runner,
  { shard, caseId, lineage }: StoredRow,
  state: CaseState,
  entryCount: number,
): Promise<void> {
  if (entryCount < SNAPSHOT_ENTRIES) return;
  const body = Buffer.from(JSON.stringify(state));
  if (body.length > SNAPSHOT_BYTES_MAX) return;
  const place = snapshotPlace(caseId, state.revision);
  for (const stored of await runner.payloads.seal([{ place, bytes: body }], JSON_CODEC)) {
    const values = [shard, caseId, state.revision, lineage, FOLD_VERSION, stored.body, stored.codec];
    await runner.run("write_snapshot", values);
  }
}
