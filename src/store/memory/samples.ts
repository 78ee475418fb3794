/** How cases stand at their steps, and samples of it, in memory. */

import { countSteps } from "../../core/step-counts.ts";
import type { StoredHolder, StoredRow } from "../port.ts";
import {
  SAMPLES_MAX,
  STEP_COUNTS_MAX,
  type Sample,
  type SampleQuery,
  type SampleStore,
} from "../sample-port.ts";
import { frozenJsonb } from "./frozen.ts";

/** What they are kept beside. */
interface Beside {
  readonly now: () => number;
  readonly rows: () => readonly StoredRow[];
  readonly holders: () => readonly StoredHolder[];
}

/** Makes them. */
export function memorySamples({ now, rows, holders }: Beside): SampleStore {
  const samples = new Map<number, Sample>();
  let nextTurnAt = -Infinity;
  return {
    countSteps: async () => {
      const known = new Map(holders().map((holder) => [holder.holderId, holder]));
      const seen = rows().map((row) => ({ row, holder: known.get(row.claim?.holderId ?? "") ?? null }));
      const counts = countSteps(seen, now()).toSorted((one, other) => other.cases - one.cases);
      return {
        now: now(),
        counts: counts.slice(0, STEP_COUNTS_MAX),
        isWhole: counts.length < STEP_COUNTS_MAX,
      };
    },
    takeTurn: async (everyMs) => {
      if (nextTurnAt > now()) return false;
      nextTurnAt = now() + everyMs;
      return true;
    },
    write: async (sample) => {
      samples.set(sample.at, frozenJsonb(sample));
    },
    list: async (query) => listSamples(samples.values(), query),
    forget: async (before) => {
      for (const at of samples.keys()) if (at < before) samples.delete(at);
    },
  };
}

/** The last sample of each stretch, oldest first. */
function listSamples(samples: Iterable<Sample>, { sinceAt, everyMs }: SampleQuery): readonly Sample[] {
  const newer = [...samples].filter(({ at }) => at > sinceAt).toSorted((one, other) => one.at - other.at);
  const last = new Map(newer.map((sample) => [Math.floor(sample.at / everyMs), sample]));
  return [...last.values()].slice(-SAMPLES_MAX);
}
