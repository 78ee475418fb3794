/** What is confirmed of a case, as people see it; also what a step did before it was to be done again. */

import { isNotNeeded, stepOf, type CaseState, type Confirmation } from "../core/case-state.ts";
import type { StepResult } from "../core/journal.ts";
import type { Json } from "../core/json.ts";
import type { Standing } from "../core/planning.ts";
import { sayConfirmedBy, sayLapse, type FormatTime } from "./entry-words.ts";

/** An action that is confirmed. */
export interface ConfirmedAction {
  readonly step: string;
  readonly at: number;
  /** How it came about: "by the answer to attempt 1". */
  readonly how: string;
  readonly result: StepResult;
  readonly evidence: Json;
  /** Null where it had none, or is of an earlier time that the step was done. */
  readonly idempotencyKey: string | null;
  readonly standing: Exclude<Standing["kind"], "open">;
  /** Why it no longer stands; null while it does. */
  readonly lapsedBecause: string | null;
}

/** What is confirmed of each step, in the order of `standings`. */
export function confirmedActions(
  state: CaseState,
  standings: ReadonlyMap<string, Standing>,
  formatTime: FormatTime,
): readonly ConfirmedAction[] {
  return [...standings].flatMap(([step, standing]): readonly ConfirmedAction[] => {
    const { confirmation, intent, replaced } = stepOf(state, step);
    const earlier = replaced === null ? [] : [earlierAction(step, replaced, formatTime)];
    if (confirmation === null || standing.kind === "open" || isNotNeeded(confirmation)) return earlier;
    return [
      {
        ...confirmedAction(step, confirmation, formatTime),
        idempotencyKey: intent?.version === confirmation.intentVersion ? intent.idempotencyKey : null,
        standing: standing.kind,
        lapsedBecause: standing.kind === "lapsed" ? sayLapse(standing.because) : null,
      },
      ...earlier,
    ];
  });
}

function earlierAction(step: string, replaced: Confirmation, formatTime: FormatTime): ConfirmedAction {
  const lapsedBecause = "it was to be done again in its place, which has not happened: it is still there";
  return { ...confirmedAction(step, replaced, formatTime), standing: "lapsed", lapsedBecause };
}

function confirmedAction(
  step: string,
  { at, by, result, evidence }: Confirmation,
  formatTime: FormatTime,
): Omit<ConfirmedAction, "standing" | "lapsedBecause"> {
  return { step, at, how: sayConfirmedBy(by, formatTime), result, evidence, idempotencyKey: null };
}
