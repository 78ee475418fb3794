import type { ChildProcess } from "node:child_process";
import {
  chownSync,
  closeSync,
  fchmodSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { FootholdError } from "../../core/errors.ts";
import type { Binaries } from "./binaries.ts";
import { openData } from "./cluster.ts";
import { describeFolderError, inFolder, isErrno } from "./folder-error.ts";
import { type Account, launchProgram, readCommandLine, readStartMark } from "./processes.ts";
import { boundLog, measureLog, readLogTail } from "./server-log.ts";
import { openSocketFolder } from "./socket-folder.ts";

/** The number in the name of the socket; nothing listens on a TCP port of this number. */
export const socketPort = 5432;

const roundMs = 10;
const connectTimeoutMs = 2_000;
const startTimeoutMs = 60_000;
const leftoversTimeoutMs = 10_000;
const fastStopTimeoutMs = 30_000;
const immediateStopTimeoutMs = 15_000;

/** What this file relies on when it looks at a server. */
const fixedSettings = {
  listen_addresses: "",
  port: String(socketPort),
  // In the data folder itself, which only the server's account and root can enter.
  unix_socket_directories: ".",
  unix_socket_permissions: "0700",
  log_destination: "stderr",
  logging_collector: "off",
  log_line_prefix: "%m [%p] %e ",
} as const;

/** What is going on in a data folder. */
export type Inspection =
  /** Nothing runs there. `leftPid` is the process that a lock file still names. */
  | { readonly kind: "none"; readonly leftPid: number | undefined }
  /** A server is there and takes no connections: it starts, recovers or stops. */
  | { readonly kind: "busy"; readonly pid: number | undefined }
  | { readonly kind: "ready"; readonly pid: number };

/** What a server is started with. */
export interface PostmasterOptions {
  readonly binaries: Binaries;
  readonly data: string;
  readonly logFile: string;
  readonly account: Account | undefined;
  /** Settings that hold whatever the configuration file says; those this file relies on are added. */
  readonly settings: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Looks whether a server runs on `data`. Both signs count, because each can fail alone: the socket answers (also from another
 * container, whose process ids mean nothing here), or the process in the lock file is a server started for this very folder
 * (a process id alone may since belong to another program).
 */
export async function inspectPostmaster(data: string): Promise<Inspection> {
  const lockFile = readLockFile(data);
  const isListening = await answers(join(openSocketFolder(data), `.s.PGSQL.${socketPort}`));
  const isOurs = lockFile !== undefined && isPostmasterOf(lockFile.pid, data);
  if (!isListening && !isOurs) return { kind: "none", leftPid: lockFile?.pid };
  if (isListening && lockFile?.status === "ready") return { kind: "ready", pid: lockFile.pid };
  return { kind: "busy", pid: lockFile?.pid };
}

/**
 * A server that takes connections on `data`: the one that runs there, or one started now. Bounded: 60 s for the start or the
 * recovery, 10 s more for what a killed server left behind. Throws `EMBEDDED_START_FAILED` with the end of the server's log.
 */
export async function ensurePostmaster(
  options: PostmasterOptions,
): Promise<{ readonly pid: number; readonly isAttached: boolean }> {
  const startedAt = performance.now();
  for (;;) {
    options.signal?.throwIfAborted();
    const found = await inspectPostmaster(options.data);
    switch (found.kind) {
      case "ready":
        return { pid: found.pid, isAttached: true };
      case "none":
        return { pid: await startOverLeftovers(options, found.leftPid), isAttached: false };
      case "busy":
        if (performance.now() - startedAt > startTimeoutMs) throw stuckError(options, found.pid);
        await pause(roundMs, undefined, { signal: options.signal });
    }
  }
}

/** Backends outlive a killed server by moments and still hold its shared memory; PostgreSQL waits for nobody, so we do. */
async function startOverLeftovers(options: PostmasterOptions, leftPid: number | undefined): Promise<number> {
  inFolder(options.data, () => disarmLeftFiles(options.data, leftPid));
  const startedAt = performance.now();
  for (;;) {
    const result = await startPostmaster(options);
    if (result.kind === "ready") return result.pid;
    const isOver = performance.now() - startedAt > leftoversTimeoutMs;
    if (!result.isHeldByOthers || isOver) throw startError(options, result.reason, result.log);
    await pause(roundMs * 10, undefined, { signal: options.signal });
  }
}

/**
 * Lets a server start although the process named in the lock file exists: only as a zombie, or as another program. The file
 * is not removed, because PostgreSQL finds in it the shared memory that leftover backends may still use. It is given our own
 * process id: that of the parent is the one that PostgreSQL knows to be no server.
 */
function disarmLeftFiles(data: string, leftPid: number | undefined): void {
  rmSync(join(data, `.s.PGSQL.${socketPort}`), { force: true });
  rmSync(join(data, `.s.PGSQL.${socketPort}.lock`), { force: true });
  if (leftPid === undefined) return;
  const path = join(data, "postmaster.pid");
  const [, ...rest] = readFileSync(path, "utf8").split("\n");
  writeFileSync(path, [String(process.pid), ...rest].join("\n"));
}

type StartResult =
  | { readonly kind: "ready"; readonly pid: number }
  /** `isHeldByOthers`: PostgreSQL found the folder in use. */
  | {
      readonly kind: "ended";
      readonly reason: string;
      readonly log: string;
      readonly isHeldByOthers: boolean;
    };

async function startPostmaster(options: PostmasterOptions): Promise<StartResult> {
  const { data, logFile, signal } = options;
  const { child, logOffset } = launchPostmaster(options);
  const ended = watchEnd(child);
  const startedAt = performance.now();
  try {
    for (;;) {
      signal?.throwIfAborted();
      const end = ended();
      if (end !== undefined) return describeEnd(end, readLogTail(logFile, logOffset));
      const lockFile = readLockFile(data);
      if (lockFile !== undefined && lockFile.pid === child.pid && lockFile.status === "ready") {
        // We neither wait for it nor keep our process alive for it.
        child.unref();
        return { kind: "ready", pid: lockFile.pid };
      }
      if (performance.now() - startedAt > startTimeoutMs) throw stuckError(options, child.pid);
      await pause(roundMs, undefined, { signal });
    }
  } catch (error) {
    // SIGQUIT: at once, and safe, since whatever is committed is on disk.
    child.kill("SIGQUIT");
    throw error;
  }
}

function launchPostmaster(options: PostmasterOptions): { child: ChildProcess; logOffset: number } {
  const { binaries, data, logFile, account, settings } = options;
  let logDescriptor: number | undefined;
  try {
    const access = openData(data, account);
    try {
      boundLog(logFile);
      logDescriptor = openSync(logFile, "a", 0o600);
      fchmodSync(logDescriptor, 0o600);
      if (account !== undefined) chownSync(logFile, account.uid, account.gid);
      const logOffset = measureLog(logFile);
      const all = { ...settings, ...fixedSettings, cluster_name: nameCluster(data) };
      const parameters = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
      const child = launchProgram(binaries.postgres, ["-D", access.path, ...parameters], {
        account,
        logDescriptor,
        descriptor: access.descriptor,
      });
      return { child, logOffset };
    } finally {
      access.close();
    }
  } catch (error) {
    throw describeFolderError(data, error);
  } finally {
    if (logDescriptor !== undefined) closeSync(logDescriptor);
  }
}

function watchEnd(child: ChildProcess): () => string | Error | undefined {
  let end: string | Error | undefined;
  child.once("error", (error) => (end ??= error));
  child.once(
    "exit",
    (exitCode, signal) => (end ??= signal === null ? `exit code ${exitCode}` : `signal ${signal}`),
  );
  return () => end;
}

function describeEnd(end: string | Error, log: string): StartResult {
  return {
    kind: "ended",
    reason: end instanceof Error ? end.message : `it ended with ${end}`,
    log,
    // Our prefix of a log line ends with the SQLSTATE; F0001 is lock_file_exists, which covers shared memory in use.
    isHeldByOthers: /\] F0001 FATAL/.test(log),
  };
}

/**
 * Stops the server on `data` if one runs that was started for it: fast first (open transactions are rolled back, 30 s),
 * then at once (the next start recovers). Throws `EMBEDDED_STOP_FAILED` if it is still there after that.
 */
export async function stopPostmaster(data: string): Promise<void> {
  const pid = readLockFile(data)?.pid;
  if (pid === undefined || !isPostmasterOf(pid, data)) return;
  const startMark = readStartMark(pid);
  const isGone = (): boolean => readStartMark(pid) !== startMark;
  for (const [signal, timeoutMs] of [
    ["SIGINT", fastStopTimeoutMs],
    ["SIGQUIT", immediateStopTimeoutMs],
  ] as const) {
    sendSignal(pid, signal);
    if (await waitUntil(isGone, timeoutMs)) return;
  }
  throw new FootholdError(
    "EMBEDDED_STOP_FAILED",
    `the embedded database in ${data} (process ${pid}) does not stop. Its data is safe: end it with kill -9 ${pid}.`,
    { details: { folder: data, pid } },
  );
}

/** Asks the server on `data` to stop and does not wait: for the moment in which our process ends. */
export function hintStop(data: string): void {
  const pid = readLockFile(data)?.pid;
  if (pid !== undefined && isPostmasterOf(pid, data)) sendSignal(pid, "SIGINT");
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!isErrno(error, "ESRCH")) throw error;
  }
}

async function waitUntil(isTrue: () => boolean, timeoutMs: number): Promise<boolean> {
  const startedAt = performance.now();
  while (!isTrue()) {
    if (performance.now() - startedAt > timeoutMs) return false;
    await pause(roundMs);
  }
  return true;
}

interface LockFile {
  readonly pid: number;
  /** `starting`, `ready` or `stopping`; empty while the file is being written. */
  readonly status: string;
}

function readLockFile(data: string): LockFile | undefined {
  let lines: readonly string[];
  try {
    lines = readFileSync(join(data, "postmaster.pid"), "utf8").split("\n");
  } catch (error) {
    if (isErrno(error, "ENOENT")) return undefined;
    throw describeFolderError(data, error);
  }
  // Negative for a server in single-user mode.
  const pid = Math.abs(Number.parseInt(lines[0] ?? "", 10));
  return pid > 0 ? { pid, status: (lines[7] ?? "").trim() } : undefined;
}

function isPostmasterOf(pid: number, data: string): boolean {
  return (
    readStartMark(pid) !== undefined && readCommandLine(pid).includes(`cluster_name=${nameCluster(data)}`)
  );
}

/** Names the folder by its place on the disk: the name goes with it when it is moved, and a copy has another. */
function nameCluster(data: string): string {
  const { dev, ino } = statSync(data);
  return `foothold-${dev.toString(36)}-${ino.toString(36)}`;
}

async function answers(socketPath: string): Promise<boolean> {
  const socket = connect(socketPath);
  try {
    return await new Promise<boolean>((resolve, reject) => {
      socket.setTimeout(connectTimeoutMs, () => resolve(true));
      socket.once("connect", () => resolve(true));
      socket.once("error", (error) => {
        if (isErrno(error, "ENOENT", "ECONNREFUSED", "ENOTSOCK")) resolve(false);
        // Its queue is full: somebody is there.
        else if (isErrno(error, "EAGAIN")) resolve(true);
        else reject(error);
      });
    });
  } finally {
    socket.destroy();
  }
}

function startError(options: PostmasterOptions, reason: string, log: string): FootholdError {
  return new FootholdError(
    "EMBEDDED_START_FAILED",
    `the embedded database in ${options.data} did not start: ${reason}. ${advice}\nIts log (${options.logFile}) ends:\n${log}`,
    { details: { folder: options.data, logFile: options.logFile, log } },
  );
}

const advice =
  "If the log speaks of damaged or missing files, put a backup in their place or choose another folder; nothing was removed.";

function stuckError(options: PostmasterOptions, pid: number | undefined): FootholdError {
  const log = readLogTail(options.logFile);
  return new FootholdError(
    "EMBEDDED_START_FAILED",
    `the embedded database in ${options.data} (process ${pid ?? "unknown"}) took no connections for ` +
      `${startTimeoutMs / 1000} s. If it is recovering, try again; else end that process first. ` +
      `Its log (${options.logFile}) ends:\n${log}`,
    { details: { folder: options.data, logFile: options.logFile, pid, log } },
  );
}
