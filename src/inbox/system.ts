/** What the inbox needs of Node's own event loop. */

import { setImmediate } from "node:timers/promises";

/** Lets everything that waits run before what follows. */
export async function letOthersIn(): Promise<void> {
  await setImmediate();
}
