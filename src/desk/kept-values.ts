/** Corrections by people who see marks: what is masked stays as it is unless they give another value. */

import type { CaseState } from "../core/case-state.ts";
import { FootholdError, isFootholdError } from "../core/errors.ts";
import { canonicalJson, readJson, type Json } from "../core/json.ts";
import { keepMasked, maskTexts } from "../core/masked-values.ts";
import type { CaseType } from "../define/case-type.ts";
import { hasMasks, maskedTexts } from "../define/masking.ts";
import { VALUE_CHARS_MAX } from "../define/schema.ts";
import { validInput } from "./validated.ts";

/**
 * The corrected input as its schema makes it, each mark replaced by what stands behind it now. Throws `INVALID_INPUT` naming
 * each field, also where nothing stands behind a mark; it repeats nothing that is masked.
 */
export async function correctedInput(caseType: CaseType, state: CaseState, given: unknown): Promise<Json> {
  if (!hasMasks(caseType)) return validInput(caseType, given);
  const read = readJson(given, VALUE_CHARS_MAX);
  if (read.kind !== "json") return validInput(caseType, given);
  const kept = keepMasked(read.value, state.input, caseType.masks.input);
  if (kept.kind === "unknown") throw nothingBehind(kept.paths);
  try {
    return await validInput(caseType, kept.value);
  } catch (error) {
    throw withoutMasked(error, maskedTexts(caseType, state));
  }
}

/** True where the input is still the one whose masked values a correction keeps. */
export function isSameInput(one: CaseState, other: CaseState): boolean {
  return canonicalJson(one.input) === canonicalJson(other.input);
}

function nothingBehind(paths: readonly string[]): FootholdError {
  const message = "is a mark, and nothing of this case stands behind it: give a value";
  return new FootholdError(
    "INVALID_INPUT",
    `The input cannot be taken: ${paths.map((path) => `${path} ${message}`).join("; ")}.`,
    { details: { fields: paths.map((path) => ({ path, message })) } },
  );
}

function withoutMasked(error: unknown, texts: readonly string[]): unknown {
  if (!isFootholdError(error)) return error;
  const { fields } = error.details;
  return new FootholdError(error.code, maskTexts(error.message, texts), {
    details: {
      ...error.details,
      ...(fields === undefined
        ? {}
        : { fields: fields.map((one) => ({ ...one, message: maskTexts(one.message, texts) })) }),
    },
  });
}
