/** What tests of a mounted inbox have in common: servers of any framework, and a body that no parser may touch. */

import { createServer, type RequestListener } from "node:http";
import { PRESETS, signRequest } from "foothold/inbox";
import { secret } from "./world.ts";

/** Bytes that any reading as text would change. */
export const body: Buffer = Buffer.from('\uFEFF{"order":"o1",  "note":"\\u00e9"}\r\n');

/** Posts {@link body}, signed; the status that it is answered with. */
export async function send(url: string, id: string): Promise<number> {
  const signing = { method: "POST", url, body, secret, at: 0, id, eventType: "order.paid" };
  const headers = signRequest(PRESETS.hmac, signing);
  return (await fetch(url, { method: "POST", headers, body: new Uint8Array(body) })).status;
}

/** Servers that a test has started. */
export class Servers {
  readonly #closing: (() => Promise<unknown>)[] = [];

  /** Gives its address. */
  async serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    this.closeLater(
      () =>
        new Promise<void>((resolve) => {
          server.closeAllConnections();
          server.close(() => resolve());
        }),
    );
    const address = server.address();
    return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  }

  closeLater(close: () => Promise<unknown>): void {
    this.#closing.push(close);
  }

  async close(): Promise<void> {
    for (const close of this.#closing.splice(0)) await close();
  }
}
