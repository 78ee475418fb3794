/** The inbox as servers and frameworks mount it: a fetch handler, and a listener of node:http. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { headersOf, type Headers } from "./arrival.ts";
import type { BodyStream } from "./read-stream.ts";
import type { InboxReply, Receiver } from "./receive.ts";

/** Answers a request for the source that its path names last. */
export type FetchHandler = (request: Request) => Promise<Response>;

/** Answers a request of node:http, Express and what is like them. */
export type NodeHandler = (incoming: NodeRequest, outgoing: ServerResponse) => Promise<void>;

/** A request of node:http, with what frameworks put on it. */
export type NodeRequest = IncomingMessage & {
  /** What a body parser made of the body. */
  readonly body?: unknown;
  /** Kept by some parsers. */
  readonly rawBody?: unknown;
};

/** A fetch handler; `sourceOf` names the source, the last part of the path when left out. */
export function fetchHandler(
  receiver: Receiver,
  onUnread: (why: string) => void,
  sourceOf: (url: URL) => string = lastPart,
): FetchHandler {
  return async (request) => {
    const url = new URL(request.url);
    if (request.bodyUsed) {
      onUnread("The body was read before it came to the inbox: hand the request on as it is.");
      return responseOf(unread());
    }
    const reply = await receiver.receive(sourceOf(url), {
      method: request.method,
      search: url.searchParams,
      headers: headersOf(request.headers),
      body: request.body === null ? null : streamOf(request.body),
    });
    return responseOf(reply);
  };
}

/** A listener of node:http. */
export function nodeHandler(
  receiver: Receiver,
  onUnread: (why: string) => void,
  sourceOf: (url: URL) => string = lastPart,
): NodeHandler {
  return async (incoming, outgoing) => {
    const url = new URL(incoming.url ?? "/", "http://inbox.invalid");
    const body = bodyOf(incoming);
    if (body === "read") {
      onUnread(
        "A body parser read the body before it came to the inbox: mount the inbox before express.json().",
      );
      send(outgoing, unread());
      return;
    }
    const reply = await receiver.receive(sourceOf(url), {
      method: incoming.method ?? "GET",
      search: url.searchParams,
      headers: rawHeaders(incoming),
      body,
    });
    send(outgoing, reply);
    // Whoever still sends is cut off, once the answer is on its way.
    if (!incoming.complete && incoming.readable) outgoing.once("finish", () => incoming.destroy());
  };
}

/** What can be judged: the stream, or bytes that a parser kept as they were. */
function bodyOf(incoming: NodeRequest): BodyStream | "read" {
  const { body, rawBody } = incoming;
  if (rawBody instanceof Uint8Array) return rawBody;
  if (body instanceof Uint8Array) return body;
  // A parser that ran and found nothing to parse leaves the stream alone, or ends it.
  if (incoming.readableEnded || incoming.readableDidRead) return "read";
  // The answer to a body that is too much goes out over the same socket, so giving up must not end it.
  const iterator = incoming.iterator({ destroyOnReturn: false });
  return { [Symbol.asyncIterator]: () => chunksOf(iterator) };
}

async function* chunksOf(iterator: AsyncIterableIterator<unknown>): AsyncGenerator<Uint8Array> {
  for await (const chunk of iterator) if (chunk instanceof Uint8Array) yield chunk;
}

/** As they came: Node joins what came twice, and drops some of it. */
function rawHeaders({ rawHeaders: raw }: IncomingMessage): Headers {
  const pairs: (readonly [string, string])[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) pairs.push([raw[at] ?? "", raw[at + 1] ?? ""]);
  return headersOf(pairs);
}

function send(outgoing: ServerResponse, { status, headers, body }: InboxReply): void {
  if (outgoing.destroyed || outgoing.headersSent) return;
  outgoing.writeHead(status, { ...headers, "Content-Length": Buffer.byteLength(body) });
  outgoing.end(body);
}

function responseOf({ status, headers, body }: InboxReply): Response {
  return new Response(body === "" ? null : body, { status, headers });
}

function streamOf(body: ReadableStream<Uint8Array>): AsyncIterable<Uint8Array> {
  const reader = body.getReader();
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        const { done, value } = await reader.read();
        return done ? { done: true, value: undefined } : { done: false, value };
      },
      return: async () => {
        // Never waited for: a sender that has stopped would hold it up.
        reader.cancel().catch(() => undefined);
        return { done: true, value: undefined };
      },
    }),
  };
}

/** Our own fault: the sender did nothing wrong and must come again. */
function unread(): InboxReply {
  return { status: 503, headers: { "Retry-After": "60" }, body: "" };
}

function lastPart({ pathname }: URL): string {
  const part = pathname.split("/").findLast((one) => one !== "") ?? "";
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
