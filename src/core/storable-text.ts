/** Texts from outside, made fit for storage: PostgreSQL's jsonb takes neither NUL nor half a surrogate pair. */

const UNSTORABLE = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;
const REPLACEMENT = "\uFFFD";

/** The text, cut to `charsMax` UTF-16 units (and "…"), with a replacement character for all that cannot be stored. */
export function storableText(text: string, charsMax: number): string {
  // Cut first: a cut may halve a surrogate pair.
  const cut = text.length > charsMax ? `${text.slice(0, charsMax)}…` : text;
  return cut.replace(UNSTORABLE, REPLACEMENT);
}

/** Whatever was thrown, in words fit for storage. Never throws: a thrown value can itself throw when it is read. */
export function thrownText(thrown: unknown, charsMax: number): string {
  try {
    return storableText(String(thrown), charsMax);
  } catch {
    return "something that cannot be read";
  }
}
