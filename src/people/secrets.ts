/**
 * What opens a door: 256 random bits behind a prefix by which secret scanners know them. It is shown or sent once; only
 * its hash is kept. A hash without salt suffices, since nobody can guess what is random.
 */

import { createHash, randomBytes } from "node:crypto";

/** What API tokens begin with. */
export const TOKEN_PREFIX = "foothold_pat_";
/** What session tokens begin with. */
export const SESSION_PREFIX = "foothold_ses_";

const SECRET_BYTES = 32;
const form = /^foothold_(?:pat|ses)_[\w-]{43}$/;

/** A new secret. */
export function newSecret(prefix: typeof TOKEN_PREFIX | typeof SESSION_PREFIX): string {
  return prefix + randomBytes(SECRET_BYTES).toString("base64url");
}

/** Its hash, SHA-256 in hexadecimal; null for a text that is none of ours, so that nothing is looked up for it. */
export function secretHash(
  secret: string,
  prefix: typeof TOKEN_PREFIX | typeof SESSION_PREFIX,
): string | null {
  if (!secret.startsWith(prefix) || !form.test(secret)) return null;
  return createHash("sha256").update(secret).digest("hex");
}
