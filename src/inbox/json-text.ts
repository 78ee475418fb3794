/**
 * Reads JSON that strangers wrote. Nothing is lost and nothing is guessed: a whole number that a double cannot hold, and
 * one that is too large for it, come as their own text; a field that is there twice, a `__proto__`, a NUL or half a
 * surrogate pair make the body unreadable, because two readers could take it for two things. No recursion, so depth
 * costs nothing; bounded in depth and number of values; long texts are read in slices that let other work in between.
 */

import { JSON_DEPTH_MAX, type Json } from "../core/json.ts";
import { letOthersIn } from "./system.ts";

/** Values in one body: what GitHub's largest payloads have, several times over. */
export const JSON_VALUES_MAX = 500_000;
/** Characters read in one go before other work is let in: a few milliseconds. */
const SLICE_CHARS = 128 * 1024;

/** What reading a text gave. */
export type JsonTextReading =
  | { readonly kind: "json"; readonly value: Json }
  /** `why` ends a sentence that begins with what could not be read. */
  | { readonly kind: "unreadable"; readonly why: string };

/** Reads JSON from bytes in UTF-8. Resolves only when all is read; never rejects. */
export async function readJsonBytes(bytes: Uint8Array): Promise<JsonTextReading> {
  const text = textOf(bytes);
  if (text === null) return { kind: "unreadable", why: "it is not UTF-8" };
  return readJsonText(text);
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The text of bytes in UTF-8, without a byte order mark; null when they are something else. */
export function textOf(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

/** Reads JSON from a text, as {@link readJsonBytes}. */
export async function readJsonText(text: string): Promise<JsonTextReading> {
  const scan = new JsonScan(text);
  try {
    while (!scan.goOn(SLICE_CHARS)) await letOthersIn();
    return { kind: "json", value: scan.result() };
  } catch (error) {
    if (error instanceof NotJson) return { kind: "unreadable", why: error.message };
    throw error;
  }
}

class NotJson extends Error {}

/** A list or an object that is not closed yet. */
type Open =
  | { readonly kind: "list"; readonly items: Json[] }
  | { readonly kind: "object"; readonly fields: Record<string, Json>; key: string };

type Expected = "value" | "valueOrEnd" | "keyOrEnd" | "key" | "colon" | "commaOrEnd" | "nothing";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACES = new Set([0x20, 0x09, 0x0a, 0x0d]);
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const HALF_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;
/** Digits of a number that a double gives back as they were. */
const SAFE_DIGITS = 15;

class JsonScan {
  readonly #text: string;
  readonly #open: Open[] = [];
  #at = 0;
  #valuesLeft = JSON_VALUES_MAX;
  #expected: Expected = "value";
  #root: Json = null;

  constructor(text: string) {
    this.#text = text;
  }

  result(): Json {
    return this.#root;
  }

  /** Reads about `chars` further characters; true when all is read. */
  goOn(chars: number): boolean {
    const until = this.#at + chars;
    while (this.#at < until) {
      this.#skipSpaces();
      if (this.#at >= this.#text.length) {
        if (this.#expected !== "nothing") throw new NotJson("it ends too early");
        return true;
      }
      this.#token(this.#text.charCodeAt(this.#at));
    }
    return false;
  }

  #token(code: number): void {
    switch (this.#expected) {
      case "nothing":
        throw this.#fault("something follows the end");
      case "value":
        return this.#value(code);
      case "valueOrEnd":
        return code === 0x5d ? this.#close() : this.#value(code);
      case "keyOrEnd":
        return code === 0x7d ? this.#close() : this.#key(code);
      case "key":
        return this.#key(code);
      case "colon":
        if (code !== 0x3a) throw this.#fault("a colon is missing");
        this.#at += 1;
        this.#expected = "value";
        return;
      case "commaOrEnd":
        return this.#commaOrEnd(code);
    }
  }

  #commaOrEnd(code: number): void {
    const isList = this.#open.at(-1)?.kind === "list";
    if (code === (isList ? 0x5d : 0x7d)) return this.#close();
    if (code !== 0x2c) throw this.#fault("a comma is missing");
    this.#at += 1;
    this.#expected = isList ? "value" : "key";
  }

  #value(code: number): void {
    this.#valuesLeft -= 1;
    if (this.#valuesLeft < 0) throw new NotJson(`it has more than ${JSON_VALUES_MAX} values`);
    if (code === QUOTE) return this.#put(this.#string());
    if (code === 0x7b) return this.#begin({ kind: "object", fields: {}, key: "" }, "keyOrEnd");
    if (code === 0x5b) return this.#begin({ kind: "list", items: [] }, "valueOrEnd");
    const word = this.#match(WORD);
    if (word !== null) return this.#put(word === "null" ? null : word === "true");
    const digits = this.#match(NUMBER);
    if (digits === null) throw this.#fault("no value begins");
    this.#put(numberOf(digits));
  }

  #begin(open: Open, expected: Expected): void {
    if (this.#open.length >= JSON_DEPTH_MAX)
      throw new NotJson(`it is nested deeper than ${JSON_DEPTH_MAX} levels`);
    this.#open.push(open);
    this.#at += 1;
    this.#expected = expected;
  }

  #close(): void {
    const closed = this.#open.pop();
    this.#at += 1;
    if (closed !== undefined) this.#put(closed.kind === "list" ? closed.items : closed.fields);
  }

  /** Puts a whole value into what surrounds it. */
  #put(value: Json): void {
    const around = this.#open.at(-1);
    this.#expected = around === undefined ? "nothing" : "commaOrEnd";
    if (around === undefined) this.#root = value;
    else if (around.kind === "list") around.items.push(value);
    else around.fields[around.key] = value;
  }

  #key(code: number): void {
    const around = this.#open.at(-1);
    if (code !== QUOTE || around?.kind !== "object") throw this.#fault("the name of a field is missing");
    const key = this.#string();
    // An assignment would set the prototype, and whoever merges the value later would as well.
    if (key === "__proto__") throw new NotJson("it has a field __proto__");
    if (Object.hasOwn(around.fields, key)) {
      throw new NotJson(`it has the field ${JSON.stringify(key.slice(0, 60))} twice`);
    }
    around.key = key;
    this.#expected = "colon";
  }

  #string(): string {
    const text = this.#text;
    const begin = this.#at + 1;
    let end = begin;
    let hasEscapes = false;
    for (; ; end += 1) {
      const code = text.charCodeAt(end);
      if (code === QUOTE) break;
      if (code === BACKSLASH) {
        hasEscapes = true;
        end += 1;
      } else if (code < 0x20) throw this.#fault("a text has a control character");
      // Past the end, charCodeAt gives NaN.
      if (end >= text.length) throw new NotJson("it ends within a text");
    }
    this.#at = end + 1;
    const plain = hasEscapes ? unescapeText(text.slice(begin - 1, end + 1)) : text.slice(begin, end);
    if (plain.includes("\0")) throw this.#fault("a text has a NUL character");
    if (hasEscapes && HALF_SURROGATE.test(plain)) throw this.#fault("a text has half a surrogate pair");
    return plain;
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) return null;
    this.#at += found.length;
    return found;
  }

  #skipSpaces(): void {
    while (SPACES.has(this.#text.charCodeAt(this.#at))) this.#at += 1;
  }

  #fault(what: string): NotJson {
    return new NotJson(`${what} at character ${this.#at + 1}`);
  }
}

/** The escapes of one text, by the platform's own reader. */
function unescapeText(quoted: string): string {
  try {
    const text: unknown = JSON.parse(quoted);
    if (typeof text === "string") return text;
  } catch {
    // Told below.
  }
  throw new NotJson("a text has an escape that JSON does not know");
}

/** A number, or its own text where a double would change it. */
function numberOf(text: string): Json {
  const value = Number(text);
  if (!Number.isFinite(value)) return text;
  if (text.length <= SAFE_DIGITS) return Object.is(value, -0) ? 0 : value;
  if (String(value) === text) return value;
  const digits = text
    .replace(/[eE].*$/, "")
    .replaceAll(/[-.]/g, "")
    .replace(/^0+/, "");
  return digits.length <= SAFE_DIGITS ? value : text;
}
