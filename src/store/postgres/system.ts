/** The real timer of the listening connection, which must come back by itself, the clock of what was seen, and random bytes. */

import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";

/** Resolves after `delayMs`, or at once when `signal` aborts; never rejects and keeps no process alive. */
export async function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(delayMs, undefined, { signal, ref: false });
  } catch {
    // Aborted: whoever waits looks at the signal.
  }
}

/** A random name by which a store knows its own hints. */
export function drawOrigin(): string {
  return randomUUID();
}

/** Time that only goes on, in ms: for how long what was seen holds. */
export function elapsedMs(): number {
  return performance.now();
}

/** Random bytes for keys and nonces. */
export function drawBytes(length: number): Buffer {
  return randomBytes(length);
}

/** What makes the hash of a body one that nobody can guess: 96 random bits. */
export function drawSalt(): string {
  return randomBytes(12).toString("base64url");
}
