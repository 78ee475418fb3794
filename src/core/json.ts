/** JSON values as they come back from storage, and the one canonical way to write them. */

/** Any JSON value. Numbers are finite. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Depth beyond which a value is not stored: deeper ones crash readers that recurse. */
export const JSON_DEPTH_MAX = 64;

/** What reading a value for storage gave. */
export type JsonReading =
  { readonly kind: "json"; readonly value: Json } | { readonly kind: "unreadable"; readonly why: string };

/**
 * Turns whatever user code returned into a JSON value as it will come back from storage: `undefined` object fields
 * are dropped, `undefined` itself becomes null, `toJSON` is honored (so a Date becomes its ISO text).
 * Unreadable: BigInt, function, symbol, cycle, NaN or infinity, NUL or a lone surrogate in a text, depth over
 * {@link JSON_DEPTH_MAX}, canonical text longer than `charsMax` UTF-16 units. Getters that throw are unreadable too.
 */
export function readJson(value: unknown, charsMax: number): JsonReading {
  try {
    const read = copyValue(value, "", 0);
    const chars = canonicalJson(read).length;
    if (chars > charsMax)
      throw new Unreadable(`it is ${chars} characters long, more than the ${charsMax} allowed`);
    return { kind: "json", value: read };
  } catch (error) {
    return {
      kind: "unreadable",
      why: error instanceof Unreadable ? error.message : `reading it threw: ${String(error)}`,
    };
  }
}

/** Canonical JSON: object keys sorted by UTF-16 units, no white space. Equal values give equal texts. */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (isJsonArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const fields = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`);
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

function copyValue(value: unknown, path: string, depth: number): Json {
  const where = path === "" ? "it" : path;
  if (depth > JSON_DEPTH_MAX)
    throw new Unreadable(`${where} is nested deeper than ${JSON_DEPTH_MAX} levels, or in a cycle`);
  switch (typeof value) {
    case "string":
      return copyText(value, where);
    case "number":
      if (!Number.isFinite(value)) throw new Unreadable(`${where} is ${value}, which JSON cannot hold`);
      return Object.is(value, -0) ? 0 : value;
    case "boolean":
      return value;
    case "undefined":
      return null;
    case "object":
      return value === null ? null : copyObject(value, path, depth);
    case "bigint":
    case "function":
    case "symbol":
      throw new Unreadable(`${where} is a ${typeof value}, which JSON cannot hold`);
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

function copyObject(value: object, path: string, depth: number): Json {
  if ("toJSON" in value && typeof value.toJSON === "function") {
    const replaced: unknown = value.toJSON("");
    if (replaced !== value) return copyValue(replaced, path, depth + 1);
  }
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => copyValue(item, `${path}[${index}]`, depth + 1));
  }
  const copy: Record<string, Json> = {};
  for (const [key, field] of Object.entries(value)) {
    if (field === undefined) continue;
    const name = copyText(key, `the name of a field of ${path === "" ? "it" : path}`);
    const read = copyValue(field, path === "" ? key : `${path}.${key}`, depth + 1);
    // A plain assignment to "__proto__" would set the prototype instead of a field.
    Object.defineProperty(copy, name, { value: read, enumerable: true, writable: true, configurable: true });
  }
  return copy;
}
