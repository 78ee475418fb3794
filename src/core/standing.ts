/** Whether a step's confirmation stands (R14). */

import { basisOf } from "./basis.ts";
import { type Confirmation, isNotNeeded, stepOf } from "./case-state.ts";
import { usableAnswer } from "./conditions.ts";
import type { LapseReason } from "./journal.ts";
import type { StepOutline } from "./outline.ts";
import type { PlanInput, Standing } from "./planning.ts";
import { isBeingUndone } from "./undo.ts";
import { isStillNotNeeded } from "./when.ts";

/**
 * A confirmation stands if its prerequisites hold, its basis is unchanged and every step it follows stands. `earlier`
 * has the standing of every step before this one in topological order.
 */
export function standingOf(
  input: PlanInput,
  step: StepOutline,
  earlier: ReadonlyMap<string, Standing>,
): Standing {
  const { confirmation, lapse } = stepOf(input.state, step.name);
  if (confirmation === null) return { kind: "open" };
  if (isNotNeeded(confirmation)) return standingOfUnneeded(input, step, confirmation, earlier);
  if (lapse !== null && staysLapsed(input, step, lapse)) return { kind: "lapsed", because: lapse };
  // Who leaves a step out does so whatever it would have needed.
  const requires = confirmation.by.how === "skip" ? [] : step.requires;
  const because =
    brokenPrerequisite(input, { ...step, requires }) ??
    (confirmation.basis === basisOf(step, input.state, input.digest) ? null : { kind: "basis" as const }) ??
    fallenStep(step, earlier);
  if (because !== null) return { kind: "lapsed", because };
  const isCertain =
    requires.every((one) => usableAnswer(input, step.name, one)?.kind === "holds") &&
    step.after.every((name) => earlier.get(name)?.kind === "stands");
  return isCertain ? { kind: "stands" } : { kind: "uncertain" };
}

/** Nothing was done, so nothing can lapse: it stands as it is, or is decided anew. */
function standingOfUnneeded(
  input: PlanInput,
  step: StepOutline,
  confirmation: Confirmation,
  earlier: ReadonlyMap<string, Standing>,
): Standing {
  if (!isStillNotNeeded(input, step, confirmation) || fallenStep(step, earlier) !== null)
    return { kind: "open" };
  const isCertain = step.after.every((name) => earlier.get(name)?.kind === "stands");
  return isCertain ? { kind: "stands" } : { kind: "uncertain" };
}

/** What lapsed once comes back with what it rested on, except where that would pass over what was begun since. */
function staysLapsed({ state }: PlanInput, step: StepOutline, lapse: LapseReason): boolean {
  // A lapsed approval is always asked again.
  if (step.kind === "approval" || lapse.kind === "ordered" || lapse.kind === "undo") return true;
  return step.kind === "step" && isBeingUndone(state, step);
}

/** The first prerequisite of a step that is broken. */
export function brokenPrerequisite(input: PlanInput, step: StepOutline): LapseReason | null {
  for (const condition of step.requires) {
    const answer = usableAnswer(input, step.name, condition);
    if (answer?.kind === "broken") return { kind: "prerequisite", name: condition.name, why: answer.why };
  }
  return null;
}

function fallenStep({ after }: StepOutline, earlier: ReadonlyMap<string, Standing>): LapseReason | null {
  const fallen = after.find((name) => {
    const standing = earlier.get(name)?.kind;
    return standing === "open" || standing === "lapsed";
  });
  return fallen === undefined ? null : { kind: "follows", step: fallen };
}

/** The reason of a lapse in words. */
export function describeLapse(because: LapseReason): string {
  switch (because.kind) {
    case "prerequisite":
      return `the prerequisite "${because.name}" is broken (${because.why})`;
    case "basis":
      return "the input or an earlier result that it rested on has changed";
    case "follows":
      return `it follows ${because.step}, which does not stand`;
    case "ordered":
      return `${because.by} ordered it to be done again (${because.reason})`;
    case "undo":
      return `${because.by} ordered it to be undone (${because.reason})`;
  }
}
