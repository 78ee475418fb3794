/**
 * What the database could do at best with the rows of such a case: one row that is inserted and updated four times, ten
 * journal rows, in batches that grow by themselves over two connections. No claim, no plan, no step: the least that a
 * case which keeps an intent before and a confirmation after each step can cost.
 */

import { randomUUID } from "node:crypto";
import { Pool } from "pg";
import type { Contestant, Surroundings } from "./contestant.ts";

const CONNECTIONS = 2;
const BATCH_MAX = 128;
/** Journal rows of the commits of one case: started; intent and attempt; twice confirmed, intent, attempt; confirmed, done. */
const ROWS = [1, 2, 3, 3, 2] as const;
const BODY = Buffer.alloc(220, 1);
const HASH = Buffer.alloc(32, 2);

interface Waiting {
  readonly id: string;
  /** Index into {@link ROWS}. */
  readonly commit: number;
  readonly stored: () => void;
  readonly failed: (error: unknown) => void;
}

/** Opens it. */
export async function open({ url }: Surroundings): Promise<Contestant> {
  const pool = new Pool({ connectionString: url, max: CONNECTIONS });
  await pool.query(`
    create table bench_case (
      id text primary key, state text not null, revision integer not null, claim text, changed_at timestamptz not null,
      summary jsonb not null
    ) with (fillfactor = 70);
    create table bench_journal (
      id text not null, revision integer not null, at timestamptz not null, kind text not null, commit_id text not null,
      body bytea not null, hash bytea not null, primary key (id, revision)
    );`);
  const batches = new Batches(pool);
  return {
    runCase: async () => {
      const id = randomUUID();
      for (let commit = 0; commit < ROWS.length; commit += 1) await batches.store(id, commit);
    },
    close: () => pool.end(),
  };
}

class Batches {
  readonly #pool: Pool;
  #waiting: Waiting[] = [];
  #underWay = 0;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  store(id: string, commit: number): Promise<void> {
    return new Promise((stored, failed) => {
      this.#waiting.push({ id, commit, stored, failed });
      queueMicrotask(() => this.#flush());
    });
  }

  #flush(): void {
    while (this.#underWay < CONNECTIONS && this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, BATCH_MAX);
      this.#waiting = this.#waiting.slice(BATCH_MAX);
      this.#underWay += 1;
      void this.#send(batch).finally(() => {
        this.#underWay -= 1;
        this.#flush();
      });
    }
  }

  async #send(batch: readonly Waiting[]): Promise<void> {
    const sorted = batch.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const rows = sorted.flatMap(({ id, commit }) => {
      const before = ROWS.slice(0, commit).reduce((sum, count) => sum + count, 0);
      return Array.from({ length: ROWS[commit] ?? 0 }, (_, index) => ({ id, revision: before + index + 1 }));
    });
    try {
      await this.#pool.query({
        name: "store",
        text: `with fresh as (
            insert into bench_case select i.id, 'ready', 1, null, now(), '{"confirmed":0}'
            from unnest($1::text[], $2::integer[]) as i (id, n) where i.n = 0
          ), moved as (
            update bench_case as c set revision = c.revision + i.n, state = 'claimed', claim = $3, changed_at = now(),
              summary = '{"confirmed":1}'
            from unnest($1::text[], $2::integer[]) as i (id, n) where i.n > 0 and c.id = i.id
          )
          insert into bench_journal
          select e.id, e.revision, now(), 'entry', $3, $6, $7 from unnest($4::text[], $5::integer[]) as e (id, revision)`,
        values: [
          sorted.map(({ id }) => id),
          sorted.map(({ commit }) => commit),
          randomUUID(),
          rows.map(({ id }) => id),
          rows.map(({ revision }) => revision),
          BODY,
          HASH,
        ],
      });
      for (const { stored } of sorted) stored();
    } catch (error) {
      for (const { failed } of sorted) failed(error);
    }
  }
}
