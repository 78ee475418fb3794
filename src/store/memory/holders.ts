/** The holders of a memory store. */

import type { Sender } from "../destination-port.ts";
import { HOLDERS_MAX, type NewHolder, type StoredHolder } from "../port.ts";
import { frozenCopy } from "./frozen.ts";

/** Holders deleted by one call, at most. */
const FORGET_MAX = 1_000;

/** Holders by id. */
export class MemoryHolders {
  private readonly holders = new Map<string, StoredHolder>();

  /** Takes the holders as they are; the function given makes them so again. */
  replicate(): () => void {
    const holders = [...this.holders];
    return () => refill(this.holders, holders);
  }

  /** Stores a holder that starts. */
  register(holder: NewHolder, now: number): void {
    this.holders.set(
      holder.holderId,
      frozenCopy({ ...holder, beat: 0, beatAt: now, startedAt: now, endedAt: null }),
    );
  }

  /** Renews a holder that is not marked; false when it is marked or unknown. */
  beat(holderId: string, now: number): boolean {
    const holder = this.holders.get(holderId);
    if (holder === undefined || holder.endedAt !== null) return false;
    this.holders.set(holderId, Object.freeze({ ...holder, beat: holder.beat + 1, beatAt: now }));
    return true;
  }

  /** Every holder, newest first. */
  list(): readonly StoredHolder[] {
    return [...this.holders.values()].toSorted((a, b) => b.startedAt - a.startedAt).slice(0, HOLDERS_MAX);
  }

  /** Workers that are alive and may send anywhere, by id. */
  senders(): readonly Sender[] {
    return [...this.holders.values()]
      .filter(
        ({ endedAt, kind, destinations }) => endedAt === null && kind === "worker" && destinations.length > 0,
      )
      .map(({ holderId, destinations }) => ({ holderId, destinations }))
      .toSorted((one, other) => (one.holderId < other.holderId ? -1 : 1));
  }

  /** Marks a holder whose beat is still the one seen; true if it was marked by this call. */
  end(holderId: string, seenBeat: number | null, now: number): boolean {
    const holder = this.holders.get(holderId);
    if (holder === undefined || holder.endedAt !== null) return false;
    if (seenBeat !== null && seenBeat !== holder.beat) return false;
    this.holders.set(holderId, Object.freeze({ ...holder, endedAt: now }));
    return true;
  }

  /** Deletes holders that ended before and hold nothing. */
  forget(endedBefore: number, holding: ReadonlySet<string>): number {
    const ended = [...this.holders.values()].filter(
      ({ holderId, endedAt }) => endedAt !== null && endedAt < endedBefore && !holding.has(holderId),
    );
    const forgotten = ended.slice(0, FORGET_MAX);
    for (const { holderId } of forgotten) this.holders.delete(holderId);
    return forgotten.length;
  }
}

/** Makes a map hold these and nothing else. */
export function refill<Key, Value>(map: Map<Key, Value>, entries: readonly (readonly [Key, Value])[]): void {
  map.clear();
  for (const [key, value] of entries) map.set(key, value);
}
