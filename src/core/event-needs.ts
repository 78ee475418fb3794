/**
 * Events that people are needed for: work of the inbox in review, counted by the source and by who takes it. The PostgreSQL
 * store counts the same in SQL, and a test holds the two equal. Pure.
 */

import type { NeedTimes } from "./needs.ts";
import type { NoticeMatter } from "./notices.ts";

/** A piece of work in review, as far as needs are read from it. */
export interface ReviewedWork {
  readonly eventId: string;
  readonly source: string;
  readonly owner: string;
  /** Groups what failed alike; null = it was not tried. */
  readonly errorClass: string | null;
  /** Since when it stands in review, epoch ms. */
  readonly changedAt: number;
}

/** How many events of a source somebody is needed for. Times are epoch ms. */
export interface EventNeed {
  readonly owner: string;
  readonly source: string;
  readonly events: number;
  /** Different kinds of failure. */
  readonly causes: number;
  readonly firstSinceAt: number;
  readonly lastSinceAt: number;
  /** One of them. */
  readonly eventId: string;
  /** Those that are due. */
  readonly overdue: number;
  /** When the last of these began; null = none is due. */
  readonly lastOverdueSinceAt: number | null;
}

/** Counts them, by owner and source. */
export function countEventNeeds(
  works: Iterable<ReviewedWork>,
  { now, dueAfterMs }: NeedTimes,
): readonly EventNeed[] {
  const groups = new Map<
    string,
    Pick<ReviewedWork, "owner" | "source"> & { readonly works: ReviewedWork[] }
  >();
  for (const work of works) {
    const { owner, source } = work;
    const key = JSON.stringify([owner, source]);
    const group = groups.get(key) ?? { owner, source, works: [] };
    group.works.push(work);
    groups.set(key, group);
  }
  return [...groups]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, { owner, source, works: group }]): EventNeed => {
      const due = group.filter(({ changedAt }) => changedAt + dueAfterMs <= now);
      const since = group.map(({ changedAt }) => changedAt);
      return {
        owner,
        source,
        events: idsOf(group).size,
        causes: new Set(group.flatMap(({ errorClass }) => errorClass ?? [])).size,
        firstSinceAt: since.reduce((one, other) => Math.min(one, other)),
        lastSinceAt: since.reduce((one, other) => Math.max(one, other)),
        eventId: [...idsOf(group)].reduce((one, other) => (other < one ? other : one)),
        overdue: idsOf(due).size,
        lastOverdueSinceAt:
          due.length === 0
            ? null
            : due.map(({ changedAt }) => changedAt).reduce((one, other) => Math.max(one, other)),
      };
    });
}

function idsOf(group: readonly ReviewedWork[]): ReadonlySet<string> {
  return new Set(group.map(({ eventId }) => eventId));
}

/** What their owners are told of, as of cases. */
export function eventMatters(
  needs: readonly EventNeed[],
  { dueAfterMs }: Pick<NeedTimes, "dueAfterMs">,
): readonly NoticeMatter[] {
  return needs.map(
    ({ owner, source, events, causes, firstSinceAt, lastSinceAt, eventId, overdue, ...due }) => ({
      owner,
      subject: { kind: "events", source },
      held: 0,
      open: {
        cases: events,
        causes,
        firstSinceAt,
        lastSinceAt,
        firstDueAt: firstSinceAt + dueAfterMs,
        nextCheckAllowedAt: null,
        lastRemindAt: null,
        caseId: eventId,
      },
      overdue:
        due.lastOverdueSinceAt === null
          ? null
          : { cases: overdue, lastDueAt: due.lastOverdueSinceAt + dueAfterMs },
    }),
  );
}
