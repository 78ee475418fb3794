/** Finds the HTTP answer in an error, wherever its client put it. */

import type { SeenResponse } from "../core/seen-failure.ts";
import { isJsonObject, type Json } from "../core/json.ts";
import { attempt, field, inside, plainBody } from "./plain-data.ts";

/** Headers of one answer that are looked at. */
const HEADERS_MAX = 100;
/** Values of one header. */
const COPIES_MAX = 8;

/** An answer, and where it stood. */
export interface FoundAnswer {
  readonly answer: SeenResponse;
  /** True where the error carries the response itself, not only a status of its own. */
  readonly isWhole: boolean;
}

/** Fields in which clients keep a whole response. AWS hides its own. */
const RESPONSES = ["response", "$response"];

/** The answer that one error carries; null = none. */
export function answerOf(thrown: unknown): FoundAnswer | null {
  for (const name of RESPONSES) {
    const response = field(thrown, name);
    // Of a response a status is enough, also a good one: what came after it may have gone wrong.
    const status = statusOf(response, 200) ?? (isHeld(response) ? statusUnder(thrown, "code") : null);
    if (status !== null) return { answer: { status, ...partsOf(response, thrown) }, isWhole: true };
  }
  const status = statusOf(thrown, 300) ?? (isHeld(thrown) ? statusUnder(thrown, "code") : null);
  return status === null ? null : { answer: { status, ...partsOf(thrown, thrown) }, isWhole: false };
}

function statusOf(holder: unknown, min: number): number | null {
  return valid(field(holder, "status"), min) ?? valid(field(holder, "statusCode"), min);
}

/** Some clients write the status under `code`: believed only next to headers. */
function statusUnder(holder: unknown, name: string): number | null {
  return valid(field(holder, name), 300);
}

function isHeld(holder: unknown): boolean {
  return typeof field(holder, "headers") === "object";
}

function valid(status: unknown, min: number): number | null {
  return typeof status === "number" && Number.isInteger(status) && status >= min && status <= 599
    ? status
    : null;
}

function partsOf(holder: unknown, thrown: unknown): Omit<SeenResponse, "status"> {
  return { headers: headersOf(field(holder, "headers")), body: bodyIn(holder) ?? bodyIn(thrown) };
}

/** Places of a body: the response's own text or value, what GraphQL clients make of it, and the error part of it alone. */
function bodyIn(holder: unknown): Json {
  for (const name of ["body", "bodyAsText", "data"]) {
    const body = plainBody(field(holder, name));
    if (body !== null) return body;
  }
  for (const name of ["raw", "error"]) {
    const error = plainBody(field(holder, name));
    if (error !== null && isJsonObject(error))
      return inside(error, "error") === undefined ? { error } : error;
  }
  const errors = plainBody(field(holder, "errors"));
  return errors === null ? null : { errors };
}

/** Headers of fetch know how to visit themselves; node:http and undici give plain objects. */
function headersOf(headers: unknown): Readonly<Record<string, string>> {
  const read: Record<string, string> = {};
  const note = (value: unknown, name: unknown): void => {
    // Sent twice, as clients with lists have it; a list is written as fetch writes it.
    const list: readonly unknown[] = Array.isArray(value) ? value.slice(0, COPIES_MAX) : [value];
    const texts = list.filter((one) => typeof one === "string" || typeof one === "number").map(String);
    if (texts.length > 0 && typeof name === "string") read[name.toLowerCase()] = texts.join(", ");
  };
  attempt(() => {
    const visit = field(headers, "forEach");
    if (typeof visit === "function") Reflect.apply(visit, headers, [note]);
    else visitPlain(plainHeaders(headers), note);
  });
  return read;
}

/** Some clients keep headers in a class of their own that can say itself as a plain object. */
function plainHeaders(headers: unknown): unknown {
  const write = field(headers, "toJSON");
  return typeof write === "function" ? Reflect.apply(write, headers, []) : headers;
}

function visitPlain(headers: unknown, note: (value: unknown, name: string) => void): void {
  if (typeof headers !== "object" || headers === null) return;
  for (const name of Object.keys(headers).slice(0, HEADERS_MAX)) note(field(headers, name), name);
}
