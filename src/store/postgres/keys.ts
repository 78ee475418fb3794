/** Turning payloads to the first key, in bounded batches, table by table. */

import { FootholdError } from "../../core/errors.ts";
import { markOf, readMark, type PayloadCodec } from "../../core/payload-codec.ts";
import { REWRAP_MAX, type KeyStore, type RewrapPage, type UnturnedPayload } from "../key-port.ts";
import type { Database } from "./database.ts";
import type { KeyWatch } from "./key-watch.ts";
import { asked } from "./payloads.ts";
import { payloadPlace, SEALED_TABLES, type SealedTable } from "./payload-places.ts";

/** A process may seal for so long after it last said so, in ms: what it had under way is stored by then. */
const RETIRE_MARGIN_MS = 300_000;

/** Makes it over the store's own pool. */
export function postgresKeys(database: Database, watch: KeyWatch): KeyStore {
  return {
    list: () => database.guarded(() => watch.list()),
    rewrap: (after) => database.guarded(() => rewrap(database, after)),
    retire: (since) =>
      database.guarded(async () => {
        const { name, keyIds } = sealingOf(database);
        const rows = await database.run<{ readonly key_id: string }>("retire_payload_keys", [
          name,
          keyIds[0] ?? "",
          since,
          RETIRE_MARGIN_MS,
        ]);
        return rows.map(({ key_id: keyId }) => keyId);
      }),
    lose: (keyId) =>
      database.guarded(async () => (await database.run("lose_payload_key", [keyId])).length > 0),
  };
}

interface MarkRow {
  readonly shard: number;
  readonly id: string;
  readonly revision: number;
  readonly mark: string;
}

/** Where a batch goes on: after the payload with this key. */
interface Cursor {
  readonly table: SealedTable;
  readonly shard: number;
  readonly id: string;
  readonly revision: number;
}

async function rewrap(database: Database, after: string | null): Promise<RewrapPage> {
  const codec = sealingOf(database);
  const cursor = after === null ? startOf(SEALED_TABLES[0]) : readCursor(after);
  if (after === null) await forgetSnapshots(database, codec);
  const { table, shard, id, revision } = cursor;
  const rows = await database.run<MarkRow>("list_marks", [table, shard, id, revision, REWRAP_MAX]);
  const unturned: UnturnedPayload[] = [];
  const turned = await turnAll(database, { codec, table }, rows, unturned);
  const last = rows.at(-1);
  const isWhole = last === undefined || rows.length < REWRAP_MAX;
  const next = isWhole
    ? nextTable(table)
    : { table, shard: last.shard, id: last.id, revision: last.revision };
  return { seen: rows.length, turned, unturned, next: next === null ? null : writeCursor(next) };
}

/** Turns those that are sealed with another key of ours; says of the others why they stay. */
async function turnAll(
  database: Database,
  { codec, table }: { readonly codec: PayloadCodec; readonly table: SealedTable },
  rows: readonly MarkRow[],
  unturned: UnturnedPayload[],
): Promise<number> {
  const kept = rows.flatMap((row) => {
    const mark = readMark(row.mark);
    if (mark.kind === "plain" || (mark.codec === codec.name && mark.keyId === codec.keyIds[0])) return [];
    const place = payloadPlace(table, row.id, row.revision);
    if (mark.codec === codec.name && codec.keyIds.includes(mark.keyId)) return [{ row, ...mark, place }];
    unturned.push({ place, why: `the key ${mark.keyId} of ${mark.codec} is not here` });
    return [];
  });
  if (kept.length === 0) return 0;
  const answers = await asked(codec, "rewrap", kept.length, () => codec.rewrap(kept));
  const marks = kept.flatMap(({ row, place }, index) => {
    const answer = answers[index];
    const mark = answer?.kind === "rewrapped" ? markOf(codec.name, answer) : null;
    if (mark !== null) return [{ row, mark }];
    unturned.push({ place, why: answer?.kind === "refused" ? answer.why : "its new mark cannot be stored" });
    return [];
  });
  const [written] = await database.run<{ readonly turned: number }>("write_marks", [
    table,
    marks.map(({ row }) => row.shard),
    marks.map(({ row }) => row.id),
    marks.map(({ row }) => row.revision),
    marks.map(({ row }) => row.mark),
    marks.map(({ mark }) => mark),
  ]);
  return written?.turned ?? 0;
}

/** They are made anew from their journals, so that is cheaper than turning them. */
async function forgetSnapshots(database: Database, { name, keyIds }: PayloadCodec): Promise<void> {
  const begins = `${name}:${keyIds[0] ?? ""}:`;
  for (;;) {
    const gone = await database.run("forget_snapshots", [begins, REWRAP_MAX]);
    if (gone.length < REWRAP_MAX) return;
  }
}

function sealingOf(database: Database): PayloadCodec {
  const { sealing } = database.payloads;
  if (sealing !== null) return sealing;
  throw new FootholdError(
    "CONFIG_INVALID",
    "Nothing seals here: no `codec` is configured, or it is read-only. The key that payloads are to be turned to is the first " +
      "of `codec` in the configuration.",
  );
}

function startOf(table: SealedTable): Cursor {
  return { table, shard: -1, id: "", revision: 0 };
}

function nextTable(table: SealedTable): Cursor | null {
  const next = SEALED_TABLES[SEALED_TABLES.indexOf(table) + 1];
  return next === undefined ? null : startOf(next);
}

function writeCursor({ table, shard, id, revision }: Cursor): string {
  return [table, shard, revision, id].join(" ");
}

/** A cursor that is none of ours begins anew: what is turned already stays as it is. */
function readCursor(text: string): Cursor {
  const [, named, shard, revision, id] = /^(\w+) (-?\d{1,2}) (\d{1,9}) (.*)$/.exec(text) ?? [];
  const table = SEALED_TABLES.find((one) => one === named);
  if (table === undefined || id === undefined) return startOf(SEALED_TABLES[0]);
  return { table, shard: Number(shard), id, revision: Number(revision) };
}
