/**
 * What a case can be found by beside its business key: typed attributes and tags that its case type declares as places of its
 * input and results. The declaration is in the journal, so the values follow from the journal alone.
 */

import type { CaseState } from "./case-state.ts";
import { isJsonArray, isJsonObject, type Json } from "./json.ts";
import { isKeyText } from "./key-text.ts";
import { maskedPlaces, textsOf } from "./masked-values.ts";
import { TAG, type AttributeType, type SearchOutline, type ValuePath } from "./search-outline.ts";
import { formatUtc, parseTime } from "./utc-time.ts";

/** Tags of one case; further ones are not found by. */
const TAGS_MAX = 20;

/** A value that a case is found by. */
export interface SearchValue {
  /** Of the attribute; `tag` for a tag. */
  readonly name: string;
  readonly type: AttributeType | typeof TAG;
  /** The value as a text. */
  readonly value: string;
  /** The number, or the time in epoch ms; left out for any other value. */
  readonly number?: number;
}

/**
 * What a case is found by: attributes in the order of their declaration, then tags. Of a result the last one that was confirmed
 * counts, also once it has lapsed: what it names is there. A value that is not of its type, is longer than 200 characters or
 * repeats a masked one is left out.
 */
export function searchValuesOf(state: CaseState): readonly SearchValue[] {
  const { search } = state;
  if (search === null) return [];
  const hidden = hiddenTexts(search, state);
  const attributes = search.attributes.flatMap(({ name, type, step, path }) => {
    const root = step === null ? state.input : resultOf(state, step);
    return readValue(name, type, valueAt(root, path));
  });
  const tags = new Set(search.tags.flatMap((path) => tagsAt(state.input, path)));
  return [
    ...attributes,
    ...[...tags].slice(0, TAGS_MAX).map((value): SearchValue => ({ name: TAG, type: TAG, value })),
  ].filter(({ value }) => !hidden.some((text) => value.includes(text)));
}

function hiddenTexts({ masked }: SearchOutline, state: CaseState): readonly string[] {
  const places = [
    ...maskedPlaces(state.input, masked.input),
    ...Object.entries(masked.results).flatMap(([step, paths]) => maskedPlaces(resultOf(state, step), paths)),
  ];
  return textsOf(places);
}

function resultOf({ steps }: CaseState, step: string): Json {
  const result = Object.hasOwn(steps, step) ? steps[step]?.confirmation?.result : undefined;
  return result?.kind === "value" ? result.value : null;
}

function valueAt(root: Json, path: ValuePath): Json {
  let value = root;
  for (const name of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return null;
    value = value[name] ?? null;
  }
  return value;
}

function tagsAt(input: Json, path: ValuePath): readonly string[] {
  const value = valueAt(input, path);
  const all = isJsonArray(value) ? value : [value];
  return all.filter((one) => typeof one === "string").filter(isKeyText);
}

function readValue(name: string, type: AttributeType, value: Json): readonly SearchValue[] {
  switch (type) {
    case "text":
      return typeof value === "string" && isKeyText(value) ? [{ name, type, value }] : [];
    case "boolean":
      return typeof value === "boolean" ? [{ name, type, value: String(value) }] : [];
    case "number":
      return typeof value === "number" ? [{ name, type, value: String(value), number: value }] : [];
    case "time": {
      const at = typeof value === "string" ? parseTime(value) : value;
      if (typeof at !== "number" || !Number.isInteger(at) || at < TIME_MIN || at > TIME_MAX) return [];
      return [{ name, type, value: sayTime(at), number: at }];
    }
  }
}

/** The years 0 to 9999: what a time is written out for. */
const TIME_MIN = -62_167_219_200_000;
const TIME_MAX = 253_402_300_799_999;

function sayTime(at: number): string {
  const ms = ((at % 1_000) + 1_000) % 1_000;
  const text = formatUtc(at);
  return ms === 0 ? text : `${text.slice(0, -1)}.${String(ms).padStart(3, "0")}Z`;
}
