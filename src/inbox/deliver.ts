/** Makes of an authentic request what is stored of it: the delivery, its events, and the work that each calls for. */

import type { DeliveredHow, FurtherKey, NewDelivery, NewEvent, NewWork } from "../store/inbox-port.ts";
import { keptHeaders, type Arrival } from "./arrival.ts";
import type { Content, EventOutline } from "./content.ts";
import { eventIdOf, keyHash, shardOfKey } from "./keys.ts";
import { hashOfBody } from "./signing.ts";
import type { Source } from "./source.ts";

/** The consumer of what nobody can read: people. */
const UNREADABLE = "(unreadable)";

/** What a delivery is made of. */
export interface Delivering {
  readonly arrival: Arrival;
  readonly source: Source;
  readonly how: DeliveredHow;
  readonly proof: { readonly scheme: string; readonly secretId: string; readonly signedAt: number | null };
  readonly content: Content;
  /** The random part of the delivery's id. */
  readonly suffix: string;
}

/** Makes the delivery. */
export async function deliveryOf(delivering: Delivering): Promise<NewDelivery> {
  const { arrival, source, how, proof, content, suffix } = delivering;
  const bodyHash = await hashOfBody(arrival.body);
  const events = eventsOf(delivering, bodyHash);
  const [first] = events;
  const shard = first === undefined ? shardOfKey(bodyHash) : Number(first.eventId.slice(1, 3));
  return {
    deliveryId: `d${String(shard).padStart(2, "0")}-${suffix}`,
    tenant: source.tenant,
    source: source.name,
    receivedAt: arrival.receivedAt,
    how,
    ...proof,
    headers: keptHeaders(arrival.headers, source.preset.keptHeaders),
    body: arrival.body,
    bodyHash,
    events: content.kind === "unreadable" ? events : withoutTwins(events),
  };
}

function eventsOf({ source, content }: Delivering, bodyHash: string): readonly NewEvent[] {
  const read = content.kind === "content" ? content.events : content;
  if (read.kind === "unreadable") return [unreadableEvent(source, bodyHash, read.why)];
  return read.events.map((event) => newEvent(source, event, event.itemHash ?? bodyHash));
}

/** One body may hold one event twice; it is one all the same. */
function withoutTwins(events: readonly NewEvent[]): readonly NewEvent[] {
  return [...new Map(events.map((event) => [event.eventId, event])).values()];
}

function newEvent(source: Source, event: EventOutline, itemHash: string): NewEvent {
  const { deliveryKey, businessKey } = event;
  const keyKind = deliveryKey === null ? "body" : "delivery";
  // With its type: a provider may tell two facts with one and the same body, under two types.
  const bodyKey = (): string => keyHash(scopeOf(source), "body", [event.eventType, itemHash]);
  const key = deliveryKey === null ? bodyKey() : keyHash(scopeOf(source), "delivery", deliveryKey);
  const furtherKeys: FurtherKey[] = [];
  if (businessKey !== null) {
    furtherKeys.push({ kind: "business", hash: keyHash(scopeOf(source), "business", businessKey) });
  }
  if (source.preset.isBodyTheKey && deliveryKey !== null) furtherKeys.push({ kind: "body", hash: bodyKey() });
  const work = workFor(source, event);
  return {
    eventId: eventIdOf(key),
    itemNo: event.itemNo,
    keyKind,
    itemHash,
    eventType: event.eventType,
    subject: event.subject,
    occurredAt: event.occurredAt,
    furtherKeys,
    standing: work.length === 0 ? "nobody" : "routed",
    work,
  };
}

/** The work that an event of this type calls for, by the source as it is. */
export function workFor(
  source: Source,
  { eventType, subject }: { readonly eventType: string; readonly subject: string | null },
): readonly NewWork[] {
  return Object.entries(source.consumers)
    .filter(([, { on }]) => on.includes("*") || on.includes(eventType))
    .map(([consumer, one]) => ({
      consumer,
      lane: one.kind === "tell" && one.fetch !== null ? subject : null,
      owner: source.owner,
      withinMs: source.workWithinMs,
      review: null,
    }));
}

function unreadableEvent(source: Source, bodyHash: string, why: string): NewEvent {
  return {
    eventId: eventIdOf(keyHash(scopeOf(source), "body", [bodyHash])),
    itemNo: 0,
    keyKind: "body",
    itemHash: bodyHash,
    eventType: "(unreadable)",
    subject: null,
    occurredAt: null,
    furtherKeys: [],
    standing: "unreadable",
    work: [
      {
        consumer: UNREADABLE,
        lane: null,
        owner: source.owner,
        withinMs: source.workWithinMs,
        review: `It is authentic, and its body cannot be read: ${why}.`,
      },
    ],
  };
}

function scopeOf({ tenant, name }: Source): { readonly tenant: string; readonly source: string } {
  return { tenant, source: name };
}
