/** What a step of a definition sends, whatever kind it is. */

import type { DestinationOutline, SendStepOutline, StepOutline } from "./outline.ts";

/** The sends that a step stands for: its own and that of its undo; of an `each`, what is done for every key. */
export function sendsOf(step: StepOutline): readonly SendStepOutline[] {
  const own = step.kind === "each" ? step.item : step.kind === "step" ? step : null;
  if (own === null) return [];
  return own.undo === null ? [own] : [own, own.undo];
}

/** Every destination that a step sends to, or asks before; one may come more than once. */
export function reachedBy(step: StepOutline): readonly DestinationOutline[] {
  const sends = sendsOf(step);
  const conditions = [...step.requires, ...(sends[0]?.before ?? [])];
  const asked = conditions.flatMap((one) => (one.kind === "probe" ? [one.destination] : []));
  const looked = step.kind === "poll" ? [step.destination] : [];
  return [...sends.map(({ destination }) => destination), ...looked, ...asked];
}
