import { describe, expect, test } from "vitest";
import type { Json } from "../core/json.ts";
import { headersOf, keptHeaders, type Arrival } from "./arrival.ts";
import { challengeIn } from "./challenge.ts";
import { decodeAttribute } from "./cloud-events.ts";
import { eventIdOf, keyHash, shardOfEvent, shardOfKey } from "./keys.ts";
import type { Preset } from "./preset.ts";
import { PRESETS } from "./presets.ts";
import { eventsIn, readBody, type EventsReading } from "./read-events.ts";

async function read(
  preset: Preset,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<EventsReading> {
  const arrival: Arrival = {
    method: "POST",
    url: null,
    headers: headersOf(Object.entries(headers)),
    body: Buffer.from(body, "utf8"),
    receivedAt: 0,
  };
  const reading = await readBody(arrival, preset);
  return reading.kind === "json" ? eventsIn(reading.value, arrival, preset) : reading;
}

const item = (objectId: number): object => ({
  portalId: 1,
  subscriptionId: 2,
  objectId,
  occurredAt: 3,
  eventId: 4,
  subscriptionType: "contact.creation",
});

describe("the events of a delivery", () => {
  test("are named by the id that the provider keeps in every retry, read as a text", async () => {
    const body = '{"id":"evt_1","type":"invoice.paid","created":1700000000,"data":{"object":{"id":"in_1"}}}';
    expect(await read(PRESETS.stripe, body)).toMatchObject({
      kind: "events",
      events: [
        {
          deliveryKey: ["evt_1"],
          eventType: "invoice.paid",
          subject: "in_1",
          occurredAt: 1_700_000_000_000,
        },
      ],
    });
    const order = '{"id":820982911946154508}';
    const headers = { "x-shopify-webhook-id": "w1", "x-shopify-topic": "orders/paid" };
    expect(await read(PRESETS.shopify, order, headers)).toMatchObject({
      events: [{ subject: "orders/paid 820982911946154508" }],
    });
  });

  test("have no key where a part of it is missing: not one that all of them share", async () => {
    expect(await read(PRESETS.github, "{}", { "x-github-event": "push" })).toMatchObject({
      events: [{ deliveryKey: null, eventType: "push" }],
    });
    expect(await read(PRESETS.hubspot, '[{"portalId":1}]')).toMatchObject({
      events: [{ deliveryKey: null }],
    });
  });

  test("are several where the provider sends several", async () => {
    expect(await read(PRESETS.hubspot, JSON.stringify([item(10), item(11)]))).toMatchObject({
      events: [
        { itemNo: 0, deliveryKey: ["1", "2", "10", "3", "4"], eventType: "contact.creation" },
        { itemNo: 1, deliveryKey: ["1", "2", "11", "3", "4"] },
      ],
    });
    expect(await read(PRESETS.hubspot, '{"not":"a list"}')).toMatchObject({ kind: "unreadable" });
    expect(
      await read(PRESETS.hubspot, JSON.stringify(Array.from({ length: 1_001 }, () => ({})))),
    ).toMatchObject({
      kind: "unreadable",
    });
  });

  test("are read from CloudEvents in all three forms alike", async () => {
    const event = { specversion: "1.0", id: "e1", source: "/shop", type: "order.paid", data: { total: 5 } };
    const expected = {
      kind: "events",
      events: [
        { deliveryKey: ["/shop", "e1"], eventType: "order.paid", data: { id: "e1", data: { total: 5 } } },
      ],
    };
    const structured = { "content-type": "application/cloudevents+json; charset=utf-8" };
    expect(await read(PRESETS.cloudevents, JSON.stringify(event), structured)).toMatchObject(expected);
    const batch = { "content-type": "application/cloudevents-batch+json" };
    expect(await read(PRESETS.cloudevents, JSON.stringify([event]), batch)).toMatchObject(expected);
    const binary = {
      "content-type": "application/json",
      "ce-id": "e1",
      "ce-source": "/shop",
      "ce-type": "order.paid",
      "ce-specversion": "1.0",
    };
    expect(await read(PRESETS.cloudevents, '{"total":5}', binary)).toMatchObject(expected);
    expect(await read(PRESETS.cloudevents, "{}", { "content-type": "application/json" })).toMatchObject({
      kind: "unreadable",
    });
  });

  test("are read from a form, and from JSON that a form carries", async () => {
    const form = { "content-type": "application/x-www-form-urlencoded" };
    expect(await read(PRESETS.twilio, "MessageSid=SM1&MessageStatus=sent", form)).toMatchObject({
      events: [{ eventType: "message.sent", subject: "SM1", businessKey: ["SM1", "sent"] }],
    });
    const payload = new URLSearchParams({ payload: '{"action":"opened"}' }).toString();
    expect(await read(PRESETS.github, payload, { ...form, "x-github-event": "issues" })).toMatchObject({
      events: [{ eventType: "issues.opened" }],
    });
    expect(await read(PRESETS.twilio, "__proto__=1", form)).toMatchObject({ kind: "unreadable" });
    expect(await read(PRESETS.twilio, "a=%00", form)).toMatchObject({ kind: "unreadable" });
  });
});

describe("a CloudEvents header", () => {
  test.each([
    ["Euro%20%E2%82%AC%20%F0%9F%98%80", "Euro € 😀"],
    ['"quoted \\" value"', 'quoted " value'],
    ["%C0%A0", null],
    ["%zz", null],
    ["%00", null],
  ])("%j is read as %j", (header, value) => {
    expect(decodeAttribute(header)).toBe(value);
  });
});

describe("keys", () => {
  const scope = { tenant: "t", source: "s" };

  test("differ wherever their parts do, also where their parts joined are alike", () => {
    const keys = [
      keyHash(scope, "delivery", ["ab", "c"]),
      keyHash(scope, "delivery", ["a", "bc"]),
      keyHash(scope, "delivery", ["abc"]),
      keyHash(scope, "business", ["ab", "c"]),
      keyHash({ ...scope, tenant: "u" }, "delivery", ["ab", "c"]),
      keyHash({ ...scope, source: "r" }, "delivery", ["ab", "c"]),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  test("give their event its id, which tells its shard", () => {
    const hash = keyHash(scope, "delivery", ["evt_1"]);
    expect(shardOfEvent(eventIdOf(hash))).toBe(shardOfKey(hash));
    expect(shardOfEvent("e99-00000000000000000000000000000000")).toBeNull();
    expect(shardOfEvent("nonsense")).toBeNull();
  });
});

describe("headers that are kept", () => {
  test("are those that were named, never one that lets somebody in, and printable", () => {
    const headers = headersOf([
      ["Authorization", "Bearer secret"],
      ["Cookie", "session=1"],
      ["X-Api-Key", "secret"],
      ["User-Agent", "curl\u001b[31m"],
      ["X-GitHub-Delivery", "d1"],
      ["X-Unknown", "1"],
    ]);
    expect(keptHeaders(headers, ["x-github-*", "authorization"])).toEqual([
      ["user-agent", "curl?[31m"],
      ["x-github-delivery", "d1"],
    ]);
  });

  test("keep nothing that may be a secret because a wide net was cast, and what is named all the same", () => {
    const headers = headersOf([
      ["X-Api-Key", "k"],
      ["X-Shop-Access-Token", "t"],
      ["X-Topic", "orders"],
      ["X-Idempotency-Token", "i"],
      ["Cookie", "c"],
    ]);
    expect(keptHeaders(headers, ["x-*", "x-idempotency-token", "cookie"])).toEqual([
      ["x-topic", "orders"],
      ["x-idempotency-token", "i"],
    ]);
  });
});

const subscription = (SubscribeURL: string): Json => ({ Type: "SubscriptionConfirmation", SubscribeURL });

describe("a challenge", () => {
  test("is answered for the preset that knows it, and for no other", () => {
    const slack = { type: "url_verification", challenge: "3eZbrw1aB1" };
    expect(challengeIn("slack", slack, [])).toEqual({
      kind: "answer",
      answer: { status: 200, contentType: "text/plain", body: "3eZbrw1aB1" },
    });
    expect(challengeIn(null, slack, [])).toBeNull();
    expect(challengeIn("slack", { ...slack, challenge: "a\r\nb" }, [])).toBeNull();
    expect(challengeIn("slack", { ...slack, challenge: "x".repeat(2_000) }, [])).toBeNull();
  });

  test("of Zoom is signed, by the provider's own example", () => {
    const body = { event: "endpoint.url_validation", payload: { plainToken: "qgg8vlvZRS6UYooatFL8Aw" } };
    const challenge = challengeIn("zoom", body, [{ secret: "zoom_secret" }]);
    expect(challenge).toMatchObject({ kind: "answer" });
    expect(JSON.stringify(challenge)).toContain(
      "46a324cfb7c2ec760e4cd561586a53aadb6fc7561eb8d626d6ee1b71d808b3c0",
    );
  });

  test("of Amazon SNS is followed to Amazon only", () => {
    const url = "https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription";
    expect(challengeIn("sns", subscription(url), [])).toEqual({ kind: "confirm", url });
    expect(challengeIn("sns", subscription("https://evil.example/"), [])).toBeNull();
  });
});

test("every preset says when it was checked, and bounds what it takes", () => {
  for (const preset of Object.values<Preset>(PRESETS)) {
    expect(preset.checkedOn).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(preset.schemes.length).toBeGreaterThan(0);
    expect(preset.bodyBytesMax).toBeLessThanOrEqual(25 * 1024 * 1024);
    expect(preset.accepted.status).toBeGreaterThanOrEqual(200);
    expect(preset.accepted.status).toBeLessThan(300);
  }
});
