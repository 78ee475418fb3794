/**
 * Judges where a request comes from: over its raw bytes, once, by the clock of its arrival. Every secret that is in use
 * is tried, whichever matches, so that a rotation loses nothing and the time taken tells nobody which one is old.
 */

import {
  createHash,
  createHmac,
  createPublicKey,
  verify as verifySignature,
  type KeyObject,
} from "node:crypto";
import { unreachable } from "../core/errors.ts";
import type { Json } from "../core/json.ts";
import { headerText, readHeader, type Arrival } from "./arrival.ts";
import { textAt } from "./fields.ts";
import type { Preset, Scheme, SignaturePlace, SignedPart, TimestampRule } from "./preset.ts";
import { areEqualBytes, areEqualTexts, decodeStrictly, feed, keyOf } from "./signing.ts";
import { verifyAdyen } from "./signatures/adyen.ts";
import { matchOf, type Match } from "./signatures/match.ts";
import type { RefusalReason } from "./signatures/refusal.ts";
import { verifyPaypal } from "./signatures/paypal.ts";
import { verifySns, type FetchCertificate } from "./signatures/sns.ts";
import { verifyTwilio } from "./signatures/twilio.ts";

/** A secret of a source. */
export interface Secret {
  /** A name for people: which one matched is stored, the secret never. */
  readonly id: string;
  readonly secret: string;
  /** Epoch ms; null = no bound. */
  readonly notBeforeAt: number | null;
  readonly notAfterAt: number | null;
}

/** What became of the judgment. */
export type Verdict =
  | {
      readonly kind: "authentic";
      readonly scheme: string;
      readonly secretId: string;
      readonly signedAt: number | null;
    }
  | { readonly kind: "refused"; readonly reason: RefusalReason };

/** What a request is judged by. */
export interface Judging {
  readonly preset: Preset;
  readonly secrets: readonly Secret[];
  /** How far a time of an attempt may be off, both ways, in ms. */
  readonly toleranceMs: number;
  /** The body, read; null where it cannot be. */
  readonly body: Json;
  readonly fetchCertificate: FetchCertificate;
}

/** Signatures of one header that are tried. */
const SIGNATURES_MAX = 16;

/** Judges a request. Rejects only when a certificate cannot be fetched, which is our fault and not the sender's. */
export async function verifyArrival(arrival: Arrival, judging: Judging): Promise<Verdict> {
  const { receivedAt } = arrival;
  const secrets = judging.secrets.filter(
    ({ secret, notBeforeAt, notAfterAt }) =>
      (notBeforeAt ?? -Infinity) <= receivedAt &&
      receivedAt <= (notAfterAt ?? Infinity) &&
      judging.preset.schemes.some((scheme) => isUsable(secret, scheme)),
  );
  if (secrets.length === 0) return refused("noSecret");
  let worst: Verdict = refused("unsigned");
  for (const scheme of judging.preset.schemes) {
    const verdict = await judge(arrival, scheme, { ...judging, secrets });
    if (verdict.kind === "authentic") return verdict;
    // The nearest miss tells people most.
    if (verdict.reason !== "unsigned") worst = verdict;
  }
  return worst;
}

/** True for a secret that is written as one of this scheme: no other could ever match. */
function isUsable(secret: string, scheme: Scheme): boolean {
  switch (scheme.kind) {
    case "hmac":
      return keyOf(secret, scheme.secret) !== null;
    case "ed25519":
      return secret.startsWith(scheme.secret.prefix) && keyOf(secret, scheme.secret)?.length === 32;
    case "adyen":
      return decodeStrictly(secret, "hex") !== null;
    case "hash":
    case "token":
    case "bodyToken":
    case "twilio":
    case "sns":
    case "paypal":
      return secret !== "";
    default:
      return unreachable(scheme, "scheme");
  }
}

async function judge(arrival: Arrival, scheme: Scheme, judging: Judging): Promise<Verdict> {
  switch (scheme.kind) {
    case "hmac":
    case "ed25519":
    case "hash":
      return judgeSigned(arrival, scheme, judging);
    case "token":
      return judgeToken(arrival, scheme, judging);
    case "bodyToken":
      return judgeText(textAt(judging.body, scheme.path), scheme.name, judging.secrets);
    case "twilio":
      return verdictOf(verifyTwilio(arrival, judging.secrets), scheme.name);
    case "sns":
      return verdictOf(await verifySns(judging.body, judging), scheme.name);
    case "paypal":
      return verdictOf(await verifyPaypal(arrival, judging), scheme.name);
    case "adyen":
      return verdictOf(verifyAdyen(judging.body, judging.secrets), scheme.name);
    default:
      return unreachable(scheme, "scheme");
  }
}

function verdictOf(match: Match, scheme: string): Verdict {
  if (match.kind === "no") return refused(match.reason);
  return { kind: "authentic", scheme, secretId: match.secretId, signedAt: null };
}

type SignedScheme = Extract<Scheme, { kind: "hmac" | "ed25519" | "hash" }>;

async function judgeSigned(arrival: Arrival, scheme: SignedScheme, judging: Judging): Promise<Verdict> {
  const header = readHeader(arrival.headers, scheme.signature.header);
  if (header.kind === "absent") return refused("unsigned");
  if (header.kind === "unusable") return refused("malformed");
  const signatures = signaturesIn(header.value, scheme.signature);
  const timestampRule = scheme.kind === "hash" ? null : scheme.timestamp;
  const timestamp =
    timestampRule === null ? null : timestampText(arrival, header.value, timestampRule, judging);
  const signedAt =
    timestamp === null || timestampRule === null ? null : timeOf(timestamp, timestampRule.unit);
  if (signatures.length === 0 || (timestampRule !== null && signedAt === null)) return refused("malformed");
  const parts = messageParts(arrival, scheme, timestamp);
  if (parts === null) return refused("malformed");
  const secretId = await findSecret(scheme, signatures, parts, judging.secrets);
  if (secretId === null) return refused("wrongSignature");
  const early =
    timestampRule === null ? null : judgeTime(arrival.receivedAt, signedAt, timestampRule, judging);
  return early === null ? { kind: "authentic", scheme: scheme.name, secretId, signedAt } : refused(early);
}

function judgeTime(
  receivedAt: number,
  signedAt: number | null,
  { of }: TimestampRule,
  { toleranceMs, preset }: Judging,
): RefusalReason | null {
  if (signedAt === null) return "malformed";
  const ageMs = receivedAt - signedAt;
  if (ageMs < -toleranceMs) return "tooNew";
  const ageMsMax = of === "attempt" ? toleranceMs : preset.resendsWithinMs + toleranceMs;
  return ageMs > ageMsMax ? "tooOld" : null;
}

function signaturesIn(header: string, { form, encoding }: SignaturePlace): readonly Buffer[] {
  const texts = signatureTexts(header, form).slice(0, SIGNATURES_MAX);
  return texts.flatMap((text) => decodeStrictly(text, encoding) ?? []);
}

function signatureTexts(header: string, form: SignaturePlace["form"]): readonly string[] {
  switch (form.kind) {
    case "bare":
      return [header];
    case "prefixed":
      return header.startsWith(form.prefix) ? [header.slice(form.prefix.length)] : [];
    case "named":
      return namedParts(header, form.separator, form.name);
    case "list":
      return header
        .split(form.separator)
        .filter((entry) => entry.startsWith(form.prefix))
        .map((entry) => entry.slice(form.prefix.length));
  }
}

function namedParts(header: string, separator: string, name: string): readonly string[] {
  return header
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${name}=`))
    .map((part) => part.slice(name.length + 1));
}

function timestampText(
  { headers }: Arrival,
  signatureHeader: string,
  { from }: TimestampRule,
  { preset, body }: Judging,
): string | null {
  if ("header" in from) return headerText(headers, from.header);
  if ("path" in from) return textAt(body, from.path);
  const separator = preset.schemes
    .flatMap((scheme) =>
      "signature" in scheme && scheme.signature.form.kind === "named" ? [scheme.signature.form] : [],
    )
    .map((form) => form.separator)[0];
  const [first, second] = namedParts(signatureHeader, separator ?? ",", from.part);
  // Two times: nobody can say which one was meant.
  return second === undefined ? (first ?? null) : null;
}

/** Epoch ms; null for anything that is not written in full as the provider writes it. */
export function timeOf(text: string, unit: "s" | "ms" | "rfc3339"): number | null {
  if (unit === "rfc3339") {
    const isWritten = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)$/.test(text);
    const at = isWritten ? Date.parse(text) : Number.NaN;
    return Number.isFinite(at) ? at : null;
  }
  if (!/^\d{1,13}(?:\.\d{1,9})?$/.test(text)) return null;
  return Math.floor(Number(text) * (unit === "s" ? 1_000 : 1));
}

function messageParts(
  arrival: Arrival,
  scheme: SignedScheme,
  timestamp: string | null,
): readonly (string | Uint8Array)[] | null {
  const idHeader = scheme.kind === "hash" ? null : scheme.id;
  const id = idHeader === null ? null : headerText(arrival.headers, idHeader);
  // A dot in an id or a time would let one message be cut in two ways.
  if (idHeader !== null && (id === null || id === "" || id.includes("."))) return null;
  const parts: (string | Uint8Array)[] = [];
  for (const part of scheme.signed) {
    const given = givenFor(part, arrival, { id, timestamp });
    if (given === null) return null;
    parts.push(given);
  }
  return parts;
}

function givenFor(
  part: SignedPart,
  arrival: Arrival,
  { id, timestamp }: { readonly id: string | null; readonly timestamp: string | null },
): string | Uint8Array | null {
  switch (part) {
    case "raw":
      return arrival.body;
    case "timestamp":
      return timestamp;
    case "id":
      return id;
    case "method":
      return arrival.method;
    case "url":
      return arrival.url;
    default:
      return part.text;
  }
}

async function findSecret(
  scheme: SignedScheme,
  signatures: readonly Buffer[],
  parts: readonly (string | Uint8Array)[],
  secrets: readonly Secret[],
): Promise<string | null> {
  let found: string | null = null;
  for (const { id, secret } of secrets) {
    // No early exit, see the head of this file.
    if ((await isSignedWith(scheme, secret, signatures, parts)) && found === null) found = id;
  }
  return found;
}

async function isSignedWith(
  scheme: SignedScheme,
  secret: string,
  signatures: readonly Buffer[],
  parts: readonly (string | Uint8Array)[],
): Promise<boolean> {
  if (scheme.kind === "ed25519") {
    const key = publicKeyOf(keyOf(secret, scheme.secret));
    if (key === null || !secret.startsWith(scheme.secret.prefix)) return false;
    const message = Buffer.concat(
      parts.map((part) => (typeof part === "string" ? Buffer.from(part, "utf8") : part)),
    );
    return signatures.filter((one) => verifySignature(null, message, key, one)).length > 0;
  }
  const key = scheme.kind === "hmac" ? keyOf(secret, scheme.secret) : Buffer.from(secret, "utf8");
  if (key === null || key.length === 0) return false;
  const hash = scheme.kind === "hmac" ? createHmac(scheme.algorithm, key) : createHash("sha256").update(key);
  for (const part of parts) {
    if (typeof part === "string") hash.update(part, "utf8");
    else await feed(hash, part);
  }
  const expected = hash.digest();
  return signatures.filter((one) => areEqualBytes(one, expected)).length > 0;
}

/** An Ed25519 key from its 32 bytes, in the wrapping that Node reads. */
function publicKeyOf(bytes: Buffer | null): KeyObject | null {
  if (bytes?.length !== 32) return null;
  const spki = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), bytes]);
  return createPublicKey({ key: spki, format: "der", type: "spki" });
}

function judgeToken(
  { headers }: Arrival,
  { header, before, name }: Extract<Scheme, { kind: "token" }>,
  { secrets }: Judging,
): Verdict {
  const reading = readHeader(headers, header);
  if (reading.kind === "absent") return refused("unsigned");
  if (reading.kind === "unusable" || !reading.value.startsWith(before)) return refused("malformed");
  return judgeText(reading.value.slice(before.length), name, secrets);
}

function judgeText(given: string | null, scheme: string, secrets: readonly Secret[]): Verdict {
  if (given === null || given === "") return refused("unsigned");
  const fitting = secrets.filter(({ secret }) => secret !== "" && areEqualTexts(secret, given));
  return verdictOf(matchOf(fitting), scheme);
}

function refused(reason: RefusalReason): Extract<Verdict, { kind: "refused" }> {
  return { kind: "refused", reason };
}
