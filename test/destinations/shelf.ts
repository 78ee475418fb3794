/** A server on loopback that deduplicates, compares versions and knows names: the counterpart of `foothold/destinations`. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Something that was written. */
interface Written {
  readonly path: string;
  readonly body: unknown;
}

/** A request as it came. */
interface Came {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/**
 * - `POST /orders` writes once per `Idempotency-Key`, or per `X-Request-Id`; `GET /orders?key=KEY` lists what was written
 *   under one.
 * - `POST /invoices/NUMBER` writes unless the number is taken (409); `GET` finds it, or 404.
 * - `PUT /accounts/ID` writes where `If-Match` is its ETag, else 412; every account exists, and `GET` tells its ETag.
 */
export interface Shelf {
  readonly url: string;
  readonly requests: readonly Came[];
  readonly written: readonly Written[];
  /** The next `count` writes are executed, and the connection is cut instead of an answer. */
  loseAnswers(count: number): void;
  /** Somebody else writes, past every rule. */
  write(path: string, body: unknown): void;
  /** From now on every ETag is a weak one. */
  weakenTags(): void;
  /** Answers every request of a method and path so, and executes nothing. */
  answer(request: string, status: number, headers?: Record<string, string>, body?: string): void;
  stop(): Promise<void>;
}

/** Starts one. */
export async function startShelf(): Promise<Shelf> {
  const shelf = new Shelves();
  const server = createServer((request, response) => void shelf.serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests: shelf.requests,
    written: shelf.written,
    loseAnswers: (count) => (shelf.toLose = count),
    write: (path, body) => void shelf.written.push({ path, body }),
    weakenTags: () => (shelf.isWeak = true),
    answer: (request, status, headers = {}, body = "") =>
      void shelf.answers.set(request, { status, headers, body }),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body: string;
}

class Shelves {
  readonly requests: Came[] = [];
  readonly written: Written[] = [];
  readonly answers = new Map<string, Answer>();
  toLose = 0;
  isWeak = false;
  readonly #byKey = new Map<string, Written>();

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = "", url: path = "", headers } = request;
    const came = { method, path, headers, body: Buffer.concat(chunks).toString() };
    this.requests.push(came);
    const before = this.written.length;
    const { status, headers: given, body } = this.#answerTo(came);
    if (this.written.length > before && this.toLose > 0) {
      this.toLose -= 1;
      request.socket.resetAndDestroy();
      return;
    }
    response.writeHead(status, { "content-type": "application/json", ...given });
    response.end(body);
  }

  #answerTo(came: Came): Answer {
    const { method, path } = came;
    const [, place] = path.split(/[/?]/);
    const scripted = this.answers.get(`${method} ${path}`);
    if (scripted !== undefined) return scripted;
    switch (`${method} /${place}`) {
      case "POST /orders":
        return json(201, this.#once(came));
      case "GET /orders": {
        const key = new URL(path, "http://here").searchParams.get("key") ?? "";
        return json(
          200,
          [this.#byKey.get(key)].filter((one) => one !== undefined),
        );
      }
      case "POST /invoices":
        return this.#at(path) === undefined ? json(201, this.#write(came)) : json(409, { error: "exists" });
      case "GET /invoices":
        return this.#at(path) === undefined ? json(404, null) : json(200, this.#at(path));
      case "GET /accounts":
        return { ...json(200, this.#at(path) ?? { path }), headers: { etag: this.#etag(path) } };
      case "PUT /accounts":
        if (came.headers["if-match"] !== this.#etag(path)) return json(412, { error: "changed" });
        return json(200, this.#write(came));
      default:
        return json(404, null);
    }
  }

  #once(came: Came): Written {
    const key = String(came.headers["idempotency-key"] ?? came.headers["x-request-id"]);
    const known = this.#byKey.get(key) ?? this.#write(came);
    this.#byKey.set(key, known);
    return known;
  }

  #at(path: string): Written | undefined {
    return this.written.findLast((one) => one.path === path);
  }

  #etag(path: string): string {
    return `${this.isWeak ? "W/" : ""}"v${this.written.filter((one) => one.path === path).length}"`;
  }

  #write({ path, body }: Came): Written {
    const parsed: unknown = body === "" ? null : JSON.parse(body);
    const made = { path, body: parsed };
    this.written.push(made);
    return made;
  }
}

function json(status: number, value: unknown): Answer {
  return { status, body: JSON.stringify(value) };
}
