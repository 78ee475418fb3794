/** Storing what arrived: many deliveries in one statement, large bodies in pieces. */

import { invariant } from "../../core/errors.ts";
import { TAKE_IN_MAX, type NewDelivery, type Refusal, type TakenEvent } from "../inbox-port.ts";
import type { Database, Parameter, Runner } from "./database.ts";
import { shardIn } from "./inbox-rows.ts";
import { payloadPlace } from "./payload-places.ts";
import type { StorablePayload } from "./payloads.ts";

/** Bytes of a body that is stored in one value with others. */
const SMALL_BODY_BYTES = 256 * 1024;
/** Bytes of one piece of a larger one. */
const PART_BYTES = 1024 * 1024;
const NO_BYTES = Buffer.alloc(0);

interface TakenRow {
  readonly event_id: string;
  readonly is_new: boolean;
  readonly is_different: boolean;
}

/** Takes deliveries in as the port says. */
export async function takeIn(
  database: Database,
  deliveries: readonly NewDelivery[],
): Promise<readonly (readonly TakenEvent[])[]> {
  invariant(deliveries.length <= TAKE_IN_MAX, `${deliveries.length} deliveries were taken in at once`);
  if (deliveries.length === 0) return [];
  const bodies = await database.payloads.seal(
    deliveries.map(({ deliveryId, body }) => ({
      place: payloadPlace("deliveries", deliveryId),
      bytes: body,
    })),
    "raw",
  );
  const large = deliveries.flatMap((delivery, index) => {
    const stored = bodies[index];
    return isLarge(delivery) && stored !== undefined ? [{ delivery, body: stored.body }] : [];
  });
  if (large.length === 0) return store(database, deliveries, bodies);
  return database.transact("begin_change", async (session) => {
    const taken = await store(session, deliveries, bodies);
    for (const { delivery, body } of large) await storeParts(session, delivery.deliveryId, body);
    return taken;
  });
}

/** Notes refusals as the port says. */
export async function refuse(database: Database, refusals: readonly Refusal[]): Promise<void> {
  invariant(refusals.length <= TAKE_IN_MAX, `${refusals.length} refusals were noted at once`);
  await database.run("note_refusals", [
    refusals.map(({ refusalId }) => shardIn(refusalId)),
    refusals.map(({ refusalId }) => refusalId),
    refusals.map(({ tenant }) => tenant),
    refusals.map(({ source }) => source),
    refusals.map(({ at }) => at),
    refusals.map(({ reason }) => reason),
    refusals.map(({ bodyBytes }) => bodyBytes),
    refusals.map(({ headers }) => JSON.stringify(headers)),
    refusals.map(({ isLost }) => isLost),
    refusals.map(({ count }) => count),
  ]);
}

function isLarge({ body }: NewDelivery): boolean {
  return body.length > SMALL_BODY_BYTES;
}

async function storeParts(runner: Runner, deliveryId: string, body: Buffer): Promise<void> {
  const shard = shardIn(deliveryId);
  for (let at = 0, partNo = 0; at < body.length; at += PART_BYTES, partNo += 1) {
    const part = body.subarray(at, at + PART_BYTES);
    await runner.run("store_body_part", [shard, deliveryId, partNo, part]);
  }
}

async function store(
  runner: Runner,
  deliveries: readonly NewDelivery[],
  bodies: readonly StorablePayload[],
): Promise<readonly (readonly TakenEvent[])[]> {
  const here = bodies.map(({ body }, index) => (isLargeAt(deliveries, index) ? NO_BYTES : body));
  const rows = await runner.run<TakenRow>("take_in", [
    ...deliveryColumns(deliveries, here),
    ...eventColumns(deliveries),
    ...workColumns(deliveries),
    bodies.map(({ codec }) => codec),
    here.map((body) => body.length),
  ]);
  const taken = rows.map((row) => ({
    eventId: row.event_id,
    isNew: row.is_new,
    isDifferent: row.is_different,
  }));
  let at = 0;
  return deliveries.map(({ events }) => taken.slice(at, (at += events.length)));
}

function isLargeAt(deliveries: readonly NewDelivery[], index: number): boolean {
  const delivery = deliveries[index];
  return delivery !== undefined && isLarge(delivery);
}

/** As text an array of bytes would be twice as long and cost a copy of each: all bodies go as one value. */
function deliveryColumns(
  deliveries: readonly NewDelivery[],
  bodies: readonly Buffer[],
): readonly Parameter[] {
  let at = 1;
  const begins = bodies.map((body) => {
    const begin = at;
    at += body.length;
    return begin;
  });
  return [
    deliveries.map(({ deliveryId }) => shardIn(deliveryId)),
    deliveries.map(({ deliveryId }) => deliveryId),
    deliveries.map(({ tenant }) => tenant),
    deliveries.map(({ source }) => source),
    deliveries.map(({ receivedAt }) => receivedAt),
    deliveries.map(({ how }) => how),
    deliveries.map(({ scheme }) => scheme),
    deliveries.map(({ secretId }) => secretId),
    deliveries.map(({ signedAt }) => signedAt),
    deliveries.map(({ headers }) => JSON.stringify(headers)),
    deliveries.map(({ body }) => body.length),
    deliveries.map(({ bodyHash }) => bodyHash),
    deliveries.map((one) => (isLarge(one) ? "parts" : "here")),
    Buffer.concat(bodies),
    begins,
  ];
}

function eventColumns(deliveries: readonly NewDelivery[]): readonly Parameter[] {
  const events = deliveries.flatMap((delivery, index) =>
    delivery.events.map((event) => ({ event, deliveryNo: index + 1 })),
  );
  return [
    events.map(({ deliveryNo }) => deliveryNo),
    events.map(({ event }) => shardIn(event.eventId)),
    events.map(({ event }) => event.eventId),
    events.map(({ event }) => event.itemNo),
    events.map(({ event }) => event.keyKind),
    events.map(({ event }) => event.itemHash),
    events.map(({ event }) => event.eventType),
    events.map(({ event }) => event.subject),
    events.map(({ event }) => event.occurredAt),
    events.map(({ event }) => JSON.stringify(event.furtherKeys)),
    events.map(({ event }) => event.standing),
  ];
}

function workColumns(deliveries: readonly NewDelivery[]): readonly Parameter[] {
  const events = deliveries.flatMap((delivery) => delivery.events);
  const work = events.flatMap((event, index) => event.work.map((one) => ({ ...one, eventNo: index + 1 })));
  return [
    work.map(({ eventNo }) => eventNo),
    work.map(({ consumer }) => consumer),
    work.map(({ lane }) => lane),
    work.map(({ owner }) => owner),
    work.map(({ withinMs }) => withinMs),
    work.map(({ review }) => review),
  ];
}
