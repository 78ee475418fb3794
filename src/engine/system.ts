/** The real clock, randomness and hash. The only place of the engine that touches them. */

import { createHash, randomBytes, randomUUID } from "node:crypto";
import type { Cancellation, Clock, Ids, Ports } from "../core/ports.ts";

/** Longest delay that a Node timer takes; a longer one would fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;
/** Letters and digits that are not mistaken for one another (Crockford's base 32). */
const SUFFIX_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const SUFFIX_LENGTH = 12;

/** The ports of a real process. */
export function systemPorts(): Ports {
  return { clock: systemClock, ids: systemIds, random: Math.random, digest };
}

const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep,
};

const systemIds: Ids = {
  // Node draws the random bits of UUIDs ahead, for many at once: a claim asks for one id per free slot.
  unique: () => randomUUID(),
  caseSuffix: () => Array.from(randomBytes(SUFFIX_LENGTH), (byte) => SUFFIX_ALPHABET[byte % 32]).join(""),
};

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function sleep(delayMs: number, signal?: Cancellation): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    const finish = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, Math.min(Math.max(0, delayMs), TIMER_MS_MAX));
    signal?.addEventListener("abort", finish, { once: true });
  });
}
