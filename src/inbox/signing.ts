/** The bytes of secrets and signatures, and comparisons that take as long for a near miss as for a wild guess. */

import { createHash, hash as hashOnce, timingSafeEqual } from "node:crypto";
import type { SecretForm } from "./preset.ts";
import { letOthersIn } from "./system.ts";

/** Bytes hashed in one go: a few milliseconds. */
const SLICE_BYTES = 1024 * 1024;
const HEX = /^(?:[0-9a-f]{2})+$/i;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Bytes of a text in hexadecimal or base64; null for anything else, which Node's own reader would take in part. */
export function decodeStrictly(text: string, encoding: "hex" | "base64"): Buffer | null {
  if (text === "" || !(encoding === "hex" ? HEX : BASE64).test(text)) return null;
  return Buffer.from(text, encoding);
}

/** The key bytes of a secret as configured; null when it is not written as the provider writes secrets. */
export function keyOf(secret: string, { encoding, prefix, bytesMin }: SecretForm): Buffer | null {
  const text = secret.startsWith(prefix) ? secret.slice(prefix.length) : secret;
  const key = encoding === "utf8" ? Buffer.from(text, "utf8") : decodeStrictly(text, encoding);
  return key === null || key.length < Math.max(1, bytesMin) ? null : key;
}

/** True if both are the same bytes. */
export function areEqualBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

/** True if both are the same text, whatever their lengths. */
export function areEqualTexts(one: string, other: string): boolean {
  return timingSafeEqual(sha256(Buffer.from(one, "utf8")), sha256(Buffer.from(other, "utf8")));
}

/** SHA-256 of bytes. */
export function sha256(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}

/** SHA-256 of a text or of few bytes, in hexadecimal. */
export function sha256Hex(given: string | Uint8Array): string {
  return hashOnce("sha256", given, "hex");
}

/** SHA-256 in hexadecimal of as many bytes as there may be. */
export async function hashOfBody(bytes: Uint8Array): Promise<string> {
  if (bytes.length <= SLICE_BYTES) return sha256Hex(bytes);
  const hash = createHash("sha256");
  await feed(hash, bytes);
  return hash.digest("hex");
}

/** Feeds bytes to a hash in slices, letting other work in between, so that 25 MB stall nobody. */
export async function feed(hash: { update(bytes: Uint8Array): unknown }, bytes: Uint8Array): Promise<void> {
  if (bytes.length <= SLICE_BYTES) {
    hash.update(bytes);
    return;
  }
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    if (at > 0) await letOthersIn();
    hash.update(bytes.subarray(at, at + SLICE_BYTES));
  }
}
