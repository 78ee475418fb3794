/** The inbox as servers and frameworks mount it: a fetch handler, and a listener of node:http. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { headersOf, type Headers } from "./arrival.ts";
import { Gathered, type BodyReader, type BodyStream, type StreamReading } from "./read-stream.ts";
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

const READ_BEFORE =
  "The body was read before it came to the inbox, which needs the bytes as they were sent: hand the request on as it is, " +
  "before anything calls its json(), text() or formData().";
const PARSED_BEFORE =
  "A body parser read the body before it came to the inbox, which needs the bytes as they were sent: mount the inbox " +
  "before express.json(), take Fastify's parsers away (removeAllContentTypeParsers), or turn Next's bodyParser off.";

/** A fetch handler; `sourceOf` names the source, the last part of the path when left out. */
export function fetchHandler(
  receiver: Receiver,
  onUnread: (why: string) => void,
  sourceOf: (path: string) => string = lastPart,
): FetchHandler {
  return async (request) => {
    const { pathname, search } = new URL(request.url);
    if (request.bodyUsed) {
      onUnread(READ_BEFORE);
      return responseOf(unread(READ_BEFORE));
    }
    const reply = await receiver.receive(sourceOf(pathname), {
      method: request.method,
      query: search.slice(1),
      headers: headersOf(request.headers),
      body: request.body === null ? null : new FetchedBody(request.body),
    });
    return responseOf(reply);
  };
}

/** A listener of node:http. */
export function nodeHandler(
  receiver: Receiver,
  onUnread: (why: string) => void,
  sourceOf: (path: string) => string = lastPart,
): NodeHandler {
  return async (incoming, outgoing) => {
    const [path = "", ...query] = (incoming.url ?? "/").split("?");
    const body = bodyOf(incoming);
    if (body === "read") {
      onUnread(PARSED_BEFORE);
      send(outgoing, unread(PARSED_BEFORE));
      return;
    }
    const reply = await receiver.receive(sourceOf(path), {
      method: incoming.method ?? "GET",
      query: query.join("?"),
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
  // A parser that ran and found nothing to parse leaves the stream alone, or ends it; one that asked for text changed it.
  if (incoming.readableEnded || incoming.readableDidRead || incoming.readableEncoding !== null) return "read";
  return new IncomingBody(incoming);
}

/** A body as node:http gives it. By its events: an iterator over it costs more than all else that is done with it. */
class IncomingBody implements BodyReader {
  readonly #incoming: IncomingMessage;
  #end: (reading: StreamReading) => void = () => undefined;
  #bytes = 0;

  constructor(incoming: IncomingMessage) {
    this.#incoming = incoming;
  }

  read(bytesMax: number): Promise<StreamReading> {
    const incoming = this.#incoming;
    const gathered = new Gathered(bytesMax);
    return new Promise((resolve) => {
      this.#end = resolve;
      incoming.on("data", (chunk: Uint8Array) => {
        const isWithin = gathered.add(chunk);
        this.#bytes = gathered.bytes;
        if (!isWithin) resolve({ kind: "tooLarge", bytes: gathered.bytes });
      });
      incoming.once("end", () => resolve({ kind: "body", body: gathered.whole() }));
      // The sender went away, or sent something that is no HTTP.
      const broken = (): void => resolve({ kind: "broken", bytes: gathered.bytes });
      incoming.once("error", broken);
      incoming.once("close", broken);
    });
  }

  /** The answer goes out over the same socket, so it stays open. */
  giveUp(): void {
    this.#incoming.pause();
    this.#incoming.removeAllListeners("data");
    this.#end({ kind: "broken", bytes: this.#bytes });
  }
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

/** A body as `fetch` gives it. */
class FetchedBody implements BodyReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #isGivenUp = false;

  constructor(body: ReadableStream<Uint8Array>) {
    this.#reader = body.getReader();
  }

  async read(bytesMax: number): Promise<StreamReading> {
    const gathered = new Gathered(bytesMax);
    try {
      for (;;) {
        const { done, value } = await this.#reader.read();
        if (this.#isGivenUp) break;
        if (done) return { kind: "body", body: gathered.whole() };
        if (!gathered.add(value)) return { kind: "tooLarge", bytes: gathered.bytes };
      }
    } catch {
      // Told below: the sender went away.
    }
    return { kind: "broken", bytes: gathered.bytes };
  }

  giveUp(): void {
    this.#isGivenUp = true;
    // Ends a reading under way. Never waited for: a sender that has stopped would hold it up.
    this.#reader.cancel().catch(() => undefined);
  }
}

/** Our own fault: the sender did nothing wrong and must come again. Whoever mounts the inbox reads what to do. */
function unread(detail: string): InboxReply {
  return {
    status: 503,
    headers: { "Retry-After": "60", "Content-Type": "application/problem+json" },
    body: JSON.stringify({ title: "The body was read before", status: 503, code: "CONFIG_INVALID", detail }),
  };
}

function lastPart(path: string): string {
  const part = path.split("/").findLast((one) => one !== "") ?? "";
  if (!part.includes("%")) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
