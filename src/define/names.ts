/** Names that are part of tables, addresses and idempotency keys: of case types, steps, destinations and events. */

/** Characters of a name of a case type, step or destination. */
const NAME_CHARS_MAX = 64;

/** Characters of an event type. */
const EVENT_TYPE_CHARS_MAX = 128;

/** `case` is a word of SQL and JavaScript; the others would be found in any object of results. */
const RESERVED: readonly string[] = ["case", ...Object.getOwnPropertyNames(Object.prototype)];

/** What is wrong with the name of a case type, step or destination; null when it is right. */
export function nameFault(name: unknown): string | null {
  const rule = `begin with a letter, then letters, digits, _ or -, at most ${NAME_CHARS_MAX} characters`;
  if (typeof name !== "string") return `the name is missing: ${rule}`;
  if (!/^[A-Za-z][A-Za-z0-9_-]*$/.test(name) || name.length > NAME_CHARS_MAX) {
    return `${JSON.stringify(name.slice(0, NAME_CHARS_MAX + 1))} is not a name: ${rule}`;
  }
  return RESERVED.includes(name) ? `the name ${name} is reserved: take another` : null;
}

/** What is wrong with an event type; null when it is right. */
export function eventTypeFault(type: string): string | null {
  if (RESERVED.includes(type)) return `the name ${type} is reserved: take another`;
  const isRight = type.length <= EVENT_TYPE_CHARS_MAX && /^[^\s\p{Cc}]+$/u.test(type);
  const rule = `1 to ${EVENT_TYPE_CHARS_MAX} characters without white space`;
  return isRight
    ? null
    : `${JSON.stringify(type.slice(0, EVENT_TYPE_CHARS_MAX))} is not an event type: ${rule}`;
}
