/** A meter that sees nothing: for worlds in which nothing real is sent. */

import type { AttemptMeter } from "./meter.ts";

/** Leaves everything as it is. Its `fetch` and dispatchers are those of the process, without the attempt's signal. */
export const unmetered: AttemptMeter = {
  start: () => () => undefined,
  open: () => ({
    transport: { fetch: globalThis.fetch, dispatcher: (over) => over },
    run: (work) => work(),
    refusal: null,
    end: () => null,
  }),
};
