import { createHash, randomUUID } from "node:crypto";
import { eventIdOf, keyHash, shardOfEvent } from "../../src/inbox/keys.ts";
import type { NewDelivery, NewEvent, NewWork } from "../../src/store/inbox-port.ts";

export const scope = { tenant: "default", source: "shop" };

/** What a delivery of one event is made of, where a test does not say. */
export interface Made {
  readonly key?: string;
  readonly body?: string | Uint8Array;
  readonly at?: number;
  readonly how?: NewDelivery["how"];
  readonly eventType?: string;
  readonly furtherKeys?: NewEvent["furtherKeys"];
  readonly standing?: NewEvent["standing"];
  readonly work?: readonly Partial<NewWork>[];
  readonly source?: string;
}

export function newWork(given: Partial<NewWork> = {}): NewWork {
  return {
    consumer: "tell the order",
    lane: null,
    owner: "shop-team",
    withinMs: 3_600_000,
    review: null,
    ...given,
  };
}

export function newDelivery(made: Made = {}): NewDelivery {
  const body = Buffer.from(made.body ?? '{"id":1}');
  const source = made.source ?? scope.source;
  const hash = createHash("sha256").update(body).digest("hex");
  const eventId = eventIdOf(keyHash({ ...scope, source }, "delivery", [made.key ?? randomUUID()]));
  const event: NewEvent = {
    eventId,
    itemNo: 0,
    keyKind: "delivery",
    itemHash: hash,
    eventType: made.eventType ?? "order.paid",
    subject: null,
    occurredAt: null,
    furtherKeys: made.furtherKeys ?? [],
    standing: made.standing ?? "routed",
    work: (made.work ?? [{}]).map(newWork),
  };
  return {
    deliveryId: `d${String(shardOfEvent(eventId) ?? 0).padStart(2, "0")}-${randomUUID()}`,
    tenant: scope.tenant,
    source,
    receivedAt: made.at ?? 1_800_000_000_000,
    how: made.how ?? "posted",
    scheme: "v1",
    secretId: "#1",
    signedAt: null,
    headers: [["content-type", "application/json"]],
    body,
    bodyHash: hash,
    events: [event],
  };
}

/** The one event of a made delivery. */
export function eventIn({ events }: NewDelivery): NewEvent {
  const [event] = events;
  if (event === undefined) throw new Error("the delivery has no event");
  return event;
}
