/** Which cases wait for a person, by who acts: pure. */

import type { CaseLine } from "./api.ts";
import { urgencyOf } from "./words.tsx";

/** Cases that the same people act on. */
export interface AttentionGroup {
  readonly actsNext: string;
  readonly cases: readonly CaseLine[];
}

/**
 * Groups by who acts next. Within a group what may do most harm comes first, then what is due first, then the oldest;
 * groups follow their first case.
 */
export function groupByActor(cases: readonly CaseLine[]): readonly AttentionGroup[] {
  const groups = new Map<string, CaseLine[]>();
  for (const line of cases.toSorted(compare)) {
    const { actsNext } = line.reading;
    const group = groups.get(actsNext);
    if (group === undefined) groups.set(actsNext, [line]);
    else group.push(line);
  }
  return [...groups].map(([actsNext, grouped]) => ({ actsNext, cases: grouped }));
}

function compare(one: CaseLine, other: CaseLine): number {
  return (
    urgencyOf(one.reading.state) - urgencyOf(other.reading.state) ||
    (one.reading.byAt ?? Infinity) - (other.reading.byAt ?? Infinity) ||
    one.sinceAt - other.sinceAt ||
    one.caseId.localeCompare(other.caseId)
  );
}
