/**
 * A worker: claims due cases in batches and picks each up, under one lease. It sleeps until the next case is due, a
 * hint comes or a pick-up ends; a slow net poll covers hints that were missed.
 */

import { ACT_WITHIN_MS_MIN } from "../core/claim.ts";
import { isFootholdError } from "../core/errors.ts";
import type { Ports } from "../core/ports.ts";
import type { Registry } from "../define/registry.ts";
import {
  CLAIM_BATCH_MAX,
  type ClaimReply,
  type HeldClaim,
  type Store,
  type StoredCase,
} from "../store/port.ts";
import { AttemptGate } from "./attempt-gate.ts";
import { Committer } from "./committer.ts";
import { DatabaseClock } from "./database-clock.ts";
import { NO_FAILPOINTS, type OnFailpoint } from "./failpoints.ts";
import { freeClaim } from "./free.ts";
import { Holding } from "./holding.ts";
import { pickUp, type PickUpContext } from "./pick-up.ts";
import type { OnReport } from "./report.ts";
import { ENGINE_VERSION } from "./version.ts";
import { Wake } from "./wake.ts";

/** Default lease of a worker, in ms. */
export const WORKER_LEASE_MS = 10_000;
/** Default number of cases that a worker holds at once. */
export const WORKER_CONCURRENCY = 64;
/** Longest sleep without looking for due cases, in ms: the net under hints that got lost. */
const NET_POLL_MS = 5_000;
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
}

/** A running worker. */
export interface Worker {
  /** Changes when the sweep ended the holder and the worker went on under a new id. */
  readonly holderId: string;
  /** Registers the holder and begins to claim. Throws SCHEMA_MISSING, SCHEMA_TOO_NEW, DATABASE_UNAVAILABLE. */
  start(): Promise<void>;
  /** Something may be due now: look at once. */
  hint(): void;
  /** Finishes what runs (at most `graceMs`, default 30,000, then aborts it), releases everything, says goodbye. Safe twice. */
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
  readonly #databaseClock: DatabaseClock;
  readonly #wake: Wake;
  readonly #gate = new AttemptGate();
  readonly #windDown = new AbortController();
  readonly #kill = new AbortController();
  readonly #committer: Committer;
  readonly #running = new Map<string, Promise<void>>();
  #holding: Holding;
  #loops: Promise<unknown> = Promise.resolve();
  #unlisten: () => Promise<void> = () => Promise.resolve();
  /** Database time at which to look for due cases next. */
  #lookAt = -Infinity;
  readonly #away = new Set<string>();
  #stopping: Promise<void> | null = null;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#concurrency = options.concurrency ?? WORKER_CONCURRENCY;
    this.#onReport = options.onReport ?? (() => undefined);
    this.#databaseClock = new DatabaseClock(options.ports.clock);
    this.#wake = new Wake(options.ports.clock);
    this.#committer = new Committer(options.store, options.ports.clock, this.#kill.signal);
    this.#holding = this.#newHolding();
  }

  get holderId(): string {
    return this.#holding.holderId;
  }

  async start(): Promise<void> {
    const { store } = this.#options;
    await store.checkSchema();
    await this.#holding.begin();
    this.#unlisten = await store.listen(() => this.hint());
    this.#loops = Promise.all([this.#beatLoop(), this.#claimLoop()]);
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
    const { clock } = this.#options.ports;
    this.#windDown.abort(new Error("the worker winds down"));
    this.#wake.ring();
    await Promise.race([this.#allEnded(), clock.sleep(graceMs)]);
    this.#kill.abort(new Error("the worker stops"));
    await Promise.race([Promise.all([this.#allEnded(), this.#loops]), clock.sleep(FORCED_MS)]);
    await this.#unlisten();
    await this.#holding.end();
  }

  async #allEnded(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  #newHolding(): Holding {
    const { store, registry, ports, name, host, build, leaseMs = WORKER_LEASE_MS } = this.#options;
    const caseTypes = registry.all.map(({ outline }) => ({ name: outline.name, version: outline.version }));
    return new Holding({
      store,
      clock: ports.clock,
      databaseClock: this.#databaseClock,
      holder: { holderId: ports.ids.unique(), kind: "worker", name, host, build, leaseMs, caseTypes },
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
    const reply = await this.#holding.beat();
    if (reply.kind === "alive") {
      for (const orphan of reply.orphans) await this.#release(orphan);
      return;
    }
    const ended = this.#holding;
    this.#holding = this.#newHolding();
    this.#onReport({ kind: "holderEnded", holderId: ended.holderId, nextHolderId: this.#holding.holderId });
    await this.#holding.begin();
    this.hint();
  }

  /** A claim under our id that no pick-up knows: its reply was lost, or its pick-up failed (R8). */
  async #release({ caseId, claimId, holderId }: HeldClaim): Promise<void> {
    const { store, ports, name } = this.#options;
    const commitId = ports.ids.unique();
    const why = "orphaned";
    const isFreed = await freeClaim(store, { caseId, claimId, holderId, holderName: name, why, commitId });
    if (isFreed) this.#onReport({ kind: "claimFreed", caseId, claimId, why });
  }

  async #claimLoop(): Promise<void> {
    while (!this.#windDown.signal.aborted) {
      const free = this.#concurrency - this.#running.size;
      // A claim for one slot costs as much as one for many.
      const isWorth = free >= Math.max(1, this.#concurrency / 4) && this.#holding.lease.isTrusted();
      const idleMs = isWorth ? Math.min(NET_POLL_MS, this.#lookAt - this.#databaseClock.now()) : NET_POLL_MS;
      if (idleMs > 0) await this.#wake.wait(idleMs);
      else await this.#attempt("claim", () => this.#claim(Math.min(free, CLAIM_BATCH_MAX)));
    }
  }

  async #claim(count: number): Promise<void> {
    const { store, ports, registry } = this.#options;
    const holding = this.#holding;
    const claimIds = Array.from({ length: count }, () => ports.ids.unique());
    // Hints that come while the question is under way lower it again and are not lost.
    this.#lookAt = Infinity;
    const reply = await holding.claim(claimIds, () =>
      store.claimDue({
        holderId: holding.holderId,
        claimIds,
        caseTypes: registry.all.map(({ outline }) => ({ name: outline.name, version: outline.version })),
        engineVersion: ENGINE_VERSION,
        actWithinMs: ACT_WITHIN_MS_MIN,
      }),
    );
    this.#databaseClock.follow(reply.now);
    const nextLookAt = reply.cases.length === count ? reply.now : (reply.nextDueAt ?? Infinity);
    this.#lookAt = Math.min(this.#lookAt, nextLookAt, reply.now + NET_POLL_MS);
    this.#begin(holding, reply);
  }

  #begin(holding: Holding, reply: ClaimReply): void {
    if (reply.cases.length === 0) return;
    this.#onReport({ kind: "claimed", caseIds: reply.cases.map(({ row }) => row.caseId) });
    for (const stored of reply.cases) {
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

  async #pickUp(holding: Holding, stored: StoredCase, claimId: string): Promise<void> {
    const { caseId, caseType } = stored.row;
    try {
      const end = await pickUp(
        this.#contextOf(holding),
        this.#options.registry.get(caseType),
        stored,
        claimId,
      );
      if (end.kind === "claimLost") this.#onReport({ kind: "claimLost", caseId, claimId });
      else if (end.dueAt !== null) this.#noteDue(end.dueAt);
    } catch (error) {
      this.#onReport({ kind: "bug", caseId, error });
    }
  }

  #contextOf(holding: Holding): PickUpContext {
    const { store, ports, name, onFailpoint = NO_FAILPOINTS } = this.#options;
    return {
      store,
      ports,
      clock: ports.clock,
      databaseClock: this.#databaseClock,
      committer: this.#committer,
      gate: this.#gate,
      lease: holding.lease,
      holder: { kind: "worker", name, holderId: holding.holderId },
      kill: this.#kill.signal,
      windDown: this.#windDown.signal,
      onFailpoint,
      onReport: this.#onReport,
    };
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
      const isAway = isFootholdError(error) && error.code === "DATABASE_UNAVAILABLE";
      if (isAway) this.#away.add(during);
      this.#onReport(isAway ? { kind: "databaseAway", during, error } : { kind: "bug", caseId: null, error });
      this.#lookAt = -Infinity;
      await this.#options.ports.clock.sleep(AWAY_MS, this.#kill.signal);
    }
  }
}
