/** What the API tells of the inbox. */

import { z } from "zod";
import type {
  CaseTarget,
  EventHistory,
  EventPage,
  FurtherKey,
  Refusal,
  Sighting,
  StoredDelivery,
  StoredEvent,
  StoredWork,
  WorkCount,
  WorkState,
} from "../../../store/inbox-port.ts";
import type { EventBodyView, IgnoreReply, ReconcileReply, ReplayReply } from "../inbox-types.ts";
import type { ApiTypes } from "../types.ts";
import { count, list, named, oneOf, text, textOrNone, time, timeOrNone, typed } from "./schema.ts";

/** Where work stands. */
export const workState: z.ZodType<WorkState> = oneOf<WorkState>({
  ready: true,
  claimed: true,
  waiting: true,
  in_review: true,
  done: true,
  ignored: true,
});

/** What an event's arrival led to. */
export const standing: z.ZodType<StoredEvent["standing"]> = oneOf<StoredEvent["standing"]>({
  routed: true,
  nobody: true,
  unreadable: true,
});

const furtherKey = typed<FurtherKey>()(
  z.strictObject({ kind: oneOf<FurtherKey["kind"]>({ business: true, body: true }), hash: text }),
);

const event = named<StoredEvent>("Event")(
  z.strictObject({
    eventId: text,
    tenant: text,
    source: text,
    eventType: text,
    subject: textOrNone,
    keyKind: oneOf<StoredEvent["keyKind"]>({ delivery: true, body: true }),
    occurredAt: timeOrNone,
    firstSeenAt: time,
    lastSeenAt: time,
    sightings: count,
    deliveryId: text,
    itemNo: count,
    furtherKeys: list(furtherKey),
    standing,
  }),
);

const caseTarget = typed<CaseTarget>()(
  z.strictObject({ shard: count, tenant: text, caseType: text, key: text }),
);

const work = named<StoredWork>("Work")(
  z.strictObject({
    eventId: text,
    consumer: text,
    tenant: text,
    source: text,
    eventType: text,
    state: workState,
    dueAt: timeOrNone,
    deadlineAt: time,
    owner: text,
    attempts: count,
    losses: count,
    claimId: textOrNone,
    holderId: textOrNone,
    sentence: textOrNone,
    errorClass: textOrNone,
    caseIds: list(text),
    waitsFor: caseTarget.nullable(),
    changedAt: time,
  }),
);

/** A page of events. */
export const eventPage: z.ZodType<EventPage> = named<EventPage>("EventPage")(
  z.strictObject({ events: list(z.strictObject({ event, work: list(work) })), next: textOrNone }),
);

const sighting = named<Sighting>("Sighting")(
  z.strictObject({
    at: time,
    kind: oneOf<Sighting["kind"]>({
      repeat: true,
      different: true,
      listed: true,
      sameFact: true,
      sameBody: true,
      replayed: true,
      ignored: true,
    }),
    reference: text,
    by: textOrNone,
    reason: textOrNone,
  }),
);

const headers = list<readonly [string, string]>(z.tuple([text, text]));

const delivery = named<StoredDelivery>("Delivery")(
  z.strictObject({
    deliveryId: text,
    tenant: text,
    source: text,
    receivedAt: time,
    how: oneOf<StoredDelivery["how"]>({ posted: true, listed: true }),
    scheme: text,
    secretId: text,
    signedAt: timeOrNone,
    headers,
    bodyHash: text,
    bodyBytes: count,
    kept: oneOf<StoredDelivery["kept"]>({ here: true, same: true, deleted: true }),
  }),
);

/** Everything about one event. */
export const eventHistory: z.ZodType<EventHistory> = named<EventHistory>("EventHistory")(
  z.strictObject({ event, work: list(work), sightings: list(sighting), delivery: delivery.nullable() }),
);

const workCount = named<WorkCount>("WorkCount")(
  z.strictObject({ tenant: text, source: text, state: workState, count, oldestAt: time }),
);

/** How much work stands where. */
export const workCounts: z.ZodType<ApiTypes["countWork"]["reply"]> = typed<ApiTypes["countWork"]["reply"]>()(
  z.strictObject({ counts: list(workCount) }),
);

const refusal = named<Refusal>("Refusal")(
  z.strictObject({
    refusalId: text,
    tenant: text,
    source: text,
    at: time,
    reason: text,
    bodyBytes: count,
    headers,
    isLost: z.boolean(),
    count,
  }),
);

/** Refused requests. */
export const refusals: z.ZodType<ApiTypes["listRefusals"]["reply"]> = typed<
  ApiTypes["listRefusals"]["reply"]
>()(z.strictObject({ refusals: list(refusal) }));

/** What arrived. */
export const eventBodyView: z.ZodType<EventBodyView> = named<EventBodyView>("EventBody")(
  z.strictObject({
    bytes: count.nullable(),
    text: textOrNone,
    hex: textOrNone,
    isCut: z.boolean(),
    isMasked: z.boolean(),
  }),
);

/** What a provider's list held. */
export const reconciled: z.ZodType<ReconcileReply> = named<ReconcileReply>("Reconciled")(
  z.strictObject({ items: count, missed: count, isComplete: z.boolean() }),
);

/** What was opened again. */
export const replayReply: z.ZodType<ReplayReply> = named<ReplayReply>("Replayed")(
  z.strictObject({ opened: list(text), sentence: text }),
);

/** What was left undone. */
export const ignoreReply: z.ZodType<IgnoreReply> = named<IgnoreReply>("Ignored")(
  z.strictObject({
    ignored: list(text),
    left: list(z.strictObject({ consumer: text, why: text })),
    sentence: text,
  }),
);
