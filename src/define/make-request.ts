/** What a step would send now: what the author's pure `request` gives for the present input and results. */

import { stepOf, type CaseState } from "../core/case-state.ts";
import { readJson, type Json } from "../core/json.ts";
import type { SendStepOutline } from "../core/outline.ts";
import { maskTexts } from "../core/masked-values.ts";
import { thrownText } from "../core/storable-text.ts";
import { undoneStep, undoRequest } from "../core/undo.ts";
import type { CaseType } from "./case-type.ts";
import { factsOf, sendStepNamed } from "./facts.ts";
import { maskedTexts } from "./masking.ts";
import { VALUE_CHARS_MAX } from "./schema.ts";

/** Characters of a reason that are kept. */
const WHY_CHARS_MAX = 500;

/** A request, or why there is none. */
export type MadeRequest =
  /** Null where the step has no `request`. */
  { readonly kind: "made"; readonly value: Json | null } | { readonly kind: "failed"; readonly why: string };

/** Of a step without `request`. */
export const NO_REQUEST: MadeRequest = { kind: "made", value: null };

/** The keys of an `each`, or why there are none. */
export type MadeKeys =
  | { readonly kind: "made"; readonly keys: readonly string[] }
  | { readonly kind: "failed"; readonly why: string };

/** Makes what a case gives whoever started it. Never throws, whatever the author's function does. */
export function makeResult({ resultOf }: CaseType, state: CaseState): MadeRequest {
  if (resultOf === null) return NO_REQUEST;
  try {
    return { kind: "made", value: resultOf(factsOf(state)) };
  } catch (error) {
    return { kind: "failed", why: thrownText(error, WHY_CHARS_MAX) };
  }
}

/** Makes the keys of an `each` for the present input and results. Never throws, whatever the author's functions do. */
export function makeKeys(caseType: CaseType, state: CaseState, name: string): MadeKeys {
  const { steps } = caseType;
  const each = Object.hasOwn(steps, name) ? steps[name] : undefined;
  if (each?.kind !== "each") return { kind: "failed", why: "the definition has no such step" };
  try {
    return { kind: "made", keys: each.items(factsOf(state)).map(({ key }) => key) };
  } catch (error) {
    return { kind: "failed", why: told(thrownText(error, WHY_CHARS_MAX), caseType, state) };
  }
}

/** Makes the request. Never throws, whatever the author's function does. */
export function makeRequest(caseType: CaseType, state: CaseState, { name }: SendStepOutline): MadeRequest {
  const undone = undoneStep(caseType.outline, name);
  if (undone !== null) {
    const { confirmation, child } = stepOf(state, undone.name);
    if (child !== null) return { kind: "made", value: { cancels: child.caseId } };
    return { kind: "made", value: confirmation === null ? null : undoRequest(undone.name, confirmation) };
  }
  const request = sendStepNamed(caseType, name)?.request ?? null;
  if (request === null) return NO_REQUEST;
  try {
    const read = readJson(request(factsOf(state)), VALUE_CHARS_MAX);
    return read.kind === "json" ? { kind: "made", value: read.value } : { kind: "failed", why: read.why };
  } catch (error) {
    return { kind: "failed", why: `it threw ${told(thrownText(error, WHY_CHARS_MAX), caseType, state)}` };
  }
}

function told(why: string, caseType: CaseType, state: CaseState): string {
  return maskTexts(why, maskedTexts(caseType, state));
}
