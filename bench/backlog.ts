/**
 * What cases cost that are only there. `npm run bench:backlog`, about ten minutes; `-- --size 100000` for less. In one run, side
 * by side: a claim of 64 cases out of 1,000, 100,000 and 1,000,000 that are due, also where places go round tenants; the closed
 * loop with and without 1,000,000 cases that wait; bytes, commits and WAL of a finished case; bytes of one that waits.
 *
 * Cases are copied from one that the engine started, row and journal, so that what is claimed is what the engine would read.
 */

import { parseArgs } from "node:util";
import { Client } from "pg";
import { createDesk, defineCase, ENGINE_VERSION, registryOf, systemPorts } from "foothold";
import { postgresStore } from "foothold/postgres";
import { z } from "zod";
import { findTestBinaries, startServer } from "../test/setup/server.ts";
import { open } from "./closed-loop/foothold.ts";

const { values } = parseArgs({ options: { size: { type: "string", default: "1000000" } } });
const SIZE_MAX = Number(values.size);
const SIZES = [1_000, 100_000, 1_000_000].filter((size) => size <= SIZE_MAX);
const CLAIMED = 64;
const CLAIM_ROUNDS = 15;
const IN_FLIGHT = 64;
const LOOP_CASES = 2_000;
const LOOP_ROUNDS = 5;

/** Tenants that the copies belong to. */
const TENANTS = 100;

/** Copies of a case with numbers from $2 to $3, due in the past or never, its journal with it. */
const COPY_ROWS = `
  insert into foothold.cases (
    shard, case_id, tenant, case_type, definition_version, engine_version, state, due_at, revision, lineage, started_at,
    changed_at, summary, has_review
  )
  select n % 32, to_char(n % 32, 'FM00') || '-' || $4 || n, c.tenant || n % ${TENANTS}, c.case_type, c.definition_version, c.engine_version,
    c.state, c.due_at - n * interval '1 millisecond', c.revision, c.lineage, c.started_at, c.changed_at, c.summary, c.has_review
  from foothold.cases as c, generate_series($2::integer, $3::integer) as n where c.case_id = $1`;
const COPY_JOURNAL = `
  insert into foothold.journal (
    shard, case_id, revision, at, kind, step, commit_id, tenant, definition_version, engine_version, credential_id, codec,
    body, body_hash
  )
  select n % 32, to_char(n % 32, 'FM00') || '-' || $4 || n, j.revision, j.at, j.kind, j.step, j.commit_id, j.tenant || n % ${TENANTS},
    j.definition_version, j.engine_version, j.credential_id, j.codec, j.body, j.body_hash
  from foothold.journal as j, generate_series($2::integer, $3::integer) as n where j.case_id = $1`;
const COPIED_AT_ONCE = 50_000;

const waiting = defineCase("waiting", {
  version: 1,
  owner: "bench",
  input: z.object({ n: z.number() }),
  events: { paid: z.unknown() },
}).waitForEvent("payment", { event: "paid", timeout: "30d" });

const server = await startServer(await findTestBinaries(), {
  settings: { shared_buffers: "1GB", max_wal_size: "8GB", checkpoint_timeout: "30min" },
});
const client = new Client(server.url);
await client.connect();
const store = postgresStore({ url: server.url });
await store.migrate();
try {
  await measureClaims();
  await client.query("truncate foothold.cases, foothold.journal, foothold.snapshots");
  await measureWaiting();
} finally {
  await client.end();
  await store.close();
  await server.stop();
}

/** A claim out of backlogs of different sizes: the smallest is enough for all its rounds. */
async function measureClaims(): Promise<void> {
  const desk = deskOf();
  let there = 0;
  const medians: string[] = [];
  for (const size of SIZES) {
    const { caseId } = await desk.startCase("waiting", { n: 1 }, { by: "bench" });
    await copy(caseId, { from: there, to: size, prefix: "b" });
    there = size;
    await client.query("vacuum analyze foothold.cases, foothold.journal");
    // The smallest is not enough for all rounds of both kinds.
    const rounds = Math.min(CLAIM_ROUNDS, Math.floor(size / CLAIMED / 2));
    const byTurn = await claimRounds(`${size}-t`, rounds, 0);
    const shared = await claimRounds(`${size}-s`, rounds, CLAIMED / 2);
    medians.push(
      `${size.toLocaleString("en")} due: ${median(byTurn).toFixed(2)} ms, ` +
        `${median(shared).toFixed(2)} ms where half of the places go round ${TENANTS} tenants`,
    );
  }
  console.log(`a claim of ${CLAIMED} cases with their journals, median of ${CLAIM_ROUNDS}:`);
  for (const line of medians) console.log(`  ${line}`);
}

/** How long each of so many claims took, in ms. */
async function claimRounds(prefix: string, rounds: number, places: number): Promise<readonly number[]> {
  const tookMs: number[] = [];
  let after: Awaited<ReturnType<typeof store.claimDue>>["sharedTo"] = null;
  for (let round = 0; round < rounds; round += 1) {
    const startedAt = performance.now();
    const { cases, sharedTo } = await store.claimDue({
      holderId: "bench",
      claimIds: Array.from({ length: CLAIMED }, (_, n) => `${prefix}-${round}-${n}`),
      caseTypes: [{ name: "waiting", version: 1 }],
      engineVersion: ENGINE_VERSION,
      actWithinMs: 60_000,
      share: { places, after },
    });
    tookMs.push(performance.now() - startedAt);
    after = sharedTo;
    if (cases.length !== CLAIMED) throw new Error(`${cases.length} of ${CLAIMED} cases were claimed`);
  }
  return tookMs;
}

async function measureWaiting(): Promise<void> {
  const contestant = await open({ url: server.url, inFlight: IN_FLIGHT });
  const loop = async (cases: number): Promise<number> => {
    let left = cases;
    const one = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        await contestant.runCase();
      }
    };
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: IN_FLIGHT }, one));
    return (cases * 1_000) / (performance.now() - startedAt);
  };
  await loop(LOOP_CASES);
  await tellFinished(() => loop(LOOP_CASES));
  const alone: number[] = [];
  for (let round = 0; round < LOOP_ROUNDS; round += 1) alone.push(await loop(LOOP_CASES));
  const { caseId } = await deskOf().startCase("waiting", { n: 1 }, { by: "bench" });
  // As it stands once a worker has looked at it: waiting, until an event or its time comes.
  await client.query(
    "update foothold.cases set state = 'waiting', due_at = now() + interval '30 days' where case_id = $1",
    [caseId],
  );
  const before = await bytesStored();
  await copy(caseId, { from: 0, to: SIZE_MAX, prefix: "w" });
  await client.query("vacuum analyze foothold.cases, foothold.journal");
  console.log(`bytes of a case that waits: ${Math.round(((await bytesStored()) - before) / SIZE_MAX)}`);
  const beside: number[] = [];
  for (let round = 0; round < LOOP_ROUNDS; round += 1) beside.push(await loop(LOOP_CASES));
  const ratio = median(beside) / median(alone);
  console.log(
    `closed loop, ${IN_FLIGHT} in flight: ${median(alone).toFixed(0)} cases/s alone, ${median(beside).toFixed(0)} beside ` +
      `${SIZE_MAX.toLocaleString("en")} that wait: ${ratio.toFixed(2)} x`,
  );
  await contestant.close();
}

/** Bytes, commits and WAL of a finished case of three steps, one destination. */
async function tellFinished(run: () => Promise<unknown>): Promise<void> {
  const [bytes, counters] = [await bytesStored(), await readCounters()];
  await run();
  // The server's own counters of commits come a moment later.
  await client.query("select pg_stat_force_next_flush(), pg_sleep(1.5)");
  const after = await readCounters();
  const per = (difference: number): string => (difference / LOOP_CASES).toFixed(1);
  console.log(
    `a finished case of three steps: ${Math.round(((await bytesStored()) - bytes) / LOOP_CASES)} bytes with indexes, ` +
      `${per(after.walBytes - counters.walBytes)} bytes of WAL, ${per(after.commits - counters.commits)} commits`,
  );
}

async function readCounters(): Promise<{ readonly walBytes: number; readonly commits: number }> {
  const { rows } = await client.query<{ wal: string; commits: string }>(
    `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as wal,
       (select xact_commit from pg_stat_database where datname = current_database()) as commits`,
  );
  return { walBytes: Number(rows[0]?.wal), commits: Number(rows[0]?.commits) };
}

async function bytesStored(): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(
    `select sum(pg_total_relation_size(oid)) as bytes from pg_class
     where relnamespace = 'foothold'::regnamespace and relkind = 'r'`,
  );
  return Number(rows[0]?.bytes);
}

interface Copies {
  readonly from: number;
  readonly to: number;
  readonly prefix: string;
}

async function copy(caseId: string, { from, to, prefix }: Copies): Promise<void> {
  for (let at = from; at < to; at += COPIED_AT_ONCE) {
    const numbers = [caseId, at + 1, Math.min(to, at + COPIED_AT_ONCE), prefix];
    await client.query(COPY_ROWS, numbers);
    await client.query(COPY_JOURNAL, numbers);
  }
}

function deskOf(): ReturnType<typeof createDesk> {
  return createDesk({
    store,
    registry: registryOf([waiting]),
    ports: systemPorts(),
    engineVersion: ENGINE_VERSION,
  });
}

function median(of: readonly number[]): number {
  return of.toSorted((one, other) => one - other)[of.length >> 1] ?? Number.NaN;
}
