import { setMaxListeners } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { Service, ServiceDefinition } from "./answering.ts";
import { answerTo, closing } from "./answering.ts";
import { Ledger } from "./ledger.ts";
import type { Switches } from "./switches.ts";
import { behaving } from "./switches.ts";
import type { Answer } from "./write.ts";
import { errorAnswer } from "./write.ts";

/** How a service is started. Everything has a default. */
export interface ServiceOptions {
  /** Port on 127.0.0.1. Default 0: a free one. */
  readonly port?: number;
  /**
   * A ledger to share with other services in this process; `stop` leaves it open. Default: one of its own.
   */
  readonly ledger?: Ledger;
  /**
   * File of its own ledger, so that it survives a restart. Default: memory only. Not together with `ledger`.
   */
  readonly ledgerFile?: string;
  /** How it misbehaves from the start. Default: it behaves. */
  readonly switches?: Partial<Switches>;
}

/** A service that listens. */
export interface RunningService {
  readonly name: string;
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  readonly url: string;
  readonly ledger: Ledger;
  /** How it misbehaves now. */
  readonly switches: () => Switches;
  /** Switches some of it, from the next decision on. */
  readonly switchTo: (switches: Partial<Switches>) => void;
  /**
   * Stops taking connections, lets open requests end for up to two seconds, then cuts them. Safe to call
   * twice.
   */
  readonly stop: () => Promise<void>;
}

/** How long `stop` waits for open requests, in milliseconds. */
const stopGraceMs = 2_000;

/**
 * How long an idle connection is kept, in milliseconds: longer than clients keep theirs, so none is cut in
 * use.
 */
const keepAliveMs = 65_000;

/** How long a request may take to arrive, in milliseconds. */
const requestTimeoutMs = 30_000;

/** Connections at once. */
const connectionsMax = 4_096;

/**
 * Starts a service on 127.0.0.1. Besides its own paths it has control paths, which the ledger does not
 * record:
 *
 * - `GET /healthz`: 200 `{"status":"ok"}`.
 * - `GET /ledger?after=0&limit=5000`: one page of the ledger with its totals; `nextAfter` is the next
 *   `after`.
 * - `GET /faults` and `POST /faults`: the switches, see `readSwitches`.
 * - `GET COLLECTION/by-key/KEY` and `GET COLLECTION/ID` (both recorded): what was made, or 404.
 *
 * It can be reached from this machine only, and takes nothing but `application/json`, so no web page can post
 * to it. Rejects when the port is taken or the ledger file cannot be read.
 */
export async function startService(
  definition: ServiceDefinition,
  options: ServiceOptions = {},
): Promise<RunningService> {
  const ledger =
    options.ledger ?? Ledger.open(options.ledgerFile === undefined ? {} : { file: options.ledgerFile });
  const switches = { ...behaving, ...options.switches };
  const service: Service = { definition, ledger, switches, stopping: new AbortController() };
  // Every request that waits out a latency listens to it.
  setMaxListeners(connectionsMax, service.stopping.signal);
  const server = createServer(
    { keepAliveTimeout: keepAliveMs, requestTimeout: requestTimeoutMs },
    (request, response) => void serve(service, request, response),
  );
  server.maxConnections = connectionsMax;
  const closeLedger = (): void => {
    if (options.ledger === undefined) ledger.close();
  };
  let port: number;
  try {
    port = await listen(server, options.port ?? 0);
  } catch (error) {
    closeLedger();
    throw error;
  }
  let stopped: Promise<void> | null = null;
  return {
    name: definition.name,
    url: `http://127.0.0.1:${port}`,
    ledger,
    switches: () => service.switches,
    switchTo: (change) => {
      service.switches = { ...service.switches, ...change };
    },
    stop: () => (stopped ??= stopServer(service, server).finally(closeLedger)),
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject);
      const address = server.address();
      if (address === null || typeof address === "string") reject(new Error("the server has no port"));
      else resolve(address.port);
    });
  });
}

async function stopServer(service: Service, server: Server): Promise<void> {
  service.stopping.abort();
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), stopGraceMs);
  await closed;
  clearTimeout(cut);
}

async function serve(service: Service, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const answer = await answerTo(service, request);
    if (answer === "dropped") request.socket.destroy();
    else send(response, service.stopping.signal.aborted ? closing(answer) : answer);
  } catch (error) {
    // A ledger that cannot write is the one cause known: say so rather than pretend.
    const message = error instanceof Error ? error.message : String(error);
    if (response.headersSent) request.socket.destroy();
    else send(response, closing(errorAnswer(500, "internal", message)));
  }
}

function send(response: ServerResponse, answer: Answer): void {
  response.writeHead(answer.status, {
    ...answer.headers,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(answer.body),
  });
  response.end(answer.body);
}
