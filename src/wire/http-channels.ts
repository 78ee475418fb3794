/** Requests of `node:http` and `node:https`: axios, got, node-fetch, the AWS SDK, Stripe and many others. */

import type { ClientRequest, IncomingMessage } from "node:http";
import { keepNamed } from "./kept-headers.ts";
import type { RequestBook } from "./request-book.ts";
import { requestFacts, type RequestFacts } from "./request-facts.ts";
import type { RequestTrace } from "./request-trace.ts";
import type { Subscription } from "./subscription.ts";

interface HttpMessage {
  readonly request: ClientRequest;
  readonly response: IncomingMessage;
  readonly error: unknown;
}

function on(name: string, act: (message: HttpMessage) => void): Subscription {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Node's own documented shape
  return { channel: `http.client.${name}`, onMessage: (message) => act(message as HttpMessage) };
}

/** What to subscribe. */
export function httpSubscriptions(book: RequestBook): readonly Subscription[] {
  return [
    // Published once the whole request was handed to its connection, which may not stand yet.
    on("request.start", ({ request }) => {
      const trace = book.begin(request, () => factsOf(request));
      if (trace !== null) followSocket(book, request, trace);
    }),
    on("response.finish", ({ request, response }) => {
      const trace = book.traceOf(request);
      if (trace === undefined) return;
      trace.markAnswered(response.statusCode ?? 0, keepNamed(response.headers));
      // The name of the channel notwithstanding, the body is still to come.
      response.once("end", () => trace.markComplete());
      response.once("close", () => trace.markFailed());
    }),
    on("request.error", ({ request, error }) => {
      const trace = book.traceOf(request) ?? beginUnfinished(book, request, error);
      trace?.markFailed();
    }),
  ];
}

/** A request that failed while its body was still being written was never published. */
function beginUnfinished(book: RequestBook, request: ClientRequest, error: unknown): RequestTrace | null {
  const trace = book.begin(request, () => factsOf(request));
  const { socket } = request;
  if (trace === null || socket === null) return trace;
  book.noteMetered(socket);
  if (!isOfConnecting(error)) trace.markSent("headers");
  return trace;
}

const CONNECT_SYSCALLS: readonly unknown[] = ["connect", "getaddrinfo"];

/** What a socket reports as written may never have left; where it failed is sure. */
function isOfConnecting(error: unknown): boolean {
  return (
    typeof error === "object" &&
    error !== null &&
    "syscall" in error &&
    CONNECT_SYSCALLS.includes(error.syscall)
  );
}

/** It has left as soon as its connection stands: that nothing left is proved only until then. */
function followSocket(book: RequestBook, request: ClientRequest, trace: RequestTrace): void {
  const { socket } = request;
  if (socket === null) {
    trace.markSent("maybe");
    return;
  }
  book.noteMetered(socket);
  const isSecure = "encrypted" in socket && socket.encrypted === true;
  const isOpening = socket.connecting || ("secureConnecting" in socket && socket.secureConnecting === true);
  if (!isOpening) trace.markSent("maybe");
  else socket.once(isSecure ? "secureConnect" : "connect", () => trace.markSent("maybe"));
}

function factsOf(request: ClientRequest): RequestFacts {
  const header = (name: string): string | null => {
    const value = request.getHeader(name);
    if (value === undefined) return null;
    return Array.isArray(value) ? value.join(", ") : String(value);
  };
  const host = header("host") ?? request.host;
  return requestFacts({
    method: request.method,
    origin: `${request.protocol}//${host}`,
    path: request.path,
    header,
  });
}
