/** Bulk acts and what people say of problems, in PostgreSQL. */

import { invariant } from "../../core/errors.ts";
import type { Json } from "../../core/json.ts";
import {
  BULK_CASES_MAX,
  BULK_ITEMS_MAX,
  PROBLEM_MARKS_MAX,
  type BulkAct,
  type BulkItem,
  type BulkState,
  type BulkStore,
} from "../bulk-port.ts";
import type { Database } from "./database.ts";
import { payloadPlace } from "./payload-places.ts";
import { openJson, sealJson } from "./sealed-json.ts";

/** Makes it over the store's own pool. */
export function postgresBulk(database: Database): BulkStore {
  return {
    create: (act, caseIds) => database.guarded(() => create(database, act, caseIds)),
    load: (bulkId) => database.guarded(() => load(database, bulkId)),
    list: (limit) => database.guarded(() => listActs(database, null, limit)),
    listItems: (bulkId, page) => database.guarded(() => listItems(database, bulkId, page)),
    shift: ({ bulkId, from, to, why, isTried }) =>
      database.guarded(async () => {
        const rows = await database.run("shift_bulk", [bulkId, from, to, why, isTried]);
        return rows.length > 0;
      }),
    claim: (request) => database.guarded(() => claim(database, request)),
    settle: ({ bulkId, caseId, claimId, state, code, sentence }) =>
      database.guarded(async () => {
        const values = [bulkId, caseId, claimId, state, code, sentence];
        return (await database.run("settle_bulk_item", values)).length > 0;
      }),
    listTrying: () => database.guarded(() => listTrying(database)),
    finish: () =>
      database.guarded(async () => {
        const rows = await database.run<{ readonly bulk_id: string }>("finish_bulk", []);
        return rows.map(({ bulk_id }) => bulk_id);
      }),
    mark: ({ problemId, note, owner, by }) =>
      database.guarded(async () => {
        await database.run("mark_problem", [problemId, note, owner, by]);
      }),
    listMarks: (problemIds) => database.guarded(() => listMarks(database, problemIds)),
  };
}

async function create(database: Database, ...[act, caseIds]: Parameters<BulkStore["create"]>): Promise<void> {
  invariant(caseIds.length <= BULK_CASES_MAX, `a bulk act of ${caseIds.length} cases was to be stored`);
  const { bulkId, move, request, filter, by, reason, state } = act;
  const told = await sealJson(database.payloads, payloadPlace("bulk_acts", bulkId), request);
  const [found, who] = [JSON.stringify(filter), JSON.stringify(by)];
  await database.run("create_bulk", [bulkId, move, told, found, who, reason, state, caseIds]);
}

async function load(database: Database, bulkId: string): Promise<BulkAct | null> {
  const [act] = await listActs(database, bulkId, 1);
  return act ?? null;
}

interface ActRow {
  readonly bulk_id: string;
  readonly move: string;
  readonly request: Json;
  readonly filter: Json;
  readonly made_by: Json;
  readonly reason: string | null;
  readonly state: BulkState;
  readonly why: string | null;
  readonly is_tried: boolean;
  readonly created_at: number;
  readonly changed_at: number;
  readonly total: number;
  readonly open: number;
  readonly done: number;
  readonly refused: number;
}

async function listActs(
  database: Database,
  bulkId: string | null,
  limit: number,
): Promise<readonly BulkAct[]> {
  const rows = await database.run<ActRow>("list_bulk", [bulkId, limit]);
  const requests = await openJson(
    database.payloads,
    rows.map(({ bulk_id: id, request }) => ({ place: payloadPlace("bulk_acts", id), value: request })),
  );
  return rows.map((row, index) => ({
    bulkId: row.bulk_id,
    move: row.move,
    request: requests[index] ?? null,
    filter: row.filter,
    by: row.made_by,
    reason: row.reason,
    state: row.state,
    why: row.why,
    isTried: row.is_tried,
    createdAt: row.created_at,
    changedAt: row.changed_at,
    counts: { total: row.total, open: row.open, done: row.done, refused: row.refused },
  }));
}

interface ItemRow {
  readonly bulk_id: string;
  readonly case_id: string;
  readonly place: number;
  readonly state: BulkItem["state"];
  readonly code: string | null;
  readonly sentence: string | null;
  readonly ended_at: number | null;
}

function toItem(row: ItemRow): BulkItem {
  return {
    bulkId: row.bulk_id,
    caseId: row.case_id,
    place: row.place,
    state: row.state,
    code: row.code,
    sentence: row.sentence,
    endedAt: row.ended_at,
  };
}

async function listItems(
  database: Database,
  ...[bulkId, { afterPlace, limit, state }]: Parameters<BulkStore["listItems"]>
): Promise<readonly BulkItem[]> {
  invariant(limit <= BULK_ITEMS_MAX, `${limit} items of a bulk act were asked for`);
  const values = [bulkId, afterPlace, limit, state ?? null];
  return (await database.run<ItemRow>("list_bulk_items", values)).map(toItem);
}

async function claim(
  database: Database,
  { claimId, limit, holdMs }: Parameters<BulkStore["claim"]>[0],
): Promise<readonly BulkItem[]> {
  invariant(limit <= BULK_ITEMS_MAX, `${limit} items of bulk acts were to be claimed`);
  const rows = await database.run<ItemRow>("claim_bulk_items", [claimId, limit, holdMs]);
  return rows.map(toItem).toSorted((one, other) => one.place - other.place);
}

async function listTrying(database: Database): ReturnType<BulkStore["listTrying"]> {
  const rows = await database.run<{ readonly bulk_id: string }>("list_bulk_trying", []);
  const tried: { readonly act: BulkAct; readonly first: BulkItem }[] = [];
  for (const { bulk_id } of rows) {
    const act = await load(database, bulk_id);
    const [first] = await listItems(database, bulk_id, { afterPlace: -1, limit: 1 });
    if (act !== null && first !== undefined) tried.push({ act, first });
  }
  return tried;
}

interface MarkRow {
  readonly problem_id: string;
  readonly note: string | null;
  readonly owner: string | null;
  readonly made_by: string;
  readonly at: number;
}

async function listMarks(
  database: Database,
  problemIds: readonly string[],
): ReturnType<BulkStore["listMarks"]> {
  invariant(problemIds.length <= PROBLEM_MARKS_MAX, `marks of ${problemIds.length} problems were asked for`);
  const rows = await database.run<MarkRow>("list_problem_marks", [problemIds]);
  return rows.map(({ problem_id, note, owner, made_by, at }) => ({
    problemId: problem_id,
    note,
    owner,
    by: made_by,
    at,
  }));
}
