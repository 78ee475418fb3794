/** What a change of its steps means for a case as a whole: whether it goes on, wakes, or stays where it rests. */

import { aliveChild, stepOf, type CaseState, type ChildState, type Rest } from "./case-state.ts";
import { renew, type StepChange } from "./fold-step.ts";
import { hasNoEffect } from "./settled.ts";
import { undoName } from "./undo.ts";

/** The state with something changed about one step; where it rests is as it was. */
export function changeStep(state: CaseState, step: string, change: StepChange): CaseState {
  return { ...state, steps: { ...state.steps, [step]: { ...stepOf(state, step), ...change } } };
}

/**
 * A change by the holder of the claim: the case goes on, so it rests as ready if the claim ends here. A holder can hold
 * no ended case, and a paused one only when its time has passed, so nothing that must stay is overridden.
 */
export function goOn(state: CaseState, at: number, step: string, change: StepChange): CaseState {
  return { ...changeStep(state, step, change), rest: ready(state, at) };
}

/** A fact wakes a case that stands still, and leaves a paused or ended one alone (R4). */
export function wake(state: CaseState, at: number): CaseState {
  const isStill = state.rest.kind === "waiting" || state.rest.kind === "in_review";
  return isStill ? { ...state, rest: ready(state, at) } : state;
}

/** Due at once, but never before work on it may begin. */
export function ready({ beginsAt }: CaseState, at: number): Rest {
  return { kind: "ready", dueAt: Math.max(at, beginsAt) };
}

/** What people do has it go on, but for a case that has ended. */
export function goAgain(state: CaseState, at: number): CaseState {
  const hasEnded = state.rest.kind === "done" || state.rest.kind === "canceled";
  return hasEnded ? state : { ...state, rest: ready(state, at) };
}

/** Steps with fresh bounds, and with what was refused open again. */
export function renewSteps(state: CaseState, names: readonly string[], at: number): CaseState {
  const renewed = names.reduce((one, name) => {
    const known = stepOf(one, name);
    // A "no" is asked again; a "yes" that the engine has not used yet still counts.
    const answer = known.answer?.approved === true ? known.answer : null;
    return changeStep(one, name, { ...renew(known, at, answer), child: childAfterAct(one, name) });
  }, state);
  return { ...renewed, losses: 0, repaired: true };
}

/** Whoever acts on a step has seen that its child was canceled, but where that is how it is undone: then it ends the undo. */
function childAfterAct(state: CaseState, step: string): ChildState | null {
  const { intent } = stepOf(state, undoName(step));
  const known = stepOf(state, step);
  return intent === null || hasNoEffect(intent) ? aliveChild(known) : known.child;
}
