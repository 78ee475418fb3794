/**
 * The sweep of the inbox: frees claims whose holder has ended or whose time is over, puts overdue work in review, and wakes
 * what waits for a case that has come; beside it goes what is done now and then. Needs no worker; several do no harm.
 */

import { isFootholdError } from "../core/errors.ts";
import type { Ports } from "../core/ports.ts";
import type { Store } from "../store/port.ts";
import type { Receiver } from "./receive.ts";
import type { OnInboxReport } from "./report.ts";
import type { Source } from "./source.ts";
import { keepUp } from "./upkeep.ts";

const SWEEP_EVERY_MS = 1_000;

/** What it is made of. */
export interface InboxSweepOptions {
  readonly store: Store;
  readonly sources: readonly Source[];
  readonly ports: Ports;
  /** Reads providers' lists where their time has come. Left out = lists are read by hand only. */
  readonly receiver?: Receiver;
  readonly onReport?: OnInboxReport;
  /** Default 1,000. */
  readonly intervalMs?: number;
}

/** What one pass did. */
export interface InboxSweepReport {
  readonly freed: number;
  readonly expired: number;
  readonly rematched: number;
}

/** A sweep of the inbox. */
export interface InboxSweep {
  /** Sweeps from now on, every `intervalMs`. Safe twice. */
  start(): void;
  /** Safe twice. */
  stop(): Promise<void>;
  /** Frees and ends what is due now, once. Throws what the store throws. */
  sweepOnce(): Promise<InboxSweepReport>;
}

/** Makes one; nothing runs before `start` or `sweepOnce`. */
export function createInboxSweep(options: InboxSweepOptions): InboxSweep {
  const { store, ports, onReport } = options;
  const stopped = new AbortController();
  let loop: Promise<unknown> | null = null;
  let isAway = false;
  const pass = async (): Promise<void> => {
    try {
      const report = await sweepOnce(store);
      if (report.freed + report.expired > 0) onReport?.({ kind: "swept", ...report });
      if (isAway) onReport?.({ kind: "databaseBack", during: "the sweep of the inbox" });
      isAway = false;
    } catch (error) {
      const isOutside = isFootholdError(error) && error.code === "DATABASE_UNAVAILABLE";
      const during = "the sweep of the inbox";
      if (!isOutside) onReport?.({ kind: "fault", during, error });
      else if (!isAway) onReport?.({ kind: "databaseAway", during, error });
      isAway ||= isOutside;
    }
  };
  const run = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      await pass();
      await ports.clock.sleep(options.intervalMs ?? SWEEP_EVERY_MS, stopped.signal);
    }
  };
  return {
    start: () => void (loop ??= Promise.all([run(), keepUp(options, stopped.signal)])),
    stop: async () => {
      stopped.abort();
      await loop;
    },
    sweepOnce: () => sweepOnce(store),
  };
}

async function sweepOnce(store: Store): Promise<InboxSweepReport> {
  // In this order: whoever holds work was registered before. One that is not there, a failover has lost.
  const holding = await store.inbox.listWorkHolders();
  const holders = holding.length === 0 ? [] : await store.listHolders();
  const alive = new Set(holders.filter(({ endedAt }) => endedAt === null).map(({ holderId }) => holderId));
  return {
    freed: await store.inbox.freeWork(holding.filter((holderId) => !alive.has(holderId))),
    expired: await store.inbox.expireWork(),
    rematched: await store.inbox.rematchWork(),
  };
}
