/**
 * A worker's side of the in-flight limits: its share of each, what it has under way, and what it has seen. It asks nobody
 * before a send and writes nothing while all is well. What fails is told at once, one write at a time; the rest goes with
 * the heartbeats, which also bring what others have told.
 */

import { FootholdError, isFootholdError } from "../core/errors.ts";
import type { Failure } from "../core/failure.ts";
import {
  afterReport,
  destinationKey,
  freshDestination,
  givePermit,
  holdOf,
  isUrgent,
  joinReports,
  NOTHING_SEEN,
  saysNothing,
  shareOf,
  signOf,
  withAttempt,
  withinPolicy,
  withoutRises,
  type DestinationReport,
  type DestinationState,
  type Hold,
  type Share,
} from "../core/in-flight.ts";
import type { CaseOutline, DestinationOutline } from "../core/outline.ts";
import type { Holds } from "../core/planning.ts";
import type { Ports } from "../core/ports.ts";
import { sendsTo, type Registry } from "../define/registry.ts";
import { HELD_MS_MAX, type DestinationsReply } from "../store/destination-port.ts";
import { CLAIM_BATCH_MAX, type Store } from "../store/port.ts";
import type { DatabaseClock } from "./database-clock.ts";

/** How often a limit that is rising is told between heartbeats, in ms. */
const TELL_EVERY_MS = 1_000;
/** How often held back cases are made due sooner while there is room, and for how long ahead, in ms. */
const HASTEN_EVERY_MS = 1_000;
/** More of them than that, so that the share is used up where attempts end sooner. */
const HASTEN_SURPLUS = 1.5;
/** How long an attempt is taken to last before one has ended, and the bounds of that, in ms. */
const LASTING_MS_FIRST = 200;
const LASTING_MS_MIN = 10;
const LASTING_MS_MAX = 5_000;
/** Weight of the last attempt in that. */
const LASTING_WEIGHT = 0.2;

/** What it is made of. */
export interface InFlightOptions {
  readonly store: Pick<Store, "readDestinations" | "changeDestination" | "hastenHeld">;
  readonly registry: Pick<Registry, "all">;
  readonly ports: Ports;
  readonly databaseClock: DatabaseClock;
  readonly holderId: () => string;
  /** Cases were made due now. */
  readonly onHastened: () => void;
  readonly onBug: (error: unknown) => void;
}

/** The right to have one attempt under way, while each needs one. Given to {@link InFlight.enter}, or given back. */
export interface HeldPermit {
  readonly key: string;
  readonly permitId: string;
}

/** How an attempt ended, for its destination. */
export interface AttemptResult {
  readonly caseId: string;
  readonly failure: Failure | null;
  /** True where nothing was learned: it was not sent, or we stopped it ourselves. */
  readonly isNothing: boolean;
}

/** An attempt that is under way. `leave` is safe twice. */
export interface InFlightAttempt {
  readonly leave: (result: AttemptResult) => void;
}

/** What this worker knows and does about one destination under one credential. */
interface Known {
  readonly key: string;
  readonly outline: DestinationOutline;
  /** As last read or written. */
  stored: DestinationState;
  /** Seen since, and not told yet; and what is being told. */
  unsent: DestinationReport;
  telling: DestinationReport;
  isTelling: boolean;
  toldAt: number;
  tellings: number;
  /** Ids of the workers that share the limit. */
  senders: readonly string[];
  inFlight: number;
  lastingMs: number;
  /** When the last of those that were given back is due. */
  lastDueAt: number;
  /** True while cases may be held back that could go on. */
  mayHasten: boolean;
  hastenedAt: number;
  /** True while nothing but probes was sent, when it was last looked at. */
  isShut: boolean;
  isAsking: boolean;
  /** All permits are out until then. */
  permitAgainAt: number;
}

/** In-flight limits as one worker keeps them. */
export class InFlight {
  readonly #options: InFlightOptions;
  readonly #known: ReadonlyMap<string, Known>;
  readonly #byType = new Map<CaseOutline, readonly Known[]>();
  #isSyncing = false;
  readonly #tasks = new Set<Promise<void>>();

  constructor(options: InFlightOptions) {
    this.#options = options;
    this.#known = new Map(
      sendsTo(options.registry.all.map(({ outline }) => outline))
        // What is written in our own database is bounded by its connections.
        .filter(({ repeatSafety }) => repeatSafety.by !== "transaction")
        .map((outline) => {
          const key = destinationKey(outline.name, outline.credentialId);
          return [key, newKnown(key, outline)] as const;
        }),
    );
  }

  /** Where this worker may send, for its registration. */
  get destinations(): readonly string[] {
    return [...this.#known.keys()];
  }

  /** Which destinations of a case type take no further attempt now; with the permits that a case has. */
  holds(outline: CaseOutline, permits: ReadonlyMap<string, HeldPermit>): Holds {
    const holds = new Map<string, Hold>();
    for (const known of this.#destinationsOf(outline)) {
      const hold = this.#holdOf(known, permits.has(known.key));
      if (hold !== null) holds.set(known.key, hold);
    }
    return holds;
  }

  #destinationsOf(outline: CaseOutline): readonly Known[] {
    const found = this.#byType.get(outline);
    if (found !== undefined) return found;
    const keys = sendsTo([outline]).map(({ name, credentialId }) => destinationKey(name, credentialId));
    const known = keys.flatMap((key) => this.#known.get(key) ?? []);
    this.#byType.set(outline, known);
    return known;
  }

  #holdOf(known: Known, hasPermit: boolean): Hold | null {
    const now = this.#options.databaseClock.now();
    const mustWait = known.isAsking || known.permitAgainAt > now;
    return holdOf({
      state: this.#stateOf(known),
      share: this.#shareOf(known),
      inFlight: known.inFlight,
      hasPermit,
      permitAt: mustWait ? Math.max(now, known.permitAgainAt) : null,
      now,
      dueFrom: (base) => Math.min(now + HELD_MS_MAX, Math.max(base, known.lastDueAt + this.#gapMs(known))),
      accessDueAt: Math.floor(now + (HELD_MS_MAX / 2) * (1 + this.#options.ports.random())),
    });
  }

  /** As stored, with what this worker has seen since. */
  #stateOf(known: Known): DestinationState {
    const { stored, telling, unsent, outline } = known;
    if (telling === NOTHING_SEEN && unsent === NOTHING_SEEN) return stored;
    const report = joinReports(telling, unsent);
    if (saysNothing(report, stored, outline.inFlight)) return stored;
    return afterReport(stored, report, outline.inFlight, this.#options.databaseClock.now());
  }

  #shareOf(known: Known): Share {
    const { limit } = this.#stateOf(known);
    const place = known.senders.indexOf(this.#options.holderId());
    // One that the others do not see yet is one more.
    if (place < 0) return shareOf(limit, { senders: known.senders.length + 1, place: known.senders.length });
    return shareOf(limit, { senders: known.senders.length, place });
  }

  /** How far apart the due times are of what this worker gives back. */
  #gapMs(known: Known): number {
    const share = this.#shareOf(known);
    const { limit } = this.#stateOf(known);
    const perSender = share.kind === "free" ? share.count : Math.floor(limit) / (known.senders.length + 1);
    return Math.ceil(known.lastingMs / Math.max(perSender, 0.01));
  }

  /** A case was given back until `dueAt` because of a destination. */
  noteHeld(key: string, dueAt: number): void {
    const known = this.#known.get(key);
    if (known === undefined) return;
    known.lastDueAt = Math.max(known.lastDueAt, dueAt);
    known.mayHasten = true;
  }

  /** Begins an attempt that {@link holds} allowed just now. */
  enter(key: string, permit: HeldPermit | null): InFlightAttempt {
    const known = this.#known.get(key);
    if (known === undefined) return { leave: () => undefined };
    known.inFlight += 1;
    const share = this.#shareOf(known);
    const isPressed = permit !== null || (share.kind === "free" && known.inFlight >= share.count);
    const startedAt = this.#options.databaseClock.now();
    let isOver = false;
    const leave = (result: AttemptResult): void => {
      if (isOver) return;
      isOver = true;
      known.inFlight -= 1;
      this.#learn(known, { isPressed, startedAt, permitId: permit?.permitId ?? null }, result);
    };
    return { leave };
  }

  #learn(
    known: Known,
    attempt: { readonly isPressed: boolean; readonly startedAt: number; readonly permitId: string | null },
    { caseId, failure, isNothing }: AttemptResult,
  ): void {
    const endedAt = this.#options.databaseClock.now();
    const sign = isNothing
      ? ({ kind: "nothing" } as const)
      : failure === null
        ? ({ kind: "answered" } as const)
        : signOf(failure, endedAt);
    known.unsent = withAttempt(known.unsent, { ...attempt, caseId, endedAt, failure, sign });
    if (sign.kind === "answered") {
      const lastedMs = Math.min(LASTING_MS_MAX, Math.max(LASTING_MS_MIN, endedAt - attempt.startedAt));
      known.lastingMs += (lastedMs - known.lastingMs) * LASTING_WEIGHT;
    }
    const isTime = endedAt - known.toldAt >= TELL_EVERY_MS;
    if (isUrgent(known.unsent) || (isTime && !isIdle(known))) this.#run(this.#tell(known));
    this.#hasten(known);
  }

  /**
   * Asks for the right to have one attempt under way that may take `deadlineMs`. Null = not now; {@link holds} says until
   * when. Never rejects: with the database away there is none.
   */
  async askPermit(
    { name, credentialId }: DestinationOutline,
    deadlineMs: number,
  ): Promise<HeldPermit | null> {
    const key = destinationKey(name, credentialId);
    const known = this.#known.get(key);
    if (known === undefined || known.isAsking) return null;
    const { store, ports, holderId } = this.#options;
    const permitId = ports.ids.unique();
    const asked = { permitId, holderId: holderId(), deadlineMs };
    const senders = [...known.senders, asked.holderId];
    known.isAsking = true;
    try {
      const given = await store.changeDestination({ destination: name, credentialId }, (stored, now) => {
        const before = withinPolicy(stored, known.outline.inFlight);
        const { state, reply } = givePermit(before, asked, senders, now);
        return { state, reply: { state, reply } };
      });
      this.#take(known, given.state);
      if (given.reply.kind === "given") return { key, permitId };
      known.permitAgainAt = given.reply.untilAt;
      return null;
    } catch (error) {
      this.#tellBug(error);
      known.permitAgainAt = this.#options.databaseClock.now() + TELL_EVERY_MS;
      return null;
    } finally {
      known.isAsking = false;
    }
  }

  /** A permit is not needed after all. */
  giveBack({ key, permitId }: HeldPermit): void {
    const known = this.#known.get(key);
    if (known === undefined) return;
    known.unsent = joinReports(known.unsent, { ...NOTHING_SEEN, permitIds: [permitId] });
    this.#run(this.#tell(known));
  }

  /** Learns what others have told, and tells the rest. Never rejects; goes on beside the heartbeat that it comes with. */
  sync(): void {
    if (this.#known.size === 0 || this.#isSyncing) return;
    this.#isSyncing = true;
    this.#run(
      this.#sync().finally(() => {
        this.#isSyncing = false;
      }),
    );
  }

  async #sync(): Promise<void> {
    const before = new Map([...this.#known.values()].map(({ key, tellings }) => [key, tellings]));
    let reply: DestinationsReply;
    try {
      reply = await this.#options.store.readDestinations();
    } catch (error) {
      this.#tellBug(error);
      return;
    }
    const stored = new Map(
      reply.destinations.map((one) => [destinationKey(one.destination, one.credentialId), one.state]),
    );
    for (const known of this.#known.values()) {
      known.senders = reply.senders.flatMap(({ holderId, destinations }) =>
        destinations.includes(known.key) ? [holderId] : [],
      );
      const read = withinPolicy(stored.get(known.key) ?? null, known.outline.inFlight);
      // What was told meanwhile is newer than what was read. While something is being told nobody knows which is: the lower
      // limit counts, since telling may take as long as the network likes.
      const isNewer = !known.isTelling || read.limit < known.stored.limit;
      if (known.tellings === before.get(known.key) && isNewer) this.#take(known, read);
      if (isIdle(known)) known.unsent = NOTHING_SEEN;
      else this.#run(this.#tell(known));
      this.#hasten(known);
    }
  }

  /** Waits for what is being told. */
  async settled(): Promise<void> {
    while (this.#tasks.size > 0) await Promise.all(this.#tasks);
  }

  #take(known: Known, state: DestinationState): void {
    known.stored = state;
    known.tellings += 1;
    // What is being told may be in it already.
    if (known.isTelling) known.telling = withoutRises(known.telling);
  }

  /** Tells what was seen, one write at a time: what comes meanwhile goes with the next. */
  async #tell(known: Known): Promise<void> {
    if (known.isTelling) return;
    known.isTelling = true;
    try {
      do await this.#tellOnce(known);
      while (isUrgent(known.unsent));
    } catch (error) {
      // It goes with the next heartbeat.
      known.unsent = joinReports(withoutRises(known.telling), known.unsent);
      this.#tellBug(error);
    } finally {
      known.telling = NOTHING_SEEN;
      known.isTelling = false;
      known.toldAt = this.#options.databaseClock.now();
    }
  }

  async #tellOnce(known: Known): Promise<void> {
    const { outline, unsent: report } = known;
    const { name: destination, credentialId, inFlight: policy } = outline;
    known.telling = report;
    known.unsent = NOTHING_SEEN;
    const state = await this.#options.store.changeDestination(
      { destination, credentialId },
      (stored, now) => {
        const before = withinPolicy(stored, policy);
        const after = saysNothing(report, before, policy) ? before : afterReport(before, report, policy, now);
        return { state: stored === null && after === before ? null : after, reply: after };
      },
    );
    known.telling = NOTHING_SEEN;
    this.#take(known, state);
  }

  /** While there is room, what was held back is made due: as much as this worker's share gets done meanwhile. */
  #hasten(known: Known): void {
    const now = this.#options.databaseClock.now();
    const wasShut = known.isShut;
    known.isShut = isShut(this.#stateOf(known), now);
    // Others may have held cases back there, and it takes them again.
    if (wasShut && !known.isShut) known.mayHasten = true;
    if (!known.mayHasten || known.isShut || now - known.hastenedAt < HASTEN_EVERY_MS) return;
    const share = this.#shareOf(known);
    const count = share.kind === "free" ? share.count - known.inFlight : 1;
    if (count <= 0) return;
    known.hastenedAt = now;
    const perRound = share.kind === "free" ? share.count : 1;
    const wanted = Math.ceil((perRound * HASTEN_EVERY_MS * HASTEN_SURPLUS) / known.lastingMs);
    this.#run(this.#hastenSome(known, Math.min(CLAIM_BATCH_MAX, wanted)));
  }

  async #hastenSome(known: Known, count: number): Promise<void> {
    const { name: destination, credentialId } = known.outline;
    const gapMs = Math.floor(HASTEN_EVERY_MS / count);
    known.mayHasten = false;
    known.lastDueAt = -Infinity;
    try {
      const hastened = await this.#options.store.hastenHeld({ destination, credentialId, count, gapMs });
      if (hastened >= count) known.mayHasten = true;
      if (hastened > 0) this.#options.onHastened();
    } catch (error) {
      known.mayHasten = true;
      this.#tellBug(error);
    }
  }

  #run(task: Promise<void>): void {
    this.#tasks.add(task);
    void task.finally(() => this.#tasks.delete(task));
  }

  /** Limits are help, not truth: with the database away they wait for its return. */
  #tellBug(error: unknown): void {
    if (isFootholdError(error) && error.code === "DATABASE_UNAVAILABLE") return;
    this.#options.onBug(
      error instanceof Error ? error : new FootholdError("INVARIANT_BROKEN", `threw ${String(error)}`),
    );
  }
}

function newKnown(key: string, outline: DestinationOutline): Known {
  return {
    key,
    outline,
    stored: freshDestination(outline.inFlight),
    unsent: NOTHING_SEEN,
    telling: NOTHING_SEEN,
    isTelling: false,
    toldAt: -Infinity,
    tellings: 0,
    senders: [],
    inFlight: 0,
    lastingMs: LASTING_MS_FIRST,
    lastDueAt: -Infinity,
    mayHasten: false,
    hastenedAt: -Infinity,
    isShut: false,
    isAsking: false,
    permitAgainAt: -Infinity,
  };
}

/** True where there is nothing to tell. */
function isIdle({ unsent, stored, outline }: Known): boolean {
  return saysNothing(unsent, stored, outline.inFlight);
}

/** True while nothing but probes is sent. */
function isShut({ downSinceAt, notBeforeAt, denial }: DestinationState, now: number): boolean {
  return downSinceAt !== null || (notBeforeAt ?? 0) > now || denial !== null;
}
