/** A calendar for tests that cannot wait for minutes. */

import type { SlotCalendar } from "../../src/core/schedule.ts";

const EVERY_MS = 250;

/** A slot every quarter of a second. */
export const quarters: SlotCalendar = {
  next: (afterAt) => (Math.floor(afterAt / EVERY_MS) + 1) * EVERY_MS,
  previous: (beforeAt) => (Math.ceil(beforeAt / EVERY_MS) - 1) * EVERY_MS,
};
