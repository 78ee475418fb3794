/** What a step of a definition sends, whatever kind it is. */

import type { SendStepOutline, StepOutline } from "./outline.ts";

/** The sends that a step stands for: its own and that of its undo; of an `each`, what is done for every key. */
export function sendsOf(step: StepOutline): readonly SendStepOutline[] {
  const own = step.kind === "each" ? step.item : step.kind === "step" ? step : null;
  if (own === null) return [];
  return own.undo === null ? [own] : [own, own.undo];
}
