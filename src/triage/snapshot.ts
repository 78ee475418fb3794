/** A thrown value, read once into plain data: what sorters look at and what people are shown. Getters may throw. */

import type { Json } from "../core/json.ts";
import type { Headers } from "./instruction.ts";

/** Errors behind an error that are looked at. */
const CHAIN_MAX = 8;
/** Characters of a text kept as evidence. */
const TEXT_CHARS_MAX = 500;
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
}

/** An HTTP answer found in an error. */
export interface SeenResponse {
  readonly status: number;
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
    HEADERS_KEPT.flatMap((name) =>
      headers[name] === undefined ? [] : [[name, headers[name].slice(0, TEXT_CHARS_MAX)]],
    ),
  );
}

function linksOf(thrown: unknown): readonly unknown[] {
  const links: unknown[] = [];
  const queue: unknown[] = [thrown];
  while (queue.length > 0 && links.length < CHAIN_MAX) {
    const one = queue.shift();
    if (one === undefined || one === null || links.includes(one)) continue;
    links.push(one);
    const behind = field(one, "errors");
    queue.push(
      ...(Array.isArray(behind) ? (behind as readonly unknown[]).slice(0, CHAIN_MAX) : []),
      field(one, "cause"),
    );
  }
  return links;
}

function seenError(thrown: unknown): SeenError {
  if (typeof thrown !== "object" || thrown === null) {
    return { name: typeof thrown, message: clip(String(thrown)), code: null, syscall: null, stack: null };
  }
  const code = field(thrown, "code");
  return {
    name: text(field(thrown, "name")) ?? "object",
    message: clip(text(field(thrown, "message")) ?? ""),
    code: typeof code === "string" || typeof code === "number" ? String(code) : null,
    syscall: text(field(thrown, "syscall")),
    stack: multiline(field(thrown, "stack")),
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

function headersOf(headers: unknown): Headers {
  const read: Record<string, string> = {};
  if (headers instanceof Headers) headers.forEach((value, name) => (read[name] = value));
  else if (typeof headers === "object" && headers !== null) {
    for (const [name, value] of Object.entries(headers)) {
      if (typeof value === "string") read[name.toLowerCase()] = value;
    }
  }
  return read;
}

function bodyOf(body: unknown): Json {
  if (typeof body === "string") return parsed(body) ?? clip(body);
  if (typeof body !== "object" || body === null) return null;
  try {
    return parsed(JSON.stringify(body));
  } catch {
    // A body that cannot be written as JSON is no evidence that anybody could read.
    return null;
  }
}

/** JSON of a bounded size; a larger body is kept as the start of its text. */
function parsed(body: string): Json {
  if (body.length > TEXT_CHARS_MAX * 4) return clip(body);
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON.parse gives JSON and nothing else
    return JSON.parse(body) as Json;
  } catch {
    return null;
  }
}

function field(holder: unknown, name: string): unknown {
  if (typeof holder !== "object" || holder === null) return undefined;
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an unknown object is read by name, to unknown
    return (holder as Record<string, unknown>)[name];
  } catch {
    // A getter that throws must not hide the error that carries it.
    return undefined;
  }
}

function text(value: unknown): string | null {
  return typeof value === "string" ? clip(value) : null;
}

function multiline(value: unknown): string | null {
  return typeof value === "string" ? value.slice(0, TEXT_CHARS_MAX * 4) : null;
}

function clip(value: string): string {
  return value.length > TEXT_CHARS_MAX ? `${value.slice(0, TEXT_CHARS_MAX)}…` : value;
}
