/**
 * What the plan does in a case that is being canceled. What may have happened is settled first. Then what was done is
 * undone, what follows before what it follows, with the same care as any send. What cannot be undone goes to people: the
 * case is canceled once every effect is undone, or somebody said that it stays outside.
 */

import { stepOf } from "./case-state.ts";
import { beginsSomething } from "./each.ts";
import { laterKeys } from "./in-order.ts";
import type { SendStepOutline, StepOutline } from "./outline.ts";
import { outsideEffects, type OutsideEffect } from "./outside.ts";
import { isAfter } from "./part-name.ts";
import { holdSend } from "./plan-hold.ts";
import { planUndo } from "./plan-lapsed.ts";
import { actForOrder } from "./plan-ordered-check.ts";
import { planSettling } from "./plan-send.ts";
import { reviewOfSecondEffect } from "./plan-standing.ts";
import type { Act, Aim, PlanInput, PlannedStep, ReviewAct, Standing } from "./planning.ts";
import { openReview, reviewBy, reviewFor } from "./review.ts";
import { standingOf } from "./standing.ts";
import { findStep, isBeingUndone } from "./undo.ts";

interface Canceling {
  readonly input: PlanInput;
  /** By step. */
  readonly outside: ReadonlyMap<string, OutsideEffect["what"]>;
  /** False while something may still have happened: what there is to undo is not known before. */
  readonly isSettled: boolean;
}

/** Plans every step of a case that is being canceled, in topological order. */
export function planCancel(input: PlanInput): readonly PlannedStep[] {
  const outside = new Map(outsideEffects(input.state).map(({ step, what }) => [step, what]));
  const isUnderWay = input.outline.steps.some(({ name }) => input.busy.has(name));
  const isSettled = !isUnderWay && ![...outside.values()].includes("unsettled");
  const standings = new Map<string, Standing>();
  return input.outline.steps.map((step): PlannedStep => {
    const standing = standingOf(input, step, standings);
    standings.set(step.name, standing);
    const { target, act } = aimFor({ input, outside, isSettled }, step, standing);
    return { step, standing, target, act: holdBack(input, target, act) };
  });
}

function aimFor(canceling: Canceling, step: StepOutline, standing: Standing): Aim {
  const { input, outside } = canceling;
  const what = outside.get(step.name) ?? null;
  const isBusy = [step, undoOf(step)].some((one) => one !== null && input.busy.has(one.name));
  if (isBusy) return { target: step, act: { kind: "nothing", why: "busy" } };
  // Of what is no send any more, the strays tell.
  if (what === null || step.kind !== "step")
    return { target: step, act: { kind: "nothing", why: "canceling" } };
  const ordered = actForOrder(input, step, standing);
  if (ordered !== null) return ordered;
  if (what === "unsettled") return { target: step, act: planSettling(input, step) };
  return aimForEffect(canceling, step, what);
}

function undoOf(step: StepOutline): SendStepOutline | null {
  return step.kind === "step" ? step.undo : null;
}

function aimForEffect(
  { input, outside, isSettled }: Canceling,
  step: SendStepOutline,
  what: "effect" | "earlier",
): Aim {
  const { review } = stepOf(input.state, step.name);
  if (review !== null) return { target: step, act: { kind: "review", review, isOpen: true } };
  const twice = what === "effect" ? reviewOfSecondEffect(input, step) : null;
  if (twice !== null) return { target: step, act: twice };
  if (what === "earlier" || step.undo === null) return { target: step, act: staysOutside(input, step, what) };
  const { steps } = input.outline;
  const isFollowed = [...steps.filter((one) => isAfter(one, step.name)), ...laterKeys(steps, step)].some(
    ({ name }) => outside.has(name),
  );
  const isBegun = isBeingUndone(input.state, step);
  if (!isBegun && (isFollowed || !isSettled))
    return { target: step, act: { kind: "nothing", why: "undoLater" } };
  return planUndo(input, step, step.undo);
}

function staysOutside({ outline }: PlanInput, step: SendStepOutline, what: "effect" | "earlier"): ReviewAct {
  return openReview(reviewFor(outline, step, "staysOutside", sayOutside(step.name, what)));
}

function sayOutside(step: string, what: "effect" | "earlier"): string {
  const why =
    what === "effect"
      ? `What ${step} did is there, and its definition does not say how it is undone.`
      : `What ${step} did before it was to be done again is there.`;
  return `${why} The case is being canceled: undo it by hand, or leave it outside, and say so.`;
}

/** What steps did that the definition has no more, or has as something that sends nothing. */
export function strayEffects({ outline, state }: PlanInput): readonly ReviewAct[] {
  return outsideEffects(state).flatMap(({ step, what }): readonly ReviewAct[] => {
    const isSent = findStep(outline, step)?.kind === "step";
    if (isSent || what === "unsettled" || stepOf(state, step).review !== null) return [];
    return [
      openReview(reviewBy(outline.owner, { step, reason: "staysOutside", sentence: sayOutside(step, what) })),
    ];
  });
}

/** A person can pause what is being canceled as any other case. */
function holdBack(input: PlanInput, step: StepOutline, act: Act): Act {
  const { state, busy } = input;
  const isHalting = busy.size > 0 && state.pauseRequest !== null;
  return isHalting && beginsSomething(act) ? { kind: "nothing", why: "halting" } : holdSend(input, step, act);
}
