/** How cases stand at their steps, and samples of it, in memory. */

import { countSteps } from "../../core/step-counts.ts";
import type { StoredHolder, StoredRow } from "../port.ts";
import {
  COUNTED_KEEP_MS,
  COUNTED_MAX,
  SAMPLES_MAX,
  STEP_COUNTS_MAX,
  type CountedAttempts,
  type Sample,
  type SampleQuery,
  type SampleStore,
} from "../sample-port.ts";
import { addCounts } from "../../core/attempt-counts.ts";
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
  const counted = new Map<string, CountedAttempts>();
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
    tellAttempts: async (countedBy, told) => {
      for (const one of told) counted.set(`${countedBy} ${keyOf(one)}`, frozenJsonb(one));
    },
    listAttempts: async (after) => sumCounted([...counted.values()].filter(({ fromAt }) => fromAt > after)),
    forget: async (before) => {
      for (const at of samples.keys()) if (at < before) samples.delete(at);
      const countedSince = now() - COUNTED_KEEP_MS;
      for (const [key, { fromAt }] of counted) if (fromAt < countedSince) counted.delete(key);
    },
  };
}

/** The last sample of each stretch, oldest first. */
function listSamples(samples: Iterable<Sample>, { sinceAt, everyMs }: SampleQuery): readonly Sample[] {
  const newer = [...samples].filter(({ at }) => at > sinceAt).toSorted((one, other) => one.at - other.at);
  const last = new Map(newer.map((sample) => [Math.floor(sample.at / everyMs), sample]));
  return [...last.values()].slice(-SAMPLES_MAX);
}

function keyOf({ fromAt, destination, credentialId }: CountedAttempts): string {
  return JSON.stringify([fromAt, destination, credentialId]);
}

/** Over all workers, by time, destination and credential. */
function sumCounted(counted: readonly CountedAttempts[]): readonly CountedAttempts[] {
  const sums = new Map<string, CountedAttempts>();
  for (const one of counted) {
    const known = sums.get(keyOf(one));
    sums.set(keyOf(one), known === undefined ? one : { ...one, ...addCounts(known, one) });
  }
  return [...sums.values()]
    .toSorted((one, other) => one.fromAt - other.fromAt || (keyOf(one) < keyOf(other) ? -1 : 1))
    .slice(-COUNTED_MAX);
}
