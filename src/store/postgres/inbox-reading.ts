/** Reading the inbox, and forgetting what is old. */

import type { EventNeed } from "../../core/event-needs.ts";
import {
  EVENT_LIST_MAX,
  REVIEWED_WORK_MAX,
  SIGHTINGS_MAX,
  SWEEP_MAX,
  type EventFilter,
  type EventHistory,
  type EventPage,
  type Forgotten,
  type Refusal,
  type RefusalCount,
  type StoredWork,
  type WorkCount,
  type WorkState,
} from "../inbox-port.ts";
import type { Database } from "./database.ts";
import { payloadPlace } from "./payload-places.ts";
import { unreadable } from "./payloads.ts";
import {
  shardIn,
  toDelivery,
  toEvent,
  toRefusal,
  toWork,
  type DeliveryRow,
  type EventRow,
  type RefusalRow,
  type SightingRow,
  type WorkRow,
} from "./inbox-rows.ts";

/** Reads a body as the port says. Throws `PAYLOAD_KEY_MISSING` or `PAYLOAD_DAMAGED`. */
export async function loadBody(database: Database, deliveryId: string): Promise<Uint8Array | null> {
  const rows = await database.run<BodyRow>("load_body", [shardIn(deliveryId), deliveryId]);
  const parts = rows.flatMap(({ body }) => body ?? []);
  const isKept = rows.some(({ body_kept: kept }) => kept === "here" || kept === "parts");
  const [first] = rows;
  if (!isKept || first === undefined) return null;
  const place = payloadPlace("deliveries", deliveryId);
  const [opened] = await database.payloads.open([{ place, codec: first.codec, body: Buffer.concat(parts) }]);
  if (opened?.kind === "unreadable") throw unreadable(`The body of delivery ${deliveryId}`, opened.fault);
  return opened?.body ?? null;
}

interface BodyRow {
  readonly body_kept: string;
  /** The same in every row. */
  readonly codec: string;
  readonly body: Buffer | null;
}

/** Shows an event as the port says. */
export async function showEvent(database: Database, eventId: string): Promise<EventHistory | null> {
  const shard = shardIn(eventId);
  const [found] = await database.run<EventRow>("load_events", [[shard], [eventId]]);
  if (found === undefined) return null;
  const event = toEvent(found);
  const work = await database.run<WorkRow>("load_work", [[shard], [eventId]]);
  const sightings = await database.run<SightingRow>("list_sightings", [shard, eventId, SIGHTINGS_MAX]);
  const [delivery] = await database.run<DeliveryRow>("show_delivery", [
    shardIn(event.deliveryId),
    event.deliveryId,
  ]);
  return {
    event,
    work: work.map(toWork),
    sightings,
    delivery: delivery === undefined ? null : toDelivery(delivery),
  };
}

/** Lists events as the port says. */
export async function listEvents(database: Database, filter: EventFilter): Promise<EventPage> {
  const [seenAt, id] = filter.after?.split(" ") ?? [];
  const limit = Math.min(filter.limit, EVENT_LIST_MAX);
  const rows = await database.run<EventRow & { readonly place: string }>("list_events", [
    filter.tenant ?? null,
    filter.source ?? null,
    filter.eventType ?? null,
    filter.standing ?? null,
    filter.workStates ?? null,
    seenAt ?? null,
    id ?? null,
    limit,
  ]);
  const ids = rows.map(({ event_id: eventId }) => eventId);
  const work = (await database.run<WorkRow>("load_work", [ids.map(shardIn), ids])).map(toWork);
  const byEvent = new Map<string, StoredWork[]>(ids.map((eventId) => [eventId, []]));
  for (const one of work) byEvent.get(one.eventId)?.push(one);
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return {
    events: rows.map((row) => ({ event: toEvent(row), work: byEvent.get(row.event_id) ?? [] })),
    next: last === undefined ? null : `${last.place} ${last.event_id}`,
  };
}

/** Lists refusals as the port says. */
export async function listRefusals(database: Database, limit: number): Promise<readonly Refusal[]> {
  return (await database.run<RefusalRow>("list_refusals", [limit])).map(toRefusal);
}

/** Counts work as the port says. */
export async function countWork(database: Database): Promise<readonly WorkCount[]> {
  const rows = await database.run<{
    readonly tenant: string;
    readonly source: string;
    readonly state: WorkState;
    readonly count: number;
    readonly oldest_at: number;
  }>("count_work", []);
  return rows.map(({ oldest_at: oldestAt, ...row }) => ({ ...row, oldestAt }));
}

/** Counts refusals as the port says. */
export async function countRefusals(database: Database, withinMs: number): Promise<readonly RefusalCount[]> {
  return database.run<RefusalCount>("count_refusals", [withinMs]);
}

/** Forgets as the port says. */
export async function forget(
  database: Database,
  { tenant, source }: { readonly tenant: string; readonly source: string },
  { bodiesBefore, eventsBefore }: { readonly bodiesBefore: number; readonly eventsBefore: number },
): Promise<Forgotten> {
  const events = await database.run("forget_events", [tenant, source, eventsBefore, SWEEP_MAX]);
  const bodies = await database.run("forget_bodies", [tenant, source, bodiesBefore, SWEEP_MAX]);
  const refusals = await database.run("forget_refusals", [tenant, source, bodiesBefore, SWEEP_MAX]);
  return { bodies: bodies.length, events: events.length, refusals: refusals.length };
}

/** Work in review, by who takes it and where it came from. */
export async function countEventNeeds(
  database: Database,
  dueAfterMs: number,
): Promise<{ readonly needs: readonly EventNeed[]; readonly isWhole: boolean }> {
  const rows = await database.run<{
    readonly works: number;
    /** Null = there is none. */
    readonly owner: string | null;
    readonly source: string;
    readonly events: number;
    readonly causes: number;
    readonly first_since_at: number;
    readonly last_since_at: number;
    readonly event_id: string;
    readonly overdue: number;
    readonly last_overdue_since_at: number | null;
  }>("count_event_needs", [dueAfterMs, REVIEWED_WORK_MAX]);
  const needs = rows.flatMap(({ owner, source, events, causes, overdue, ...row }): readonly EventNeed[] =>
    owner === null
      ? []
      : [
          {
            owner,
            source,
            events,
            causes,
            firstSinceAt: row.first_since_at,
            lastSinceAt: row.last_since_at,
            eventId: row.event_id,
            overdue,
            lastOverdueSinceAt: row.last_overdue_since_at,
          },
        ],
  );
  return { needs, isWhole: (rows[0]?.works ?? 0) < REVIEWED_WORK_MAX };
}
