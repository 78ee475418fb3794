/** Conditions: prerequisites and what is asked before a send. Only *broken* lapses or blocks (R13). */

import { stepOf } from "./case-state.ts";
import type { ConditionAnswer } from "./journal.ts";
import type { ConditionOutline, StepOutline } from "./outline.ts";
import { answerKey, type Act, type PlanInput } from "./planning.ts";
import { reviewFor } from "./review.ts";

/** The answer to a condition that may be used now; null = it must be asked. */
export function usableAnswer(
  input: PlanInput,
  step: string,
  condition: ConditionOutline,
): ConditionAnswer | null {
  const fresh = input.answers.get(answerKey(step, condition.name));
  if (condition.kind === "fact") return fresh?.answer ?? { kind: "cannotTell", why: "it was not evaluated" };
  const { conditions } = stepOf(input.state, step);
  const recorded = Object.hasOwn(conditions, condition.name) ? conditions[condition.name] : undefined;
  const known = fresh ?? recorded;
  if (known === undefined) return null;
  if (known.answer.kind === "cannotTell") {
    const nextProbeAt = recorded?.nextProbeAt ?? null;
    return nextProbeAt === null || input.now >= nextProbeAt ? null : known.answer;
  }
  return input.now - known.askedAt <= condition.freshForMs ? known.answer : null;
}

/** What the conditions of a step call for; null when all hold. */
export function actForConditions(
  input: PlanInput,
  step: StepOutline,
  conditions: readonly ConditionOutline[],
): Act | null {
  const asked = conditions.map((one) => ({ condition: one, answer: usableAnswer(input, step.name, one) }));
  const broken = asked.find(({ answer }) => answer?.kind === "broken");
  if (broken?.answer?.kind === "broken") {
    const { condition, answer } = broken;
    const sentence = `${step.name} cannot go on: "${condition.name}" is broken (${answer.why}).`;
    return {
      kind: "review",
      review: reviewFor(input.outline, step, "precondition", sentence),
      isOpen: false,
    };
  }
  const missing = asked.filter(({ answer }) => answer === null).map(({ condition }) => condition.name);
  if (missing.length > 0) return askOrGiveUp(input, step, missing);
  const unsure = asked.find(({ answer }) => answer?.kind === "cannotTell");
  if (unsure?.answer?.kind !== "cannotTell") return null;
  return waitForCondition(input, step, unsure.condition, unsure.answer.why);
}

function askOrGiveUp(input: PlanInput, step: StepOutline, names: readonly string[]): Act {
  const { round } = stepOf(input.state, step.name);
  const limit = Math.min(...probesOf(step).map(({ destination }) => destination.retry.maxAttempts));
  if (round.probes < limit) return { kind: "ask", conditions: names };
  const sentence = `${step.name} cannot go on: nobody could tell whether "${names[0] ?? ""}" holds, asked ${round.probes} times.`;
  return { kind: "review", review: reviewFor(input.outline, step, "limit", sentence), isOpen: false };
}

function waitForCondition(
  input: PlanInput,
  step: StepOutline,
  condition: ConditionOutline,
  why: string,
): Act {
  if (condition.kind === "fact") {
    // A fact is a plain function over the journal: one that cannot tell will not tell by waiting.
    const sentence = `${step.name} cannot go on: whether "${condition.name}" holds could not be told (${why}).`;
    return { kind: "review", review: reviewFor(input.outline, step, "bug", sentence), isOpen: false };
  }
  const { conditions } = stepOf(input.state, step.name);
  const dueAt = conditions[condition.name]?.nextProbeAt ?? input.now;
  return { kind: "wait", wait: { kind: "probe", step: step.name, dueAt, condition: condition.name, why } };
}

function probesOf(step: StepOutline): readonly Extract<ConditionOutline, { kind: "probe" }>[] {
  const all = step.kind === "step" ? [...step.requires, ...step.before] : step.requires;
  return all.filter((one) => one.kind === "probe");
}
