/** Texts from outside, made fit for storage: without secrets, and PostgreSQL's jsonb takes neither NUL nor half a surrogate pair. */

import { maskSecrets } from "./masked-text.ts";

const UNSTORABLE = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;
const REPLACEMENT = "\uFFFD";

/** Beyond what is kept, so many UTF-16 units are looked through for secrets that reach across the cut. */
const LOOKED_BEYOND_CHARS = 2_000;

/**
 * The text without secrets (masked-text.ts), cut to `charsMax` UTF-16 units (and "…"), with a replacement character for all that
 * cannot be stored.
 */
export function storableText(text: string, charsMax: number): string {
  const masked = maskSecrets(text.slice(0, charsMax + LOOKED_BEYOND_CHARS));
  // Cut before what cannot be stored is replaced: a cut may halve a surrogate pair.
  const cut = masked.length > charsMax ? `${masked.slice(0, charsMax)}…` : masked;
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
