/** The providers that Foothold knows, as data. */

import type { Preset, Scheme } from "./preset.ts";
import {
  base,
  bodyHmac,
  DAY_MS,
  dot,
  HOUR_MS,
  MIB,
  okay,
  plainSecret,
  standardSchemes,
} from "./preset-parts.ts";

const stripe: Preset = {
  ...base,
  name: "stripe",
  schemes: [
    {
      kind: "hmac",
      name: "v1",
      algorithm: "sha256",
      // The whole secret with its prefix: Stripe does not decode it.
      secret: plainSecret,
      signature: {
        header: "stripe-signature",
        form: { kind: "named", separator: ",", name: "v1" },
        encoding: "hex",
      },
      signed: ["timestamp", dot, "raw"],
      id: null,
      timestamp: { from: { part: "t" }, unit: "s", of: "attempt" },
    },
  ],
  deliveryKey: [{ path: ["id"] }],
  // Two event objects for one change happen, but no field tells them from two changes in one second: a source that
  // knows better names a key of its own.
  businessKey: null,
  eventType: [{ path: ["type"] }],
  occurredAt: { where: { path: ["created"] }, unit: "s" },
  subject: [{ path: ["data", "object", "id"] }],
};

const github: Preset = {
  ...base,
  name: "github",
  schemes: [bodyHmac("x-hub-signature-256", "hex", "sha256=")],
  body: "byContentType",
  deliveryKey: [{ header: "x-github-delivery" }],
  eventType: [{ header: "x-github-event" }, { path: ["action"] }],
  isBodyTheKey: true,
  keptHeaders: ["x-github-delivery", "x-github-event", "x-github-hook-*"],
  bodyBytesMax: 25 * MIB,
  resendsWithinMs: 3 * DAY_MS,
  retries: false,
};

const shopify: Preset = {
  ...base,
  name: "shopify",
  schemes: [bodyHmac("x-shopify-hmac-sha256", "base64"), bodyHmac("shopify-hmac-sha256", "base64")],
  deliveryKey: [{ header: "x-shopify-webhook-id" }],
  businessKey: [{ header: "x-shopify-event-id" }, { header: "x-shopify-topic" }],
  eventType: [{ header: "x-shopify-topic" }],
  occurredAt: { where: { header: "x-shopify-triggered-at" }, unit: "rfc3339" },
  subject: [{ header: "x-shopify-topic" }, { path: ["id"] }],
  isBodyTheKey: true,
  keptHeaders: ["x-shopify-*", "shopify-*"],
  bodyBytesMax: 5 * MIB,
  resendsWithinMs: 2 * DAY_MS,
};

const slack: Preset = {
  ...base,
  name: "slack",
  schemes: [
    {
      kind: "hmac",
      name: "v0",
      algorithm: "sha256",
      secret: plainSecret,
      signature: {
        header: "x-slack-signature",
        form: { kind: "prefixed", prefix: "v0=" },
        encoding: "hex",
      },
      signed: [{ text: "v0:" }, "timestamp", { text: ":" }, "raw"],
      id: null,
      timestamp: { from: { header: "x-slack-request-timestamp" }, unit: "s", of: "attempt" },
    },
  ],
  body: "byContentType",
  deliveryKey: [{ path: ["event_id"] }],
  // One message may come as many events, each with an id of its own.
  businessKey: [
    { path: ["team_id"] },
    { path: ["event", "type"] },
    { path: ["event", "channel"] },
    { path: ["event", "event_ts"] },
  ],
  eventType: [{ path: ["event", "type"] }],
  occurredAt: { where: { path: ["event", "event_ts"] }, unit: "s" },
  subject: [{ path: ["event", "channel"] }],
  keptHeaders: ["x-slack-retry-num", "x-slack-retry-reason", "x-slack-request-timestamp"],
  accepted: okay,
  challenge: "slack",
  resendsWithinMs: DAY_MS,
};

const twilio: Preset = {
  ...base,
  name: "twilio",
  schemes: [{ kind: "twilio", name: "hmac-sha1" }],
  body: "byContentType",
  deliveryKey: [{ header: "i-twilio-idempotency-token" }],
  businessKey: [{ path: ["MessageSid"] }, { path: ["MessageStatus"] }],
  eventType: [{ text: "message" }, { path: ["MessageStatus"] }],
  subject: [{ path: ["MessageSid"] }],
  isBodyTheKey: true,
  keptHeaders: ["i-twilio-idempotency-token"],
  accepted: { status: 200, contentType: "text/xml", body: "<Response/>" },
  resendsWithinMs: DAY_MS,
};

const standardWebhooks: Preset = {
  ...base,
  name: "standard-webhooks",
  schemes: standardSchemes("webhook"),
  deliveryKey: [{ header: "webhook-id" }],
  eventType: [{ path: ["type"] }],
  occurredAt: { where: { path: ["timestamp"] }, unit: "rfc3339" },
  keptHeaders: ["webhook-id", "webhook-timestamp"],
};

const svix: Preset = {
  ...standardWebhooks,
  name: "svix",
  schemes: standardSchemes("svix"),
  deliveryKey: [{ header: "svix-id" }],
  keptHeaders: ["svix-id", "svix-timestamp"],
};

const bearer: Scheme = { kind: "token", name: "bearer", header: "authorization", before: "Bearer " };

const cloudEvents: Preset = {
  ...base,
  name: "cloudevents",
  schemes: [bearer, bodyHmac("x-signature-256", "hex", "sha256=")],
  body: "cloudEvents",
  items: { list: [], item: [] },
  deliveryKey: [{ path: ["source"] }, { path: ["id"] }],
  eventType: [{ path: ["type"] }],
  occurredAt: { where: { path: ["time"] }, unit: "rfc3339" },
  subject: [{ path: ["source"] }, { path: ["subject"] }],
  keptHeaders: ["ce-*"],
  challenge: "cloudEvents",
};

const sns: Preset = {
  ...base,
  name: "sns",
  schemes: [{ kind: "sns", name: "sns" }],
  deliveryKey: [{ path: ["MessageId"] }],
  eventType: [{ path: ["Type"] }],
  occurredAt: { where: { path: ["Timestamp"] }, unit: "rfc3339" },
  keptHeaders: ["x-amz-sns-*"],
  challenge: "sns",
  resendsWithinMs: HOUR_MS,
};

const hubspotItems: Pick<
  Preset,
  "items" | "deliveryKey" | "businessKey" | "eventType" | "occurredAt" | "subject"
> = {
  items: { list: [], item: [] },
  // Its event id is not unique by itself.
  deliveryKey: [
    { path: ["portalId"] },
    { path: ["subscriptionId"] },
    { path: ["objectId"] },
    { path: ["occurredAt"] },
    { path: ["eventId"] },
  ],
  businessKey: null,
  eventType: [{ path: ["subscriptionType"] }],
  occurredAt: { where: { path: ["occurredAt"] }, unit: "ms" },
  subject: [{ path: ["portalId"] }, { path: ["objectId"] }],
};

const hubspot: Preset = {
  ...base,
  ...hubspotItems,
  name: "hubspot",
  schemes: [
    {
      kind: "hmac",
      name: "v3",
      algorithm: "sha256",
      secret: plainSecret,
      signature: { header: "x-hubspot-signature-v3", form: { kind: "bare" }, encoding: "base64" },
      signed: ["method", "url", "raw", "timestamp"],
      id: null,
      timestamp: { from: { header: "x-hubspot-request-timestamp" }, unit: "ms", of: "attempt" },
    },
  ],
  resendsWithinMs: 2 * DAY_MS,
};

/** For apps that cannot be moved to version 3: a plain hash with the secret in front, which can be lengthened. */
const hubspotV2: Preset = {
  ...hubspot,
  name: "hubspot-v2",
  schemes: [
    {
      kind: "hash",
      name: "v2",
      signature: { header: "x-hubspot-signature", form: { kind: "bare" }, encoding: "hex" },
      signed: ["method", "url", "raw"],
    },
  ],
  isBodyTheKey: true,
};

const hubspotV1: Preset = {
  ...hubspotV2,
  name: "hubspot-v1",
  schemes: [
    {
      kind: "hash",
      name: "v1",
      signature: { header: "x-hubspot-signature", form: { kind: "bare" }, encoding: "hex" },
      signed: ["raw"],
    },
  ],
};

const zoom: Preset = {
  ...base,
  name: "zoom",
  schemes: [
    {
      kind: "hmac",
      name: "v0",
      algorithm: "sha256",
      secret: plainSecret,
      signature: { header: "x-zm-signature", form: { kind: "prefixed", prefix: "v0=" }, encoding: "hex" },
      signed: [{ text: "v0:" }, "timestamp", { text: ":" }, "raw"],
      id: null,
      timestamp: { from: { header: "x-zm-request-timestamp" }, unit: "s", of: "attempt" },
    },
  ],
  deliveryKey: [{ path: ["event"] }, { path: ["event_ts"] }, { path: ["payload", "object", "uuid"] }],
  eventType: [{ path: ["event"] }],
  occurredAt: { where: { path: ["event_ts"] }, unit: "ms" },
  challenge: "zoom",
  accepted: okay,
  resendsWithinMs: DAY_MS,
};

const square: Preset = {
  ...base,
  name: "square",
  schemes: [
    {
      kind: "hmac",
      name: "hmac-sha256",
      algorithm: "sha256",
      secret: plainSecret,
      signature: { header: "x-square-hmacsha256-signature", form: { kind: "bare" }, encoding: "base64" },
      signed: ["url", "raw"],
      id: null,
      timestamp: null,
    },
  ],
  deliveryKey: [{ path: ["event_id"] }],
  eventType: [{ path: ["type"] }],
  occurredAt: { where: { path: ["created_at"] }, unit: "rfc3339" },
  subject: [{ path: ["data", "id"] }],
};

const paddle: Preset = {
  ...base,
  name: "paddle",
  schemes: [
    {
      kind: "hmac",
      name: "h1",
      algorithm: "sha256",
      secret: plainSecret,
      signature: {
        header: "paddle-signature",
        form: { kind: "named", separator: ";", name: "h1" },
        encoding: "hex",
      },
      signed: ["timestamp", { text: ":" }, "raw"],
      id: null,
      timestamp: { from: { part: "ts" }, unit: "s", of: "attempt" },
    },
  ],
  deliveryKey: [{ path: ["event_id"] }],
  eventType: [{ path: ["event_type"] }],
  occurredAt: { where: { path: ["occurred_at"] }, unit: "rfc3339" },
  subject: [{ path: ["data", "id"] }],
};

/** Its secrets are the ids of our webhooks at PayPal. */
const paypal: Preset = {
  ...base,
  name: "paypal",
  schemes: [{ kind: "paypal", name: "sha256-rsa" }],
  // The id of a transmission names one attempt, not the event.
  deliveryKey: [{ path: ["id"] }],
  eventType: [{ path: ["event_type"] }],
  occurredAt: { where: { path: ["create_time"] }, unit: "rfc3339" },
  subject: [{ path: ["resource", "id"] }],
  keptHeaders: ["paypal-transmission-*"],
};

/** Events of EventBridge, by an API destination that sends a bearer token. */
const eventBridge: Preset = {
  ...base,
  name: "eventbridge",
  schemes: [bearer],
  deliveryKey: [{ path: ["account"] }, { path: ["source"] }, { path: ["id"] }],
  eventType: [{ path: ["detail-type"] }],
  occurredAt: { where: { path: ["time"] }, unit: "rfc3339" },
  resendsWithinMs: DAY_MS,
};

/** Basic authentication: the secret is `user:password` in base64. */
const basic: Scheme = { kind: "token", name: "basic", header: "authorization", before: "Basic " };

const chargebee: Preset = {
  ...base,
  name: "chargebee",
  schemes: [basic],
  deliveryKey: [{ path: ["id"] }],
  eventType: [{ path: ["event_type"] }],
  occurredAt: { where: { path: ["occurred_at"] }, unit: "s" },
};

const postmark: Preset = {
  ...base,
  name: "postmark",
  schemes: [basic],
  // It names the mail and what became of it, but no event: a mail may well be opened twice.
  deliveryKey: [],
  eventType: [{ path: ["RecordType"] }],
  subject: [{ path: ["MessageID"] }],
};

const linear: Preset = {
  ...base,
  name: "linear",
  schemes: [
    {
      kind: "hmac",
      name: "hmac-sha256",
      algorithm: "sha256",
      secret: plainSecret,
      signature: { header: "linear-signature", form: { kind: "bare" }, encoding: "hex" },
      signed: ["raw"],
      id: null,
      // The same in every retry, so a bound of minutes would refuse each of them.
      timestamp: { from: { path: ["webhookTimestamp"] }, unit: "ms", of: "event" },
    },
  ],
  deliveryKey: [{ header: "linear-delivery" }],
  eventType: [{ path: ["type"] }, { path: ["action"] }],
  occurredAt: { where: { path: ["webhookTimestamp"] }, unit: "ms" },
  subject: [{ path: ["data", "id"] }],
  isBodyTheKey: true,
  keptHeaders: ["linear-delivery", "linear-event"],
  accepted: okay,
  resendsWithinMs: 2 * DAY_MS,
};

const adyen: Preset = {
  ...base,
  name: "adyen",
  schemes: [{ kind: "adyen", name: "hmac-sha256" }],
  items: { list: ["notificationItems"], item: ["NotificationRequestItem"] },
  deliveryKey: [
    { path: ["merchantAccountCode"] },
    { path: ["pspReference"] },
    { path: ["eventCode"] },
    { path: ["success"] },
  ],
  eventType: [{ path: ["eventCode"] }],
  occurredAt: { where: { path: ["eventDate"] }, unit: "rfc3339" },
  subject: [{ path: ["merchantReference"] }],
  accepted: { status: 202, contentType: "text/plain", body: "[accepted]" },
};

const graph: Preset = {
  ...base,
  name: "microsoft-graph",
  schemes: [{ kind: "bodyToken", name: "clientState", path: ["value", "0", "clientState"] }],
  items: { list: ["value"], item: [] },
  deliveryKey: [
    { path: ["subscriptionId"] },
    { path: ["resourceData", "id"] },
    { path: ["changeType"] },
    { path: ["resourceData", "@odata.etag"] },
  ],
  eventType: [{ path: ["changeType"] }],
  subject: [{ path: ["resource"] }],
  challenge: "graph",
  isBodyTheKey: false,
  resendsWithinMs: DAY_MS,
};

const gitlab: Preset = {
  ...base,
  name: "gitlab",
  schemes: [{ kind: "token", name: "token", header: "x-gitlab-token", before: "" }],
  deliveryKey: [{ header: "x-gitlab-event-uuid" }],
  eventType: [{ header: "x-gitlab-event" }],
  keptHeaders: ["x-gitlab-event", "x-gitlab-event-uuid", "x-gitlab-instance"],
  isBodyTheKey: true,
};

/** For senders of one's own: HMAC-SHA256 of the body in hexadecimal, in `X-Signature-256`, an id in `X-Event-Id`. */
const hmac: Preset = {
  ...base,
  name: "hmac",
  schemes: [bodyHmac("x-signature-256", "hex", "sha256=")],
  deliveryKey: [{ header: "x-event-id" }],
  eventType: [{ header: "x-event-type" }],
  keptHeaders: ["x-event-id", "x-event-type"],
  isBodyTheKey: true,
};

/** For senders that can only be told a token. */
const bearerPreset: Preset = { ...hmac, name: "bearer", schemes: [bearer] };

/** The name of a preset. */
export type PresetName =
  | "adyen"
  | "bearer"
  | "chargebee"
  | "cloudevents"
  | "eventbridge"
  | "github"
  | "gitlab"
  | "hmac"
  | "hubspot"
  | "hubspot-v1"
  | "hubspot-v2"
  | "linear"
  | "microsoft-graph"
  | "paddle"
  | "paypal"
  | "postmark"
  | "shopify"
  | "slack"
  | "sns"
  | "square"
  | "standard-webhooks"
  | "stripe"
  | "svix"
  | "twilio"
  | "zoom";

/** Every preset by its name. */
export const PRESETS: { readonly [Name in PresetName]: Preset } = {
  adyen,
  bearer: bearerPreset,
  chargebee,
  cloudevents: cloudEvents,
  eventbridge: eventBridge,
  github,
  gitlab,
  hmac,
  hubspot,
  "hubspot-v1": hubspotV1,
  "hubspot-v2": hubspotV2,
  linear,
  "microsoft-graph": graph,
  paddle,
  paypal,
  postmark,
  shopify,
  slack,
  sns,
  square,
  "standard-webhooks": standardWebhooks,
  stripe,
  svix,
  twilio,
  zoom,
};
