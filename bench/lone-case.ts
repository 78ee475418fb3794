/**
 * What a lone case costs: commits and latency of one case with three instant steps, starter and worker in one process,
 * beside the p50 of one plain insert through the same pool in the same run. `npm run bench:lone-case`.
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
/** Commits that a lone case takes: start, claim, three intents (two with a confirmation), the last confirmation. */
const COMMITS_PER_CASE = 6;

const nowhere = defineDestination("nowhere", { idempotency: { by: "key", window: "1h" } });
const lone = defineCase("lone", { version: 1, owner: "bench", input: z.object({ n: z.number() }) })
  .step("first", { to: nowhere, run: () => Promise.resolve({ ok: 1 }) })
  .step("second", { to: nowhere, run: () => Promise.resolve({ ok: 2 }) })
  .step("third", { to: nowhere, run: () => Promise.resolve({ ok: 3 }) });

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
    registry,
    ports,
    engineVersion: ENGINE_VERSION,
    onDue: () => worker.hint(),
  });
  await worker.start();
  const runOne = async (): Promise<number> => {
    const startedAt = performance.now();
    const { caseId } = await desk.startCase("lone", { n: 1 }, { by: "bench" });
    await new Promise<void>((resolve) => ended.set(caseId, resolve));
    ended.delete(caseId);
    return performance.now() - startedAt;
  };
  for (let index = 0; index < WARM_UP_CASES; index += 1) {
    await runOne();
    await insertOne(`warm-${index}`);
  }
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const commitsBefore = await commits();
    const cases = [];
    const inserts = [];
    for (let index = 0; index < CASES_PER_ROUND; index += 1) {
      cases.push(await runOne());
      inserts.push(await insertOne(`${round}-${index}`));
    }
    const perCase = ((await commits()) - commitsBefore - CASES_PER_ROUND) / CASES_PER_ROUND;
    rounds.push({ caseMs: median(cases), insertMs: median(inserts), commits: perCase });
  }
  await worker.stop();
  for (const one of rounds) {
    process.stdout.write(
      `case p50 ${one.caseMs.toFixed(2)} ms, insert p50 ${one.insertMs.toFixed(3)} ms, ` +
        `${one.commits.toFixed(2)} commits a case, ratio ${ratio(one).toFixed(2)} x of that many inserts\n`,
    );
  }
  process.stdout.write(`median ratio ${median(rounds.map(ratio)).toFixed(2)} x\n`);
}

function ratio({ caseMs, insertMs }: { readonly caseMs: number; readonly insertMs: number }): number {
  return caseMs / (COMMITS_PER_CASE * insertMs);
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
