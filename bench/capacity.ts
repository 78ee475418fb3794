/**
 * `npm run bench:capacity`: what a case costs by its steps: time of the worker's and of the database's processors, bytes that
 * stay, WAL, commits; and from it what a machine can do. Cases of 1, 3 and 10 steps, each a request over HTTP on this machine,
 * 64 under way, medians of the rounds in turns. What is found is put in a straight line through the steps, and that predicts a
 * run of 5 steps, which is made afterwards: `-- --predict-only` prints the prediction and makes no such run.
 * Linux only: processor time is read from `/proc`.
 */

import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { findTestBinaries, startServer } from "../test/setup/server.ts";
import { openStarter, startWorker, type CrewWorker } from "./worker-crew.ts";
import type { StepCount } from "./worker-process.ts";

const { values } = parseArgs({
  options: {
    cases: { type: "string", default: "2000" },
    rounds: { type: "string", default: "3" },
    "predict-only": { type: "boolean", default: false },
  },
});
const CASES = Number(values.cases);
const ROUNDS = Number(values.rounds);
const LEARNED: readonly StepCount[] = [1, 3, 10];
const PREDICTED: StepCount = 5;
const IN_FLIGHT = 64;
const WARM_UP_CASES = 500;
/** Of `/proc`: ticks of its clock in a second, everywhere. */
const TICKS = 100;

/** What one case took. */
interface Cost {
  readonly workerMs: number;
  readonly databaseMs: number;
  readonly storedBytes: number;
  readonly walBytes: number;
  readonly commits: number;
  /** From the first start to the last end, for each case, in ms. */
  readonly wallMs: number;
}

const FIGURES = ["workerMs", "databaseMs", "storedBytes", "walBytes", "commits", "wallMs"] as const;

const server = await startServer(await findTestBinaries(), {
  settings: { shared_buffers: "1GB", max_wal_size: "8GB", checkpoint_timeout: "30min", autovacuum: "off" },
});
const destination = createServer((request, response) => {
  request.resume();
  response.setHeader("content-type", "application/json").end('{"ok":true}');
});
await new Promise<void>((resolve) => destination.listen(0, "127.0.0.1", resolve));
const client = new Client(server.url);
await client.connect();
const starter = await openStarter(server.url);
const workers: CrewWorker[] = [];
try {
  await hire();
  await loop(3, WARM_UP_CASES);
  const costs = new Map(LEARNED.map((steps) => [steps, [] as Cost[]]));
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [steps, found] of costs) found.push(await measure(steps));
  for (const [steps, found] of costs) console.log(`${steps} steps: ${tell(middle(found))}`);
  const predicted = predict([...costs].map(([steps, found]) => ({ steps, cost: middle(found) })));
  console.log(`predicted for ${PREDICTED} steps: ${tell(predicted)}`);
  const connections = await client.query<{ n: number }>(
    "select count(*)::integer as n from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
  );
  console.log(
    `a worker: ${mb(workers[0]?.memory().rss ?? 0)}; with whoever starts cases ${connections.rows[0]?.n} connections`,
  );
  if (!values["predict-only"]) await judge(predicted);
} finally {
  await Promise.all(workers.map(({ kill }) => kill()));
  await starter.close();
  await client.end();
  destination.close();
  await server.stop();
}

async function hire(): Promise<void> {
  const address = destination.address();
  if (address === null || typeof address === "string") throw new Error("the destination has no port");
  const destinationUrl = `http://127.0.0.1:${address.port}/`;
  workers.push(
    await startWorker({ url: server.url, concurrency: IN_FLIGHT, leaseMs: 10_000, destinationUrl }),
  );
}

/** The predicted run with one worker, and the same with two. */
async function judge(predicted: Cost): Promise<void> {
  const alone: Cost[] = [];
  for (let round = 0; round < ROUNDS; round += 1) alone.push(await measure(PREDICTED));
  const found = middle(alone);
  console.log(`found for ${PREDICTED} steps: ${tell(found)}`);
  const off = FIGURES.map((name) => `${name} ${percent(found[name] / predicted[name] - 1)}`);
  console.log(`off by: ${off.join(", ")}`);
  await hire();
  await loop(PREDICTED, WARM_UP_CASES);
  const beside: Cost[] = [];
  for (let round = 0; round < ROUNDS; round += 1) beside.push(await measure(PREDICTED));
  const ratio = found.wallMs / middle(beside).wallMs;
  console.log(
    `two workers on ${availableParallelism()} cores: ${ratio.toFixed(2)} x the cases of one; ${tell(middle(beside))}`,
  );
}

async function measure(steps: StepCount): Promise<Cost> {
  const before = await readMeters();
  const startedAt = performance.now();
  await loop(steps, CASES);
  const wallMs = performance.now() - startedAt;
  const after = await readMeters();
  const each = (name: keyof Meters): number => (after[name] - before[name]) / CASES;
  return {
    workerMs: each("workerMs"),
    databaseMs: each("databaseMs"),
    storedBytes: each("storedBytes"),
    walBytes: each("walBytes"),
    commits: each("commits"),
    wallMs: wallMs / CASES,
  };
}

async function loop(steps: StepCount, cases: number): Promise<void> {
  let left = cases;
  const one = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await starter.ended(await starter.start(steps));
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT * workers.length }, one));
}

/** What counts up. */
interface Meters {
  readonly workerMs: number;
  readonly databaseMs: number;
  readonly storedBytes: number;
  readonly walBytes: number;
  readonly commits: number;
}

async function readMeters(): Promise<Meters> {
  // A backend tells what it counted a second after it came to rest.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const { rows } = await client.query<{ stored: number; wal: number; commits: number }>(`
    select (select sum(pg_total_relation_size(c.oid)) from pg_class as c
        where c.relnamespace = 'foothold'::regnamespace and c.relkind = 'r')::float8 as stored,
      (pg_current_wal_lsn() - '0/0'::pg_lsn)::float8 as wal,
      (select xact_commit from pg_stat_database where datname = current_database())::float8 as commits`);
  const [row] = rows;
  if (row === undefined) throw new Error("the server told nothing");
  return {
    workerMs: workers.reduce((sum, { pid }) => sum + processorMs(pid), 0),
    databaseMs: [server.pid(), ...childrenOf(server.pid())].reduce((sum, pid) => sum + processorMs(pid), 0),
    storedBytes: row.stored,
    walBytes: row.wal,
    commits: row.commits,
  };
}

/** In user code and the kernel, of a process and of its children that have ended. */
function processorMs(pid: number): number {
  const fields = fieldsOf(pid);
  const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0);
  return (ticks * 1_000) / TICKS;
}

function childrenOf(parent: number): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return Number(fieldsOf(pid)[1]) === parent;
      } catch {
        return false; // It has ended meanwhile.
      }
    });
}

/** Of `/proc/PID/stat`, from the third on: the second, a name in brackets, may hold anything. */
function fieldsOf(pid: number): readonly string[] {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
}

/** Of each figure the median. */
function middle(costs: readonly Cost[]): Cost {
  return costOf((name) => {
    const sorted = costs.map((cost) => cost[name]).toSorted((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  });
}

/** A straight line through the steps (least squares), read at the steps that were not measured. */
function predict(learned: readonly { readonly steps: number; readonly cost: Cost }[]): Cost {
  const meanSteps = learned.reduce((sum, { steps }) => sum + steps, 0) / learned.length;
  return costOf((name) => {
    const mean = learned.reduce((sum, { cost }) => sum + cost[name], 0) / learned.length;
    const above = learned.reduce(
      (sum, { steps, cost }) => sum + (steps - meanSteps) * (cost[name] - mean),
      0,
    );
    const perStep = above / learned.reduce((sum, { steps }) => sum + (steps - meanSteps) ** 2, 0);
    return mean + perStep * (PREDICTED - meanSteps);
  });
}

function costOf(figure: (name: keyof Cost) => number): Cost {
  return {
    workerMs: figure("workerMs"),
    databaseMs: figure("databaseMs"),
    storedBytes: figure("storedBytes"),
    walBytes: figure("walBytes"),
    commits: figure("commits"),
    wallMs: figure("wallMs"),
  };
}

function tell({ workerMs, databaseMs, storedBytes, walBytes, commits, wallMs }: Cost): string {
  return (
    `${(1_000 / wallMs).toFixed(0)} cases/s; each ${workerMs.toFixed(2)} ms of the worker's processor, ${databaseMs.toFixed(2)} ms of ` +
    `the database's, ${kB(storedBytes)} stored, ${kB(walBytes)} of WAL, ${commits.toFixed(2)} commits`
  );
}

function kB(bytes: number): string {
  return `${(bytes / 1_024).toFixed(1)} kB`;
}

function percent(share: number): string {
  return `${share < 0 ? "" : "+"}${(share * 100).toFixed(0)} %`;
}

function mb(bytes: number): string {
  return `${(bytes / 1_024 / 1_024).toFixed(0)} MB`;
}
