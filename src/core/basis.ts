/** What a confirmation rests on, as one hash: the input and the results of every step it follows. */

import { stepOf, type CaseState, type Confirmation } from "./case-state.ts";
import type { StepResult } from "./journal.ts";
import { canonicalJson, isJsonObject, type Json } from "./json.ts";
import type { StepOutline } from "./outline.ts";
import { originName } from "./renames.ts";

/** A collision-free hash of a text, given by the shell (SHA-256 in practice): core has no cryptography of its own. */
export type Digest = (text: string) => string;

/**
 * The basis of a step now: the whole input, or the top-level fields that `uses` names, and the results of its whole
 * `after` closure. It is the same for equal values whatever the order of their fields, and whatever those steps were called.
 */
export function basisOf(step: StepOutline, state: CaseState, digest: Digest): string {
  const known = bases.get(state) ?? new Map<StepOutline | string, string>();
  bases.set(state, known);
  // All keys of one `each` rest on the same.
  const key = step.kind === "step" && step.part !== undefined ? step.part.of : step;
  const basis = known.get(key) ?? basisAnew(step, state, digest);
  known.set(key, basis);
  return basis;
}

/**
 * Every plan asks for the basis of every step, and what people are shown rests on a plan for each of them: it is made once
 * for a state. Measured on 200 steps in a line, making it anew took 35 of the 43 s that the case's page took.
 */
const bases = new WeakMap<CaseState, Map<StepOutline | string, string>>();

/** What a basis was made of. */
interface Ground {
  readonly input: Json;
  /** Of the steps that it follows, in the order of its closure. */
  readonly names: readonly string[];
  readonly confirmations: readonly (Confirmation | null)[];
  readonly basis: string;
}

/** Most changes of a state change nothing that a step rests on: then its basis is what it was. */
const grounds = new WeakMap<StepOutline, Ground>();

function basisAnew(step: StepOutline, state: CaseState, digest: Digest): string {
  const { input } = state;
  const last = grounds.get(step);
  const names = step.closure.map((name) => originName(state, name));
  const confirmations = step.closure.map((name) => stepOf(state, name).confirmation);
  const isSame =
    last?.input === input &&
    names.every((name, index) => last.names[index] === name) &&
    confirmations.every((one, index) => last.confirmations[index] === one);
  if (isSame) return last.basis;
  const results = step.closure.map((name): Field => {
    return [originName(state, name), resultText(stepOf(state, name).confirmation)];
  });
  const basis = digest(
    objectText([
      ["input", inputText(step, input)],
      ["results", objectText(results)],
    ]),
  );
  grounds.set(step, { input, names, confirmations, basis });
  return basis;
}

function inputText({ uses }: StepOutline, input: Json): string {
  if (uses === null || !isJsonObject(input)) return textOf(input);
  // A missing field and a null one are told apart: null is a value that somebody wrote.
  const fields = uses.map((field) => {
    const name = JSON.stringify(field);
    return Object.hasOwn(input, field) ? `[${name},${textOf(input[field] ?? null)}]` : `[${name}]`;
  });
  return `[${fields.join(",")}]`;
}

function resultText(confirmation: Confirmation | null): string {
  if (confirmation === null) return "null";
  return confirmation.by.how === "notNeeded" ? `{"notNeeded":true}` : describe(confirmation.result);
}

function describe(result: StepResult): string {
  return result.kind === "value" ? objectText([["value", textOf(result.value)]]) : `{"unreadable":true}`;
}

/** A field of an object: its name, and its value as canonical JSON. */
type Field = readonly [name: string, text: string];

/** The canonical JSON of an object with these fields. */
function objectText(fields: readonly Field[]): string {
  const sorted = fields.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${sorted.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;
}

/**
 * Inputs and results never change, and every plan asks for the basis of every step: a long one is written once. Measured
 * on a log of 8,577 steps with inputs of about 1 kB, writing them anew each time took a fifth of a worker's time.
 */
const texts = new WeakMap<object, string>();

function textOf(value: Json): string {
  if (value === null || typeof value !== "object") return canonicalJson(value);
  const known = texts.get(value);
  if (known !== undefined) return known;
  const text = canonicalJson(value);
  texts.set(value, text);
  return text;
}
