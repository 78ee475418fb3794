/** What a case has outside: effects that would be left there without a word if it ended now. */

import {
  aliveChild,
  hasEffect,
  isWithoutEffect,
  stepOf,
  type CaseState,
  type Confirmation,
  type Intent,
} from "./case-state.ts";
import type { StepState } from "./case-state.ts";
import { pendingIntent } from "./settled.ts";
import { undoneName } from "./undo.ts";

/** What one step has outside. */
export interface OutsideEffect {
  readonly step: string;
  readonly what:
    /** It may have happened. */
    | "unsettled"
    /** What is confirmed of it. */
    | "effect"
    /** It was to be done again, which did not happen: what it did before is there. */
    | "earlier";
}

/** What every step has outside that nobody said to leave there. What an undo did is told with what it takes back. */
export function outsideEffects(state: CaseState): readonly OutsideEffect[] {
  return Object.entries(state.steps).flatMap(([step, known]): readonly OutsideEffect[] => {
    if (undoneName(step) !== step || known.leftOutside !== null) return [];
    const what = whatIsOutside(known);
    return what === null ? [] : [{ step, what }];
  });
}

function whatIsOutside(known: StepState): OutsideEffect["what"] | null {
  if (aliveChild(known) !== null) return "effect";
  if (unsettledIntent(known) !== null) return "unsettled";
  if (known.confirmation !== null && hasEffect(known.confirmation)) return "effect";
  return known.replaced === null ? null : "earlier";
}

/** The intent of a step of which something may have happened that nothing confirms. */
export function unsettledIntent({
  intent,
  confirmation,
}: {
  readonly intent: Intent | null;
  readonly confirmation: Confirmation | null;
}): Intent | null {
  // Left out or passed over, it confirms no effect.
  return pendingIntent(intent, isWithoutEffect(confirmation) ? null : confirmation);
}

/** True while nothing would be left outside: the case can be canceled as it stands. */
export function isUntouched(state: CaseState): boolean {
  return outsideEffects(state).length === 0;
}

/** How far undoing has come in a case that is being canceled: so many of all effects; null = it is not. */
export function undoingOf(state: CaseState): { readonly undone: number; readonly of: number } | null {
  if (state.cancelRequest === null) return null;
  const { takenBack } = state;
  return { undone: takenBack, of: takenBack + outsideEffects(state).length };
}

/** True where nothing more is done about what a step did. */
export function isLeftOutside(state: CaseState, step: string): boolean {
  return stepOf(state, undoneName(step)).leftOutside !== null;
}
