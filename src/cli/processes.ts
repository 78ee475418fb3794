/** The commands that keep running: dev, serve, worker, sweep; and migrate, which prepares for them. */

import { hostname } from "node:os";
import { FootholdError } from "../core/errors.ts";
import { parseDuration } from "../define/duration.ts";
import { createSweep, type Sweep } from "../engine/sweep.ts";
import { createWorker, type Worker } from "../engine/worker.ts";
import { createApp } from "../http/app.ts";
import { startServer, type RunningServer } from "../http/server.ts";
import { openBrowser } from "./browser.ts";
import { usage, type Call, type Command, type OptionSpec } from "./command.ts";
import { DATABASE_OPTIONS, open, type Opened, type OpenOptions } from "./open.ts";
import { packageVersion } from "./package-version.ts";
import { reportLines } from "./report-lines.ts";
import { runUntilStopped } from "./shutdown.ts";
import { say, sayError } from "./terminal.ts";
import { formatTime } from "./times.ts";

/** Port of the server where none is named. */
export const PORT = 4680;
const PORT_MAX = 65_535;
const CONCURRENCY_MAX = 1_000;
const LEASE_MS_MIN = 1_000;
const LEASE_MS_MAX = 600_000;

const serverOptions: readonly OptionSpec[] = [
  { name: "port", value: "PORT", help: `port of the server; ${PORT} when left out, 0 = any free one` },
  { name: "host", value: "HOST", help: "a loopback address, or localhost; 127.0.0.1 when left out" },
];

const workerOptions: readonly OptionSpec[] = [
  { name: "name", value: "NAME", help: "name of the worker for people; w-PROCESS when left out" },
  { name: "build", value: "BUILD", help: "what runs, for people; else FOOTHOLD_BUILD or this release" },
  { name: "concurrency", value: "CASES", help: "cases held at once; 64 when left out" },
  { name: "lease", value: "TIME", help: "how long it may be silent, such as 10s (the default)" },
];

/** Everything in one process, for developing. */
export const devCommand: Command = {
  name: "dev",
  summary: "server, worker and sweep in one process, on an embedded database",
  positionals: [],
  options: [
    ...DATABASE_OPTIONS,
    ...serverOptions,
    ...workerOptions,
    { name: "no-open", value: null, help: "do not open a browser" },
  ],
  notes: ["The database is brought up to date first. Only --database takes the place of the embedded one."],
  run: (call) =>
    runParts(call, {
      open: { definitions: "needed", choice: "given", mayCreate: true, poolMax: 10 },
      isMigrating: true,
      hasServer: true,
      hasWorker: true,
    }),
};

/** Server and sweep. */
export const serveCommand: Command = {
  name: "serve",
  summary: "the server, with a sweep and without a worker",
  positionals: [],
  options: [...DATABASE_OPTIONS, ...serverOptions],
  notes: ["It listens on this machine only: there is no sign-in yet. Health is at /healthz."],
  run: (call) =>
    runParts(call, {
      open: { definitions: "optional", choice: "any", mayCreate: false, poolMax: 10 },
      isMigrating: false,
      hasServer: true,
      hasWorker: false,
    }),
};

/** Worker and sweep. */
export const workerCommand: Command = {
  name: "worker",
  summary: "a worker, with a sweep and without a server",
  positionals: [],
  options: [...DATABASE_OPTIONS, ...workerOptions],
  notes: ["It takes the case types of the configuration. Run as many as you like, on any machines."],
  run: (call) =>
    runParts(call, {
      open: { definitions: "needed", choice: "any", mayCreate: false, poolMax: 10 },
      isMigrating: false,
      hasServer: false,
      hasWorker: true,
    }),
};

interface Parts {
  readonly open: OpenOptions;
  readonly isMigrating: boolean;
  readonly hasServer: boolean;
  readonly hasWorker: boolean;
}

/** What runs; parts are stopped in the order server, worker, sweep, database. */
interface Running {
  server: RunningServer | null;
  worker: Worker | null;
  sweep: Sweep | null;
  opened: Opened | null;
}

async function runParts(call: Call, parts: Parts): Promise<void> {
  const running: Running = { server: null, worker: null, sweep: null, opened: null };
  await runUntilStopped({
    start: () => startParts(call, parts, running),
    stop: async () => {
      await running.server?.close();
      await running.worker?.stop();
      await running.sweep?.stop();
      await running.opened?.close();
    },
  });
}

async function startParts(call: Call, parts: Parts, running: Running): Promise<void> {
  const port = readWhole(call, "port", { min: 0, max: PORT_MAX }) ?? PORT;
  const makeWorker = parts.hasWorker ? workerMaker(call) : null;
  const opened = await open(call, parts.open);
  running.opened = opened;
  const { store, ports, desk } = opened;
  if (parts.isMigrating) await store.migrate();
  else await store.checkSchema();
  const onReport = reportLines(() => ports.clock.now());
  if (parts.hasServer) {
    const app = createApp({
      desk,
      clock: ports.clock,
      formatTime,
      onError: (error) => sayError(error, true),
    });
    running.server = await startServer({ app, host: call.text("host") ?? "127.0.0.1", port });
  }
  if (makeWorker !== null) {
    running.worker = createWorker({ ...makeWorker, ...opened, onReport });
    await running.worker.start();
  }
  running.sweep = createSweep({ store, ports, onReport });
  running.sweep.start();
  sayStarted(call, running, opened);
}

type WorkerSettings = Pick<
  Parameters<typeof createWorker>[0],
  "name" | "host" | "build" | "leaseMs" | "concurrency"
>;

/** Settings are read before anything is opened, so that a mistyped one costs nothing. */
function workerMaker(call: Call): WorkerSettings {
  const concurrency = readWhole(call, "concurrency", { min: 1, max: CONCURRENCY_MAX });
  const leaseMs = readLease(call);
  return {
    name: call.text("name") ?? `w-${process.pid}`,
    host: hostname(),
    build: call.text("build") ?? process.env["FOOTHOLD_BUILD"] ?? `foothold ${packageVersion()}`,
    ...(concurrency === null ? {} : { concurrency }),
    ...(leaseMs === null ? {} : { leaseMs }),
  };
}

function readLease(call: Call): number | null {
  const text = call.text("lease");
  if (text === null) return null;
  const leaseMs = parseDuration(text);
  if (leaseMs >= LEASE_MS_MIN && leaseMs <= LEASE_MS_MAX) return leaseMs;
  throw usage(call.command, `--lease must be from ${LEASE_MS_MIN / 1_000}s to ${LEASE_MS_MAX / 1_000}s.`);
}

/** A whole number within bounds; null = the option was not given. Throws `USAGE`. */
export function readWhole(
  call: Call,
  option: string,
  { min, max }: { readonly min: number; readonly max: number },
): number | null {
  const text = call.text(option);
  if (text === null) return null;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw usage(call.command, `--${option} must be a whole number from ${min} to ${max}.`);
}

function sayStarted(call: Call, { server, worker }: Running, { registry, place }: Opened): void {
  const types = registry.all.map(({ outline }) => `${outline.name} (version ${outline.version})`).join(", ");
  say(`foothold ${packageVersion()} ${call.command.name}`);
  say(`  database  ${place}`);
  say(`  cases     ${types === "" ? "no definition is loaded" : types}`);
  if (worker !== null) say(`  worker    ${worker.holderId}`);
  if (server !== null) say(`  page      ${server.url}/`);
  if (server !== null) say(`  health    ${server.url}/healthz`);
  if (call.command.name === "dev") sayNext(registry.all[0]?.outline.name ?? "TYPE");
  say("Ctrl-C stops it.");
  if (server !== null && call.command.name === "dev" && !call.flag("no-open")) openBrowser(server.url);
}

function sayNext(caseType: string): void {
  say("Next, in another terminal in this folder:");
  say(`  foothold cases start ${caseType} --input '{…}'   starts one`);
  say("  foothold cases list                           shows where each stands");
  say("  foothold help cases                           shows what else you can do");
}

/** Brings the schema up to date. */
export const migrateCommand: Command = {
  name: "migrate",
  summary: "bring the database up to date; makes an embedded one where none is named",
  positionals: [],
  options: [...DATABASE_OPTIONS, { name: "json", value: null, help: "print one JSON document" }],
  notes: ["Safe while workers run, and when several do it at once."],
  run: async (call) => {
    const opened = await open(call, { definitions: "optional", choice: "any", mayCreate: true, poolMax: 2 });
    try {
      const report = await opened.store.migrate();
      if (call.flag("json")) say(JSON.stringify(report));
      else if (report.applied.length === 0) say(`Up to date: schema version ${report.version}.`);
      else say(`Now at schema version ${report.version}; applied ${report.applied.join(", ")}.`);
    } finally {
      await opened.close();
    }
  },
};

/** The sweep by itself. */
export const sweepCommand: Command = {
  name: "sweep",
  summary: "free what lost workers hold, until stopped or once",
  positionals: [],
  options: [
    ...DATABASE_OPTIONS,
    { name: "once", value: null, help: "watch for one lease, free what is dead, and end" },
    { name: "json", value: null, help: "with --once: print one JSON document" },
  ],
  notes: ["Every worker and server sweeps too; this is for a machine that runs neither, or for a timer."],
  run: async (call) => {
    if (call.flag("json") && !call.flag("once")) throw usage(call.command, "--json goes with --once.");
    return call.flag("once") ? sweepOnce(call) : sweepOn(call);
  },
};

async function sweepOn(call: Call): Promise<void> {
  const running: Running = { server: null, worker: null, sweep: null, opened: null };
  await runUntilStopped({
    start: async () => {
      running.opened = await open(call, sweepOpen);
      const { store, ports, place } = running.opened;
      await store.checkSchema();
      running.sweep = createSweep({ store, ports, onReport: reportLines(() => ports.clock.now()) });
      running.sweep.start();
      say(`Sweeping ${place}. Ctrl-C stops it.`);
    },
    stop: async () => {
      await running.sweep?.stop();
      await running.opened?.close();
    },
  });
}

const sweepOpen: OpenOptions = { definitions: "optional", choice: "any", mayCreate: false, poolMax: 2 };

/** How often a single sweep looks while it watches, in ms. */
const WATCH_EVERY_MS = 500;

/** A holder counts as dead only when its beat was watched for a lease; so "once" takes as long as the longest lease. */
async function sweepOnce(call: Call): Promise<void> {
  const opened = await open(call, sweepOpen);
  const { store, ports } = opened;
  try {
    await store.checkSchema();
    const sweep = createSweep({ store, ports });
    const holders = await store.listHolders();
    const watchMs = Math.max(
      0,
      ...holders.filter((one) => one.endedAt === null).map(({ leaseMs }) => leaseMs),
    );
    if (watchMs > LEASE_MS_MAX) {
      throw new FootholdError(
        "INVARIANT_BROKEN",
        `A holder has a lease of ${watchMs} ms, which is too long.`,
      );
    }
    const passes = [await sweep.sweepOnce()];
    const endAt = ports.clock.monotonic() + watchMs;
    while (ports.clock.monotonic() < endAt) {
      await ports.clock.sleep(Math.min(WATCH_EVERY_MS, endAt - ports.clock.monotonic() + 1));
      passes.push(await sweep.sweepOnce());
    }
    sayPasses(call, passes);
  } finally {
    await opened.close();
  }
}

function sayPasses(call: Call, passes: readonly Awaited<ReturnType<Sweep["sweepOnce"]>>[]): void {
  const endedHolders = passes.flatMap((one) => one.endedHolders);
  const freedClaims = passes.flatMap((one) => one.freedClaims);
  const failed = passes.at(-1)?.failed ?? [];
  if (call.flag("json")) {
    const failures = failed.map(({ caseId, error }) => ({ caseId, error: String(error) }));
    say(JSON.stringify({ endedHolders, freedClaims, failed: failures }));
    return;
  }
  for (const { name, holderId } of endedHolders) say(`${name} (${holderId}) was lost.`);
  for (const { caseId } of freedClaims) say(`${caseId}: freed; another worker goes on with it.`);
  for (const { caseId, error } of failed) say(`${caseId}: could not be freed: ${String(error)}`);
  if (endedHolders.length + freedClaims.length + failed.length === 0) say("Nothing was lost.");
}
