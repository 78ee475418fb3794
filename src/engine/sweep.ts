/**
 * The sweep: frees what dead holders hold. It trusts no clock but its own monotonic one: a holder is dead when this
 * sweep has itself watched an unchanged beat for one lease, a claim is dropped when it has watched it untouched for its
 * act-within time (R7, R8). So a clock jump or a failover frees nobody alive, and several sweeps do no harm.
 */

import { isFootholdError } from "../core/errors.ts";
import type { Ports } from "../core/ports.ts";
import type { HeldClaim, StoredHolder, Store } from "../store/port.ts";
import { freeClaim } from "./free.ts";
import type { OnReport } from "./report.ts";

/** How often to sweep, in ms. */
export const SWEEP_EVERY_MS = 500;
/** Claims looked at in one pass; those of holders that ended come first in the next. */
const CLAIMS_MAX = 10_000;
/** How long an ended holder that holds nothing is kept for people to see, in ms. */
const KEEP_ENDED_MS = 24 * 3_600_000;

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
  /** Claims that could not be freed, with the error; they are tried again. */
  readonly failed: readonly { readonly caseId: string; readonly error: unknown }[];
}

/** A sweep. */
export interface Sweep {
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

interface Watched {
  /** What must change for its holder to count as alive. */
  readonly sign: number;
  readonly since: number;
}

interface LooseClaim {
  readonly claim: HeldClaim;
  readonly why: "silent" | "actBy";
}

class Watching implements Sweep {
  readonly #options: SweepOptions;
  readonly #stopped = new AbortController();
  #beats: ReadonlyMap<string, Watched> = new Map();
  #touches: ReadonlyMap<string, Watched> = new Map();
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
      this.#isAway ||= isAway;
      this.#tell(
        isAway ? { kind: "databaseAway", during: "sweep", error } : { kind: "bug", caseId: null, error },
      );
    }
  }

  #tell(report: Parameters<OnReport>[0]): void {
    this.#options.onReport?.(report);
  }

  async sweepOnce(): Promise<SweepReport> {
    const { store } = this.#options;
    const holders = await store.listHolders();
    const endedHolders = await this.#endSilentHolders(holders);
    const ended = new Set([
      ...endedHolders.map(({ holderId }) => holderId),
      ...holders.filter(({ endedAt }) => endedAt !== null).map(({ holderId }) => holderId),
    ]);
    const claims = await store.listClaims(CLAIMS_MAX);
    const loose = this.#looseClaims(claims, ended);
    const names = new Map(holders.map(({ holderId, name }) => [holderId, name]));
    const freedClaims: SweepReport["freedClaims"][number][] = [];
    const failed: SweepReport["failed"][number][] = [];
    for (const { claim, why } of loose) {
      const { caseId, claimId, holderId } = claim;
      try {
        const isFreed = await this.#free(claim, names.get(holderId) ?? "an unknown holder", why);
        if (isFreed) freedClaims.push({ caseId, claimId, why });
      } catch (error) {
        if (isFootholdError(error) && error.code === "DATABASE_UNAVAILABLE") throw error;
        // One case that cannot be read must not keep the others of a dead holder waiting.
        failed.push({ caseId, error });
        this.#tell({ kind: "unreadable", caseId, error });
      }
    }
    if (ended.size > 0) await store.forgetHolders((await store.now()) - KEEP_ENDED_MS);
    return { endedHolders, freedClaims, failed };
  }

  /**
   * Claims to free: their holder is marked, or they were not touched for too long. A holder that is not in the list may
   * have registered after it was read: only the second rule frees its claims.
   */
  #looseClaims(claims: readonly HeldClaim[], ended: ReadonlySet<string>): readonly LooseClaim[] {
    const overdue = this.#overdueClaims(claims);
    return claims.flatMap((claim): readonly LooseClaim[] => {
      if (ended.has(claim.holderId)) return [{ claim, why: "silent" }];
      return overdue.has(claim.claimId) ? [{ claim, why: "actBy" }] : [];
    });
  }

  async #endSilentHolders(holders: readonly StoredHolder[]): Promise<readonly StoredHolder[]> {
    const { store, ports } = this.#options;
    const now = ports.clock.monotonic();
    const open = holders.filter(({ endedAt }) => endedAt === null);
    this.#beats = watch(
      this.#beats,
      open.map(({ holderId, beat }) => [holderId, beat]),
      now,
    );
    const ended: StoredHolder[] = [];
    for (const holder of open) {
      const watched = this.#beats.get(holder.holderId);
      if (watched === undefined || now - watched.since < holder.leaseMs) continue;
      if (await store.endHolder(holder.holderId, holder.beat)) ended.push(holder);
    }
    return ended;
  }

  #overdueClaims(claims: readonly HeldClaim[]): ReadonlySet<string> {
    const now = this.#options.ports.clock.monotonic();
    this.#touches = watch(
      this.#touches,
      claims.map(({ claimId, touches }) => [claimId, touches]),
      now,
    );
    const overdue = claims.filter(
      ({ claimId, actWithinMs }) => now - (this.#touches.get(claimId)?.since ?? now) >= actWithinMs,
    );
    return new Set(overdue.map(({ claimId }) => claimId));
  }

  async #free(
    { caseId, claimId, holderId }: HeldClaim,
    holderName: string,
    why: "silent" | "actBy",
  ): Promise<boolean> {
    const { store, ports } = this.#options;
    const commitId = ports.ids.unique();
    const isFreed = await freeClaim(store, { caseId, claimId, holderId, holderName, why, commitId });
    if (isFreed) this.#tell({ kind: "claimFreed", caseId, claimId, why });
    return isFreed;
  }
}

/** Carries on what was watched where the sign is the same; what is gone is forgotten, so the map stays bounded. */
function watch(
  before: ReadonlyMap<string, Watched>,
  signs: readonly (readonly [string, number])[],
  now: number,
): ReadonlyMap<string, Watched> {
  return new Map(
    signs.map(([id, sign]) => {
      const known = before.get(id);
      return [id, known?.sign === sign ? known : { sign, since: now }];
    }),
  );
}
