/** Rows of the inbox as the port has them. */

import { invariant } from "../../core/errors.ts";
import type {
  FurtherKey,
  Refusal,
  Sighting,
  StoredDelivery,
  StoredEvent,
  StoredWork,
  WorkState,
} from "../inbox-port.ts";

/** An event as its statements return it. */
export interface EventRow {
  readonly event_id: string;
  readonly tenant: string;
  readonly source: string;
  readonly event_type: string;
  readonly subject: string | null;
  readonly key_kind: StoredEvent["keyKind"];
  readonly further_keys: readonly FurtherKey[];
  readonly sightings: number;
  readonly delivery_id: string;
  readonly item_no: number;
  readonly standing: StoredEvent["standing"];
  readonly occurred_at: number | null;
  readonly first_seen_at: number;
  readonly last_seen_at: number;
}

/** Work as its statements return it. */
export interface WorkRow {
  readonly event_id: string;
  readonly consumer: string;
  readonly tenant: string;
  readonly source: string;
  readonly event_type: string;
  readonly state: WorkState;
  readonly owner: string;
  readonly attempts: number;
  readonly losses: number;
  readonly claim_id: string | null;
  readonly holder_id: string | null;
  readonly sentence: string | null;
  readonly error_class: string | null;
  readonly case_ids: readonly string[];
  readonly waits_shard: number | null;
  readonly waits_tenant: string | null;
  readonly waits_case_type: string | null;
  readonly waits_key: string | null;
  readonly due_at: number | null;
  readonly deadline_at: number;
  readonly changed_at: number;
}

/** A delivery as show_delivery returns it. */
export interface DeliveryRow {
  readonly delivery_id: string;
  readonly tenant: string;
  readonly source: string;
  readonly how: StoredDelivery["how"];
  readonly scheme: string;
  readonly secret_id: string;
  readonly headers: StoredDelivery["headers"];
  readonly body_bytes: number;
  readonly body_hash: string;
  readonly body_kept: "here" | "parts" | "same" | "deleted";
  readonly received_at: number;
  readonly signed_at: number | null;
}

/** A refusal as list_refusals returns it. */
export interface RefusalRow {
  readonly refusal_id: string;
  readonly tenant: string;
  readonly source: string;
  readonly reason: string;
  readonly body_bytes: number;
  readonly headers: Refusal["headers"];
  readonly is_lost: boolean;
  readonly count: number;
  readonly at: number;
}

/** A sighting as list_sightings returns it. */
export type SightingRow = Sighting;

export function toEvent(row: EventRow): StoredEvent {
  return {
    eventId: row.event_id,
    tenant: row.tenant,
    source: row.source,
    eventType: row.event_type,
    subject: row.subject,
    keyKind: row.key_kind,
    occurredAt: row.occurred_at,
    firstSeenAt: row.first_seen_at,
    lastSeenAt: row.last_seen_at,
    sightings: row.sightings,
    deliveryId: row.delivery_id,
    itemNo: row.item_no,
    furtherKeys: row.further_keys,
    standing: row.standing,
  };
}

export function toWork(row: WorkRow): StoredWork {
  const { waits_shard: shard, waits_tenant: tenant, waits_case_type: caseType, waits_key: key } = row;
  const isWaiting = shard !== null && tenant !== null && caseType !== null && key !== null;
  return {
    eventId: row.event_id,
    consumer: row.consumer,
    tenant: row.tenant,
    source: row.source,
    eventType: row.event_type,
    state: row.state,
    dueAt: row.due_at,
    deadlineAt: row.deadline_at,
    owner: row.owner,
    attempts: row.attempts,
    losses: row.losses,
    claimId: row.claim_id,
    holderId: row.holder_id,
    sentence: row.sentence,
    errorClass: row.error_class,
    caseIds: row.case_ids,
    waitsFor: isWaiting ? { shard, tenant, caseType, key } : null,
    changedAt: row.changed_at,
  };
}

export function toDelivery(row: DeliveryRow): StoredDelivery {
  const { body_kept: kept } = row;
  return {
    deliveryId: row.delivery_id,
    tenant: row.tenant,
    source: row.source,
    receivedAt: row.received_at,
    how: row.how,
    scheme: row.scheme,
    secretId: row.secret_id,
    signedAt: row.signed_at,
    headers: row.headers,
    bodyHash: row.body_hash,
    bodyBytes: row.body_bytes,
    kept: kept === "parts" ? "here" : kept,
  };
}

export function toRefusal(row: RefusalRow): Refusal {
  return {
    refusalId: row.refusal_id,
    tenant: row.tenant,
    source: row.source,
    at: row.at,
    reason: row.reason,
    bodyBytes: row.body_bytes,
    headers: row.headers,
    isLost: row.is_lost,
    count: row.count,
  };
}

/** The shard in an id of the inbox, such as `e07-…` or `d07-…`. */
export function shardIn(id: string): number {
  const digits = /^[a-z](\d\d)-/.exec(id)?.[1];
  invariant(digits !== undefined, `${JSON.stringify(id.slice(0, 60))} is no id of the inbox`);
  return Number(digits);
}
