import { afterEach } from "vitest";
import { foldJournal } from "../../src/core/fold.ts";
import type { CaseState } from "../../src/core/case-state.ts";
import type { Entry } from "../../src/core/journal.ts";
import type { CaseType } from "../../src/define/case-type.ts";
import { registryOf } from "../../src/define/registry.ts";
import { createDesk, type Desk } from "../../src/desk/desk.ts";
import type { Report } from "../../src/engine/report.ts";
import { createSweep, type Sweep, type SweepOptions } from "../../src/engine/sweep.ts";
import { systemPorts } from "../../src/engine/system.ts";
import { ENGINE_VERSION } from "../../src/engine/version.ts";
import { createWorker, type Worker, type WorkerOptions } from "../../src/engine/worker.ts";
import { memoryStore } from "../../src/store/memory/store.ts";
import type { Store, StoredRow } from "../../src/store/port.ts";
import { postgresStore } from "../../src/store/postgres/store.ts";
import { createTestDatabase, type TestDatabase } from "../setup/database.ts";
import { startDestination, type TestDestination } from "./destination.ts";

export { input, look, post } from "./steps.ts";

const WAIT_MS = 60_000;

/** The stores that the engine's tests run on. */
export const STORES = ["memory", "PostgreSQL"] as const;
/** One of {@link STORES}. */
export type StoreKind = (typeof STORES)[number];

/** Waits until `read` gives something, at most `waitMs`: 20 s when left out. */
export async function until<T>(
  what: string,
  read: () => Promise<T | null | false> | T | null | false,
  waitMs: number = WAIT_MS,
): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    const found = await read();
    if (found !== null && found !== false) return found;
    if (performance.now() - startedAt > waitMs) throw new Error(`waited ${waitMs} ms for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** A store with workers, a desk and a sweep around it. */
export class World {
  readonly store: Store;
  readonly reports: Report[] = [];
  readonly ports = systemPorts();
  private readonly closing: (() => Promise<unknown>)[] = [];

  constructor(store: Store) {
    this.store = store;
    this.closing.push(() => store.close());
  }

  /** Closed last-in first-out. */
  onClose(close: () => Promise<unknown>): void {
    this.closing.push(close);
  }

  async close(): Promise<void> {
    for (const close of this.closing.toReversed()) await close();
  }

  async destination(
    options: { readonly deduplicates: boolean } = { deduplicates: true },
  ): Promise<TestDestination> {
    const destination = await startDestination(options);
    this.onClose(() => destination.stop());
    return destination;
  }

  desk(...caseTypes: readonly CaseType[]): Desk {
    const { store, ports } = this;
    return createDesk({ store, ports, registry: registryOf(caseTypes), engineVersion: ENGINE_VERSION });
  }

  /** A started worker. */
  async worker(caseTypes: readonly CaseType[], options: Partial<WorkerOptions> = {}): Promise<Worker> {
    const worker = createWorker({
      store: this.store,
      registry: registryOf(caseTypes),
      ports: this.ports,
      name: "w",
      host: "here",
      build: "test",
      leaseMs: 3_000,
      onReport: (report) => this.reports.push(report),
      ...options,
    });
    this.onClose(() => worker.stop({ graceMs: 1_000 }));
    await worker.start();
    return worker;
  }

  /** A started sweep. */
  sweep(options: Partial<SweepOptions> = {}): Sweep {
    const onReport = (report: Report): void => void this.reports.push(report);
    const sweep = createSweep({ store: this.store, ports: this.ports, onReport, ...options });
    this.onClose(() => sweep.stop());
    sweep.start();
    return sweep;
  }

  async start(caseType: CaseType, value: unknown = {}): Promise<string> {
    const { caseId } = await this.desk(caseType).startCase(caseType.outline.name, value, { by: "ann" });
    return caseId;
  }

  async row(caseId: string): Promise<StoredRow> {
    const stored = await this.store.loadCase(caseId);
    if (stored === null) throw new Error(`there is no case ${caseId}`);
    return stored.row;
  }

  async entries(caseId: string): Promise<readonly Entry[]> {
    const stored = await this.store.loadCase(caseId);
    return (stored?.journal ?? []).map(({ entry }) => entry);
  }

  async kinds(caseId: string): Promise<readonly Entry["kind"][]> {
    return (await this.entries(caseId)).map(({ kind }) => kind);
  }

  async state(caseId: string): Promise<CaseState> {
    const stored = await this.store.loadCase(caseId);
    if (stored === null) throw new Error(`there is no case ${caseId}`);
    return foldJournal(caseId, stored.journal);
  }

  /** Waits until the case rests in one of these states. */
  rests(caseId: string, ...states: readonly StoredRow["state"][]): Promise<StoredRow> {
    return until(`case ${caseId} to be ${states.join(" or ")}`, async () => {
      const row = await this.row(caseId);
      return states.includes(row.state) ? row : null;
    });
  }

  async holderOf(row: StoredRow) {
    const holders = await this.store.listHolders();
    return holders.find(({ holderId }) => holderId === row.claim?.holderId) ?? null;
  }
}

/** Makes a world on one kind of store for each test, and closes it afterwards. */
export function worldsOn(kind: StoreKind): {
  readonly open: () => Promise<World>;
  readonly drop: () => Promise<void>;
} {
  let database: TestDatabase | null = null;
  let opened = 0;
  let worlds: World[] = [];
  afterEach(async () => {
    const closing = worlds;
    worlds = [];
    for (const world of closing) await world.close();
  });
  return {
    open: async () => {
      database ??= kind === "memory" ? null : await createTestDatabase();
      const store =
        database === null
          ? memoryStore()
          : postgresStore({ url: database.url, schema: `t${(opened += 1)}`, poolMax: 6 });
      await store.migrate();
      const world = new World(store);
      worlds.push(world);
      return world;
    },
    drop: async () => database?.drop(),
  };
}
