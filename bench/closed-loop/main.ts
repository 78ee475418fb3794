/**
 * The closed loop: as many cases of three instant steps under way at any time as are asked for, on each contestant in turn,
 * each in a process and an empty database of its own. `npm run bench`; `-- --only foothold,naive --in-flight 64 --rounds 3
 * --window-ms 2000` for less. Writes `docs/benchmarks.md` and its plot when everything was run, else prints the table.
 */

import { execFileSync, fork, spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { findTestBinaries, startServer, type TestServer } from "../../test/setup/server.ts";
import { ENTRANTS, isEntrantName, type EntrantName } from "./contestants.ts";
import type { LoopFigures } from "./loop-process.ts";
import { plotLoops } from "./plot.ts";
import { writePage, writeTable, type Measured, type Run } from "./table.ts";

const LEVELS = [1, 16, 64, 256];
const ROUNDS = 5;
const WINDOW_MS = 3_000;
/** A contestant that has not ended by then has failed, in ms. */
const RUN_MS_MAX = 90_000;
/** Of the server: memory for all, and no checkpoint in the middle of a window. */
const SETTINGS = {
  shared_buffers: "1GB",
  max_connections: "500",
  max_wal_size: "4GB",
  checkpoint_timeout: "15min",
};

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    "in-flight": { type: "string" },
    rounds: { type: "string", default: String(ROUNDS) },
    "window-ms": { type: "string", default: String(WINDOW_MS) },
  },
});
const names = (values.only?.split(",") ?? Object.keys(ENTRANTS)).map((name) => {
  if (isEntrantName(name)) return name;
  throw new Error(`Nobody is called ${name}: there are ${Object.keys(ENTRANTS).join(", ")}.`);
});
const levels = values["in-flight"]?.split(",").map(Number) ?? LEVELS;
const rounds = Number(values.rounds);
const peers = new URL("../peers/", import.meta.url).pathname;
if (names.some((name) => ENTRANTS[name].packageName !== null) && !existsSync(join(peers, "node_modules"))) {
  execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: peers, stdio: "inherit" });
}

const redis = await startRedis();
const server = await startServer(await findTestBinaries(), { settings: SETTINGS });
const runs: Run[] = [];
try {
  for (const inFlight of levels) {
    for (let round = 1; round <= rounds; round += 1) {
      for (const name of names) {
        if (isWithoutRedis(name)) continue;
        const figures = await measure(server, name, inFlight);
        runs.push({ name, inFlight, figures });
        process.stdout.write(
          `${inFlight} in flight, round ${round}: ${ENTRANTS[name].label} ${figures.casesPerSecond.toFixed(0)}/s\n`,
        );
      }
    }
  }
} finally {
  await server.stop();
  redis?.stop();
}
report();

function report(): void {
  const measured: Measured = {
    runs,
    rounds,
    windowMs: Number(values["window-ms"]),
    postgres: server.version,
    machine: `${cpus().length} x ${cpus()[0]?.model ?? "unknown"}`,
    node: process.version,
    versions: Object.fromEntries(names.map((name) => [name, versionOf(name)])),
    leftOut: names.filter(isWithoutRedis).map((name) => ({ name, why: "no redis-server is installed" })),
  };
  if (names.length < Object.keys(ENTRANTS).length || levels.length < LEVELS.length) {
    process.stdout.write(`${writeTable(measured)}\n`);
    return;
  }
  const docs = new URL("../../docs/", import.meta.url);
  writeFileSync(new URL("benchmarks.md", docs), writePage(measured));
  writeFileSync(new URL("benchmarks.svg", docs), plotLoops(measured));
}

function isWithoutRedis(name: EntrantName): boolean {
  return "needsRedis" in ENTRANTS[name] && redis === null;
}

function versionOf(name: EntrantName): string {
  const { packageName } = ENTRANTS[name];
  const file = packageName === null ? "package.json" : `bench/peers/node_modules/${packageName}/package.json`;
  const text = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
  const { version } = JSON.parse(text) as { readonly version: string };
  return packageName === null ? "" : version;
}

/** One run, in an empty database that is dropped afterwards. */
async function measure(on: TestServer, name: EntrantName, inFlight: number): Promise<LoopFigures> {
  const database = `bench_${name}`;
  await command(on, `drop database if exists ${database} with (force)`);
  await command(on, `create database ${database}`);
  await command(on, "checkpoint");
  const url = on.url.replace("/postgres?", `/${database}?`);
  const child = fork(
    new URL("loop-process.ts", import.meta.url),
    [name, String(inFlight), url, values["window-ms"], ...(redis === null ? [] : [String(redis.port)])],
    { stdio: ["ignore", "ignore", "inherit", "ipc"], execArgv: process.execArgv },
  );
  const figures = await figuresOf(child, name);
  await command(on, `drop database if exists ${database} with (force)`);
  return figures;
}

async function figuresOf(child: ChildProcess, name: string): Promise<LoopFigures> {
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const timer = setTimeout(() => child.kill("SIGKILL"), RUN_MS_MAX);
  try {
    return await new Promise<LoopFigures>((resolve, reject) => {
      // Sent by our own process, loop-process.ts.
      child.once("message", (message) => resolve(message as LoopFigures));
      child.once("exit", (code) => reject(new Error(`${name} ended with ${code} before it was measured`)));
    });
  } finally {
    await ended;
    clearTimeout(timer);
  }
}

async function command(on: TestServer, text: string): Promise<void> {
  const client = new Client({ connectionString: on.url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

/** A Redis that appends every second, in a folder of its own; null = none is installed. */
async function startRedis(): Promise<{ readonly port: number; readonly stop: () => void } | null> {
  if (!names.some((name) => "needsRedis" in ENTRANTS[name])) return null;
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "bench-redis-"));
  const options = [
    "--port",
    String(port),
    "--dir",
    folder,
    "--appendonly",
    "yes",
    "--appendfsync",
    "everysec",
  ];
  const daemon = spawn("redis-server", [...options, "--bind", "127.0.0.1"], { stdio: "ignore" });
  const isThere = await new Promise<boolean>((resolve) => {
    daemon.once("error", () => resolve(false));
    daemon.once("spawn", () => resolve(true));
  });
  if (!isThere) return null;
  const stop = (): void => {
    daemon.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  };
  return { port, stop };
}

async function freePort(): Promise<number> {
  const listening = createServer();
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  const address = listening.address();
  await new Promise((resolve) => listening.close(resolve));
  if (address === null || typeof address === "string") throw new Error("there is no free port");
  return address.port;
}
