/** Stored states, in the order that people read them in. */

import type { StoredState } from "../core/row.ts";

/** Stored states, as filters take them. */
export const STORED_STATES: readonly StoredState[] = [
  "ready",
  "claimed",
  "waiting",
  "paused",
  "in_review",
  "done",
  "canceled",
];
