/** A local server that misbehaves as it is told, and keeps a ledger of what really reached it. */

import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { WireEvidence, WireRequest } from "../../src/core/wire-evidence.ts";
import { isKeptHeader } from "../../src/core/answer-headers.ts";
import { CERTIFICATE, KEY } from "./certificate.ts";
import type { Answer } from "./labels/answer.ts";

/** What it does with a request that it has read whole. */
export type Behavior =
  | { readonly kind: "answer"; readonly answer: Answer }
  | { readonly kind: "close" | "reset" | "silent" | "cut" | "noHttp" };

interface Reached {
  readonly method: string;
  status: number | null;
  headers: Readonly<Record<string, string>>;
  isComplete: boolean;
}

/** The server. */
export class BadServer {
  readonly #server: Server;
  readonly #tls: Server;
  readonly #reached: Reached[] = [];
  #behavior: Behavior = { kind: "silent" };

  constructor() {
    const listener: RequestListener = (request, response) => void this.#receive(request, response);
    this.#server = createServer(listener);
    this.#tls = createTlsServer({ key: KEY, cert: CERTIFICATE }, listener);
  }

  async start(): Promise<void> {
    await Promise.all([this.#server, this.#tls].map((one) => once(one.listen(0, "127.0.0.1"), "listening")));
  }

  async stop(): Promise<void> {
    for (const one of [this.#server, this.#tls]) {
      one.closeAllConnections();
      await new Promise((resolve) => one.close(resolve));
    }
  }

  get url(): string {
    return `http://127.0.0.1:${portOf(this.#server)}`;
  }

  get tlsUrl(): string {
    return `https://127.0.0.1:${portOf(this.#tls)}`;
  }

  /** Does so from now on, with an empty ledger. */
  behave(behavior: Behavior): void {
    this.#behavior = behavior;
    this.#reached.length = 0;
  }

  /** How many requests reached it. */
  get reachedCount(): number {
    return this.#reached.length;
  }

  /** What a meter that sees everything would have seen; a request that reached nobody was never sent. */
  evidence(method: string): WireEvidence {
    const sent = this.#reached.map(asRequest);
    const requests = sent.length > 0 ? sent : [UNSENT(method)];
    return { requests, sentCount: sent.length, unsentCount: requests.length - sent.length, blindSpots: [] };
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reached: Reached = { method: request.method ?? "", status: null, headers: {}, isComplete: false };
    this.#reached.push(reached);
    const behavior = this.#behavior;
    request.socket.on("error", () => undefined);
    for await (const chunk of request) void chunk;
    switch (behavior.kind) {
      case "answer":
        reached.status = behavior.answer.status;
        reached.headers = keptOf(answer(response, behavior.answer));
        reached.isComplete = true;
        return;
      case "close":
        return void request.socket.end();
      case "reset":
        request.socket.resetAndDestroy();
        return;
      case "cut":
        reached.status = 201;
        response.writeHead(201, { "content-type": "application/json", "content-length": 100 });
        response.write('{"id":', () => request.socket.destroy());
        return;
      case "noHttp":
        return void request.socket.end("SMTP ready\r\n\r\n");
      case "silent":
        return;
    }
  }
}

function answer(response: ServerResponse, { status, headers = {}, body }: Answer): Record<string, string> {
  const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, dated(value)]));
  response.writeHead(status, sent);
  response.end(body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body));
  return { ...sent, date: String(response.getHeader("date") ?? new Date().toUTCString()) };
}

/** Fills in moments: `$+300` is the second 300 s from now, `$iso+30` the same as a text. */
function dated(value: string): string {
  const found = /^\$(iso)?\+(\d+)$/.exec(value);
  if (found === null) return value;
  const at = Date.now() + Number(found[2]) * 1_000;
  return found[1] === undefined ? String(Math.round(at / 1_000)) : new Date(at).toISOString();
}

function keptOf(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isKeptHeader(name)));
}

function asRequest({ method, status, headers, isComplete }: Reached, index: number): WireRequest {
  return { ...UNSENT(method), startedAt: index, sent: "full", status, headers, isAnswerComplete: isComplete };
}

function UNSENT(method: string): WireRequest {
  return {
    method,
    origin: "http://127.0.0.1",
    group: "a",
    keyHash: null,
    startedAt: 0,
    sent: "none",
    status: null,
    headers: {},
    isAnswerComplete: false,
  };
}

/** The same attempt, with a request before it that was sent whole and never answered. */
export function afterLostOne({ requests, sentCount, ...rest }: WireEvidence): WireEvidence {
  const lost: WireRequest = { ...UNSENT("POST"), sent: "full" };
  return { ...rest, requests: [lost, ...requests], sentCount: sentCount + 1 };
}

function portOf(server: Server): number {
  // A server on TCP has an address with a port.
  return (server.address() as AddressInfo).port;
}
