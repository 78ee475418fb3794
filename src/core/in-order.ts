/**
 * Strict order among the keys of an `each`: none is begun, or sent again, before every key ahead of it stands. What is to
 * be taken back of them is taken back from the last to the first, and nothing is sent before that.
 */

import { stepOf } from "./case-state.ts";
import type { StepOutline } from "./outline.ts";
import type { PlanInput, PlannedStep } from "./planning.ts";
import { isBeingUndone } from "./undo.ts";

/** Lets no key whose `each` keeps an order be sent before its turn. */
export function keepOrder(input: PlanInput, planned: readonly PlannedStep[]): readonly PlannedStep[] {
  const lastBack = new Map(
    planned.flatMap((one): (readonly [string, string])[] => {
      const of = orderedEach(one.step);
      return of !== null && isTakenBack(input, one) ? [[of, one.step.name]] : [];
    }),
  );
  const front = new Map<string, string>();
  return planned.map((one) => {
    const of = orderedEach(one.step);
    if (of === null) return one;
    const { name } = one.step;
    const back = lastBack.get(of);
    const ahead = isTakenBack(input, one) ? undefined : front.get(of);
    if (back === name) lastBack.delete(of);
    if (one.standing.kind !== "stands" && !front.has(of)) front.set(of, name);
    const comesFirst = back === name ? undefined : (back ?? ahead);
    return comesFirst === undefined || !isForItsTurn(input, one)
      ? one
      : { ...one, act: { kind: "nothing", why: "inOrder", comesFirst } };
  });
}

/** The keys of the same `each` that come after this one, where it keeps an order. */
export function laterKeys(steps: readonly StepOutline[], step: StepOutline): readonly StepOutline[] {
  const of = orderedEach(step);
  if (of === null) return [];
  const keys = steps.filter((one) => orderedEach(one) === of);
  return keys.slice(keys.findIndex(({ name }) => name === step.name) + 1);
}

function orderedEach(step: StepOutline): string | null {
  return step.kind === "step" && step.part?.inOrder === true ? step.part.of : null;
}

function isTakenBack({ state }: PlanInput, { step, target }: PlannedStep): boolean {
  return target !== step || (step.kind === "step" && isBeingUndone(state, step));
}

/** What was begun is asked about, waited for and reviewed as ever; of what was not begun, nothing is said before its turn. */
function isForItsTurn({ state }: PlanInput, { step, standing, act }: PlannedStep): boolean {
  if (act.kind === "send" || act.kind === "ask") return true;
  const isNew = standing.kind === "open" && stepOf(state, step.name).intent === null;
  return isNew && (act.kind === "wait" || (act.kind === "review" && !act.isOpen));
}
