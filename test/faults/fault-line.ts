/** A line between workers and their database that fails at the worst moment: a TCP proxy on loopback. */

import { connect, createServer, type Socket } from "node:net";
import { seededRandom } from "../../examples/services/seeded-random.ts";

/** How the line fails. */
type LineFault =
  /** A commit is cut off before the server has it. */
  | "cutBefore"
  /** The server has stored a commit; its answer is swallowed and the connection cut. */
  | "loseReply"
  /** Nothing passes any more in either direction, and no connection is closed. */
  | "silence";

/** A line to a database. */
export interface FaultLine {
  /** The database's URL by this line. */
  readonly url: string;
  /** From now on it fails so: `silence` at once, the others at every second commit, drawn from the seed. */
  fail(fault: LineFault): void;
  /** Works again. What was silent is cut, as by a router that has forgotten it. */
  heal(): void;
  /** Commits that were hit so far. */
  hits(): number;
  stop(): Promise<void>;
}

/** Statements that store the commits of holders. */
const COMMITS = ["commit_one", "commit_batch"];

/** Starts a line to the database at `databaseUrl`. */
export async function startFaultLine(databaseUrl: string, seed: string): Promise<FaultLine> {
  const target = addressOf(databaseUrl);
  const random = seededRandom(seed);
  const sockets = new Set<Socket>();
  let fault: LineFault | null = null;
  let hits = 0;
  const isStruck = (chunk: Buffer): boolean =>
    COMMITS.some((name) => chunk.includes(name)) && random.under(2) === 0;
  const server = createServer((client) => {
    const database = connect(target);
    let isReplyLost = false;
    const cut = (): void => {
      hits += 1;
      client.destroy();
    };
    for (const [one, other] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(one);
      one.on("error", () => undefined);
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    client.on("data", (chunk) => {
      if (fault === "silence") return;
      if (fault === "cutBefore" && isStruck(chunk)) return cut();
      isReplyLost ||= fault === "loseReply" && isStruck(chunk);
      database.write(chunk);
    });
    database.on("data", (chunk) => {
      if (fault === "silence") return;
      // It has answered, so it has stored it; whoever asked never hears of it.
      if (isReplyLost) return cut();
      client.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cutAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: throughPort(databaseUrl, server.address()),
    fail: (next) => (fault = next),
    heal: () => {
      if (fault === "silence") cutAll();
      fault = null;
    },
    hits: () => hits,
    stop: async () => {
      cutAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Where the database listens: a Unix socket, or a port. */
function addressOf(
  databaseUrl: string,
): { readonly path: string } | { readonly host: string; readonly port: number } {
  const { hostname, port, searchParams } = new URL(databaseUrl);
  const number = port === "" ? "5432" : port;
  const host = searchParams.get("host") ?? hostname;
  return host.startsWith("/") ? { path: `${host}/.s.PGSQL.${number}` } : { host, port: Number(number) };
}

function throughPort(
  databaseUrl: string,
  address: ReturnType<ReturnType<typeof createServer>["address"]>,
): string {
  const url = new URL(databaseUrl);
  url.searchParams.delete("host");
  url.hostname = "127.0.0.1";
  url.port = typeof address === "object" ? String(address?.port) : "";
  return url.href;
}
