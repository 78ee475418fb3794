/**
 * The store port of the inbox: what arrived, the events in it, and the work that each calls for. As with cases, a store
 * stores and compares, and decides nothing; one contract suite holds all stores to this text (test/inbox/contract).
 *
 * All times are epoch milliseconds, and due times are judged by the store's own clock. Every method may throw
 * `DATABASE_UNAVAILABLE`: then nothing is known about the write, and it is safe to do it again.
 */

import type { EventNeed } from "../core/event-needs.ts";
import type { Json } from "../core/json.ts";

/** How a delivery came: posted by the provider, read from the provider's list, or posted by `foothold inbox send`. */
export type DeliveredHow = "posted" | "listed";

/** Something that arrived and is authentic. Immutable. */
export interface NewDelivery {
  /** `d`, two digits of the shard, `-`, then random; its shard is that of its first event. */
  readonly deliveryId: string;
  readonly tenant: string;
  readonly source: string;
  readonly receivedAt: number;
  readonly how: DeliveredHow;
  readonly scheme: string;
  /** Which secret matched. */
  readonly secretId: string;
  readonly signedAt: number | null;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array;
  /** SHA-256 in hexadecimal. */
  readonly bodyHash: string;
  readonly events: readonly NewEvent[];
}

/** One event of a delivery. */
export interface NewEvent {
  /** Made of its suppressing key, so the same for every delivery of it. */
  readonly eventId: string;
  readonly itemNo: number;
  /** What the suppressing key was made of. */
  readonly keyKind: "delivery" | "body";
  /** Of the event alone, where several came in one delivery. */
  readonly itemHash: string;
  readonly eventType: string;
  readonly subject: string | null;
  readonly occurredAt: number | null;
  /** Hashes of what else names the same fact; compared when its work is done. */
  readonly furtherKeys: readonly FurtherKey[];
  /** `unreadable`: authentic, and its body cannot be read. `nobody`: no consumer takes its type. */
  readonly standing: "routed" | "nobody" | "unreadable";
  readonly work: readonly NewWork[];
}

/** A key beside the suppressing one. */
export interface FurtherKey {
  readonly kind: "business" | "body";
  readonly hash: string;
}

/** What an event calls for. */
export interface NewWork {
  /** Named by the source. */
  readonly consumer: string;
  /** Work of one source, consumer and lane is done one after another; null = side by side. */
  readonly lane: string | null;
  /** Who takes it when it cannot be done. */
  readonly owner: string;
  /** By when it must be done or in review. */
  readonly withinMs: number;
  /** In review from the start, with this sentence; null = ready. */
  readonly review: string | null;
}

/** What became of one event of a delivery. */
export interface TakenEvent {
  readonly eventId: string;
  /** False for an event that was there before. */
  readonly isNew: boolean;
  /** True when it was there with other bytes. */
  readonly isDifferent: boolean;
}

/** Where a piece of work stands. */
export type WorkState = "ready" | "claimed" | "waiting" | "in_review" | "done" | "ignored";

/** Names one piece of work. */
interface WorkName {
  readonly eventId: string;
  readonly consumer: string;
}

/** A piece of work as stored. */
export interface StoredWork extends WorkName {
  readonly tenant: string;
  readonly source: string;
  readonly eventType: string;
  readonly state: WorkState;
  /** When it is looked at next; of a claim, when it ends. Null in review and when it is closed. */
  readonly dueAt: number | null;
  readonly deadlineAt: number;
  readonly owner: string;
  /** Failed tries of this round. */
  readonly attempts: number;
  /** Claims that were lost in this round. */
  readonly losses: number;
  readonly claimId: string | null;
  readonly holderId: string | null;
  /** What was done, what it waits for, or why it stopped, in words. */
  readonly sentence: string | null;
  /** Groups what failed alike. */
  readonly errorClass: string | null;
  readonly caseIds: readonly string[];
  /** The case it waits for. */
  readonly waitsFor: CaseTarget | null;
  readonly changedAt: number;
}

/** A case, named by a key. */
export interface CaseTarget {
  /** Of the key, as for the start of a case. */
  readonly shard: number;
  readonly tenant: string;
  readonly caseType: string;
  readonly key: string;
}

/** Work that was claimed, with the event it is for. */
export interface ClaimedWork {
  readonly work: StoredWork;
  readonly event: StoredEvent;
}

/** Asks for due work. */
export interface WorkRequest {
  readonly holderId: string;
  /** One random id for each piece wanted. */
  readonly claimIds: readonly string[];
  /** What this process can do. */
  readonly consumers: readonly {
    readonly tenant: string;
    readonly source: string;
    readonly consumer: string;
  }[];
  readonly actWithinMs: number;
}

/** What a holder makes of a claim. Stored only while the claim is his. */
export interface WorkOutcome extends WorkName {
  readonly claimId: string;
  readonly state: Exclude<WorkState, "claimed">;
  /** From now, by the store's clock; null where nothing is due. */
  readonly dueInMs: number | null;
  readonly attempts: number;
  readonly sentence: string;
  readonly errorClass: string | null;
  readonly caseIds: readonly string[];
  /** What these cases know the event by; null = that they are there is enough. */
  readonly sourceId: string | null;
  readonly waitsFor: CaseTarget | null;
}

/** A piece of work as somebody saw it. */
export interface SeenWork {
  readonly consumer: string;
  readonly state: WorkState;
  readonly claimId: string | null;
}

/** An event as stored. */
export interface StoredEvent {
  readonly eventId: string;
  readonly tenant: string;
  readonly source: string;
  readonly eventType: string;
  readonly subject: string | null;
  readonly keyKind: "delivery" | "body";
  readonly occurredAt: number | null;
  readonly firstSeenAt: number;
  readonly lastSeenAt: number;
  /** Deliveries of it. */
  readonly sightings: number;
  /** The delivery that has its bytes. */
  readonly deliveryId: string;
  readonly itemNo: number;
  readonly furtherKeys: readonly FurtherKey[];
  readonly standing: NewEvent["standing"];
}

/** A further sight of an event, or what a person did about it. */
export interface Sighting {
  readonly at: number;
  /**
   * `repeat`: the same bytes again; `different`: the same key with other bytes; `listed`: found in the provider's list;
   * `sameFact`: another event with the same business key; `sameBody`: another event with the same bytes; `replayed`
   * and `ignored`: by a person.
   */
  readonly kind: "repeat" | "different" | "listed" | "sameFact" | "sameBody" | "replayed" | "ignored";
  /** The delivery, or the other event; of what a person did, the consumers. */
  readonly reference: string;
  readonly by: string | null;
  readonly reason: string | null;
}

/** A delivery as stored, without its bytes. */
export interface StoredDelivery extends Omit<NewDelivery, "body" | "events"> {
  readonly bodyBytes: number;
  /** `same`: those of an earlier delivery of the event; `deleted`: their time was over. */
  readonly kept: "here" | "same" | "deleted";
}

/** Everything about one event. */
export interface EventHistory {
  readonly event: StoredEvent;
  readonly work: readonly StoredWork[];
  /** The newest, at most {@link SIGHTINGS_MAX}. */
  readonly sightings: readonly Sighting[];
  readonly delivery: StoredDelivery | null;
}

/** A request that was refused. Its body is not stored. */
export interface Refusal {
  readonly refusalId: string;
  readonly tenant: string;
  readonly source: string;
  readonly at: number;
  /** A reason of the signature's, or `tooLarge`, `tooSlow`, `compressed`. */
  readonly reason: string;
  /** What was read of it. */
  readonly bodyBytes: number;
  readonly headers: readonly (readonly [string, string])[];
  /** True where the provider will not send it again: somebody must ask the provider's list. */
  readonly isLost: boolean;
  /** How many refusals this one stands for. */
  readonly count: number;
}

/** Requests of one source that were refused for one reason. */
export interface RefusalCount {
  readonly source: string;
  readonly reason: string;
  readonly count: number;
}

/** Which events to list, newest first. */
export interface EventFilter {
  readonly tenant?: string;
  readonly source?: string;
  readonly eventType?: string;
  readonly standing?: StoredEvent["standing"];
  /** Only events with work in one of these states. */
  readonly workStates?: readonly WorkState[];
  /** At most {@link EVENT_LIST_MAX}. */
  readonly limit: number;
  /** From {@link EventPage.next}. */
  readonly after?: string;
}

/** One page of events with their work. */
export interface EventPage {
  readonly events: readonly { readonly event: StoredEvent; readonly work: readonly StoredWork[] }[];
  readonly next: string | null;
}

/** How much work of a source stands in a state, and since when it waits. */
export interface WorkCount {
  readonly tenant: string;
  readonly source: string;
  readonly state: WorkState;
  readonly count: number;
  readonly oldestAt: number;
}

/** How far a provider's list was read. */
export interface Reconciling {
  /** Everything up to this time was read. */
  readonly readToAt: number | null;
  /** A reading that is under way: what it began with, its end, and where to go on. */
  readonly underWay: {
    readonly sinceAt: number;
    readonly untilAt: number;
    readonly cursor: Json;
  } | null;
}

/** How long a source keeps what it took in, in ms. */
export interface SourceRetention {
  readonly tenant: string;
  readonly source: string;
  readonly keepBodiesMs: number;
  readonly rememberMs: number;
}

/** The inbox of a store. */
export interface InboxStore {
  /**
   * Stores deliveries with their events and work in one transaction, or nothing. An event that was there before gets a
   * sighting, and the work that it lacks. At most {@link TAKE_IN_MAX}, no event twice. Replies as the deliveries' events.
   */
  takeIn(deliveries: readonly NewDelivery[]): Promise<readonly (readonly TakenEvent[])[]>;
  /** Notes refusals, at most {@link TAKE_IN_MAX}. */
  refuse(refusals: readonly Refusal[]): Promise<void>;

  /** Hints that work may be due, to whoever listens (`listen` of the store). */
  hintWork(): Promise<void>;
  /** Claims due work, longest due first, at most one of a lane. */
  claimWork(request: WorkRequest): Promise<{
    readonly claimed: readonly ClaimedWork[];
    /** When the next piece will be due; null = none. When as many came as were asked for, now. */
    readonly nextDueAt: number | null;
    readonly now: number;
  }>;
  /**
   * Stores outcomes; true for each whose claim still held. Work is done, or ignored, only together with what its cases were
   * told: where one of them is not there, or does not know the event by its source id, a failover has lost that since, and
   * the work is ready again.
   */
  settleWork(outcomes: readonly WorkOutcome[]): Promise<readonly boolean[]>;
  /**
   * Gives back what this holder has claimed without knowing, due now and without a loss: a reply was lost, or a failover
   * brought it back. `known`: the claims that he works under, at most {@link WORK_CLAIM_MAX}. Returns how many.
   */
  releaseWork(holderId: string, known: readonly string[]): Promise<number>;
  /**
   * Makes a key this event's own unless another event has it. Gives that other event and notes a sighting on it; null =
   * the key is this event's.
   */
  takeKey(eventId: string, key: FurtherKey): Promise<string | null>;
  /** Those that hold work, at most {@link SWEEP_MAX}. */
  listWorkHolders(): Promise<readonly string[]>;
  /** Frees claims that are over or whose holder is one of these. A third loss in one round goes to review. Returns how many. */
  freeWork(endedHolders: readonly string[]): Promise<number>;
  /** Puts work whose deadline has passed in review. Returns how many; at most {@link SWEEP_MAX} a call. */
  expireWork(): Promise<number>;
  /** Makes work due whose awaited case is there now. Returns how many; at most {@link SWEEP_MAX} a call. */
  rematchWork(): Promise<number>;

  /** The cases with this key: at most one by its business key, others by keys that were linked. At most {@link MATCHES_MAX}. */
  findCases(target: CaseTarget): Promise<readonly string[]>;
  /** Lets a case be found by further keys. Known ones change nothing. */
  linkCase(caseId: string, targets: readonly CaseTarget[]): Promise<void>;

  /** The bytes of a delivery; null when they were deleted or never there. */
  loadBody(deliveryId: string): Promise<Uint8Array | null>;
  /** An event with its deliveries, its work and what people did; null when there is none. */
  showEvent(eventId: string): Promise<EventHistory | null>;
  /** Events that fit, newest first, a page at a time. */
  listEvents(filter: EventFilter): Promise<EventPage>;
  /** Newest first, at most `limit`. */
  listRefusals(limit: number): Promise<readonly Refusal[]>;
  /** Work in review as `countEventNeeds` of core counts it, by the store's time; of at most {@link REVIEWED_WORK_MAX}. */
  countNeeds(
    dueAfterMs: number,
  ): Promise<{ readonly needs: readonly EventNeed[]; readonly isWhole: boolean }>;
  /** How much work there is, by source and state. */
  countWork(): Promise<readonly WorkCount[]>;
  /** How many requests were refused within the last `withinMs`, by source and reason; tenants are not told apart. */
  countRefusals(withinMs: number): Promise<readonly RefusalCount[]>;
  /**
   * Opens work of an event again, whatever its state unless it is claimed, and notes who and why. A consumer that has no
   * work for it yet gets it. Returns what was opened.
   */
  reopenWork(
    eventId: string,
    work: readonly NewWork[],
    act: { readonly by: string; readonly reason: string },
  ): Promise<readonly string[]>;

  /**
   * Ignores work of an event, of each piece that still stands as it was seen, with this sentence; who and why is noted where
   * one did. Returns the consumers. A claim is lost by it, whatever its holder makes of it.
   */
  ignoreWork(
    eventId: string,
    seen: readonly SeenWork[],
    act: { readonly by: string; readonly reason: string; readonly sentence: string },
  ): Promise<readonly string[]>;

  /** How far the list of a source was read. */
  readReconciling(tenant: string, source: string): Promise<Reconciling>;
  /** Notes how far it was read. */
  writeReconciling(tenant: string, source: string, reconciling: Reconciling): Promise<void>;

  /**
   * Notes how long these sources keep what they took in, each under its tenant and name: it holds on when the source is
   * declared no more. At most {@link SOURCES_MAX}, none twice.
   */
  noteSources(sources: readonly SourceRetention[]): Promise<void>;
  /** What was noted last of each source, by tenant and name; the first {@link SOURCES_MAX}. */
  listSources(): Promise<readonly SourceRetention[]>;

  /**
   * Deletes bodies and refusals older than one time and whole events older than the other, of one source and without open
   * work. Returns how many of each; at most {@link SWEEP_MAX} of each a call.
   */
  forget(
    which: { readonly tenant: string; readonly source: string },
    older: { readonly bodiesBefore: number; readonly eventsBefore: number },
  ): Promise<Forgotten>;
}

/** How much was deleted. */
export interface Forgotten {
  readonly bodies: number;
  readonly events: number;
  readonly refusals: number;
}

/** Deliveries in one transaction. */
export const TAKE_IN_MAX = 128;
/** Pieces of work in one claim. */
export const WORK_CLAIM_MAX = 128;
/** Rows that one pass of a sweep changes. */
export const SWEEP_MAX = 1_000;
/** Sources whose retention is noted. */
export const SOURCES_MAX = 1_000;
/** Cases that one key may name. */
export const MATCHES_MAX = 16;
/** Sightings that are shown of one event. */
export const SIGHTINGS_MAX = 100;
/** Events on one page. */
export const EVENT_LIST_MAX = 500;
/** Claims lost in one round before a person looks. */
export const WORK_LOSSES_MAX = 3;

/** Pieces of work in review that one reading of needs looks at. */
export const REVIEWED_WORK_MAX = 100_000;

/** What is said of work that is ready again because a failover lost what its case was told. */
export const LOST_FACT_SENTENCE =
  "What its case was told is lost: the database failed over while it was worked on. It is told again.";
/** After how long such work is taken up again, in ms. */
export const LOST_FACT_DELAY_MS = 1_000;
