/**
 * What the plan does about a step that was refused because a quota is used up. Whoever can raise it is told at once; and
 * where the destination named its reset, the step is tried once more then, by itself.
 */

import { isUnproved, type StepState } from "./case-state.ts";
import { namedWaitMs } from "./failure.ts";
import type { SendStepOutline } from "./outline.ts";
import type { Act, PlanInput } from "./planning.ts";
import { isOneEffect } from "./repeat-safety.ts";
import { isUsedUp } from "./retry.ts";
import { ownerOf } from "./review.ts";

/** True from a refusal for want of quota until the one try at its reset, or the one question where that is safer. */
export function awaitsReset({ destination, hasCheck }: SendStepOutline, known: StepState): boolean {
  const { intent, lastFailure, round, notBefore } = known;
  if (intent === null || lastFailure?.round !== round.number) return false;
  const { kind, instruction } = lastFailure.failure;
  if (kind !== "quota" || namedWaitMs(instruction) === null) return false;
  if (isUsedUp(destination.retry, round, notBefore)) return false;
  const ofRound = intent.attempts.slice(-(round.attempts + round.throttles));
  const refusals = ofRound.filter(
    ({ outcome }) => outcome.kind === "failed" && outcome.failure.kind === "quota",
  );
  const isOpen = intent.attempts.some(isUnproved);
  return refusals.length === 1 && (!isOpen || hasCheck || isOneEffect(destination.repeatSafety));
}

/** The wait for the reset; null = it is over, or nothing waits for one. */
export function waitForReset(
  { outline, now }: PlanInput,
  step: SendStepOutline,
  known: StepState,
): Act | null {
  const dueAt = known.notBefore ?? 0;
  if (!awaitsReset(step, known) || dueAt <= now || known.round.checks > 0) return null;
  const { name: destination, credentialId } = step.destination;
  const owner = ownerOf(outline, step, "quota");
  return {
    kind: "wait",
    wait: { kind: "access", step: step.name, destination, credentialId, dueAt, owner },
  };
}
