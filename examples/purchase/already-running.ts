/** Tells whether a demonstration runs on a data folder. */

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** How to tell whether a demonstration runs. */
interface Sign {
  readonly pid: number;
  readonly pageUrl: string;
}

/** The demonstration that runs on this data folder; null = none. One that was killed does not count. */
export async function findRunning(folder: string): Promise<Sign | null> {
  const sign = readSign(folder);
  if (sign === null || sign.pid === process.pid || !isAlive(sign.pid)) return null;
  try {
    // Its process id may belong to somebody else by now; its page would not answer then.
    const response = await fetch(`${sign.pageUrl}/healthz`, { signal: AbortSignal.timeout(2_000) });
    await response.body?.cancel();
    return sign;
  } catch {
    return null;
  }
}

/** Puts up the sign. */
export function putSign(folder: string, pageUrl: string): void {
  const sign: Sign = { pid: process.pid, pageUrl };
  writeFileSync(fileIn(folder), JSON.stringify(sign));
}

/** Takes the sign down. */
export function takeSign(folder: string): void {
  rmSync(fileIn(folder), { force: true });
}

function fileIn(folder: string): string {
  return join(folder, "running.json");
}

function readSign(folder: string): Sign | null {
  try {
    const sign: unknown = JSON.parse(readFileSync(fileIn(folder), "utf8"));
    if (typeof sign !== "object" || sign === null || !("pid" in sign) || !("pageUrl" in sign)) return null;
    const { pid, pageUrl } = sign;
    return typeof pid === "number" && typeof pageUrl === "string" ? { pid, pageUrl } : null;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process is alive too.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
