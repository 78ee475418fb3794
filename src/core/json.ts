/** JSON values as they come back from storage, and the one canonical way to write them. */

import { thrownText } from "./storable-text.ts";

/** Any JSON value. Numbers are finite. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Depth beyond which a value is not stored: deeper ones crash readers that recurse. */
export const JSON_DEPTH_MAX = 64;
/** Characters that are kept of what was thrown. */
const THROWN_CHARS_MAX = 500;

/** What reading a value for storage gave. */
export type JsonReading =
  { readonly kind: "json"; readonly value: Json } | { readonly kind: "unreadable"; readonly why: string };

/**
 * Turns whatever user code returned into a JSON value as it will come back from storage: `undefined` object fields
 * are dropped, `undefined` itself and array holes become null, `toJSON` is honored (so a Date becomes its ISO text).
 * Unreadable: BigInt, function, symbol, cycle, NaN or infinity, NUL or a lone surrogate in a text, depth over
 * {@link JSON_DEPTH_MAX}, canonical text longer than `charsMax` UTF-16 units. Whatever throws while it is read (a
 * getter, `toJSON`, a proxy) is unreadable too. Never throws; reads at most about `charsMax` values.
 */
export function readJson(value: unknown, charsMax: number): JsonReading {
  try {
    const read = copyValue(value, { path: "", depth: 0, budget: { valuesLeft: charsMax, charsMax } });
    const chars = canonicalJson(read).length;
    if (chars > charsMax) throw new Unreadable(tooLong(charsMax));
    return { kind: "json", value: read };
  } catch (error) {
    const why =
      error instanceof Unreadable
        ? error.message
        : `reading it threw: ${thrownText(error, THROWN_CHARS_MAX)}`;
    return { kind: "unreadable", why };
  }
}

/** Canonical JSON: object keys sorted by UTF-16 units, no white space. Equal values give equal texts. */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (isJsonArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const fields = Object.entries(value)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, field]) => `${JSON.stringify(key)}:${canonicalJson(field)}`);
  return `{${fields.join(",")}}`;
}

/** True for a JSON array. */
export function isJsonArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** True for a JSON object (not null, not an array). */
export function isJsonObject(value: Json): value is JsonObject {
  return value !== null && typeof value === "object" && !isJsonArray(value);
}

class Unreadable extends Error {}

/** Where a value stands, and what may still be read: a few shared references can stand for 2^64 values. */
interface Place {
  readonly path: string;
  readonly depth: number;
  readonly budget: { valuesLeft: number; readonly charsMax: number };
}

function copyValue(value: unknown, place: Place): Json {
  const { path, depth, budget } = place;
  if (depth > JSON_DEPTH_MAX)
    throw new Unreadable(`${named(path)} is nested deeper than ${JSON_DEPTH_MAX} levels, or in a cycle`);
  // Every value takes at least one character, so what has more values than characters allowed is too long.
  if (budget.valuesLeft <= 0) throw new Unreadable(tooLong(budget.charsMax));
  budget.valuesLeft -= 1;
  switch (typeof value) {
    case "string":
      return copyText(value, named(path));
    case "number":
      if (!Number.isFinite(value)) throw new Unreadable(`${named(path)} is ${value}, which JSON cannot hold`);
      return Object.is(value, -0) ? 0 : value;
    case "boolean":
      return value;
    case "undefined":
      return null;
    case "object":
      return value === null ? null : copyObject(value, place);
    case "bigint":
    case "function":
    case "symbol":
      throw new Unreadable(`${named(path)} is a ${typeof value}, which JSON cannot hold`);
  }
}

function copyText(text: string, where: string): string {
  if (text.includes("\u0000")) throw new Unreadable(`${where} has a NUL character`);
  if (!isWellFormed(text)) throw new Unreadable(`${where} has half a surrogate pair`);
  return text;
}

/** Node 20 has `String.prototype.isWellFormed`, but the ES2023 library types do not know it. */
function isWellFormed(text: string): boolean {
  return !/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(text);
}

function copyObject(value: object, place: Place): Json {
  const toJson: unknown = Reflect.get(value, "toJSON");
  if (typeof toJson === "function") {
    const replaced: unknown = Reflect.apply(toJson, value, [""]);
    if (replaced !== value) return copyValue(replaced, { ...place, depth: place.depth + 1 });
  }
  return Array.isArray(value) ? copyArray(value, place) : copyFields(value, place);
}

function copyArray(value: readonly unknown[], { path, depth, budget }: Place): Json {
  const copy: Json[] = [];
  // Not `map`, which leaves the holes of a sparse array as holes.
  for (const [index, item] of value.entries()) {
    copy.push(copyValue(item, { path: `${path}[${index}]`, depth: depth + 1, budget }));
  }
  return copy;
}

function copyFields(value: object, { path, depth, budget }: Place): Json {
  const copy: Record<string, Json> = {};
  const fields: readonly (readonly [string, unknown])[] = Object.entries(value);
  for (const [key, field] of fields) {
    if (field === undefined) continue;
    const name = copyText(key, `the name of a field of ${named(path)}`);
    const read = copyValue(field, { path: path === "" ? key : `${path}.${key}`, depth: depth + 1, budget });
    // A plain assignment to "__proto__" would set the prototype instead of a field.
    Object.defineProperty(copy, name, { value: read, enumerable: true, writable: true, configurable: true });
  }
  return copy;
}

function named(path: string): string {
  return path === "" ? "it" : path;
}

function tooLong(charsMax: number): string {
  return `it is longer than the ${charsMax} characters allowed`;
}
