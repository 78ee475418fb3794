/**
 * The sweep: frees what dead holders hold. It trusts no clock but its own monotonic one: a holder is dead when this
 * sweep has itself watched an unchanged beat for one lease, a claim is dropped when it has watched it untouched for its
 * act-within time (R7, R8). So a clock jump, a failover or a database that was away frees nobody alive, and several
 * sweeps do no harm.
 */

import { isFootholdError } from "../core/errors.ts";
import { unmeasured } from "../core/measuring.ts";
import type { Ports } from "../core/ports.ts";
import { HOLDERS_MAX, type HeldClaim, type Store, type StoredHolder } from "../store/port.ts";
import type { ConcurrencyKey } from "../store/place-port.ts";
import { freeClaim } from "./free.ts";
import type { OnReport } from "./report.ts";
import { tellParent } from "./tell-parent.ts";
import { Watch } from "./watch.ts";

/** How often to sweep, in ms. */
export const SWEEP_EVERY_MS = 500;
/** Claims looked at in one pass: those of 156 workers at their default. Further ones come as these end. */
const CLAIMS_MAX = 10_000;
/**
 * Claims freed at the same time: one after the other, the last cases of a big worker would wait for seconds, and all of
 * them behind one that somebody has locked.
 */
const FREES_AT_ONCE = 8;
/** The share of a lease, and of the sweep's own interval, that the time between two passes counts at most. */
const HOLE_SHARE_OF_LEASE = 1 / 4;
const HOLE_SHARE_OF_INTERVAL = 3 / 2;
/** Cases whose parents are told in one pass. */
const TELLS_MAX = 200;
/**
 * How long a case is left to whoever changed it to tell its parent, in ms. Looking at the parent at the same moment would
 * keep its row locked just when a worker is to claim it.
 */
const TELL_AFTER_MS = 1_000;
/** How long an ended holder that holds nothing is kept for people to see, in ms. */
const KEEP_ENDED_MS = 24 * 3_600_000;
/** How long what is known of a destination is kept that nobody has changed, in ms. */
const KEEP_DESTINATION_MS = 30 * 86_400_000;
/** How long the place of a key is kept that holds no more, in ms: a key that comes again soon finds its row. */
const KEEP_PLACE_MS = 3_600_000;
/** How often such holders, places and destinations are looked for, in ms. */
const FORGET_EVERY_MS = 600_000;

/** What a sweep is made of. */
export interface SweepOptions {
  readonly store: Store;
  readonly ports: Ports;
  /** Default 500 ms. */
  readonly intervalMs?: number;
  readonly onReport?: OnReport;
}

/** What one pass did. */
export interface SweepReport {
  /** Holders marked as ended. */
  readonly endedHolders: readonly { readonly holderId: string; readonly name: string }[];
  readonly freedClaims: readonly {
    readonly caseId: string;
    readonly claimId: string;
    readonly why: "silent" | "actBy";
  }[];
  /** Cases that could not be freed, with the error. Where the journal cannot be read they stand in review now. */
  readonly failed: readonly { readonly caseId: string; readonly error: unknown }[];
}

/** A sweep. */
export interface Sweep {
  /** Passes from now on, every `intervalMs`. Safe twice. */
  start(): void;
  /** Ends after the pass under way. Safe twice. */
  stop(): Promise<void>;
  /** One pass. What it has watched before counts, so the first pass of a process frees only what ended in order. */
  sweepOnce(): Promise<SweepReport>;
}

/** Makes a sweep; nothing runs before `start` or `sweepOnce`. */
export function createSweep(options: SweepOptions): Sweep {
  return new Watching(options);
}

interface LooseClaim {
  readonly claim: HeldClaim;
  readonly why: "silent" | "actBy";
}

class Watching implements Sweep {
  readonly #options: SweepOptions;
  readonly #stopped = new AbortController();
  readonly #beats = new Watch();
  readonly #touches = new Watch();
  #forgotAt = -Infinity;
  /** The key after which the next pass goes on to call. */
  #calledAfter: ConcurrencyKey | null = null;
  #loop: Promise<void> | null = null;
  #isAway = false;

  constructor(options: SweepOptions) {
    this.#options = options;
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { ports, intervalMs = SWEEP_EVERY_MS } = this.#options;
    while (!this.#stopped.signal.aborted) {
      await this.#pass();
      await ports.clock.sleep(intervalMs, this.#stopped.signal);
    }
  }

  async #pass(): Promise<void> {
    try {
      await this.sweepOnce();
      if (this.#isAway) this.#tell({ kind: "databaseBack", during: "sweep" });
      this.#isAway = false;
    } catch (error) {
      const isAway = isFootholdError(error) && error.code === "DATABASE_UNAVAILABLE";
      if (!isAway) this.#tell({ kind: "bug", caseId: null, error });
      else if (!this.#isAway) this.#tell({ kind: "databaseAway", during: "sweep", error });
      this.#isAway ||= isAway;
    }
  }

  #tell(report: Parameters<OnReport>[0]): void {
    this.#options.onReport?.(report);
  }

  async sweepOnce(): Promise<SweepReport> {
    const { measuring = unmeasured } = this.#options.ports;
    let outcome = "failed";
    try {
      const report = await this.#sweep();
      outcome = "done";
      return report;
    } catch (error) {
      this.#beats.startAnew();
      this.#touches.startAnew();
      throw error;
    } finally {
      measuring.count("foothold_sweep_passes_total", { outcome });
    }
  }

  async #sweep(): Promise<SweepReport> {
    const { store } = this.#options;
    // Before their holders: each of those has registered by then, so one that the list lacks is nobody.
    const claims = await store.listClaims(CLAIMS_MAX);
    const holders = await store.listHolders();
    const endedHolders = await this.#endSilentHolders(holders);
    const isAlive = new Map(holders.map(({ holderId, endedAt }) => [holderId, endedAt === null]));
    for (const { holderId } of endedHolders) isAlive.set(holderId, false);
    const isWhole = holders.length < HOLDERS_MAX;
    const loose = this.#looseClaims(claims, ({ holderId }) => !(isAlive.get(holderId) ?? !isWhole));
    const names = new Map(holders.map(({ holderId, name }) => [holderId, name]));
    const freedClaims: SweepReport["freedClaims"][number][] = [];
    const failed: SweepReport["failed"][number][] = [];
    const waiting = [...loose];
    const freeNext = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const { caseId, claimId, holderId } = next.claim;
        const done = await this.#free(next.claim, names.get(holderId) ?? "an unknown holder", next.why);
        if (done.kind === "freed") freedClaims.push({ caseId, claimId, why: next.why });
        if (done.kind === "failed") failed.push({ caseId, error: done.error });
      }
    };
    const lanes = await Promise.allSettled(Array.from({ length: FREES_AT_ONCE }, freeNext));
    this.#tellHolders(endedHolders, freedClaims, claims);
    for (const lane of lanes) if (lane.status === "rejected") throw lane.reason;
    await this.#tellParents();
    await this.#callHeldBack();
    await this.#forgetEnded();
    return { endedHolders, freedClaims, failed };
  }

  /**
   * Claims to free: their holder is marked, or a failover lost its registration, or they were not touched for too long.
   */
  #looseClaims(claims: readonly HeldClaim[], isOrphan: (claim: HeldClaim) => boolean): readonly LooseClaim[] {
    const overdue = this.#overdueClaims(claims);
    return claims.flatMap((claim): readonly LooseClaim[] => {
      if (isOrphan(claim)) return [{ claim, why: "silent" }];
      return overdue.has(claim.claimId) ? [{ claim, why: "actBy" }] : [];
    });
  }

  async #endSilentHolders(holders: readonly StoredHolder[]): Promise<readonly StoredHolder[]> {
    const { store, ports } = this.#options;
    const open = holders.filter(({ endedAt }) => endedAt === null);
    this.#beats.look(
      open.map(({ holderId, beat, leaseMs }) => ({
        id: holderId,
        sign: beat,
        holeMsMax: this.#holeMsMax(leaseMs),
      })),
      ports.clock.monotonic(),
    );
    const ended: StoredHolder[] = [];
    for (const holder of open) {
      if (this.#beats.unchangedMs(holder.holderId) < holder.leaseMs) continue;
      if (await store.endHolder(holder.holderId, holder.beat)) ended.push(holder);
    }
    return ended;
  }

  #holeMsMax(periodMs: number): number {
    const { intervalMs = SWEEP_EVERY_MS } = this.#options;
    return Math.max(intervalMs * HOLE_SHARE_OF_INTERVAL, periodMs * HOLE_SHARE_OF_LEASE);
  }

  #overdueClaims(claims: readonly HeldClaim[]): ReadonlySet<string> {
    this.#touches.look(
      claims.map(({ claimId, touches, actWithinMs }) => ({
        id: claimId,
        sign: touches,
        holeMsMax: this.#holeMsMax(actWithinMs),
      })),
      this.#options.ports.clock.monotonic(),
    );
    const overdue = claims.filter(
      ({ claimId, actWithinMs }) => this.#touches.unchangedMs(claimId) >= actWithinMs,
    );
    return new Set(overdue.map(({ claimId }) => claimId));
  }

  async #free(
    { caseId, claimId, holderId }: HeldClaim,
    holderName: string,
    why: "silent" | "actBy",
  ): Promise<Done> {
    const { store, ports } = this.#options;
    const commitId = ports.ids.unique();
    try {
      const freed = await freeClaim(store, { caseId, claimId, holderId, holderName, why, commitId });
      switch (freed.kind) {
        case "freed":
          (ports.measuring ?? unmeasured).count("foothold_claims_freed_total", { why });
          this.#tell({ kind: "claimFreed", caseId, claimId, why });
          return { kind: "freed" };
        case "gone":
          return { kind: "gone" };
        case "setAside":
          this.#tell({ kind: "unreadable", caseId, error: freed.fault });
          return { kind: "failed", error: freed.fault };
      }
    } catch (error) {
      if (isFootholdError(error) && error.code === "DATABASE_UNAVAILABLE") throw error;
      // One case that cannot be freed must not keep the others of a dead holder waiting.
      this.#tell({ kind: "bug", caseId, error });
      return { kind: "failed", error };
    }
  }

  /** What a worker did not come to tell, and what became of a child without a worker. */
  async #tellParents(): Promise<void> {
    const { store, ports } = this.#options;
    const untold = await store.children.listUntold({ limit: TELLS_MAX, unchangedMs: TELL_AFTER_MS });
    for (const { caseId } of untold) {
      try {
        await tellParent({ store, ports }, caseId);
      } catch (error) {
        if (isFootholdError(error) && error.code === "DATABASE_UNAVAILABLE") throw error;
        // One whose journal cannot be read must not keep the others from telling.
        this.#tell({ kind: "bug", caseId, error });
      }
    }
  }

  /** Whoever waits for a key of which a place is free that nobody said was. */
  async #callHeldBack(): Promise<void> {
    const { next } = await this.#options.store.places.callNext({ after: this.#calledAfter });
    this.#calledAfter = next;
  }

  /** Tells once per holder what became of it. */
  #tellHolders(
    ended: readonly StoredHolder[],
    freed: SweepReport["freedClaims"],
    claims: readonly HeldClaim[],
  ): void {
    const freedIds = new Set(freed.map(({ claimId }) => claimId));
    for (const { holderId, name } of ended) {
      const caseIds = claims
        .filter((claim) => claim.holderId === holderId && freedIds.has(claim.claimId))
        .map(({ caseId }) => caseId);
      this.#tell({ kind: "holderFreed", holderId, name, caseIds });
    }
  }

  async #forgetEnded(): Promise<void> {
    const { store, ports } = this.#options;
    const now = ports.clock.monotonic();
    if (now - this.#forgotAt < FORGET_EVERY_MS) return;
    this.#forgotAt = now;
    const storeNow = await store.now();
    await store.forgetHolders(storeNow - KEEP_ENDED_MS);
    await store.forgetDestinations(storeNow - KEEP_DESTINATION_MS);
    await store.places.forget(storeNow - KEEP_PLACE_MS);
    await store.people.forgetOver();
  }
}

type Done =
  | { readonly kind: "freed" }
  | { readonly kind: "gone" }
  | { readonly kind: "failed"; readonly error: unknown };
