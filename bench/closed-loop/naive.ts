/**
 * The loop that teams write by hand: a table with a status, SKIP LOCKED, one update a step, a lease, NOTIFY for each insert.
 * It sorts no error, keeps no intent and no history, and repeats a step whose worker died.
 */

import { randomUUID } from "node:crypto";
import { Pool } from "pg";
import { Endings, instantStep, type Contestant, type Surroundings } from "./contestant.ts";

const POOL_MAX = 20;
/** The net under a notification that was missed, in ms. */
const POLL_MS = 500;

/** Opens it. */
export async function open({ url, inFlight }: Surroundings): Promise<Contestant> {
  const pool = new Pool({ connectionString: url, max: POOL_MAX });
  await pool.query(`
    create table job (
      id text primary key, status text not null default 'new', step integer not null default 0, worker text,
      locked_until timestamptz, result jsonb, created_at timestamptz not null default now()
    );
    create index on job (created_at) where status = 'new';`);
  const endings = new Endings();
  const stop = new AbortController();
  let wake: () => void = nobodySleeps;
  const listener = await pool.connect();
  listener.on("notification", () => wake());
  await listener.query("listen job");
  const loops = Array.from({ length: inFlight }, () => loop());
  return { runCase, close };

  async function loop(): Promise<void> {
    const worker = randomUUID();
    while (!stop.signal.aborted) {
      const { rows } = await pool.query<{ id: string }>({
        name: "claim",
        text: `update job set status = 'processing', worker = $1, locked_until = now() + interval '30 s'
          where id = (select id from job where status = 'new' order by created_at limit 1 for update skip locked)
          returning id`,
        values: [worker],
      });
      const [job] = rows;
      if (job === undefined) await idle();
      else await work(job.id, worker);
    }
  }

  async function work(id: string, worker: string): Promise<void> {
    for (let step = 1; step <= 3; step += 1) {
      const result = await instantStep(step)();
      await pool.query({
        name: "step",
        text: "update job set step = $3, result = $4, status = $5 where id = $1 and worker = $2",
        values: [id, worker, step, JSON.stringify(result), step === 3 ? "done" : "processing"],
      });
    }
    endings.end(id);
  }

  /** Until something was inserted: one sleeper is enough to be woken, the others look by themselves. */
  async function idle(): Promise<void> {
    const before = wake;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, POLL_MS);
      wake = () => {
        before();
        resolve();
      };
    });
    clearTimeout(timer);
  }

  async function runCase(): Promise<void> {
    const id = randomUUID();
    await pool.query({
      name: "insert",
      text: "with i as (insert into job (id) values ($1)) select pg_notify('job', '')",
      values: [id],
    });
    await endings.wait(id);
  }

  async function close(): Promise<void> {
    stop.abort();
    wake();
    await Promise.all(loops);
    listener.release(true);
    await pool.end();
  }
}

function nobodySleeps(): void {
  // Nobody has to be woken.
}
