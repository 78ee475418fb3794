/**
 * What the inbox does now and then beside its sweep: it forgets what is old, and reads providers' lists. Each takes as long
 * as there is of it, so each has a loop of its own, and nobody's claim waits for it.
 */

import { isFootholdError } from "../core/errors.ts";
import type { Ports } from "../core/ports.ts";
import { SOURCES_MAX, SWEEP_MAX, type SourceRetention } from "../store/inbox-port.ts";
import type { Store } from "../store/port.ts";
import { reconcile } from "./reconcile.ts";
import type { Receiver } from "./receive.ts";
import type { OnInboxReport } from "./report.ts";
import type { Source } from "./source.ts";

const FORGET_EVERY_MS = 600_000;
/** Rounds of forgetting for one source before the next has its turn. */
const FORGET_ROUNDS_MAX = 1_000;
/** How long it is waited after a failure, and before what was not read to its end is gone on with, in ms. */
const FAILED_MS = 60_000;
const GO_ON_MS = 1_000;

/** What it is done with. */
export interface UpkeepOptions {
  readonly store: Store;
  readonly sources: readonly Source[];
  readonly ports: Ports;
  /** Left out = lists are read by hand only. */
  readonly receiver?: Receiver;
  readonly onReport?: OnInboxReport;
}

interface Duty {
  /** Ends a sentence about what failed. */
  readonly during: string;
  readonly everyMs: number;
  /** Once; false when there is more of it. */
  readonly run: () => Promise<boolean>;
}

/** Does it until the signal aborts. Never rejects. */
export async function keepUp(options: UpkeepOptions, signal: AbortSignal): Promise<void> {
  const { sources, receiver } = options;
  const forgetting: Duty = {
    during: "forgetting what is old",
    everyMs: FORGET_EVERY_MS,
    run: () => forgetAll(options, signal),
  };
  const lists = sources.flatMap((source): readonly Duty[] => {
    const everyMs = source.list?.everyMs ?? null;
    if (receiver === undefined || everyMs === null) return [];
    const during = `reading the list of ${source.name}`;
    return [{ during, everyMs, run: () => readList(options, receiver, source, signal) }];
  });
  await Promise.all([forgetting, ...lists].map((duty) => repeat(options, duty, signal)));
}

async function repeat(
  { ports, onReport }: UpkeepOptions,
  { during, everyMs, run }: Duty,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    let waitMs = Math.min(everyMs, FAILED_MS);
    try {
      waitMs = (await run()) ? everyMs : GO_ON_MS;
    } catch (error) {
      const isAway = isFootholdError(error) && error.code === "DATABASE_UNAVAILABLE";
      if (!signal.aborted) onReport?.({ kind: isAway ? "databaseAway" : "fault", during, error });
    }
    await ports.clock.sleep(waitMs, signal);
  }
}

async function readList(
  { store, ports, onReport }: UpkeepOptions,
  receiver: Receiver,
  source: Source,
  signal: AbortSignal,
): Promise<boolean> {
  const read = await reconcile({ store: store.inbox, receiver, ports, source, signal });
  const { items, missed, isComplete } = read;
  onReport?.({ kind: "reconciled", source: source.name, items, missed });
  return isComplete;
}

async function forgetAll({ store, sources }: UpkeepOptions, signal: AbortSignal): Promise<boolean> {
  const declared = sources.map(({ tenant, name, keepBodiesMs, rememberMs }) => ({
    tenant,
    source: name,
    keepBodiesMs,
    rememberMs,
  }));
  for (let from = 0; from < declared.length; from += SOURCES_MAX)
    await store.inbox.noteSources(declared.slice(from, from + SOURCES_MAX));
  let isWhole = true;
  for (const kept of [...declared, ...(await noMore(store, declared))])
    isWhole = (await forget(store, kept, signal)) && isWhole;
  return isWhole;
}

/** What was declared once and is no more, by this process at least: what it said last of its retention holds on. */
async function noMore(
  store: Store,
  declared: readonly SourceRetention[],
): Promise<readonly SourceRetention[]> {
  const noted = await store.inbox.listSources();
  return noted.filter(
    ({ tenant, source }) => !declared.some((one) => one.tenant === tenant && one.source === source),
  );
}

/** True when nothing old is left. */
async function forget(store: Store, kept: SourceRetention, signal: AbortSignal): Promise<boolean> {
  const { tenant, source, keepBodiesMs, rememberMs } = kept;
  const now = await store.now();
  for (let rounds = 0; rounds < FORGET_ROUNDS_MAX && !signal.aborted; rounds += 1) {
    const forgotten = await store.inbox.forget(
      { tenant, source },
      { bodiesBefore: now - keepBodiesMs, eventsBefore: now - rememberMs },
    );
    if (Object.values(forgotten).every((count) => count < SWEEP_MAX)) return true;
  }
  return false;
}
