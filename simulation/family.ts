/**
 * Which case types a seed has: in some of the seeds a step of what people start starts another case, and a step of that
 * one a third. Drawn from the seed itself, so that all else of it stays what it is.
 */

import type { SendStepOutline, StepOutline } from "../src/core/outline.ts";
import { undoName } from "../src/core/undo.ts";
import {
  destinationOutline,
  drawCommon,
  drawStep,
  eachOf,
  KEYS,
  SEND_DEADLINE_MS,
  type CaseShape,
  type Common,
  type StepDraw,
} from "./case-shape.ts";
import type { Contract } from "./contracts.ts";
import { SeededRandom } from "./random.ts";

/** Where cases are started and canceled. */
export const OWN_CASES = "foothold-cases";
/** The seeds with children at all, and of them those in which children have children. */
const CHILD_SHARE = 0.2;
const GRANDCHILD_SHARE = 0.5;
/** Steps of a case below another one beside its own child: a seed with children must not take much longer. */
const STEPS_BELOW_MAX = 2;
/** What becomes of a case whose child somebody else cancels. */
export const ON_CANCELED = ["review", "cancel", "result"] as const;
const ON_LAPSE = ["review", "redo", "undo", "undo"] as const;

/** Makes other draws than the run does of the same seed. */
const SALT = 0x5f3759df;

/** The names of the case types below the top, and what the names of their steps begin with. */
const BELOW = [
  { caseType: "below", prefix: "part" },
  { caseType: "deepest", prefix: "piece" },
] as const;

/** Draws the case types of a seed, what people start first. */
export function drawFamily(
  seed: number,
  top: CaseShape,
  contracts: readonly Contract[],
): readonly CaseShape[] {
  const random = new SeededRandom(seed ^ SALT);
  if (!random.chance(CHILD_SHARE)) return [top];
  const levels = random.chance(GRANDCHILD_SHARE) ? BELOW : BELOW.slice(0, 1);
  const draw = { contracts, hasApproval: false, inFlight: top.inFlight };
  const below = levels.map((_, level) => drawBelow(random, level, draw));
  return [top, ...below].map((shape, level) => {
    const child = levels[level];
    // Many cases of many levels would take long.
    const mayBeEach = level === 0 && levels.length === 1;
    return child === undefined ? shape : withChild(random, shape, { caseType: child.caseType, mayBeEach });
  });
}

function drawBelow(random: SeededRandom, level: number, draw: StepDraw): CaseShape {
  const { caseType, prefix } = BELOW[level] ?? BELOW[0];
  const steps: StepOutline[] = [];
  const count = random.between(1, STEPS_BELOW_MAX);
  while (steps.length < count) steps.push(drawStep(random, drawCommon(random, steps, prefix), draw));
  const { inFlight } = draw;
  const refusesFaulty = random.chance(0.8);
  return { caseType, steps, guarded: new Set(), isVersioned: false, inFlight, refusesFaulty, keys: KEYS };
}

interface Wanted {
  readonly caseType: string;
  readonly mayBeEach: boolean;
}

/** One of its steps starts a case instead: what follows it rests on what that gives. */
function withChild(random: SeededRandom, shape: CaseShape, { caseType, mayBeEach }: Wanted): CaseShape {
  const replaced = random.pick(shape.steps.filter(({ kind }) => kind !== "approval"));
  const { name, formerly, after, closure, when, requires, uses } = replaced;
  const common = { name, formerly, after, closure, when, requires, uses };
  const onCanceled = random.pick(ON_CANCELED);
  const onLapse = random.pick(ON_LAPSE);
  const one = startOf(common, { caseType, onCanceled, onLapse }, shape);
  const isEach = mayBeEach && random.chance(0.3);
  const child = isEach ? eachOf(one, random.next()) : one;
  return { ...shape, steps: shape.steps.map((step) => (step === replaced ? child : step)) };
}

/** What a step starts. */
export interface Started {
  readonly caseType: string;
  readonly onCanceled: (typeof ON_CANCELED)[number];
  readonly onLapse: (typeof ON_LAPSE)[number];
}

/** A step that starts another case, and takes it back by canceling that. */
export function startOf(
  common: Common,
  { caseType, onCanceled, onLapse }: Started,
  { inFlight }: Pick<CaseShape, "inFlight">,
): SendStepOutline {
  const sending = {
    kind: "step",
    destination: { ...destinationOutline("transaction", inFlight, OWN_CASES), canRefresh: false },
    before: [],
    hasRequest: true,
    hasCheck: false,
    deadlineMs: SEND_DEADLINE_MS,
    versionCondition: null,
  } as const;
  const follows = { formerly: [], after: [], closure: [], when: [], requires: [], uses: [] };
  const undo: SendStepOutline = {
    ...follows,
    ...sending,
    name: undoName(common.name),
    onLapse: "review",
    undo: null,
    child: { act: "cancel", caseType },
  };
  return { ...common, ...sending, onLapse, undo, child: { act: "start", caseType, onCanceled } };
}
