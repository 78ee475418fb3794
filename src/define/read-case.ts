/** Reads a case type as written, and names all its faults at once. */

import { invariant, type FieldFault } from "../core/errors.ts";
import type { CaseOutline, DestinationOutline } from "../core/outline.ts";
import type { MaskedPath } from "../core/masked-values.ts";
import type { Json } from "../core/json.ts";
import type { CaseType, EventRule, Facts, RuntimeStep, Validate } from "./case-type.ts";
import { readConcurrency } from "./concurrency.ts";
import type { DestinationCalls } from "./destination-calls.ts";
import { areRivals, isDestination, readDestination, RIVALS } from "./destination.ts";
import { readEvent } from "./event.ts";
import type { CaseMasks } from "./case-masks.ts";
import { readMasked } from "./masking.ts";
import { eventTypeFault, nameFault } from "./names.ts";
import { isAsyncFunction, isFunction, OptionReader, type AuthorFunction } from "./option-reader.ts";
import type { ReadDestination } from "./read-conditions.ts";
import { runByOfSteps } from "./read-elsewhere.ts";
import { makeRequest } from "./read-send.ts";
import { maskedSearch, readSearch } from "./read-search.ts";
import { readStep, type StepDraft, type StepReading } from "./read-step.ts";
import { orderSteps, type StepOrder } from "./step-order.ts";

/** Steps of one case type. */
const STEPS_MAX = 200;

/** Event types of one case type. */
const EVENT_TYPES_MAX = 200;

/** Further keys of one case. */
const KEYS_MAX = 32;

/** The largest version: what an integer column of PostgreSQL holds. */
const VERSION_MAX = 2_147_483_647;

/** A case type as written. */
export interface CaseDraft {
  readonly name: unknown;
  readonly options: unknown;
  readonly steps: readonly StepDraft[];
  /** Left out = it gives nothing. */
  readonly result?: unknown;
}

/** What reading a case type gave. */
export type CaseReading =
  | { readonly kind: "sound"; readonly caseType: CaseType }
  | { readonly kind: "faulty"; readonly faults: readonly FieldFault[] };

const OPTIONS = [
  "version",
  "owner",
  "input",
  "events",
  "keyFreedBy",
  "keys",
  "concurrency",
  "attributes",
  "tags",
  "masked",
  "removed",
] as const;

/** Reads a case type, whatever was written. */
export function readCase({ name, options: written, steps: drafts, result }: CaseDraft): CaseReading {
  const faults: FieldFault[] = [];
  const options = new OptionReader(written, "", OPTIONS, faults);
  const wrongName = nameFault(name);
  if (wrongName !== null) options.fault("name", wrongName);
  const version = options.count("version", { default: null, min: 1, max: VERSION_MAX });
  const owner = options.text("owner", "who takes whatever no destination owner covers");
  const input = options.requiredSchema("input", "what a case starts with");
  const { events, eventRules, masked: eventMasks } = readEvents(options);
  const keyFreedBy = readKeyFreedBy(options);
  const keys = readKeys(options);
  const concurrency = readConcurrency(options);
  const eventTypes = Object.keys(events);
  const calls = new Map<string, DestinationCalls>();
  const readings = readSteps(drafts, eventTypes, { options, faults, calls });
  const inputMasks = readMasked(options);
  const resultMasks = Object.fromEntries(
    readings.flatMap(({ name: step, formerly, masked }) => [step, ...formerly].map((one) => [one, masked])),
  );
  const masks = { input: inputMasks, results: resultMasks, events: eventMasks };
  const search = readSearch(
    options,
    readings.map(({ name: step }) => step),
  );
  const removed = readRemoved(readings, options);
  checkFormerNames(readings, removed);
  const give = readResult(result, options);
  const order = readOrder(readings, options);
  if (faults.length > 0 || input === null || order.kind === "cycle") return { kind: "faulty", faults };
  const typeName = String(name);
  const steps = makeSteps(readings, order, { caseType: typeName, eventTypes });
  const stepOutlines = Object.values(steps).map((step) => step.outline);
  const { runBy, faults: misplaced } = runByOfSteps(stepOutlines);
  for (const { step, option, why } of misplaced) options.fault(`steps.${step}.${option}`, why);
  if (faults.length > 0) return { kind: "faulty", faults };
  const outline: CaseOutline = {
    name: typeName,
    version,
    owner,
    steps: stepOutlines,
    removed,
    events: eventTypes,
    ...(keyFreedBy === null ? {} : { keyFreedBy }),
    ...(runBy === null ? {} : { runBy }),
    ...(concurrency === null ? {} : { concurrency: concurrency.outline }),
  };
  const destinations = withoutPrototype(Object.fromEntries(calls));
  const sight = { caseType: typeName, step: "result", closure: Object.keys(steps), others: [], eventTypes };
  const resultOf = give === null ? null : (facts: Facts): Json => makeRequest("result", give, facts, sight);
  const concurrencyKey =
    concurrency === null ? null : (given: Json): unknown => concurrency.key({ input: given });
  const caseType = {
    outline,
    input,
    events,
    eventRules,
    keys,
    concurrencyKey,
    masks,
    resultOf,
    steps,
    destinations,
  };
  if (search === null) return { kind: "sound", caseType };
  const found = maskedSearch(search, caseType, options);
  if (faults.length > 0) return { kind: "faulty", faults };
  return { kind: "sound", caseType: { ...caseType, outline: { ...outline, search: found } } };
}

function readResult(written: unknown, options: OptionReader): AuthorFunction | null {
  if (written === undefined) return null;
  if (isFunction(written) && !isAsyncFunction(written)) return written;
  options.fault("result", "must be a function that is not async: it says what a case gives, from its facts");
  return null;
}

function readEvents(
  options: OptionReader,
): Pick<CaseType, "events" | "eventRules"> & { readonly masked: CaseMasks["events"] } {
  const written = options.value("events") ?? {};
  const types = typeof written === "object" && !Array.isArray(written) ? Object.keys(written) : [];
  if (types.length > EVENT_TYPES_MAX) {
    options.fault("events", `has ${types.length} event types, at most ${EVENT_TYPES_MAX} are allowed`);
  }
  const reader = options.nested("events", types);
  const schemas: { [eventType: string]: Validate } = {};
  const rules: { [eventType: string]: EventRule } = {};
  const masked: { [eventType: string]: readonly MaskedPath[] } = {};
  for (const type of types) {
    const wrongType = eventTypeFault(type);
    if (wrongType !== null) reader.fault(type, wrongType);
    const event = readEvent(reader, type);
    if (event === null) continue;
    schemas[type] = event.validate;
    rules[type] = event.rule;
    masked[type] = event.masked;
  }
  checkHolds(reader, rules);
  return { events: withoutPrototype(schemas), eventRules: withoutPrototype(rules), masked };
}

/** What is held for an event that the case type does not take would be held for nothing. */
function checkHolds(reader: OptionReader, rules: { readonly [eventType: string]: EventRule }): void {
  for (const [type, { order }] of Object.entries(rules)) {
    if (order.by === "hold" && (!Object.hasOwn(rules, order.after) || order.after === type)) {
      reader.fault(type, `waits for ${order.after}, which is no other event of the case type`);
    }
  }
}

/** Null = nothing frees it. */
function readKeyFreedBy(options: OptionReader): NonNullable<CaseOutline["keyFreedBy"]> | null {
  const written = options.value("keyFreedBy");
  if (written === "canceled" || written === "end") return written;
  if (written !== undefined && written !== "nothing") {
    options.fault("keyFreedBy", "must be nothing, canceled or end");
  }
  return null;
}

/** Keys that are no texts are left out: an id that is not there yet names nothing. */
function readKeys(options: OptionReader): CaseType["keys"] {
  const keys = options.optionalFunction("keys");
  if (keys === null) return null;
  return (facts) => {
    const given = keys(facts);
    const list: readonly unknown[] = Array.isArray(given) ? given : [];
    return [...new Set(list.filter((key) => typeof key === "string" && key !== "").map(String))].slice(
      0,
      KEYS_MAX,
    );
  };
}

/** Where what is read of a case type goes. */
interface CaseParts {
  readonly options: OptionReader;
  readonly faults: FieldFault[];
  /** By destination. */
  readonly calls: Map<string, DestinationCalls>;
}

function readSteps(
  drafts: readonly StepDraft[],
  eventTypes: readonly string[],
  parts: CaseParts,
): readonly StepReading[] {
  const { options, faults } = parts;
  if (drafts.length === 0) options.fault("steps", "there are none: add one, as with .step(name, { … })");
  if (drafts.length > STEPS_MAX) {
    options.fault(
      "steps",
      `there are ${drafts.length}, at most ${STEPS_MAX} are allowed: split the case type`,
    );
  }
  const labels = drafts.map(({ name }, index) =>
    typeof name === "string" && name !== "" ? name : `${index + 1}`,
  );
  for (const label of new Set(labels.filter((one, index) => labels.indexOf(one) !== index))) {
    options.fault(`steps.${label}`, "two steps have this name: give each its own");
  }
  const readOnce = destinationReader(parts);
  return drafts.slice(0, STEPS_MAX).map((draft, index) => {
    const previous = labels[index - 1] ?? null;
    return readStep(draft, {
      label: labels[index] ?? "",
      previous,
      eventTypes,
      readDestination: readOnce,
      faults,
    });
  });
}

/** Names the faults of a destination once, however many steps use it, and finds two that have one name. */
function destinationReader({ options, faults, calls }: CaseParts): ReadDestination {
  const read = new Map<unknown, DestinationOutline>();
  return (value) => {
    if (!isDestination(value)) return null;
    const known = read.get(value);
    if (known !== undefined) return known;
    const { outline, faults: found, calls: own } = readDestination(value);
    faults.push(...found);
    calls.set(outline.name, own);
    if ([...read.values()].some((other) => areRivals(other, outline))) {
      options.fault(`destinations.${outline.name}`, RIVALS);
    }
    read.set(value, outline);
    return outline;
  };
}

/** What is there has not been removed. */
function readRemoved(readings: readonly StepReading[], options: OptionReader): readonly string[] {
  const removed = options.optionalNames("removed") ?? [];
  for (const name of removed.filter((one) => readings.some((step) => step.name === one))) {
    options.fault(
      "removed",
      `names ${name}, which is a step: take it out of the list, or the step out of the case type`,
    );
  }
  return removed;
}

/** A name stands for one step: what a case did under it must not be taken for two, or for what is gone. */
function checkFormerNames(readings: readonly StepReading[], removed: readonly string[]): void {
  const heirs = new Map<string, string>();
  for (const { name, formerly, options } of readings) {
    for (const former of formerly) {
      const heir = heirs.get(former);
      if (heir === undefined) heirs.set(former, name);
      const why = whyNotFormer(former, { name, heir, readings, removed });
      if (why !== null) options.fault("formerly", `names ${former}, ${why}`);
    }
  }
}

function whyNotFormer(
  former: string,
  {
    name,
    heir,
    readings,
    removed,
  }: {
    readonly name: string;
    /** The step that has it already. */
    readonly heir: string | undefined;
    readonly readings: readonly StepReading[];
    readonly removed: readonly string[];
  },
): string | null {
  if (former === name) return "its own name: name only those that it had before";
  const other = readings.find((one) => one.name === former);
  if (other !== undefined) {
    return other.formerly.includes(name)
      ? `which is a step that was formerly ${name}: two steps cannot have changed names with each other in one version, ` +
          `so give one of them a name that neither had`
      : "which is a step: what a case did under this name would be taken for both. Give one of them another name";
  }
  if (heir !== undefined) return `as ${heir} does: only one step can stand for what was done under it`;
  return removed.includes(former)
    ? "which `removed` names too: a step is gone, or it has another name, not both"
    : null;
}

function readOrder(readings: readonly StepReading[], options: OptionReader): StepOrder {
  const names = new Set(readings.map(({ name }) => name));
  for (const { name, after, options: step } of readings) {
    const others = [...names].filter((one) => one !== name).join(", ") || "none";
    for (const unknown of after.filter((one) => !names.has(one))) {
      step.fault("after", `there is no step ${unknown}. There are: ${others}`);
    }
  }
  const order = orderSteps(
    readings.map(({ name, after }) => ({ name, after: after.filter((one) => names.has(one)) })),
  );
  if (order.kind === "cycle") {
    const circle = [...order.names, ...order.names.slice(0, 1)].join(" follows ");
    options.fault("steps", `${circle}: none of them could ever begin, so one must not follow`);
  }
  return order;
}

function makeSteps(
  readings: readonly StepReading[],
  { names, closures }: Extract<StepOrder, { kind: "ordered" }>,
  { caseType, eventTypes }: { readonly caseType: string; readonly eventTypes: readonly string[] },
): CaseType["steps"] {
  const steps: { [step: string]: RuntimeStep } = {};
  for (const step of names) {
    const make = readings.find(({ name }) => name === step)?.make ?? null;
    invariant(
      make !== null,
      `the step ${step} of case type ${caseType} was read without faults, but cannot be made`,
    );
    const closure = closures.get(step) ?? [];
    const others = names.filter((one) => one !== step && !closure.includes(one));
    steps[step] = make({ caseType, step, closure, others, eventTypes });
  }
  return withoutPrototype(steps);
}

/** What is looked up by names from outside must have nothing but what was put in. */
function withoutPrototype<Value extends object>(value: Value): Value {
  Object.setPrototypeOf(value, null);
  return value;
}
