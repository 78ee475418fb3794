/** Reads `child`: a step that starts a case of another type, waits for its end and has its result. */

import { isFootholdError } from "../core/errors.ts";
import type {
  ChildCanceledPolicy,
  ChildOutline,
  DestinationOutline,
  LapsePolicy,
  SendStepOutline,
} from "../core/outline.ts";
import type { OwnSorting, SeenFailure } from "../core/seen-failure.ts";
import { undoName } from "../core/undo.ts";
import type { RuntimeSendStep } from "./case-type.ts";
import { childCallsIn } from "./child-calls.ts";
import { defineDestination, type Destination } from "./destination.ts";
import type { Sight } from "./in-sight.ts";
import { isAsyncFunction, type AuthorFunction, type OptionReader } from "./option-reader.ts";
import type { ReadDestination } from "./read-conditions.ts";
import { checkConditionNames, conditionsOf, outlineOf, type Following } from "./read-following.ts";
import { makeRequest } from "./read-send.ts";

/** Where cases are started and canceled: in the engine's own database, so that it is truly once. */
const OWN_CASES: Destination = defineDestination("foothold-cases", {
  idempotency: { by: "transaction" },
});

/** How long one start may take, in ms. */
const DEADLINE_MS = 30_000;

/** The options that only a step with a child has. */
export const CHILD_OPTIONS: readonly string[] = ["of", "input", "onCanceled", "onLapse"];

/** Reads a step with a child and notes its faults; null after one that leaves nothing to make. */
export function readChild(
  options: OptionReader,
  following: Following,
  readDestination: ReadDestination,
): ((sight: Sight) => RuntimeSendStep) | null {
  const caseType = readCaseType(options);
  const input = readInput(options);
  const onCanceled = readOne(options, "onCanceled", ["review", "cancel", "result"] as const);
  const onLapse = readOne(options, "onLapse", ["review", "redo", "undo"] as const);
  checkConditionNames(options, following);
  const destination = readDestination(OWN_CASES);
  if (caseType === null || input === null || destination === null) return null;
  return (sight) => stepOf({ following, caseType, input, onCanceled, onLapse, destination }, sight);
}

/** What the engine itself refuses surely did not happen. Input that does not fit is corrected as a destination's "no" is. */
export function sortOwn({ errors: [error] }: SeenFailure): OwnSorting | null {
  if (error?.code === "INVALID_INPUT") return { cause: "rejected", executed: "no", sentence: error.message };
  return error?.code === "DATABASE_UNAVAILABLE"
    ? { cause: "transient", executed: "no", sentence: error.message }
    : null;
}

interface ChildReading {
  readonly following: Following;
  readonly caseType: string;
  readonly input: AuthorFunction;
  readonly onCanceled: ChildCanceledPolicy;
  readonly onLapse: LapsePolicy;
  readonly destination: DestinationOutline;
}

function stepOf(reading: ChildReading, sight: Sight): RuntimeSendStep {
  const { following, caseType, input, onCanceled, onLapse, destination } = reading;
  const undo = sendOf(destination, { act: "cancel", caseType });
  const outline: SendStepOutline = {
    ...sendOf(destination, { act: "start", caseType, onCanceled }),
    ...outlineOf(following, sight),
    onLapse,
    undo: { ...undo, name: undoName(following.name) },
  };
  const common = {
    kind: "step",
    before: [],
    check: null,
    sorters: [sortOwn],
    isHttpAlone: false,
    result: null,
  } as const;
  return {
    ...common,
    outline,
    ...conditionsOf(following, sight),
    request: (facts) => makeRequest("input", input, facts, sight),
    run: async (context) => childCallsIn(context).start(context.request ?? null),
    undo: {
      ...common,
      outline: outline.undo ?? undo,
      when: [],
      requires: [],
      request: null,
      run: async (context) => childCallsIn(context).cancel(),
      undo: null,
    },
  };
}

function sendOf(destination: DestinationOutline, child: ChildOutline): SendStepOutline {
  return {
    kind: "step",
    name: "",
    formerly: [],
    after: [],
    closure: [],
    when: [],
    requires: [],
    uses: [],
    destination,
    before: [],
    hasRequest: true,
    hasCheck: false,
    deadlineMs: DEADLINE_MS,
    versionCondition: null,
    onLapse: "review",
    undo: null,
    child,
  };
}

function readCaseType(options: OptionReader): string | null {
  const of = options.value("of");
  if (typeof of === "object" && of !== null && "outline" in of) return nameOf(options, of);
  return options.text("of", "which case type it starts: the definition, or its name") || null;
}

/** A case type is read on the first look at its outline. */
function nameOf(options: OptionReader, of: { readonly outline: unknown }): string | null {
  try {
    const { outline } = of;
    if (typeof outline === "object" && outline !== null && "name" in outline) return String(outline.name);
    options.fault("of", "is no case type of defineCase");
  } catch (error) {
    if (!isFootholdError(error)) throw error;
    options.fault("of", "is a case type with faults of its own: correct those first");
  }
  return null;
}

function readInput(options: OptionReader): AuthorFunction | null {
  const input = options.requiredFunction("input", "gives what the child starts with");
  if (input !== null && isAsyncFunction(input)) {
    options.fault(
      "input",
      "must not be async: it says what the child starts with, from the facts it is given",
    );
  }
  return input;
}

function readOne<Policy extends string>(
  options: OptionReader,
  name: string,
  policies: readonly [Policy, ...(readonly Policy[])],
): Policy {
  const written = options.value(name);
  const policy = policies.find((one) => one === written);
  if (written !== undefined && policy === undefined)
    options.fault(name, `must be one of ${policies.join(", ")}`);
  return policy ?? policies[0];
}
