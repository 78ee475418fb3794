/** What every kind of step has: its name, what it follows, what it rests on. */

import type { StepOutline } from "../core/outline.ts";
import type { RuntimeCondition } from "./case-type.ts";
import type { Sight } from "./in-sight.ts";
import type { ConditionReading } from "./read-conditions.ts";

/** What every kind of step has, as read. */
export interface Following {
  readonly name: string;
  readonly after: readonly string[];
  readonly uses: readonly string[] | null;
  readonly requires: readonly ConditionReading[];
}

/** The part of a step's outline that every kind has. */
export function outlineOf(
  { name, after, uses, requires }: Following,
  { closure }: Sight,
): Pick<StepOutline, "name" | "after" | "closure" | "uses" | "requires"> {
  return { name, after, closure, uses, requires: requires.map(({ outline }) => outline) };
}

/** Conditions with their functions, for a step that sees this. */
export function runtimesOf(readings: readonly ConditionReading[], sight: Sight): readonly RuntimeCondition[] {
  return readings.map(({ runtime }) => runtime(sight));
}
