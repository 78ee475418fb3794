/** What a person wants to be asked anew about a step, beside whatever else the plan does about it. It changes nothing outside. */

import { isCheckOrdered, recordedAnswer, stepOf, type StepState } from "./case-state.ts";
import type { SendStepOutline, StepOutline } from "./outline.ts";
import type { Act, Aim, PlanInput, Standing } from "./planning.ts";
import { isBeingUndone } from "./undo.ts";

/**
 * The question that a person's order calls for, about the step or about its undo; null = none is wanted, or everything
 * was asked since. Its probes come first, since they say whether the rest still matters.
 */
export function actForOrder(input: PlanInput, step: StepOutline, standing: Standing): Aim | null {
  const undo = step.kind === "step" ? step.undo : null;
  const targets = undo === null ? [step] : [step, undo];
  for (const target of targets) {
    const act = questionFor(input, target, target === step ? standing : null);
    if (act !== null) return { target, act };
  }
  return null;
}

function questionFor(input: PlanInput, step: StepOutline, standing: Standing | null): Act | null {
  const known = stepOf(input.state, step.name);
  const { checkOrderedAt } = known;
  if (checkOrderedAt === null) return null;
  const conditions = probesOf(step).filter((name) => {
    const askedAt = recordedAnswer(input.state, step.name, name)?.askedAt ?? null;
    return askedAt === null || askedAt < checkOrderedAt;
  });
  if (conditions.length > 0) return { kind: "ask", conditions };
  // What is being taken back may be gone already: that it was made says nothing, only its undo can be asked about.
  const isAsked = step.kind === "step" && isCheckOrdered(known) && !isBeingUndone(input.state, step);
  const about = isAsked ? subjectOf(step, known, standing) : null;
  return about === null ? null : { kind: "check", about };
}

function probesOf(step: StepOutline): readonly string[] {
  const all = step.kind === "step" ? [...step.requires, ...step.before] : step.requires;
  return [...new Set(all.filter(({ kind }) => kind === "probe").map(({ name }) => name))];
}

/** What of its effect can be asked for: whether it happened, or whether what was done before is what is wanted now. */
function subjectOf(
  step: SendStepOutline,
  { intent, confirmation }: StepState,
  standing: Standing | null,
): "outcome" | "present" | null {
  if (!step.hasCheck || intent === null || intent.isUndone || intent.attempts.length === 0) return null;
  if (confirmation === null) return "outcome";
  // What stands needs no more proof; what a person ordered, or a condition forbids, no answer brings back.
  const isStale = standing?.kind === "lapsed" && ["basis", "follows"].includes(standing.because.kind);
  return isStale ? "present" : null;
}
