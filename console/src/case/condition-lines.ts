/** The conditions of a case as lines: what does not hold first, and what holds alike for many keys once. Pure. */

import type { CaseView } from "../api.ts";

type Prerequisite = CaseView["prerequisites"][number];

/** A condition, and for how many keys of an `each` it holds alike. */
export interface ConditionLine extends Prerequisite {
  /** 1 = of this step alone; else `step` is the `each`. */
  readonly keys: number;
}

/** The lines. Conditions of keys that hold say the same: they stand as one line, in the place of the first. */
export function conditionLines(prerequisites: readonly Prerequisite[]): readonly ConditionLine[] {
  const lines: ConditionLine[] = [];
  const alike = new Map<string, number>();
  for (const one of prerequisites) {
    const each = /^(.+)\[[^\][]*\]$/.exec(one.step)?.[1];
    const isAlike = each !== undefined && one.answer === "holds" && !one.canCheckNow;
    const key = JSON.stringify([each, one.role, one.kind, one.name]);
    const at = isAlike ? alike.get(key) : undefined;
    const first = at === undefined ? undefined : lines[at];
    if (at === undefined || first === undefined) {
      if (isAlike) alike.set(key, lines.length);
      lines.push({ ...one, keys: 1 });
    } else lines[at] = { ...first, step: each ?? first.step, keys: first.keys + 1 };
  }
  return lines.toSorted((one, other) => Number(one.answer === "holds") - Number(other.answer === "holds"));
}
