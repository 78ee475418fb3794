// oxlint-disable-next-line import/no-unassigned-import -- without it the library knows no server
import "@shopify/shopify-api/adapters/web-api";
import { hmacValidator } from "@adyen/api-library";
import { Signature } from "@hubspot/api-client";
import { sign, verify } from "@octokit/webhooks-methods";
import { ApiVersion, shopifyApi } from "@shopify/shopify-api";
import { isValidSlackRequest } from "@slack/bolt";
import { CloudEvent, HTTP } from "cloudevents";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Stripe } from "stripe";
import { Webhook as SvixWebhook } from "svix";
import twilio from "twilio";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { PRESETS, signBody, signRequest, type Preset } from "foothold/inbox";
import { headersOf, type Arrival } from "../../src/inbox/arrival.ts";
import { eventsIn, readBody } from "../../src/inbox/read-events.ts";
import { verifyArrival } from "../../src/inbox/verify.ts";

const url = "https://shop.example/inbox/events";
const text = '{"id":"evt_1","object":"event","name":"é €"}';
const forged = `${text} `;
const seconds = (at: number): number => Math.floor(at / 1_000);

/** What we send as the provider would. */
function ours(preset: Preset, secret: string, body = text): Readonly<Record<string, string>> {
  const bytes = Buffer.from(body);
  return signRequest(preset, {
    method: "POST",
    url,
    body: bytes,
    secret,
    at: Date.now(),
    id: "m1",
    eventType: "t",
  });
}

/** What we make of what the vendor's own library signed. */
async function judged(
  preset: Preset,
  secret: string,
  theirs: { readonly body: string; readonly headers: Readonly<Record<string, string>> },
): Promise<string> {
  const headers = headersOf(Object.entries(theirs.headers));
  const arrival: Arrival = {
    method: "POST",
    url,
    headers,
    body: Buffer.from(theirs.body),
    receivedAt: Date.now(),
  };
  const verdict = await verifyArrival(arrival, {
    preset,
    secrets: [{ id: "#1", secret, notBeforeAt: null, notAfterAt: null }],
    toleranceMs: 300_000,
    body: null,
    fetchCertificate: () => Promise.reject(new Error("no certificate is needed")),
  });
  return verdict.kind;
}

describe("what is signed here the vendor's own library takes, and the other way round:", () => {
  test("Stripe", async () => {
    const { webhooks } = new Stripe("sk_test_x");
    const secret = "whsec_x";
    const header = ours(PRESETS.stripe, secret)["stripe-signature"] ?? "";
    expect(webhooks.constructEvent(text, header, secret).id).toBe("evt_1");
    expect(() => webhooks.constructEvent(forged, header, secret)).toThrow(/signature/i);
    const timestamp = seconds(Date.now());
    const theirs = webhooks.generateTestHeaderString({ payload: text, secret, timestamp });
    const headers = { "stripe-signature": theirs };
    expect(await judged(PRESETS.stripe, secret, { body: text, headers })).toBe("authentic");
    expect(await judged(PRESETS.stripe, secret, { body: forged, headers })).toBe("refused");
  });

  test("GitHub", async () => {
    const signature = ours(PRESETS.github, "shh")["x-hub-signature-256"] ?? "";
    expect(await verify("shh", text, signature)).toBe(true);
    expect(await verify("shh", forged, signature)).toBe(false);
    const headers = { "x-hub-signature-256": await sign("shh", text) };
    expect(await judged(PRESETS.github, "shh", { body: text, headers })).toBe("authentic");
  });

  test("Slack", () => {
    const headers = ours(PRESETS.slack, "shh");
    const request = (body: string) => ({
      signingSecret: "shh",
      body,
      headers: {
        "x-slack-signature": headers["x-slack-signature"] ?? "",
        "x-slack-request-timestamp": Number(headers["x-slack-request-timestamp"]),
      },
    });
    expect(isValidSlackRequest(request(text))).toBe(true);
    expect(isValidSlackRequest(request(forged))).toBe(false);
  });

  test("Shopify", async () => {
    const shopify = shopifyApi({
      apiKey: "key",
      apiSecretKey: "shh",
      apiVersion: ApiVersion.January26,
      hostName: "shop.example",
      isEmbeddedApp: false,
    });
    const headers = {
      ...ours(PRESETS.shopify, "shh"),
      "x-shopify-topic": "orders/paid",
      "x-shopify-api-version": "2026-01",
      "x-shopify-shop-domain": "shop.myshopify.com",
      "x-shopify-webhook-id": "w1",
    };
    const check = (rawBody: string) =>
      shopify.webhooks.validate({ rawBody, rawRequest: new Request(url, { method: "POST", headers }) });
    expect(await check(text)).toMatchObject({ valid: true });
    expect(await check(forged)).toMatchObject({ valid: false });
  });

  test("Twilio", () => {
    const form = { MessageSid: "SM1", Body: "é €", From: "+1" };
    const body = Buffer.from(
      signBody(PRESETS.twilio, { body: Buffer.from(JSON.stringify(form)), secret: "token" }),
    ).toString("utf8");
    const signature = ours(PRESETS.twilio, "token", body)["x-twilio-signature"] ?? "";
    expect(twilio.validateRequest("token", signature, url, form)).toBe(true);
    expect(twilio.validateRequest("token", signature, `${url}?x=1`, form)).toBe(false);
  });

  test.each([
    ["Standard Webhooks", PRESETS["standard-webhooks"], "webhook", StandardWebhook],
    ["Svix", PRESETS.svix, "svix", SvixWebhook],
  ] as const)("%s", async (_name, preset, prefix, Webhook) => {
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const webhook = new Webhook(secret);
    const headers = ours(preset, secret);
    expect(webhook.verify(text, headers)).toMatchObject({ id: "evt_1" });
    expect(() => webhook.verify(forged, headers)).toThrow(/signature/i);
    const at = new Date();
    const theirs = {
      [`${prefix}-id`]: "m2",
      [`${prefix}-timestamp`]: String(seconds(at.getTime())),
      [`${prefix}-signature`]: webhook.sign("m2", at, text),
    };
    expect(await judged(preset, secret, { body: text, headers: theirs })).toBe("authentic");
    expect(await judged(preset, secret, { body: forged, headers: theirs })).toBe("refused");
  });

  test.each([
    ["v1", PRESETS["hubspot-v1"], "x-hubspot-signature"],
    ["v2", PRESETS["hubspot-v2"], "x-hubspot-signature"],
    ["v3", PRESETS.hubspot, "x-hubspot-signature-v3"],
  ] as const)("HubSpot, %s", (signatureVersion, preset, header) => {
    const headers = ours(preset, "shh");
    const isTaken = (requestBody: string): boolean =>
      Signature.isValid({
        signatureVersion,
        signature: headers[header] ?? "",
        clientSecret: "shh",
        requestBody,
        url,
        timestamp: Number(headers["x-hubspot-request-timestamp"]),
      });
    expect([isTaken(text), isTaken(forged)]).toEqual([true, false]);
  });

  test("Adyen", () => {
    const key = "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056";
    const item = {
      pspReference: "7914073381342284",
      merchantAccountCode: "TestMerchant",
      merchantReference: "r1",
      amount: { value: 1130, currency: "EUR" },
      eventCode: "AUTHORISATION",
      success: "true",
    };
    const given = Buffer.from(JSON.stringify({ notificationItems: [{ NotificationRequestItem: item }] }));
    const signed = Buffer.from(signBody(PRESETS.adyen, { body: given, secret: key })).toString("utf8");
    const read = z.object({
      notificationItems: z.tuple([
        z.object({
          NotificationRequestItem: z.object({ additionalData: z.object({ hmacSignature: z.string() }) }),
        }),
      ]),
    });
    const { additionalData } = read.parse(JSON.parse(signed)).notificationItems[0].NotificationRequestItem;
    const validator = new hmacValidator();
    expect(additionalData.hmacSignature).toBe(
      validator.calculateHmacSignature(validator.getDataToSign(item as never), key),
    );
  });

  test("CloudEvents, in binary and structured form", async () => {
    const event = new CloudEvent({
      id: "e1",
      source: "/shop",
      type: "order.paid",
      subject: "o1",
      data: { total: 5 },
    });
    for (const message of [HTTP.binary(event), HTTP.structured(event)]) {
      const headers = headersOf(
        Object.entries(message.headers).map(([name, value]) => [name, String(value)]),
      );
      const body = Buffer.from(String(message.body));
      const arrival: Arrival = { method: "POST", url, headers, body, receivedAt: 0 };
      const content = await readBody(arrival, PRESETS.cloudevents);
      if (content.kind !== "json") throw new Error(content.why);
      expect(eventsIn(content.value, arrival, PRESETS.cloudevents)).toMatchObject({
        events: [
          {
            deliveryKey: ["/shop", "e1"],
            eventType: "order.paid",
            subject: "/shop o1",
            data: { data: { total: 5 } },
          },
        ],
      });
    }
  });
});
