import { seededRandom } from "./seeded-random.ts";

/**
 * What a destination may do to a request on purpose.
 *
 * - `answerLost`: the effect is executed, then the socket is destroyed before any answer.
 * - `unavailable`: 503 before executing, without Retry-After.
 * - `unavailableRetryAfter`: 503 before executing, with Retry-After.
 * - `throttled`: 429 before executing, with Retry-After.
 */
export type ServedFault = "answerLost" | "unavailable" | "unavailableRetryAfter" | "throttled";

/**
 * Every fault of a plan: those that the destination serves, and a connection that is refused before sending.
 */
type PlannedFault = ServedFault | "refused";

/** The step of a case that a request is about. `activity` and `occurrence` (1-based) name the step. */
export interface FaultedStep {
  readonly caseId: string;
  readonly activity: string;
  readonly occurrence: number;
}

/** A seeded fault plan: plain data, so every process that is told the seed holds the same plan. */
export interface FaultPlan {
  /** Same seed and same case ids, same faults. */
  readonly seed: number;
  /** How many steps of a thousand meet a first fault. */
  readonly firstPermille: number;
  /** How many of a thousand steps that met a first fault meet a second one. */
  readonly secondPermille: number;
}

/** What the plan holds for one step of one case. */
export interface StepFaults {
  /** Attempt numbers (1-based) whose connection is refused: the client connects to a closed port instead. */
  readonly refusedAttemptNumbers: readonly number[];
  /**
   * Faults that the destination serves, in order: the n-th request that it sees for the step meets the n-th.
   */
  readonly served: readonly ServedFault[];
}

/** A step of a case meets at most this many faults, whatever its number of attempts. */
export const faultsPerStepMax = 2;

/**
 * What `Retry-After` says in the faults that carry it, in seconds: the smallest wait that is not "at once".
 */
export const retryAfterSeconds = 1;

const allFaults: readonly PlannedFault[] = [
  "answerLost",
  "unavailable",
  "unavailableRetryAfter",
  "throttled",
  "refused",
];

/**
 * The plan for a seed, with the default rates: a quarter of all steps meet a fault, a third of those meet
 * two.
 */
export function faultPlan(seed: number): FaultPlan {
  return { seed, firstPermille: 250, secondPermille: 333 };
}

/**
 * All faults of one step of one case. Pure: it depends on the plan and the step alone.
 *
 * At most two faults happen per step, by construction. A plan has at most two slots, and each slot can happen
 * at most once: a refused connection is tied to one attempt number (and a journal gives each number to one
 * attempt), every other fault to one sight of the step at the destination (and its ledger counts sights
 * without a gap, over restarts too). A slot whose moment never comes, because a worker was killed before it
 * sent, is left out; none is ever moved or repeated.
 */
export function faultsOfStep(plan: FaultPlan, step: FaultedStep): StepFaults {
  const random = seededRandom(JSON.stringify([plan.seed, step.caseId, step.activity, step.occurrence]));
  const slots: PlannedFault[] = [];
  if (random.under(1000) < plan.firstPermille) {
    slots.push(random.pick(allFaults));
    if (random.under(1000) < plan.secondPermille) slots.push(random.pick(allFaults));
  }
  const refusedAttemptNumbers: number[] = [];
  const served: ServedFault[] = [];
  for (const [index, fault] of slots.entries()) {
    if (fault === "refused") refusedAttemptNumbers.push(index + 1);
    else served.push(fault);
  }
  return { refusedAttemptNumbers, served };
}

/**
 * What the destination does to the request that is its `sight`-th (0-based) for this step; null is nothing.
 */
export function faultAtSight(asked: {
  readonly plan: FaultPlan;
  readonly step: FaultedStep;
  readonly sight: number;
}): ServedFault | null {
  return faultsOfStep(asked.plan, asked.step).served[asked.sight] ?? null;
}

/**
 * Where an attempt connects: to the destination, or to a closed port when the plan refuses this attempt.
 *
 * A destination cannot refuse one step's connection, since it does not know whose connection it is before it
 * has accepted it. So the client asks the plan, and a refused attempt goes to a port on which nothing
 * listens: a real refusal by the operating system, with nothing sent. `attemptNumber` must be the journaled
 * one (1-based, never given to two attempts of the step), so that a restarted worker cannot repeat a refusal.
 */
export function urlForAttempt(attempt: {
  readonly plan: FaultPlan | null;
  readonly step: FaultedStep;
  readonly attemptNumber: number;
  readonly url: string;
  readonly closedUrl: string;
}): string {
  if (attempt.plan === null) return attempt.url;
  const { refusedAttemptNumbers } = faultsOfStep(attempt.plan, attempt.step);
  return refusedAttemptNumbers.includes(attempt.attemptNumber) ? attempt.closedUrl : attempt.url;
}
