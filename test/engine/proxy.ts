import { connect, createServer, type Socket } from "node:net";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom } from "../../examples/services/seeded-random.ts";

/** A network between us and the database that can be made to fail. */
export interface DatabaseProxy {
  /** The database's URL through it. */
  readonly url: string;
  /** Cuts the connection instead of passing on an answer of the database: one in eight, until `count` are lost. */
  lose(count: number): void;
  /** Answers lost so far. */
  lost(): number;
  stop(): Promise<void>;
}

/** Starts a proxy in front of a database that is reached over a Unix socket or TCP. */
export async function startProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const folder = mkdtempSync(join(tmpdir(), "foothold-proxy-"));
  const host = target.searchParams.get("host");
  const port = target.port === "" ? "5432" : target.port;
  const there =
    host?.startsWith("/") === true
      ? { path: `${host}/.s.PGSQL.${port}` }
      : { host: target.hostname, port: Number(port) };
  const sockets = new Set<Socket>();
  let toLose = 0;
  let lost = 0;
  const random = seededRandom("lost answers");
  const server = createServer((client) => {
    const database = connect(there);
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
    client.on("data", (chunk) => database.write(chunk));
    database.on("data", (chunk) => {
      if (toLose > 0 && random.under(8) === 0) {
        // The database has done what it was asked to; we never hear of it.
        toLose -= 1;
        lost += 1;
        client.destroy();
        return;
      }
      client.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(join(folder, `.s.PGSQL.${port}`), resolve));
  const url = new URL(databaseUrl);
  url.searchParams.set("host", folder);
  return {
    url: url.href,
    lose: (count) => {
      toLose = count;
    },
    lost: () => lost,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
