/** The store's time without asking for it each time. */

import type { Clock } from "../core/ports.ts";
import type { Store } from "../store/port.ts";

/** How long a reading of the store's clock is followed by our own monotonic one, in ms. */
const FOLLOW_MS_MAX = 30_000;

/** Tells the store's time, a round trip behind at most. Throws `DATABASE_UNAVAILABLE`. */
export function followStoreTime(store: Store, clock: Clock): () => Promise<number> {
  let reading: { readonly storeNow: number; readonly readAt: number } | null = null;
  return async () => {
    const passedMs = reading === null ? Infinity : clock.monotonic() - reading.readAt;
    if (reading !== null && passedMs <= FOLLOW_MS_MAX) return Math.floor(reading.storeNow + passedMs);
    const storeNow = await store.now();
    reading = { storeNow, readAt: clock.monotonic() };
    return storeNow;
  };
}
