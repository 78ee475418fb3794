/** Texts by which something is found: keys of cases, values of search attributes, tags. */

/** Longest one, in UTF-16 units. */
export const KEY_CHARS_MAX = 200;

/** True for a text that a key may be: bounded, and without what would rewrite a terminal or cannot be stored. */
export function isKeyText(text: string): boolean {
  return text.trim() !== "" && text.length <= KEY_CHARS_MAX && !/\p{Cc}|\p{Cs}/u.test(text);
}
