/** PgBouncer in front of a test server: clients get a connection of the server for one transaction, and another for the next. */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, chownSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { connect, createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { chooseAccount } from "../../src/store/embedded/account.ts";
import { installDebianPackage } from "./debian.ts";
import { makeTestFolder, removeTestFolder } from "./server.ts";

/** Where it is, or why there is none to use. */
export type FoundPgBouncer =
  | { readonly found: true; readonly path: string; readonly version: string }
  | { readonly found: false; readonly reason: string };

/** A running one. */
export interface PgBouncer {
  /** The same database, through it. */
  through(url: string): string;
  stop(): Promise<void>;
}

const places = [
  "/usr/sbin/pgbouncer",
  "/usr/bin/pgbouncer",
  "/usr/local/bin/pgbouncer",
  "/opt/homebrew/bin/pgbouncer",
];
const START_MS_MAX = 10_000;

/** Finds it, or has Debian install it. */
export function findPgBouncer(): FoundPgBouncer {
  if (findInstalled() === null) installDebianPackage("pgbouncer");
  const path = findInstalled();
  if (path === null)
    return { found: false, reason: "no PgBouncer is installed; on Debian: apt-get install pgbouncer" };
  const told = execFileSync(path, ["--version"], { encoding: "utf8" });
  return { found: true, path, version: /PgBouncer (\S+)/.exec(told)?.[1] ?? told };
}

function findInstalled(): string | null {
  return places.find((place) => existsSync(place)) ?? null;
}

/**
 * Starts one that lends `poolSize` connections to the server of `serverUrl`, transaction by transaction, for each database.
 * Stop it in `afterAll`.
 */
export async function startPgBouncer(path: string, serverUrl: string, poolSize: number): Promise<PgBouncer> {
  const folder = makeTestFolder();
  const server = new URL(serverUrl);
  const port = await findFreePort();
  const account = chooseAccount(join(folder, "data"));
  const logFile = join(folder, "pgbouncer.log");
  const config = join(folder, "pgbouncer.ini");
  writeFileSync(
    config,
    [
      "[databases]",
      `* = host=${server.searchParams.get("host") ?? server.hostname} port=${server.port} user=${server.username}`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${port}`,
      "unix_socket_dir =",
      "auth_type = any",
      "pool_mode = transaction",
      `default_pool_size = ${poolSize}`,
      "max_client_conn = 500",
      "server_idle_timeout = 1",
      `logfile = ${logFile}`,
    ].join("\n"),
  );
  if (account !== undefined) chownSync(folder, account.uid, account.gid);
  chmodSync(config, 0o644);
  const child = spawn(path, ["--quiet", config], { stdio: "ignore", ...account });
  try {
    await untilItListens(child, port, logFile);
  } catch (error) {
    await stop(child, folder);
    throw error;
  }
  return {
    through: (url) => {
      const its = new URL(url);
      its.searchParams.delete("host");
      its.hostname = "127.0.0.1";
      its.port = String(port);
      return its.href;
    },
    stop: () => stop(child, folder),
  };
}

async function untilItListens(child: ChildProcess, port: number, logFile: string): Promise<void> {
  const startedAt = performance.now();
  while (!(await listens(port))) {
    const isLate = performance.now() - startedAt > START_MS_MAX;
    if (isLate || child.exitCode !== null) {
      const log = existsSync(logFile) ? readFileSync(logFile, "utf8") : "it wrote no log";
      throw new Error(`PgBouncer does not listen on port ${port}: ${log}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A listening TCP server has such an address.
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function stop(child: ChildProcess, folder: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
  }
  await removeTestFolder(folder);
}
