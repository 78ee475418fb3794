/**
 * Values that people see as a mark until one of them is revealed: which places of a value are masked, the value with marks
 * there, a correction with what stood behind its marks, and texts without the masked values that they repeat. Pure.
 */

import { isJsonArray, isJsonObject, type Json } from "./json.ts";
import { MASK } from "./masked-text.ts";

/** Where a value is masked: names of fields, `*` for any one of them, `**` for any number. Lists are walked through. */
export type MaskedPath = readonly string[];

/** Masked paths of one declaration. */
export const MASKED_PATHS_MAX = 100;
/** Texts of masked values that are looked for in other texts. */
const MASKED_TEXTS_MAX = 500;
/** Names in one path. */
const PATH_NAMES_MAX = 16;
/** Shorter values are masked in their place only: they would be found in every other word. */
const TEXT_CHARS_MIN = 4;
/** Masked values that one reveal tells. */
const PLACES_MAX = 500;
/** Deeper values do not come in. */
const DEPTH_MAX = 200;

/** A masked value and where it stands. */
export interface MaskedPlace {
  /** Dotted; list items by their place; empty for the whole value. */
  readonly path: string;
  readonly value: Json;
}

/** Reads a path such as `customer.iban`; null = it is none. */
export function readMaskedPath(text: string): MaskedPath | null {
  const names = text.split(".");
  return names.length <= PATH_NAMES_MAX && names.every((name) => name !== "") ? names : null;
}

/** What stands in the place of a masked value; it says its place, so that a correction can keep what is there. */
export function markAt(path: string): string {
  return path === "" ? "[masked]" : `[masked: ${path}]`;
}

/** The value with a mark in every masked place. What is absent or null has none. */
export function maskValue(value: Json, paths: readonly MaskedPath[]): Json {
  return paths.length === 0 ? value : walk(value, paths, { path: "", onMasked: ({ path }) => markAt(path) });
}

/** What is masked of a value, in its order; at most 500 places. */
export function maskedPlaces(value: Json, paths: readonly MaskedPath[]): readonly MaskedPlace[] {
  const places: MaskedPlace[] = [];
  const onMasked = (place: MaskedPlace): Json => {
    if (places.length < PLACES_MAX) places.push(place);
    return null;
  };
  if (paths.length > 0) walk(value, paths, { path: "", onMasked });
  return places;
}

/** What stands at a place of a value that was compared, or a mark where that place is masked or within one that is. */
export function maskAt(value: Json, path: string, paths: readonly MaskedPath[]): Json {
  if (paths.length === 0) return value;
  let reached = reach(paths);
  for (const name of path === "" ? [] : path.split(".")) {
    if (isEnd(reached)) return value === null ? null : markAt(path);
    const isPlace = /^\d+$/.test(name);
    reached = reach([...below(reached, name), ...(isPlace ? reached : [])]);
  }
  return walk(value, reached, { path, onMasked: (place) => markAt(place.path) });
}

/** What came of putting back what is behind marks. */
export type Unmarked =
  | { readonly kind: "value"; readonly value: Json }
  /** Marks whose places have no value any more. */
  | { readonly kind: "unknown"; readonly paths: readonly string[] };

/**
 * A value that somebody made who saw marks: each that is left in a masked place is taken for what stands behind it in
 * `current`. In any other place it would bring a masked value in sight, and nothing stands behind it.
 */
export function keepMasked(value: Json, current: Json, paths: readonly MaskedPath[]): Unmarked {
  const behind = new Map(maskedPlaces(current, paths).map((place) => [markAt(place.path), place.value]));
  const unknown: string[] = [];
  const kept = keep(value, paths, { path: "", behind, unknown });
  return unknown.length === 0 ? { kind: "value", value: kept } : { kind: "unknown", paths: unknown };
}

/** The masked values as texts, longest first: what other texts must not repeat. */
export function textsOf(places: readonly MaskedPlace[]): readonly string[] {
  const texts = new Set<string>();
  for (const { value } of places) collect(value, texts);
  return [...texts].toSorted((one, other) => other.length - one.length).slice(0, MASKED_TEXTS_MAX);
}

/** The text with a mark in the place of every one of these. */
export function maskTexts(text: string, texts: readonly string[]): string {
  return texts.reduce((masked, one) => (masked.includes(one) ? masked.replaceAll(one, MASK) : masked), text);
}

/** The same for every text within plain data, whatever it is; texts and lists of texts in fields that are `kept` stay as they are. */
export function maskTextsIn<Value>(value: Value, texts: readonly string[], kept: ReadonlySet<string>): Value {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- texts are replaced by texts, so the shape stays
  return (texts.length === 0 ? value : replaceIn(value, { texts, kept, depth: 0, isData: false })) as Value;
}

/** A value with a mark in every masked place, and without the masked values, texts and numbers, that stand elsewhere in it. */
export function maskData(value: Json, paths: readonly MaskedPath[], texts: readonly string[]): Json {
  const masked = maskValue(value, paths);
  if (texts.length === 0) return masked;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- scalars are replaced by texts, so it is still JSON
  return replaceIn(masked, { texts, kept: NO_NAMES, depth: 0, isData: true }) as Json;
}

const NO_NAMES: ReadonlySet<string> = new Set();

function isMark(text: string): boolean {
  return /^\[masked(?:: [^\]]*)?\]$/.test(text);
}

interface Walk {
  readonly path: string;
  readonly onMasked: (place: MaskedPlace) => Json;
}

function walk(value: Json, paths: readonly MaskedPath[], { path, onMasked }: Walk): Json {
  const reached = reach(paths);
  if (value === null || reached.length === 0) return value;
  if (isEnd(reached)) return onMasked({ path, value });
  const at = (name: string): string => (path === "" ? name : `${path}.${name}`);
  if (isJsonObject(value)) {
    const fields = Object.entries(value).map(([name, field]): [string, Json] => [
      name,
      walk(field, below(reached, name), { path: at(name), onMasked }),
    ]);
    return Object.fromEntries(fields);
  }
  if (!isJsonArray(value)) return value;
  return value.map((item, index) =>
    walk(item, belowItem(reached, index), { path: at(String(index)), onMasked }),
  );
}

/** `**` may stand for nothing. */
function reach(paths: readonly MaskedPath[]): readonly MaskedPath[] {
  const reached = new Map<string, MaskedPath>();
  const queue = [...paths];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    reached.set(path.join("."), path);
    if (path[0] === "**") queue.push(path.slice(1));
  }
  return [...reached.values()];
}

function isEnd(paths: readonly MaskedPath[]): boolean {
  return paths.some((path) => path.length === 0);
}

function below(paths: readonly MaskedPath[], name: string): readonly MaskedPath[] {
  return paths.flatMap((path) => {
    const [head] = path;
    if (head === "**") return [path];
    return head === "*" || head === name ? [path.slice(1)] : [];
  });
}

/** Lists are walked through: a path may name a place in them, and need not. */
function belowItem(paths: readonly MaskedPath[], index: number): readonly MaskedPath[] {
  return [...below(paths, String(index)), ...paths];
}

interface Keep {
  readonly path: string;
  readonly behind: ReadonlyMap<string, Json>;
  readonly unknown: string[];
}

function keep(value: Json, paths: readonly MaskedPath[], { path, behind, unknown }: Keep): Json {
  const reached = reach(paths);
  const at = (name: string): Keep => ({ path: path === "" ? name : `${path}.${name}`, behind, unknown });
  if (typeof value === "string") {
    const known = isEnd(reached) ? behind.get(value) : undefined;
    if (known !== undefined) return known;
    if (isMark(value)) unknown.push(path);
    return value;
  }
  if (value === null || typeof value !== "object") return value;
  if (isJsonArray(value))
    return value.map((item, index) => keep(item, belowItem(reached, index), at(String(index))));
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, keep(field, below(reached, name), at(name))]),
  );
}

function collect(value: Json, texts: Set<string>): void {
  if (typeof value === "string" || typeof value === "number") {
    const text = String(value);
    if (text.length >= TEXT_CHARS_MIN) texts.add(text);
  } else if (value !== null && typeof value === "object") {
    for (const one of Object.values(value)) collect(one, texts);
  }
}

interface Replace {
  readonly texts: readonly string[];
  readonly kept: ReadonlySet<string>;
  readonly depth: number;
  /** True where numbers are a case's own. */
  readonly isData: boolean;
}

function replaceIn(value: unknown, { texts, kept, depth, isData }: Replace): unknown {
  if (typeof value === "string") return isMark(value) ? value : maskTexts(value, texts);
  if (typeof value === "number") return isData && texts.includes(String(value)) ? MASK : value;
  if (typeof value !== "object" || value === null || depth > DEPTH_MAX) return value;
  const within = { texts, kept, depth: depth + 1, isData };
  if (Array.isArray(value)) return value.map((item: unknown) => replaceIn(item, within));
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      kept.has(name) && isName(field) ? field : replaceIn(field, within),
    ]),
  );
}

/** A text or a list of texts; whatever else stands under the same word holds more than names. */
function isName(field: unknown): boolean {
  return typeof field === "string" || (Array.isArray(field) && field.every((one) => typeof one === "string"));
}
