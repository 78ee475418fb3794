import { readFile, stat } from "node:fs/promises";
import { readPermitLog, type PermitLog } from "./log.ts";

/** Largest log file, in bytes. */
const logBytesMax = 64 * 1024 * 1024;

/** A log file that cannot be run; the message names the file and, where there is one, the line. */
export class LogFileError extends Error {
  override readonly name = "LogFileError";
}

/** Reads a permit log from a file. Throws {@link LogFileError}. */
export async function readLogFile(file: string): Promise<PermitLog> {
  const read = readPermitLog(await readText(file));
  if (read.kind === "fault") throw new LogFileError(`${file}, line ${read.line}: ${read.message}`);
  return read.log;
}

async function readText(file: string): Promise<string> {
  try {
    const { size } = await stat(file);
    if (size > logBytesMax) throw new LogFileError(`${file} has ${size} bytes; ${logBytesMax} are the limit`);
    return await readFile(file, "utf8");
  } catch (cause) {
    if (cause instanceof LogFileError) throw cause;
    throw new LogFileError(`${file} cannot be read: ${reasonOf(cause)}`, { cause });
  }
}

function reasonOf(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (code === "ENOENT") return "there is no such file";
  if (code === "EISDIR") return "it is a folder";
  if (code === "EACCES") return "access is refused";
  return cause instanceof Error ? cause.message : String(cause);
}
