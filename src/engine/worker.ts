/**
 * A worker: claims due cases in batches and picks each up, under one lease. It sleeps until the next case is due, a
 * hint comes or a pick-up ends; a slow net poll covers hints that were missed.
 */

import { ACT_WITHIN_MS_MIN } from "../core/claim.ts";
import { FootholdError, isFootholdError } from "../core/errors.ts";
import { unmeasured, type Measuring } from "../core/measuring.ts";
import type { Ports } from "../core/ports.ts";
import { afterClaim, FIRST_ROUND, sharedPlaces } from "../core/turns.ts";
import type { CaseType } from "../define/case-type.ts";
import { runHere, type Registry } from "../define/registry.ts";
import {
  CLAIM_BATCH_MAX,
  type ClaimReply,
  type FoldedCase,
  type HeldClaim,
  type Store,
  type UnreadableCase,
} from "../store/port.ts";
import { processMeter, type AttemptMeter } from "../wire/meter.ts";
import { AttemptGate } from "./attempt-gate.ts";
import { AttemptTally } from "./attempt-tally.ts";
import { linkingOf } from "./case-links.ts";
import { Committer } from "./committer.ts";
import { DatabaseClock } from "./database-clock.ts";
import { NO_FAILPOINTS, type OnFailpoint } from "./failpoints.ts";
import { freeClaim } from "./free.ts";
import { Holding } from "./holding.ts";
import { callNext, claimedTypes, type Calling } from "./keyed.ts";
import { InFlight } from "./in-flight.ts";
import { measuredCommits } from "./measured.ts";
import { pickUp, type PickUpContext, type PickUpEnd } from "./pick-up.ts";
import { Refreshes } from "./refresh.ts";
import type { OnReport } from "./report.ts";
import { setAside } from "./set-aside.ts";
import { sharedAbort } from "./stop-signal.ts";
import { ENGINE_VERSION } from "./version.ts";
import { Wake } from "./wake.ts";

/** Default lease of a worker, in ms. */
const WORKER_LEASE_MS = 10_000;
/** Default number of cases that a worker holds at once. */
const WORKER_CONCURRENCY = 64;
/** Longest sleep without looking for due cases, in ms: the net under hints that got lost. */
const NET_POLL_MS = 5_000;
/** With less than this part of its places free, a worker claims no more often than every so many ms. */
const FEW_SHARE = 4;
const FEW_EVERY_MS = 250;
/** Delay after the database did not answer, in ms. */
const AWAY_MS = 500;
/** Time that running steps get at a graceful stop, in ms. */
const GRACE_MS = 30_000;
/** Time that a forced stop waits for aborted steps, in ms. */
const FORCED_MS = 5_000;

/** What a worker is made of. */
export interface WorkerOptions {
  readonly store: Store;
  readonly registry: Registry;
  readonly ports: Ports;
  /** A label for people. */
  readonly name: string;
  readonly host: string;
  readonly build: string;
  /** How long it may be silent, in ms. Default 10,000. */
  readonly leaseMs?: number;
  /** Cases held at once. Default 64. */
  readonly concurrency?: number;
  /** For fault tests. Default: nothing. */
  readonly onFailpoint?: OnFailpoint;
  readonly onReport?: OnReport;
  /** Sees what steps really send. Default: the meter of this process, which runs while a worker does. */
  readonly meter?: AttemptMeter;
}

/** A running worker. */
export interface Worker {
  /** Changes when the sweep ended the holder and the worker went on under a new id. */
  readonly holderId: string;
  /**
   * Registers the holder and begins to claim. Safe twice. Throws SCHEMA_MISSING, SCHEMA_TOO_NEW, DATABASE_UNAVAILABLE, and
   * INVALID_REQUEST after a stop.
   */
  start(): Promise<void>;
  /** Something may be due now: look at once. */
  hint(): void;
  /**
   * Finishes what runs (at most `graceMs`, default 30,000, then aborts it), releases everything, says goodbye. Safe twice,
   * and before or during a start. Never rejects: with the database away, the sweep frees what could not be released.
   */
  stop(options?: { readonly graceMs?: number }): Promise<void>;
}

/** Makes a worker; nothing runs before `start`. */
export function createWorker(options: WorkerOptions): Worker {
  return new ClaimingWorker(options);
}

class ClaimingWorker implements Worker {
  readonly #options: WorkerOptions;
  readonly #concurrency: number;
  readonly #onReport: OnReport;
  readonly #measuring: Measuring;
  readonly #databaseClock: DatabaseClock;
  readonly #wake: Wake;
  readonly #gate = new AttemptGate();
  readonly #windDown = sharedAbort();
  readonly #kill = sharedAbort();
  readonly #committer: Committer;
  readonly #inFlight: InFlight;
  readonly #tally: AttemptTally;
  readonly #meter: AttemptMeter;
  readonly #refreshes: Refreshes;
  readonly #running = new Map<string, Promise<void>>();
  /** Late reports under way. */
  readonly #looseEnds = new Set<Promise<void>>();
  #holding: Holding;
  #starting: Promise<void> | null = null;
  #claiming: Promise<void> = Promise.resolve();
  #beating: Promise<void> = Promise.resolve();
  #unlisten: () => Promise<void> = () => Promise.resolve();
  #endMetering: () => void = () => undefined;
  /** Database time at which to look for due cases next. */
  #lookAt = -Infinity;
  /** When it last claimed, by the monotonic clock. */
  #claimedAt = -Infinity;
  #round = FIRST_ROUND;
  readonly #away = new Set<string>();
  #stopping: Promise<void> | null = null;
  readonly #calling: Calling = { onCalled: () => this.hint(), onError: (e) => this.#tell("callNext", e) };

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#concurrency = options.concurrency ?? WORKER_CONCURRENCY;
    this.#onReport = options.onReport ?? (() => undefined);
    this.#measuring = options.ports.measuring ?? unmeasured;
    this.#databaseClock = new DatabaseClock(options.ports.clock);
    this.#meter = options.meter ?? processMeter;
    const { store, ports } = options;
    this.#refreshes = new Refreshes({ store, ports, meter: this.#meter, kill: this.#kill.signal });
    this.#wake = new Wake(options.ports.clock);
    const commits = measuredCommits(store, ports);
    this.#committer = new Committer(commits, ports.clock, this.#kill.signal, (away) =>
      this.#noteCommit(away),
    );
    this.#inFlight = new InFlight({
      store: options.store,
      registry: { all: runHere(options.registry) },
      ports: options.ports,
      databaseClock: this.#databaseClock,
      holderId: () => this.#holding.holderId,
      onHastened: () => this.hint(),
      onBug: (error) => this.#onReport({ kind: "bug", caseId: null, error }),
    });
    this.#tally = new AttemptTally({
      samples: () => store.samples,
      countedBy: ports.ids.unique(),
      now: () => this.#databaseClock.now(),
    });
    this.#holding = this.#newHolding();
  }

  get holderId(): string {
    return this.#holding.holderId;
  }

  start(): Promise<void> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  async #start(): Promise<void> {
    const { store } = this.#options;
    if (this.#stopping !== null) {
      throw new FootholdError("INVALID_REQUEST", "This worker was stopped; make another one.");
    }
    await store.checkSchema();
    await this.#holding.begin();
    this.#inFlight.sync();
    await this.#inFlight.settled();
    this.#endMetering = this.#meter.start();
    this.#unlisten = await store.listen(() => this.hint());
    this.#beating = this.#beatLoop();
    this.#claiming = this.#claimLoop();
  }

  hint(): void {
    this.#lookAt = -Infinity;
    this.#wake.ring();
  }

  stop({ graceMs = GRACE_MS }: { readonly graceMs?: number } = {}): Promise<void> {
    this.#stopping ??= this.#stop(graceMs);
    return this.#stopping;
  }

  async #stop(graceMs: number): Promise<void> {
    this.#windDown.abort(new Error("the worker winds down"));
    this.#wake.ring();
    await this.#within(FORCED_MS, this.#hasStarted());
    await this.#within(graceMs, this.#allEnded());
    this.#kill.abort(new Error("the worker stops"));
    await this.#within(FORCED_MS, Promise.all([this.#allEnded(), this.#beating]));
    await this.#within(FORCED_MS, this.#inFlight.settled());
    await this.#within(
      FORCED_MS,
      this.#tally.tell().catch((error: unknown) => this.#tellUncounted(error)),
    );
    await this.#within(FORCED_MS, this.#sayGoodbye());
    this.#endMetering();
  }

  /** A start under way registers and listens: there is something to say goodbye to. */
  async #hasStarted(): Promise<void> {
    try {
      await this.#starting;
    } catch {
      // Whoever called start knows.
    }
  }

  /** A claim that was under way brings its cases first. */
  async #allEnded(): Promise<void> {
    await this.#claiming;
    for (;;) {
      const tasks = [...this.#running.values(), ...this.#looseEnds];
      if (tasks.length === 0) return;
      await Promise.all(tasks);
    }
  }

  async #within(limitMs: number, work: Promise<unknown>): Promise<void> {
    const ended = new AbortController();
    await Promise.race([work, this.#options.ports.clock.sleep(limitMs, ended.signal)]);
    ended.abort();
  }

  async #sayGoodbye(): Promise<void> {
    try {
      await this.#unlisten();
      await this.#holding.end();
    } catch (error) {
      this.#tell("goodbye", error);
    }
  }

  #newHolding(): Holding {
    const { store, registry, ports, name, host, build, leaseMs = WORKER_LEASE_MS } = this.#options;
    const caseTypes = runHere(registry).map(({ outline }) => ({
      name: outline.name,
      version: outline.version,
    }));
    return new Holding({
      store,
      clock: ports.clock,
      databaseClock: this.#databaseClock,
      holder: {
        holderId: ports.ids.unique(),
        kind: "worker",
        name,
        host,
        build,
        leaseMs,
        caseTypes,
        destinations: this.#inFlight.destinations,
      },
    });
  }

  async #beatLoop(): Promise<void> {
    const { clock } = this.#options.ports;
    while (!this.#kill.signal.aborted) {
      await clock.sleep(this.#holding.lease.beatEveryMs, this.#kill.signal);
      if (this.#kill.signal.aborted) return;
      await this.#attempt("heartbeat", () => this.#beat());
    }
  }

  async #beat(): Promise<void> {
    const { lease } = this.#holding;
    const wasTrusted = lease.isTrusted();
    const reply = await this.#askBeat();
    if (reply.kind === "alive") {
      // The claim loop stood still for want of trust.
      if (!wasTrusted && lease.isTrusted()) this.hint();
      this.#inFlight.sync();
      this.#runBeside(this.#tally.tellInTime().catch((error: unknown) => this.#tellUncounted(error)));
      for (const orphan of reply.orphans) await this.#release(orphan);
      return;
    }
    const ended = this.#holding;
    this.#holding = this.#newHolding();
    this.#onReport({ kind: "holderEnded", holderId: ended.holderId, nextHolderId: this.#holding.holderId });
    await this.#holding.begin();
    this.hint();
  }

  async #askBeat(): ReturnType<Holding["beat"]> {
    let outcome = "unanswered";
    try {
      const reply = await this.#holding.beat();
      outcome = reply.kind;
      return reply;
    } finally {
      this.#measuring.count("foothold_heartbeats_total", { outcome });
    }
  }

  /** A claim under our id that no pick-up knows: its reply was lost, or its pick-up failed (R8). */
  async #release({ caseId, claimId, holderId }: HeldClaim): Promise<void> {
    const { store, ports, name } = this.#options;
    const commitId = ports.ids.unique();
    const why = "orphaned";
    try {
      const freed = await freeClaim(store, { caseId, claimId, holderId, holderName: name, why, commitId });
      if (freed.kind === "freed") {
        this.#measuring.count("foothold_claims_freed_total", { why });
        this.#onReport({ kind: "claimFreed", caseId, claimId, why });
      }
      if (freed.kind === "setAside") this.#onReport({ kind: "unreadable", caseId, error: freed.fault });
    } catch (error) {
      if (isAway(error)) throw error;
      // One case that cannot be freed must not keep the others, and is tried again with the next beat.
      this.#onReport({ kind: "bug", caseId, error });
    }
  }

  async #claimLoop(): Promise<void> {
    while (!this.#windDown.signal.aborted) {
      const free = this.#concurrency - this.#running.size;
      const idleMs = this.#idleMs(free);
      if (idleMs > 0) await this.#wake.wait(idleMs);
      else await this.#attempt("claim", () => this.#claim(Math.min(free, CLAIM_BATCH_MAX)));
    }
  }

  /** How long there is nothing to claim, in ms. */
  #idleMs(free: number): number {
    if (free < 1 || !this.#holding.lease.isTrusted()) return NET_POLL_MS;
    const untilDueMs = Math.min(NET_POLL_MS, this.#lookAt - this.#databaseClock.now());
    // A claim for one place costs as much as one for many; but long sends may hold the others for long.
    const isForFew = free < this.#concurrency / FEW_SHARE;
    const sinceMs = this.#options.ports.clock.monotonic() - this.#claimedAt;
    return isForFew ? Math.max(untilDueMs, FEW_EVERY_MS - sinceMs) : untilDueMs;
  }

  async #claim(count: number): Promise<void> {
    const { store, ports, registry } = this.#options;
    const holding = this.#holding;
    const claimIds = Array.from({ length: count }, () => ports.ids.unique());
    // Hints that come while the question is under way lower it again and are not lost.
    this.#lookAt = Infinity;
    const askedAt = ports.clock.monotonic();
    this.#claimedAt = askedAt;
    const shared = sharedPlaces(this.#round, count);
    const reply = await holding.claim(claimIds, () =>
      store.claimDue({
        holderId: holding.holderId,
        claimIds,
        caseTypes: claimedTypes(runHere(registry)),
        engineVersion: ENGINE_VERSION,
        actWithinMs: ACT_WITHIN_MS_MIN,
        ...(shared === 0 ? {} : { share: { places: shared, after: this.#round.after } }),
      }),
    );
    const isBehind = reply.nextDueAt !== null && reply.nextDueAt <= reply.now;
    this.#round = afterClaim(this.#round, { shared, sharedTo: reply.sharedTo, isBehind });
    this.#databaseClock.follow(reply.now, askedAt);
    this.#lookAt = Math.min(this.#lookAt, reply.nextDueAt ?? Infinity, reply.now + NET_POLL_MS);
    this.#begin(holding, reply);
    for (const unreadable of reply.unreadable) await this.#setAside(holding, unreadable);
  }

  /** What cannot be set aside now is an orphan of the next beat. */
  async #setAside(holding: Holding, { row, fault }: UnreadableCase): Promise<void> {
    const { caseId, claim, summary } = row;
    const claimId = claim?.claimId ?? null;
    if (claimId !== null) holding.forget(claimId);
    this.#onReport({ kind: "unreadable", caseId, error: fault });
    await setAside(this.#options.store, { caseId, claimId, fault, summary });
  }

  #begin(holding: Holding, reply: ClaimReply): void {
    if (reply.cases.length === 0) return;
    this.#onReport({ kind: "claimed", caseIds: reply.cases.map(({ row }) => row.caseId) });
    for (const stored of reply.cases) {
      this.#measuring.count("foothold_claims_total", { case_type: stored.row.caseType });
      const claimId = stored.row.claim?.claimId;
      if (claimId === undefined) continue;
      const running = this.#pickUp(holding, stored, claimId).finally(() => {
        holding.forget(claimId);
        this.#running.delete(claimId);
        this.#wake.ring();
      });
      this.#running.set(claimId, running);
    }
  }

  async #pickUp(holding: Holding, stored: FoldedCase, claimId: string): Promise<void> {
    const { caseId, caseType } = stored.row;
    try {
      const definition = this.#options.registry.get(caseType);
      const end = await pickUp(this.#contextOf(holding, caseId, definition), definition, stored, claimId);
      if (end.kind === "claimLost") {
        this.#measuring.count("foothold_claims_lost_total", { case_type: caseType });
        this.#onReport({ kind: "claimLost", caseId, claimId });
      } else this.#released(caseId, end);
      this.#runBeside(callNext(this.#options.store, stored, definition, this.#calling));
    } catch (error) {
      if (isFootholdError(error) && error.code === "CORRUPT_JOURNAL") {
        await this.#attempt("pick-up", () => this.#setAside(holding, { row: stored.row, fault: error }));
      } else this.#tell("pick-up", error, caseId);
    }
  }

  #contextOf(holding: Holding, caseId: string, caseType: CaseType): PickUpContext {
    const { store, ports, registry, name, onFailpoint = NO_FAILPOINTS } = this.#options;
    const onBug = (error: unknown): void => this.#onReport({ kind: "bug", caseId, error });
    const link = linkingOf({ store, ports, kill: this.#kill.signal, onBug }, caseType);
    return {
      ...(link === null ? {} : { link }),
      store,
      ports,
      registry,
      clock: ports.clock,
      databaseClock: this.#databaseClock,
      committer: this.#committer,
      gate: this.#gate,
      refreshes: this.#refreshes,
      inFlight: this.#inFlight,
      tally: this.#tally,
      lease: holding.lease,
      holder: { kind: "worker", name, holderId: holding.holderId },
      kill: this.#kill.signal,
      windDown: this.#windDown.signal,
      onFailpoint,
      onReport: this.#onReport,
      meter: this.#meter,
      onLooseEnd: (task) => this.#runBeside(task),
    };
  }

  /** `task` never rejects. */
  #runBeside(task: Promise<void>): void {
    this.#looseEnds.add(task);
    void task.finally(() => this.#looseEnds.delete(task));
  }

  /** Only pictures rest on counts: with the database away they are told the next time. */
  #tellUncounted(error: unknown): void {
    if (!isAway(error)) this.#tell("counting", error);
  }

  #released(caseId: string, { state, dueAt }: Extract<PickUpEnd, { kind: "released" }>): void {
    this.#onReport({ kind: "released", caseId, state, dueAt });
    if (dueAt !== null) this.#noteDue(dueAt);
  }

  #noteDue(dueAt: number): void {
    if (this.#lookAt <= dueAt) return;
    this.#lookAt = dueAt;
    this.#wake.ring();
  }

  /** The database may be away for a while; the loop goes on when it is back. A bug is told and does not end the loop. */
  async #attempt(during: string, act: () => Promise<void>): Promise<void> {
    try {
      await act();
      if (this.#away.delete(during)) this.#onReport({ kind: "databaseBack", during });
    } catch (error) {
      const isKnown = isAway(error) && this.#away.has(during);
      if (!isKnown) this.#tell(during, error);
      if (isAway(error)) this.#away.add(during);
      this.#lookAt = -Infinity;
      await this.#options.ports.clock.sleep(AWAY_MS, this.#kill.signal);
    }
  }

  /** Commits are sent again until they are answered: a worker that asks for nothing else must say so all the same. */
  #noteCommit(away: unknown): void {
    const during = "commit";
    if (away === null) {
      if (this.#away.delete(during)) this.#onReport({ kind: "databaseBack", during });
    } else if (!this.#away.has(during)) {
      this.#away.add(during);
      this.#tell(during, away);
    }
  }

  #tell(during: string, error: unknown, caseId: string | null = null): void {
    this.#onReport(isAway(error) ? { kind: "databaseAway", during, error } : { kind: "bug", caseId, error });
  }
}

function isAway(error: unknown): boolean {
  return isFootholdError(error) && error.code === "DATABASE_UNAVAILABLE";
}
