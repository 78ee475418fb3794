import { describe, expect, test } from "vitest";
import { headersOf, type Arrival } from "./arrival.ts";
import type { Preset } from "./preset.ts";
import { PRESETS, type PresetName } from "./presets.ts";
import { eventsIn, readBody } from "./read-events.ts";
import { signBody } from "./sign-body.ts";
import { signRequest } from "./sign.ts";
import { verifyArrival } from "./verify.ts";

const url = "https://shop.example/inbox/events";
const at = 1_800_000_000_000;

/** A body that its provider could send, where any object is not one. */
const bodies: { readonly [Name in PresetName]?: unknown } = {
  adyen: {
    live: "false",
    notificationItems: [
      { NotificationRequestItem: { eventCode: "AUTHORISATION", pspReference: "p1", success: "true" } },
      { NotificationRequestItem: { eventCode: "CAPTURE", pspReference: "p2", additionalData: { a: "b" } } },
    ],
  },
  cloudevents: { specversion: "1.0", id: "e1", source: "/shop", type: "order.paid" },
  hubspot: [{ subscriptionType: "contact.creation" }],
  "hubspot-v1": [{ subscriptionType: "contact.creation" }],
  "hubspot-v2": [{ subscriptionType: "contact.creation" }],
  "microsoft-graph": { value: [{ changeType: "updated" }, { changeType: "deleted" }] },
  twilio: { MessageSid: "SM1", MessageStatus: "sent", Body: "é €", NumMedia: 0 },
};
const secrets: { readonly [Name in PresetName]?: string } = {
  adyen: "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056",
  "standard-webhooks": `whsec_${Buffer.alloc(24, 7).toString("base64")}`,
  svix: `whsec_${Buffer.alloc(24, 7).toString("base64")}`,
};
const notHere: ReadonlySet<string> = new Set(["sns", "paypal"]);
const signable = Object.values<Preset>(PRESETS).filter(({ name }) => !notHere.has(name));

interface Made {
  readonly arrival: Arrival;
  readonly secret: string;
}

function made(preset: Preset, given?: unknown): Made {
  const name = preset.name as PresetName;
  const secret = secrets[name] ?? "a secret";
  const value = given ?? bodies[name] ?? { id: "e1", type: "order.paid", webhookTimestamp: at };
  const body = signBody(preset, { body: Buffer.from(JSON.stringify(value)), secret });
  const headers = signRequest(preset, { method: "POST", url, body, secret, at, id: "m1", eventType: "t" });
  const arrival = { method: "POST", url, headers: headersOf(Object.entries(headers)), body, receivedAt: at };
  return { arrival, secret };
}

describe("a test event that is signed here", () => {
  test.each(signable.map((preset) => [preset.name, preset] as const))(
    "for %s is taken by its preset, and its events can be read",
    async (_name, preset) => {
      const { arrival, secret } = made(preset);
      const read = await readBody(arrival, preset);
      if (read.kind !== "json") throw new Error(read.why);
      const verdict = await verifyArrival(arrival, {
        preset,
        secrets: [{ id: "#1", secret, notBeforeAt: null, notAfterAt: null }],
        toleranceMs: 300_000,
        body: read.value,
        fetchCertificate: () => Promise.reject(new Error("no certificate is needed")),
      });
      expect(verdict).toMatchObject({ kind: "authentic", secretId: "#1" });
      expect(eventsIn(read.value, arrival, preset)).toMatchObject({ kind: "events" });
    },
  );

  test.each(["sns", "paypal"] as const)("for %s cannot be, and is told how to try its consumers", (name) => {
    expect(() => made(PRESETS[name])).toThrow(
      `give the source the preset { ...PRESETS["${name}"], schemes: PRESETS.bearer.schemes }`,
    );
  });

  test("for a source of one's own machine that takes a bearer token is what its provider would send", () => {
    const { arrival } = made({ ...PRESETS.sns, schemes: PRESETS.bearer.schemes });
    expect(arrival.headers.get("authorization")).toEqual(["Bearer a secret"]);
  });

  test("of several CloudEvents is a batch", async () => {
    const { arrival } = made(PRESETS.cloudevents, [bodies.cloudevents, bodies.cloudevents]);
    expect(await readBody(arrival, PRESETS.cloudevents)).toMatchObject({ kind: "json", value: [{}, {}] });
  });

  test.each([
    ["adyen", { notificationItems: [] }, "notificationItems"],
    ["adyen", { notificationItems: [{}] }, "no NotificationRequestItem"],
    ["adyen", { notificationItems: [{ NotificationRequestItem: { pspReference: "a:b" } }] }, "a colon"],
    ["microsoft-graph", { value: [] }, "no 0 for its proof"],
    ["microsoft-graph", { other: 1 }, "no value for its proof"],
  ] as const)("for %s needs a body with a place for the proof", (name, body, why) => {
    expect(() => made(PRESETS[name], body)).toThrow(why);
  });
});
