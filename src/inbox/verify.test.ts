import { createSign, generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Json } from "../core/json.ts";
import { headersOf, type Arrival } from "./arrival.ts";
import { selfSignedCertificate } from "./certificate.fixture.ts";
import type { Preset } from "./preset.ts";
import { PRESETS } from "./presets.ts";
import { readBody } from "./read-events.ts";
import { signRequest } from "./sign.ts";
import { verifyArrival, type Secret, type Verdict } from "./verify.ts";

const at = 1_614_265_330;

interface Given {
  readonly headers: Readonly<Record<string, string>> | readonly (readonly [string, string])[];
  readonly body: string | Uint8Array;
  readonly url?: string;
  readonly secrets: readonly string[];
  readonly receivedAt?: number;
  readonly certificate?: () => Promise<string>;
}

function entriesOf({ headers }: Pick<Given, "headers">): readonly (readonly [string, string])[] {
  return isList(headers) ? headers : Object.entries(headers);
}

function isList(headers: Given["headers"]): headers is readonly (readonly [string, string])[] {
  return Array.isArray(headers);
}

function arrivalOf({ headers, body, url, receivedAt }: Given): Arrival {
  return {
    method: "POST",
    url: url ?? null,
    headers: headersOf(entriesOf({ headers })),
    body: typeof body === "string" ? Buffer.from(body, "utf8") : body,
    receivedAt: receivedAt ?? at * 1_000,
  };
}

const secretsOf = (texts: readonly string[]): readonly Secret[] =>
  texts.map((secret, index) => ({ id: `s${index + 1}`, secret, notBeforeAt: null, notAfterAt: null }));

async function judge(preset: Preset, given: Given): Promise<Verdict> {
  const arrival = arrivalOf(given);
  const read = await readBody(arrival, preset);
  const body: Json = read.kind === "json" ? read.value : null;
  return verifyArrival(arrival, {
    preset,
    secrets: secretsOf(given.secrets),
    toleranceMs: 300_000,
    body,
    fetchCertificate: given.certificate ?? (() => Promise.reject(new Error("no certificate is needed"))),
  });
}

const standard = {
  secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
  body: '{"test": 2432232314}',
  id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
  signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
};

const standardHeaders = (signature: string, id = standard.id, time = String(at)): Record<string, string> => ({
  "webhook-id": id,
  "webhook-timestamp": time,
  "webhook-signature": signature,
});

const stripeBody = '{\n  "id": "evt_test_webhook",\n  "object": "event"\n}';
const oldAndNew = {
  old: "40c0e3fdea6dde739c59b10c28033c4ecd58107dd7243e7d2b399e6f005dec3a",
  new: "88a53642938c8f5aeed92eced151b0a7da6faf6f72068469e0c301fb3eda7c15",
};
const twilioUrl = "https://mycompany.com/myapp.php?foo=1&bar=2";
const hubspotSecret = "yyyyyyyy-yyyy-yyyy-yyyy-yyyyyyyyyyyy";

/** Published by the providers or in their own suites. */
const vectors: readonly (readonly [string, Preset, Given])[] = [
  [
    "Standard Webhooks v1",
    PRESETS["standard-webhooks"],
    { ...standard, headers: standardHeaders(standard.signature) },
  ],
  [
    "Standard Webhooks v1a",
    PRESETS["standard-webhooks"],
    {
      secrets: ["whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4="],
      body: standard.body,
      headers: standardHeaders(
        "v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==",
      ),
    },
  ],
  [
    "Stripe",
    PRESETS.stripe,
    {
      secrets: ["whsec_test_secret"],
      body: stripeBody,
      headers: {
        "stripe-signature": `t=${at},v1=af4ead0627a34a8cca29808e8de9ada8e41a92e6237c63cef6eacf51d36cca34`,
      },
    },
  ],
  [
    "GitHub",
    PRESETS.github,
    {
      secrets: ["It's a Secret to Everybody"],
      body: "Hello, World!",
      headers: {
        "x-hub-signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
      },
    },
  ],
  [
    "Slack",
    PRESETS.slack,
    {
      secrets: ["8f742231b10e8888abcd99yyyzzz85a5"],
      receivedAt: 1_531_420_618_000,
      body:
        "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V" +
        "&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=" +
        "&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN" +
        "&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        "x-slack-request-timestamp": "1531420618",
        "x-slack-signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
      },
    },
  ],
  [
    "Twilio with a form",
    PRESETS.twilio,
    {
      secrets: ["12345"],
      url: twilioUrl,
      body: "CallSid=CA1234567890ABCDE&Caller=%2B14158675309&Digits=1234&From=%2B14158675309&To=%2B18005551212",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        "x-twilio-signature": "RSOYDt4T1cUTdK1PDd93/VVr8B8=",
      },
    },
  ],
  [
    "Twilio with JSON",
    PRESETS.twilio,
    {
      secrets: ["12345"],
      url: `${twilioUrl}&bodySHA256=0a1ff7634d9ab3b95db5c9a2dfe9416e41502b283a80c7cf19632632f96e6620`,
      body: '{"property": "value", "boolean": true}',
      headers: { "x-twilio-signature": "a9nBmqA0ju/hNViExpshrM61xv4=" },
    },
  ],
  [
    "HubSpot v1",
    PRESETS["hubspot-v1"],
    {
      secrets: [hubspotSecret],
      body: '[{"eventId":1,"subscriptionId":12345,"portalId":62515,"occurredAt":1564113600000,"subscriptionType":"contact.creation","attemptNumber":0,"objectId":123,"changeSource":"CRM","changeFlag":"NEW","appId":54321}]',
      headers: {
        "x-hubspot-signature": "232db2615f3d666fe21a8ec971ac7b5402d33b9a925784df3ca654d05f4817de",
      },
    },
  ],
  [
    "HubSpot v2",
    PRESETS["hubspot-v2"],
    {
      secrets: [hubspotSecret],
      url: "https://www.example.com/webhook_uri",
      body: '{"example_field":"example_value"}',
      headers: {
        "x-hubspot-signature": "9569219f8ba981ffa6f6f16aa0f48637d35d728c7e4d93d0d52efaa512af7900",
      },
    },
  ],
  [
    "HubSpot v3",
    PRESETS.hubspot,
    {
      secrets: [hubspotSecret],
      url: "https://www.example.com/webhook_uri",
      body: '{"example_field":"example_value"}',
      headers: {
        "x-hubspot-request-timestamp": `${at}000`,
        "x-hubspot-signature-v3": "tpCufWLOupRpVXpoJy1Cdw0BOVgWjilpkfjxyo2w2OQ=",
      },
    },
  ],
  [
    "Adyen",
    PRESETS.adyen,
    {
      secrets: ["44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056"],
      headers: {},
      body: JSON.stringify({
        notificationItems: [
          {
            NotificationRequestItem: {
              pspReference: "7914073381342284",
              merchantAccountCode: "TestMerchant",
              merchantReference: "TestPayment-1407325143704",
              amount: { value: 1130, currency: "EUR" },
              eventCode: "AUTHORISATION",
              success: "true",
              additionalData: { hmacSignature: "coqCmt/IZ4E3CzPvMY8zTjQVL5hYJUiBRg8UU+iCWo0=" },
            },
          },
        ],
      }),
    },
  ],
  [
    "Square",
    PRESETS.square,
    {
      secrets: ["Ibxx_5AKakO-3qeNVR61Dw"],
      url: "https://webhook.site/679a4f3a-dcfa-49ee-bac5-9d0edad886b9",
      body: '{"merchant_id":"MLEFBHHSJGVHD","type":"webhooks.test_notification","event_id":"ac3ac95b-f97d-458c-a6e6-18981597e05f","created_at":"2022-07-13T20:30:59.037339943Z","data":{"type":"webhooks","id":"bc368e64-01aa-407e-b46e-3231809b1129"}}',
      headers: { "x-square-hmacsha256-signature": "GF4YkrJgGBDZ9NIYbNXBnMzqb2HoL4RW/S6vkZ9/2N4=" },
    },
  ],
  [
    "Shopify",
    PRESETS.shopify,
    {
      secrets: ["shop-secret"],
      body: '{"id":1}',
      headers: { "x-shopify-hmac-sha256": "plW8VGqq0nDMIEhDqaNNW99asdUCy7EIqLZVcQwtAZ0=" },
    },
  ],
  [
    "Zoom",
    PRESETS.zoom,
    {
      secrets: ["zoom_secret"],
      body: '{"event":"meeting.started","payload":{}}',
      headers: {
        "x-zm-request-timestamp": String(at),
        "x-zm-signature": "v0=76d47ab11fa0a535fcbe7860160c10e80f1bc651e3533fd270a5a8208f693b98",
      },
    },
  ],
  [
    "Paddle",
    PRESETS.paddle,
    {
      secrets: ["pdl_secret"],
      body: '{"event_id":"evt_1"}',
      headers: {
        "paddle-signature": `ts=${at};h1=f8e7158cdad1cd25ffd985746db3e7df10d55da4e27102387f7adab64e4475cb`,
      },
    },
  ],
  [
    "Stripe while its secret is rolled, old and new",
    PRESETS.stripe,
    {
      secrets: ["whsec_other", "whsec_new"],
      body: '{"id":"evt_1"}',
      headers: { "stripe-signature": `t=${at},v1=${oldAndNew.old},v1=${oldAndNew.new}` },
    },
  ],
];

describe("a genuine request is taken", () => {
  test.each(vectors)("of %s, by the provider's own example", async (_name, preset, given) => {
    expect(await judge(preset, given)).toMatchObject({ kind: "authentic" });
  });

  test("of a secret that is being replaced, naming the one that matched", async () => {
    const given = {
      body: '{"id":"evt_1"}',
      headers: { "stripe-signature": `t=${at},v1=${oldAndNew.old}` },
      secrets: ["whsec_new", "whsec_old"],
    };
    expect(await judge(PRESETS.stripe, given)).toMatchObject({ kind: "authentic", secretId: "s2" });
    expect(await judge(PRESETS.stripe, { ...given, secrets: ["whsec_new"] })).toEqual({
      kind: "refused",
      reason: "wrongSignature",
    });
  });

  test("although its time is that of the event and its retry comes hours later", async () => {
    const body = JSON.stringify({ webhookTimestamp: at * 1_000 });
    const headers = signRequest(PRESETS.linear, {
      method: "POST",
      url: "",
      body: Buffer.from(body),
      secret: "shop-secret",
      at: at * 1_000,
      id: "d1",
      eventType: "Issue",
    });
    const late = { body, headers, secrets: ["shop-secret"], receivedAt: (at + 6 * 3_600) * 1_000 };
    expect(await judge(PRESETS.linear, late)).toMatchObject({ kind: "authentic" });
    expect(await judge(PRESETS.linear, { ...late, receivedAt: (at + 72 * 3_600) * 1_000 })).toMatchObject({
      reason: "tooOld",
    });
  });
});

describe("a request is refused", () => {
  test.each(vectors)("of %s, with any byte of its body changed", async (_name, preset, given) => {
    // Adyen signs eight fields only: what is changed elsewhere cannot be seen.
    const body = Buffer.from(preset.name === "adyen" ? "" : given.body);
    for (let index = 0; index < body.length; index += Math.max(1, Math.floor(body.length / 40))) {
      const forged = Buffer.from(body);
      forged[index] = (forged[index] ?? 0) ^ 1;
      const verdict = await judge(preset, { ...given, body: forged });
      expect(verdict.kind).toBe("refused");
    }
    expect((await judge(preset, { ...given, body: "" })).kind).toBe("refused");
    const spaced = Buffer.concat([body, Buffer.from(" ")]);
    expect((await judge(preset, { ...given, body: spaced })).kind).toBe("refused");
  });

  test.each(vectors)(
    "of %s, with a secret that is another, empty or has a line break",
    async (_name, preset, given) => {
      for (const secret of ["", "whsec_", "whpk_", "another", `${given.secrets.at(-1) ?? ""}\n`]) {
        expect((await judge(preset, { ...given, secrets: [secret] })).kind).toBe("refused");
      }
      expect(await judge(preset, { ...given, secrets: [] })).toEqual({ kind: "refused", reason: "noSecret" });
    },
  );

  test.each(vectors)(
    "of %s, without any one of its headers, or with one twice",
    async (_name, preset, given) => {
      const entries = entriesOf(given).filter(([name]) => name !== "content-type");
      for (const [name] of entries) {
        const rest = entries.filter(([other]) => other !== name);
        expect((await judge(preset, { ...given, headers: rest })).kind).toBe("refused");
        const value = entries.find(([other]) => other === name)?.[1] ?? "";
        expect((await judge(preset, { ...given, headers: [...entries, [name, value]] })).kind).toBe(
          "refused",
        );
      }
    },
  );

  const good = standard.signature.slice(3);
  test.each([
    ["an empty list", "v1,"],
    ["a digest that is too short", `v1,${good.slice(0, 20)}`],
    ["no base64", "v1,***"],
    ["the wrong version", `v0,${good}`],
    ["an unknown version", `v2,${good}`],
    ["the version of another kind of key", `v1a,${good}`],
    ["the signature past the sixteenth place", `${"v1,AAAA ".repeat(16)}v1,${good}`],
    ["a header that is longer than any", `v1,${good} ${"v1,AAAA ".repeat(1_000)}`],
  ])("with %s", async (_name, signature) => {
    const verdict = await judge(PRESETS["standard-webhooks"], {
      ...standard,
      headers: standardHeaders(signature),
    });
    expect(verdict.kind).toBe("refused");
  });

  test("unless the right one of many signatures stands in the middle", async () => {
    const many = `v1,AAAA v1,${good} v1,BBBB`;
    expect(
      await judge(PRESETS["standard-webhooks"], { ...standard, headers: standardHeaders(many) }),
    ).toMatchObject({ kind: "authentic", scheme: "v1" });
  });

  test("whose id has the separator in it", async () => {
    const headers = standardHeaders(standard.signature, "msg.1");
    expect(await judge(PRESETS["standard-webhooks"], { ...standard, headers })).toMatchObject({
      reason: "malformed",
    });
  });

  test.each([
    ["is 301 s old", -301, "tooOld"],
    ["is 301 s ahead", 301, "tooNew"],
  ])("whose time %s, though it is well signed", async (_name, offS, reason) => {
    const body = Buffer.from("{}");
    const headers = signRequest(PRESETS.slack, {
      method: "POST",
      url: "",
      body,
      secret: "shh",
      at: (at + offS) * 1_000,
      id: "",
      eventType: "",
    });
    expect(await judge(PRESETS.slack, { body, headers, secrets: ["shh"] })).toEqual({
      kind: "refused",
      reason,
    });
  });

  test.each(["1614265330abc", "NaN", "-1614265330", "1e9", "", " 1614265330", "9".repeat(16), "0x60378d72"])(
    "whose time is %j",
    async (time) => {
      const headers = standardHeaders(standard.signature, standard.id, time);
      const verdict = await judge(PRESETS["standard-webhooks"], { ...standard, headers });
      expect(verdict).toMatchObject({ kind: "refused", reason: "malformed" });
    },
  );

  test("whose time is in milliseconds where seconds are due", async () => {
    const body = Buffer.from("{}");
    const signing = {
      method: "POST",
      url: "",
      body,
      secret: "shh",
      at: at * 1_000_000,
      id: "",
      eventType: "",
    };
    const headers = signRequest(PRESETS.slack, signing);
    expect(await judge(PRESETS.slack, { body, headers, secrets: ["shh"] })).toMatchObject({
      kind: "refused",
    });
  });

  test("that was signed for another address", async () => {
    const given = vectors.find(([name]) => name === "Square")?.[2] ?? { headers: {}, body: "", secrets: [] };
    expect(await judge(PRESETS.square, given)).toMatchObject({ kind: "authentic" });
    expect(await judge(PRESETS.square, { ...given, url: "https://other.example/hook" })).toMatchObject({
      reason: "wrongSignature",
    });
  });
});

describe("bytes that are no text", () => {
  test("are judged as they are: a byte order mark, line ends and broken UTF-8 stay what they were", async () => {
    for (const body of [
      Buffer.from("\uFEFF{}"),
      Buffer.from("{\r\n}"),
      Buffer.from([0x7b, 0xff, 0xfe, 0x7d]),
      Buffer.from([0x7b, 0xff, 0xfd, 0x7d]),
    ]) {
      const signing = { method: "POST", url: "", body, secret: "shh", at: 0, id: "", eventType: "" };
      const headers = signRequest(PRESETS.github, signing);
      expect(await judge(PRESETS.github, { body, headers, secrets: ["shh"] })).toMatchObject({
        kind: "authentic",
      });
    }
    const one = Buffer.from([0x7b, 0xff, 0x7d]);
    const other = Buffer.from([0x7b, 0xfe, 0x7d]);
    const headers = signRequest(PRESETS.github, {
      method: "POST",
      url: "",
      body: one,
      secret: "shh",
      at: 0,
      id: "",
      eventType: "",
    });
    expect((await judge(PRESETS.github, { body: other, headers, secrets: ["shh"] })).kind).toBe("refused");
  });
});

describe("Amazon SNS", () => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const pem = selfSignedCertificate(publicKey, privateKey);
  const topic = "arn:aws:sns:eu-west-1:123456789012:orders";
  const common = {
    MessageId: "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324",
    TopicArn: topic,
    Message: "My first message!",
    Timestamp: "2026-05-02T00:54:06.655Z",
    SigningCertURL: "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem",
  };
  const confirmation = {
    SubscribeURL: "https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription",
    Token: "t",
  };
  const notification = ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"];
  const confirming = ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"];

  function signed(
    fields: Readonly<Record<string, string>>,
    names: readonly string[],
    version: "1" | "2" = "2",
  ): Readonly<Record<string, string>> {
    const lines = names
      .filter((name) => fields[name] !== undefined)
      .map((name) => `${name}\n${fields[name]}\n`);
    const sign = createSign(version === "1" ? "RSA-SHA1" : "RSA-SHA256").update(lines.join(""));
    return { ...fields, SignatureVersion: version, Signature: sign.sign(privateKey, "base64") };
  }

  const judgeMessage = (message: object, secrets = [topic]): Promise<Verdict> =>
    judge(PRESETS.sns, {
      headers: {},
      body: JSON.stringify(message),
      secrets,
      certificate: () => Promise.resolve(pem),
    });

  test.each([
    ["a notification", signed({ ...common, Type: "Notification" }, notification)],
    ["one with a subject", signed({ ...common, Type: "Notification", Subject: "Hello" }, notification)],
    ["one of version 1", signed({ ...common, Type: "Notification" }, notification, "1")],
    ["a confirmation", signed({ ...common, ...confirmation, Type: "SubscriptionConfirmation" }, confirming)],
    ["a farewell", signed({ ...common, ...confirmation, Type: "UnsubscribeConfirmation" }, confirming)],
  ])("is taken at its word for %s", async (_name, message) => {
    expect(await judgeMessage(message)).toMatchObject({ kind: "authentic", scheme: "sns" });
  });

  test("is refused for a topic that is not configured, though Amazon signed it", async () => {
    const message = signed({ ...common, Type: "Notification" }, notification);
    expect(await judgeMessage(message, [`${topic}-of-another`])).toMatchObject({ reason: "wrongSignature" });
  });

  test("is refused when any signed field was changed", async () => {
    const message = signed({ ...common, Type: "Notification", Subject: "Hello" }, notification);
    for (const name of ["Message", "MessageId", "Subject", "Timestamp"]) {
      expect(await judgeMessage({ ...message, [name]: "forged" })).toMatchObject({
        reason: "wrongSignature",
      });
    }
  });

  test.each([
    "http://sns.eu-west-1.amazonaws.com/a.pem",
    "https://sns.eu-west-1.amazonaws.com.evil.example/a.pem",
    "https://evil.example/sns.eu-west-1.amazonaws.com/a.pem",
    "https://sns.eu-west-1.amazonaws.com@evil.example/a.pem",
    "https://s3.amazonaws.com/bucket/a.pem",
    "https://sns.eu-west-1.amazonaws.com:8443/a.pem",
    "https://169.254.169.254/a.pem",
    "file:///etc/passwd.pem",
    "nonsense",
  ])("never has a certificate fetched from %s", async (address) => {
    let asked = 0;
    const message = signed({ ...common, SigningCertURL: address, Type: "Notification" }, notification);
    const verdict = await judge(PRESETS.sns, {
      headers: {},
      body: JSON.stringify(message),
      secrets: [topic],
      certificate: () => {
        asked += 1;
        return Promise.resolve(pem);
      },
    });
    expect({ asked, kind: verdict.kind }).toEqual({ asked: 0, kind: "refused" });
  });
});
