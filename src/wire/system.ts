/** What the meter needs of Node's own event loop. */

import { setImmediate } from "node:timers/promises";

/** Lets what was begun in this turn of the event loop show itself: a client tells of a request some promises later. */
export async function seeUnawaited(): Promise<void> {
  await setImmediate();
}
