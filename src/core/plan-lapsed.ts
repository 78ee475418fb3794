/**
 * What the plan does about a send step whose confirmation no longer stands. It is never silently run again: its policy
 * says whether the destination is asked, it is done again, undone first, or a person decides.
 */

import { stepOf } from "./case-state.ts";
import type { LapseReason } from "./journal.ts";
import type { LapsePolicy, SendStepOutline } from "./outline.ts";
import { planChildUndo } from "./plan-child.ts";
import { allowedAt, planFresh, planSend, retryWait } from "./plan-send.ts";
import type { Act, Aim, PlanInput } from "./planning.ts";
import { turnsAwayLate } from "./repeat-safety.ts";
import { reviewFor } from "./review.ts";
import { lastPossibleArrivalAt } from "./settled.ts";
import { describeLapse } from "./standing.ts";
import { isBeingUndone } from "./undo.ts";
import { whyNotNeeded } from "./when.ts";

/** Plans a lapsed send step whose `after` steps all stand. */
export function planLapsed(input: PlanInput, step: SendStepOutline, because: LapseReason): Aim {
  const { review } = stepOf(input.state, step.name);
  if (review !== null) return { target: step, act: { kind: "review", review, isOpen: true } };
  const policy = policyFor(input, step, because);
  if (policy === "undo" && step.undo !== null) return planUndo(input, step, step.undo);
  const unneeded = whyNotNeeded(input, step);
  if (unneeded !== null) {
    return {
      target: step,
      act: lapsedReview(input, step, because, `It is not needed any more: ${unneeded}.`),
    };
  }
  return { target: step, act: actFor(input, step, because, policy) };
}

function actFor(input: PlanInput, step: SendStepOutline, because: LapseReason, policy: LapsePolicy): Act {
  switch (policy) {
    case "recheck":
      return planRecheck(input, step, because);
    case "redo":
      return planFresh(input, step);
    case "undo":
    case "review":
      return lapsedReview(input, step, because, "It is not done again by itself.");
  }
}

function policyFor(input: PlanInput, step: SendStepOutline, because: LapseReason): LapsePolicy {
  // What was begun is finished, whatever has become of the reason.
  if (isBeingUndone(input.state, step)) return "undo";
  // Nothing was done, so there is nothing to ask for and nothing to take back.
  if (isSkipped(input, step)) return because.kind === "ordered" ? "redo" : "review";
  switch (because.kind) {
    case "basis":
    case "follows":
      return step.onLapse;
    case "prerequisite":
      // Neither asking nor sending helps while it is broken; taking the effect back does.
      return step.onLapse === "undo" ? "undo" : "review";
    case "ordered":
      return step.onLapse === "undo" ? "undo" : "redo";
    case "undo":
      return "undo";
  }
}

function isSkipped({ state }: PlanInput, { name }: SendStepOutline): boolean {
  return stepOf(state, name).confirmation?.by.how === "skip";
}

/** Asks whether what was done before is what is wanted now. */
function planRecheck(input: PlanInput, step: SendStepOutline, because: LapseReason): Act {
  const known = stepOf(input.state, step.name);
  const { name, retry } = step.destination;
  const { intent, difference, firstNotFoundAt } = known;
  const { checks } = known.round;
  if (!step.hasCheck || intent === null) {
    return lapsedReview(input, step, because, "It was confirmed by hand, so there is nothing to ask for.");
  }
  if (difference !== null) return lapsedReview(input, step, because, `${name} was asked: ${difference}.`);
  if (firstNotFoundAt !== null)
    return lapsedReview(input, step, because, `${name} was asked, and what is wanted now is not there.`);
  if (checks >= retry.maxAttempts)
    return lapsedReview(input, step, because, `${name} was asked ${checks} times and could not tell.`);
  const dueAt = allowedAt(input, known);
  if (checks === 0 || dueAt <= input.now) return { kind: "check", about: "present" };
  return { kind: "wait", wait: { kind: "check", step: step.name, dueAt } };
}

/** Plans the undo of a confirmed step. */
export function planUndo(input: PlanInput, step: SendStepOutline, undo: SendStepOutline): Aim {
  if (step.child !== undefined) return planChildUndo(input, step, undo);
  const known = stepOf(input.state, undo.name);
  const { confirmation, review } = known;
  const isBegun = isBeingUndone(input.state, step);
  // What was begun is sent on as its own outcome says; only its beginning and its end wait for stragglers.
  const straggler = confirmation === null ? (isBegun ? null : step) : undo;
  const dueAt = straggler === null ? 0 : lastArrivalAt(input, straggler);
  if (dueAt > input.now && review === null) return { target: undo, act: retryWait(undo, known, dueAt) };
  if (confirmation === null) return { target: undo, act: planSend(input, undo) };
  const { intentVersion } = confirmation;
  return {
    target: step,
    act: { kind: "record", entry: { kind: "stepUndone", step: step.name, intentVersion } },
  };
}

/**
 * When the last attempt beside the confirmed one can still arrive, where that would not be turned away: it would make anew
 * what was just taken back, or take back what was just made anew.
 */
function lastArrivalAt({ state }: PlanInput, { name, destination }: SendStepOutline): number {
  const { intent } = stepOf(state, name);
  if (intent === null || turnsAwayLate(destination.repeatSafety)) return 0;
  return lastPossibleArrivalAt(intent, destination);
}

function lapsedReview(input: PlanInput, step: SendStepOutline, because: LapseReason, next: string): Act {
  const was = isSkipped(input, step) ? "was left out" : "was done";
  const sentence = `${step.name} ${was}, but no longer stands: ${describeLapse(because)}. ${next}`;
  return { kind: "review", review: reviewFor(input.outline, step, "lapsed", sentence), isOpen: false };
}
