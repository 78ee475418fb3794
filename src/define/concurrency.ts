/** How many cases of one key are worked on at once: reading the option, and the key of a case. */

import type { Digest } from "../core/basis.ts";
import { FootholdError } from "../core/errors.ts";
import type { Json } from "../core/json.ts";
import type { ConcurrencyOutline, PlaceFreedBy } from "../core/concurrency-outline.ts";
import { CONCURRENCY_LIMIT_MAX } from "../core/key-places.ts";
import { isKeyText, KEY_CHARS_MAX } from "../core/key-text.ts";
import { maskedPlaces, textsOf } from "../core/masked-values.ts";
import type { CaseType } from "./case-type.ts";
import { describeValue } from "./describe-value.ts";
import { isAsyncFunction, type AuthorFunction, type OptionReader } from "./option-reader.ts";

/** `concurrency` of a case type, as authors write it. */
export interface ConcurrencyOption<Input> {
  /**
   * What cases are worked on together by, such as the id of a customer: those of one tenant that give the same text share the limit.
   * Pure and synchronous; asked once, when the case starts, and never again, so a later correction of the input does not move the
   * case. Null or undefined = nothing limits this case. At most 200 characters.
   */
  readonly key: (facts: { readonly input: Input }) => string | null | undefined;
  /** How many of one key at once, 1 to 1,000. A change of it holds for all cases at once. Default 1. */
  readonly limit?: number;
  /**
   * What frees the place of a case: `"rest"` = no worker is at it any more, whether it ended or waits for a retry, an event or a
   * person; `"end"` = it is done or canceled, so that no other case of the key is begun before. Default `"rest"`.
   */
  readonly freedBy?: PlaceFreedBy;
}

/** The option as it was read. */
export interface ReadConcurrency {
  readonly outline: ConcurrencyOutline;
  readonly key: AuthorFunction;
}

/** Null where it was left out, or after a fault. */
export function readConcurrency(options: OptionReader): ReadConcurrency | null {
  if (options.value("concurrency") === undefined) return null;
  const inside = options.nested("concurrency", ["key", "limit", "freedBy"]);
  const key = inside.requiredFunction("key", "says from the input what cases are worked on together by");
  if (key !== null && isAsyncFunction(key)) inside.fault("key", "must be a function that is not async");
  const limit = inside.count("limit", { default: 1, min: 1, max: CONCURRENCY_LIMIT_MAX });
  const freedBy = readFreedBy(inside);
  return key === null ? null : { outline: { limit, freedBy }, key };
}

function readFreedBy(options: OptionReader): PlaceFreedBy {
  const written = options.value("freedBy");
  if (written === "rest" || written === "end") return written;
  if (written !== undefined) options.fault("freedBy", "must be rest or end");
  return "rest";
}

/** Hexadecimal digits that stand for a key that must not be seen. */
const DIGEST_DIGITS = 32;

/**
 * What a new case is worked on by together with others; null = nothing limits it. A key that repeats a masked value is kept as a digest
 * of itself. Throws `INVALID_DEFINITION` where the author's function throws, or gives what is no key.
 */
export function concurrencyKeyOf(
  { outline, concurrencyKey, masks }: Pick<CaseType, "outline" | "concurrencyKey" | "masks">,
  input: Json,
  digest: Digest,
): string | null {
  if (concurrencyKey === null) return null;
  const given = askKey(outline.name, concurrencyKey, input);
  if (given === null || given === undefined) return null;
  if (typeof given !== "string" || !isKeyText(given)) {
    const what = typeof given === "string" ? `a text of ${given.length} characters` : describeValue(given);
    throw faulty(outline.name, `gave ${what}`);
  }
  const hidden = textsOf(maskedPlaces(input, masks.input));
  return hidden.some((text) => given.includes(text)) ? digest(given).slice(0, DIGEST_DIGITS) : given;
}

function askKey(caseType: string, ask: (input: Json) => unknown, input: Json): unknown {
  try {
    return ask(input);
  } catch (error) {
    throw faulty(caseType, "threw", error);
  }
}

function faulty(caseType: string, what: string, cause?: unknown): FootholdError {
  return new FootholdError(
    "INVALID_DEFINITION",
    `The function concurrency.key of case type ${caseType} ${what}, so no case was started. It must give a text of 1 to ` +
      `${KEY_CHARS_MAX} characters without control characters for every input, or null where nothing limits the case.`,
    { details: { caseType }, ...(cause === undefined ? {} : { cause }) },
  );
}
