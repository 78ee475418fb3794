/** Values as they come back from storage: copied through JSON and frozen, so that nobody shares what he can change. */

import { canonicalJson, readJson, type Json } from "../../core/json.ts";

/** What cannot be stored, and why. */
export class Unstorable extends Error {}

/** A deeply frozen copy of a value that holds JSON only. Throws {@link Unstorable}. */
export function frozenCopy<T extends object>(value: T): T {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON only, by types without index signature
    const text = canonicalJson(value as unknown as Json);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made of JSON values, T comes back in the same shape
    return deepFreeze(JSON.parse(text) as T);
  } catch (error) {
    throw new Unstorable(`it is no JSON: ${String(error)}`, { cause: error });
  }
}

/** A deeply frozen copy of a value that the database would keep as jsonb, which refuses more. Throws {@link Unstorable}. */
export function frozenJsonb<T extends object>(value: T): T {
  const read = readJson(value, Infinity);
  if (read.kind === "unreadable") throw new Unstorable(read.why);
  return frozenCopy(value);
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const field of Object.values(value)) deepFreeze<unknown>(field);
  }
  return value;
}
