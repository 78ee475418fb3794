/**
 * The plan: what a pick-up would do now. A pure function of the definition's outline, the case's state, fresh answers
 * to its conditions and the time. The same plan serves the worker, the preview and the command line.
 */

import { basisOf } from "./basis.ts";
import { actForConditions, usableAnswer } from "./conditions.ts";
import { stepOf, type CaseState } from "./case-state.ts";
import type { Entry, LapseReason } from "./journal.ts";
import type { StepOutline } from "./outline.ts";
import { planSend } from "./plan-send.ts";
import { planApproval, planSleep, planWaitForEvent } from "./plan-waits.ts";
import type { Act, PlanInput, PlannedStep, Standing } from "./planning.ts";
import { reviewFor } from "./review.ts";
import { isProvedNotExecuted } from "./settled.ts";

/** A confirmation that lapsed, or stands again. */
export type Shift = Extract<Entry, { kind: "stepLapsed" | "stepRestored" }>;

/** What a pick-up would do now. */
export interface Plan {
  /** In topological order. */
  readonly steps: readonly PlannedStep[];
  /** The standing steps with no standing successor. */
  readonly foothold: readonly string[];
  /** Confirmations that lapsed or stand again, where the journal does not know it yet. */
  readonly shifts: readonly Shift[];
  /** Every step stands and none waits for a person: the case is done. */
  readonly isComplete: boolean;
  /** A person's request that is carried out before anything else, once no step is busy. */
  readonly halt: "none" | "cancel" | "pause";
}

/** Makes the plan. Never throws for anything that a journal may hold. */
export function planCase(input: PlanInput): Plan {
  const standings = new Map<string, Standing>();
  const steps = input.outline.steps.map((step): PlannedStep => {
    const standing = standingOf(input, step, standings);
    standings.set(step.name, standing);
    return { step, standing, act: actFor(input, step, standing, standings) };
  });
  return {
    steps,
    foothold: footholdOf(steps),
    shifts: shiftsOf(input.state, steps),
    isComplete: steps.every(({ standing, act }) => standing.kind === "stands" && act.kind === "nothing"),
    halt: haltOf(input),
  };
}

function standingOf(input: PlanInput, step: StepOutline, earlier: ReadonlyMap<string, Standing>): Standing {
  const { confirmation, lapse } = stepOf(input.state, step.name);
  if (confirmation === null) return { kind: "open" };
  // A lapsed approval is always asked again, even where what it rested on came back.
  if (step.kind === "approval" && lapse !== null) return { kind: "lapsed", because: lapse };

  const answers = step.requires.map((one) => ({
    name: one.name,
    answer: usableAnswer(input, step.name, one),
  }));
  for (const { name, answer } of answers) {
    if (answer?.kind === "broken") {
      return { kind: "lapsed", because: { kind: "prerequisite", name, why: answer.why } };
    }
  }
  if (confirmation.basis !== basisOf(step, input.state, input.digest)) {
    return { kind: "lapsed", because: { kind: "basis" } };
  }
  const before = step.after.map((name) => ({
    name,
    standing: earlier.get(name) ?? { kind: "open" as const },
  }));
  const fallen = before.find(({ standing }) => standing.kind === "open" || standing.kind === "lapsed");
  if (fallen !== undefined) return { kind: "lapsed", because: { kind: "follows", step: fallen.name } };
  const isCertain =
    answers.every(({ answer }) => answer?.kind === "holds") &&
    before.every(({ standing }) => standing.kind === "stands");
  return isCertain ? { kind: "stands" } : { kind: "uncertain" };
}

function actFor(
  input: PlanInput,
  step: StepOutline,
  standing: Standing,
  standings: ReadonlyMap<string, Standing>,
): Act {
  if (input.busy.has(step.name)) return { kind: "nothing", why: "busy" };
  if (standing.kind === "stands") return actForStanding(input, step);
  const isNext = step.after.every((name) => standings.get(name)?.kind === "stands");
  if (!isNext) return { kind: "nothing", why: "follows" };
  switch (standing.kind) {
    case "uncertain":
      return actForConditions(input, step, step.requires) ?? { kind: "nothing", why: "follows" };
    case "lapsed":
      return step.kind === "step" ? lapsedReview(input, step, standing.because) : actForOpen(input, step);
    case "open":
      return actForOpen(input, step);
  }
}

function actForOpen(input: PlanInput, step: StepOutline): Act {
  switch (step.kind) {
    case "step":
      return planSend(input, step);
    case "approval":
      return planApproval(input, step);
    case "waitForEvent":
      return planWaitForEvent(input, step);
    case "sleep":
      return planSleep(input, step);
  }
}

/** A standing step has nothing left to do, unless its result could not be stored and somebody needs it (R11). */
function actForStanding(input: PlanInput, step: StepOutline): Act {
  const { confirmation, review, round } = stepOf(input.state, step.name);
  // A review that asked what to do about a lapse is closed by what it rested on holding again.
  if (review !== null && review.reason !== "lapsed") return { kind: "review", review, isOpen: true };
  if (confirmation?.result.kind !== "unreadable") return { kind: "nothing", why: "stands" };
  const isNeeded = input.outline.steps.some((one) => one.closure.includes(step.name));
  const isAccepted = round.number > confirmation.round && !isNeeded;
  if (isAccepted) return { kind: "nothing", why: "stands" };
  const sentence =
    `${step.name} took effect, but what it returned cannot be stored: ${confirmation.result.why}. ` +
    (isNeeded ? "A later step needs that result." : "Resume the case to go on without it.");
  return { kind: "review", review: reviewFor(input.outline, step, "unreadable", sentence), isOpen: false };
}

function lapsedReview(input: PlanInput, step: StepOutline, because: LapseReason): Act {
  const { review } = stepOf(input.state, step.name);
  if (review !== null) return { kind: "review", review, isOpen: true };
  const sentence = `${step.name} was done, but no longer stands: ${describeLapse(because)}. It is not done again by itself.`;
  return { kind: "review", review: reviewFor(input.outline, step, "lapsed", sentence), isOpen: false };
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
  }
}

function footholdOf(steps: readonly PlannedStep[]): readonly string[] {
  const standing = steps.filter((one) => one.standing.kind === "stands").map(({ step }) => step);
  return standing
    .filter(({ name }) => !standing.some(({ after }) => after.includes(name)))
    .map(({ name }) => name);
}

function shiftsOf(state: CaseState, steps: readonly PlannedStep[]): readonly Shift[] {
  return steps.flatMap(({ step: { name }, standing }): readonly Shift[] => {
    const { confirmation, lapse } = stepOf(state, name);
    if (confirmation === null) return [];
    if (standing.kind === "lapsed" && lapse === null) {
      const { revision } = confirmation;
      return [{ kind: "stepLapsed", step: name, because: standing.because, confirmedAtRevision: revision }];
    }
    return standing.kind === "stands" && lapse !== null ? [{ kind: "stepRestored", step: name }] : [];
  });
}

function haltOf({ state, busy }: PlanInput): Plan["halt"] {
  if (busy.size > 0) return "none";
  if (state.cancelRequest !== null && isUntouched(state)) return "cancel";
  return state.pauseRequest === null ? "none" : "pause";
}

/** True while nothing is confirmed and no intent may have taken effect: the case can be canceled without undo. */
export function isUntouched(state: CaseState): boolean {
  return Object.values(state.steps).every(
    ({ confirmation, intent }) => confirmation === null && (intent === null || isProvedNotExecuted(intent)),
  );
}
