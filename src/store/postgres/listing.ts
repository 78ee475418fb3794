/** Lists and counts. */

import { REVIEW_WORDS, WAIT_WORDS, type CaseCriteria } from "../../core/case-criteria.ts";
import { FootholdError } from "../../core/errors.ts";
import type { StoredState } from "../../core/row.ts";
import { seemsAlive } from "../../core/state.ts";
import {
  LIST_LIMIT_MAX,
  SHARD_COUNT,
  WATCHED_MAX,
  type CaseFilter,
  type CasePage,
  type Pulse,
  addDue,
  type TypeCount,
} from "../port.ts";
import { toRow, type CaseColumns } from "./case-rows.ts";
import { readClock } from "./clock.ts";
import type { Database, Parameter } from "./database.ts";
import { listHolders } from "./holders.ts";

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
  if (isSearch(filter)) {
    const criteria = await criteriaParameters(database, filter);
    const page = [after?.startedAt ?? null, after?.caseId ?? null, filter.limit + 1];
    const lead = leadOf(filter);
    return database.run<CaseColumns>(LISTED_BY[lead.by], [...criteria, ...lead.parameters, ...page]);
  }
  if (filter.parentId !== undefined) {
    const more = [filter.parentId, filter.withReview === true];
    return database.run<CaseColumns>("list_children", [...parameters, ...more]);
  }
  if (filter.businessKey !== undefined) {
    const shards = Array.from({ length: SHARD_COUNT }, (_, shard) => shard);
    const more = [filter.businessKey, shards, filter.withReview === true];
    return database.run<CaseColumns>("list_by_business_key", [...parameters, ...more]);
  }
  return database.run<CaseColumns>(filter.withReview === true ? "list_reviews" : "list_cases", parameters);
}

/** True where the plain lists, each read by an index of its own, do not know a criterion. */
function isSearch(criteria: CaseCriteria): boolean {
  const { readable, owner, atSteps, failureKind, unchangedSinceAt, text, visible, awaitsSecond, search } =
    criteria;
  const { assignees, isOpen, needsPeople, overdueAfterMs } = criteria;
  const isBoth = criteria.parentId !== undefined && criteria.businessKey !== undefined;
  return (
    isBoth ||
    [readable, owner, atSteps, failureKind, unchangedSinceAt, text, visible, awaitsSecond, search].some(
      (one) => one !== undefined,
    ) ||
    [assignees, isOpen, needsPeople, overdueAfterMs].some((one) => one !== undefined)
  );
}

/** What a search reads the cases by. */
interface Lead {
  readonly by: "criteria" | "value" | "range";
  readonly parameters: readonly Parameter[];
}

const LISTED_BY = { criteria: "search_cases", value: "find_by_value", range: "find_in_range" } as const;
const COUNTED_BY = { criteria: "count_found", value: "count_by_value", range: "count_in_range" } as const;

/** A value is met by fewer cases than a range, most of the time. */
function leadOf({ search = [] }: CaseCriteria): Lead {
  const [first] = search.toSorted((one, other) => Number(one.value === null) - Number(other.value === null));
  if (first === undefined) return { by: "criteria", parameters: [] };
  const { name, value, from, to } = first;
  return value === null
    ? { by: "range", parameters: [name, from, to] }
    : { by: "value", parameters: [name, value] };
}

/** How many cases meet the criteria, `max` at most. */
export async function countFound(database: Database, criteria: CaseCriteria, max: number): Promise<number> {
  const parameters = await criteriaParameters(database, criteria);
  const lead = leadOf(criteria);
  const all = [...parameters, ...lead.parameters, max];
  const [counted] = await database.run<{ readonly found: number }>(COUNTED_BY[lead.by], all);
  return counted?.found ?? 0;
}

/** The first parameters of all these statements, in their order. */
async function criteriaParameters(database: Database, criteria: CaseCriteria): Promise<readonly Parameter[]> {
  const { readable } = criteria;
  const seen = readable === undefined ? null : await readSeen(database);
  return [
    ...readingParameters(seen),
    criteria.tenant ?? null,
    criteria.caseType ?? null,
    criteria.states ?? null,
    criteria.withReview === true,
    criteria.businessKey ?? null,
    criteria.unchangedSinceAt ?? null,
    criteria.failureKind ?? null,
    criteria.owner ?? null,
    asJson(criteria.atSteps),
    criteria.text ?? null,
    asJson(criteria.visible),
    readable ?? null,
    criteria.awaitsSecond === true,
    criteria.parentId ?? null,
    asJson(criteria.search),
    criteria.assignees ?? null,
    criteria.isOpen === true,
    criteria.needsPeople === true,
    criteria.overdueAfterMs ?? null,
  ];
}

/** What a state as people read it is made of beside the row; null where nobody asks for one. */
export function readingParameters(seen: Seen | null): readonly Parameter[] {
  return [
    JSON.stringify(REVIEW_WORDS),
    JSON.stringify(WAIT_WORDS),
    seen?.alive ?? null,
    seen?.pages ?? null,
    seen?.now ?? null,
  ];
}

function asJson(value: readonly object[] | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

/** Who is alive, and when. */
export interface Seen {
  readonly alive: readonly string[];
  readonly pages: readonly string[];
  readonly now: number;
}

/** Holders are read first and named by id: a list never joins them. */
export async function readSeen(database: Database): Promise<Seen> {
  const holders = await listHolders(database);
  const now = await readClock(database);
  return {
    alive: holders.filter((one) => seemsAlive(one, now)).map(({ holderId }) => holderId),
    pages: holders.filter(({ kind }) => kind === "page").map(({ holderId }) => holderId),
    now,
  };
}

function readCursor(
  cursor: string | undefined,
): { readonly startedAt: number; readonly caseId: string } | null {
  if (cursor === undefined) return null;
  const [, startedAt, caseId] = /^(\d{1,15})\.(.{1,100})$/.exec(cursor) ?? [];
  if (startedAt !== undefined && caseId !== undefined) return { startedAt: Number(startedAt), caseId };
  throw new FootholdError("INVALID_REQUEST", "The cursor is not one that a page of cases gave.");
}

interface WatchedColumns {
  readonly case_id: string;
  readonly tenant: string;
  readonly case_type: string;
  readonly revision: number;
  readonly claim_id: string | null;
}

/** Whether to read again: a mark of all cases, and the named ones. */
export async function readPulse(database: Database, caseIds: readonly string[]): Promise<Pulse> {
  const named = caseIds.slice(0, WATCHED_MAX);
  const shards = named.map((caseId) => Number(caseId.slice(0, 2)));
  const [[row], watched] = await Promise.all([
    database.run<{ readonly mark: string }>("read_pulse", []),
    named.length === 0 ? [] : database.run<WatchedColumns>("watch_cases", [shards, named]),
  ]);
  return {
    mark: row?.mark ?? "",
    cases: watched.map((one) => ({
      caseId: one.case_id,
      tenant: one.tenant,
      caseType: one.case_type,
      revision: one.revision,
      claimId: one.claim_id,
    })),
  };
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
  readonly definition_version: number;
  readonly cases: number;
  readonly due: number;
  readonly with_review: number;
  readonly in_repair: number;
  readonly oldest_due_at: number | null;
}

function addCount(sum: TypeCount | undefined, row: CountColumns): TypeCount {
  return {
    caseType: row.case_type,
    states: { ...sum?.states, [row.state]: (sum?.states[row.state] ?? 0) + row.cases },
    due: (sum?.due ?? 0) + row.due,
    dueByVersion: addDue(sum?.dueByVersion ?? {}, row.definition_version, row.due),
    withReview: (sum?.withReview ?? 0) + row.with_review,
    inRepair: (sum?.inRepair ?? 0) + row.in_repair,
    oldestDueAt: earlier(sum?.oldestDueAt ?? null, row.oldest_due_at),
  };
}

function earlier(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}
