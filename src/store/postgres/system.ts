/** The real timer of the listening connection, which must come back by itself, the clock of what was seen, and random bytes. */

import { randomBytes, randomFillSync, randomUUID } from "node:crypto";
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

const SALT_BYTES = 12;
/** Drawn ahead for so many salts: asked for one at a time, they were the most costly part of storing an entry. */
const salts = { bytes: Buffer.alloc(SALT_BYTES * 512), at: SALT_BYTES * 512 };

/** What makes the hash of a body one that nobody can guess: 96 random bits, never given twice. */
export function drawSalt(): string {
  if (salts.at === salts.bytes.length) {
    randomFillSync(salts.bytes);
    salts.at = 0;
  }
  const from = salts.at;
  salts.at += SALT_BYTES;
  return salts.bytes.toString("base64url", from, salts.at);
}
