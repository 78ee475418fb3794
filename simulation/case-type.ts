/** Binds the shape of a case type to the process that runs it, through its way to the outside. */

import { partOutline } from "../src/core/part-outline.ts";
import { isJsonObject, type Json } from "../src/core/json.ts";
import type { SendStepOutline, StepOutline } from "../src/core/outline.ts";
import type {
  CaseType,
  EventRule,
  Facts,
  RuntimeCondition,
  RuntimeSendStep,
  RuntimeStep,
} from "../src/define/case-type.ts";
import { SHARED_KEYS } from "./key-watch.ts";
import { APPROVED, ARRIVED, IN_STOCK, LARGE, REVOKED, TOP_TYPE, type CaseShape } from "./case-shape.ts";
import { bindChild } from "./child-step.ts";
import { OWN_CASES } from "./family.ts";
import type { Outside } from "./outside.ts";
import type { SimulatedProcess } from "./process.ts";
import type { SeededRandom } from "./random.ts";
import type { SearchOutline } from "../src/core/search-outline.ts";
import { bindSend, isLarge } from "./send-step.ts";

/** What a case that another one starts gives it. */
function amountOf({ input }: Pick<Facts, "input">): Json {
  return { amount: isJsonObject(input) ? (input["amount"] ?? null) : null };
}

function unlessFaulty(value: unknown): ReturnType<CaseType["input"]> {
  const isFaulty =
    typeof value === "object" && value !== null && "isFaulty" in value && value.isFaulty === true;
  const faults = [{ path: "isFaulty", message: "is faulty" }];
  return isFaulty ? Promise.resolve({ kind: "invalid", faults }) : anything(value);
}

/** Only this simulation starts cases and sends events, with JSON. */
function anything(value: unknown): ReturnType<CaseType["input"]> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return Promise.resolve({ kind: "valid", value: value as Json });
}

/** The number that an event carries, as a version of what it tells. */
export function numberIn(payload: Json): number {
  return isJsonObject(payload) ? Number(payload["n"]) : Number.NaN;
}

const NEWEST: EventRule = { correlate: null, order: { by: "version", version: numberIn, of: () => "" } };

const SEARCH: SearchOutline = {
  attributes: [{ name: "amount", type: "number", step: null, path: ["amount"] }],
  tags: [["note"]],
  masked: { input: [], results: {} },
};

/** Binds a shape to a process. */
export function bindCaseType(shape: CaseShape, process: SimulatedProcess, outside: Outside): CaseType {
  const { concurrency } = shape;
  const steps = shape.steps.map(
    (outline) => [outline.name, bindStep(shape, outline, process, outside)] as const,
  );
  return {
    outline: {
      name: shape.caseType,
      version: 1,
      owner: "owner",
      steps: shape.steps,
      removed: [],
      events: [REVOKED, ARRIVED],
      search: SEARCH,
      ...(concurrency === undefined ? {} : { concurrency }),
    },
    input: shape.refusesFaulty ? unlessFaulty : anything,
    events: { [REVOKED]: anything, [ARRIVED]: anything },
    eventRules: shape.isVersioned ? { [REVOKED]: NEWEST, [ARRIVED]: NEWEST } : {},
    keys: null,
    concurrencyKey: concurrency === undefined ? null : () => SHARED_KEYS[concurrency.freedBy],
    masks: { input: [], results: {}, events: {} },
    resultOf: shape.caseType === TOP_TYPE ? null : amountOf,
    steps: Object.fromEntries(steps),
    destinations: {
      ...Object.fromEntries(
        [...outside.destinations.values()].map(({ name, access }) => [
          name,
          { refresh: () => access.refresh(process), ping: null, clientTries: null, masked: [] },
        ]),
      ),
      [OWN_CASES]: { refresh: null, ping: null, clientTries: null, masked: [] },
    },
  };
}

function bindStep(
  { keys }: CaseShape,
  outline: StepOutline,
  process: SimulatedProcess,
  outside: Outside,
): RuntimeStep {
  const bind = ({ name }: { readonly name: string }): RuntimeCondition =>
    bindCondition(name, process, outside);
  const conditions = { when: outline.when.map(bind), requires: outline.requires.map(bind) };
  switch (outline.kind) {
    case "approval":
      return { kind: "approval", outline, ...conditions, form: null };
    case "waitForEvent":
      return { kind: "waitForEvent", outline, ...conditions };
    case "poll":
      return {
        kind: "poll",
        outline,
        ...conditions,
        look: async ({ signal }) => {
          const answer = await outside.stock.ask(process, signal);
          if (answer.kind === "holds") return { kind: "found", value: "goods" };
          return { kind: "notYet", why: "nothing is left" };
        },
        result: null,
      };
    case "sleep":
      return { kind: "sleep", outline, ...conditions };
    case "each":
      return {
        kind: "each",
        outline,
        ...conditions,
        items: () => keys.map((key) => ({ key, item: key })),
        part: (key) => bindSendOrChild(partOutline(outline, key), process, outside),
      };
    case "step":
      return { ...bindSendOrChild(outline, process, outside), ...conditions };
  }
}

function bindSendOrChild(
  outline: SendStepOutline,
  process: SimulatedProcess,
  outside: Outside,
): RuntimeSendStep {
  return outline.child === undefined ? bindSend(outline, process, outside) : bindChild(outline);
}

function bindCondition(name: string, process: SimulatedProcess, { stock }: Outside): RuntimeCondition {
  switch (name) {
    case APPROVED:
      return {
        kind: "fact",
        name,
        holds: ({ events }) => events.latest(REVOKED, { after: "step1" }) === null,
      };
    case LARGE:
      return { kind: "fact", name, holds: ({ input }) => isLarge(input) };
    case IN_STOCK:
      return { kind: "probe", name, ask: ({ signal }) => stock.ask(process, signal) };
    default:
      throw new Error(`no condition ${name}`);
  }
}

/** The input as a person corrects it. */
export function correctedInput(random: SeededRandom): Json {
  // Now and then only what no request asks for.
  const amount = random.chance(0.4) ? 1 : random.between(1, 4);
  // Now and then what was corrected is taken back: what had lapsed by it may stand again, while it is being undone.
  const note = random.chance(0.4) ? "first" : `corrected ${random.between(1, 2)}`;
  return { amount, isFaulty: false, note };
}
