import {
  closeSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  truncateSync,
  copyFileSync,
} from "node:fs";

const tailLinesMax = 20;
const tailBytesMax = 16 * 1024;
const logBytesMax = 4 * 1024 * 1024;

/**
 * Keeps the server's log within bounds: beyond 4 MB it becomes `<path>.1`, over the one before. The server may be running:
 * it appends, so cutting the file it holds open is safe.
 */
export function boundLog(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= logBytesMax) return;
  copyFileSync(path, `${path}.part`);
  renameSync(`${path}.part`, `${path}.1`);
  truncateSync(path);
}

/** The last lines of a log, at most 20, from `offset` on; empty if there is none to read. */
export function readLogTail(path: string, offset = 0): string {
  let descriptor: number;
  try {
    descriptor = openSync(path, "r");
  } catch {
    return "";
  }
  try {
    const { size } = fstatSync(descriptor);
    const from = Math.max(offset, size - tailBytesMax);
    const bytes = Buffer.alloc(Math.max(0, size - from));
    readSync(descriptor, bytes, 0, bytes.length, from);
    return bytes.toString().trimEnd().split("\n").slice(-tailLinesMax).join("\n");
  } finally {
    closeSync(descriptor);
  }
}

/** The size of a log in bytes, 0 if there is none. */
export function measureLog(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
