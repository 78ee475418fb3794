/** How cases stand at their steps, and samples of it, in PostgreSQL. */

import type { ReadableState } from "../../core/state.ts";
import type { StepCount } from "../../core/step-counts.ts";
import {
  COUNTED_KEEP_MS,
  COUNTED_MAX,
  SAMPLES_MAX,
  STEP_CASES_MAX,
  STEP_COUNTS_MAX,
  type CountedAttempts,
  type DestinationSample,
  type SampleStore,
  type StateSample,
  type StepCounts,
} from "../sample-port.ts";
import type { Database } from "./database.ts";
import { readingParameters, readSeen } from "./listing.ts";

/** Makes them over the store's own pool. */
export function postgresSamples(database: Database): SampleStore {
  return {
    countSteps: () => database.guarded(() => countSteps(database)),
    takeTurn: (everyMs) =>
      database.guarded(async () => (await database.run("take_turn", ["samples", everyMs])).length > 0),
    write: ({ at, states, destinations, isWhole }) =>
      database.guarded(async () => {
        const values = [at, JSON.stringify(states), JSON.stringify(destinations), isWhole];
        await database.run("write_sample", values);
      }),
    list: ({ sinceAt, everyMs }) =>
      database.guarded(async () => {
        const rows = await database.run<SampleRow>("list_samples", [sinceAt, everyMs, SAMPLES_MAX]);
        return rows.toReversed().map(({ at, states, destinations, is_whole: isWhole }) => ({
          at,
          states,
          destinations,
          isWhole,
        }));
      }),
    tellAttempts: (countedBy, counted) =>
      database.guarded(async () => {
        await database.run("tell_attempts", [countedBy, JSON.stringify(counted)]);
      }),
    listAttempts: (after) =>
      database.guarded(async () => {
        const rows = await database.run<CountedRow>("list_attempts", [after, COUNTED_MAX]);
        return rows.toReversed().map(({ from_at: fromAt, credential_id: credentialId, ...counts }) => ({
          fromAt,
          credentialId,
          ...counts,
        }));
      }),
    forget: (before) =>
      database.guarded(async () => {
        await database.run("forget_samples", [before]);
        await database.run("forget_attempts", [COUNTED_KEEP_MS]);
      }),
  };
}

interface SampleRow {
  readonly at: number;
  readonly states: readonly StateSample[];
  readonly destinations: readonly DestinationSample[];
  readonly is_whole: boolean;
}

interface CountedRow extends Omit<CountedAttempts, "fromAt" | "credentialId"> {
  readonly from_at: number;
  readonly credential_id: string;
}

interface CountRow {
  readonly kind: number;
  readonly case_type: string;
  readonly step: string | null;
  readonly reading: ReadableState;
  readonly cases: number;
  readonly once: number;
  readonly oldest_at: number;
}

async function countSteps(database: Database): Promise<StepCounts> {
  const seen = await readSeen(database);
  const bounds = [STEP_CASES_MAX, STEP_COUNTS_MAX];
  const rows = await database.run<CountRow>("count_steps", [...readingParameters(seen), ...bounds]);
  const looked = new Map<number, number>();
  const counts = new Map<string, StepCount>();
  for (const { kind, case_type: caseType, step, reading, cases, once, oldest_at: at } of rows) {
    looked.set(kind, (looked.get(kind) ?? 0) + once);
    const key = JSON.stringify([caseType, step, reading]);
    const known = counts.get(key);
    counts.set(key, {
      caseType,
      step,
      reading,
      cases: (known?.cases ?? 0) + cases,
      once: (known?.once ?? 0) + once,
      oldestAt: Math.min(known?.oldestAt ?? at, at),
    });
  }
  const isWhole =
    rows.length < STEP_COUNTS_MAX && [...looked.values()].every((number) => number < STEP_CASES_MAX);
  return {
    now: seen.now,
    counts: [...counts.values()].toSorted((one, other) => other.cases - one.cases),
    isWhole,
  };
}
