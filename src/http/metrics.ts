/**
 * What machines watch: figures in the text that Prometheus reads. Each is asked for when it is read, from what the API shows
 * too, so that it is true with any number of servers and none of them counts anything.
 */

import { Gauge, Registry } from "prom-client";
import type { DestinationsView } from "../desk/destinations.ts";
import type { Desk } from "../desk/desk.ts";
import type { Overview } from "../desk/overview.ts";
import type { SchedulesView } from "../desk/schedule-view.ts";
import type { RefusalCount, WorkCount } from "../store/inbox-port.ts";
import type { Store } from "../store/port.ts";

/** What is counted of what cannot be counted for ever. */
const REFUSED_WITHIN_MS = 3_600_000;

/** Everything that figures are made of. */
interface Snapshot {
  readonly overview: Overview;
  readonly destinations: DestinationsView;
  readonly work: readonly WorkCount[];
  readonly refused: readonly RefusalCount[];
  readonly schedules: SchedulesView;
}

interface Value {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface Metric {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly read: (snapshot: Snapshot) => readonly Value[];
}

/** Every figure, in the order of its page, docs/reference/metrics.md. All are gauges. */
export const METRICS: readonly Metric[] = [
  {
    name: "foothold_cases",
    help: "Cases by stored state.",
    labels: ["case_type", "state"],
    read: ({ overview }) =>
      overview.types.flatMap(({ caseType, states }) =>
        Object.entries(states).map(([state, value]) => ({ labels: { case_type: caseType, state }, value })),
      ),
  },
  {
    name: "foothold_cases_due",
    help: "Cases that a worker could take now.",
    labels: ["case_type"],
    read: ofTypes(({ due }) => due),
  },
  {
    name: "foothold_oldest_due_seconds",
    help: "How long the case that has waited longest for a worker has been due; 0 where none is.",
    labels: ["case_type"],
    read: ofTypes(({ oldestDueAt }, now) =>
      oldestDueAt === null ? 0 : Math.max(0, now - oldestDueAt) / 1_000,
    ),
  },
  {
    name: "foothold_cases_with_review",
    help: "Cases with an open review: they need a person.",
    labels: ["case_type"],
    read: ofTypes(({ withReview }) => withReview),
  },
  {
    name: "foothold_workers",
    help: "Workers alive that take cases of this type.",
    labels: ["case_type"],
    read: ofTypes(({ workers }) => workers),
  },
  {
    name: "foothold_cases_without_worker",
    help: "Cases that wait for a worker or lost theirs, of types that no worker takes.",
    labels: ["case_type"],
    read: ({ overview }) =>
      overview.notices.map(({ caseType, waiting, lost }) => ({
        labels: { case_type: caseType },
        value: waiting + lost,
      })),
  },
  {
    name: "foothold_destination_limit",
    help: "Attempts that all workers together may have under way at a destination now.",
    labels: ["destination", "credential"],
    read: ofDestinations(({ limit }) => limit),
  },
  {
    name: "foothold_destination_in_flight",
    help: "Attempts under way at a destination.",
    labels: ["destination", "credential"],
    read: ofDestinations(({ inFlight }) => inFlight),
  },
  {
    name: "foothold_destination_held_back",
    help: "Cases that a destination's limit holds back, or that wait for access to it.",
    labels: ["destination", "credential"],
    read: ofDestinations(({ heldBack }) => heldBack),
  },
  {
    name: "foothold_destination_up",
    help: "1 where a destination answers as it should, 0 where it is down, throttles, is out of quota or denies access.",
    labels: ["destination", "credential"],
    read: ofDestinations(({ standing }) => Number(standing === "up" || standing === "failing")),
  },
  {
    name: "foothold_inbox_work",
    help: "Work that events called for, by its state.",
    labels: ["source", "state"],
    read: ({ work }) => summed(work),
  },
  {
    name: "foothold_inbox_refused",
    help: "Requests to a source that were refused in the last hour, by reason.",
    labels: ["source", "reason"],
    read: ({ refused }) =>
      refused.map(({ source, reason, count }) => ({ labels: { source, reason }, value: count })),
  },
  {
    name: "foothold_schedule_overdue_seconds",
    help: "For how long a slot has been due that no process decides; 0 where none is.",
    labels: ["schedule"],
    read: ofSchedules(({ overdueSinceAt }, now) =>
      overdueSinceAt === null ? 0 : Math.max(0, now - overdueSinceAt) / 1_000,
    ),
  },
  {
    name: "foothold_schedule_slots_not_started",
    help: "Slots that could not be started, and that nobody has looked at.",
    labels: ["schedule"],
    read: ofSchedules(({ needs }) => needs),
  },
  {
    name: "foothold_notices_undelivered",
    help: "Messages to owners that could not be delivered.",
    labels: [],
    read: ({ overview }) => [{ labels: {}, value: overview.undelivered }],
  },
];

function ofTypes(pick: (type: Overview["types"][number], now: number) => number): Metric["read"] {
  return ({ overview: { types, now } }) =>
    types.map((type) => ({ labels: { case_type: type.caseType }, value: pick(type, now) }));
}

function ofDestinations(
  pick: (destination: DestinationsView["destinations"][number]) => number | null,
): Metric["read"] {
  return ({ destinations }) =>
    destinations.destinations.flatMap((one) => {
      const value = pick(one);
      const labels = { destination: one.destination, credential: one.credentialId };
      return value === null ? [] : [{ labels, value }];
    });
}

function ofSchedules(
  pick: (schedule: SchedulesView["schedules"][number], now: number) => number,
): Metric["read"] {
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

/** The figures as they are now. Throws what reading them throws. */
export async function readMetrics({
  desk,
  store,
}: {
  readonly desk: Pick<Desk, "overview" | "destinations" | "schedules">;
  readonly store: { readonly inbox: Pick<Store["inbox"], "countWork" | "countRefusals"> };
}): Promise<{ readonly text: string; readonly contentType: string }> {
  const [overview, destinations, work, refused, schedules] = await Promise.all([
    desk.overview(),
    desk.destinations(),
    store.inbox.countWork(),
    store.inbox.countRefusals(REFUSED_WITHIN_MS),
    desk.schedules(),
  ]);
  const registry = new Registry();
  for (const { name, help, labels, read } of METRICS) {
    const gauge = new Gauge({ name, help, labelNames: [...labels], registers: [registry] });
    for (const one of read({ overview, destinations, work, refused, schedules }))
      gauge.set({ ...one.labels }, one.value);
  }
  return { text: await registry.metrics(), contentType: registry.contentType };
}
