/**
 * A thrown value, read once into plain data: what sorters look at and what people are shown. Whatever it is (getters
 * and proxies that throw, cycles, texts that a database cannot hold), it is read without throwing and within bounds.
 */

import type { Json } from "../core/json.ts";
import { storableText, thrownText } from "../core/storable-text.ts";
import type { Headers } from "./instruction.ts";

/** Errors behind an error that are looked at. */
const CHAIN_MAX = 8;
/** Characters of a text kept as evidence. */
const TEXT_CHARS_MAX = 500;
/** Characters of a stack. */
const STACK_CHARS_MAX = 2_000;
/** Characters of a body that is read as JSON. */
const BODY_CHARS_MAX = 8_000;
/** Levels and fields of a body that are kept. */
const BODY_DEPTH_MAX = 8;
const BODY_FIELDS_MAX = 50;
/** Headers of one answer that are looked at. */
const HEADERS_MAX = 100;
/** Response headers kept as evidence; everything else may be a secret. */
const HEADERS_KEPT = [
  "content-type",
  "date",
  "idempotent-replayed",
  "ratelimit",
  "request-id",
  "retry-after",
  "retry-after-ms",
  "server",
  "stripe-should-retry",
  "www-authenticate",
  "x-ms-retry-after-ms",
  "x-ratelimit-remaining",
  "x-ratelimit-reset",
  "x-request-id",
  "x-should-retry",
];

/** One error of a chain. */
export interface SeenError {
  readonly name: string;
  readonly message: string;
  readonly code: string | null;
  readonly syscall: string | null;
  readonly stack: string | null;
  /** True where it stands for other errors, which follow in the chain: its own code is only that of the first. */
  readonly isAggregate: boolean;
}

/** An HTTP answer found in an error. */
export interface SeenResponse {
  readonly status: number;
  /** By lower-case name, read as they came: what is stored of them is made fit first. */
  readonly headers: Headers;
  /** Parsed JSON where the body was JSON, else its start as text; null when there was none. */
  readonly body: Json;
}

/** Everything read from a thrown value. */
export interface Snapshot {
  /** The error first, then what caused it; errors of an AggregateError behind their parent. */
  readonly chain: readonly SeenError[];
  readonly response: SeenResponse | null;
}

/** Reads a thrown value. Never throws. */
export function snapshotOf(thrown: unknown): Snapshot {
  const links = linksOf(thrown);
  return {
    chain: links.map(seenError),
    response: links.map(responseOf).find((one) => one !== null) ?? null,
  };
}

/** What is kept for people. */
export function rawOf({ chain, response }: Snapshot): Json {
  return {
    errors: chain.map(({ name, message, code, syscall, stack }, index) => ({
      name,
      message,
      code,
      syscall,
      // The first stack names the author's own line; those behind it are a library's.
      stack: index === 0 ? stack : null,
    })),
    response: response === null ? null : { ...response, headers: keptHeaders(response.headers) },
  };
}

function keptHeaders(headers: Headers): Headers {
  return Object.fromEntries(
    HEADERS_KEPT.flatMap((name) => (headers[name] === undefined ? [] : [[name, clip(headers[name])]])),
  );
}

function linksOf(thrown: unknown): readonly unknown[] {
  const links: unknown[] = [];
  const queue: unknown[] = [thrown];
  while (queue.length > 0 && links.length < CHAIN_MAX) {
    const one = queue.shift();
    if (one === undefined || one === null || links.includes(one)) continue;
    links.push(one);
    queue.push(...itemsOf(field(one, "errors")), field(one, "cause"));
  }
  return links;
}

function itemsOf(list: unknown): readonly unknown[] {
  return attempt((): readonly unknown[] => (Array.isArray(list) ? list.slice(0, CHAIN_MAX) : [])) ?? [];
}

function seenError(thrown: unknown): SeenError {
  if (typeof thrown !== "object" || thrown === null) {
    const message = thrownText(thrown, TEXT_CHARS_MAX);
    return { name: typeof thrown, message, code: null, syscall: null, stack: null, isAggregate: false };
  }
  const code = field(thrown, "code");
  return {
    name: text(field(thrown, "name")) ?? "object",
    message: text(field(thrown, "message")) ?? "",
    code: typeof code === "string" || typeof code === "number" ? clip(String(code)) : null,
    syscall: text(field(thrown, "syscall")),
    stack: longText(field(thrown, "stack")),
    isAggregate: itemsOf(field(thrown, "errors")).length > 0,
  };
}

/** Finds `status` + `headers` on the error itself, or on its `response`, as HTTP clients put them. */
function responseOf(thrown: unknown): SeenResponse | null {
  const nested = field(thrown, "response");
  return httpAnswer(nested, thrown) ?? httpAnswer(thrown, thrown);
}

function httpAnswer(holder: unknown, error: unknown): SeenResponse | null {
  const status = field(holder, "status") ?? field(holder, "statusCode");
  if (typeof status !== "number" || !Number.isInteger(status) || status < 300 || status > 599) return null;
  const body = field(holder, "body") ?? field(holder, "data") ?? field(error, "body");
  return { status, headers: headersOf(field(holder, "headers")), body: bodyOf(body) };
}

/** Headers of fetch know how to visit themselves; node:http and undici give plain objects. */
function headersOf(headers: unknown): Headers {
  const read: Record<string, string> = {};
  const note = (value: unknown, name: string): void => {
    const one = Array.isArray(value) ? (value[0] as unknown) : value;
    if (typeof one === "string") read[name.toLowerCase()] = one;
  };
  const visit = field(headers, "forEach");
  attempt(() => {
    if (typeof visit === "function") Reflect.apply(visit, headers, [note]);
    else if (typeof headers === "object" && headers !== null) {
      for (const name of Object.keys(headers).slice(0, HEADERS_MAX)) note(field(headers, name), name);
    }
  });
  return read;
}

function bodyOf(body: unknown): Json {
  if (typeof body === "string") return parsed(body);
  if (typeof body !== "object" || body === null) return null;
  // A body that cannot be written as JSON is no evidence that anybody could read.
  const written = attempt(() => JSON.stringify(body)) ?? null;
  return typeof written === "string" ? parsed(written) : null;
}

/** JSON of a bounded size; anything else is kept as the start of its text. */
function parsed(body: string): Json {
  if (body === "") return null;
  if (body.length > BODY_CHARS_MAX) return clip(body);
  const read = attempt((): unknown => JSON.parse(body));
  return read === undefined ? clip(body) : storableJson(read, 0);
}

/** JSON as a database can hold it, cut where it is deep or wide. */
function storableJson(value: unknown, depth: number): Json {
  if (typeof value === "string") return clip(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value === "boolean") return value;
  if (typeof value !== "object" || value === null) return null;
  if (depth >= BODY_DEPTH_MAX) return "…";
  if (Array.isArray(value)) {
    return value.slice(0, BODY_FIELDS_MAX).map((one: unknown) => storableJson(one, depth + 1));
  }
  const fields: readonly (readonly [string, unknown])[] = Object.entries(value);
  return Object.fromEntries(
    fields.slice(0, BODY_FIELDS_MAX).map(([name, one]) => [clip(name), storableJson(one, depth + 1)]),
  );
}

function field(holder: unknown, name: string): unknown {
  if (typeof holder !== "object" || holder === null) return undefined;
  // A getter that throws must not hide the error that carries it.
  return attempt((): unknown => Reflect.get(holder, name));
}

/** What `read` gives; undefined when it throws. */
function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function text(value: unknown): string | null {
  return typeof value === "string" ? clip(value) : null;
}

function longText(value: unknown): string | null {
  return typeof value === "string" ? storableText(value, STACK_CHARS_MAX) : null;
}

function clip(value: string): string {
  return storableText(value, TEXT_CHARS_MAX);
}
