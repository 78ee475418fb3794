/** How cases stood and what destinations took over time, from samples and from how it is now. */

import { addCounts, NO_ATTEMPTS, type AttemptCounts } from "../core/attempt-counts.ts";
import { destinationKey } from "../core/in-flight.ts";
import type { ReadableState } from "../core/state.ts";
import type { DestinationId } from "../store/destination-port.ts";
import {
  COUNTED_EVERY_MS,
  type DestinationSample,
  type Sample,
  type StateSample,
  type StepCounts,
} from "../store/sample-port.ts";
import type { ReadingCount } from "./case-map.ts";
import type { DeskParts } from "./desk-parts.ts";
import { readDestinations, type DestinationView } from "./destinations.ts";
import { SAMPLE_EVERY_MS, statesOf } from "./sampling.ts";

const HOUR_MS = 3_600_000;
/** Points of a picture, beside the one of now. */
const POINTS = 96;
/** How far back the pictures of destinations go, and how far apart their points are, in ms. */
const TRAFFIC_MS = 12 * HOUR_MS;
const TRAFFIC_EVERY_MS = COUNTED_EVERY_MS;

/** How far back a history may go, in hours; samples are kept for a day longer. */
export const HISTORY_HOURS_MAX = 168;
/** How far back it goes where nothing is said. */
export const HISTORY_HOURS = 24;

/** Which history. */
export interface HistoryRequest {
  /** 1 to {@link HISTORY_HOURS_MAX}. */
  readonly hours: number;
  /** Which case types count. */
  readonly counts: (caseType: string) => boolean;
}

/** How open cases stood at one moment. */
export interface HistoryPoint {
  readonly at: number;
  readonly states: readonly ReadingCount[];
}

/** How open cases stood over time. */
export interface StateHistory {
  readonly now: number;
  readonly sinceAt: number;
  /** At least so far apart are the points, but for the last one, which is now. */
  readonly everyMs: number;
  /** False where at some point there were more cases than were counted. */
  readonly isWhole: boolean;
  /** Oldest first. Where nothing took samples, points are missing. */
  readonly points: readonly HistoryPoint[];
}

/** What a destination took at one moment. */
export type TrafficPoint = { readonly at: number } & Omit<DestinationSample, "destination" | "credentialId">;

/** What was tried there in one stretch of {@link TrafficView.everyMs}. */
export interface TriedPoint extends AttemptCounts {
  readonly fromAt: number;
}

/** What was tried there over the last hours, as far as workers have told: each does once a minute. */
export interface Tried extends AttemptCounts {
  /** Oldest first; stretches in which nothing was tried are left out. */
  readonly points: readonly TriedPoint[];
}

/** A destination now and over the last hours; without whom it refused first, which not everybody may see. */
export interface DestinationTraffic extends Omit<DestinationView, "denial" | "lastFailure" | "owners"> {
  readonly lastFailure: { readonly at: number; readonly sentence: string } | null;
  /** Oldest first; the last one is now. */
  readonly history: readonly TrafficPoint[];
  readonly tried: Tried;
}

/** All destinations that loaded case types send to. */
export interface TrafficView {
  readonly now: number;
  readonly sinceAt: number;
  readonly everyMs: number;
  readonly destinations: readonly DestinationTraffic[];
}

/** Reads how cases stood. */
export async function readHistory(
  { store }: Pick<DeskParts, "store">,
  counting: () => Promise<StepCounts>,
  { hours, counts }: HistoryRequest,
): Promise<StateHistory> {
  const current = await counting();
  const { now } = current;
  const sinceAt = now - hours * HOUR_MS;
  const everyMs = Math.max(SAMPLE_EVERY_MS, Math.ceil((hours * HOUR_MS) / POINTS));
  const samples = await store.samples.list({ sinceAt, everyMs });
  const last: Sample = { at: now, states: statesOf(current), destinations: [], isWhole: current.isWhole };
  const all = [...samples.filter(({ at }) => at < now), last];
  return {
    now,
    sinceAt,
    everyMs,
    isWhole: all.every(({ isWhole }) => isWhole),
    points: all.map(({ at, states }) => ({
      at,
      states: sumStates(states.filter((one) => counts(one.caseType))),
    })),
  };
}

/** Over all types. */
function sumStates(states: readonly StateSample[]): readonly ReadingCount[] {
  const sums = new Map<ReadableState, ReadingCount>();
  for (const { reading, cases, oldestAt } of states) {
    const known = sums.get(reading) ?? { reading, cases: 0, oldestAt };
    sums.set(reading, {
      reading,
      cases: known.cases + cases,
      oldestAt: Math.min(known.oldestAt, oldestAt),
    });
  }
  return [...sums.values()];
}

/** Reads what destinations take and took. */
export async function readTraffic(parts: DeskParts): Promise<TrafficView> {
  const { now, destinations } = await readDestinations(parts);
  const sinceAt = now - TRAFFIC_MS;
  const [samples, triedAt] = await Promise.all([
    parts.store.samples.list({ sinceAt, everyMs: TRAFFIC_EVERY_MS }),
    readTried(parts, sinceAt),
  ]);
  const past = samples.filter(({ at }) => at < now);
  return {
    now,
    sinceAt,
    everyMs: TRAFFIC_EVERY_MS,
    destinations: destinations.map(({ denial: _denial, owners: _owners, lastFailure, ...view }) => ({
      ...view,
      lastFailure: lastFailure === null ? null : { at: lastFailure.at, sentence: lastFailure.sentence },
      history: [...past.flatMap((sample) => pointOf(sample, view)), pointNow(view, now)],
      tried: triedAt(view),
    })),
  };
}

/** What was tried at each destination since then. */
async function readTried(
  { store }: Pick<DeskParts, "store">,
  sinceAt: number,
): Promise<(id: DestinationId) => Tried> {
  const points = new Map<string, TriedPoint[]>();
  for (const { destination, credentialId, ...point } of await store.samples.listAttempts(sinceAt)) {
    const key = destinationKey(destination, credentialId);
    const known = points.get(key);
    if (known === undefined) points.set(key, [point]);
    else known.push(point);
  }
  return ({ destination, credentialId }) => {
    const own = points.get(destinationKey(destination, credentialId)) ?? [];
    return { ...own.reduce<AttemptCounts>(addCounts, NO_ATTEMPTS), points: own };
  };
}

function pointOf(sample: Sample, { destination, credentialId }: DestinationId): readonly TrafficPoint[] {
  const key = destinationKey(destination, credentialId);
  const found = sample.destinations.find((one) => destinationKey(one.destination, one.credentialId) === key);
  if (found === undefined) return [];
  const { limit, inFlight, heldBack, standing } = found;
  return [{ at: sample.at, limit, inFlight, heldBack, standing }];
}

function pointNow(
  { limit, inFlight, heldBack, standing }: Omit<TrafficPoint, "at">,
  at: number,
): TrafficPoint {
  return { at, limit, inFlight, heldBack, standing };
}
