/** What the inbox of the memory store holds, and each change of it. */

import { invariant } from "../../core/errors.ts";
import {
  EVENT_LIST_MAX,
  MATCHES_MAX,
  SIGHTINGS_MAX,
  SWEEP_MAX,
  WORK_LOSSES_MAX,
  type CaseTarget,
  type EventFilter,
  type EventHistory,
  type EventPage,
  type Forgotten,
  type FurtherKey,
  type InboxStore,
  type NewDelivery,
  type NewEvent,
  type NewWork,
  type SeenWork,
  type Sighting,
  type StoredDelivery,
  type StoredEvent,
  type StoredWork,
  type TakenEvent,
  type WorkCount,
  type WorkOutcome,
  type WorkRequest,
} from "../inbox-port.ts";
import { frozenJsonb } from "./frozen.ts";
import { refill } from "./holders.ts";
import { judged, type KnownFacts } from "./lost-facts.ts";
import { MemoryRefusals } from "./refusals.ts";
import { MemorySources } from "./sources.ts";
import { countWork } from "./work-counts.ts";

/** What the inbox needs of the rest of the store. */
export interface Surroundings extends KnownFacts {
  now(): number;
  findCase(tenant: string, caseType: string, businessKey: string): string | null;
  hint(): void;
}

interface Delivered {
  readonly stored: StoredDelivery;
  readonly body: Uint8Array | null;
}

interface Seen {
  readonly event: StoredEvent;
  readonly itemHash: string;
}

interface Called {
  readonly work: StoredWork;
  readonly lane: string | null;
}

/** All of it. */
export class MemoryInbox {
  readonly deliveries: Map<string, Delivered> = new Map();
  readonly sources: MemorySources = new MemorySources();
  readonly refusals: MemoryRefusals = new MemoryRefusals();
  private readonly around: Surroundings;
  readonly events: Map<string, Seen> = new Map();
  readonly works: Map<string, Called> = new Map();
  private readonly keys = new Map<string, string>();
  readonly sightings: Map<string, readonly Sighting[]> = new Map();
  readonly linked: Map<string, ReadonlySet<string>> = new Map();
  /** Null once something was written after it. */
  private image: (() => void) | null = null;

  constructor(around: Surroundings) {
    this.around = around;
  }

  written<Reply>(write: () => Reply): Reply {
    this.image = null;
    return write();
  }

  /** What is stored is frozen, so a copy of the maps is a copy of all. */
  replicate(): () => void {
    this.image ??= this.copy();
    return this.image;
  }

  private copy(): () => void {
    const refills = [
      this.refusals.copy(),
      copyOf(this.deliveries),
      this.sources.copy(),
      copyOf(this.events),
      copyOf(this.works),
      copyOf(this.keys),
      copyOf(this.sightings),
      copyOf(this.linked),
    ];
    return () => {
      for (const back of refills) back();
      this.image = null;
    };
  }

  takeIn(delivery: NewDelivery): readonly TakenEvent[] {
    const { body, events, ...told } = delivery;
    const taken = events.map((event) => this.take(delivery, event));
    const isKept = events.length === 0 || taken.some(({ isNew, isDifferent }) => isNew || isDifferent);
    const stored = { ...frozenJsonb(told), bodyBytes: body.length, kept: isKept ? "here" : "same" } as const;
    this.deliveries.set(delivery.deliveryId, { stored, body: isKept ? Uint8Array.from(body) : null });
    return taken;
  }

  private take(delivery: NewDelivery, event: NewEvent): TakenEvent {
    const { eventId } = event;
    const known = this.events.get(eventId);
    const isDifferent = known !== undefined && known.itemHash !== event.itemHash && delivery.how === "posted";
    if (known === undefined) this.events.set(eventId, newEvent(delivery, event));
    else {
      const standing = event.standing === "routed" ? "routed" : known.event.standing;
      const lastSeenAt = Math.max(known.event.lastSeenAt, delivery.receivedAt);
      const sightings = known.event.sightings + 1;
      this.events.set(eventId, { ...known, event: { ...known.event, standing, lastSeenAt, sightings } });
      const repeat = isDifferent ? "different" : "repeat";
      const kind = delivery.how === "listed" ? "listed" : repeat;
      this.sight(eventId, {
        at: delivery.receivedAt,
        kind,
        reference: delivery.deliveryId,
        by: null,
        reason: null,
      });
    }
    for (const work of event.work) this.call(eventId, work);
    return { eventId, isNew: known === undefined, isDifferent };
  }

  private call(eventId: string, { consumer, lane, review, withinMs, owner }: NewWork): void {
    const name = workName(eventId, consumer);
    const event = this.events.get(eventId)?.event;
    if (this.works.has(name) || event === undefined) return;
    const now = this.around.now();
    const { tenant, source, eventType } = event;
    const work: StoredWork = {
      eventId,
      consumer,
      tenant,
      source,
      eventType,
      state: review === null ? "ready" : "in_review",
      dueAt: review === null ? now : null,
      deadlineAt: now + withinMs,
      owner,
      sentence: review,
      ...fresh,
      changedAt: now,
    };
    this.works.set(name, { work, lane });
  }

  private sight(eventId: string, sighting: Sighting): void {
    const known = this.sightings.get(eventId) ?? [];
    this.sightings.set(eventId, [...known, frozenJsonb(sighting)]);
  }

  claimWork({
    claimIds,
    consumers,
    holderId,
    actWithinMs,
  }: WorkRequest): Awaited<ReturnType<InboxStore["claimWork"]>> {
    const now = this.around.now();
    const mine = [...this.works.values()].filter(({ work }) =>
      consumers.some(
        (one) => one.tenant === work.tenant && one.source === work.source && one.consumer === work.consumer,
      ),
    );
    const open = mine.filter(({ work }) => isOpen(work)).toSorted((a, b) => dueOf(a) - dueOf(b));
    const lanes = new Set([...this.works.values()].filter(isClaimed).map(laneOf));
    const claimed: { readonly work: StoredWork; readonly event: StoredEvent }[] = [];
    for (const called of open) {
      const claimId = claimIds[claimed.length];
      const event = this.events.get(called.work.eventId)?.event;
      if (claimId === undefined || dueOf(called) > now || event === undefined) break;
      if (called.lane !== null && lanes.has(laneOf(called))) continue;
      lanes.add(laneOf(called));
      const dueAt = now + actWithinMs;
      const work: StoredWork = { ...called.work, state: "claimed", dueAt, claimId, holderId, changedAt: now };
      this.put(called, work);
      claimed.push({ work, event });
    }
    const next = open.find((one) => dueOf(one) > now);
    const isFull = claimed.length > 0 && claimed.length === claimIds.length;
    return { claimed, nextDueAt: isFull ? now : (next?.work.dueAt ?? null), now };
  }

  private put(called: Called, work: StoredWork): void {
    this.works.set(workName(work.eventId, work.consumer), { ...called, work });
  }

  settle(given: WorkOutcome): boolean {
    const called = this.works.get(workName(given.eventId, given.consumer));
    if (called?.work.state !== "claimed" || called.work.claimId !== given.claimId) return false;
    const now = this.around.now();
    const { state, dueInMs, attempts, sentence, errorClass, caseIds, waitsFor } = judged(given, this.around);
    const dueAt = dueInMs === null ? null : now + dueInMs;
    invariant((dueAt !== null) === (state === "ready" || state === "waiting"), `${state} with due ${dueAt}`);
    this.put(called, {
      ...called.work,
      state,
      attempts,
      sentence,
      errorClass,
      caseIds,
      waitsFor,
      dueAt,
      claimId: null,
      holderId: null,
      changedAt: now,
    });
    return true;
  }

  listWorkHolders(): readonly string[] {
    const held = [...this.works.values()].flatMap(({ work }) => work.holderId ?? []);
    return [...new Set(held)].slice(0, SWEEP_MAX);
  }

  releaseWork(holderId: string, known: readonly string[]): number {
    const mine = [...this.works.values()].filter(
      ({ work }) =>
        work.state === "claimed" && work.holderId === holderId && !known.includes(work.claimId ?? ""),
    );
    const now = this.around.now();
    const free = { state: "ready", dueAt: now, claimId: null, holderId: null, changedAt: now } as const;
    for (const called of mine) this.put(called, { ...called.work, ...free });
    return mine.length;
  }

  takeKey(eventId: string, { hash, kind }: FurtherKey): string | null {
    const owner = this.keys.get(hash);
    if (owner === undefined) this.keys.set(hash, eventId);
    if (owner === undefined || owner === eventId) return null;
    const sighting = kind === "business" ? "sameFact" : "sameBody";
    this.sight(owner, { at: this.around.now(), kind: sighting, reference: eventId, by: null, reason: null });
    return owner;
  }

  freeWork(endedHolders: readonly string[]): number {
    const now = this.around.now();
    const lost = [...this.works.values()].filter(
      ({ work }) =>
        work.state === "claimed" &&
        ((work.dueAt ?? 0) <= now || (work.holderId !== null && endedHolders.includes(work.holderId))),
    );
    for (const called of lost.slice(0, SWEEP_MAX)) {
      const losses = called.work.losses + 1;
      const isOver = losses >= WORK_LOSSES_MAX;
      this.put(called, {
        ...called.work,
        state: isOver ? "in_review" : "ready",
        dueAt: isOver ? null : now,
        losses,
        claimId: null,
        holderId: null,
        sentence: `Whoever worked on it was lost ${losses} times, without an error.`,
        errorClass: "lost",
        changedAt: now,
      });
    }
    return Math.min(lost.length, SWEEP_MAX);
  }

  expireWork(): number {
    const now = this.around.now();
    const over = [...this.works.values()].filter(({ work }) => isOpen(work) && work.deadlineAt <= now);
    for (const called of over.slice(0, SWEEP_MAX)) {
      const { work } = called;
      const sentence = `It was not done in time. ${work.sentence ?? "No worker has taken it."}`;
      const errorClass = work.errorClass ?? "overdue";
      this.put(called, { ...work, state: "in_review", dueAt: null, sentence, errorClass, changedAt: now });
    }
    return Math.min(over.length, SWEEP_MAX);
  }

  rematchWork(): number {
    const now = this.around.now();
    const found = [...this.works.values()].filter(
      ({ work }) =>
        work.state === "waiting" &&
        (work.dueAt ?? 0) > now &&
        work.waitsFor !== null &&
        this.findCases(work.waitsFor).length > 0,
    );
    for (const called of found.slice(0, SWEEP_MAX)) {
      this.put(called, { ...called.work, dueAt: now, changedAt: now });
    }
    return Math.min(found.length, SWEEP_MAX);
  }

  findCases(target: CaseTarget): readonly string[] {
    const named = this.around.findCase(target.tenant, target.caseType, target.key);
    const linked = this.linked.get(targetName(target)) ?? [];
    return [...new Set([...(named === null ? [] : [named]), ...linked])].toSorted().slice(0, MATCHES_MAX);
  }

  linkCase(caseId: string, targets: readonly CaseTarget[]): void {
    for (const target of targets) {
      const known = this.linked.get(targetName(target)) ?? [];
      this.linked.set(targetName(target), new Set([...known, caseId]));
    }
    const isAwaited = [...this.works.values()].some(
      ({ work }) =>
        work.state === "waiting" &&
        targets.some((target) => work.waitsFor !== null && targetName(work.waitsFor) === targetName(target)),
    );
    if (isAwaited) this.around.hint();
  }

  showEvent(eventId: string): EventHistory | null {
    const seen = this.events.get(eventId);
    if (seen === undefined) return null;
    const sightings = (this.sightings.get(eventId) ?? []).toReversed().slice(0, SIGHTINGS_MAX);
    const delivery = this.deliveries.get(seen.event.deliveryId)?.stored ?? null;
    return { event: seen.event, work: this.workOf(eventId), sightings, delivery };
  }

  private workOf(eventId: string): readonly StoredWork[] {
    return [...this.works.values()]
      .map(({ work }) => work)
      .filter((work) => work.eventId === eventId)
      .toSorted((a, b) => (a.consumer < b.consumer ? -1 : 1));
  }

  listEvents(filter: EventFilter): EventPage {
    const limit = Math.min(filter.limit, EVENT_LIST_MAX);
    const all = [...this.events.values()]
      .map(({ event }) => ({ event, work: this.workOf(event.eventId) }))
      .filter(({ event, work }) => isWanted(filter, event, work))
      .toSorted((a, b) => (placeOf(a.event) > placeOf(b.event) ? -1 : 1));
    const { after } = filter;
    const rest = after === undefined ? all : all.filter(({ event }) => placeOf(event) < after);
    const events = rest.slice(0, limit);
    const last = events.length === limit ? events.at(-1) : undefined;
    return { events, next: last === undefined ? null : placeOf(last.event) };
  }

  reviewed(): readonly StoredWork[] {
    return [...this.works.values()].map(({ work }) => work).filter(({ state }) => state === "in_review");
  }

  countWork(): readonly WorkCount[] {
    return countWork([...this.works.values()].map(({ work }) => work));
  }

  reopen(
    eventId: string,
    work: readonly NewWork[],
    { by, reason }: { readonly by: string; readonly reason: string },
  ): readonly string[] {
    const now = this.around.now();
    const opened = work.filter(({ consumer }) => {
      const called = this.works.get(workName(eventId, consumer));
      return called?.work.state !== "claimed" && this.events.has(eventId);
    });
    for (const one of opened) {
      this.works.delete(workName(eventId, one.consumer));
      this.call(eventId, { ...one, review: null });
    }
    const consumers = opened.map(({ consumer }) => consumer).toSorted();
    this.sight(eventId, { at: now, kind: "replayed", reference: consumers.join(", "), by, reason });
    return consumers;
  }

  ignore(
    eventId: string,
    seen: readonly SeenWork[],
    { by, reason, sentence }: { readonly by: string; readonly reason: string; readonly sentence: string },
  ): readonly string[] {
    const now = this.around.now();
    const hit = seen.flatMap((one) => {
      const called = this.works.get(workName(eventId, one.consumer));
      const isAsSeen = called?.work.state === one.state && called.work.claimId === one.claimId;
      return called !== undefined && isAsSeen ? called : [];
    });
    const closed = { state: "ignored", dueAt: null, claimId: null, holderId: null } as const;
    const rest = { sentence, errorClass: null, waitsFor: null, changedAt: now } as const;
    for (const called of hit) this.put(called, { ...called.work, ...closed, ...rest });
    const consumers = hit.map(({ work }) => work.consumer).toSorted();
    if (consumers.length > 0)
      this.sight(eventId, { at: now, kind: "ignored", reference: consumers.join(", "), by, reason });
    return consumers;
  }

  forget(
    { tenant, source }: { readonly tenant: string; readonly source: string },
    { bodiesBefore, eventsBefore }: { readonly bodiesBefore: number; readonly eventsBefore: number },
  ): Forgotten {
    const isOf = (one: { readonly tenant: string; readonly source: string }): boolean =>
      one.tenant === tenant && one.source === source;
    const isBusy = (eventId: string): boolean =>
      this.workOf(eventId).some(({ state }) => state !== "done" && state !== "ignored");
    const old = [...this.events.values()].filter(
      ({ event }) => isOf(event) && event.lastSeenAt < eventsBefore && !isBusy(event.eventId),
    );
    for (const { event } of old.slice(0, SWEEP_MAX)) this.forgetEvent(event);
    const busy = new Set(
      [...this.events.values()]
        .filter(({ event }) => isBusy(event.eventId))
        .map(({ event }) => event.deliveryId),
    );
    const bodies = [...this.deliveries].filter(
      ([id, { stored }]) =>
        isOf(stored) && stored.kept === "here" && stored.receivedAt < bodiesBefore && !busy.has(id),
    );
    for (const [id, { stored }] of bodies.slice(0, SWEEP_MAX)) {
      this.deliveries.set(id, { stored: { ...stored, kept: "deleted" }, body: null });
    }
    return {
      bodies: Math.min(bodies.length, SWEEP_MAX),
      events: Math.min(old.length, SWEEP_MAX),
      refusals: this.refusals.forget({ tenant, source }, bodiesBefore),
    };
  }

  private forgetEvent({ eventId, deliveryId }: StoredEvent): void {
    for (const { kind, reference } of this.sightings.get(eventId) ?? []) {
      if (kind === "repeat" || kind === "different" || kind === "listed") this.deliveries.delete(reference);
    }
    for (const [hash, owner] of this.keys) if (owner === eventId) this.keys.delete(hash);
    for (const { consumer } of this.workOf(eventId)) this.works.delete(workName(eventId, consumer));
    this.sightings.delete(eventId);
    this.deliveries.delete(deliveryId);
    this.events.delete(eventId);
  }
}

function copyOf<Key, Value>(map: Map<Key, Value>): () => void {
  const entries = [...map];
  return () => refill(map, entries);
}

/** Work at the beginning of a round. */
const fresh = {
  attempts: 0,
  losses: 0,
  claimId: null,
  holderId: null,
  errorClass: null,
  caseIds: [],
  waitsFor: null,
} as const;

function newEvent(delivery: NewDelivery, event: NewEvent): Seen {
  const { work: _work, itemHash, ...told } = event;
  const { tenant, source, deliveryId, receivedAt } = delivery;
  const seen = { tenant, source, deliveryId, firstSeenAt: receivedAt, lastSeenAt: receivedAt, sightings: 1 };
  return { event: frozenJsonb({ ...told, ...seen }), itemHash };
}

function isWanted(filter: EventFilter, event: StoredEvent, work: readonly StoredWork[]): boolean {
  const { workStates } = filter;
  return (
    (filter.tenant ?? event.tenant) === event.tenant &&
    (filter.source ?? event.source) === event.source &&
    (filter.eventType ?? event.eventType) === event.eventType &&
    (filter.standing ?? event.standing) === event.standing &&
    (workStates === undefined || work.some(({ state }) => workStates.includes(state)))
  );
}

function isOpen({ state }: StoredWork): boolean {
  return state === "ready" || state === "waiting";
}

function isClaimed({ work, lane }: Called): boolean {
  return work.state === "claimed" && lane !== null;
}

function dueOf({ work }: Called): number {
  return work.dueAt ?? Infinity;
}

function laneOf({ work, lane }: Called): string {
  return JSON.stringify([work.tenant, work.source, work.consumer, lane]);
}

function placeOf({ firstSeenAt, eventId }: StoredEvent): string {
  return `${String(firstSeenAt).padStart(16, "0")} ${eventId}`;
}

function workName(eventId: string, consumer: string): string {
  return JSON.stringify([eventId, consumer]);
}

function targetName({ tenant, caseType, key }: CaseTarget): string {
  return JSON.stringify([tenant, caseType, key]);
}
