/** The random shape of one seed's case type: a few steps in a graph, to destinations of every contract, with people in between. */

import type {
  ApprovalStepOutline,
  ConditionOutline,
  DestinationOutline,
  InFlightPolicy,
  EachStepOutline,
  LapsePolicy,
  PollStepOutline,
  RepeatSafety,
  RetryPolicy,
  SendStepOutline,
  SleepStepOutline,
  StepOutline,
  WaitForEventStepOutline,
} from "../src/core/outline.ts";
import type { ConcurrencyOutline } from "../src/core/concurrency-outline.ts";
import { needsCheck } from "../src/core/repeat-safety.ts";
import { expandOutline } from "../src/core/each.ts";
import type { CaseState } from "../src/core/case-state.ts";
import { findStep, undoName } from "../src/core/undo.ts";
import type { Contract } from "./contracts.ts";
import type { SeededRandom } from "./random.ts";

/** How long a request may travel, and so how long "not found" proves nothing, in virtual ms. */
export const REQUEST_AGE_MS = 3_000;
/** How long one send may take, in virtual ms. */
export const SEND_DEADLINE_MS = 2_000;
/** How long one probe may take, and how long its answer counts, in virtual ms. */
const PROBE_DEADLINE_MS = 400;
const PROBE_FRESH_FOR_MS = 1_500;

const RETRY: RetryPolicy = {
  maxAttempts: 5,
  maxRequests: 8,
  maxThrottles: 8,
  giveUpAfterMs: 60_000,
  firstDelayMs: 100,
  maxDelayMs: 1_500,
};

/**
 * In-flight limits that are drawn: of one at a time, and lower than the number of workers too. Most hold nobody back, or
 * little would ever happen at the same time.
 */
const LIMITS: readonly InFlightPolicy[] = [
  ...Array.from({ length: 6 }, () => ({ start: 4, max: 8 })),
  { start: 1, max: 1 },
  { start: 1, max: 4 },
  { start: 2, max: 2 },
  { start: 2, max: 4 },
];

/** The event that breaks the prerequisite {@link APPROVED}. */
export const REVOKED = "approval.revoked";
/** The event that waits wait for. */
export const ARRIVED = "goods.arrived";
/** A prerequisite that is decided from the journal. */
export const APPROVED = "approval still stands";
/** A prerequisite that is asked of an outside system. */
export const IN_STOCK = "goods are in stock";
/** What makes a step needed. */
export const LARGE = "amount is large";
/** The question for the version that a write is conditional on. */
export const VERSION = "version";

/** What a seed's case type looks like, apart from who runs it. */
export interface CaseShape {
  readonly caseType: string;
  readonly steps: readonly StepOutline[];
  /** Steps that stop standing when the approval is revoked. */
  readonly guarded: ReadonlySet<string>;
  /** An event counts only if its number is above that of every other of its type. */
  readonly isVersioned: boolean;
  /** Of every destination. */
  readonly inFlight: InFlightPolicy;
  /** It takes no input that is marked as faulty: whoever would start it so starts nothing. */
  readonly refusesFaulty: boolean;
  /** The keys of every `each`. */
  readonly keys: readonly string[];
  /** How many cases of it are worked on at once, all of one key; left out = as many as workers take. */
  readonly concurrency?: ConcurrencyOutline;
}

/** The type of the cases that people start. */
export const TOP_TYPE = "simulated";

/** The keys of every `each`, where nothing else is drawn. */
export const KEYS: readonly string[] = ["a", "b", "c"];

/** Draws a shape. */
export function drawShape(random: SeededRandom, contracts: readonly Contract[]): CaseShape {
  const count = random.between(2, 4);
  const steps: StepOutline[] = [];
  const hasApproval = random.chance(0.4);
  const inFlight = drawLimit(random);
  for (let index = 0; index < count; index += 1) {
    const common = drawCommon(random, steps, "step");
    if (index === 0 && hasApproval) {
      steps.push({
        ...common,
        kind: "approval",
        by: "finance",
        expiresMs: null,
      } satisfies ApprovalStepOutline);
    } else steps.push(drawStep(random, common, { contracts, hasApproval, inFlight }));
  }
  const guarded = steps.filter(({ requires }) => requires.some(({ name }) => name === APPROVED));
  return {
    caseType: TOP_TYPE,
    steps,
    guarded: new Set(guarded.map(({ name }) => name)),
    isVersioned: random.chance(0.3),
    inFlight,
    refusesFaulty: false,
    keys: KEYS,
  };
}

/** Draws an in-flight limit. */
export function drawLimit(random: SeededRandom): InFlightPolicy {
  return random.pick(LIMITS);
}

/** What steps of every kind have. */
export type Common = Pick<
  StepOutline,
  "name" | "formerly" | "after" | "closure" | "when" | "requires" | "uses"
>;

/** Draws what steps of every kind have. `prefix`: their names begin with it, which no two case types share. */
export function drawCommon(random: SeededRandom, earlier: readonly StepOutline[], prefix: string): Common {
  const after = drawAfter(random, earlier);
  const uses = random.chance(0.3) ? ["amount", "isFaulty"] : null;
  return {
    name: `${prefix}${earlier.length + 1}`,
    after,
    formerly: [],
    closure: closureOf(after, earlier),
    when: earlier.length > 0 && random.chance(0.35) ? [{ kind: "fact", name: LARGE }] : [],
    requires: [],
    uses,
  };
}

function drawAfter(random: SeededRandom, earlier: readonly StepOutline[]): readonly string[] {
  const last = earlier.at(-1);
  if (last === undefined) return [];
  if (random.chance(0.6)) return [last.name];
  const chosen = earlier.filter(() => random.chance(0.5)).map(({ name }) => name);
  return chosen.length > 0 ? chosen : [last.name];
}

function closureOf(after: readonly string[], earlier: readonly StepOutline[]): readonly string[] {
  const closure = new Set(
    after.flatMap((name) => [...(earlier.find((one) => one.name === name)?.closure ?? []), name]),
  );
  return earlier.map(({ name }) => name).filter((name) => closure.has(name));
}

/** What a step is drawn from. */
export interface StepDraw {
  readonly contracts: readonly Contract[];
  readonly hasApproval: boolean;
  readonly inFlight: InFlightPolicy;
}

/** Draws a step of any kind but an approval. */
export function drawStep(
  random: SeededRandom,
  common: Common,
  { contracts, hasApproval, inFlight }: StepDraw,
): StepOutline {
  const draw = random.next();
  if (draw < 0.04) return pollOf(common, digitsOf(draw), inFlight);
  if (draw < 0.12) {
    return { ...common, kind: "sleep", forMs: random.between(100, 4_000) } satisfies SleepStepOutline;
  }
  if (draw < 0.24) {
    const others = digitsOf(draw) < 0.3 ? { orTypes: [REVOKED] } : {};
    const wait = {
      ...common,
      kind: "waitForEvent",
      eventType: ARRIVED,
      ...others,
      timeoutMs: 600_000,
    } as const;
    return wait satisfies WaitForEventStepOutline;
  }
  const isGuarded = hasApproval && common.closure.includes("step1") && random.chance(0.5);
  const onLapse = random.pick(POLICIES);
  const requires = [
    ...(isGuarded ? [{ kind: "fact", name: APPROVED } as const] : []),
    ...(random.chance(onLapse === "undo" ? 0.6 : 0.25)
      ? [probeOf(IN_STOCK, destinationOutline("none", inFlight, "stock"))]
      : []),
  ];
  const contract = random.pick(contracts);
  const send = drawSend(random, { ...common, requires }, { contract, onLapse, inFlight });
  // Under one fence a case has one thing at a time.
  return contract !== "fence" && digitsOf(draw) < 0.15 ? eachOf(send, digitsOf(draw * 10)) : send;
}

/** Looks for goods; now and then for less time than they are out of stock. */
function pollOf(common: Common, share: number, inFlight: InFlightPolicy): PollStepOutline {
  const destination = destinationOutline("none", inFlight, "stock");
  const timeoutMs = share < 0.3 ? 1_000 : 600_000;
  return { ...common, kind: "poll", destination, everyMs: 500, deadlineMs: 2_000, timeoutMs };
}

/** A further number of what was drawn already, so that all other draws of a seed stay what they are. */
function digitsOf(draw: number): number {
  return (draw * 1_000) % 1;
}

/** The same for every key; `share` in [0, 1). */
export function eachOf(send: SendStepOutline, share: number): EachStepOutline {
  const { name, formerly, after, closure, when, requires, uses } = send;
  const item = { ...send, when: [], requires: [] };
  const common = { name, formerly, after, closure, when, requires, uses };
  if (digitsOf(share) < 0.3) return { ...common, kind: "each", item, atOnce: 1, inOrder: true, keys: null };
  return { ...common, kind: "each", item, atOnce: 1 + Math.floor(share * 3), keys: null };
}

function probeOf(name: string, destination: DestinationOutline): ConditionOutline {
  const times = { deadlineMs: PROBE_DEADLINE_MS, freshForMs: PROBE_FRESH_FOR_MS };
  return { kind: "probe", name, destination, ...times };
}

/** What most often goes its own way is drawn most often. */
const POLICIES: readonly LapsePolicy[] = ["recheck", "recheck", "redo", "undo", "undo", "undo", "review"];

/** What a step that sends is drawn from. */
export interface SendDraw {
  readonly contract: Contract;
  readonly onLapse: LapsePolicy;
  readonly inFlight: InFlightPolicy;
  /** Left out = it is drawn whether it can be taken back. */
  readonly hasUndo?: boolean;
}

/** Draws a step that sends. */
export function drawSend(
  random: SeededRandom,
  common: Common,
  { contract, onLapse, inFlight, hasUndo }: SendDraw,
): SendStepOutline {
  const destination = destinationOutline(contract, inFlight);
  const isConditional = contract === "if-match";
  const sending = {
    kind: "step",
    destination,
    before: isConditional ? [probeOf(VERSION, destination)] : [],
    deadlineMs: SEND_DEADLINE_MS,
    versionCondition: isConditional ? VERSION : null,
  } as const;
  const mustCheck = needsCheck(destination.repeatSafety);
  const step = {
    ...common,
    ...sending,
    hasRequest: random.chance(0.7),
    hasCheck: mustCheck || onLapse === "recheck",
    onLapse,
    undo: null,
  };
  // What is canceled is undone, whatever the policy for what lapses.
  if (!(hasUndo ?? (onLapse === "undo" || random.chance(0.5)))) return step;
  const follows = { formerly: [], after: [], closure: [], when: [], requires: [], uses: [] };
  const undo: SendStepOutline = {
    ...follows,
    ...sending,
    name: undoName(common.name),
    hasRequest: true,
    hasCheck: mustCheck,
    onLapse: "review",
    undo: null,
  };
  return { ...step, undo };
}

/** The outline of a destination; `name` is that of its contract where none is given. */
export function destinationOutline(
  contract: Contract,
  inFlight: InFlightPolicy,
  name: string = contract,
): DestinationOutline {
  const repeatSafety: RepeatSafety =
    contract === "key" ? { by: "key", windowMs: 3_600_000 } : { by: contract };
  return {
    name,
    repeatSafety,
    credentialId: name,
    canRefresh: true,
    owners: { access: null, input: null, outage: null },
    retry: RETRY,
    inFlight,
    readLagMs: 200,
    requestAgeMs: REQUEST_AGE_MS,
  };
}

/** The step that an undo step takes back; any other step itself. */
export function undoneName(step: string): string {
  return step.replace(/\.undo$/, "");
}

/** The outline of a step that sends outside, undo steps and those of keys included; null for any other name. */
export function sendOutline(shape: CaseShape, name: string): SendStepOutline | null {
  const found = stepOutline(shape, name);
  return found?.kind === "step" && found.child === undefined ? found : null;
}

/** The outline of any step, undo steps and those of keys included; null for any other name. */
export function stepOutline({ steps }: CaseShape, name: string): StepOutline | null {
  return findStep({ ...NO_CASE, steps }, name);
}

/** The steps as the case knows them: of an `each` that has started, every key. */
export function stepsIn({ steps }: CaseShape, state: CaseState): readonly StepOutline[] {
  return expandOutline({ ...NO_CASE, steps }, state).steps;
}

const NO_CASE = { name: TOP_TYPE, version: 1, owner: "owner", removed: [], events: [] } as const;
