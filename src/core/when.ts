/** `when`: whether a step is needed at all. Decided from the journal, once the step could begin. */

import { basisOf } from "./basis.ts";
import { stepOf, type Confirmation } from "./case-state.ts";
import { actForConditions, usableAnswer } from "./conditions.ts";
import type { StepOutline } from "./outline.ts";
import type { Act, PlanInput } from "./planning.ts";
import { openReview, reviewFor } from "./review.ts";
import { hasNoEffect, pendingIntent } from "./settled.ts";

/** Why a step is not needed now: the first condition of its `when` that is broken. Null where it is needed, or nobody can tell. */
export function whyNotNeeded(input: PlanInput, step: StepOutline): string | null {
  for (const condition of step.when) {
    const answer = usableAnswer(input, step.name, condition);
    if (answer?.kind === "broken") return `"${condition.name}" does not hold (${answer.why})`;
  }
  return null;
}

/**
 * What `when` calls for before an open step is begun; null = the step is needed. What may have happened already is settled
 * first, needed or not (R18).
 */
export function actForWhen(input: PlanInput, step: StepOutline): Act | null {
  const { intent, confirmation, review, replaced } = stepOf(input.state, step.name);
  if (pendingIntent(intent, confirmation) !== null) return null;
  const why = whyNotNeeded(input, step);
  if (why === null) {
    const act = actForConditions(input, step, step.when);
    return act === null || review === null ? act : { kind: "review", review, isOpen: true };
  }
  if (replaced !== null)
    return review === null ? leftoverReview(input, step, why) : { kind: "review", review, isOpen: true };
  return {
    kind: "confirm",
    entry: {
      kind: "stepConfirmed",
      step: step.name,
      intentVersion: 0,
      basis: basisOf(step, input.state, input.digest),
      result: { kind: "value", value: null },
      evidence: null,
      by: { how: "notNeeded", why },
    },
  };
}

/** It was to be done again in place of what it did, and never was: what it did must not be passed over without a word. */
function leftoverReview({ outline }: PlanInput, step: StepOutline, why: string): Act {
  const sentence =
    `${step.name} is not needed any more: ${why}. What it did before is still there: it was to be done again in its place, ` +
    `and was not. Take that back by hand and skip the step, or correct the input.`;
  return openReview(reviewFor(outline, step, "lapsed", sentence));
}

/** Whether a step that was passed over still may be: nothing it was decided from has changed, and nothing of it came to light since. */
export function isStillNotNeeded(input: PlanInput, step: StepOutline, { basis }: Confirmation): boolean {
  const { intent } = stepOf(input.state, step.name);
  return (
    (intent === null || hasNoEffect(intent)) &&
    whyNotNeeded(input, step) !== null &&
    basis === basisOf(step, input.state, input.digest)
  );
}
