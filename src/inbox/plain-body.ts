/** A body as its sender wrote it, where it came compressed. Inflated with a bound, off the main thread. */

import { promisify } from "node:util";
import { gunzip } from "node:zlib";

const inflate = promisify(gunzip);

/** How much larger a body may become. */
const RATIO_MAX = 100;

/** What there is to read. */
export type PlainBody =
  | { readonly kind: "plain"; readonly bytes: Uint8Array }
  | { readonly kind: "unreadable"; readonly why: string };

/** The plain body; `encoding` as its header says. */
export async function plainBody(
  body: Uint8Array,
  encoding: string | null,
  bytesMax: number,
): Promise<PlainBody> {
  if (!isCompressed(encoding)) return { kind: "plain", bytes: body };
  const maxOutputLength = Math.max(1, Math.min(bytesMax, body.length * RATIO_MAX));
  try {
    return { kind: "plain", bytes: await inflate(body, { maxOutputLength }) };
  } catch {
    return { kind: "unreadable", why: `it is no gzip, or becomes longer than ${maxOutputLength} bytes` };
  }
}

/** True where a body is not what its sender wrote. */
export function isCompressed(encoding: string | null): boolean {
  return encoding !== null && encoding !== "" && encoding.toLowerCase() !== "identity";
}
