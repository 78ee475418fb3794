/** A random case type of one seed: a few steps in a graph, to destinations of every contract, with people in between. */

import type { CheckAnswer } from "../src/core/journal.ts";
import { canonicalJson, isJsonObject, type Json } from "../src/core/json.ts";
import type {
  ApprovalStepOutline,
  DestinationOutline,
  RepeatSafety,
  RetryPolicy,
  SendStepOutline,
  SleepStepOutline,
  StepOutline,
  WaitForEventStepOutline,
} from "../src/core/outline.ts";
import type {
  CaseType,
  Facts,
  RuntimeCondition,
  RuntimeSendStep,
  RuntimeStep,
} from "../src/define/case-type.ts";
import type { Contract, SimulatedDestination, SimulatedRequest } from "./destination.ts";
import type { SimulatedProcess } from "./process.ts";
import type { SeededRandom } from "./random.ts";

/** How long a request may travel, and so how long "not found" proves nothing, in virtual ms. */
export const REQUEST_AGE_MS = 3_000;
/** How long one send may take, in virtual ms. */
const SEND_DEADLINE_MS = 2_000;

const RETRY: RetryPolicy = {
  maxAttempts: 5,
  maxRequests: 8,
  maxThrottles: 8,
  giveUpAfterMs: 60_000,
  firstDelayMs: 100,
  maxDelayMs: 1_500,
};

/** The event that breaks the prerequisite "approval still stands". */
export const REVOKED = "approval.revoked";
/** The event that waits wait for. */
export const ARRIVED = "goods.arrived";

/** What a seed's case type looks like, apart from who runs it. */
export interface CaseShape {
  readonly steps: readonly StepOutline[];
  /** Steps that stop standing when the approval is revoked. */
  readonly guarded: ReadonlySet<string>;
}

/** Draws a shape. */
export function drawShape(random: SeededRandom, contracts: readonly Contract[]): CaseShape {
  const count = random.between(2, 4);
  const steps: StepOutline[] = [];
  const guarded = new Set<string>();
  const hasApproval = random.chance(0.4);
  for (let index = 0; index < count; index += 1) {
    const name = `step${index + 1}`;
    const after = drawAfter(random, steps);
    const closure = closureOf(after, steps);
    const common = {
      name,
      after,
      closure,
      requires: [],
      uses: random.chance(0.3) ? ["amount", "isFaulty"] : null,
    };
    if (index === 0 && hasApproval) {
      steps.push({
        ...common,
        kind: "approval",
        by: "finance",
        expiresMs: null,
      } satisfies ApprovalStepOutline);
      continue;
    }
    const draw = random.next();
    if (draw < 0.08) {
      steps.push({ ...common, kind: "sleep", forMs: random.between(100, 2_000) } satisfies SleepStepOutline);
    } else if (draw < 0.16) {
      const wait = { ...common, kind: "waitForEvent", eventType: ARRIVED, timeoutMs: 600_000 } as const;
      steps.push(wait satisfies WaitForEventStepOutline);
    } else {
      const isGuarded = hasApproval && closure.includes("step1") && random.chance(0.5);
      if (isGuarded) guarded.add(name);
      const requires = isGuarded ? [{ kind: "fact" as const, name: "approval still stands" }] : [];
      const contract = random.pick(contracts);
      steps.push(sendStep({ ...common, requires }, contract, random.chance(0.7)));
    }
  }
  return { steps, guarded };
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

function sendStep(
  common: Pick<SendStepOutline, "name" | "after" | "closure" | "requires" | "uses">,
  contract: Contract,
  hasRequest: boolean,
): SendStepOutline {
  return {
    ...common,
    kind: "step",
    destination: destinationOutline(contract),
    before: [],
    hasRequest,
    hasCheck: contract === "lookup",
    deadlineMs: SEND_DEADLINE_MS,
    versionCondition: null,
    onLapse: "review",
    undo: null,
  };
}

function destinationOutline(contract: Contract): DestinationOutline {
  const repeatSafety: RepeatSafety =
    contract === "key" ? { by: "key", windowMs: 3_600_000 } : { by: contract };
  return {
    name: contract,
    repeatSafety,
    credentialId: contract,
    owners: { access: null, input: null, outage: null },
    retry: RETRY,
    readLagMs: 200,
    requestAgeMs: REQUEST_AGE_MS,
  };
}

/** Only this simulation starts cases and sends events, with JSON. */
function anything(value: unknown): ReturnType<CaseType["input"]> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return Promise.resolve({ kind: "valid", value: value as Json });
}

/** Binds a shape to the process that runs it, through its way to the destinations. */
export function bindCaseType(
  shape: CaseShape,
  process: SimulatedProcess,
  destinations: ReadonlyMap<Contract, SimulatedDestination>,
): CaseType {
  const steps = shape.steps.map(
    (outline) => [outline.name, bindStep(outline, process, destinations)] as const,
  );
  return {
    outline: {
      name: "simulated",
      version: 1,
      owner: "owner",
      steps: shape.steps,
      events: [REVOKED, ARRIVED],
    },
    input: anything,
    events: { [REVOKED]: anything, [ARRIVED]: anything },
    eventRules: {},
    keys: null,
    steps: Object.fromEntries(steps),
  };
}

function bindStep(
  outline: StepOutline,
  process: SimulatedProcess,
  destinations: ReadonlyMap<Contract, SimulatedDestination>,
): RuntimeStep {
  const requires: readonly RuntimeCondition[] = outline.requires.map(({ name }) => ({
    kind: "fact",
    name,
    holds: ({ events }) => events.latest(REVOKED, { after: "step1" }) === null,
  }));
  switch (outline.kind) {
    case "approval":
      return { kind: "approval", outline, requires, form: null };
    case "waitForEvent":
      return { kind: "waitForEvent", outline, requires };
    case "sleep":
      return { kind: "sleep", outline, requires };
    case "step":
      return { ...bindSend(outline, process, destinations), requires };
  }
}

function bindSend(
  outline: SendStepOutline,
  process: SimulatedProcess,
  destinations: ReadonlyMap<Contract, SimulatedDestination>,
): RuntimeSendStep {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- destinations are named after their contracts above
  const destination = destinations.get(outline.destination.name as Contract);
  if (destination === undefined) throw new Error(`no destination ${outline.destination.name}`);
  return {
    kind: "step",
    outline,
    requires: [],
    before: [],
    result: null,
    undo: null,
    sorters: [],
    request: outline.hasRequest ? (facts) => contentOf(outline, facts) : null,
    run: async (context) => {
      const content = context.request ?? contentOf(outline, context);
      const request = requestFor(outline, context.caseId, context.idempotencyKey, content);
      return { id: await destination.send(process, request, context.signal) };
    },
    check: outline.hasCheck
      ? async ({ idempotencyKey, signal }): Promise<CheckAnswer> => {
          const id = await destination.find(process, idempotencyKey, signal);
          if (id === null) return { kind: "didNotHappen" };
          return { kind: "happened", result: { kind: "value", value: { id } }, evidence: { id } };
        }
      : null,
  };
}

/** What a step asks for: the input it uses and what it follows. */
export function contentOf(
  { uses, closure }: SendStepOutline,
  { input, results }: Pick<Facts, "input" | "results">,
): Json {
  const used =
    uses === null || !isJsonObject(input)
      ? input
      : Object.fromEntries(uses.map((one) => [one, input[one] ?? null]));
  return { input: used, after: closure.map((name) => results[name] ?? null) };
}

function requestFor(outline: SendStepOutline, caseId: string, key: string, content: Json): SimulatedRequest {
  const input = isJsonObject(content) ? content["input"] : null;
  const isFaulty = input !== undefined && isJsonObject(input) && input["isFaulty"] === true;
  const intentVersion = Number(key.slice(key.lastIndexOf(".") + 1));
  return { key, caseId, step: outline.name, intentVersion, content: canonicalJson(content), isFaulty };
}
