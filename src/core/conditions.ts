/** Conditions: prerequisites and what is asked before a send. Only *broken* lapses or blocks (R13). */

import { recordedAnswer, type RecordedAnswer } from "./case-state.ts";
import type { ConditionAnswer, ReviewReason } from "./journal.ts";
import type { ConditionOutline, StepOutline } from "./outline.ts";
import { answerKey, type Act, type PlanInput } from "./planning.ts";
import { reviewFor } from "./review.ts";

type Probe = Extract<ConditionOutline, { kind: "probe" }>;

/** What is known about a condition now, and so what is to be done about it. */
type Known =
  | Exclude<ConditionAnswer, { kind: "cannotTell" }>
  /** A fact that cannot tell: a plain function over the journal will not tell by waiting. */
  | { readonly kind: "puzzling"; readonly why: string }
  | { readonly kind: "mustAsk" }
  | { readonly kind: "askLater"; readonly dueAt: number; readonly why: string }
  | {
      readonly kind: "givenUp";
      readonly probe: Probe;
      readonly timesUnsure: number;
      /** Why it could not be told the last time. */
      readonly why: string;
    };

/**
 * The answer to a condition that may be used now; null = it must be asked. Facts are answered anew for every plan;
 * what a probe answered is in the journal, and is used while it is fresh.
 */
export function usableAnswer(
  input: PlanInput,
  step: string,
  condition: ConditionOutline,
): ConditionAnswer | null {
  const known = knownOf(input, step, condition);
  switch (known.kind) {
    case "holds":
    case "broken":
      return known;
    case "puzzling":
    case "askLater":
      return { kind: "cannotTell", why: known.why };
    case "mustAsk":
    case "givenUp":
      return null;
  }
}

function knownOf(input: PlanInput, step: string, condition: ConditionOutline): Known {
  if (condition.kind === "fact") {
    const fresh = input.answers.get(answerKey(step, condition.name));
    if (fresh === undefined) return { kind: "puzzling", why: "it was not evaluated" };
    return fresh.answer.kind === "cannotTell" ? { kind: "puzzling", why: fresh.answer.why } : fresh.answer;
  }
  const recorded = recordedAnswer(input.state, step, condition.name);
  if (recorded === null) return { kind: "mustAsk" };
  const { answer, askedAt, nextProbeAt, timesUnsure } = recorded;
  if (answer.kind !== "cannotTell") {
    return input.now - askedAt <= condition.freshForMs ? answer : { kind: "mustAsk" };
  }
  const { why } = answer;
  if (isGivenUp(condition, recorded)) return { kind: "givenUp", probe: condition, timesUnsure, why };
  const dueAt = nextProbeAt ?? input.now;
  return input.now >= dueAt ? { kind: "mustAsk" } : { kind: "askLater", dueAt, why };
}

/** R13: a probe that cannot tell is asked again under its destination's retry policy, then goes to people. */
function isGivenUp(
  { destination }: Probe,
  { timesUnsure, unsureSinceAt, nextProbeAt }: RecordedAnswer,
): boolean {
  const { maxAttempts, giveUpAfterMs } = destination.retry;
  const isTooLate =
    nextProbeAt !== null && unsureSinceAt !== null && nextProbeAt > unsureSinceAt + giveUpAfterMs;
  return timesUnsure >= maxAttempts || isTooLate;
}

/** What the conditions of a step call for; null when all hold. */
export function actForConditions(
  input: PlanInput,
  step: StepOutline,
  conditions: readonly ConditionOutline[],
): Act | null {
  const known = conditions.map((one) => ({ name: one.name, ...knownOf(input, step.name, one) }));
  for (const one of known) {
    if (one.kind === "broken")
      return stopFor(input, step, "precondition", `"${one.name}" is broken (${one.why})`);
  }
  for (const one of known) {
    const what = `whether "${one.name}" holds could not be told`;
    if (one.kind === "puzzling") return stopFor(input, step, "bug", `${what} (${one.why})`);
    if (one.kind === "givenUp")
      return giveUp(input, step, one.probe, `${what}, asked ${times(one.timesUnsure)}; last: ${one.why}`);
  }
  const missing = known.filter(({ kind }) => kind === "mustAsk").map(({ name }) => name);
  if (missing.length > 0) return { kind: "ask", conditions: missing };
  const [first] = known
    .filter((one) => one.kind === "askLater")
    .toSorted((one, other) => one.dueAt - other.dueAt);
  if (first === undefined) return null;
  const { name: condition, dueAt, why } = first;
  return { kind: "wait", wait: { kind: "probe", step: step.name, dueAt, condition, why } };
}

function stopFor(input: PlanInput, step: StepOutline, reason: ReviewReason, why: string): Act {
  const review = reviewFor(input.outline, step, reason, `${step.name} cannot go on: ${why}.`);
  return { kind: "review", review, isOpen: false };
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

function giveUp(input: PlanInput, step: StepOutline, { destination }: Probe, why: string): Act {
  const sentence = `${step.name} cannot go on: ${destination.name} was asked, but ${why.replace(/[.\s]+$/, "")}.`;
  const owner = destination.owners.outage ?? input.outline.owner;
  return {
    kind: "review",
    review: { ...reviewFor(input.outline, step, "limit", sentence), owner },
    isOpen: false,
  };
}
