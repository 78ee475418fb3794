/** The commands that keep running: dev, serve, worker. */

import { hostname } from "node:os";
import { formatUtc } from "../core/utc-time.ts";
import { parseDuration } from "../define/duration.ts";
import { systemPorts } from "../engine/system.ts";
import { accountName } from "./account-name.ts";
import { proxiesAt, type IsProxy } from "../http/client-address.ts";
import type { Reach } from "../http/loopback.ts";
import { openBrowser } from "./browser.ts";
import { readWhole, usage, type Call, type Command, type OptionSpec } from "./command.ts";
import { PORT } from "./dev.ts";
import { DATABASE_OPTIONS } from "./database-options.ts";
import { open, type Opened, type OpenOptions } from "./open.ts";
import { packageVersion } from "./package-version.ts";
import { startParts, type Parts, type ServerSettings, type WorkerSettings } from "./parts.ts";
import { LOG_OPTIONS, openLog, type OpenedLog } from "./process-log.ts";
import { runUntilStopped, sayStopping } from "./shutdown.ts";
import { SPOKEN_NAME } from "./spoken-name.ts";
import { say } from "./terminal.ts";

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
    ...LOG_OPTIONS,
    { name: "no-open", value: null, help: "do not open a browser" },
  ],
  noServer: "it is one itself",
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
  options: [
    ...DATABASE_OPTIONS,
    ...serverOptions,
    ...LOG_OPTIONS,
    {
      name: "public-url",
      value: "URL",
      help: "https address that a proxy in front serves; needed for a host that is not loopback",
    },
    {
      name: "proxy",
      value: "NETWORK",
      help: "where that proxy is, such as 10.0.0.7 or 10.0.0.0/8: its X-Forwarded-For is believed; may be repeated",
      isRepeatable: true,
    },
  ],
  noServer: "it is one itself",
  notes: ["People sign in: see foothold help people. Health is at /healthz."],
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
  options: [...DATABASE_OPTIONS, ...workerOptions, ...LOG_OPTIONS],
  noServer: "it runs your code here, and works on the database itself",
  notes: ["It takes the case types of the configuration. Run as many as you like, on any machines."],
  run: (call) =>
    runParts(call, {
      open: { definitions: "needed", choice: "any", mayCreate: false, poolMax: 10 },
      isMigrating: false,
      hasServer: false,
      hasWorker: true,
    }),
};

interface Wanted {
  readonly open: OpenOptions;
  readonly isMigrating: boolean;
  readonly hasServer: boolean;
  readonly hasWorker: boolean;
}

async function runParts(call: Call, wanted: Wanted): Promise<void> {
  // Settings are read before anything is opened, so that a mistyped one costs nothing.
  const port = readWhole(call, "port", { min: 0, max: PORT_MAX }) ?? PORT;
  const server = wanted.hasServer ? serverSettings(call, port) : null;
  const worker = wanted.hasWorker ? workerSettings(call) : null;
  const opening = await openLog(call, systemPorts().clock);
  const { log } = opening;
  let opened: Opened | null = null;
  let running: Parts | null = null;
  await runUntilStopped({
    start: async () => {
      opened = await open(call, { ...wanted.open, formatTime: formatUtc });
      const { store } = opened;
      if (wanted.isMigrating) await store.migrate();
      else await store.checkSchema();
      running = await startParts({ ...opened, server, worker, ...log });
      const started = { server: running.server, workerName: worker?.name ?? null };
      tellStarted(call, opening, started, opened);
      if (opening.greets) sayStarted(call, started, opened);
      openPage(call, started);
    },
    onStopping: (signal) => log.tell({ event: "stopping", sentence: sayStopping(signal), facts: { signal } }),
    stop: async () => {
      try {
        await running?.stop();
        await opened?.close();
      } finally {
        opening.close();
      }
    },
  });
}

/** Only `dev` signs everybody in, and it listens on this machine only. */
function serverSettings(call: Call, port: number): ServerSettings {
  return {
    host: call.text("host") ?? "127.0.0.1",
    port,
    reach: reachOf(call),
    everybody: call.command.name === "dev" ? accountName() : null,
    served: { host: hostname(), build: buildName(call) },
  };
}

/** Without a public address the server is for this machine alone. */
function reachOf(call: Call): Reach {
  const given = call.command.name === "serve" ? call.text("public-url") : null;
  const proxies = call.command.name === "serve" ? call.texts("proxy") : [];
  if (given === null) {
    if (proxies.length === 0) return { kind: "loopback" };
    throw usage(call.command, "--proxy is for a server with a --public-url: nothing may forward to another.");
  }
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url?.protocol === "https:" && url.pathname === "/" && url.search === "" && url.hash === "") {
    return { kind: "public", origin: url.origin, isProxy: readProxies(call, proxies) };
  }
  throw usage(
    call.command,
    "--public-url must be an https address without a path, such as https://foothold.example.com.",
  );
}

function readProxies(call: Call, proxies: readonly string[]): IsProxy {
  try {
    return proxiesAt(proxies);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw usage(call.command, `--proxy must be an address or a network, and ${error.message}.`);
  }
}

function buildName(call: Call): string {
  return call.text("build") ?? process.env["FOOTHOLD_BUILD"] ?? `foothold ${packageVersion()}`;
}

function workerSettings(call: Call): WorkerSettings {
  const concurrency = readWhole(call, "concurrency", { min: 1, max: CONCURRENCY_MAX });
  const leaseMs = readLease(call);
  return {
    name: call.text("name") ?? `w-${process.pid}`,
    host: hostname(),
    build: buildName(call),
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

interface Started {
  readonly server: Parts["server"];
  /** Null = no worker. */
  readonly workerName: string | null;
}

function sayStarted(call: Call, { server, workerName }: Started, { registry, place, sources }: Opened): void {
  const types = registry.all.map(({ outline }) => `${outline.name} (version ${outline.version})`).join(", ");
  say(`foothold ${packageVersion()} ${call.command.name}`);
  say(`  database  ${place}`);
  say(`  cases     ${types === "" ? "no definition is loaded" : types}`);
  if (workerName !== null) say(`  worker    ${workerName}`);
  if (server !== null) say(`  page      ${server.url}/`);
  if (server !== null) say(`  health    ${server.url}/healthz`);
  if (server !== null) for (const { name } of sources) say(`  source    ${server.url}/inbox/${name}`);
  if (call.command.name === "dev") sayNext(registry.all[0]?.outline.name ?? "TYPE");
  say("Ctrl-C stops it.");
}

function openPage(call: Call, { server }: Started): void {
  if (server !== null && call.command.name === "dev" && !call.flag("no-open")) openBrowser(server.url);
}

function tellStarted(
  call: Call,
  { tellStart }: OpenedLog,
  { server, workerName }: Started,
  { registry, place }: Opened,
): void {
  const command = call.command.name;
  tellStart({
    event: "started",
    sentence: `foothold ${packageVersion()} ${command} is up`,
    facts: {
      command,
      version: packageVersion(),
      database: place,
      caseTypes: registry.all.map(({ outline }) => `${outline.name} (version ${outline.version})`),
      ...(workerName === null ? {} : { worker: workerName }),
      ...(server === null ? {} : { url: server.url }),
    },
  });
}

function sayNext(caseType: string): void {
  say("Next, in another terminal in this folder:");
  const lines = [
    [`cases start ${caseType} --input '{…}'`, "starts one"],
    ["cases list", "shows where each stands"],
    ["help cases", "shows what else you can do"],
  ] as const;
  const wide = Math.max(...lines.map(([command]) => command.length));
  for (const [command, does] of lines) say(`  ${SPOKEN_NAME} ${command.padEnd(wide)}   ${does}`);
}
