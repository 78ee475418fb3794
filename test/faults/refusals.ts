/** A database that is there and refuses: no connection left, too slow, in each other's way. One run = one refusal. */

import type { Client } from "pg";
import { until } from "../engine/world.ts";
import { inArena, LEASE_MS, type Arena } from "./arena.ts";
import { withClient } from "./client.ts";
import type { WorkerProcess } from "./crew.ts";
import { keepBusy, someDone } from "./load.ts";
import { ran, type Outcome, type RoundInput } from "./tally.ts";

/** Cases that are done before and after. */
const DONE_BETWEEN = 20;
/** The role of the workers that are refused. */
const ROLE = "refused_worker";
/** Cases that wait when the table of cases is locked. */
const LEFT_MIN = 100;
/** How long it may take a worker on a busy machine to be refused, in ms. */
const REFUSED_WITHIN_MS = 60_000;
/** Refusals in one arena. */
const REFUSALS_MAX = 50;

/** No connection is left (53300), for longer than a lease; those that were open are broken. */
export async function refuseConnections({ serverUrl }: RoundInput): Promise<Outcome> {
  return withRole(serverUrl, async (arena, admin, url) => {
    const worker = await arena.worker("refused", { url });
    arena.sweep();
    const load = keepBusy(arena, "key");
    await someDone(arena, DONE_BETWEEN);
    await admin.query(`alter role ${ROLE} connection limit 0`);
    await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where usename = $1", [ROLE]);
    await until("the worker to be refused", () => wasRefused(worker, "53300"));
    await new Promise((resolve) => setTimeout(resolve, LEASE_MS + 1_000));
    await admin.query(`alter role ${ROLE} connection limit -1`);
    await someDone(arena, DONE_BETWEEN);
    await load.stop();
    await arena.settle();
    return ran(1, 1, await arena.judge());
  });
}

/** Statements are canceled because they take too long (57014): a neighbor holds the table. */
export async function timeOutStatements({ serverUrl }: RoundInput): Promise<Outcome> {
  return withRole(serverUrl, async (arena, admin, url) => {
    await admin.query(`alter role ${ROLE} set statement_timeout = '100ms'`);
    const worker = await arena.worker("refused", { url });
    arena.sweep();
    const load = keepBusy(arena, "key");
    await someDone(arena, DONE_BETWEEN);
    await lockCasesWithWorkLeft(arena, admin, worker);
    await until("the worker to be refused", () => wasRefused(worker, "57014"), REFUSED_WITHIN_MS);
    await admin.query("rollback");
    await someDone(arena, DONE_BETWEEN);
    await load.stop();
    await arena.settle();
    return ran(1, 1, await arena.judge());
  });
}

/**
 * Locks the table of cases while many wait. Nobody can start cases once it is locked, and a worker that has none left asks
 * for nothing that could time out; so it stands still until enough wait.
 */
async function lockCasesWithWorkLeft(arena: Arena, admin: Client, worker: WorkerProcess): Promise<void> {
  worker.signal("SIGSTOP");
  const isWorkLeft = async (): Promise<boolean> =>
    arena.cases.length - ((await arena.doneCount()) ?? arena.cases.length) >= LEFT_MIN;
  await until("cases to wait", isWorkLeft, REFUSED_WITHIN_MS);
  await admin.query("begin");
  const locked = admin.query("lock table foothold.cases in exclusive mode");
  worker.signal("SIGCONT");
  await locked;
}

/** Every eighth change of a case fails as a deadlock or a failed serialization does, and takes its batch along. */
export async function makeCollisions({ serverUrl, runs }: RoundInput): Promise<Outcome> {
  return withRole(serverUrl, async (arena, admin, url) => {
    await admin.query(COLLISIONS);
    await arena.worker("refused", { url, concurrency: 16 });
    arena.sweep();
    const load = keepBusy(arena, "key");
    const wanted = Math.min(runs, REFUSALS_MAX);
    const made = async (): Promise<number> => {
      // A sequence is not rolled back with the change that failed.
      const { rows } = await admin.query<{ n: number }>(
        "select last_value::float8 as n from public.collisions",
      );
      return rows[0]?.n ?? 0;
    };
    await until("changes to collide", async () => (await made()) > wanted, 60_000);
    await admin.query("drop trigger collide on foothold.cases");
    await load.stop();
    await arena.settle();
    return ran(wanted, wanted, await arena.judge());
  });
}

const COLLISIONS = `
  create sequence public.collisions;
  grant all on sequence public.collisions to ${ROLE};
  create function public.collide() returns trigger language plpgsql as $$
  begin
    if current_user = '${ROLE}' and random() < 0.125 then
      raise exception 'collision %', nextval('public.collisions')
        using errcode = case when random() < 0.5 then '40001' else '40P01' end;
    end if;
    return new;
  end $$;
  create trigger collide before update on foothold.cases for each row execute function public.collide();
`;

function wasRefused(worker: WorkerProcess, sqlState: string): boolean {
  return worker.heard("databaseAway").some(({ why }) => why?.includes(sqlState) === true);
}

/** Opens an arena whose workers are a role of their own, with a superuser's connection beside them. */
async function withRole(
  serverUrl: string,
  act: (arena: Arena, admin: Client, url: string) => Promise<Outcome>,
): Promise<Outcome> {
  return inArena(serverUrl, (arena) =>
    withClient(arena.database.url, async (admin) => {
      await admin.query(`create role ${ROLE} login`);
      try {
        await admin.query(`grant usage on schema foothold to ${ROLE}`);
        await admin.query(`grant all on all tables in schema foothold to ${ROLE}`);
        const url = new URL(arena.database.url);
        url.username = ROLE;
        return await act(arena, admin, url.href);
      } finally {
        await Promise.all(arena.workers.map((worker) => worker.kill()));
        await admin.query("rollback");
        await admin.query(`drop owned by ${ROLE}`);
        await admin.query(`drop role ${ROLE}`);
      }
    }),
  );
}
