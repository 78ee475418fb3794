/** Reads one step: its options become an outline without functions, and functions that see what they may. */

import { FootholdError, type FieldFault } from "../core/errors.ts";
import { readJson, type Json } from "../core/json.ts";
import type { DestinationOutline, StepOutline } from "../core/outline.ts";
import { disarmed, readCheckReply } from "./answers.ts";
import type { Facts, RuntimeStep } from "./case-type.ts";
import { inSight, type Sight } from "./in-sight.ts";
import { nameFault } from "./names.ts";
import { isAsyncFunction, OptionReader, type AuthorFunction } from "./option-reader.ts";
import {
  DEADLINE_MS_MAX,
  readConditions,
  type ConditionReading,
  type ReadDestination,
} from "./read-conditions.ts";
import { VALUE_CHARS_MAX } from "./schema.ts";

/** A step as written. */
export interface StepDraft {
  readonly kind: StepOutline["kind"];
  readonly name: unknown;
  readonly options: unknown;
}

/** What is known of the case type when a step is read. */
export interface StepSurroundings {
  /** Its name, or its number where it has none; for the paths of faults. */
  readonly label: string;
  /** The step written before; null for the first. */
  readonly previous: string | null;
  readonly eventTypes: readonly string[];
  readonly readDestination: ReadDestination;
  readonly faults: FieldFault[];
}

/** A step as read. */
export interface StepReading {
  readonly name: string;
  readonly after: readonly string[];
  readonly options: OptionReader;
  /** Makes the step once its place among the others is known; null after a fault that leaves nothing to make. */
  readonly make: ((sight: Sight) => RuntimeStep) | null;
}

const FOLLOWING = ["after", "requires", "uses"];

const KNOWN: { readonly [Kind in StepOutline["kind"]]: readonly string[] } = {
  step: ["to", "before", "request", "run", "check", "result", "deadline", ...FOLLOWING],
  approval: ["by", "form", "expires", ...FOLLOWING],
  waitForEvent: ["event", "timeout", ...FOLLOWING],
  sleep: ["for", ...FOLLOWING],
};

/** Reads a step and notes its faults. */
export function readStep(draft: StepDraft, around: StepSurroundings): StepReading {
  const options = new OptionReader(draft.options, `steps.${around.label}`, KNOWN[draft.kind], around.faults);
  const wrongName = nameFault(draft.name);
  if (wrongName !== null) options.fault("", wrongName);
  const name = around.label;
  const after = options.optionalNames("after") ?? (around.previous === null ? [] : [around.previous]);
  const following: Following = {
    name,
    after,
    uses: readUses(options),
    requires: readConditions(options, "requires", around.readDestination),
  };
  return { name, after, options, make: makerOf(draft.kind, options, following, around) };
}

/** What every kind of step has. */
interface Following {
  readonly name: string;
  readonly after: readonly string[];
  readonly uses: readonly string[] | null;
  readonly requires: readonly ConditionReading[];
}

function readUses(options: OptionReader): readonly string[] | null {
  const uses = options.optionalNames("uses");
  if (uses?.length === 0) {
    options.fault("uses", "names nothing: name the input fields it rests on, or leave it out to rest on all");
  }
  return uses;
}

function makerOf(
  kind: StepOutline["kind"],
  options: OptionReader,
  following: Following,
  around: StepSurroundings,
): StepReading["make"] {
  switch (kind) {
    case "step":
      return sendMaker(options, following, around.readDestination);
    case "approval":
      return approvalMaker(options, following);
    case "waitForEvent":
      return waitMaker(options, following, around.eventTypes);
    case "sleep":
      return sleepMaker(options, following);
  }
}

function sendMaker(
  options: OptionReader,
  following: Following,
  readDestination: ReadDestination,
): StepReading["make"] {
  const destination = readDestination(options.value("to"));
  if (destination === null)
    options.fault("to", "must be a destination: where it sends to, of defineDestination");
  const before = readConditions(options, "before", readDestination);
  checkConditionNames(options, following.requires, before);
  const request = options.optionalFunction("request");
  if (request !== null && isAsyncFunction(request)) {
    options.fault("request", "must not be async: it says what to send, from the facts it is given");
  }
  const run = options.requiredFunction("run", "sends");
  const check = options.optionalFunction("check");
  const result = options.optionalSchema("result");
  const deadlineMs = options.duration("deadline", { defaultMs: 30_000, minMs: 1, maxMs: DEADLINE_MS_MAX });
  if (destination === null) return null;
  checkRepeatSafety(options, destination, check);
  if (run === null) return null;
  return (sight) => ({
    kind: "step",
    outline: {
      kind: "step",
      ...outlineOf(following, sight),
      destination,
      before: before.map(({ outline }) => outline),
      hasRequest: request !== null,
      hasCheck: check !== null,
      deadlineMs,
    },
    requires: runtimesOf(following.requires, sight),
    before: runtimesOf(before, sight),
    request: request === null ? null : (facts) => makeRequest(request, facts, sight),
    run: async (context) => run(inSight(context, sight)),
    check: check === null ? null : async (context) => readCheckReply(await check(inSight(context, sight))),
    result,
  });
}

/** Answers are kept by step and name, whichever group asked. */
function checkConditionNames(
  options: OptionReader,
  requires: readonly ConditionReading[],
  before: readonly ConditionReading[],
): void {
  for (const { outline } of before) {
    if (requires.some((one) => one.outline.name === outline.name)) {
      options.fault(`before.${outline.name}`, "has the name of a condition in requires: give each its own");
    }
  }
}

function checkRepeatSafety(
  options: OptionReader,
  { name, repeatSafety }: DestinationOutline,
  check: AuthorFunction | null,
): void {
  if (repeatSafety.by !== "lookup" || check !== null || options.value("check") !== undefined) return;
  options.fault(
    "check",
    `is missing: ${name} is repeated by lookup, so every step sent there must be able to ask it`,
  );
}

function makeRequest(request: AuthorFunction, facts: Facts, sight: Sight): Json {
  const given = disarmed(request(inSight(facts, sight)));
  const read =
    given instanceof Promise
      ? { kind: "unreadable" as const, why: "it is a promise" }
      : readJson(given, VALUE_CHARS_MAX);
  if (read.kind === "json") return read.value;
  throw new FootholdError(
    "INVALID_DEFINITION",
    `What request of ${sight.step} in case type ${sight.caseType} gave cannot be stored: ${read.why}. Nothing was sent.`,
    { details: { step: sight.step } },
  );
}

function approvalMaker(options: OptionReader, following: Following): StepReading["make"] {
  const by = options.text("by", "who may answer");
  const form = options.optionalSchema("form");
  const expiresMs =
    options.value("expires") === undefined
      ? null
      : options.duration("expires", { defaultMs: null, minMs: 1 });
  return (sight) => ({
    kind: "approval",
    outline: { kind: "approval", ...outlineOf(following, sight), by, expiresMs },
    requires: runtimesOf(following.requires, sight),
    form,
  });
}

function waitMaker(
  options: OptionReader,
  following: Following,
  eventTypes: readonly string[],
): StepReading["make"] {
  const eventType = options.text("event", "which event it waits for");
  if (eventType !== "" && !eventTypes.includes(eventType)) {
    const known = eventTypes.join(", ") || "none";
    options.fault(
      "event",
      `the case type takes no event ${eventType}: add it to its events. It takes: ${known}`,
    );
  }
  const timeoutMs = options.duration("timeout", { defaultMs: null, minMs: 1 });
  return (sight) => ({
    kind: "waitForEvent",
    outline: { kind: "waitForEvent", ...outlineOf(following, sight), eventType, timeoutMs },
    requires: runtimesOf(following.requires, sight),
  });
}

function sleepMaker(options: OptionReader, following: Following): StepReading["make"] {
  const forMs = options.duration("for", { defaultMs: null, minMs: 1 });
  return (sight) => ({
    kind: "sleep",
    outline: { kind: "sleep", ...outlineOf(following, sight), forMs },
    requires: runtimesOf(following.requires, sight),
  });
}

function outlineOf({ name, after, uses, requires }: Following, { closure }: Sight) {
  return { name, after, closure, uses, requires: requires.map(({ outline }) => outline) };
}

function runtimesOf(readings: readonly ConditionReading[], sight: Sight) {
  return readings.map(({ runtime }) => runtime(sight));
}
