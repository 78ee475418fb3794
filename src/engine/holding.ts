/** One life of a holder: a random id, its lease, and the claims that it knows it has (R6, R8). */

import type { Clock } from "../core/ports.ts";
import type { ClaimReply, HeldClaim, NewHolder, Store } from "../store/port.ts";
import type { DatabaseClock } from "./database-clock.ts";
import { Lease } from "./lease.ts";

/** What a life is made of. */
export interface HoldingOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly databaseClock: DatabaseClock;
  readonly holder: NewHolder;
}

/** What a beat learned. `orphans` = claims under this id that nothing here knows. */
export type HoldingBeat =
  { readonly kind: "alive"; readonly orphans: readonly HeldClaim[] } | { readonly kind: "ended" };

/** A holder's life. */
export class Holding {
  readonly lease: Lease;
  readonly #options: HoldingOptions;
  /** Claims that run here, and those asked for of which no answer has come yet. */
  readonly #known = new Set<string>();

  constructor(options: HoldingOptions) {
    this.#options = options;
    this.lease = new Lease(options.clock, options.holder.leaseMs);
  }

  get holderId(): string {
    return this.#options.holder.holderId;
  }

  /** Registers the holder and begins its lease. */
  async begin(): Promise<void> {
    const { store, holder, databaseClock } = this.#options;
    const mark = this.lease.mark();
    const { now } = await store.registerHolder(holder);
    databaseClock.follow(now, mark.monotonic);
    this.lease.extend(mark);
  }

  /** Renews the lease, or ends it for good if the holder was marked. */
  async beat(): Promise<HoldingBeat> {
    const { store, databaseClock } = this.#options;
    const mark = this.lease.mark();
    const knownBefore = new Set(this.#known);
    const reply = await store.beat(this.holderId);
    if (reply.kind === "ended") {
      this.lease.end();
      return { kind: "ended" };
    }
    databaseClock.follow(reply.now, mark.monotonic);
    this.lease.extend(mark);
    // What became known since the beat was sent may be in its answer; what was forgotten since may be too.
    const isOrphan = ({ claimId }: HeldClaim): boolean =>
      !this.#known.has(claimId) && !knownBefore.has(claimId);
    return { kind: "alive", orphans: reply.claims.filter(isOrphan) };
  }

  /** Claims under ids that are known from before the request on: after a lost reply they are orphans. */
  async claim(claimIds: readonly string[], ask: () => Promise<ClaimReply>): Promise<ClaimReply> {
    for (const claimId of claimIds) this.#known.add(claimId);
    try {
      const reply = await ask();
      const taken = new Set(reply.cases.map(({ row }) => row.claim?.claimId));
      for (const claimId of claimIds) if (!taken.has(claimId)) this.#known.delete(claimId);
      return reply;
    } catch (error) {
      for (const claimId of claimIds) this.#known.delete(claimId);
      throw error;
    }
  }

  /** The claim has ended here; if the store still has it, it is an orphan from now on. */
  forget(claimId: string): void {
    this.#known.delete(claimId);
  }

  /** An orderly goodbye. */
  async end(): Promise<void> {
    this.lease.end();
    await this.#options.store.endHolder(this.holderId, null);
  }
}
