/** How much work stands where, counted in the memory store. */

import type { StoredWork, WorkCount } from "../inbox-port.ts";

/** Counts what is not done, by source, tenant and state. */
export function countWork(works: Iterable<StoredWork>): readonly WorkCount[] {
  const counts = new Map<string, WorkCount>();
  for (const { tenant, source, state, changedAt } of works) {
    if (state === "done") continue;
    const name = JSON.stringify([source, tenant, state]);
    const known = counts.get(name) ?? { tenant, source, state, count: 0, oldestAt: changedAt };
    counts.set(name, {
      ...known,
      count: known.count + 1,
      oldestAt: Math.min(known.oldestAt, changedAt),
    });
  }
  return [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count);
}
