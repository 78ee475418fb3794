/** A warehouse on this machine: it knows idempotency keys, and can be made to take its time. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A running warehouse. */
export interface Warehouse {
  readonly url: string;
  /** What it did, as it was asked, oldest first. */
  readonly movements: readonly unknown[];
  /** Keeps answers back until what it gives is called. */
  readonly hold: () => () => void;
  readonly stop: () => Promise<void>;
}

const BODY_BYTES_MAX = 64 * 1024;

/** Starts one on 127.0.0.1. */
export async function startWarehouse(): Promise<Warehouse> {
  const byKey = new Map<string, string>();
  const movements: unknown[] = [];
  let held: Promise<void> = Promise.resolve();
  const server = createServer((request, response) => void serve(request, response));

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [status, body] = await move(request).then(
      (movement) => [201, { movement }] as const,
      (error: unknown) => [422, { message: error instanceof Error ? error.message : String(error) }] as const,
    );
    await held;
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  }

  async function move(request: IncomingMessage): Promise<string> {
    let text = "";
    for await (const chunk of request) {
      text += String(chunk);
      if (text.length > BODY_BYTES_MAX) throw new Error(`a body of more than ${BODY_BYTES_MAX} bytes`);
    }
    const key = String(request.headers["idempotency-key"]);
    const known = byKey.get(key);
    if (known !== undefined) return known;
    const movement = `M-${movements.push(JSON.parse(text))}`;
    byKey.set(key, movement);
    return movement;
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on a port has an address of this shape.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    movements,
    hold: () => {
      let letGo: (() => void) | null = null;
      held = new Promise((resolve) => (letGo = resolve));
      return () => letGo?.();
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
