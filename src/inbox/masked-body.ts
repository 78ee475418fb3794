/** What a source masks of what it delivers. */

import type { Json } from "../core/json.ts";
import { maskedPlaces, maskTexts, maskValue, textsOf, type MaskedPath } from "../core/masked-values.ts";
import { EVERYTHING } from "../define/masking.ts";
import { readJsonText } from "./json-text.ts";
import type { Source } from "./source.ts";

/** The masked paths of its bodies; everything where the source is not known here any more. */
export function maskedPathsOf(sources: readonly Source[], name: string): readonly MaskedPath[] {
  const source = sources.find((one) => one.name === name);
  if (source === undefined) return EVERYTHING;
  // An event is the body or a part of it, wherever its preset finds it.
  return source.masked.map((path) => ["**", ...path]);
}

/** The body as JSON with marks; null where it is none that can be read, so that nobody can tell what is masked in it. */
export async function maskedText(text: string, paths: readonly MaskedPath[]): Promise<string | null> {
  const read = await readJsonText(text);
  return read.kind === "json" ? JSON.stringify(maskValue(read.value, paths)) : null;
}

/** The words about an event without what its source masks of it. */
export function withoutMasked(words: string, data: Json, { masked }: Pick<Source, "masked">): string {
  return masked.length === 0 ? words : maskTexts(words, textsOf(maskedPlaces(data, masked)));
}
