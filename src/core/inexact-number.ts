/** Numbers in a JSON text that reading would change. Pure. */

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const WHOLE = /^-?\d+$/;

/**
 * The first whole number of a JSON text that a double cannot hold, as it is written; null = there is none. Read as a number, an
 * amount or an id would silently become another one. `text` must be JSON: of anything else nothing is said.
 */
export function findInexactNumber(text: string): string | null {
  for (const [token] of text.matchAll(TOKEN)) {
    if (WHOLE.test(token) && !Number.isSafeInteger(Number(token))) return token;
  }
  return null;
}
