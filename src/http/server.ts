/** The socket: bound to this machine only, with bounds on connections and times, closed without cutting answers off. */

import { lookup } from "node:dns/promises";
import { createServer, type Server, type ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { FootholdError } from "../core/errors.ts";
import type { NodeHandler } from "../inbox/handlers.ts";
import { CHANGES_PATH } from "./api/routes.ts";
import type { App } from "./app.ts";
import { isLoopbackAddress, type Reach } from "./loopback.ts";

/** Where to listen. */
export interface ServerOptions {
  readonly app: App;
  /** A loopback address or `localhost`; any address where the server has a public one. */
  readonly host: string;
  /** Left out = this machine alone. */
  readonly reach?: Reach;
  /** 0 = any free one. */
  readonly port: number;
  /**
   * Answers what is posted below `/inbox/`. Such a request proves by itself where it comes from, so it may be forwarded to
   * this server from elsewhere, as nothing else may.
   */
  readonly inbox?: NodeHandler;
}

/** A server that listens. */
export interface RunningServer {
  readonly url: string;
  readonly port: number;
  /** Takes no new requests and waits for those under way, 5 s at most. Safe twice. */
  close(): Promise<void>;
}

/** Connections at the same time. */
const CONNECTIONS_MAX = 256;
/** How long closing waits for requests under way, in ms. */
const CLOSE_MS_MAX = 5_000;
const HEADERS_MS_MAX = 10_000;
const REQUEST_MS_MAX = 30_000;
const HEADER_BYTES_MAX = 16 * 1024;

/** Starts listening. Throws `NOT_LOOPBACK` for any other host, `PORT_IN_USE` with what to do. */
export async function startServer({ app, host, port, reach, inbox }: ServerOptions): Promise<RunningServer> {
  const address = reach?.kind === "public" ? host : await loopbackAddress(host);
  const listener = getRequestListener(app.fetch, { hostname: "localhost", overrideGlobalObjects: false });
  let closing: Promise<void> | undefined;
  /** Answers that end only when somebody ends them. */
  const streams = new Set<ServerResponse>();
  const server = createServer(
    { headersTimeout: HEADERS_MS_MAX, requestTimeout: REQUEST_MS_MAX, maxHeaderSize: HEADER_BYTES_MAX },
    (incoming, outgoing) => {
      // A connection that is kept alive after its last answer would hold up the closing.
      if (incoming.url?.startsWith(CHANGES_PATH) === true) streams.add(outgoing);
      outgoing.once("close", () => {
        streams.delete(outgoing);
        if (closing !== undefined) server.closeIdleConnections();
      });
      if (inbox !== undefined && incoming.url?.startsWith("/inbox/") === true) void inbox(incoming, outgoing);
      else void listener(incoming, outgoing);
    },
  );
  server.maxConnections = CONNECTIONS_MAX;
  const bound = await listen(server, address, port);
  return {
    url: `http://${address.includes(":") ? `[${address}]` : address}:${bound}`,
    port: bound,
    close: () => (closing ??= closeServer(server, streams)),
  };
}

/** A name is resolved here, so that what is bound is what was judged. */
async function loopbackAddress(host: string): Promise<string> {
  const name = host.replace(/^\[(.*)\]$/, "$1");
  if (isLoopbackAddress(name)) return name;
  if (name !== "localhost") throw notLoopback(host);
  const found = await lookup(name, { all: true });
  const addresses = found.map(({ address }) => address).filter(isLoopbackAddress);
  const [first] = addresses;
  if (first === undefined) throw notLoopback(host);
  return addresses.includes("127.0.0.1") ? "127.0.0.1" : first;
}

function notLoopback(host: string): FootholdError {
  return new FootholdError(
    "NOT_LOOPBACK",
    `Without a public https address the server listens on this machine only: ${JSON.stringify(host.slice(0, 100))} is not ` +
      `a loopback address. Leave the host out, name 127.0.0.1, ::1 or localhost, or give --public-url.`,
  );
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)));
    server.listen({ host, port }, () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const isTaken = error.code === "EADDRINUSE";
  if (!isTaken && error.code !== "EACCES") return error;
  const why = isTaken ? "is in use by another program" : "may not be used by this account";
  return new FootholdError(
    "PORT_IN_USE",
    `Port ${port} of ${host} ${why}. Stop the other program, or choose another port with --port.`,
    { cause: error },
  );
}

function closeServer(server: Server, streams: ReadonlySet<ServerResponse>): Promise<void> {
  return new Promise((resolve) => {
    // Whoever listens for changes asks again, and finds whatever runs by then.
    for (const stream of streams) stream.destroy();
    const cut = setTimeout(() => server.closeAllConnections(), CLOSE_MS_MAX);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}
