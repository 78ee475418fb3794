/**
 * What machines watch of how everything stands. Each figure is asked for when it is read, from what the API shows too, so that
 * it is true with any number of servers and none of them counts anything.
 */

import { Gauge, Registry } from "prom-client";
import { GAUGES, type GaugeName, type GaugeValue } from "../core/figures.ts";
import type { DestinationsView } from "../desk/destinations.ts";
import type { Desk } from "../desk/desk.ts";
import type { Overview } from "../desk/overview.ts";
import type { SchedulesView } from "../desk/schedule-view.ts";
import type { RefusalCount, WorkCount } from "../store/inbox-port.ts";
import type { Store } from "../store/port.ts";
import type { StateSample } from "../store/sample-port.ts";

/** What is counted of what cannot be counted for ever. */
const REFUSED_WITHIN_MS = 3_600_000;

/** Everything that figures are made of. */
interface Snapshot {
  readonly overview: Overview;
  readonly open: readonly StateSample[];
  readonly destinations: DestinationsView;
  readonly work: readonly WorkCount[];
  readonly refused: readonly RefusalCount[];
  readonly schedules: SchedulesView;
}

type Value = Omit<GaugeValue, "name">;
type Reader = (snapshot: Snapshot) => readonly Value[];

/** What is asked. */
export interface FigureSources {
  readonly desk: Pick<Desk, "overview" | "openCases" | "destinations" | "schedules">;
  readonly store: { readonly inbox: Pick<Store["inbox"], "countWork" | "countRefusals"> };
}

const READERS: { readonly [Name in GaugeName]: Reader } = {
  foothold_cases: ({ overview }) =>
    overview.types.flatMap(({ caseType, states }) =>
      Object.entries(states).map(([state, value]) => ({ labels: { case_type: caseType, state }, value })),
    ),
  foothold_cases_open: ({ open }) =>
    open.map(({ caseType, reading, cases }) => ({ labels: { case_type: caseType, reading }, value: cases })),
  foothold_cases_due: ofTypes(({ due }) => due),
  foothold_oldest_due_seconds: ofTypes(({ oldestDueAt }, now) =>
    oldestDueAt === null ? 0 : Math.max(0, now - oldestDueAt) / 1_000,
  ),
  foothold_cases_with_review: ofTypes(({ withReview }) => withReview),
  foothold_workers: ofTypes(({ workers }) => workers),
  foothold_cases_without_worker: ({ overview }) =>
    overview.notices.map(({ caseType, waiting, lost }) => ({
      labels: { case_type: caseType },
      value: waiting + lost,
    })),
  foothold_destination_limit: ofDestinations(({ limit }) => limit),
  foothold_destination_in_flight: ofDestinations(({ inFlight }) => inFlight),
  foothold_destination_held_back: ofDestinations(({ heldBack }) => heldBack),
  foothold_destination_up: ofDestinations(({ standing }) =>
    Number(standing === "up" || standing === "failing"),
  ),
  foothold_inbox_work: ({ work }) => summed(work),
  foothold_inbox_refused: ({ refused }) =>
    refused.map(({ source, reason, count }) => ({ labels: { source, reason }, value: count })),
  foothold_schedule_overdue_seconds: ofSchedules(({ overdueSinceAt }, now) =>
    overdueSinceAt === null ? 0 : Math.max(0, now - overdueSinceAt) / 1_000,
  ),
  foothold_schedule_slots_not_started: ofSchedules(({ needs }) => needs),
  foothold_notices_undelivered: ({ overview }) => [{ labels: {}, value: overview.undelivered }],
};

function ofTypes(pick: (type: Overview["types"][number], now: number) => number): Reader {
  return ({ overview: { types, now } }) =>
    types.map((type) => ({ labels: { case_type: type.caseType }, value: pick(type, now) }));
}

function ofDestinations(
  pick: (destination: DestinationsView["destinations"][number]) => number | null,
): Reader {
  return ({ destinations }) =>
    destinations.destinations.flatMap((one) => {
      const value = pick(one);
      const labels = { destination: one.destination, credential: one.credentialId };
      return value === null ? [] : [{ labels, value }];
    });
}

function ofSchedules(pick: (schedule: SchedulesView["schedules"][number], now: number) => number): Reader {
  return ({ schedules: { schedules, now } }) =>
    schedules.map((one) => ({ labels: { schedule: one.name }, value: pick(one, now) }));
}

/** Tenants are not told apart: a monitoring system is not for one of them. */
function summed(work: readonly WorkCount[]): readonly Value[] {
  const sums = new Map<string, Value>();
  for (const { source, state, count } of work) {
    const key = JSON.stringify([source, state]);
    sums.set(key, { labels: { source, state }, value: (sums.get(key)?.value ?? 0) + count });
  }
  return [...sums.values()];
}

/** The figures as they are now, in the order of their page. Throws what reading them throws. */
export async function readFigures({ desk, store }: FigureSources): Promise<readonly GaugeValue[]> {
  const [overview, open, destinations, work, refused, schedules] = await Promise.all([
    desk.overview(),
    desk.openCases(),
    desk.destinations(),
    store.inbox.countWork(),
    store.inbox.countRefusals(REFUSED_WITHIN_MS),
    desk.schedules(),
  ]);
  const snapshot = { overview, open, destinations, work, refused, schedules };
  return gaugeNames().flatMap((name) => READERS[name](snapshot).map((value) => ({ name, ...value })));
}

/** The same in the text that Prometheus reads. */
export async function readMetrics(
  sources: FigureSources,
): Promise<{ readonly text: string; readonly contentType: string }> {
  const values = await readFigures(sources);
  const registry = new Registry();
  for (const name of gaugeNames()) {
    const { help, labels } = GAUGES[name];
    const gauge = new Gauge({ name, help, labelNames: [...labels], registers: [registry] });
    for (const one of values) if (one.name === name) gauge.set({ ...one.labels }, one.value);
  }
  return { text: await registry.metrics(), contentType: registry.contentType };
}

function gaugeNames(): readonly GaugeName[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its own keys, in its order
  return Object.keys(GAUGES) as GaugeName[];
}
