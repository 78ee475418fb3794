/** Database servers that die under load. */

import { seededRandom, type SeededRandom } from "../../examples/services/seeded-random.ts";
import { findTestBinaries, killProcess, startServer, type TestServer } from "../setup/server.ts";
import { withClient } from "./client.ts";
import { inArena, LEASE_MS, type Arena } from "./arena.ts";
import { keepBusy, someDone } from "./load.ts";
import { ran, type Outcome, type RoundInput } from "./tally.ts";

/** What happens to a server. */
export type ServerFault =
  /** kill -9 of the postmaster; it is started again a moment later. */
  | "postmasterKilled"
  /** A fast shutdown, which breaks every connection, and a start. */
  | "restarted"
  /** kill -9 of a worker's server process: the server drops every session and recovers by itself. */
  | "backendKilled"
  /** A worker's server process stands still in a statement, with the locks that it has, for longer than a lease. */
  | "backendStopped"
  /** `pg_terminate_backend` of every session of the workers that is in a statement. */
  | "backendsTerminated";

/** Faults in one arena. */
const FAULTS_MAX = 10;
/** Cases that are done between two faults. */
const DONE_BETWEEN = 30;
/** How long a killed postmaster stays away at most, in ms. */
const AWAY_MS_MAX = 1_500;
const WORKERS = ["one", "two"];
/** Tries to find a case that a worker holds, or a session of the workers in a statement. */
const LOOKS_MAX = 2_000;

/** Lets a server die again and again while two workers are at it. One run = one fault. */
export async function harmServer(fault: ServerFault, { seed, runs }: RoundInput): Promise<Outcome> {
  const server = await startServer(await findTestBinaries());
  try {
    return await inArena(server.url, async (arena) => {
      const random = seededRandom(seed);
      const wanted = Math.min(runs, FAULTS_MAX);
      for (const name of WORKERS) await arena.worker(name, { concurrency: 16 });
      arena.sweep();
      const load = keepBusy(arena, "key");
      let hits = 0;
      for (let run = 1; run <= wanted; run += 1) {
        await someDone(arena, DONE_BETWEEN);
        if (await strike(fault, arena, server, random)) hits += 1;
      }
      await load.stop();
      await arena.settle();
      return ran(wanted, hits, await arena.judge());
    });
  } finally {
    await server.stop();
  }
}

/** True if workers were hit while they held cases. */
async function strike(
  fault: ServerFault,
  arena: Arena,
  server: TestServer,
  random: SeededRandom,
): Promise<boolean> {
  switch (fault) {
    case "postmasterKilled":
    case "restarted": {
      const isHeld = await someHeld(arena);
      if (fault === "postmasterKilled") await server.kill();
      else await server.stopFast();
      await new Promise((resolve) => setTimeout(resolve, random.under(AWAY_MS_MAX)));
      await server.start();
      return isHeld;
    }
    case "backendKilled": {
      const pid = await findBusySession(server.url);
      if (pid === null) return false;
      await killProcess(pid);
      return true;
    }
    case "backendStopped": {
      const pid = await findBusySession(server.url);
      if (pid === null) return false;
      process.kill(pid, "SIGSTOP");
      await new Promise((resolve) => setTimeout(resolve, LEASE_MS + 1_000));
      process.kill(pid, "SIGCONT");
      return true;
    }
    case "backendsTerminated":
      return terminateSessions(server.url);
  }
}

/** Looks until a worker holds a case: between two claims, fast ones hold none. */
async function someHeld({ world: { store } }: Arena): Promise<boolean> {
  for (let look = 1; look <= LOOKS_MAX; look += 1) if ((await store.listClaims(1)).length > 0) return true;
  return false;
}

const BUSY_SESSIONS = `from pg_stat_activity
  where application_name = any($1) and state <> 'idle' and query not ilike '%listen%'`;

/** A worker's server process that is in a statement just now; null if none was found. */
async function findBusySession(url: string): Promise<number | null> {
  return withClient(url, async (client) => {
    for (let look = 1; look <= LOOKS_MAX; look += 1) {
      const { rows } = await client.query<{ pid: number }>(`select pid ${BUSY_SESSIONS} limit 1`, [WORKERS]);
      if (rows[0] !== undefined) return rows[0].pid;
    }
    return null;
  });
}

async function terminateSessions(url: string): Promise<boolean> {
  return withClient(url, async (client) => {
    for (let look = 1; look <= LOOKS_MAX; look += 1) {
      const { rowCount } = await client.query(`select pg_terminate_backend(pid) ${BUSY_SESSIONS}`, [WORKERS]);
      if ((rowCount ?? 0) > 0) return true;
    }
    return false;
  });
}
