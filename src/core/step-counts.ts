/**
 * How many open cases stand at which step of their type, in which state as people read it. The PostgreSQL store says the
 * same in SQL, and a test holds the two equal.
 */

import { stepsStoodAt, type JudgedRow } from "./case-criteria.ts";
import { readState, type Holder, type ReadableState } from "./state.ts";

/** Cases of one type that stand at one step in one state. */
export interface StepCount {
  readonly caseType: string;
  /** Null = at none: under way between two steps, due, or paused. */
  readonly step: string | null;
  readonly reading: ReadableState;
  readonly cases: number;
  /** Those of them that no other step has in this number: summed over steps, each case is in it once. */
  readonly once: number;
  /** Since when the first of them stands as it does, epoch ms. */
  readonly oldestAt: number;
}

/** A case with the holder of its claim; null where nobody knows it. */
export interface CountedRow {
  readonly row: JudgedRow;
  readonly holder: Holder | null;
}

/** Counts those that are not ended. A case with branches side by side counts at each step that it stands at. */
export function countSteps(rows: Iterable<CountedRow>, now: number): readonly StepCount[] {
  const counts = new Map<string, StepCount>();
  for (const { row, holder } of rows) {
    if (row.state === "done" || row.state === "canceled") continue;
    const reading = readState({ ...row, holder, now }).state;
    const sinceAt = row.claim?.claimedAt ?? row.changedAt;
    const steps = [...stepsStoodAt(row.summary)].toSorted((one, other) => (one < other ? -1 : 1));
    for (const [index, step] of (steps.length === 0 ? [null] : steps).entries()) {
      const key = JSON.stringify([row.caseType, step, reading]);
      const first = { caseType: row.caseType, step, reading, cases: 0, once: 0, oldestAt: sinceAt };
      const known = counts.get(key) ?? first;
      counts.set(key, {
        ...known,
        cases: known.cases + 1,
        once: known.once + (index === 0 ? 1 : 0),
        oldestAt: Math.min(known.oldestAt, sinceAt),
      });
    }
  }
  return [...counts.values()];
}
