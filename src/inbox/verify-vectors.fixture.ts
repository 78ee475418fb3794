import type { Preset } from "./preset.ts";
import { PRESETS } from "./presets.ts";

/** When the examples were signed, in seconds. */
export const at = 1_614_265_330;

/** A request to be judged. */
export interface Given {
  readonly headers: Readonly<Record<string, string>> | readonly (readonly [string, string])[];
  readonly body: string | Uint8Array;
  readonly url?: string;
  readonly secrets: readonly string[];
  readonly receivedAt?: number;
  readonly certificate?: () => Promise<string>;
}

export const standard = {
  secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
  body: '{"test": 2432232314}',
  id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
  signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
};

export const standardHeaders = (
  signature: string,
  id = standard.id,
  time = String(at),
): Record<string, string> => ({
  "webhook-id": id,
  "webhook-timestamp": time,
  "webhook-signature": signature,
});

const stripeBody = '{\n  "id": "evt_test_webhook",\n  "object": "event"\n}';
export const oldAndNew = {
  old: "40c0e3fdea6dde739c59b10c28033c4ecd58107dd7243e7d2b399e6f005dec3a",
  new: "88a53642938c8f5aeed92eced151b0a7da6faf6f72068469e0c301fb3eda7c15",
};
const twilioUrl = "https://mycompany.com/myapp.php?foo=1&bar=2";
const hubspotSecret = "yyyyyyyy-yyyy-yyyy-yyyy-yyyyyyyyyyyy";

/** Published by the providers or in their own suites. */
export const vectors: readonly (readonly [string, Preset, Given])[] = [
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
      body:
        '[{"eventId":1,"subscriptionId":12345,"portalId":62515,"occurredAt":1564113600000,"subscrip' +
        'tionType":"contact.creation","attemptNumber":0,"objectId":123,"changeSource":"CRM","change' +
        'Flag":"NEW","appId":54321}]',
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
      body:
        '{"merchant_id":"MLEFBHHSJGVHD","type":"webhooks.test_notification","event_id":"ac3ac95b-f9' +
        '7d-458c-a6e6-18981597e05f","created_at":"2022-07-13T20:30:59.037339943Z","data":{"type":"w' +
        'ebhooks","id":"bc368e64-01aa-407e-b46e-3231809b1129"}}',
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
