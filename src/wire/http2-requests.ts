/**
 * Requests over Node's own HTTP/2, as gRPC makes them. Node 20 has no channel for them, so the one method through which
 * all of them go is wrapped, and given back afterwards.
 */

import { connect, type ClientHttp2Session, type ClientHttp2Stream } from "node:http2";
import { Duplex } from "node:stream";
import { keepNamed } from "./kept-headers.ts";
import { BLIND_SPOTS } from "./evidence.ts";
import { requestFacts, type HeaderReader } from "./request-facts.ts";
import type { RequestBook } from "./request-book.ts";
import type { RequestTrace } from "./request-trace.ts";
import type { UndiciWriting } from "./undici-channels.ts";

type SendRequest = ClientHttp2Session["request"];
type Headers = Readonly<Record<string, unknown>>;

/** Wraps the sending of requests on every session of this process. */
export class Http2Requests {
  readonly #book: RequestBook;
  /** What undici is writing at this moment, which is counted already. */
  #writing: UndiciWriting | null = null;

  constructor(book: RequestBook) {
    this.#book = book;
  }

  /** undici writes a request; if it does so over HTTP/2, the call comes here before any other code runs. */
  noteWriting(writing: UndiciWriting): void {
    this.#writing = writing;
    queueMicrotask(() => {
      this.#writing = null;
    });
  }

  /** Begins; gives the function that takes it back. */
  wrap(): () => void {
    const prototype = sessionPrototype();
    const original = prototype.request;
    const seen = (session: ClientHttp2Session, headers: unknown, stream: ClientHttp2Stream): void =>
      this.#sent(session, headers, stream);
    const wrapped: SendRequest = function request(this: ClientHttp2Session, ...call) {
      const stream = original.apply(this, call);
      try {
        seen(this, call[0], stream);
      } catch {
        // What cannot be read is not counted; the request itself must not suffer.
      }
      return stream;
    };
    prototype.request = wrapped;
    return () => {
      // Somebody who wrapped it after us keeps what he has.
      if (prototype.request === wrapped) prototype.request = original;
    };
  }

  #sent(session: ClientHttp2Session, headers: unknown, stream: ClientHttp2Stream): void {
    // With what Node adds, such as the authority.
    const sent: unknown = stream.sentHeaders ?? headers;
    const named = isNamed(sent) ? sent : {};
    const read: HeaderReader = (name) => textOf(named[name]);
    const method = read(":method") ?? "GET";
    const path = read(":path") ?? "/";
    const writing = this.#writing;
    if (writing?.method === method && writing.path === path) return;
    this.#book.noteBlindSpot(BLIND_SPOTS.http2);
    const authority = read(":authority") ?? read("host");
    const scheme = session.encrypted === true ? "https" : "http";
    const origin = authority === null ? null : `${scheme}://${authority}`;
    const trace = this.#book.begin(stream, () => requestFacts({ method, origin, path, header: read }));
    if (trace !== null) follow(stream, trace);
  }
}

function follow(stream: ClientHttp2Stream, trace: RequestTrace): void {
  // Until its session stands a stream has no number, and nothing of it has left.
  if (stream.pending) stream.once("ready", () => trace.markSent("headers"));
  else trace.markSent("headers");
  stream.once("response", (headers) => {
    trace.markSent("full");
    trace.markAnswered(headers[":status"] ?? 0, keepNamed(headers));
  });
  stream.once("end", () => trace.markComplete());
  stream.once("close", () => trace.markFailed());
}

/** The class is not exported; a session over nothing leads to it and is dropped at once. */
function sessionPrototype(): { request: SendRequest } {
  const nothing = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  const session = connect("http://localhost", { createConnection: () => nothing });
  session.on("error", () => undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the prototype of a session has its methods
  const prototype = Object.getPrototypeOf(session) as ClientHttp2Session;
  session.destroy();
  return prototype;
}

function isNamed(headers: unknown): headers is Headers {
  return typeof headers === "object" && headers !== null;
}

function textOf(value: unknown): string | null {
  if (typeof value === "string") return value;
  return typeof value === "number" ? String(value) : null;
}
