/** Fields of a body that was read, by their path. Ids come as texts, whatever they were written as. */

import { isJsonArray, isJsonObject, type Json } from "../core/json.ts";

/** What stands at a path; undefined where nothing does. A number names an item of a list. */
export function valueAt(value: Json, path: readonly string[]): Json | undefined {
  let at: Json | undefined = value;
  for (const name of path) {
    if (at === undefined || at === null) return undefined;
    if (isJsonArray(at)) at = /^\d{1,6}$/.test(name) ? at[Number(name)] : undefined;
    else if (isJsonObject(at)) at = Object.hasOwn(at, name) ? at[name] : undefined;
    else return undefined;
  }
  return at;
}

/** A text or number at a path as a text; null for anything else, and for an empty text. */
export function textAt(value: Json, path: readonly string[]): string | null {
  const found = valueAt(value, path);
  if (typeof found === "string") return found === "" ? null : found;
  if (typeof found === "number" || typeof found === "boolean") return String(found);
  return null;
}
