import { lstatSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { FootholdError } from "../../core/errors.ts";
import { isErrno } from "./folder-error.ts";

/** What the kernels allow for the path of a socket: 104 bytes with the closing zero on macOS, 108 on Linux. */
const socketPathBytesMax = 103;
const socketNameBytes = "/.s.PGSQL.5432".length;

/**
 * The path by which clients reach the socket in `data`: `data` itself, or, if that is too long for a socket's path, a link to
 * it with a short name in the folder for temporary files. The link gives nobody access, and only one of our own is used.
 */
export function openSocketFolder(data: string): string {
  if (isShortEnough(data)) return data;
  const path = nameLink(data);
  if (isOurLink(path, data)) return path;
  try {
    symlinkSync(data, path);
  } catch (error) {
    // One of us beside us may have made it; else it is not ours to use.
    if (!isErrno(error, "EEXIST") || !isOurLink(path, data)) throw linkError(data, path, error);
  }
  return path;
}

/** Removes the link that `openSocketFolder` made, if it made one. */
export function closeSocketFolder(data: string): void {
  if (isShortEnough(data)) return;
  const path = nameLink(data);
  if (isOurLink(path, data)) rmSync(path, { force: true });
}

function nameLink(data: string): string {
  const hash = createHash("sha256").update(data).digest("hex").slice(0, 16);
  const name = `foothold-${process.getuid?.() ?? 0}-${hash}`;
  const inTmpdir = join(tmpdir(), name);
  return isShortEnough(inTmpdir) ? inTmpdir : join("/tmp", name);
}

function isShortEnough(path: string): boolean {
  return Buffer.byteLength(path) + socketNameBytes <= socketPathBytesMax;
}

function isOurLink(path: string, data: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isSymbolicLink() === true && stats.uid === process.getuid?.() && readlinkSync(path) === data;
}

function linkError(data: string, path: string, cause: unknown): FootholdError {
  return new FootholdError(
    "EMBEDDED_FOLDER_UNUSABLE",
    `the path ${data} is too long for a socket, and no short link to it can be made at ${path}. Choose a folder with a ` +
      "shorter path, or remove what is in the way there.",
    { cause, details: { folder: data, link: path } },
  );
}
