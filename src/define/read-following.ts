/** What every kind of step has: its name, what it follows, what it rests on. */

import type { StepOutline } from "../core/outline.ts";
import type { RuntimeCondition } from "./case-type.ts";
import type { Sight } from "./in-sight.ts";
import type { OptionReader } from "./option-reader.ts";
import type { ConditionReading, FactReading } from "./read-conditions.ts";

/** What every kind of step has, as read. */
export interface Following {
  readonly name: string;
  readonly formerly: readonly string[];
  readonly after: readonly string[];
  readonly uses: readonly string[] | null;
  readonly when: readonly FactReading[];
  readonly requires: readonly ConditionReading[];
}

/** The part of a step's outline that every kind has. */
export function outlineOf(
  { name, formerly, after, uses, when, requires }: Following,
  { closure }: Sight,
): Pick<StepOutline, "name" | "formerly" | "after" | "closure" | "uses" | "when" | "requires"> {
  return {
    name,
    formerly,
    after,
    closure,
    uses,
    when: when.map(({ outline }) => outline),
    requires: requires.map(({ outline }) => outline),
  };
}

/** The functions of what every kind of step has, for a step that sees this. */
export function conditionsOf(
  { when, requires }: Following,
  sight: Sight,
): { readonly when: readonly RuntimeCondition[]; readonly requires: readonly RuntimeCondition[] } {
  return { when: runtimesOf(when, sight), requires: runtimesOf(requires, sight) };
}

/** Conditions with their functions, for a step that sees this. */
export function runtimesOf(readings: readonly ConditionReading[], sight: Sight): readonly RuntimeCondition[] {
  return readings.map(({ runtime }) => runtime(sight));
}

/** Answers are kept by step and name, whichever group asked: no two conditions of a step may have one name. */
export function checkConditionNames(
  options: OptionReader,
  { when, requires }: Following,
  before: readonly ConditionReading[] = [],
): void {
  const groups = { when, requires, before };
  const known = new Set<string>();
  for (const [group, readings] of Object.entries(groups)) {
    for (const { outline } of readings) {
      if (known.has(outline.name)) {
        options.fault(
          `${group}.${outline.name}`,
          "has the name of another condition of this step: give each its own",
        );
      }
      known.add(outline.name);
    }
  }
}
