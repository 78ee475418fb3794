/** Reads foreign values without ever throwing, and makes plain data of them that a database can hold. */

import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import { isSecretName, MASK } from "../core/masked-text.ts";
import { storableText } from "../core/storable-text.ts";

/** Characters of a text kept as evidence. */
export const TEXT_CHARS_MAX = 500;
/** Characters of a body that is read as JSON. */
const BODY_CHARS_MAX = 8_000;
/** Levels and fields of a body that are kept. */
const BODY_DEPTH_MAX = 8;
const BODY_FIELDS_MAX = 50;

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
  // A body that cannot be written as JSON is no evidence that anybody could read.
  const written = attempt(() => JSON.stringify(body)) ?? null;
  return typeof written === "string" ? parsed(written) : null;
}

function isStream(body: object): boolean {
  return ["pipe", "getReader", "read"].some((name) => typeof field(body, name) === "function");
}

/** JSON of a bounded size; anything else is kept as the start of its text. */
function parsed(body: string): Json {
  if (body === "") return null;
  if (body.length > BODY_CHARS_MAX) return clip(body);
  const read = attempt((): unknown => JSON.parse(body));
  return read === undefined ? clip(body) : storableJson(read, 0);
}

/** JSON as a database can hold it, cut where it is deep or wide. */
function storableJson(value: unknown, depth: number): Json {
  if (typeof value === "string") return clip(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value === "boolean") return value;
  if (typeof value !== "object" || value === null) return null;
  if (depth >= BODY_DEPTH_MAX) return "…";
  if (Array.isArray(value)) {
    return value.slice(0, BODY_FIELDS_MAX).map((one: unknown) => storableJson(one, depth + 1));
  }
  const fields: readonly (readonly [string, unknown])[] = Object.entries(value);
  return Object.fromEntries(
    fields
      .slice(0, BODY_FIELDS_MAX)
      .map(([name, one]) => [
        clip(name),
        typeof one === "string" && isSecretName(name) ? MASK : storableJson(one, depth + 1),
      ]),
  );
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
