/** Requests of undici, both Node's own copy (fetch) and installed ones: they publish on the same channels. */

import { keepFlat } from "./kept-headers.ts";
import { requestFacts, type HeaderReader, type RequestFacts } from "./request-facts.ts";
import type { RequestBook } from "./request-book.ts";
import type { Subscription } from "./subscription.ts";

/** The parts of undici's request object that are read. Its shape was looked at in 6.24 and 7.30. */
interface UndiciRequest {
  readonly method: string;
  readonly origin?: string | URL;
  readonly path: string;
  /** `[name, value, name, value, ...]`; a text of lines before version 6. */
  readonly headers: readonly unknown[] | string;
  readonly contentLength?: number | null;
}

interface UndiciMessage {
  readonly request: UndiciRequest;
  readonly response?: { readonly statusCode: number; readonly headers: readonly unknown[] };
  readonly socket?: object;
}

/** A request that undici is about to write: over HTTP/2 the same call goes on to Node's own session. */
export interface UndiciWriting {
  readonly method: string;
  readonly path: string;
}

function on(name: string, act: (message: UndiciMessage) => void): Subscription {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the shape is undici's; a wrong one throws and is told
  return { channel: `undici:${name}`, onMessage: (message) => act(message as UndiciMessage) };
}

/** What to subscribe. `onWriting` is told of each watched request as its headers leave, before anything else can happen. */
export function undiciSubscriptions(
  book: RequestBook,
  onWriting: (writing: UndiciWriting) => void,
): readonly Subscription[] {
  return [
    on("request:create", ({ request }) => {
      book.begin(request, () => factsOf(request));
    }),
    on("client:sendHeaders", ({ request, socket }) => {
      const trace = book.traceOf(request);
      if (trace === undefined) return;
      onWriting(request);
      trace.markSent("headers");
      if (socket !== undefined) book.noteMetered(socket);
    }),
    on("request:bodySent", ({ request }) => book.traceOf(request)?.markSent("full")),
    on("request:headers", ({ request, response }) => {
      const trace = book.traceOf(request);
      if (trace === undefined || response === undefined) return;
      const { statusCode, headers } = response;
      // HTTP/2 gives them as an object in some versions.
      trace.markAnswered(
        statusCode,
        keepFlat(Array.isArray(headers) ? headers : Object.entries(headers).flat()),
      );
    }),
    on("request:trailers", ({ request }) => book.traceOf(request)?.markComplete()),
    on("request:error", ({ request }) => book.traceOf(request)?.markFailed()),
  ];
}

function factsOf(request: UndiciRequest): RequestFacts {
  const { method, path, origin, contentLength } = request;
  const header = readerOf(request.headers);
  return requestFacts({
    method,
    path,
    origin: origin === undefined ? null : originOf(origin),
    // What undici counts itself is kept apart from the other headers.
    header: (name) =>
      name === "content-length" && typeof contentLength === "number" ? String(contentLength) : header(name),
  });
}

function originOf(origin: string | URL): string {
  return typeof origin === "string" ? origin.replace(/\/$/, "") : origin.origin;
}

/** Reads headers in any form that undici takes or keeps. */
export function readerOf(headers: unknown): HeaderReader {
  const named = new Map<string, string>();
  for (const [name, value] of pairsOf(headers)) named.set(name.toLowerCase(), value);
  return (name) => named.get(name) ?? null;
}

function* pairsOf(headers: unknown): Generator<readonly [string, string]> {
  if (typeof headers === "string") {
    for (const line of headers.split("\r\n")) {
      const colonAt = line.indexOf(":");
      if (colonAt > 0) yield [line.slice(0, colonAt), line.slice(colonAt + 1).trim()];
    }
    return;
  }
  if (typeof headers !== "object" || headers === null) return;
  const isFlat = Array.isArray(headers) && !Array.isArray(headers[0]);
  if (isFlat) {
    for (let index = 0; index + 1 < headers.length; index += 2) {
      yield [String(headers[index]), String(headers[index + 1])];
    }
    return;
  }
  const pairs = isIterable(headers) ? headers : Object.entries(headers);
  for (const pair of pairs) {
    if (Array.isArray(pair)) yield [String(pair[0]), String(pair[1])];
  }
}

function isIterable(value: object): value is Iterable<unknown> {
  return Symbol.iterator in value;
}
