/** What stands where, by type, and what nobody works on. */

import type { StoredState } from "../core/row.ts";
import { seemsAlive } from "../core/state.ts";
import type { Registry } from "../define/registry.ts";
import type { StoredHolder, TypeCount } from "../store/port.ts";
import type { FormatTime } from "./entry-words.ts";
import type { ScheduleView } from "./schedule-view.ts";

/** Cases of one type. */
export interface TypeOverview {
  readonly caseType: string;
  readonly isLoaded: boolean;
  readonly total: number;
  readonly states: Readonly<Partial<Record<StoredState, number>>>;
  /** Cases that a worker could take now. */
  readonly due: number;
  /** Since when the longest waiting of them has been due; null = there is none. */
  readonly oldestDueAt: number | null;
  readonly withReview: number;
  /** Workers alive that take this type. */
  readonly workers: number;
}

/** A type that has work and no worker, or work for a later version than any worker has. */
export interface NoWorkerNotice {
  readonly kind: "noWorker";
  readonly caseType: string;
  /** When the last worker that took it was last heard of; null = none is known. */
  readonly sinceAt: number | null;
  readonly waiting: number;
  readonly lost: number;
  /** The lowest version that they need, where workers take the type and none of them has it; else null. */
  readonly neededVersion: number | null;
  /** Such as "No worker takes `purchase` since 10:04; 132 cases wait, 3 lost their worker". */
  readonly sentence: string;
}

/** A schedule that is overdue, or of which a slot could not be started and nobody has looked at it. */
export interface ScheduleNotice {
  readonly schedule: string;
  readonly caseType: string;
  readonly tenant: string;
  /** Since when a slot is due that no process decides; null = none is. */
  readonly overdueSinceAt: number | null;
  /** Slots that could not be started. */
  readonly needs: number;
  /** Such as "Next at 2027-02-01T06:00:00Z; 1 slot could not be started". */
  readonly sentence: string;
}

/** A worker or page that holds or held cases. */
export interface HolderView {
  readonly holderId: string;
  readonly kind: StoredHolder["kind"];
  readonly name: string;
  readonly host: string;
  readonly build: string;
  readonly startedAt: number;
  readonly beatAt: number;
  readonly isAlive: boolean;
  readonly caseTypes: StoredHolder["caseTypes"];
}

/** Everything at a glance. Times are epoch ms. */
export interface Overview {
  readonly now: number;
  readonly types: readonly TypeOverview[];
  /** Only what is wrong now. */
  readonly notices: readonly NoWorkerNotice[];
  /** Schedules that something is wrong with. */
  readonly schedules: readonly ScheduleNotice[];
  /** Messages to owners that could not be delivered. */
  readonly undelivered: number;
  readonly holders: readonly HolderView[];
}

/** What the overview is made of. */
export interface OverviewInput {
  readonly counts: readonly TypeCount[];
  readonly holders: readonly StoredHolder[];
  readonly registry: Registry;
  readonly schedules: readonly ScheduleView[];
  readonly undelivered: number;
  readonly now: number;
  readonly formatTime: FormatTime;
}

/** Counts and notices. */
export function viewOverview(input: OverviewInput): Overview {
  const { counts, holders, now } = input;
  return {
    now,
    types: counts.map((count) => viewType(input, count)),
    notices: counts.flatMap((count) => noWorkerNotice(input, count)),
    schedules: input.schedules.flatMap(scheduleNotice),
    undelivered: input.undelivered,
    holders: holders
      .filter((holder) => holder.endedAt === null)
      .map((holder) => ({
        holderId: holder.holderId,
        kind: holder.kind,
        name: holder.name,
        host: holder.host,
        build: holder.build,
        startedAt: holder.startedAt,
        beatAt: holder.beatAt,
        isAlive: seemsAlive(holder, now),
        caseTypes: holder.caseTypes,
      })),
  };
}

function scheduleNotice(view: ScheduleView): readonly ScheduleNotice[] {
  const { name: schedule, caseType, tenant, overdueSinceAt, needs, sentence } = view;
  if (overdueSinceAt === null && needs === 0) return [];
  return [{ schedule, caseType, tenant, overdueSinceAt, needs, sentence }];
}

function viewType({ registry, holders, now }: OverviewInput, count: TypeCount): TypeOverview {
  const { caseType, states, due, oldestDueAt, withReview } = count;
  return {
    caseType,
    isLoaded: registry.find(caseType) !== null,
    total: Object.values(states).reduce((sum, one) => sum + one, 0),
    states,
    due,
    oldestDueAt,
    withReview,
    workers: workersFor(holders, caseType).filter((one) => seemsAlive(one, now)).length,
  };
}

function workersFor(holders: readonly StoredHolder[], caseType: string): readonly StoredHolder[] {
  return holders.filter(
    (one) => one.kind === "worker" && one.caseTypes.some(({ name }) => name === caseType),
  );
}

function noWorkerNotice(
  input: OverviewInput,
  { caseType, due, dueByVersion, states, inRepair }: TypeCount,
): readonly NoWorkerNotice[] {
  const workers = workersFor(input.holders, caseType);
  const alive = workers.filter((one) => seemsAlive(one, input.now));
  if (alive.length > 0) return tooLowNotice(alive, caseType, dueByVersion);
  const lost = (states.claimed ?? 0) - inRepair;
  if (due + lost === 0) return [];
  const lastSigns = workers.map(lastSignAt);
  const sinceAt = lastSigns.length === 0 ? null : Math.max(...lastSigns);
  const since = sinceAt === null ? "" : ` since ${input.formatTime(sinceAt)}`;
  const told = [
    ...(due > 0 ? [sayWaiting(due)] : []),
    ...(lost > 0 ? [`${lost} lost ${lost === 1 ? "its" : "their"} worker`] : []),
  ];
  const sentence = `No worker takes \`${caseType}\`${since}; ${told.join(", ")}`;
  return [{ kind: "noWorker", caseType, sinceAt, waiting: due, lost, neededVersion: null, sentence }];
}

/** Workers run, and none of them has the version that was needed once (R12): a rollback leaves cases so. */
function tooLowNotice(
  alive: readonly StoredHolder[],
  caseType: string,
  dueByVersion: TypeCount["dueByVersion"],
): readonly NoWorkerNotice[] {
  const own = alive.flatMap((one) => one.caseTypes.filter(({ name }) => name === caseType));
  const highest = Math.max(...own.map(({ version }) => version));
  const above = Object.entries(dueByVersion).filter(([version]) => Number(version) > highest);
  if (above.length === 0) return [];
  const waiting = above.reduce((sum, [, due]) => sum + due, 0);
  const neededVersion = Math.min(...above.map(([version]) => Number(version)));
  const sentence =
    `No worker takes version ${neededVersion} of \`${caseType}\`, the highest one has is ${highest}; ` +
    sayWaiting(waiting);
  return [{ kind: "noWorker", caseType, sinceAt: null, waiting, lost: 0, neededVersion, sentence }];
}

function sayWaiting(due: number): string {
  return `${due} ${due === 1 ? "case waits" : "cases wait"}`;
}

/** When a worker that is no more was last alive: it may have been marked long after. */
function lastSignAt({ beatAt, leaseMs, endedAt }: StoredHolder): number {
  return Math.min(endedAt ?? Infinity, beatAt + leaseMs);
}
