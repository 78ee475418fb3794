/** Reads the headers of an answer, in the forms in which clients give them, and keeps those that may be kept. */

import { isKeptHeader } from "../core/answer-headers.ts";

/** Headers of one answer that are kept. */
const HEADERS_MAX = 40;
/** Characters of one header that are kept. */
const VALUE_CHARS_MAX = 500;

class KeptHeaders {
  readonly values: Record<string, string> = {};
  #count = 0;

  /** Values of a header that came twice are joined. */
  add(name: string, value: string): void {
    const lower = name.toLowerCase();
    if (!isKeptHeader(lower)) return;
    const before = this.values[lower];
    if (before === undefined) {
      if (this.#count >= HEADERS_MAX) return;
      this.#count += 1;
    }
    this.values[lower] = (before === undefined ? value : `${before}, ${value}`).slice(0, VALUE_CHARS_MAX);
  }
}

/** Of `[name, value, name, value, ...]`, texts or buffers, as undici gives them. */
export function keepFlat(pairs: readonly unknown[]): Readonly<Record<string, string>> {
  const kept = new KeptHeaders();
  for (let index = 0; index + 1 < pairs.length; index += 2) {
    const values: unknown = pairs[index + 1];
    for (const value of Array.isArray(values) ? values : [values]) {
      kept.add(String(pairs[index]), String(value));
    }
  }
  return kept.values;
}

/** Of an object whose values are texts or lists of texts, as Node gives them. */
export function keepNamed(headers: object): Readonly<Record<string, string>> {
  const kept = new KeptHeaders();
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === "string" || typeof value === "number") kept.add(name, String(value));
    else if (Array.isArray(value)) kept.add(name, value.join(", "));
  }
  return kept.values;
}
