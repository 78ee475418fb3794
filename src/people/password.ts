/**
 * Passwords are kept as scrypt hashes with the parameters that OWASP names (N = 2^17, r = 8, p = 1: 128 MiB and about a third
 * of a second each), so few are computed at a time.
 */

import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from "node:crypto";
import { FootholdError } from "../core/errors.ts";

/** Shortest password, in characters. */
const PASSWORD_CHARS_MIN = 12;
/** Longest, so that nobody makes us hash a book. */
export const PASSWORD_CHARS_MAX = 200;

const COST_LOG2 = 17;
const BLOCK = 8;
const PARALLEL = 1;
const SALT_BYTES = 16;
const KEY_BYTES = 32;
/** scrypt takes 128 * N * r bytes, and some. */
const MEMORY_BYTES_MAX = 192 * 1024 * 1024;
/** Hashes that are computed at the same time; what comes meanwhile waits. */
const AT_ONCE_MAX = 2;
/** How many may wait; further ones are refused. */
const WAITING_MAX = 50;

/** Why a password cannot be taken; null = it can. */
export function passwordFault(password: string): string | null {
  const characters = password.length;
  if (characters < PASSWORD_CHARS_MIN)
    return `has ${characters} characters; at least ${PASSWORD_CHARS_MIN} are needed`;
  return characters > PASSWORD_CHARS_MAX ? `has more than ${PASSWORD_CHARS_MAX} characters` : null;
}

/** The hash to keep: its parameters, salt and key as text. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await derive(password, salt, { costLog2: COST_LOG2, block: BLOCK, parallel: PARALLEL });
  return ["scrypt", COST_LOG2, BLOCK, PARALLEL, salt.toString("base64url"), key.toString("base64url")].join(
    "$",
  );
}

/**
 * True if the password is the one. With null, for somebody who has none or is not there, it takes as long and is false.
 */
export async function isPassword(password: string, kept: string | null): Promise<boolean> {
  const parts = kept === null ? null : readHash(kept);
  const salt = parts?.salt ?? Buffer.alloc(SALT_BYTES);
  const cost = parts ?? { costLog2: COST_LOG2, block: BLOCK, parallel: PARALLEL };
  const key = await derive(password, salt, cost);
  return parts !== null && timingSafeEqual(key, parts.key);
}

interface Cost {
  readonly costLog2: number;
  readonly block: number;
  readonly parallel: number;
}

function readHash(kept: string): (Cost & { readonly salt: Buffer; readonly key: Buffer }) | null {
  const [, costLog2, block, parallel, salt, key] =
    /^scrypt\$(\d{2})\$(\d{1,2})\$(\d)\$([\w-]{22})\$([\w-]{43})$/.exec(kept) ?? [];
  if (salt === undefined || key === undefined) return null;
  return {
    costLog2: Number(costLog2),
    block: Number(block),
    parallel: Number(parallel),
    salt: Buffer.from(salt, "base64url"),
    key: Buffer.from(key, "base64url"),
  };
}

let running = 0;
const waiting: (() => void)[] = [];

async function derive(password: string, salt: Buffer, { costLog2, block, parallel }: Cost): Promise<Buffer> {
  await takeTurn();
  try {
    const options: ScryptOptions = { N: 2 ** costLog2, r: block, p: parallel, maxmem: MEMORY_BYTES_MAX };
    return await new Promise((resolve, reject) => {
      scrypt(password.normalize("NFKC"), salt, KEY_BYTES, options, (error, key) => {
        if (error === null) resolve(key);
        else reject(error);
      });
    });
  } finally {
    // The turn goes to the next one at once: given up in between, a newcomer could take it, and one more would run.
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

async function takeTurn(): Promise<void> {
  if (running >= AT_ONCE_MAX) {
    if (waiting.length >= WAITING_MAX) {
      throw new FootholdError(
        "TOO_MANY_REQUESTS",
        "Too many people sign in at this moment; try again in a minute.",
      );
    }
    return new Promise<void>((resolve) => waiting.push(resolve));
  }
  running += 1;
}
