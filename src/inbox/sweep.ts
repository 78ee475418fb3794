/**
 * The sweep of the inbox: frees claims whose holder has ended or whose time is over, puts overdue work in review, wakes
 * what waits for a case that has come, and forgets what is old. Needs no worker; several do no harm.
 */

import { isFootholdError } from "../core/errors.ts";
import type { Ports } from "../core/ports.ts";
import type { Store } from "../store/port.ts";
import { reconcile } from "./reconcile.ts";
import type { Receiver } from "./receive.ts";
import type { OnInboxReport } from "./report.ts";
import type { Source } from "./source.ts";

const SWEEP_EVERY_MS = 1_000;
const FORGET_EVERY_MS = 600_000;

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
  let loop: Promise<void> | null = null;
  let isAway = false;
  const slow = slowDuties(options, stopped.signal);
  const pass = async (): Promise<void> => {
    try {
      const report = await sweepOnce(store);
      if (report.freed + report.expired > 0) onReport?.({ kind: "swept", ...report });
      await slow();
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
    start: () => void (loop ??= run()),
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

/** What is done far less often: forgetting, and reading lists. */
function slowDuties(options: InboxSweepOptions, signal: AbortSignal): () => Promise<void> {
  const { store, sources, ports, receiver, onReport } = options;
  let forgotAt = -Infinity;
  const readAt = new Map<string, number>();
  return async () => {
    const now = ports.clock.monotonic();
    if (now - forgotAt >= FORGET_EVERY_MS) {
      forgotAt = now;
      const at = await store.now();
      for (const source of sources) await forget(store, source, at);
    }
    for (const source of sources) {
      const everyMs = source.list?.everyMs ?? null;
      if (receiver === undefined || everyMs === null) continue;
      if (now - (readAt.get(source.name) ?? -Infinity) < everyMs) continue;
      readAt.set(source.name, now);
      const { items, missed } = await reconcile({ store: store.inbox, receiver, ports, source, signal });
      onReport?.({ kind: "reconciled", source: source.name, items, missed });
    }
  };
}

async function forget(store: Store, source: Source, now: number): Promise<void> {
  const { tenant, name, keepBodiesMs, rememberMs } = source;
  await store.inbox.forget(
    { tenant, source: name },
    { bodiesBefore: now - keepBodiesMs, eventsBefore: now - rememberMs },
  );
}
