/**
 * A holder's lease: how long this process may trust that nobody freed its claims.
 *
 * A beat that the store answered extends trust to beat-sent-at + lease - margin, by the monotonic and by the wall clock,
 * whichever ends first (R7). Beats run on the main loop on purpose: a loop that stalls must lose its lease. When trust
 * ends, `signal` aborts and nothing more is sent; a later beat that is answered opens a new period of trust. A holder
 * that the sweep marked never comes back (R6): its process goes on under a new id.
 */

import { BEAT_SHARE, trustedUntil } from "../core/claim.ts";
import type { Clock } from "../core/ports.ts";
import { sharedAbort } from "./stop-signal.ts";

/** Trust in one holder id. */
export class Lease {
  readonly leaseMs: number;
  readonly #clock: Clock;
  #untilMonotonic = -Infinity;
  #untilWall = -Infinity;
  #trust = sharedAbort();
  #watch = new AbortController();
  #isOver = false;

  constructor(clock: Clock, leaseMs: number) {
    this.#clock = clock;
    this.leaseMs = leaseMs;
    this.#trust.abort(new Error("the lease has not begun"));
  }

  /** How often to beat, in ms. */
  get beatEveryMs(): number {
    return this.leaseMs / BEAT_SHARE;
  }

  /**
   * Takes the moment before a beat is sent, for {@link extend}. Timers follow the monotonic clock alone: trust that a
   * jump of the wall clock ended is noticed here, five times in a lease.
   */
  mark(): BeatMark {
    this.isTrusted();
    return { monotonic: this.#clock.monotonic(), wall: this.#clock.now() };
  }

  /** The beat sent at `mark` was answered. Without effect once the lease was ended. */
  extend(mark: BeatMark): void {
    if (this.#isOver) return;
    this.#untilMonotonic = trustedUntil(mark.monotonic, this.leaseMs);
    this.#untilWall = trustedUntil(mark.wall, this.leaseMs);
    if (!this.#isInTime()) return;
    if (this.#trust.signal.aborted) this.#trust = sharedAbort();
    this.#watchEnd();
  }

  /** Judged by the clocks at this very moment: a process that slept past its lease learns it before its timers do. */
  isTrusted(): boolean {
    if (!this.#isInTime()) this.#endTrust();
    return !this.#trust.signal.aborted;
  }

  /** Aborts when the present trust ends. */
  get signal(): AbortSignal {
    return this.#trust.signal;
  }

  /** Ends trust for good, when the holder is marked or the process stops. */
  end(): void {
    this.#isOver = true;
    this.#untilMonotonic = -Infinity;
    this.#watch.abort("renewed");
    this.#endTrust();
  }

  #isInTime(): boolean {
    return this.#clock.monotonic() < this.#untilMonotonic && this.#clock.now() < this.#untilWall;
  }

  #endTrust(): void {
    this.#trust.abort(new Error("the lease can no longer be trusted"));
  }

  #watchEnd(): void {
    this.#watch.abort("renewed");
    const watch = new AbortController();
    this.#watch = watch;
    void this.#awaitEnd(watch.signal);
  }

  async #awaitEnd(watch: AbortSignal): Promise<void> {
    await this.#clock.sleep(this.#untilMonotonic - this.#clock.monotonic(), watch);
    if (watch.aborted) return;
    // A timer may fire a little early.
    if (this.#isInTime()) this.#watchEnd();
    else this.#endTrust();
  }
}

/** When a beat was sent, by both clocks. */
export interface BeatMark {
  readonly monotonic: number;
  readonly wall: number;
}
