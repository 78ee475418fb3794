/** Tells owners, on and on: decides by turns with all other processes, and sends what is due. Needs no worker. */

import { isFootholdError } from "../core/errors.ts";
import { deliverDue } from "./deliver.ts";
import type { NoticeParts } from "./parts.ts";
import type { OnNoticeReport } from "./report.ts";
import { tellOwners } from "./tell.ts";

/** How often one process of all decides whom to tell, in ms: it looks at every case that needs people. */
const DECIDE_EVERY_MS = 5_000;
/** How often each looks for messages that are due, in ms. */
const LOOK_EVERY_MS = 1_000;
/** How long what ended is kept for people to see, in ms, and how often it is looked for. */
const KEEP_MS = 30 * 86_400_000;
const FORGET_EVERY_MS = 600_000;

/** What a sweep of notices is made of. */
export interface NoticeSweepOptions {
  readonly parts: NoticeParts;
  readonly onReport: OnNoticeReport;
  /** Default 5 s. */
  readonly decideEveryMs?: number;
  /** How long a claim on a message lasts, in ms. Default 2 min. */
  readonly holdMs?: number;
}

/** Tells owners. */
export interface NoticeSweep {
  start(): void;
  /** Ends after the messages under way, which are stopped. Safe twice. */
  stop(): Promise<void>;
  /** Decides, whoever's turn it is, and sends until nothing is due; for tests and `foothold sweep --once`. */
  sweepOnce(): Promise<{ readonly told: number }>;
}

/** Makes one; nothing runs before `start` or `sweepOnce`. */
export function createNoticeSweep(options: NoticeSweepOptions): NoticeSweep {
  const { parts, decideEveryMs = DECIDE_EVERY_MS, holdMs } = options;
  const onReport = tellNobodyOnce(options.onReport);
  const { store, ports } = parts;
  const stopped = new AbortController();
  const { signal } = stopped;
  let loop: Promise<void> | null = null;
  let isAway = false;
  let forgotAt = -Infinity;
  const forget = async (): Promise<void> => {
    const now = ports.clock.monotonic();
    if (now - forgotAt < FORGET_EVERY_MS) return;
    forgotAt = now;
    await store.notices.forget((await store.now()) - KEEP_MS);
  };
  const pass = async (): Promise<boolean> => {
    if (await store.notices.takeTurn(decideEveryMs)) {
      await tellOwners(parts, onReport, signal);
      await forget();
    }
    return deliverDue(parts, onReport, signal, holdMs);
  };
  const attempt = async (): Promise<boolean> => {
    try {
      const isBusy = await pass();
      if (isAway) onReport({ kind: "databaseBack" });
      isAway = false;
      return isBusy;
    } catch (error) {
      const isOutside = isFootholdError(error) && error.code === "DATABASE_UNAVAILABLE";
      if (!isOutside) onReport({ kind: "fault", error });
      else if (!isAway) onReport({ kind: "databaseAway", error });
      isAway ||= isOutside;
      return false;
    }
  };
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const isBusy = await attempt();
      if (!isBusy) await ports.clock.sleep(LOOK_EVERY_MS, signal);
    }
  };
  return {
    start: () => void (loop ??= run()),
    stop: async () => {
      stopped.abort();
      await loop;
    },
    sweepOnce: async () => {
      const told = await tellOwners(parts, onReport, signal);
      let isBusy = true;
      while (isBusy && !signal.aborted) isBusy = await deliverDue(parts, onReport, signal, holdMs);
      return { told };
    },
  };
}

/** What stands until somebody changes the configuration is said once. */
function tellNobodyOnce(onReport: OnNoticeReport): OnNoticeReport {
  const said = new Set<string>();
  return (report) => {
    if (report.kind === "nobody" && said.has(report.owner)) return;
    if (report.kind === "nobody") said.add(report.owner);
    onReport(report);
  };
}
