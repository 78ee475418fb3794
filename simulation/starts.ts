/** How the cases of a run are started. */

import type { Json } from "../src/core/json.ts";
import type { Priority } from "../src/core/starting.ts";
import type { Desk } from "../src/desk/desk.ts";
import { TOP_TYPE } from "./case-shape.ts";

/** What cases start with in turn; drawn from the seed itself, so that all else of it stays. */
const PRIORITIES: readonly Priority[] = ["normal", "high", "low"];
/** One case in so many is started for later. */
const LATER_EVERY = 4;
/** How often a start is tried while the network loses requests. */
const STARTS_MAX = 20;

/**
 * As a caller does whose request got no answer: the same business key again finds the same case. Gives its id. `laterMs`: by
 * so many virtual ms those begin later that do.
 */
export async function startCase(
  desk: Desk,
  input: Json,
  { seed, index, laterMs }: { readonly seed: number; readonly index: number; readonly laterMs: number },
): Promise<string> {
  const place = seed + index;
  const options = {
    by: "ann",
    businessKey: `order-${index}`,
    priority: PRIORITIES[place % PRIORITIES.length],
    startAfter: place % LATER_EVERY === 0 ? laterMs : 0,
  };
  for (let tries = 1; ; tries += 1) {
    try {
      return (await desk.startCase(TOP_TYPE, input, options)).caseId;
    } catch (error) {
      if (tries === STARTS_MAX) throw error;
    }
  }
}
