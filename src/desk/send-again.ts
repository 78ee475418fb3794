/** R3 for people's acts: a write whose reply was lost is sent again with the same commit id, a bounded number of times. */

import { isFootholdError } from "../core/errors.ts";
import type { Clock } from "../core/ports.ts";

/** Delays between the tries of one write, in ms; their number bounds the tries. */
export const WRITE_DELAYS_MS: readonly number[] = [100, 400, 1_600];

/**
 * Sends a write until it is answered. `send` must use the same commit id each time, so that a write which was stored
 * before its reply got lost is found and not done twice. Throws the last `DATABASE_UNAVAILABLE`, or any other error at
 * once.
 */
export async function sendAgain<Reply>(clock: Clock, send: () => Promise<Reply>): Promise<Reply> {
  for (const delayMs of WRITE_DELAYS_MS) {
    try {
      return await send();
    } catch (error) {
      if (!isFootholdError(error) || error.code !== "DATABASE_UNAVAILABLE") throw error;
      await clock.sleep(delayMs);
    }
  }
  return send();
}
