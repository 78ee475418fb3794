/**
 * The plan: what a pick-up would do now. A pure function of the definition's outline, the case's state, fresh answers
 * to its conditions and the time. The same plan serves the worker, the preview and the command line.
 */

import { actForConditions } from "./conditions.ts";
import { type CaseState, stepOf } from "./case-state.ts";
import { beginsSomething, boundAtOnce, expandOutline, planEach } from "./each.ts";
import { keepOrder } from "./in-order.ts";
import type { Entry } from "./journal.ts";
import type { StepOutline } from "./outline.ts";
import { planChild } from "./plan-child.ts";
import { holdSend } from "./plan-hold.ts";
import { planLapsed } from "./plan-lapsed.ts";
import { actForOrder } from "./plan-ordered-check.ts";
import { planCancel, strayEffects } from "./plan-cancel.ts";
import { planPoll } from "./plan-poll.ts";
import { planSend } from "./plan-send.ts";
import { actForStanding } from "./plan-standing.ts";
import { planApproval, planSleep, planWaitForEvent, takenEvents } from "./plan-waits.ts";
import type { Act, Aim, PlanInput, PlannedStep, ReviewAct, Standing } from "./planning.ts";
import { openReview, reviewBy } from "./review.ts";
import { isSettled } from "./settled.ts";
import { standingOf } from "./standing.ts";
import { isLeftOutside, isUntouched } from "./outside.ts";
import { findStep } from "./undo.ts";
import { heldBackByVanished, vanishedReviews, vanishedSteps } from "./vanished.ts";
import { actForWhen } from "./when.ts";

/** A confirmation that lapsed, or stands again. */
type Shift = Extract<Entry, { kind: "stepLapsed" | "stepRestored" }>;

/** What a pick-up would do now. */
export interface Plan {
  /** In topological order. */
  readonly steps: readonly PlannedStep[];
  /**
   * Steps that the journal knows and the definition no longer has, or has as something that sends nothing, where
   * something about them is open: nothing that may have happened is lost with its definition. And undo steps that wait
   * for a person while what they take back stands.
   */
  readonly strays: readonly ReviewAct[];
  /** The standing steps with no standing successor. */
  readonly foothold: readonly string[];
  /** Confirmations that lapsed or stand again, where the journal does not know it yet. */
  readonly shifts: readonly Shift[];
  /** Every step stands and nothing waits for a person: the case is done. */
  readonly isComplete: boolean;
  /** A person's request that is carried out before anything else, once no step is busy. */
  readonly halt: "none" | "cancel" | "pause";
}

/** Makes the plan. Never throws for anything that a journal may hold. The same input has the same plan, made once. */
export function planCase(given: PlanInput): Plan {
  const known = plans.get(given);
  if (known !== undefined) return known;
  const outline = expandOutline(given.outline, given.state);
  const input = outline === given.outline ? given : { ...given, outline };
  const plan = input.state.cancelRequest === null ? planOnward(input) : planEnd(input);
  plans.set(given, plan);
  return plan;
}

/** Whoever judges the moves of a case asks for its plan at every step: 2,000 times where there are 200. */
const plans = new WeakMap<PlanInput, Plan>();

/** A case that is being canceled: nothing is begun, and no lapse matters any more. */
function planEnd(input: PlanInput): Plan {
  const steps = boundAtOnce(input, planCancel(input));
  const strays = [...straysOf(input, steps), ...strayEffects(input)];
  return {
    steps,
    strays,
    foothold: footholdOf(steps),
    shifts: [],
    isComplete: false,
    halt: haltOf(input),
  };
}

function planOnward(input: PlanInput): Plan {
  const standings = new Map<string, Standing>();
  const taken = takenEvents(input.state);
  const wanted = input.outline.steps.map((step): PlannedStep => {
    const standing = standingOf(input, step, standings);
    standings.set(step.name, standing);
    const { target, act } = aimFor({ input, step, standing, standings, taken });
    // Two waits for one type, in one plan, take two events.
    if (act.kind === "confirm" && act.entry.by.how === "event") taken.set(act.entry.by.sourceId, step.name);
    return { step, standing, target, act };
  });
  return planWithStrays(input, boundAtOnce(input, keepOrder(input, wanted)));
}

function planWithStrays(input: PlanInput, planned: readonly PlannedStep[]): Plan {
  const vanished = vanishedSteps(input);
  const steps = vanished.length === 0 ? planned : planned.map((one) => heldBackByVanished(input, one));
  const isHeld = steps.some(({ act }) => act.kind === "nothing" && act.why === "vanished");
  const strays = [...straysOf(input, steps), ...(isHeld ? vanishedReviews(input, vanished, steps) : [])];
  return {
    steps,
    strays,
    foothold: footholdOf(steps),
    shifts: shiftsOf(input.state, steps),
    isComplete:
      strays.length === 0 && steps.every(({ act }) => act.kind === "nothing" && act.why === "stands"),
    halt: haltOf(input),
  };
}

interface Planning {
  readonly input: PlanInput;
  readonly step: StepOutline;
  readonly standing: Standing;
  /** Of this step and all before it. */
  readonly standings: ReadonlyMap<string, Standing>;
  /** Steps by the event they took. */
  readonly taken: ReadonlyMap<string, string>;
}

function aimFor(planning: Planning): Aim {
  const { input, step, standing } = planning;
  const ordered = isBusy(input, step) || !isReached(planning) ? null : actForOrder(input, step, standing);
  if (ordered !== null) return { target: ordered.target, act: holdBack(input, ordered.target, ordered.act) };
  if (standing.kind === "open" && step.kind === "step" && isNext(planning) && !isBusy(input, step)) {
    const child = planChild(input, step);
    if (child !== null) return { target: child.target, act: holdBack(input, child.target, child.act) };
  }
  if (standing.kind !== "lapsed" || step.kind !== "step" || !isNext(planning) || isBusy(input, step)) {
    return { target: step, act: actFor(planning) };
  }
  const { target, act } = planLapsed(input, step, standing.because);
  return { target, act: holdBack(input, target, act) };
}

/** Conditions of a step may read what the steps before it gave. */
function isReached(planning: Planning): boolean {
  return planning.standing.kind !== "open" || isNext(planning);
}

function isBusy({ busy }: PlanInput, step: StepOutline): boolean {
  return busy.has(step.name) || (step.kind === "step" && step.undo !== null && busy.has(step.undo.name));
}

function actFor(planning: Planning): Act {
  const { input, step, standing } = planning;
  if (isBusy(input, step)) return { kind: "nothing", why: "busy" };
  if (standing.kind === "stands") return actForStanding(input, step);
  if (standing.kind === "uncertain") return holdBack(input, step, actForUncertain(input, step));
  return isNext(planning) ? holdBack(input, step, actForOpen(planning)) : { kind: "nothing", why: "follows" };
}

function isNext({ input, step, standings }: Planning): boolean {
  return (
    step.after.every((name) => standings.get(name)?.kind === "stands") &&
    // R11: what follows cannot be worked out without a result that could not be stored.
    step.closure.every((name) => stepOf(input.state, name).confirmation?.result.kind !== "unreadable")
  );
}

/**
 * Once a person asked to pause the case, nothing new is begun while something is still under way; and nothing is sent
 * that its destination does not take now.
 */
function holdBack(input: PlanInput, step: StepOutline, act: Act): Act {
  const { state, busy } = input;
  const isHalting = busy.size > 0 && state.pauseRequest !== null;
  return isHalting && beginsSomething(act) ? { kind: "nothing", why: "halting" } : holdSend(input, step, act);
}

function actForOpen({ input, step, taken }: Planning): Act {
  const instead = actForWhen(input, step);
  if (instead !== null) return instead;
  switch (step.kind) {
    case "step":
      return planSend(input, step);
    case "each":
      return planEach(input, step);
    case "approval":
      return planApproval(input, step);
    case "waitForEvent":
      return planWaitForEvent(input, step, taken);
    case "poll":
      return planPoll(input, step);
    case "sleep":
      return planSleep(input, step);
  }
}

/** A confirmed step of which a prerequisite could not be told: it is asked, and nothing else is done about it (R13). */
function actForUncertain(input: PlanInput, step: StepOutline): Act {
  const act = actForConditions(input, step, step.requires);
  if (act !== null && act.kind !== "review") return act;
  const { review } = stepOf(input.state, step.name);
  if (review !== null) return { kind: "review", review, isOpen: true };
  return act ?? { kind: "nothing", why: "follows" };
}

function straysOf({ outline, state }: PlanInput, steps: readonly PlannedStep[]): readonly ReviewAct[] {
  const planned = new Set(steps.flatMap((one) => [one.step.name, one.target.name]));
  return Object.entries(state.steps).flatMap(([name, { review, intent, confirmation }]) => {
    const step = findStep(outline, name);
    const isPlanned = planned.has(name);
    if (!isPlanned && review !== null) return [{ kind: "review", review, isOpen: true }];
    if (step?.kind === "step" || isLeftOutside(state, name)) return [];
    if (review?.reason === "unknown" || intent === null || isSettled(intent, confirmation)) return [];
    const sentence =
      `${name} may have happened at ${intent.destination}, and the definition of ${outline.name} does not send it ` +
      `any more. Nothing is sent or asked by itself.`;
    return [openReview(reviewBy(outline.owner, { step: name, reason: "unknown", sentence }))];
  });
}

function footholdOf(steps: readonly PlannedStep[]): readonly string[] {
  const standing = steps.filter((one) => one.standing.kind === "stands").map(({ step }) => step);
  const followed = new Set(standing.flatMap(({ after }) => after));
  return standing.map(({ name }) => name).filter((name) => !followed.has(name));
}

function shiftsOf(state: CaseState, steps: readonly PlannedStep[]): readonly Shift[] {
  return steps.flatMap(({ step: { name }, standing }): readonly Shift[] => {
    const { confirmation, lapse } = stepOf(state, name);
    if (standing.kind === "lapsed" && lapse === null && confirmation !== null) {
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
