/** What runs in one process over one open store: a server, a worker, a sweep. It prints nothing and ends nothing. */

import type { Ports } from "../core/ports.ts";
import type { Registry } from "../define/registry.ts";
import type { Desk } from "../desk/desk.ts";
import { createSealer } from "../desk/sealing.ts";
import type { OnReport } from "../engine/report.ts";
import { createSweep } from "../engine/sweep.ts";
import { createWorker, type Worker, type WorkerOptions } from "../engine/worker.ts";
import type { Roles } from "../core/rights.ts";
import { formatUtc } from "../core/utc-time.ts";
import { cookieRules, devSignIn, peopleSignIn } from "../http/api/identity.ts";
import type { OidcOptions } from "../define/config.ts";
import type { NoticeBook } from "../define/notice-book.ts";
import type { Reach } from "../http/loopback.ts";
import { createApp } from "../http/app.ts";
import { readFigures } from "../http/metrics.ts";
import { startServer, type RunningServer } from "../http/server.ts";
import { createInbox, type Inbox } from "../inbox/inbox.ts";
import type { OnInboxReport } from "../inbox/report.ts";
import type { Source } from "../inbox/source.ts";
import type { OnNoticeReport } from "../notices/report.ts";
import { createNoticeSweep } from "../notices/sweep.ts";
import type { Store } from "../store/port.ts";
import { observeFigures } from "../telemetry/open-telemetry-figures.ts";
import { noticeDeskParts, noticeParts, type NoticeReach } from "./notice-parts.ts";

/** What a worker is set to. */
export type WorkerSettings = Pick<WorkerOptions, "name" | "host" | "build" | "leaseMs" | "concurrency">;

/** Where the server listens, who may use it, and what it is called. */
export interface ServerSettings {
  readonly host: string;
  readonly port: number;
  readonly reach: Reach;
  /** Everybody is this person: `foothold dev`. Null = people sign in. */
  readonly everybody: string | null;
  /** Where pages are served and what serves them, for people. */
  readonly served: { readonly host: string; readonly build: string };
}

/** What is to run. */
export interface PartsOptions {
  /** What each role grants. */
  readonly roles: Roles;
  /** Where people sign in beside passwords; left out = nowhere. */
  readonly oidc?: OidcOptions | null;
  readonly store: Store;
  readonly registry: Registry;
  readonly ports: Ports;
  readonly desk: Desk;
  /** Null = no server. */
  readonly server: ServerSettings | null;
  /** Null = no worker. */
  readonly worker: WorkerSettings | null;
  /** Where events come from; left out = nowhere. Received by the server, worked on by the worker. */
  readonly sources?: readonly Source[];
  /** Who owners are and how they are told; left out = nobody is. */
  readonly notices?: NoticeBook | null;
  readonly onReport: OnReport;
  readonly onInboxReport?: OnInboxReport;
  readonly onNoticeReport?: OnNoticeReport;
  /** Told of what the server could not answer for. */
  readonly onError: (error: unknown) => void;
}

/** What runs. */
export interface Parts {
  readonly server: RunningServer | null;
  readonly worker: Worker | null;
  /** Stops in the order server, worker, sweep; what runs is finished first. The store stays open. Safe twice. */
  stop(): Promise<void>;
}

/** Starts the parts over a store whose schema is up to date. What was started is stopped again when a later part fails. */
export async function startParts(options: PartsOptions): Promise<Parts> {
  const { store, registry, ports, onReport } = options;
  const stops: (() => Promise<void>)[] = [];
  let stopping: Promise<void> | null = null;
  const stop = (): Promise<void> => (stopping ??= stopAll(stops));
  try {
    const inbox = inboxOf(options);
    const server = await startPage(options, inbox);
    if (server !== null) {
      const endFigures = observeFigures(() => readFigures({ desk: options.desk, store }));
      stops.push(async () => endFigures());
      stops.push(() => server.close());
    }
    stops.push(() => inbox.close());
    const worker =
      options.worker === null ? null : createWorker({ store, registry, ports, onReport, ...options.worker });
    if (worker !== null) stops.push(() => worker.stop());
    await worker?.start();
    stops.push(...(await startInbox(options, inbox, worker)));
    // Without definitions no move can be judged, and no attempt told to which destination it is sent.
    if (registry.all.length > 0) {
      const runner = options.desk.bulkRunner({ onError: options.onError });
      stops.push(() => runner.stop());
      runner.start();
      const schedules = options.desk.scheduleRunner({ onError: options.onError });
      stops.push(() => schedules.stop());
      schedules.start();
      const sampler = options.desk.sampler({ onError: options.onError });
      stops.push(() => sampler.stop());
      sampler.start();
    }
    if (server !== null) {
      const sealer = createSealer({ store, ports, onError: options.onError });
      stops.push(() => sealer.stop());
      sealer.start();
    }
    stops.push(...startNotices(options, server));
    const sweep = createSweep({ store, ports, onReport });
    stops.push(() => sweep.stop());
    sweep.start();
    return { server, worker, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function stopAll(stops: readonly (() => Promise<void>)[]): Promise<void> {
  for (const one of stops) await one();
}

function inboxOf({ store, ports, sources = [], onInboxReport }: PartsOptions): Inbox {
  return createInbox({
    store,
    sources,
    ports,
    ...(onInboxReport === undefined ? {} : { onReport: onInboxReport }),
  });
}

/**
 * The work of the inbox is done under the worker's holder, and ends before it. It is swept also where no source is declared:
 * other processes may have some, or there were some once.
 */
async function startInbox(
  { desk, registry, sources = [] }: PartsOptions,
  inbox: Inbox,
  worker: Worker | null,
): Promise<readonly (() => Promise<void>)[]> {
  const sweep = inbox.sweep();
  sweep.start();
  if (worker === null || sources.length === 0) return [() => sweep.stop()];
  const inboxWorker = inbox.worker({ door: desk, registry, holderId: () => worker.holderId });
  await inboxWorker.start();
  return [() => inboxWorker.stop(), () => sweep.stop()];
}

/** Needs no worker and no server: whoever runs tells. */
function startNotices(
  { notices = null, onNoticeReport = () => {}, ...options }: PartsOptions,
  running: RunningServer | null,
): readonly (() => Promise<void>)[] {
  const parts = noticeParts({ ...options, notices }, reachOf(options.server, running));
  if (parts === null) return [];
  const sweep = createNoticeSweep({ parts, onReport: onNoticeReport });
  sweep.start();
  return [() => sweep.stop()];
}

/** `foothold dev` may tell programs on its own machine. */
function reachOf(settings: ServerSettings | null, running: RunningServer | null): NoticeReach {
  const isPublic = settings?.reach.kind === "public" ? settings.reach.origin : null;
  return {
    consoleUrl: isPublic ?? running?.url ?? null,
    reachesLoopback: settings !== null && settings.everybody !== null,
  };
}

function startPage(
  {
    server,
    desk,
    store,
    registry,
    ports,
    roles,
    oidc = null,
    sources = [],
    notices = null,
    worker,
    onReport,
    onError,
  }: PartsOptions,
  inbox: Inbox,
): Promise<RunningServer> | null {
  if (server === null) return null;
  const { host, port, reach, everybody, served } = server;
  const cookie = cookieRules(reach.kind === "public");
  const signIn = everybody === null ? peopleSignIn(store.people, roles, cookie) : devSignIn(everybody);
  const app = createApp({
    desk,
    store,
    registry,
    ports,
    sources,
    formatTime: formatUtc,
    roles,
    signIn,
    cookie,
    reach,
    oidc,
    served,
    notices: noticeDeskParts({ store, registry, ports, notices }, reachOf(server, null)),
    onWork: onReport,
    ...(worker?.leaseMs === undefined ? {} : { workLeaseMs: worker.leaseMs }),
    onError,
  });
  return startServer({ app, host, port, reach, ...(sources.length === 0 ? {} : { inbox: inbox.node }) });
}
