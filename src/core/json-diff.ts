/** What differs between two JSON values, for people. */

import { canonicalJson, isJsonArray, isJsonObject, type Json } from "./json.ts";

/** One place where two values differ. */
export interface JsonChange {
  /** Dotted; list items by their place; empty for the whole value. */
  readonly path: string;
  readonly kind: "added" | "removed" | "changed";
  /** What was there; null where it was added. */
  readonly from: Json;
  /** What is there now; null where it was removed. */
  readonly to: Json;
}

/** Changes of one comparison. */
export const JSON_CHANGES_MAX = 200;

/** What differs, in the order of the fields before and then of the new ones; at most {@link JSON_CHANGES_MAX}. */
export function diffJson(from: Json, to: Json): readonly JsonChange[] {
  const changes: JsonChange[] = [];
  compare(from, to, "", changes);
  return changes.slice(0, JSON_CHANGES_MAX);
}

function compare(from: Json, to: Json, path: string, changes: JsonChange[]): void {
  if (changes.length > JSON_CHANGES_MAX || canonicalJson(from) === canonicalJson(to)) return;
  const [before, after] = [fieldsOf(from), fieldsOf(to)];
  if (before === null || after === null || isJsonArray(from) !== isJsonArray(to)) {
    changes.push({ path, kind: "changed", from, to });
    return;
  }
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const [was, is] = [before.get(key), after.get(key)];
    const at = path === "" ? key : `${path}.${key}`;
    if (was === undefined) changes.push({ path: at, kind: "added", from: null, to: is ?? null });
    else if (is === undefined) changes.push({ path: at, kind: "removed", from: was, to: null });
    else compare(was, is, at, changes);
  }
}

/** Null for what has no fields. */
function fieldsOf(value: Json): ReadonlyMap<string, Json> | null {
  if (isJsonObject(value)) return new Map(Object.entries(value));
  return typeof value === "object" && value !== null && isJsonArray(value)
    ? new Map(value.map((item, index) => [String(index), item]))
    : null;
}
