/** What a confirmation rests on, as one hash: the input and the results of every step it follows. */

import { stepOf, type CaseState } from "./case-state.ts";
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
  const of = step.kind === "step" ? step.part?.of : undefined;
  if (of === undefined) return digestBasis(step, state, digest);
  const known = partBases.get(state) ?? new Map<string, string>();
  partBases.set(state, known);
  const basis = known.get(of) ?? digestBasis(step, state, digest);
  known.set(of, basis);
  return basis;
}

/**
 * All keys of one `each` rest on the same, and every plan asks for the basis of every one: it is made once for a state.
 * Measured on 300 keys, making it anew for each took a fifth of a worker's time.
 */
const partBases = new WeakMap<CaseState, Map<string, string>>();

function digestBasis(step: StepOutline, state: CaseState, digest: Digest): string {
  const results = step.closure.map((name): Field => [originName(state, name), resultText(state, name)]);
  return digest(
    objectText([
      ["input", inputText(step, state.input)],
      ["results", objectText(results)],
    ]),
  );
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

function resultText(state: CaseState, step: string): string {
  const { confirmation } = stepOf(state, step);
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
