/**
 * Amazon SNS signs named fields of the message with a certificate that it points to. The certificate's address is part
 * of what a stranger sends, so it is fetched from Amazon's own hosts only, and the message must be of a topic that is
 * configured: any topic of anybody is signed by the same key.
 */

import { createVerify, X509Certificate } from "node:crypto";
import type { Json } from "../../core/json.ts";
import { textAt } from "../fields.ts";
import { areEqualTexts, decodeStrictly } from "../signing.ts";
import { matchOf, noMatch, type Match } from "./match.ts";

/** Gives the certificate at an address that was checked, as PEM. Rejects when it cannot be fetched. */
export type FetchCertificate = (url: string) => Promise<string>;

const hosts = /^sns\.[a-z0-9-]{1,40}\.amazonaws\.com(?:\.cn)?$/;

/** Fields that are signed, in order; those of a confirmation and those of a notification. */
const signedNames: Readonly<Record<string, readonly string[]>> = {
  Notification: ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"],
  SubscriptionConfirmation: [
    "Message",
    "MessageId",
    "SubscribeURL",
    "Timestamp",
    "Token",
    "TopicArn",
    "Type",
  ],
  UnsubscribeConfirmation: ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"],
};

/** True for an address that only Amazon can answer at. */
export function isSnsAddress(address: string | null): address is string {
  if (address === null || address.length > 1_000 || !URL.canParse(address)) return false;
  const url = new URL(address);
  const isPlain = url.username === "" && url.password === "" && url.port === "";
  return url.protocol === "https:" && isPlain && hosts.test(url.hostname);
}

/** Which configured topic the message is of. Rejects when the certificate cannot be fetched. */
export async function verifySns(
  body: Json,
  judging: {
    /** The topics' ARNs: what a secret is elsewhere. */
    readonly secrets: readonly { readonly id: string; readonly secret: string }[];
    readonly fetchCertificate: FetchCertificate;
  },
): Promise<Match> {
  const topic = textAt(body, ["TopicArn"]);
  const type = textAt(body, ["Type"]) ?? "";
  const names = Object.hasOwn(signedNames, type) ? signedNames[type] : undefined;
  const signature = decodeStrictly(textAt(body, ["Signature"]) ?? "", "base64");
  const version = textAt(body, ["SignatureVersion"]);
  const address = textAt(body, ["SigningCertURL"]) ?? textAt(body, ["SigningCertUrl"]);
  if (topic === null || names === undefined || signature === null) return noMatch("malformed");
  if (version !== "1" && version !== "2") return noMatch("malformed");
  if (!isSnsAddress(address) || !new URL(address).pathname.endsWith(".pem")) return noMatch("malformed");
  const known = matchOf(judging.secrets.filter(({ secret }) => areEqualTexts(secret, topic)));
  if (known.kind === "no") return known;
  const key = readCertificate(await judging.fetchCertificate(address));
  if (key === null) return noMatch("malformed");
  const message = names.map((name) => lineOf(name, textAt(body, [name]))).join("");
  const verifier = createVerify(version === "1" ? "RSA-SHA1" : "RSA-SHA256").update(message, "utf8");
  return verifier.verify(key.publicKey, signature) ? known : noMatch("wrongSignature");
}

/** A field that is not there is left out: only a subject may be. */
function lineOf(name: string, value: string | null): string {
  return value === null ? "" : `${name}\n${value}\n`;
}

function readCertificate(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem);
  } catch {
    return null;
  }
}
