/**
 * What a lone case costs: commits and latency of one case with three instant steps, starter and worker in one process,
 * beside two inserts in the same run: the least that one can be (one row into a bare table), and the insert that starts
 * a case through our own pool (a row and its first entry, with their indexes). `npm run bench:lone-case`.
 *
 * Prints medians of several rounds and their ratio; an idle machine gives steadier figures than a busy one.
 */

import { Pool } from "pg";
import { z } from "zod";
import {
  createDesk,
  createWorker,
  defineCase,
  defineDestination,
  ENGINE_VERSION,
  registryOf,
  systemPorts,
  type Report,
} from "foothold";
import { postgresStore } from "foothold/postgres";
import { findTestBinaries, startServer } from "../test/setup/server.ts";

const ROUNDS = 5;
const CASES_PER_ROUND = 200;
const WARM_UP_CASES = 50;

const nowhere = defineDestination("nowhere", { idempotency: { by: "key", window: "1h" } });
const lone = defineCase("lone", { version: 1, owner: "bench", input: z.object({ n: z.number() }) })
  .step("first", { to: nowhere, run: () => Promise.resolve({ ok: 1 }) })
  .step("second", { to: nowhere, run: () => Promise.resolve({ ok: 2 }) })
  .step("third", { to: nowhere, run: () => Promise.resolve({ ok: 3 }) });
/** A type that no worker takes: its cases are only inserted. */
const idle = defineCase("idle", { version: 1, owner: "bench", input: z.object({ n: z.number() }) }).sleep(
  "rest",
  {
    for: "1h",
  },
);

const server = await startServer(await findTestBinaries());
const store = postgresStore({ url: server.url });
const pool = new Pool({ connectionString: server.url, max: 1 });
try {
  await store.migrate();
  await pool.query(
    "create table plain_insert (id text primary key, at timestamptz not null, body bytea not null, hash bytea not null)",
  );
  await measure();
} finally {
  await pool.end();
  await store.close();
  await server.stop();
}

async function measure(): Promise<void> {
  const ports = systemPorts();
  const registry = registryOf([lone]);
  const all = registryOf([lone, idle]);
  const ended = new Map<string, () => void>();
  const onReport = (report: Report): void => {
    if (report.kind === "released") ended.get(report.caseId)?.();
    if (report.kind === "bug") throw report.error;
  };
  const worker = createWorker({
    store,
    registry,
    ports,
    name: "bench",
    host: "bench",
    build: "bench",
    onReport,
  });
  const desk = createDesk({
    store,
    registry: all,
    ports,
    engineVersion: ENGINE_VERSION,
  });
  await worker.start();
  const runOne = async (): Promise<number> => {
    const startedAt = performance.now();
    const { caseId } = await desk.startCase("lone", { n: 1 }, { by: "bench" });
    await new Promise<void>((resolve) => ended.set(caseId, resolve));
    ended.delete(caseId);
    return performance.now() - startedAt;
  };
  const startOnly = async (): Promise<number> => {
    const startedAt = performance.now();
    await desk.startCase("idle", { n: 1 }, { by: "bench" });
    return performance.now() - startedAt;
  };
  for (let index = 0; index < WARM_UP_CASES; index += 1) {
    await runOne();
    await startOnly();
    await insertOne(`warm-${index}`);
  }
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const [cases, starts, inserts] = [[] as number[], [] as number[], [] as number[]];
    const commitsBefore = await commits();
    for (let index = 0; index < CASES_PER_ROUND; index += 1) cases.push(await runOne());
    // Asking for the number takes one itself.
    const perCase = ((await commits()) - commitsBefore - 1) / CASES_PER_ROUND;
    for (let index = 0; index < CASES_PER_ROUND; index += 1) {
      starts.push(await startOnly());
      inserts.push(await insertOne(`${round}-${index}`));
    }
    rounds.push({
      caseMs: median(cases),
      startMs: median(starts),
      insertMs: median(inserts),
      commits: perCase,
    });
  }
  await worker.stop();
  for (const one of rounds) {
    process.stdout.write(
      `case p50 ${one.caseMs.toFixed(2)} ms in ${one.commits.toFixed(2)} commits; ` +
        `start p50 ${one.startMs.toFixed(3)} ms (${ratio(one, one.startMs).toFixed(2)} x), ` +
        `bare insert p50 ${one.insertMs.toFixed(3)} ms (${ratio(one, one.insertMs).toFixed(2)} x)\n`,
    );
  }
  const overall = (pick: (one: Round) => number): string =>
    median(rounds.map((one) => ratio(one, pick(one)))).toFixed(2);
  process.stdout.write(
    `a case takes ${overall(({ startMs }) => startMs)} x its commits of the insert that starts a case, ` +
      `${overall(({ insertMs }) => insertMs)} x of a bare one-row insert\n`,
  );
}

interface Round {
  readonly caseMs: number;
  readonly startMs: number;
  readonly insertMs: number;
  readonly commits: number;
}

/** How many times longer the case took than as many single inserts as it made commits. */
function ratio({ caseMs, commits: made }: Round, insertMs: number): number {
  return caseMs / (made * insertMs);
}

async function insertOne(id: string): Promise<number> {
  const startedAt = performance.now();
  const values = [id, new Date(), Buffer.alloc(400, 1), Buffer.alloc(32, 2)];
  await pool.query({
    name: "plain_insert",
    text: "insert into plain_insert values ($1, $2, $3, $4)",
    values,
  });
  return performance.now() - startedAt;
}

async function commits(): Promise<number> {
  const { rows } = await pool.query<{ n: string }>("select pg_current_xact_id()::text as n");
  return Number(rows[0]?.n);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
