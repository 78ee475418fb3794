/** What the plan does about a step that stands: nothing, unless people must look at what is known of it. */

import { stepOf } from "./case-state.ts";
import type { SendStepOutline, StepOutline } from "./outline.ts";
import { isAfter } from "./part-name.ts";
import type { Act, PlanInput, ReviewAct } from "./planning.ts";
import { openReview, reviewFor } from "./review.ts";
import { hasSecondEffect } from "./settled.ts";

/** A standing step has nothing left to do, unless people must look at what is known of it. */
export function actForStanding(input: PlanInput, step: StepOutline): Act {
  const { review, confirmation } = stepOf(input.state, step.name);
  // A review that asked what to do about a lapse is closed by what it rested on holding again.
  if (review !== null && review.reason !== "lapsed") return { kind: "review", review, isOpen: true };
  const twice = step.kind === "step" ? reviewOfSecondEffect(input, step) : null;
  if (twice !== null) return twice;
  if (confirmation?.result.kind === "unreadable") {
    const isNeeded = input.outline.steps.some((one) => isAfter(one, step.name));
    if (isNeeded || !isAccepted(input, step)) {
      const what = `${step.name} took effect, but what it returned cannot be stored: ${confirmation.result.why}.`;
      const next = isNeeded ? "A later step follows it." : "Resume the case to go on without it.";
      return openReview(reviewFor(input.outline, step, "unreadable", `${what} ${next}`));
    }
  }
  return { kind: "nothing", why: "stands" };
}

/** Brings into sight that a step took effect twice where that is not one; null = it did not, or a person has seen it. */
export function reviewOfSecondEffect(input: PlanInput, step: SendStepOutline): ReviewAct | null {
  const { intent } = stepOf(input.state, step.name);
  if (intent === null || !hasSecondEffect(intent, step.destination) || isAccepted(input, step)) return null;
  const sentence =
    `More than one attempt of ${step.name} took effect at ${step.destination.name}, which does not deduplicate. ` +
    `It may exist twice there; resume the case once that is set right.`;
  return openReview(reviewFor(input.outline, step, "mayExistTwice", sentence));
}

/** Whoever resumed the case since has seen it. */
function isAccepted({ state }: PlanInput, { name }: StepOutline): boolean {
  const { confirmation, round } = stepOf(state, name);
  return confirmation !== null && round.number > confirmation.round;
}
