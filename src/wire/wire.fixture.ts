/** A server that keeps count, and attempts to watch, for tests. */

import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { LateRequest, WatchedAttempt } from "./attempt-record.ts";

/** What a server does with a request that it has read to its end. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A server on loopback that counts the requests that it has read. */
export class CountingServer {
  readonly server: Server;
  /** Paths without queries, as they came. */
  readonly paths: string[] = [];
  /** Idempotency keys, as they came. */
  readonly keys: (string | null)[] = [];
  #answer: Answer = (_, response) => void response.end("{}");

  constructor() {
    this.server = createServer((request, response) => {
      request.resume();
      request.on("end", () => {
        this.paths.push(request.url?.replace(/\?.*/, "") ?? "");
        const key = request.headers["idempotency-key"];
        this.keys.push(typeof key === "string" ? key : null);
        this.#answer(request, response);
      });
    });
  }

  async start(): Promise<void> {
    this.server.listen(0, "127.0.0.1");
    await once(this.server, "listening");
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, "close");
  }

  get url(): string {
    // A server on TCP has an address with a port.
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** From now on. */
  answers(answer: Answer): void {
    this.#answer = answer;
  }

  answersStatus(status: number, headers: Readonly<Record<string, string>> = {}): void {
    this.answers((_, response) => void response.writeHead(status, { ...headers }).end("{}"));
  }

  /** Executed, and nobody hears the answer. */
  drops(): void {
    this.answers((request) => void request.socket.destroy());
  }

  /** Requests to a path. */
  countOf(path: string): number {
    return this.paths.filter((one) => one === path).length;
  }
}

/** Attempts that tests watch, with a key each. */
export class Attempts {
  readonly late: LateRequest[] = [];
  readonly stop = new AbortController();
  #count = 0;

  next(over: Partial<WatchedAttempt> = {}): WatchedAttempt {
    this.#count += 1;
    return {
      idempotencyKey: `case.step.${this.#count}`,
      signal: this.stop.signal,
      now: () => Date.now(),
      requestsMax: 8,
      mayRepeat: true,
      earlierKeys: [],
      onLate: (late) => this.late.push(late),
      ...over,
    };
  }
}

/** A port of this machine that nothing listens on. */
export async function closedPort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
