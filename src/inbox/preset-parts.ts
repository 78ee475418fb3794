/** What presets have in common. */

import type { Answer, Preset, Scheme, SecretForm } from "./preset.ts";

/** Bytes. */
export const MIB: number = 1024 * 1024;
/** An hour and a day. */
export const HOUR_MS = 3_600_000;
export const DAY_MS: number = 24 * HOUR_MS;
const CHECKED_ON = "2026-11-29";

/** A secret that is used as it is written. */
export const plainSecret: SecretForm = { encoding: "utf8", prefix: "", bytesMin: 1 };
/** Between two parts of what is signed. */
export const dot: { readonly text: "." } = { text: "." };
const accepted: Answer = { status: 202, contentType: null, body: "" };
/** For those that take nothing else. */
export const okay: Answer = { status: 200, contentType: null, body: "" };

/** HMAC-SHA256 of the raw body alone, in a header. */
export function bodyHmac(header: string, encoding: "hex" | "base64", prefix = ""): Scheme {
  return {
    kind: "hmac",
    name: `hmac-sha256 in ${header}`,
    algorithm: "sha256",
    secret: plainSecret,
    signature: {
      header,
      form: prefix === "" ? { kind: "bare" } : { kind: "prefixed", prefix },
      encoding,
    },
    signed: ["raw"],
    id: null,
    timestamp: null,
  };
}

/** The two schemes of Standard Webhooks, with the prefix of their headers. */
export function standardSchemes(prefix: string): readonly Scheme[] {
  const common = {
    signed: ["id", dot, "timestamp", dot, "raw"],
    id: `${prefix}-id`,
    timestamp: { from: { header: `${prefix}-timestamp` }, unit: "s", of: "attempt" },
  } as const;
  const header = `${prefix}-signature`;
  return [
    {
      kind: "hmac",
      name: "v1",
      algorithm: "sha256",
      secret: { encoding: "base64", prefix: "whsec_", bytesMin: 16 },
      signature: { header, form: { kind: "list", separator: " ", prefix: "v1," }, encoding: "base64" },
      ...common,
    },
    {
      kind: "ed25519",
      name: "v1a",
      secret: { encoding: "base64", prefix: "whpk_", bytesMin: 32 },
      signature: { header, form: { kind: "list", separator: " ", prefix: "v1a," }, encoding: "base64" },
      ...common,
    },
  ];
}

/** What most providers have in common; each says what is different. */
export const base: Omit<Preset, "name" | "schemes" | "deliveryKey" | "eventType"> = {
  checkedOn: CHECKED_ON,
  body: "json",
  items: null,
  businessKey: null,
  occurredAt: null,
  subject: null,
  isBodyTheKey: false,
  keptHeaders: [],
  accepted,
  challenge: null,
  bodyBytesMax: MIB,
  resendsWithinMs: 30 * DAY_MS,
  retries: true,
};
