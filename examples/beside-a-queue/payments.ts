/** Payments on this machine: they know idempotency keys, list the charges of an order, and can lose answers. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";

const NewCharge = z.object({ order: z.string(), cents: z.number() });
type LedgerCharge = z.infer<typeof NewCharge> & { readonly chargeId: string };

/** Running payments. */
export interface Payments {
  readonly url: string;
  readonly charges: readonly LedgerCharge[];
  /** So many of the next charges are made, and their answers lost. */
  readonly loseAnswers: (count: number) => void;
  readonly stop: () => Promise<void>;
}

const BODY_BYTES_MAX = 64 * 1024;

/** Starts them on 127.0.0.1. */
export async function startPayments(): Promise<Payments> {
  const charges: LedgerCharge[] = [];
  const byKey = new Map<string, LedgerCharge>();
  let answersToLose = 0;
  const server = createServer((request, response) => void serve(request, response));

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [status, body] = await answerTo(request).then(
      (made) => [200, made] as const,
      (error: unknown) => [422, { message: error instanceof Error ? error.message : String(error) }] as const,
    );
    if (request.method === "POST" && answersToLose > 0) {
      answersToLose -= 1;
      request.socket.destroy();
      return;
    }
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  }

  async function answerTo(request: IncomingMessage): Promise<unknown> {
    if (request.method === "GET") {
      const of = new URL(request.url ?? "/", "http://127.0.0.1").searchParams.get("order");
      return charges.filter(({ order }) => order === of);
    }
    let text = "";
    for await (const chunk of request) {
      text += String(chunk);
      if (text.length > BODY_BYTES_MAX) throw new Error(`a body of more than ${BODY_BYTES_MAX} bytes`);
    }
    const key = request.headers["idempotency-key"];
    const known = typeof key === "string" ? byKey.get(key) : undefined;
    if (known !== undefined) return known;
    const charge = { chargeId: `P-${charges.length + 1}`, ...NewCharge.parse(JSON.parse(text)) };
    charges.push(charge);
    if (typeof key === "string") byKey.set(key, charge);
    return charge;
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on a port has an address of this shape.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/charges`,
    charges,
    loseAnswers: (count) => void (answersToLose = count),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
