/**
 * Bulk acts: one move on many cases. Their ids are frozen when the act is made, so that what comes later is never swept
 * along; each case is judged by itself when its turn comes, and has a result of its own.
 */

import type { CaseCriteria } from "../core/case-criteria.ts";
import { FootholdError, isFootholdError, type ErrorCode } from "../core/errors.ts";
import { readJson, type Json } from "../core/json.ts";
import type { Assignee } from "../core/journal.ts";
import { problemsInRow } from "../core/problems.ts";
import { VALUE_CHARS_MAX } from "../define/schema.ts";
import {
  BULK_CASES_MAX,
  BULK_ITEMS_MAX,
  type BulkAct,
  type BulkItem,
  type BulkShift,
} from "../store/bulk-port.ts";
import { LIST_LIMIT_MAX, type StoredRow } from "../store/port.ts";
import type { DeskParts } from "./desk-parts.ts";
import { previewMove } from "./preview.ts";
import type { PreviewRequest } from "./move-preview.ts";
import { problemIdOf, rowsInReview } from "./problems.ts";
import {
  caseNotFound,
  checkTexts,
  isCaseId,
  personOf,
  REASON_CHARS_MAX,
  reasonOf,
  type Who,
} from "./requests.ts";

/** Cases that a preview looks at; of more it is told how many were looked at. */
const PREVIEW_CASES_MAX = 200;
/** Cases that a preview looks at side by side. */
const PREVIEWS_AT_ONCE = 8;
/** Bulk acts in one list. */
const LIST_MAX = 100;

/** What is done to each case. */
export type BulkMove =
  /** Null = every step of the case. */
  | { readonly move: "resume"; readonly step: string | null }
  | { readonly move: "check"; readonly step: string }
  | { readonly move: "skip"; readonly step: string; readonly result: unknown }
  | { readonly move: "pause"; readonly untilAt: number | null }
  | { readonly move: "cancel" }
  | { readonly move: "assign"; readonly to: Assignee | null }
  | { readonly move: "note"; readonly text: string };

/** Which cases: those of one group of problems, those that are named, or those that meet criteria. */
export type BulkFilter =
  | { readonly by: "problem"; readonly problemId: string }
  | { readonly by: "cases"; readonly caseIds: readonly string[] }
  | { readonly by: "criteria"; readonly criteria: CaseCriteria };

/** A bulk act to be made. */
export interface BulkRequest {
  readonly move: BulkMove;
  readonly filter: BulkFilter;
  readonly by: Who;
  readonly reason?: string | null | undefined;
  /** True = the others only begin once the first case turned out well. Default true where the move lets cases go on. */
  readonly tryFirst?: boolean | undefined;
  /** What whoever asks may do to a case; every case may be moved when left out. */
  readonly reach?: (row: Pick<StoredRow, "tenant" | "caseType">) => Reach;
}

/** Whether somebody may make the move on a case, may only see it, or not even that. */
type Reach = "moves" | "sees" | "nothing";

/** What a bulk act would do. */
export interface BulkPreview {
  /** Cases that it would be made on. */
  readonly cases: number;
  /** Cases that it would leave out, since whoever asks may see and not move them. */
  readonly withoutRight: number;
  /** Of these, how many were looked at. */
  readonly looked: number;
  readonly allowed: number;
  /** Why it would be refused, with how many cases each. */
  readonly refused: readonly {
    readonly code: ErrorCode | null;
    readonly count: number;
    readonly example: string;
    readonly exampleCaseId: string;
  }[];
  /** Sends that it would lead to at once, by destination and whether they repeat. */
  readonly sends: readonly {
    readonly destination: string;
    readonly effect: "first" | "repeat" | "further";
    readonly count: number;
  }[];
}

/** A bulk act with one page of its cases. */
export interface BulkView extends BulkAct {
  readonly items: readonly BulkItem[];
  /** Place after which the next page begins; null = this is the last one. */
  readonly next: number | null;
}

/** Makes a bulk act. Throws `BULK_EMPTY`, `BULK_REFUSED` for too many cases, `INVALID_REQUEST`. */
export async function startBulk(parts: DeskParts, request: BulkRequest): Promise<BulkAct> {
  const { store, ports } = parts;
  const move = checkMove(request.move);
  const by = personOf(request.by);
  const reason = reasonOf(request.reason);
  if ((move.move === "skip" || move.move === "cancel") && reason === null) {
    throw new FootholdError("INVALID_REQUEST", `To ${move.move} many cases, say why.`);
  }
  const { caseIds } = await findCases(parts, request);
  if (caseIds.length === 0) {
    throw new FootholdError("BULK_EMPTY", "No case is as it was asked for; nothing was begun.");
  }
  const isTriedFirst = request.tryFirst ?? (move.move === "resume" || move.move === "skip");
  const bulkId = `b-${ports.ids.caseSuffix()}`;
  const state = isTriedFirst && caseIds.length > 1 ? "trying" : "running";
  const who: Json = typeof request.by === "string" ? request.by : { ...request.by };
  await store.bulk.create(
    {
      bulkId,
      move: move.move,
      request: toJson(move),
      filter: toJson(request.filter),
      by: who,
      reason,
      state,
    },
    caseIds,
  );
  const act = await store.bulk.load(bulkId);
  if (act !== null) return act;
  throw new FootholdError("INVARIANT_BROKEN", `bulk act ${bulkId} by ${by.name} was stored and is not there`);
}

/** Shows what a bulk act would do to up to 200 of its cases. Changes and records nothing. */
export async function previewBulk(
  parts: DeskParts,
  request: Pick<BulkRequest, "move" | "filter" | "reach">,
): Promise<BulkPreview> {
  const move = checkMove(request.move);
  const { caseIds, withoutRight } = await findCases(parts, request);
  const looked = caseIds.slice(0, PREVIEW_CASES_MAX);
  const refused = new Map<string, BulkPreview["refused"][number]>();
  const sends = new Map<string, BulkPreview["sends"][number]>();
  let allowed = 0;
  const queue = [...looked];
  const lookNext = async (): Promise<void> => {
    for (let caseId = queue.shift(); caseId !== undefined; caseId = queue.shift()) {
      const said = await lookAt(parts, caseId, move);
      if (said.why === null) allowed += 1;
      else {
        const key = said.code ?? said.why;
        const before = refused.get(key) ?? {
          code: said.code,
          count: 0,
          example: said.why,
          exampleCaseId: caseId,
        };
        refused.set(key, { ...before, count: before.count + 1 });
      }
      for (const { destination, effect } of said.sends) {
        const key = `${destination} ${effect}`;
        sends.set(key, { destination, effect, count: (sends.get(key)?.count ?? 0) + 1 });
      }
    }
  };
  await Promise.all(Array.from({ length: PREVIEWS_AT_ONCE }, lookNext));
  return {
    cases: caseIds.length,
    withoutRight,
    looked: looked.length,
    allowed,
    refused: [...refused.values()].toSorted(byCount),
    sends: [...sends.values()].toSorted(byCount),
  };
}

function byCount(one: { readonly count: number }, other: { readonly count: number }): number {
  return other.count - one.count;
}

interface Said {
  readonly code: ErrorCode | null;
  readonly why: string | null;
  readonly sends: readonly Pick<BulkPreview["sends"][number], "destination" | "effect">[];
}

async function lookAt(parts: DeskParts, caseId: string, move: BulkMove): Promise<Said> {
  const asked = previewOf(move);
  // What moves nothing is allowed on any case.
  if (asked === null) return { code: null, why: null, sends: [] };
  try {
    const { isAllowed, code, why, after } = await previewMove(parts, caseId, asked);
    return isAllowed
      ? { code: null, why: null, sends: after?.willSend ?? [] }
      : { code, why: why ?? "it is refused", sends: [] };
  } catch (error) {
    if (!isFootholdError(error) || error.code === "DATABASE_UNAVAILABLE") throw error;
    return { code: error.code, why: error.message, sends: [] };
  }
}

function previewOf(move: BulkMove): PreviewRequest | null {
  switch (move.move) {
    case "resume":
      return { move: "resume", ...(move.step === null ? {} : { step: move.step }) };
    case "check":
      return { move: "check", step: move.step };
    case "skip":
      return { move: "skip", step: move.step, result: move.result };
    case "cancel":
      return { move: "cancel" };
    case "pause":
    case "assign":
    case "note":
      return null;
  }
}

/** Texts are judged once, not once for each case. */
function checkMove(move: BulkMove): BulkMove {
  if (move.move === "note") {
    checkTexts([{ path: "text", value: move.text, charsMax: REASON_CHARS_MAX, isProse: true }]);
  }
  if (move.move !== "skip") return move;
  const read = readJson(move.result, VALUE_CHARS_MAX);
  if (read.kind === "json") return { ...move, result: read.value };
  throw new FootholdError("INVALID_REQUEST", `The result given cannot be stored: ${read.why}.`);
}

/** The cases as they are now; the oldest first, since it has waited longest. */
async function findCases(
  parts: DeskParts,
  { filter, reach = () => "moves" }: Pick<BulkRequest, "filter" | "reach">,
): Promise<{ readonly caseIds: readonly string[]; readonly withoutRight: number }> {
  const seen = (await rowsFor(parts, filter)).filter((row) => reach(row) !== "nothing");
  if (filter.by === "cases") checkNamed(filter.caseIds, seen);
  const rows = seen.filter((row) => reach(row) === "moves");
  if (rows.length > BULK_CASES_MAX) {
    throw new FootholdError(
      "BULK_REFUSED",
      `${rows.length} cases are as it was asked for, more than the ${BULK_CASES_MAX} of one bulk act. Narrow it down.`,
    );
  }
  const caseIds = rows.toSorted(byStart).map(({ caseId }) => caseId);
  return { caseIds, withoutRight: seen.length - rows.length };
}

/** A case that is named and not there, or not to be seen, is a mistake: nothing is begun without it. */
function checkNamed(named: readonly string[], seen: readonly StoredRow[]): void {
  const known = new Set(seen.map(({ caseId }) => caseId));
  const missing = named.find((caseId) => !known.has(caseId));
  if (missing !== undefined) throw caseNotFound(missing);
}

/** Of those that started at the same time the one with the lesser id. */
function byStart(one: StoredRow, other: StoredRow): number {
  return one.startedAt - other.startedAt || (one.caseId < other.caseId ? -1 : 1);
}

async function rowsFor(parts: DeskParts, filter: BulkFilter): Promise<readonly StoredRow[]> {
  switch (filter.by) {
    case "problem": {
      const fits = filterOf(parts, filter);
      return (await rowsInReview(parts, {})).rows.filter(fits);
    }
    case "cases":
      return rowsNamed(parts, filter.caseIds);
    case "criteria":
      return rowsMeeting(parts, filter.criteria);
  }
}

/** Whether a case still is as its bulk act wants it; what was named or met criteria is not asked again. */
export function filterOf(parts: DeskParts, filter: BulkFilter): (row: StoredRow) => boolean {
  if (filter.by !== "problem") return () => true;
  return (row) =>
    problemsInRow(row).some(
      (problem) => problemIdOf(parts, { ...problem, caseType: row.caseType }) === filter.problemId,
    );
}

/** Those that are there. Throws `BULK_REFUSED` for too many. */
async function rowsNamed({ store }: DeskParts, caseIds: readonly string[]): Promise<readonly StoredRow[]> {
  const rows: StoredRow[] = [];
  const queue = [...new Set(caseIds)];
  if (queue.length > BULK_CASES_MAX) {
    throw new FootholdError(
      "BULK_REFUSED",
      `${queue.length} cases are named, more than the ${BULK_CASES_MAX} of one bulk act.`,
    );
  }
  const readNext = async (): Promise<void> => {
    for (let caseId = queue.shift(); caseId !== undefined; caseId = queue.shift()) {
      const row = isCaseId(caseId) ? await store.loadRow(caseId) : null;
      if (row !== null) rows.push(row);
    }
  };
  await Promise.all(Array.from({ length: PREVIEWS_AT_ONCE }, readNext));
  return rows;
}

async function rowsMeeting({ store }: DeskParts, criteria: CaseCriteria): Promise<readonly StoredRow[]> {
  const rows: StoredRow[] = [];
  let after: string | undefined;
  do {
    const page = await store.listCases({
      ...criteria,
      limit: LIST_LIMIT_MAX,
      ...(after === undefined ? {} : { after }),
    });
    rows.push(...page.rows);
    after = page.next ?? undefined;
  } while (after !== undefined && rows.length <= BULK_CASES_MAX);
  return rows;
}

function toJson(value: BulkFilter | BulkMove): Json {
  const read = readJson(value, 8 * VALUE_CHARS_MAX);
  if (read.kind === "json") return read.value;
  throw new FootholdError("INVALID_REQUEST", `The bulk act cannot be stored: ${read.why}.`);
}

/** Shows a bulk act with one page of its cases. Throws `BULK_NOT_FOUND`. */
export async function showBulk(
  { store }: DeskParts,
  bulkId: string,
  page: { readonly afterPlace?: number; readonly state?: BulkItem["state"] } = {},
): Promise<BulkView> {
  const act = await store.bulk.load(bulkId);
  if (act === null) throw bulkNotFound(bulkId);
  const { afterPlace = -1, state } = page;
  const asked = { afterPlace, limit: BULK_ITEMS_MAX, ...(state === undefined ? {} : { state }) };
  const items = await store.bulk.listItems(bulkId, asked);
  const last = items.at(-1);
  return { ...act, items, next: items.length < BULK_ITEMS_MAX || last === undefined ? null : last.place };
}

/** Bulk acts, newest first, at most 100. */
export function listBulks({ store }: DeskParts): Promise<readonly BulkAct[]> {
  return store.bulk.list(LIST_MAX);
}

/** What people do to a bulk act. */
export type BulkOrder = "pause" | "resume" | "stop";

/**
 * Pauses a bulk act, lets it go on (also where its first case did not turn out well), or stops it for good. What is under way
 * is finished. Throws `BULK_NOT_FOUND`, `BULK_REFUSED`.
 */
export async function orderBulk(
  { store }: DeskParts,
  bulkId: string,
  request: { readonly order: BulkOrder; readonly by: Who; readonly reason?: string | null | undefined },
): Promise<BulkAct> {
  const { name } = personOf(request.by);
  const reason = reasonOf(request.reason);
  const why = reason === null ? `by ${name}` : `by ${name}: ${reason}`;
  const isDone = await store.bulk.shift({ bulkId, ...shiftFor(request.order, why) });
  const act = await store.bulk.load(bulkId);
  if (act === null) throw bulkNotFound(bulkId);
  if (isDone) return act;
  throw new FootholdError("BULK_REFUSED", `Bulk act ${bulkId} is ${act.state}: it cannot ${request.order}.`);
}

function shiftFor(order: BulkOrder, why: string): Omit<BulkShift, "bulkId"> {
  switch (order) {
    case "pause":
      return { from: ["trying", "running"], to: "paused", why, isTried: false };
    case "resume":
      return { from: ["paused"], to: "running", why: null, isTried: true };
    case "stop":
      return { from: ["trying", "running", "paused"], to: "stopped", why, isTried: false };
  }
}

/** `BULK_NOT_FOUND` for one id. */
export function bulkNotFound(bulkId: string): FootholdError {
  return new FootholdError(
    "BULK_NOT_FOUND",
    `There is no bulk act ${JSON.stringify(bulkId.slice(0, 60))} in this database.`,
  );
}
