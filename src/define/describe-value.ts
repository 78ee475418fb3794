/** Values of unknown origin in few words, for messages. Never throws. */

/** A value in few words, for messages: `nothing`, `a promise`, `a text`, `a number`, `an array`, `an object`. */
export function describeValue(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (value instanceof Promise) return "a promise";
  if (typeof value === "object") return "an object";
  return typeof value === "string" ? "a text" : `a ${typeof value}`;
}

/** What was thrown, as a text; anything can be thrown, also what has none. */
export function describeThrown(error: unknown): string {
  try {
    return String(error);
  } catch {
    return "something that cannot be written";
  }
}
