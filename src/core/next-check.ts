/**
 * The next check allowed: the earliest time at which the engine itself may send, check or probe for a step. It is a bound
 * that holds as long as nothing new comes in: before that time the engine does nothing about the step.
 */

import { recordedAnswer, stepOf, type CaseState } from "./case-state.ts";
import type { Wait } from "./waits.ts";
import type { ConditionOutline, StepOutline } from "./outline.ts";
import type { Plan } from "./plan.ts";
import type { PlanInput, PlannedStep } from "./planning.ts";

/** Who may look at the case next. */
export type Attention =
  /** A worker has it. */
  | "worker"
  /** A person's page has it: nothing is sent or asked before that repair ends. */
  | "page"
  | "nobody";

/** When a worker may next take the case up by itself; null = only after a fact or a person's act. */
export function pickUpAt({ rest }: CaseState, attention: Attention, now: number): number | null {
  if (attention === "page") return null;
  if (attention === "worker") return now;
  switch (rest.kind) {
    case "ready":
      return Math.max(rest.dueAt, now);
    case "waiting":
      return rest.dueAt === null ? null : Math.max(rest.dueAt, now);
    case "paused":
      return rest.untilAt === null ? null : Math.max(rest.untilAt, now);
    case "in_review":
    case "done":
    case "canceled":
      return null;
  }
}

/**
 * For each step of a plan of `input`, in its order; `pickUp` from {@link pickUpAt}. Null = not before a fact or a person's act.
 */
export function nextChecks(
  input: PlanInput,
  { steps }: Pick<Plan, "steps">,
  pickUp: number | null,
): ReadonlyMap<string, number | null> {
  const checks = new Map<string, number | null>();
  // When a step may stand by what the engine does by itself, so that the next one can follow.
  const standsAt = new Map<string, number | null>();
  for (const planned of steps) {
    const { name, after } = planned.step;
    const reached = latest([pickUp, ...after.map((one) => standsAt.get(one) ?? null)]);
    const turn = turnAt(planned, standsAt, pickUp);
    const at = pickUp === null ? null : checkAt(input, planned, { pickUp, reached, turn });
    checks.set(name, at);
    standsAt.set(name, pickUp === null ? null : standingAt(planned, { pickUp, at }));
  }
  return checks;
}

interface Reaches {
  readonly pickUp: number;
  /** When all that it follows may stand. */
  readonly reached: number | null;
  /** When the key that comes first may stand, where it waits for one. */
  readonly turn: number | null;
}

/** A key further down may be undone at any time. */
function turnAt(
  { act }: PlannedStep,
  standsAt: ReadonlyMap<string, number | null>,
  pickUp: number | null,
): number | null {
  if (act.kind !== "nothing" || act.why !== "inOrder") return null;
  const standing = standsAt.get(act.comesFirst);
  return standing === undefined ? pickUp : standing;
}

function latest(times: readonly (number | null)[]): number | null {
  return times.reduce((one, other) => (one === null || other === null ? null : Math.max(one, other)));
}

function checkAt(
  input: PlanInput,
  { act, step }: PlannedStep,
  { pickUp, reached, turn }: Reaches,
): number | null {
  switch (act.kind) {
    case "ask":
    case "check":
    case "look":
    case "refresh":
    case "send":
    case "record":
    case "fanOut":
      return pickUp;
    case "wait":
      if (isForEngine(act.wait)) return Math.max(act.wait.dueAt, pickUp);
      return isForReset(input, act.wait) ? Math.max(act.wait.dueAt, pickUp) : staleAt(input, step, pickUp);
    case "nothing":
      if (act.why === "stands") return staleAt(input, step, pickUp);
      if (act.why === "atOnce") return pickUp;
      if (act.why === "inOrder") return turn;
      return act.why === "follows" && sendsOrAsks(step) ? reached : null;
    case "confirm":
    case "review":
      return null;
  }
}

function standingAt(
  { act }: PlannedStep,
  { pickUp, at }: { readonly pickUp: number; readonly at: number | null },
): number | null {
  switch (act.kind) {
    case "confirm":
    case "fanOut":
      return pickUp;
    case "wait":
      return act.wait.kind === "timer" ? Math.max(act.wait.dueAt, pickUp) : isForEngine(act.wait) ? at : null;
    case "nothing":
      // What is under way may end at any time.
      return act.why === "stands" || act.why === "busy" ? pickUp : at;
    case "ask":
    case "check":
    case "look":
    case "refresh":
    case "send":
    case "record":
    case "review":
      return at;
  }
}

function sendsOrAsks(step: StepOutline): boolean {
  return (
    step.kind === "step" ||
    step.kind === "each" ||
    step.kind === "poll" ||
    step.requires.some(({ kind }) => kind === "probe")
  );
}

/** The same for one condition of a step. */
export function nextProbeAt(
  input: PlanInput,
  planned: PlannedStep,
  condition: ConditionOutline,
  pickUp: number | null,
): number | null {
  const { act, standing } = planned;
  const isBeforeItsTurn = standing.kind === "open" && act.kind === "nothing" && act.why === "follows";
  if (pickUp === null || condition.kind === "fact" || act.kind === "review" || isBeforeItsTurn) return null;
  const dueAt = act.kind === "wait" && isForEngine(act.wait) ? act.wait.dueAt : 0;
  return Math.max(pickUp, dueAt, freshUntilAt(input, planned.step.name, condition));
}

type EngineWait = Extract<Wait, { kind: "retry" | "check" | "probe" | "poll" }>;

function isForEngine(wait: Wait): wait is EngineWait {
  return wait.kind === "retry" || wait.kind === "check" || wait.kind === "probe" || wait.kind === "poll";
}

/** Whoever was refused itself is tried again when its quota is reset; who waits for others is only looked at. */
function isForReset({ state }: PlanInput, wait: Wait): wait is Extract<Wait, { kind: "access" }> {
  return wait.kind === "access" && wait.dueAt === stepOf(state, wait.step).notBefore;
}

/** When the first of its prerequisites is asked again at a pick-up; null = it has none that is asked. */
function staleAt(input: PlanInput, step: StepOutline, pickUp: number): number | null {
  const times = step.requires.flatMap((one) =>
    one.kind === "probe" ? [Math.max(pickUp, freshUntilAt(input, step.name, one))] : [],
  );
  return times.length === 0 ? null : Math.min(...times);
}

function freshUntilAt(
  { state }: PlanInput,
  step: string,
  condition: Extract<ConditionOutline, { kind: "probe" }>,
): number {
  const recorded = recordedAnswer(state, step, condition.name);
  if (recorded === null) return 0;
  return recorded.answer.kind === "cannotTell"
    ? (recorded.nextProbeAt ?? 0)
    : recorded.askedAt + condition.freshForMs + 1;
}
