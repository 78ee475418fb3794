/** Signs a request as a provider would: for trying a source out on one's own machine, and for tests. */

import { createHash, createHmac } from "node:crypto";
import { FootholdError } from "../core/errors.ts";
import type { Preset, Scheme, SignaturePlace } from "./preset.ts";
import { keyOf } from "./signing.ts";
import { signedForm } from "./signatures/twilio.ts";

const SPACES: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);
const OPEN_BRACKET = 0x5b;

/** What is to be signed. */
export interface Signing {
  readonly method: string;
  /** The public address of the source, where the provider signs it. */
  readonly url: string;
  readonly body: Uint8Array;
  readonly secret: string;
  /** Epoch ms. */
  readonly at: number;
  /** Names the delivery, where the provider names it in a header. */
  readonly id: string;
  readonly eventType: string;
}

/**
 * The headers that a request with these parts would carry; its body is made with `signBody`. Throws `INVALID_REQUEST` where
 * this cannot be signed here.
 */
export function signRequest(preset: Preset, signing: Signing): Readonly<Record<string, string>> {
  const [scheme] = preset.schemes;
  if (scheme === undefined) throw cannot(preset, "it has no scheme");
  return { ...namingHeaders(preset, signing), ...proofHeaders(preset, scheme, signing) };
}

function proofHeaders(preset: Preset, scheme: Scheme, signing: Signing): Record<string, string> {
  const { secret, body } = signing;
  switch (scheme.kind) {
    case "hmac":
    case "hash":
      return signedHeaders(preset, scheme, signing);
    case "token":
      return { [scheme.header]: `${scheme.before}${secret}` };
    // In the body: see signBody.
    case "bodyToken":
    case "adyen":
      return {};
    case "twilio": {
      const text = signing.url + signedForm(new URLSearchParams(Buffer.from(body).toString("utf8")));
      return {
        "content-type": "application/x-www-form-urlencoded",
        "x-twilio-signature": createHmac("sha1", secret).update(text).digest("base64"),
      };
    }
    case "ed25519":
    case "sns":
    case "paypal":
      throw cannot(
        preset,
        `only the provider has the key. To try the consumers on your own machine, give the source the preset ` +
          `{ ...PRESETS["${preset.name}"], schemes: PRESETS.bearer.schemes } there`,
      );
  }
}

function signedHeaders(
  preset: Preset,
  scheme: Extract<Scheme, { kind: "hmac" | "hash" }>,
  signing: Signing,
): Record<string, string> {
  const rule = scheme.kind === "hmac" ? scheme.timestamp : null;
  const time = rule === null ? "" : timeText(signing.at, rule.unit);
  const key =
    scheme.kind === "hmac" ? keyOf(signing.secret, scheme.secret) : Buffer.from(signing.secret, "utf8");
  if (key === null) throw cannot(preset, "the secret is not written as the provider writes secrets");
  const hash = scheme.kind === "hmac" ? createHmac(scheme.algorithm, key) : createHash("sha256").update(key);
  const texts = { timestamp: time, id: signing.id, method: signing.method, url: signing.url };
  for (const part of scheme.signed) {
    if (part === "raw") hash.update(signing.body);
    else hash.update(typeof part === "string" ? texts[part] : part.text);
  }
  const digest = hash.digest(scheme.signature.encoding);
  const headers: Record<string, string> = {
    [scheme.signature.header]: signatureText(
      scheme.signature,
      digest,
      rule !== null && "part" in rule.from ? `${rule.from.part}=${time}` : null,
    ),
  };
  if (rule !== null && "header" in rule.from) headers[rule.from.header] = time;
  if (scheme.kind === "hmac" && scheme.id !== null) headers[scheme.id] = signing.id;
  return headers;
}

function signatureText({ form }: SignaturePlace, digest: string, timePart: string | null): string {
  switch (form.kind) {
    case "bare":
      return digest;
    case "prefixed":
    case "list":
      return form.prefix + digest;
    case "named":
      return [...(timePart === null ? [] : [timePart]), `${form.name}=${digest}`].join(form.separator);
  }
}

function timeText(at: number, unit: "s" | "ms" | "rfc3339"): string {
  if (unit === "rfc3339") return new Date(at).toISOString();
  return String(unit === "s" ? Math.floor(at / 1_000) : at);
}

/** The headers that name the delivery and its type, where the preset reads them from headers. */
function namingHeaders(
  { deliveryKey, eventType, body: kind }: Preset,
  { id, eventType: type, body }: Signing,
): Record<string, string> {
  const isBatch = body.find((byte) => !SPACES.has(byte)) === OPEN_BRACKET;
  const form = isBatch ? "application/cloudevents-batch+json" : "application/cloudevents+json";
  const headers: Record<string, string> = {
    "content-type": kind === "cloudEvents" ? form : "application/json",
  };
  for (const where of deliveryKey) if ("header" in where) headers[where.header] = id;
  for (const where of eventType) if ("header" in where) headers[where.header] = type;
  return headers;
}

function cannot({ name }: Preset, why: string): FootholdError {
  return new FootholdError(
    "INVALID_REQUEST",
    `A request of the preset ${name} cannot be signed here: ${why}.`,
  );
}
