/** The facts that a definition's pure functions see, and the answers of its conditions that need no question outside. */

import { type CaseState, isNotNeeded, stepOf } from "../core/case-state.ts";
import type { ConditionAnswer } from "../core/journal.ts";
import { NO_FURTHER_ITEM } from "../core/each.ts";
import type { Json } from "../core/json.ts";
import { partName, readPartName } from "../core/part-name.ts";
import { STILL_AN_ITEM } from "../core/part-outline.ts";
import { answerKey, type Answers, type FreshAnswer } from "../core/planning.ts";
import { undoneStep } from "../core/undo.ts";
import { broken, cannotTell, holds, kindOf, whyOf } from "./answers.ts";
import type {
  CaseType,
  EventsView,
  EventView,
  Facts,
  RuntimeCondition,
  RuntimeEachStep,
  RuntimeSendStep,
  RuntimeStep,
  UndoneEffect,
} from "./case-type.ts";
import { decodeRequest } from "./decode-request.ts";
import { describeThrown, describeValue } from "./describe-value.ts";
import { maskAnswer, maskedTexts } from "./masking.ts";

/** The facts of a case now. */
export function factsOf(state: CaseState): Facts {
  return { caseId: state.caseId, input: state.input, results: resultsOf(state), events: eventsOf(state) };
}

/**
 * Answers every fact condition of a case type. A function that throws answers `cannotTell` with what it threw, so one
 * faulty condition never takes a worker down; the plan sends that step to review.
 */
export function answerFacts(caseType: CaseType, state: CaseState, now: number): Answers {
  const facts = factsOf(state);
  const texts = maskedTexts(caseType, state);
  const answers = new Map<string, FreshAnswer>();
  for (const [step, runtime] of Object.entries(caseType.steps)) {
    for (const condition of conditionsOf(runtime)) {
      if (condition.kind !== "fact") continue;
      const answer = maskAnswer(answerFact(condition, facts), texts);
      answers.set(answerKey(step, condition.name), { answer, askedAt: now });
    }
    const keys = Object.hasOwn(state.each, step) ? state.each[step] : undefined;
    if (runtime.kind !== "each" || keys === undefined) continue;
    for (const [key, answer] of answerItems(runtime, keys, facts)) {
      answers.set(key, { answer: maskAnswer(answer, texts), askedAt: now });
    }
  }
  return answers;
}

/** Whether the keys of a started `each` are those of its items still. */
function answerItems(
  { outline: { name }, items }: RuntimeEachStep,
  keys: readonly string[],
  facts: Facts,
): readonly (readonly [string, ConditionAnswer])[] {
  const known = keysNow(items, facts);
  const started = new Set(keys);
  const parts = keys.map((key): readonly [string, ConditionAnswer] => {
    const answer =
      known.kind === "known" && !known.keys.has(key) ? broken("the list has no such item") : null;
    return [answerKey(partName(name, key), STILL_AN_ITEM.name), answer ?? unsure(known)];
  });
  const added = known.kind === "known" ? [...known.keys].filter((key) => !started.has(key)) : [];
  const whole =
    added.length === 0 ? unsure(known) : broken(`${added.slice(0, ITEMS_NAMED_MAX).join(", ")} came since`);
  return [...parts, [answerKey(name, NO_FURTHER_ITEM.name), whole]];
}

/** Items that an answer names. */
const ITEMS_NAMED_MAX = 5;

type KnownKeys =
  | { readonly kind: "known"; readonly keys: ReadonlySet<string> }
  | { readonly kind: "unknown"; readonly why: string };

function keysNow(items: RuntimeEachStep["items"], facts: Facts): KnownKeys {
  try {
    return { kind: "known", keys: new Set(items(facts).map(({ key }) => key)) };
  } catch (error) {
    return { kind: "unknown", why: `it threw ${describeThrown(error)}` };
  }
}

function unsure(known: KnownKeys): ConditionAnswer {
  return known.kind === "known" ? holds() : cannotTell(known.why);
}

/** Every condition of a step: what makes it needed, its prerequisites, then what is asked before a send. */
export function conditionsOf(step: RuntimeStep): readonly RuntimeCondition[] {
  const common = [...step.when, ...step.requires];
  return step.kind === "step" ? [...common, ...step.before] : common;
}

/** A step that sends by name, undo steps and those of one key included; null when the case type has none. */
export function sendStepNamed({ steps }: CaseType, name: string): RuntimeSendStep | null {
  const part = readPartName(name);
  if (part !== null) {
    const each = Object.hasOwn(steps, part.step) ? steps[part.step] : undefined;
    if (each?.kind !== "each") return null;
    const one = each.part(part.key);
    return name === one.outline.name ? one : name === one.undo?.outline.name ? one.undo : null;
  }
  for (const step of Object.values(steps)) {
    if (step.kind !== "step") continue;
    if (step.outline.name === name) return step;
    if (step.undo?.outline.name === name) return step.undo;
  }
  return null;
}

/** What an undo step takes back: what was confirmed of its step; undefined for any other step. */
export function undoneBy({ outline }: CaseType, state: CaseState, name: string): UndoneEffect | undefined {
  const undone = undoneStep(outline, name);
  if (undone === null) return undefined;
  const { intent, confirmation } = stepOf(state, undone.name);
  if (confirmation === null) return undefined;
  const { result, evidence } = confirmation;
  return {
    request: intent === null ? undefined : decodeRequest(intent),
    result: result.kind === "value" ? result.value : null,
    evidence,
  };
}

/**
 * What a condition's function gave, as an answer. Anything but true, false or an answer is `cannotTell`: a function
 * that forgot its `return`, or that is asynchronous where it must not be, must neither let a step go on nor lapse one.
 */
export function readReply(reply: unknown): ConditionAnswer {
  if (reply === true) return holds();
  if (reply === false) return broken("the condition is not true");
  switch (kindOf(reply)) {
    case "holds":
      return { ...holds(), ...versionIn(reply) };
    case "broken":
      return broken(whyOf(reply));
    case "cannotTell":
      return cannotTell(whyOf(reply));
    default:
      return cannotTell(`it gave ${describeValue(reply)} instead of true, false, broken(…) or cannotTell(…)`);
  }
}

/** What a conditional write will be conditional on, where the question was for that. */
function versionIn(reply: unknown): { readonly version?: string } {
  return isObject(reply) && typeof reply["version"] === "string" ? { version: reply["version"] } : {};
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function answerFact(condition: Extract<RuntimeCondition, { kind: "fact" }>, facts: Facts): ConditionAnswer {
  try {
    return readReply(condition.holds(facts));
  } catch (error) {
    return readReply(cannotTell(`it threw ${describeThrown(error)}`));
  }
}

function resultsOf(state: CaseState): { readonly [step: string]: Json } {
  const results: Record<string, Json> = {};
  for (const [name, { confirmation }] of Object.entries(state.steps)) {
    if (confirmation?.result.kind === "value" && !isNotNeeded(confirmation))
      results[name] = confirmation.result.value;
  }
  return results;
}

function eventsOf(state: CaseState): EventsView {
  const all = (eventType: string, since: number): readonly EventView[] =>
    state.events
      .filter((one) => one.eventType === eventType && one.revision > since)
      .map(({ payload, sourceId, at }) => ({ payload, sourceId, receivedAt: at }));
  return {
    all: (eventType) => all(eventType, 0),
    latest: (eventType, options) => {
      const since = options?.after === undefined ? 0 : confirmedAt(state, options.after);
      return all(eventType, since).at(-1) ?? null;
    },
  };
}

/** Revision of a step's current confirmation. Before it is confirmed no event can be later than it. */
function confirmedAt(state: CaseState, step: string): number {
  return stepOf(state, step).confirmation?.revision ?? Infinity;
}
