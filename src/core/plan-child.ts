/**
 * What the plan does about a step that started another case, its child. The step waits without a time of its own: the child
 * tells of its end. What taking it back means is that the child is canceled, with its own undo, before the case goes on
 * undoing.
 */

import { basisOf } from "./basis.ts";
import { stepOf, type ChildState } from "./case-state.ts";
import type { ChildStanding } from "./child-standing.ts";
import { invariant } from "./errors.ts";
import type { Json } from "./json.ts";
import type { ChildOutline, SendStepOutline } from "./outline.ts";
import { planSend } from "./plan-send.ts";
import type { Act, Aim, PlanInput } from "./planning.ts";
import { openReview, reviewFor } from "./review.ts";
import { brokenPrerequisite } from "./standing.ts";
import { isBeingUndone } from "./undo.ts";

/** Plans an open step that has a child; null = it has none, and is planned as any other send. */
export function planChild(input: PlanInput, step: SendStepOutline): Aim | null {
  const { child, review } = stepOf(input.state, step.name);
  if (child === null || step.child?.act !== "start") return null;
  if (review !== null) return { target: step, act: { kind: "review", review, isOpen: true } };
  if (step.undo !== null && isToBeUndone(input, step, child)) return planChildUndo(input, step, step.undo);
  return { target: step, act: actFor(input, step, step.child, child) };
}

/** Whose result is not wanted any more is not waited for, where the definition says that it is undone then. */
function isToBeUndone(input: PlanInput, step: SendStepOutline, { standing }: ChildState): boolean {
  if (isBeingUndone(input.state, step)) return true;
  const isRunning = standing.kind === "running" || standing.kind === "inReview";
  if (!isRunning || step.onLapse !== "undo") return false;
  const { intent } = stepOf(input.state, step.name);
  return (
    intent?.basis !== basisOf(step, input.state, input.digest) || brokenPrerequisite(input, step) !== null
  );
}

function actFor(
  input: PlanInput,
  step: SendStepOutline,
  { onCanceled }: Extract<ChildOutline, { act: "start" }>,
  child: ChildState,
): Act {
  const { standing } = child;
  switch (standing.kind) {
    case "running":
    case "inReview":
      return waitForChild(step, child);
    case "done": {
      const { result } = standing;
      return confirm(input, step, child, onCanceled === "result" ? { outcome: "done", result } : result);
    }
    case "canceled": {
      const { reason } = standing;
      if (onCanceled === "result") return confirm(input, step, child, { outcome: "canceled", reason });
      const told = sayCanceled(child, standing);
      return onCanceled === "cancel" ? cancelToo(step, child, told) : canceledReview(input, step, told);
    }
  }
}

function waitForChild(step: SendStepOutline, { caseId, caseType, standing }: ChildState): Act {
  const needsPeople = standing.kind === "inReview";
  return {
    kind: "wait",
    wait: { kind: "child", step: step.name, dueAt: null, caseId, caseType, needsPeople },
  };
}

/** It rests on what the child was started for, not on what the input says by now. */
function confirm(
  { state }: PlanInput,
  step: SendStepOutline,
  { caseId, standing }: ChildState,
  value: Json,
): Act {
  const { intent } = stepOf(state, step.name);
  invariant(intent !== null, `${step.name} has a child, and no intent`);
  return {
    kind: "confirm",
    entry: {
      kind: "stepConfirmed",
      step: step.name,
      intentVersion: intent.version,
      basis: intent.basis,
      result: { kind: "value", value },
      evidence: { caseId },
      by: { how: "child", caseId, ended: standing.kind === "done" ? "done" : "canceled" },
    },
  };
}

function cancelToo({ name }: SendStepOutline, child: ChildState, told: string): Act {
  const reason = `${name}: ${told}`;
  const by = { kind: "engine", name: `case ${child.caseId}` } as const;
  return { kind: "record", entry: { kind: "cancelRequested", by, reason } };
}

function canceledReview({ outline }: PlanInput, step: SendStepOutline, told: string): Act {
  const sentence =
    `${step.name} did not come to its end: ${told}. Resume it to start another one, leave it out, ` +
    `or cancel the case.`;
  return openReview(reviewFor(outline, step, "refused", sentence));
}

function sayCanceled(
  { caseType, caseId }: ChildState,
  { by, reason }: Extract<ChildStanding, { kind: "canceled" }>,
): string {
  const why = reason === null ? "" : ` (${reason})`;
  return `${caseType} case ${caseId} was canceled by ${by}${why}`;
}

/** Plans the undo of a step with a child, which has no review: it is asked to cancel, and waited for. */
export function planChildUndo(input: PlanInput, step: SendStepOutline, undo: SendStepOutline): Aim {
  const { state, outline } = input;
  const { child } = stepOf(state, step.name);
  if (child === null) {
    const reason = state.cancelRequest === null ? "lapsed" : "staysOutside";
    const sentence = `${step.name} was confirmed by hand: there is no case to cancel. Undo it by hand, and say so.`;
    return { target: step, act: openReview(reviewFor(outline, step, reason, sentence)) };
  }
  const { confirmation, intent } = stepOf(state, undo.name);
  if (child.standing.kind === "canceled") {
    const intentVersion = intent?.version ?? 0;
    return {
      target: step,
      act: { kind: "record", entry: { kind: "stepUndone", step: step.name, intentVersion } },
    };
  }
  if (confirmation === null) return { target: undo, act: planSend(input, undo) };
  return { target: step, act: waitForChild(step, child) };
}
