/** What a confirmation rests on, as one hash: the input and the results of every step it follows. */

import { stepOf, type CaseState } from "./case-state.ts";
import type { StepResult } from "./journal.ts";
import { canonicalJson, isJsonObject, type Json } from "./json.ts";
import type { StepOutline } from "./outline.ts";

/** A collision-free hash of a text, given by the shell (SHA-256 in practice): core has no cryptography of its own. */
export type Digest = (text: string) => string;

/**
 * The basis of a step now: the whole input, or the top-level fields that `uses` names, and the results of its whole
 * `after` closure. It is the same for equal values whatever the order of their fields.
 */
export function basisOf(step: StepOutline, state: CaseState, digest: Digest): string {
  const results = step.closure.map((name) => [name, resultForBasis(state, name)] as const);
  return digest(
    canonicalJson({ input: narrowedInput(step, state.input), results: Object.fromEntries(results) }),
  );
}

function narrowedInput({ uses }: StepOutline, input: Json): Json {
  if (uses === null || !isJsonObject(input)) return input;
  // A missing field and a null one are told apart: null is a value that somebody wrote.
  return uses.map((field) => (Object.hasOwn(input, field) ? [field, input[field] ?? null] : [field]));
}

function resultForBasis(state: CaseState, step: string): Json {
  const { confirmation } = stepOf(state, step);
  return confirmation === null ? null : describe(confirmation.result);
}

function describe(result: StepResult): Json {
  return result.kind === "value" ? { value: result.value } : { unreadable: true };
}
