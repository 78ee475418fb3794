import { createSign, generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { headersOf } from "../arrival.ts";
import { selfSignedCertificate } from "../certificate.fixture.ts";
import { verifyPaypal } from "./paypal.ts";

const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const pem = selfSignedCertificate(publicKey, privateKey);
const body = Buffer.from('{"id":"WH-TEST","event_type":"PAYMENT.CAPTURE.COMPLETED"}');
/** The checksum is that of the reference vector. */
const message = "69cd13f0-d67a-11e5-baa3-778b53f4ae55|2016-02-18T20:01:35Z|1JE4291016473214C|3391999205";
const certUrl = "https://api.paypal.com/v1/notifications/certs/CERT-360caa42";

function judge(
  changed: Readonly<Record<string, string>> = {},
  {
    bytes = body,
    webhookIds = ["1JE4291016473214C"],
  }: { bytes?: Buffer; webhookIds?: readonly string[] } = {},
): ReturnType<typeof verifyPaypal> {
  const headers = {
    "paypal-transmission-id": "69cd13f0-d67a-11e5-baa3-778b53f4ae55",
    "paypal-transmission-time": "2016-02-18T20:01:35Z",
    "paypal-transmission-sig": createSign("RSA-SHA256").update(message).sign(privateKey, "base64"),
    "paypal-cert-url": certUrl,
    "paypal-auth-algo": "SHA256withRSA",
    ...changed,
  };
  const arrival = {
    method: "POST",
    url: null,
    body: bytes,
    receivedAt: 0,
    headers: headersOf(Object.entries(headers).filter(([, value]) => value !== "")),
  };
  const secrets = webhookIds.map((secret) => ({ id: secret, secret }));
  return verifyPaypal(arrival, { secrets, fetchCertificate: () => Promise.resolve(pem) });
}

describe("a transmission of PayPal", () => {
  test("is authentic when its certificate signed id, time, webhook and checksum", async () => {
    expect(await judge()).toEqual({ kind: "by", secretId: "1JE4291016473214C" });
    expect(await judge({}, { webhookIds: ["another", "1JE4291016473214C"] })).toMatchObject({ kind: "by" });
  });

  test.each([
    ["another body", {}, { bytes: Buffer.from(`${body.toString()} `) }],
    ["another webhook", {}, { webhookIds: ["another"] }],
    ["an empty webhook id", {}, { webhookIds: [""] }],
    ["another time", { "paypal-transmission-time": "2016-02-18T20:01:36Z" }, {}],
    ["no time", { "paypal-transmission-time": "" }, {}],
    ["no signature", { "paypal-transmission-sig": "" }, {}],
    ["a signature that is none", { "paypal-transmission-sig": "!!" }, {}],
    ["a part with a bar", { "paypal-transmission-id": "a|b" }, {}],
    ["another algorithm", { "paypal-auth-algo": "SHA1withRSA" }, {}],
  ] as const)("is refused with %s", async (_, changed, more) => {
    expect(await judge(changed, more)).toMatchObject({ kind: "no" });
  });

  test.each([
    "http://api.paypal.com/cert",
    "https://api.paypal.com.evil.example/cert",
    "https://evil.example/api.paypal.com/cert",
    "https://api.paypal.com@evil.example/cert",
    "https://api.paypal.com:8443/cert",
    "",
  ])("asks nobody but PayPal for the certificate: not %s", async (address) => {
    expect(await judge({ "paypal-cert-url": address })).toEqual({ kind: "no", reason: "malformed" });
  });
});
