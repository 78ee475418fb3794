/** Lists and counts. */

import { FootholdError } from "../../core/errors.ts";
import type { StoredState } from "../../core/row.ts";
import { LIST_LIMIT_MAX, SHARD_COUNT, type CaseFilter, type CasePage, type TypeCount } from "../port.ts";
import { toRow, type CaseColumns } from "./case-rows.ts";
import type { Database, Parameter } from "./database.ts";

/** One page of cases. Throws `INVALID_REQUEST` for a limit out of bounds or a cursor that we never gave. */
export async function listCases(database: Database, filter: CaseFilter): Promise<CasePage> {
  const { limit } = filter;
  if (!Number.isInteger(limit) || limit < 1 || limit > LIST_LIMIT_MAX) {
    throw new FootholdError("INVALID_REQUEST", `A page has 1 to ${LIST_LIMIT_MAX} cases, not ${limit}.`);
  }
  const columns = await readPage(database, filter);
  const rows = columns.slice(0, limit).map(toRow);
  const last = rows.at(-1);
  const hasMore = columns.length > limit;
  return { rows, next: hasMore && last !== undefined ? `${last.startedAt}.${last.caseId}` : null };
}

async function readPage(database: Database, filter: CaseFilter): Promise<readonly CaseColumns[]> {
  const after = readCursor(filter.after);
  const parameters: readonly Parameter[] = [
    filter.tenant ?? null,
    filter.caseType ?? null,
    filter.states ?? null,
    after?.startedAt ?? null,
    after?.caseId ?? null,
    // One more than wanted tells whether there is a next page.
    filter.limit + 1,
  ];
  if (filter.businessKey !== undefined) {
    const shards = Array.from({ length: SHARD_COUNT }, (_, shard) => shard);
    const more = [filter.businessKey, shards, filter.withReview === true];
    return database.run<CaseColumns>("list_by_business_key", [...parameters, ...more]);
  }
  return database.run<CaseColumns>(filter.withReview === true ? "list_reviews" : "list_cases", parameters);
}

function readCursor(
  cursor: string | undefined,
): { readonly startedAt: number; readonly caseId: string } | null {
  if (cursor === undefined) return null;
  const [, startedAt, caseId] = /^(\d{1,15})\.(.{1,100})$/.exec(cursor) ?? [];
  if (startedAt !== undefined && caseId !== undefined) return { startedAt: Number(startedAt), caseId };
  throw new FootholdError("INVALID_REQUEST", "The cursor is not one that a page of cases gave.");
}

/** How many cases of each type stand in each state. */
export async function countCases(database: Database): Promise<readonly TypeCount[]> {
  const rows = await database.run<CountColumns>("count_cases", []);
  const byType = new Map<string, TypeCount>();
  for (const row of rows) byType.set(row.case_type, addCount(byType.get(row.case_type), row));
  return [...byType.values()];
}

interface CountColumns {
  readonly case_type: string;
  readonly state: StoredState;
  readonly cases: number;
  readonly due: number;
  readonly with_review: number;
  readonly in_repair: number;
  readonly oldest_due_at: number | null;
}

function addCount(sum: TypeCount | undefined, row: CountColumns): TypeCount {
  return {
    caseType: row.case_type,
    states: { ...sum?.states, [row.state]: row.cases },
    due: (sum?.due ?? 0) + row.due,
    withReview: (sum?.withReview ?? 0) + row.with_review,
    inRepair: (sum?.inRepair ?? 0) + row.in_repair,
    oldestDueAt: earlier(sum?.oldestDueAt ?? null, row.oldest_due_at),
  };
}

function earlier(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}
