/**
 * PayPal signs the id and the time of a transmission, the id of our webhook and the checksum of the body, with a certificate
 * that it points to. The address is part of what a stranger sends, so it is fetched from PayPal's own hosts only.
 */

import { createVerify, X509Certificate } from "node:crypto";
import { crc32 } from "node:zlib";
import { headerText, readHeader, type Arrival } from "../arrival.ts";
import { decodeStrictly } from "../signing.ts";
import { matchOf, noMatch, type Match } from "./match.ts";
import type { FetchCertificate } from "./sns.ts";

const hosts: ReadonlySet<string> = new Set(["api.paypal.com", "api.sandbox.paypal.com"]);

/** True for an address that only PayPal can answer at. */
function isPaypalAddress(address: string | null): address is string {
  if (address === null || address.length > 1_000 || !URL.canParse(address)) return false;
  const url = new URL(address);
  const isPlain = url.username === "" && url.password === "" && url.port === "";
  return url.protocol === "https:" && isPlain && hosts.has(url.hostname);
}

/** Which of our webhooks it is for. Rejects when the certificate cannot be fetched. */
export async function verifyPaypal(
  { headers, body }: Arrival,
  judging: {
    /** The ids of our webhooks: what a secret is elsewhere. */
    readonly secrets: readonly { readonly id: string; readonly secret: string }[];
    readonly fetchCertificate: FetchCertificate;
  },
): Promise<Match> {
  const header = readHeader(headers, "paypal-transmission-sig");
  if (header.kind === "absent") return noMatch("unsigned");
  const signature = header.kind === "value" ? decodeStrictly(header.value, "base64") : null;
  const [id, time, address, algorithm] = [
    "paypal-transmission-id",
    "paypal-transmission-time",
    "paypal-cert-url",
    "paypal-auth-algo",
  ].map((name) => headerText(headers, name));
  if (signature === null || !isPart(id) || !isPart(time)) return noMatch("malformed");
  if (algorithm !== "SHA256withRSA" || !isPaypalAddress(address ?? null)) return noMatch("malformed");
  const key = readCertificate(await judging.fetchCertificate(address ?? ""));
  if (key === null) return noMatch("malformed");
  const checksum = crc32(body);
  const fitting = judging.secrets.filter(({ secret }) => {
    const message = `${id}|${time}|${secret}|${checksum}`;
    const isSigned = createVerify("RSA-SHA256").update(message, "utf8").verify(key.publicKey, signature);
    return secret !== "" && isSigned;
  });
  return matchOf(fitting);
}

/** A bar within a part would let one message be cut in two ways. */
function isPart(text: string | null | undefined): text is string {
  return typeof text === "string" && text !== "" && !text.includes("|");
}

function readCertificate(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem);
  } catch {
    return null;
  }
}
