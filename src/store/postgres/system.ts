/** The real timer of the listening connection, which must come back by itself. */

import { setTimeout as wait } from "node:timers/promises";

/** Resolves after `delayMs`, or at once when `signal` aborts; never rejects and keeps no process alive. */
export async function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(delayMs, undefined, { signal, ref: false });
  } catch {
    // Aborted: whoever waits looks at the signal.
  }
}
