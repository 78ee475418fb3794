/** A shop on this machine that executes each key once. `npm run shop` starts it; tests and the rehearsal bring their own. */

import { createServer, type IncomingMessage, type Server } from "node:http";
import { pathToFileURL } from "node:url";

/** Characters of a body that are read. */
const BODY_CHARS_MAX = 10_000;

/** A shop that runs. */
export interface Shop {
  readonly url: string;
  /** What was executed: by idempotency key, the id it got. */
  readonly executed: ReadonlyMap<string, string>;
  stop(): Promise<void>;
}

/** Starts one; port 0 = any free one. */
export async function startShop(port: number): Promise<Shop> {
  const executed = new Map<string, string>();
  const server = createServer((request, response) => {
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    answerTo(request, executed).then(
      ({ status, body }) => answer(status, body),
      () => answer(400, { error: "the request could not be read" }),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return { url: `http://127.0.0.1:${portOf(server)}`, executed, stop: () => stop(server) };
}

async function answerTo(
  request: IncomingMessage,
  executed: Map<string, string>,
): Promise<{ readonly status: number; readonly body: object }> {
  await readBody(request);
  const path = (request.url ?? "").split("/").slice(1);
  if (request.method === "GET") {
    const orderId = executed.get(decodeURIComponent(path[1] ?? ""));
    return orderId === undefined ? { status: 404, body: {} } : { status: 200, body: { orderId } };
  }
  const key = request.headers["idempotency-key"];
  if (typeof key !== "string") return { status: 400, body: { error: "an idempotency-key is missing" } };
  const orderId = executed.get(key) ?? `${path[0] === "notes" ? "N" : "O"}-${executed.size + 1}`;
  executed.set(key, orderId);
  return { status: 201, body: { orderId } };
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const part of request) {
    text += String(part);
    if (text.length > BODY_CHARS_MAX) throw new Error("the body is too long");
  }
  return text;
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { url } = await startShop(4690);
  process.stdout.write(`the shop listens at ${url}\n`);
}
