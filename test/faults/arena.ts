/**
 * Where a fault is let loose: a real database, workers in processes of their own, a sweep, and a destination in a
 * process that nothing touches, whose ledger decides at the end.
 */

import type { StoredRow } from "../../src/store/port.ts";
import type { Report } from "../../src/engine/report.ts";
import { postgresStore } from "../../src/store/postgres/store.ts";
import { until, World } from "../engine/world.ts";
import { createTestDatabase, type TestDatabase } from "../setup/database.ts";
import type { OwnProcessOptions } from "../setup/own-process.ts";
import { threeSteps, type PlannedType } from "./case-types.ts";
import { withClient } from "./client.ts";
import { startWorkerProcess, type Trap, type WorkerProcess } from "./crew.ts";
import { judgeAll, type JudgedCase } from "./judge.ts";
import { KIND_NAMES, type KindName } from "./kinds.ts";
import { startLedger, type Ledger, type LedgerLine } from "./ledger.ts";

/** Lease of every worker here, in ms. */
export const LEASE_MS = 3_000;
/** How long cases may take until all are at rest: they wait for leases, deadlines and a server that comes back. */
const REST_MS = 60_000;
/** Connections of a worker that nothing is held still in. */
const POOL_MAX = 6;
/** Cases started at the same time. */
const STARTS_AT_ONCE = 16;
/** Starts of one case that are tried while the database is away, one every 100 ms. */
const START_TRIES_MAX = 600;

const EFFECTS = "create table public.effects (seq bigserial primary key, key text, token float8)";

/** What a worker may have different. */
export interface WorkerSetup extends OwnProcessOptions {
  readonly traps?: readonly Trap[];
  /** The database's URL, by another way or as another user. */
  readonly url?: string;
  readonly concurrency?: number;
  readonly databaseTimeoutMs?: number;
  /** Runs one worker for each case type, all in the one process. */
  readonly workerPerType?: boolean;
}

/** The scene of one run. */
export class Arena {
  readonly world: World;
  readonly ledger: Ledger;
  readonly database: TestDatabase;
  readonly cases: { readonly caseId: string; readonly kind: KindName }[] = [];
  readonly workers: WorkerProcess[] = [];
  readonly types: PlannedType[] = KIND_NAMES.map((kind) => ({ name: kind, kind }));
  /** Aborts when the run is over, however it ended. */
  readonly over: AbortSignal;
  readonly #openedAt = Date.now();

  constructor(world: World, ledger: Ledger, database: TestDatabase, over: AbortSignal) {
    this.over = over;
    this.world = world;
    this.ledger = ledger;
    this.database = database;
  }

  /**
   * Starts cases of a kind, of the case type that is named like it or of another one; while the database is away, until it
   * is back.
   */
  async start(
    kind: KindName,
    count: number,
    type: PlannedType = { name: kind, kind },
  ): Promise<readonly string[]> {
    if (this.types.every(({ name }) => name !== type.name)) this.types.push(type);
    const first = this.cases.length;
    const keys = Array.from({ length: count }, (_, index) => `${kind}-${first + index}`);
    const ids: string[] = [];
    while (keys.length > 0) {
      const batch = keys.splice(0, STARTS_AT_ONCE);
      ids.push(...(await Promise.all(batch.map((businessKey) => this.#startOne(type, businessKey)))));
    }
    this.cases.push(...ids.map((caseId) => ({ caseId, kind })));
    return ids;
  }

  /** A start whose answer was lost is found again by its business key. */
  async #startOne(type: PlannedType, businessKey: string): Promise<string> {
    const desk = this.world.desk(threeSteps(this.ledger.url, type));
    for (let tries = 1; ; tries += 1) {
      try {
        const { caseId } = await desk.startCase(type.name, {}, { by: "ann", businessKey });
        return caseId;
      } catch (error) {
        if (tries === START_TRIES_MAX || !isAway(error)) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }

  /** A registered worker that takes every case type there is by now. */
  async worker(name: string, setup: WorkerSetup = {}): Promise<WorkerProcess> {
    const { traps = [], url = this.database.url, concurrency = 256, ...more } = setup;
    const { databaseTimeoutMs = 2_000, workerPerType = false, ...own } = more;
    const worker = await startWorkerProcess(
      {
        name,
        url,
        schema: "foothold",
        destination: this.ledger.url,
        leaseMs: LEASE_MS,
        concurrency,
        // Each case that is held still may have a transaction open, and those may have half of the pool.
        poolMax: POOL_MAX + 2 * traps.length,
        databaseTimeoutMs,
        workerPerType,
        caseTypes: this.types,
        traps,
      },
      own,
    );
    this.workers.push(worker);
    return worker;
  }

  sweep(): void {
    this.world.sweep();
  }

  /** What the sweep reported. */
  swept<Kind extends Report["kind"]>(kind: Kind): readonly Extract<Report, { kind: Kind }>[] {
    return this.world.reports.filter((one): one is Extract<Report, { kind: Kind }> => one.kind === kind);
  }

  /** Rows of all cases. */
  async rows(): Promise<readonly StoredRow[]> {
    const rows: StoredRow[] = [];
    for (let after: string | undefined; ;) {
      const page = await this.world.store.listCases({
        limit: 500,
        ...(after === undefined ? {} : { after }),
      });
      rows.push(...page.rows);
      if (page.next === null) return rows;
      after = page.next;
    }
  }

  /** How many cases are done; null while the database is away. */
  async doneCount(): Promise<number | null> {
    const counts = await this.world.store.countCases().catch(() => null);
    return counts?.reduce((sum, { states }) => sum + (states.done ?? 0), 0) ?? null;
  }

  /** Waits until each of these cases (all when left out) is done or stands in review. */
  async rest(ids: readonly string[] = this.cases.map(({ caseId }) => caseId)): Promise<void> {
    const wanted = new Set(ids);
    let left = "";
    const areAtRest = async (): Promise<boolean> => {
      const rows = (await this.rows().catch(() => [])).filter(({ caseId }) => wanted.has(caseId));
      const moving = rows.filter(({ state }) => state !== "done" && state !== "in_review");
      left = moving.map(({ caseType, caseId, state }) => `${caseType} ${caseId} ${state}`).join(", ");
      return rows.length === wanted.size && moving.length === 0;
    };
    await until("all cases to be at rest", areAtRest, REST_MS).catch((error: unknown) => {
      throw new Error(`${String(error)}; still moving: ${left.slice(0, 1_000)}`);
    });
  }

  /**
   * Waits until all is at rest and lets every worker end in order. The one that was started last goes on with what late
   * reports of the others set in motion, and ends when all is at rest again.
   */
  async settle(): Promise<void> {
    await this.rest();
    const last = this.workers.at(-1);
    await Promise.all(this.workers.filter((worker) => worker !== last).map((worker) => worker.retire()));
    await this.rest();
    await last?.retire();
  }

  /** Every request that arrived anywhere, and every effect that was written in a transaction of its step. */
  async lines(): Promise<readonly LedgerLine[]> {
    const { rows } = await withClient(this.database.url, (client) =>
      client.query<{ key: string; token: number }>("select key, token from public.effects order by seq"),
    );
    return [...(await this.ledger.read()), ...rows.map((row) => ({ ...row, path: "", isNew: true }))];
  }

  /** What is wrong after {@link settle}. */
  async judge(): Promise<readonly string[]> {
    const lines = await this.lines();
    const judged: JudgedCase[] = [];
    for (const { caseId, kind } of this.cases) {
      const stored = await this.world.store.loadCase(caseId);
      judged.push({ caseId, kind, stored });
    }
    const bugs = this.workers.flatMap((worker) => worker.heard("bug").map(({ why }) => `bug: ${why}`));
    const swept = this.swept("bug").map(({ error }) => `bug of the sweep: ${String(error)}`);
    return [...judgeAll(judged, lines, { from: this.#openedAt, to: Date.now() }), ...bugs, ...swept];
  }
}

/** Opens an arena in a server, and closes it whatever happens. */
export async function inArena<T>(serverUrl: string, act: (arena: Arena) => Promise<T>): Promise<T> {
  const database = await createTestDatabase(serverUrl);
  const ledger = await startLedger();
  const store = postgresStore({ url: database.url, poolMax: 6, applicationName: "the harness" });
  const world = new World(store);
  const over = new AbortController();
  const arena = new Arena(world, ledger, database, over.signal);
  const close = async (): Promise<void> => {
    over.abort();
    await Promise.all(arena.workers.map((worker) => worker.kill()));
    await world.close();
    await ledger.stop();
    await database.drop();
  };
  let result: T;
  try {
    await store.migrate();
    await withClient(database.url, (client) => client.query(EFFECTS));
    result = await act(arena);
  } catch (error) {
    // What went wrong first is what must be told.
    await close().catch(() => undefined);
    throw error;
  }
  await close();
  return result;
}

function isAway(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "DATABASE_UNAVAILABLE";
}
