/**
 * Counts what a worker tries at destinations, and tells it now and then: not a write for any attempt, but one a minute for
 * all of them. What it tells replaces what it told before, so that a telling whose reply was lost may be repeated. A worker
 * that dies takes the counts of its last minute with it: only pictures rest on them.
 */

import { addCounts, countAttempt, NO_ATTEMPTS } from "../core/attempt-counts.ts";
import type { SendOutcome } from "../core/decide.ts";
import { destinationKey } from "../core/in-flight.ts";
import type { DestinationOutline } from "../core/outline.ts";
import { COUNTED_EVERY_MS, type CountedAttempts, type SampleStore } from "../store/sample-port.ts";

/** How often counts are told, in ms. */
const TELL_EVERY_MS = 60_000;
/** Stretches that are kept while the database is away; older ones are dropped. */
const STRETCHES_MAX = 8;

/** What it is made of. */
export interface AttemptTallyOptions {
  readonly samples: () => Pick<SampleStore, "tellAttempts">;
  /** Random id of this worker's start. */
  readonly countedBy: string;
  /** The database's time, in epoch ms. */
  readonly now: () => number;
}

/** The counts of one stretch, by destination and credential. */
interface Stretch {
  readonly counts: Map<string, CountedAttempts>;
  isTold: boolean;
}

/** The counts of one worker. */
export class AttemptTally {
  readonly #options: AttemptTallyOptions;
  readonly #stretches = new Map<number, Stretch>();
  #toldAt: number;

  constructor(options: AttemptTallyOptions) {
    this.#options = options;
    this.#toldAt = options.now();
  }

  /** An attempt ended so. */
  note({ name: destination, credentialId }: DestinationOutline, outcome: SendOutcome): void {
    const fromAt = Math.floor(this.#options.now() / COUNTED_EVERY_MS) * COUNTED_EVERY_MS;
    const stretch = this.#stretches.get(fromAt) ?? {
      counts: new Map<string, CountedAttempts>(),
      isTold: false,
    };
    const key = destinationKey(destination, credentialId);
    const known = stretch.counts.get(key) ?? { fromAt, destination, credentialId, ...NO_ATTEMPTS };
    const one = countAttempt(outcome.kind === "failed", outcome.wire);
    stretch.counts.set(key, { ...known, ...addCounts(known, one) });
    stretch.isTold = false;
    this.#stretches.set(fromAt, stretch);
    this.#forget();
  }

  /** Tells what is not told yet where it is time for it. */
  async tellInTime(): Promise<void> {
    const sinceMs = this.#options.now() - this.#toldAt;
    // Before the first reading of the database's clock it was this machine's, which may be hours ahead.
    if (sinceMs >= TELL_EVERY_MS || sinceMs < 0) await this.tell();
  }

  /** Tells what is not told yet. Rejects where the database is away; it is told the next time then. */
  async tell(): Promise<void> {
    this.#toldAt = this.#options.now();
    const untold = [...this.#stretches.values()].filter(({ isTold }) => !isTold);
    if (untold.length === 0) return;
    for (const stretch of untold) stretch.isTold = true;
    try {
      const counted = untold.flatMap(({ counts }) => [...counts.values()]);
      await this.#options.samples().tellAttempts(this.#options.countedBy, counted);
    } catch (error) {
      for (const stretch of untold) stretch.isTold = false;
      throw error;
    }
  }

  /** What was told of a stretch that is over never changes. */
  #forget(): void {
    const [...starts] = this.#stretches.keys();
    const told = starts.slice(0, -1).filter((start) => this.#stretches.get(start)?.isTold === true);
    for (const start of new Set([...told, ...starts.slice(0, -STRETCHES_MAX)])) this.#stretches.delete(start);
  }
}
