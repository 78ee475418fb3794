/** Reads foreign values without ever throwing, and makes plain data of them that a database can hold. */

import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import { isSecretName, MASK } from "../core/masked-text.ts";
import { storableText } from "../core/storable-text.ts";

/** Characters of a text kept as evidence. */
export const TEXT_CHARS_MAX = 500;
/** Characters of a body that is read as JSON; a longer one is kept as the start of its text. */
const BODY_CHARS_MAX = 64_000;
/** Characters of a body that are kept, names of fields included. */
const KEPT_CHARS_MAX = 8_000;
/** Levels and fields of a body that are kept. */
const BODY_DEPTH_MAX = 8;
const BODY_FIELDS_MAX = 50;
/** What a number counts of what is kept. */
const SCALAR_CHARS = 8;

/** A field of whatever it is; undefined where it has none, or where a getter throws. */
export function field(holder: unknown, name: string): unknown {
  if (typeof holder !== "object" || holder === null) return undefined;
  // A getter that throws must not hide the error that carries it.
  return attempt((): unknown => Reflect.get(holder, name));
}

/** What `read` gives; undefined when it throws. */
export function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** The text, cut and fit for storage; null for what is no text. */
export function text(value: unknown): string | null {
  return typeof value === "string" ? clip(value) : null;
}

/** A text, cut and fit for storage. */
export function clip(value: string): string {
  return storableText(value, TEXT_CHARS_MAX);
}

/** Whatever holds a body, as plain data: parsed where it is JSON, else the start of its text. Streams hold none yet. */
export function plainBody(body: unknown): Json {
  if (typeof body === "string") return parsed(body);
  if (typeof body !== "object" || body === null || isStream(body)) return null;
  const bytes = attempt(() => (body instanceof Uint8Array ? body : null)) ?? null;
  if (bytes !== null) return parsed(new TextDecoder().decode(bytes.subarray(0, BODY_CHARS_MAX)));
  return storable(body);
}

function isStream(body: object): boolean {
  return ["pipe", "getReader", "read"].some((name) => typeof field(body, name) === "function");
}

/** JSON of a bounded size; anything else is kept as the start of its text. */
function parsed(body: string): Json {
  if (body === "") return null;
  if (body.length > BODY_CHARS_MAX) return clip(body);
  const read = attempt((): unknown => JSON.parse(body));
  return read === undefined ? clip(body) : storable(read);
}

function storable(value: unknown): Json {
  return storableJson(value, [], { charsLeft: KEPT_CHARS_MAX }) ?? null;
}

/** What may still be kept of one body. */
interface Budget {
  charsLeft: number;
}

/**
 * JSON as a database can hold it, cut where it is deep, wide, long or round; undefined for what JSON has no word for.
 * `within`: the objects that it stands in.
 */
function storableJson(value: unknown, within: readonly object[], budget: Budget): Json | undefined {
  if (typeof value !== "object" || value === null) return storableScalar(value, budget);
  if (within.length >= BODY_DEPTH_MAX || within.includes(value) || budget.charsLeft <= 0) return "…";
  // Dates, and ids of databases, say of themselves what they are.
  const write = field(value, "toJSON");
  if (typeof write === "function") {
    return storableJson(
      attempt((): unknown => Reflect.apply(write, value, [])),
      [...within, value],
      budget,
    );
  }
  const isList = attempt(() => Array.isArray(value)) === true;
  const names =
    attempt(() => (isList ? placesIn(value) : Object.keys(value).slice(0, BODY_FIELDS_MAX))) ?? [];
  const kept = keptFields(value, names, [...within, value], budget);
  if (isList) return names.map((name) => kept.get(name) ?? null);
  return Object.fromEntries(
    names.flatMap((name) => {
      const one = kept.get(name);
      return one === undefined ? [] : [[clip(name), one] as const];
    }),
  );
}

/** Without asking a long list for all of its places. */
function placesIn(list: object): readonly string[] {
  const length = Math.min(Number(field(list, "length")), BODY_FIELDS_MAX);
  return Array.from({ length }, (_, index) => String(index));
}

/** Codes and texts before whatever is nested: a long list must not cost the code that stands behind it. */
function keptFields(
  holder: object,
  names: readonly string[],
  within: readonly object[],
  budget: Budget,
): ReadonlyMap<string, Json> {
  const kept = new Map<string, Json>();
  const values = names.map((name) => [name, field(holder, name)] as const);
  const nested = values.filter(([, one]) => typeof one === "object" && one !== null);
  for (const [name, one] of [...values.filter((pair) => !nested.includes(pair)), ...nested]) {
    if (budget.charsLeft <= 0) break;
    budget.charsLeft -= name.length;
    const isSecret = typeof one === "string" && isSecretName(name);
    const found = isSecret ? MASK : storableJson(one, within, budget);
    if (found !== undefined) kept.set(name, found);
  }
  return kept;
}

function storableScalar(value: unknown, budget: Budget): Json | undefined {
  switch (typeof value) {
    case "string": {
      const kept = clip(value);
      budget.charsLeft -= kept.length;
      return kept;
    }
    case "number":
      budget.charsLeft -= SCALAR_CHARS;
      return Number.isFinite(value) ? value : String(value);
    case "bigint":
      budget.charsLeft -= SCALAR_CHARS;
      return clip(String(value));
    case "boolean":
      budget.charsLeft -= SCALAR_CHARS;
      return value;
    case "object":
      return null;
    case "function":
    case "symbol":
    case "undefined":
      return undefined;
  }
}

/** A value within plain data, by its path; undefined where there is none. */
export function inside(data: Json | undefined, ...path: readonly (string | number)[]): Json | undefined {
  let here = data;
  for (const step of path) {
    if (here === undefined) return undefined;
    if (typeof step === "number") here = isJsonArray(here) ? here[step] : undefined;
    else here = isJsonObject(here) ? own(here, step) : undefined;
  }
  return here;
}

function own(holder: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(holder, name) ? holder[name] : undefined;
}

/** The same, where it is a text. */
export function textInside(data: Json | undefined, ...path: readonly (string | number)[]): string | null {
  const found = inside(data, ...path);
  return typeof found === "string" ? found : null;
}

/** The objects of a list within plain data; none where there is no list. */
export function objectsInside(
  data: Json | undefined,
  ...path: readonly (string | number)[]
): readonly JsonObject[] {
  const found = inside(data, ...path);
  return found !== undefined && isJsonArray(found) ? found.filter(isJsonObject) : [];
}
