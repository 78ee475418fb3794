/**
 * What the length of a journal costs: one event, and one pick-up after it, on cases with 10 to 10,000 entries, in turns on
 * one server. `npm run bench:long-journal`. Prints medians, and their ratio to those of the shortest journal: it should
 * stay below 2, wherever between two snapshots a case happens to stand.
 */

import { z } from "zod";
import {
  createDesk,
  createWorker,
  defineCase,
  ENGINE_VERSION,
  registryOf,
  systemPorts,
  type Desk,
  type Report,
  type Worker,
} from "foothold";
import { postgresStore } from "foothold/postgres";
import { foldEntries } from "../src/core/fold.ts";
import type { Entry } from "../src/core/journal.ts";
import { rowOf } from "../src/core/row.ts";
import { COMMIT_ENTRIES_MAX, type Store } from "../src/store/port.ts";
import { findTestBinaries, startServer } from "../test/setup/server.ts";

const ENTRIES = [10, 500, 2_000, 10_000] as const;
const ROUNDS = 60;
const WARM_UP_ROUNDS = 10;

const longing = defineCase("longing", {
  version: 1,
  owner: "bench",
  input: z.object({}),
  events: { tick: z.object({ n: z.number(), text: z.string() }), end: z.object({}) },
}).waitForEvent("wait", { event: "end", timeout: "30d" });

const ports = systemPorts();
const registry = registryOf([longing]);
const server = await startServer(await findTestBinaries());
const store = postgresStore({ url: server.url });
try {
  await store.migrate();
  await measure(createDesk({ store, registry, ports, engineVersion: ENGINE_VERSION }));
} finally {
  await store.close();
  await server.stop();
}

interface Measured {
  readonly caseId: string;
  readonly entries: number;
  readonly eventMs: number[];
  readonly pickUpMs: number[];
}

async function measure(desk: Desk): Promise<void> {
  const released = new Map<string, () => void>();
  const worker = benchWorker((report) => {
    if (report.kind === "released") released.get(report.caseId)?.();
    if (report.kind === "bug") throw report.error;
  });
  const cases: Measured[] = [];
  for (const entries of ENTRIES) {
    const { caseId } = await desk.startCase("longing", {}, { by: "bench" });
    await grow(store, caseId, entries - 1);
    cases.push({ caseId, entries, eventMs: [], pickUpMs: [] });
  }
  await worker.start();
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1) {
    for (const one of cases) {
      const isOver = new Promise<void>((resolve) => released.set(one.caseId, resolve));
      const startedAt = performance.now();
      await desk.recordEvent(one.caseId, { eventType: "tick", payload: tick(round) });
      const storedAt = performance.now();
      await isOver;
      if (round < 0) continue;
      one.eventMs.push(storedAt - startedAt);
      one.pickUpMs.push(performance.now() - storedAt);
    }
  }
  await worker.stop();
  show(cases);
}

function benchWorker(onReport: (report: Report) => void): Worker {
  const names = { name: "bench", host: "bench", build: "bench" };
  return createWorker({ store, registry, ports, ...names, onReport });
}

/** Adds events until the journal is this much longer, many in one commit. */
async function grow(into: Store, caseId: string, count: number): Promise<void> {
  for (let left = count; left > 0; left -= COMMIT_ENTRIES_MAX) {
    const commitId = ports.ids.unique();
    const entries = Array.from({ length: Math.min(left, COMMIT_ENTRIES_MAX) }, (_, n): Entry => ({
      kind: "eventReceived",
      eventType: "tick",
      sourceId: `${left - n}`,
      payload: tick(n),
      by: { kind: "engine", name: "bench" },
      ignored: null,
    }));
    await into.changeCase(caseId, { commitId, sourceId: null }, ({ state }, now) => {
      const numbered = entries.map((entry, n) => ({
        revision: state.revision + n + 1,
        at: now,
        commitId,
        entry,
      }));
      const row = rowOf(foldEntries(state, numbered));
      return { kind: "write", commitId, entries, at: now, row, claim: "keep", reply: null };
    });
  }
}

function tick(n: number): { readonly n: number; readonly text: string } {
  return { n, text: "as long as the body of an event often is, or a little shorter" };
}

function show(cases: readonly Measured[]): void {
  const [shortest] = cases;
  if (shortest === undefined) return;
  for (const { entries, eventMs, pickUpMs } of cases) {
    const event = told(eventMs, shortest.eventMs);
    const pickUp = told(pickUpMs, shortest.pickUpMs);
    process.stdout.write(
      `${String(entries).padStart(6)} entries: event ${event}, pick-up after it ${pickUp}\n`,
    );
  }
}

function told(some: readonly number[], least: readonly number[]): string {
  return `p50 ${median(some).toFixed(2)} ms (${(median(some) / median(least)).toFixed(2)} x)`;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
