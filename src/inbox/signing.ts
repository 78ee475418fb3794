/** The bytes of secrets and signatures, and comparisons that take as long for a near miss as for a wild guess. */

import { createHash, timingSafeEqual } from "node:crypto";
import type { SecretForm } from "./preset.ts";
import { letOthersIn } from "./system.ts";

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

/** Feeds bytes to a hash in slices, letting other work in between, so that 25 MB stall nobody. */
export async function feed(hash: { update(bytes: Uint8Array): unknown }, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    if (at > 0) await letOthersIn();
    hash.update(bytes.subarray(at, at + SLICE_BYTES));
  }
}

/** Bytes hashed in one go: a few milliseconds. */
const SLICE_BYTES = 4 * 1024 * 1024;
