/**
 * Which cases are found by which values. The table may know more than a case is found by now, and never less: values come into it
 * in the transaction that brings them. So commits that bring none write nothing beside their row, and searches compare the row.
 */

import type { CaseSummary } from "../../core/row.ts";
import type { Runner } from "./database.ts";

/** Cases whose values are known to be in the table; of others they are written once more, which does nothing. */
const KNOWN_MAX = 10_000;

/** A case and what it is to be found by. */
export interface FoundCase {
  readonly shard: number;
  readonly caseId: string;
  readonly search: CaseSummary["search"] | undefined;
}

/** What this process knows of the table. */
export class SearchIndex {
  readonly #known = new Map<string, string>();

  /** The row of a case was read: whatever it is found by is in the table. */
  note({ caseId, search }: Omit<FoundCase, "shard">): void {
    if (search === undefined) return;
    this.#known.delete(caseId);
    this.#known.set(caseId, JSON.stringify(search));
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= KNOWN_MAX) break;
      this.#known.delete(oldest);
    }
  }

  /** Those of which the table may not have all values yet. */
  newsAmong(cases: readonly FoundCase[]): readonly FoundCase[] {
    return cases.filter(
      ({ caseId, search }) => search !== undefined && this.#known.get(caseId) !== JSON.stringify(search),
    );
  }
}

/** Writes what a case is found by, where that is not what it was found by. */
export async function indexChange(
  runner: Runner,
  {
    shard,
    caseId,
    summary: before,
  }: { readonly shard: number; readonly caseId: string; readonly summary: CaseSummary },
  { search }: CaseSummary,
): Promise<void> {
  if (search === undefined || JSON.stringify(before.search) === JSON.stringify(search)) return;
  await indexValues(runner, [{ shard, caseId, search }]);
}

/** Writes values, in the transaction of what brings them. */
export async function indexValues(runner: Runner, found: readonly FoundCase[]): Promise<void> {
  // Sorted, so that two statements never wait for each other's values.
  const cases = found.toSorted((one, other) => (one.caseId < other.caseId ? -1 : 1));
  await runner.run("index_values", [
    cases.map(({ shard }) => shard),
    cases.map(({ caseId }) => caseId),
    cases.map(({ search }) => JSON.stringify(search)),
  ]);
}
