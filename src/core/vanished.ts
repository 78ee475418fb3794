/**
 * Steps that took effect and have vanished from the definition. One that was given another name would be done a second
 * time under the new one; so nothing that is new to the case is begun before somebody says what has become of it.
 */

import { aliveChild, isNotNeeded, stepOf, type StepState } from "./case-state.ts";
import { unsettledIntent } from "./outside.ts";
import type { PlanInput, PlannedStep, ReviewAct } from "./planning.ts";
import { reviewBy } from "./review.ts";
import { findStep } from "./undo.ts";

/**
 * The names of steps that took effect, or may have, and that the definition neither has nor says to have removed. What took
 * effect somebody may accept so; what may have is settled first.
 */
export function vanishedSteps({ outline, state }: PlanInput): readonly string[] {
  return Object.entries(state.steps).flatMap(([name, known]) =>
    hasEffect(known) &&
    !isAccepted(known) &&
    !outline.removed.includes(name) &&
    findStep(outline, name) === null
      ? [name]
      : [],
  );
}

/** What is confirmed without an intent sent nothing, unless a person vouches for it. */
function hasEffect(known: StepState): boolean {
  const { intent, confirmation } = known;
  if (unsettledIntent(known) !== null || aliveChild(known) !== null) return true;
  if (confirmation === null || isNotNeeded(confirmation)) return false;
  return intent !== null || confirmation.by.how === "person";
}

/** Whoever resumes the case has seen it. */
function isAccepted({ confirmation, round }: StepState): boolean {
  return confirmation !== null && round.number > confirmation.round;
}

/** A step that sends, is new to the case and could begin now: it waits. */
export function heldBackByVanished({ state }: PlanInput, planned: PlannedStep): PlannedStep {
  const { target, act } = planned;
  const begins = act.kind === "send" || act.kind === "ask";
  if (!begins || target.kind !== "step" || stepOf(state, target.name).intent !== null) return planned;
  return { ...planned, act: { kind: "nothing", why: "vanished" } };
}

/** Brings what has vanished into sight, with what waits for that. */
export function vanishedReviews(
  { outline, state }: PlanInput,
  vanished: readonly string[],
  steps: readonly PlannedStep[],
): readonly ReviewAct[] {
  const held = steps.flatMap(({ step, act }) =>
    act.kind === "nothing" && act.why === "vanished" ? [step.name] : [],
  );
  return (
    vanished
      // Of what may have happened, the strays tell.
      .filter((name) => stepOf(state, name).review === null && unsettledIntent(stepOf(state, name)) === null)
      .map((name): ReviewAct => {
        const sentence =
          `${name} took effect, and the definition of ${outline.name} does not have it any more. ${held.join(", ")} ` +
          `is not begun, because it may be the same under another name. Give the step its name back, or name it in ` +
          `\`removed\`; or resume the case to go on without it.`;
        return {
          kind: "review",
          isOpen: false,
          review: reviewBy(outline.owner, { step: name, reason: "bug", sentence }),
        };
      })
  );
}
