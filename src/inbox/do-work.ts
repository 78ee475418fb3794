/**
 * Does one piece of work: starts a case, or tells the case that an event belongs to. Both are idempotent by the event, so
 * work that is done twice changes nothing; what cannot be done is told in words, and waits or goes to review.
 */

import { FootholdError, isFootholdError, type ErrorCode } from "../core/errors.ts";
import { foldJournal } from "../core/fold.ts";
import { readJson, type Json } from "../core/json.ts";
import { isKeyText } from "../core/key-text.ts";
import type { Ports } from "../core/ports.ts";
import { thrownText } from "../core/storable-text.ts";
import { keyShard } from "../define/case-keys.ts";
import type { CaseType, EventRule } from "../define/case-type.ts";
import { PLAIN_RULE } from "../define/event.ts";
import type { Registry } from "../define/registry.ts";
import { VALUE_CHARS_MAX } from "../define/schema.ts";
import { SHARD_COUNT, type Store } from "../store/port.ts";
import type { CaseTarget, ClaimedWork } from "../store/inbox-port.ts";
import { headersOf } from "./arrival.ts";
import { withoutMasked } from "./masked-body.ts";
import { plainBody } from "./plain-body.ts";
import { eventsIn, readBody } from "./read-events.ts";
import type { Consumer, InboxEvent, Source, StartConsumer, TellConsumer } from "./source.ts";

/** How long `fetch` of a consumer may take, in ms. */
const FETCH_MS_MAX = 20_000;
/** Delays before a case that is not there is looked for again, in ms: a hint comes first as a rule. */
const CASE_DELAYS_MS: readonly number[] = [1_000, 5_000, 30_000, 120_000, 600_000, 3_600_000];
/** Characters of what was thrown that are kept. */
const WHY_CHARS_MAX = 1_000;

/** What may be done to cases: a desk can. */
export interface CaseDoor {
  /** Starts a case, or finds the one that has its business key. */
  startCase(
    caseType: string,
    input: unknown,
    options: { readonly by: string; readonly businessKey: string; readonly tenant: string },
  ): Promise<{ readonly caseId: string; readonly isNew: boolean }>;
  /** Gives a case an event; the same source id counts once. */
  recordEvent(
    caseId: string,
    event: {
      readonly eventType: string;
      readonly payload: unknown;
      readonly sourceId: string;
      readonly by: string;
    },
  ): Promise<{ readonly outcome: string; readonly sentence: string; readonly ignored?: string }>;
}

/** What work is done with. */
export interface WorkContext {
  readonly store: Pick<Store, "inbox" | "loadCase">;
  readonly door: CaseDoor;
  readonly registry: Registry;
  readonly ports: Ports;
  /** Aborts when the process stops. */
  readonly signal: AbortSignal;
}

/** What became of a piece of work. */
export type WorkEnd =
  | {
      readonly kind: "done" | "ignored";
      readonly sentence: string;
      readonly caseIds: readonly string[];
      /** What the cases know the event by; null = that they are there is enough. */
      readonly sourceId: string | null;
    }
  /** Its case is not there, or what must come first: looked at again, within the event's own bound. */
  | {
      readonly kind: "waits";
      readonly sentence: string;
      readonly delayMs: number;
      readonly untilAt: number;
      readonly target: CaseTarget | null;
    }
  /** It failed, and may work another time. */
  | { readonly kind: "failed"; readonly sentence: string; readonly errorClass: string }
  /** It would fail the same way again. */
  | { readonly kind: "review"; readonly sentence: string; readonly errorClass: string };

/** Does it. Throws only `DATABASE_UNAVAILABLE`. */
export async function doWork(context: WorkContext, source: Source, claimed: ClaimedWork): Promise<WorkEnd> {
  const { work, event } = claimed;
  const consumer = Object.hasOwn(source.consumers, work.consumer)
    ? source.consumers[work.consumer]
    : undefined;
  if (consumer === undefined)
    return review("noConsumer", `The source has no consumer ${work.consumer} any more.`);
  try {
    const twin = await firstTwin(context, claimed);
    if (twin !== null) return ignored(`It is the same fact as ${twin}, which came first.`);
    const read = await readEvent(context, source, claimed);
    if (read.kind === "unreadable") return review("unreadable", `Its body cannot be read: ${read.why}.`);
    const telling = { event: read.event, work, firstSeenAt: event.firstSeenAt };
    const end = await consume(context, source, consumer, telling);
    return { ...end, sentence: withoutMasked(end.sentence, read.event.data, source) };
  } catch (error) {
    return endOfThrown(error);
  }
}

async function consume(
  context: WorkContext,
  source: Source,
  consumer: Consumer,
  telling: Telling,
): Promise<WorkEnd> {
  try {
    switch (consumer.kind) {
      case "start":
        return await start(context, consumer, telling.event);
      case "tell":
        return await tell(context, source, consumer, telling);
    }
  } catch (error) {
    return endOfThrown(error);
  }
}

function endOfThrown(error: unknown): WorkEnd {
  return isFootholdError(error) ? endOf(error) : failed(error);
}

/** Another event with one of its further keys that came first. */
async function firstTwin({ store }: WorkContext, { event }: ClaimedWork): Promise<string | null> {
  for (const key of event.furtherKeys) {
    const owner = await store.inbox.takeKey(event.eventId, key);
    if (owner !== null) return owner;
  }
  return null;
}

type Read =
  | { readonly kind: "event"; readonly event: InboxEvent }
  | { readonly kind: "unreadable"; readonly why: string };

async function readEvent({ store }: WorkContext, source: Source, { event }: ClaimedWork): Promise<Read> {
  const [raw, shown] = await Promise.all([
    store.inbox.loadBody(event.deliveryId),
    store.inbox.showEvent(event.eventId),
  ]);
  if (raw === null) return { kind: "unreadable", why: "its time was over, so it was deleted" };
  const headers = headersOf(shown?.delivery?.headers ?? []);
  const plain = await plainBody(raw, headers.get("content-encoding")?.[0] ?? null, source.bodyBytesMax);
  if (plain.kind === "unreadable") return plain;
  const receivedAt = shown?.delivery?.receivedAt ?? event.firstSeenAt;
  const arrival = { method: "POST", url: source.url, headers, body: plain.bytes, receivedAt };
  const body = await readBody(arrival, source.preset);
  if (body.kind === "unreadable") return body;
  const events = eventsIn(body.value, arrival, source.preset);
  if (events.kind === "unreadable") return events;
  const item = events.events.find(({ itemNo }) => itemNo === event.itemNo);
  if (item === undefined) return { kind: "unreadable", why: `it has no event ${event.itemNo}` };
  const { eventId, tenant, eventType, subject, occurredAt } = event;
  return {
    kind: "event",
    event: {
      eventId,
      tenant,
      source: source.name,
      eventType,
      subject,
      occurredAt,
      data: item.data,
      receivedAt,
    },
  };
}

async function start({ door }: WorkContext, consumer: StartConsumer, event: InboxEvent): Promise<WorkEnd> {
  const { caseType } = consumer;
  const businessKey = consumer.businessKey?.(event) ?? sourceIdOf(event);
  const started = await door.startCase(caseType, consumer.input(event), {
    by: byOf(event),
    businessKey,
    tenant: event.tenant,
  });
  const { caseId, isNew } = started;
  const sentence = isNew
    ? `Case ${caseId} of ${caseType} was started.`
    : `Case ${caseId} of ${caseType} has this key already; nothing was started.`;
  return { kind: "done", sentence, caseIds: [caseId], sourceId: null };
}

interface Telling {
  readonly event: InboxEvent;
  readonly work: ClaimedWork["work"];
  readonly firstSeenAt: number;
}

async function tell(
  context: WorkContext,
  source: Source,
  consumer: TellConsumer,
  telling: Telling,
): Promise<WorkEnd> {
  const { registry, store, door } = context;
  const { event } = telling;
  const caseType = registry.get(consumer.caseType);
  const rule = caseType.eventRules[consumer.as] ?? PLAIN_RULE;
  const payload = await payloadOf(context, consumer, event);
  const key =
    consumer.key?.(event) ?? rule.correlate?.(await validated(caseType, consumer.as, payload)) ?? null;
  if (key === null || !isKeyText(key)) {
    return review("noKey", `Nothing says which case of ${consumer.caseType} it belongs to.`);
  }
  const named = { tenant: event.tenant, caseType: consumer.caseType, key };
  const target: CaseTarget = { ...named, shard: keyShard(context.ports.digest, named, SHARD_COUNT) };
  const caseIds = await store.inbox.findCases(target);
  if (caseIds.length === 0) return noCaseYet(context, source, target, telling);
  const held = await heldFor(context, rule, caseIds, telling);
  if (held !== null) return held;
  const replies = [];
  for (const caseId of caseIds) {
    const told = { eventType: consumer.as, payload, sourceId: sourceIdOf(event), by: byOf(event) };
    replies.push({ caseId, ...(await door.recordEvent(caseId, told)) });
  }
  const why = replies.map((reply) => reply.ignored);
  const sentence = replies.map((reply) => `Case ${reply.caseId}: ${reply.sentence}`).join(" ");
  const kind = why.every((one) => one !== undefined) ? "ignored" : "done";
  return { kind, sentence, caseIds, sourceId: sourceIdOf(event) };
}

async function payloadOf(context: WorkContext, consumer: TellConsumer, event: InboxEvent): Promise<Json> {
  const given =
    consumer.fetch === null ? consumer.payload(event) : await fetched(context, consumer.fetch, event);
  const read = readJson(given, VALUE_CHARS_MAX);
  if (read.kind === "json") return read.value;
  throw new FootholdError(
    "INVALID_EVENT",
    `What the consumer made of the event cannot be stored: ${read.why}.`,
  );
}

/** A function of the author's that does not look at its signal ends with it all the same. */
async function fetched(
  { ports, signal }: WorkContext,
  fetch: NonNullable<TellConsumer["fetch"]>,
  event: InboxEvent,
): Promise<unknown> {
  const answered = new AbortController();
  const late = new AbortController();
  const waited = AbortSignal.any([signal, answered.signal]);
  const ended = ports.clock.sleep(FETCH_MS_MAX, waited).then(() => {
    if (answered.signal.aborted) return;
    late.abort();
    throw new Error(signal.aborted ? "this process stops" : `it gave no answer within ${FETCH_MS_MAX} ms`);
  });
  try {
    return await Promise.race([fetch(event, AbortSignal.any([signal, late.signal])), ended]);
  } finally {
    answered.abort();
  }
}

async function validated(caseType: CaseType, eventType: string, payload: Json): Promise<Json> {
  const validation = await caseType.events[eventType]?.(payload);
  // What is wrong with it is said where it is recorded.
  return validation?.kind === "valid" ? validation.value : payload;
}

function noCaseYet(
  { ports }: WorkContext,
  source: Source,
  target: CaseTarget,
  { firstSeenAt }: Telling,
): WorkEnd {
  const ageMs = Math.max(0, ports.clock.now() - firstSeenAt);
  const delayMs = CASE_DELAYS_MS.find((one) => one > ageMs) ?? CASE_DELAYS_MS.at(-1) ?? 0;
  const sentence = `There is no case of ${target.caseType} with the key ${target.key} yet.`;
  return { kind: "waits", sentence, delayMs, untilAt: firstSeenAt + source.caseWithinMs, target };
}

/** What must come first, and has not been applied to every one of the cases. */
async function heldFor(
  { store }: WorkContext,
  { order }: EventRule,
  caseIds: readonly string[],
  { firstSeenAt }: Telling,
): Promise<WorkEnd | null> {
  if (order.by !== "hold") return null;
  for (const caseId of caseIds) {
    const stored = await store.loadCase(caseId);
    if (stored === null) continue;
    const { events, rest } = foldJournal(caseId, stored.journal);
    const isOver = rest.kind === "done" || rest.kind === "canceled";
    if (isOver || events.some(({ eventType }) => eventType === order.after)) continue;
    const sentence = `Case ${caseId} has had no ${order.after} yet, which must come first.`;
    return {
      kind: "waits",
      sentence,
      delayMs: HOLD_DELAY_MS,
      untilAt: firstSeenAt + order.withinMs,
      target: null,
    };
  }
  return null;
}

/** How often it is seen whether what must come first has come, in ms. */
const HOLD_DELAY_MS = 1_000;

/** What makes repeats of one event the same fact of a case. */
function sourceIdOf({ source, eventId }: Pick<InboxEvent, "source" | "eventId">): string {
  return `inbox:${source}:${eventId}`;
}

function byOf({ source }: InboxEvent): string {
  return `the source ${source}`;
}

/** A refusal of the door, by its code: whether it may be taken another time. */
function endOf(error: FootholdError): WorkEnd {
  if (error.code === "DATABASE_UNAVAILABLE") throw error;
  if (error.code === "CASE_ERASED") return ignored(error.message);
  const final: readonly ErrorCode[] = [
    "INVALID_EVENT",
    "INVALID_INPUT",
    "INVALID_REQUEST",
    "INVALID_DEFINITION",
  ];
  if (final.includes(error.code)) return review(error.code, error.message);
  return { kind: "failed", sentence: error.message, errorClass: error.code };
}

function failed(error: unknown): WorkEnd {
  const errorClass = error instanceof Error ? error.name : "thrown";
  return {
    kind: "failed",
    sentence: `What its consumer does failed: ${thrownText(error, WHY_CHARS_MAX)}`,
    errorClass,
  };
}

function review(errorClass: string, sentence: string): WorkEnd {
  return { kind: "review", sentence, errorClass };
}

function ignored(sentence: string): WorkEnd {
  return { kind: "ignored", sentence, caseIds: [], sourceId: null };
}
