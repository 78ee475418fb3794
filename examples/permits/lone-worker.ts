import { hostname } from "node:os";
import { createSweep, createWorker, systemPorts } from "foothold";
import type { OnFailpoint, Registry, Report, Store, Sweep, Worker } from "foothold";
import type { EndedStop } from "./figures.ts";
import { leaseMs, sweepEveryMs } from "./worker-messages.ts";

/** Time for steps that run when it is told to end, in milliseconds. */
const graceMs = 3_000;

/** What a worker of a permit run is made of. */
export interface WorkParts {
  readonly name: string;
  readonly store: Store;
  readonly registry: Registry;
  /** Cases that it holds at once. */
  readonly concurrency: number;
  readonly onFailpoint?: OnFailpoint;
  /** Told of whatever must not happen in a good run. */
  readonly onTrouble: (text: string) => void;
}

/** A worker and a sweep in this process. */
export class LoneWorker {
  readonly #worker: Worker;
  readonly #sweep: Sweep;
  #ending: Promise<void> | null = null;
  /** In its own process nothing can be stopped. */
  readonly hasStopped = false;
  readonly endedStops: readonly EndedStop[] = [];

  constructor({ name, store, registry, concurrency, onFailpoint, onTrouble }: WorkParts) {
    const ports = systemPorts();
    const onReport = (report: Report): void => tellTrouble(report, onTrouble);
    this.#worker = createWorker({
      store,
      registry,
      ports,
      name,
      host: hostname(),
      build: "example",
      leaseMs,
      concurrency,
      onReport,
      ...(onFailpoint === undefined ? {} : { onFailpoint }),
    });
    this.#sweep = createSweep({ store, ports, intervalMs: sweepEveryMs, onReport });
  }

  /** False until it was told to end. */
  get isGone(): boolean {
    return this.#ending !== null;
  }

  async begin(): Promise<void> {
    await this.#worker.start();
    this.#sweep.start();
  }

  /** Lets running steps end for a while, then ends. Safe to call twice. */
  end(): Promise<void> {
    this.#ending ??= (async () => {
      await this.#worker.stop({ graceMs });
      await this.#sweep.stop();
    })();
    return this.#ending;
  }
}

/** What the engine reports about its ordinary life, lost claims included, is nothing to tell. */
export function tellTrouble(report: Report, onTrouble: (text: string) => void): void {
  if (report.kind === "bug" || report.kind === "unreadable") onTrouble(describe(report.caseId, report.error));
}

function describe(caseId: string | null, error: unknown): string {
  const told = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return caseId === null ? told : `case ${caseId}: ${told}`;
}
