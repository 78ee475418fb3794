/** Starts real workers and sweeps in simulated processes. */

import type { Registry } from "../src/define/registry.ts";
import type { Report } from "../src/engine/report.ts";
import { createSweep } from "../src/engine/sweep.ts";
import { createWorker, type Worker } from "../src/engine/worker.ts";
import type { Store } from "../src/store/port.ts";
import { unmetered } from "../src/wire/unmetered.ts";
import type { SimulatedProcess } from "./process.ts";

/** What a sweep is made of. */
export interface SweepParts {
  readonly process: SimulatedProcess;
  /** As the process reaches it. */
  readonly store: Store;
  readonly onReport: (report: Report) => void;
}

/** What a worker is made of. */
export interface WorkerParts extends SweepParts {
  readonly registry: Registry;
  readonly concurrency: number;
  readonly leaseMs: number;
  readonly onStarted: (worker: Worker) => void;
  readonly onTrace: (line: string) => void;
}

/** Runs a sweep. */
export function runSweep({ process, store, onReport }: SweepParts): void {
  createSweep({ store, ports: process.ports, intervalMs: 1_000, onReport }).start();
}

/** Runs a worker beside a sweep; it tries to start until the database answers. */
export function runWorker(parts: WorkerParts): void {
  const { process, store, registry, leaseMs, concurrency, onReport, onStarted, onTrace } = parts;
  const worker = createWorker({
    store,
    registry,
    ports: process.ports,
    meter: unmetered,
    name: process.name,
    host: "simulation",
    build: "1",
    leaseMs,
    concurrency,
    onReport,
  });
  runSweep(parts);
  const start = (): void => {
    worker.start().then(
      () => onStarted(worker),
      (error: unknown) => {
        onTrace(`${process.name} could not start: ${String(error)}`);
        process.after(500, start);
      },
    );
  };
  start();
}
