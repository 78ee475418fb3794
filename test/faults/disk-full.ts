/** A disk that runs full under load: where the tables are, or where the write-ahead log is. Needs root, to mount it. */

import { execFileSync } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { until } from "../engine/world.ts";
import { findTestBinaries, startServer, type TestServer } from "../setup/server.ts";
import { inArena, LEASE_MS } from "./arena.ts";
import { withClient } from "./client.ts";
import { keepBusy, someDone } from "./load.ts";
import { ran, type Outcome } from "./tally.ts";

/** Which disk runs full. */
export type Disk =
  /** The server lives on and refuses what needs space. */
  | "tables"
  /** The server ends itself and does not start again before there is space. */
  | "log";

const DISKS = {
  tables: { folder: "base", sizeMb: 160, settings: {} },
  // Nothing is recycled before the disk is full.
  log: { folder: "pg_wal", sizeMb: 64, settings: { max_wal_size: "1GB", checkpoint_timeout: "1h" } },
} as const;

/** Cases that are done before the disk runs full, and after there is space again. */
const DONE_BETWEEN = 30;
/** How long the disk stays full, in ms: longer than any worker may trust its lease. */
const FULL_MS = LEASE_MS + 1_000;
/** How often a server that ended is started, as an init system does, in ms. */
const START_EVERY_MS = 300;
/** SQLSTATE of a full disk, as the server's log has it. */
const DISK_FULL = " 53100 ";

/** Fills a disk and frees it again. One run = one time. */
export async function fillDisk(disk: Disk): Promise<Outcome> {
  const { settings, sizeMb, folder } = DISKS[disk];
  const server = await startServer(await findTestBinaries(), { settings });
  try {
    const path = join(dirname(server.logFile), "data", folder);
    await server.stopFast();
    const reason = moveToSmallDisk(path, sizeMb);
    if (reason !== null) return { kind: "skipped", reason };
    await server.start();
    return await inArena(server.url, async (arena) => {
      const letEnd = keepAlive(server);
      arena.world.onClose(letEnd);
      for (const name of ["one", "two"]) await arena.worker(name, { concurrency: 16 });
      arena.sweep();
      const load = keepBusy(arena, "key");
      await someDone(arena, DONE_BETWEEN);
      const free = await fill(disk, path, server);
      await new Promise((resolve) => setTimeout(resolve, FULL_MS));
      free();
      await someDone(arena, DONE_BETWEEN);
      await load.stop();
      await arena.settle();
      return ran(1, 1, await arena.judge());
    });
  } finally {
    await server.stop();
  }
}

/** Puts a folder of a stopped server on a disk of its own. Returns why that is not possible here; null = it was done. */
function moveToSmallDisk(path: string, sizeMb: number): string | null {
  if (process.platform !== "linux" || process.getuid?.() !== 0)
    return "a small disk is mounted by root on Linux only";
  const { uid, gid } = statSync(path);
  const old = `${path}.old`;
  renameSync(path, old);
  mkdirSync(path);
  try {
    execFileSync(
      "mount",
      ["-t", "tmpfs", "-o", `size=${sizeMb}m,mode=700,uid=${uid},gid=${gid}`, "tmpfs", path],
      {
        stdio: "pipe",
      },
    );
  } catch (error) {
    return `this root may not mount a disk: ${String(error).slice(0, 200)}`;
  }
  execFileSync("cp", ["-a", `${old}/.`, path]);
  rmSync(old, { recursive: true });
  return null;
}

/** Fills the disk and waits until that has hit. Returns the function that makes space, after which all goes on. */
async function fill(disk: Disk, path: string, server: TestServer): Promise<() => void> {
  const isHit = (): boolean => readFileSync(server.logFile, "utf8").includes(DISK_FULL);
  if (disk === "tables") {
    const filler = join(path, "filler");
    writeUntilFull(filler);
    await until("the server to miss space", isHit);
    return () => rmSync(filler);
  }
  await writeLogUntilFull(server);
  await until("the server to end for want of space", isHit);
  return () => void execFileSync("mount", ["-o", "remount,size=1g", path], { stdio: "pipe" });
}

function writeUntilFull(file: string): void {
  const descriptor = openSync(file, "w");
  const block = Buffer.alloc(64 * 1024);
  try {
    for (;;) writeSync(descriptor, block);
  } catch {
    // It is full, up to less than a block.
  } finally {
    closeSync(descriptor);
  }
}

/** A neighbor in the same server that writes much. */
async function writeLogUntilFull({ url }: TestServer): Promise<void> {
  const write = async (): Promise<void> =>
    withClient(url, async (client) => {
      await client.query("create table neighbor (body text)");
      for (;;)
        await client.query(
          "insert into neighbor select repeat(md5(n::text), 100) from generate_series(1, 1000) n",
        );
    });
  // It ends when the server does.
  await write().catch(() => undefined);
}

/** Starts the server again whenever it has ended, as an init system does. Returns the function that ends that. */
function keepAlive(server: TestServer): () => Promise<void> {
  const ended = new AbortController();
  const watch = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      // With the disk full it ends before it is ready, or soon after.
      if (!server.isAlive()) await server.start().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, START_EVERY_MS));
    }
  };
  const watching = watch();
  return async () => {
    ended.abort();
    await watching;
  };
}
