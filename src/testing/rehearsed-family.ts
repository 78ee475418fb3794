/** The cases of one rehearsed run: the one that is rehearsed, and those that it starts. */

import type { JournalEntry } from "../core/journal.ts";
import type { StoredState } from "../core/row.ts";
import { FootholdError } from "../core/errors.ts";
import { LIST_LIMIT_MAX, type Store, type StoredRow } from "../store/port.ts";

/** Cases of one run. */
const CASES_MAX = 200;

/** A case, as it ended up. */
export interface ObservedCase {
  /** What stands before the names of its steps; empty for the rehearsed case itself. */
  readonly prefix: string;
  readonly state: StoredState;
  readonly entries: readonly JournalEntry[];
}

/**
 * What stands before the names of steps and events of a case type: nothing for the rehearsed one, its name for one that it
 * starts. A type cannot start itself, not even through others, so the name tells all.
 */
export function prefixOf(caseType: string, rehearsed: string): string {
  return caseType === rehearsed ? "" : `${caseType}: `;
}

/**
 * The rows of a run's store, every parent before its children, in an order that is the same in each run. Throws
 * `INVALID_REQUEST` above {@link CASES_MAX}.
 */
export async function familyIn(store: Store): Promise<readonly StoredRow[]> {
  const rows: StoredRow[] = [];
  let after: string | undefined;
  do {
    const page = await store.listCases({ limit: LIST_LIMIT_MAX, ...(after === undefined ? {} : { after }) });
    rows.push(...page.rows);
    after = page.next ?? undefined;
  } while (after !== undefined && rows.length <= CASES_MAX);
  if (rows.length > CASES_MAX) {
    throw new FootholdError(
      "INVALID_REQUEST",
      `The rehearsed case starts more than ${CASES_MAX} cases: rehearse it with an input that starts fewer.`,
    );
  }
  const lines = new Map(rows.map((row) => [row.caseId, lineTo(row, rows)]));
  const lineOf = ({ caseId }: StoredRow): string => lines.get(caseId) ?? "";
  return rows.toSorted((a, b) => (lineOf(a) < lineOf(b) ? -1 : 1));
}

/** The steps that lead to a case, and when it was started. */
function lineTo(row: StoredRow, rows: readonly StoredRow[]): string {
  const { parent } = row.summary;
  const above = parent === undefined ? undefined : rows.find(({ caseId }) => caseId === parent.caseId);
  const own = `${parent?.step ?? ""} ${String(row.startedAt).padStart(16, "0")}`;
  return above === undefined ? own : `${lineTo(above, rows)}/${own}`;
}

/** True when nothing of the family goes on before people have reviewed something. */
export function isForPeople(family: readonly StoredRow[]): boolean {
  const open = family.filter(({ state }) => state !== "done" && state !== "canceled");
  return open.some(asksPeople) && open.every((one) => asksPeople(one) || waitsForChildren(one));
}

/** What is kept back for want of access goes on looking for it: that alone is no going on. */
function asksPeople({ state, summary }: StoredRow): boolean {
  const { reviews, waits } = summary;
  if (state === "in_review") return true;
  return state === "waiting" && reviews.length > 0 && waits.every(({ kind }) => kind === "access");
}

function waitsForChildren({ state, summary: { waits } }: StoredRow): boolean {
  return state === "waiting" && waits.every(({ kind }) => kind === "child" || kind === "access");
}
