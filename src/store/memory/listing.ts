/** Lists, counts and claimable cases of a memory store. */

import { meetsCriteria, type CaseCriteria } from "../../core/case-criteria.ts";
import { FootholdError } from "../../core/errors.ts";
import { isClaimable } from "../../core/row.ts";
import {
  LIST_LIMIT_MAX,
  type CaseFilter,
  type CasePage,
  type ClaimRequest,
  type Pulse,
  type StoredHolder,
  type StoredRow,
  addDue,
  type TypeCount,
} from "../port.ts";
import { storedRow, type MemoryCase } from "./cases.ts";

/** One page of cases. Throws `INVALID_REQUEST` for a limit out of bounds or a cursor that we never gave. */
export function listCases(cases: Iterable<MemoryCase>, filter: CaseFilter, seen: SeenNow): CasePage {
  const { limit } = filter;
  if (!Number.isInteger(limit) || limit < 1 || limit > LIST_LIMIT_MAX) {
    throw new FootholdError("INVALID_REQUEST", `A page has 1 to ${LIST_LIMIT_MAX} cases, not ${limit}.`);
  }
  const after = readCursor(filter.after);
  const found = [...cases]
    .map(storedRow)
    .filter((row) => meets(row, filter, seen) && (after === null || byStart(after, row) < 0))
    .toSorted(byStart);
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return {
    rows,
    next: found.length > limit && last !== undefined ? `${last.startedAt}.${last.caseId}` : null,
  };
}

interface Start {
  readonly startedAt: number;
  readonly caseId: string;
}

function readCursor(cursor: string | undefined): Start | null {
  if (cursor === undefined) return null;
  const [, startedAt, caseId] = /^(\d{1,15})\.(.{1,100})$/.exec(cursor) ?? [];
  if (startedAt !== undefined && caseId !== undefined) return { startedAt: Number(startedAt), caseId };
  throw new FootholdError("INVALID_REQUEST", "The cursor is not one that a page of cases gave.");
}

/** Newest first; of those started at the same time the one with the greater id. */
function byStart(a: Start, b: Start): number {
  return b.startedAt - a.startedAt || (a.caseId < b.caseId ? 1 : a.caseId > b.caseId ? -1 : 0);
}

/** Who holds what, and when. */
export interface SeenNow {
  readonly holders: readonly StoredHolder[];
  /** Until when a move of a case waits for a second person; null = none does. */
  readonly secondUntilAt: (caseId: string) => number | null;
  readonly now: number;
}

function meets(row: StoredRow, criteria: CaseCriteria, { holders, secondUntilAt, now }: SeenNow): boolean {
  const holder = holders.find(({ holderId }) => holderId === row.claim?.holderId) ?? null;
  return meetsCriteria(row, criteria, { holder, now, secondUntilAt: secondUntilAt(row.caseId) });
}

/** How many cases meet the criteria, `max` at most. */
export function countFound(
  cases: Iterable<MemoryCase>,
  criteria: CaseCriteria,
  { max, ...seen }: SeenNow & { readonly max: number },
): number {
  const found = [...cases].filter((one) => meets(storedRow(one), criteria, seen));
  return Math.min(found.length, max);
}

/** Whether to read again: a mark of all cases, and the named ones. */
export function readPulse(cases: ReadonlyMap<string, MemoryCase>, caseIds: readonly string[]): Pulse {
  const rows = [...cases.values()].map(storedRow);
  const claimed = rows.filter(({ state }) => state === "claimed");
  const touches = [...cases.values()].reduce((sum, { claim }) => sum + (claim?.touches ?? 0), 0);
  const revisions = claimed.reduce((sum, { revision }) => sum + revision, 0);
  const reviews = rows.filter(({ summary }) => summary.reviews.length > 0).length;
  return {
    mark: [reviews, claimed.length, touches, revisions].join("."),
    cases: caseIds.flatMap((id) => {
      const found = cases.get(id);
      if (found === undefined) return [];
      const { caseId, tenant, caseType, revision, claim } = storedRow(found);
      return [{ caseId, tenant, caseType, revision, claimId: claim?.claimId ?? null }];
    }),
  };
}

/** How many cases of each type stand in each state. */
export function countCases(cases: Iterable<MemoryCase>, now: number): readonly TypeCount[] {
  const byType = new Map<string, TypeCount>();
  for (const one of cases) {
    const row = storedRow(one);
    byType.set(row.caseType, addCount(byType.get(row.caseType), row, now));
  }
  return [...byType.values()].toSorted((a, b) => (a.caseType < b.caseType ? -1 : 1));
}

function addCount(sum: TypeCount | undefined, row: StoredRow, now: number): TypeCount {
  const isDue = isClaimable(row, now);
  const oldest = sum?.oldestDueAt ?? null;
  return {
    caseType: row.caseType,
    states: { ...sum?.states, [row.state]: (sum?.states[row.state] ?? 0) + 1 },
    due: (sum?.due ?? 0) + (isDue ? 1 : 0),
    dueByVersion: addDue(sum?.dueByVersion ?? {}, row.definitionVersion, isDue ? 1 : 0),
    withReview: (sum?.withReview ?? 0) + (row.summary.reviews.length > 0 ? 1 : 0),
    inRepair: (sum?.inRepair ?? 0) + (row.state === "claimed" && row.summary.repair !== null ? 1 : 0),
    oldestDueAt: isDue && row.dueAt !== null ? Math.min(oldest ?? row.dueAt, row.dueAt) : oldest,
  };
}

/** The cases that a worker may take at some time, longest due first. */
export function takeable(cases: Iterable<MemoryCase>, request: ClaimRequest): readonly MemoryCase[] {
  const versions = new Map<string, number>();
  for (const { name, version } of request.caseTypes) {
    versions.set(name, Math.max(version, versions.get(name) ?? version));
  }
  return [...cases]
    .filter(({ identity, row, claim }) => {
      const version = versions.get(identity.caseType);
      const isKnown = version !== undefined && row.definitionVersion <= version;
      return (
        isKnown &&
        claim === null &&
        identity.engineVersion <= request.engineVersion &&
        isClaimable(row, Infinity)
      );
    })
    .toSorted((a, b) => (a.row.dueAt ?? 0) - (b.row.dueAt ?? 0));
}
