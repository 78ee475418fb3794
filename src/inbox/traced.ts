/** What traces are told of deliveries, and of the work that events call for. */

import type { Ports } from "../core/ports.ts";
import { untraced, type TracedEnd } from "../core/tracing.ts";
import type { ClaimedWork, TakenEvent } from "../store/inbox-port.ts";
import type { WorkEnd } from "./do-work.ts";

/** Events of one delivery that its piece of work names. */
const EVENTS_NAMED_MAX = 16;

/** Stores an authentic delivery, and follows it. */
export function followDelivery(
  { tracing = untraced }: Pick<Ports, "tracing">,
  source: string,
  take: () => Promise<readonly TakenEvent[]>,
): Promise<readonly TakenEvent[]> {
  const work = {
    name: `receive ${source}`,
    of: { kind: "request" },
    facts: { "foothold.source": source },
  } as const;
  return tracing.follow(work, take, (taken) => ({
    facts: {
      "foothold.events": taken.length,
      "foothold.events.new": taken.filter(({ isNew }) => isNew).length,
    },
    related: taken.slice(0, EVENTS_NAMED_MAX).map(({ eventId }) => ({ kind: "event", eventId })),
  }));
}

/** Does what an event calls for, and follows it. */
export function followWork(
  { tracing = untraced }: Ports,
  { work: { eventId, source, consumer }, event }: ClaimedWork,
  act: () => Promise<WorkEnd>,
): Promise<WorkEnd> {
  const facts = { "foothold.source": source, "foothold.consumer": consumer };
  const work = { name: `event ${event.eventType}`, of: { kind: "event", eventId }, facts } as const;
  return tracing.follow(work, act, endOfWork);
}

function endOfWork(end: WorkEnd): TracedEnd {
  const facts = { "foothold.outcome": end.kind };
  switch (end.kind) {
    case "done":
    case "ignored":
      return { facts, related: end.caseIds.map((caseId) => ({ kind: "case", caseId })) };
    case "waits":
      return { facts };
    case "failed":
    case "review":
      return { facts, failed: end.sentence };
  }
}
