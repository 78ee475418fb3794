import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A model and an archive. The model knows its keys again; the archive can be asked. Both can be made to keep one waiting. */
export class Outside {
  /** Requests to score that arrived, and the keys under which one was made. */
  asked = 0;
  readonly scored = new Map<string, number>();
  readonly filed = new Map<string, string>();
  readonly #server: Server;
  #held: Promise<void> | null = null;
  #release: () => void = () => undefined;

  constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => {
      this.#server.listen({ host: "127.0.0.1", port: 0 }, resolve);
    });
    // A server on a port has an address with one.
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  /** From now on the model takes requests, does what they ask and does not answer, until it is let. */
  hold(): void {
    this.#held = new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  letAnswer(): void {
    this.#held = null;
    this.#release();
  }

  async stop(): Promise<void> {
    this.letAnswer();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request);
    const key = String(request.headers["idempotency-key"]);
    if (request.method === "POST") {
      const score = this.scored.get(key) ?? body.length;
      this.scored.set(key, score);
      this.asked += 1;
      await this.#held;
      send(response, 200, { score });
      return;
    }
    const id = request.method === "PUT" ? `A-${this.filed.size + 1}` : this.filed.get(key);
    if (request.method === "PUT" && id !== undefined) this.filed.set(key, id);
    send(response, id === undefined ? 404 : 200, id === undefined ? { error: "not filed" } : { id });
  }
}

function send(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString("utf8");
}
