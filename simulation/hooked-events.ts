/** Events by way of the inbox: a provider, the server that takes its deliveries, and those who work on what is in. */

import type { Registry } from "../src/define/registry.ts";
import { createDesk } from "../src/desk/desk.ts";
import { ENGINE_VERSION } from "../src/engine/version.ts";
import type { Worker } from "../src/engine/worker.ts";
import type { InboxReport } from "../src/inbox/report.ts";
import type { Source } from "../src/inbox/source.ts";
import { createInboxWorker } from "../src/inbox/worker.ts";
import type { Store, StoredCase } from "../src/store/port.ts";
import type { FaultCounts } from "./faults.ts";
import { areHooksSettled, checkHooks, HookServer } from "./hooks.ts";
import { Ignoring } from "./ignoring.ts";
import type { Violation } from "./journal-rules.ts";
import type { SimulatedProcess } from "./process.ts";
import { hooksSource, SimulatedProvider } from "./provider.ts";
import type { SeededRandom } from "./random.ts";
import type { Scheduler } from "./scheduler.ts";
import type { NetworkHabits } from "./store.ts";

/** What they are made of. */
export interface HookedEventsOptions {
  readonly seed: number;
  readonly scheduler: Scheduler;
  readonly random: SeededRandom;
  readonly counts: FaultCounts;
  /** As it is, network and all apart. */
  readonly store: Store;
  readonly habits: () => NetworkHabits;
  readonly newProcess: (label: string) => SimulatedProcess;
  readonly storeFor: (process: SimulatedProcess) => Store;
  readonly violate: (rule: string, what: string) => void;
  readonly onTrace: (line: string) => void;
}

/** The events of a run that come by the inbox. */
export class HookedEvents {
  readonly #options: HookedEventsOptions;
  readonly #source: Source;
  readonly #server: HookServer;
  readonly #provider: SimulatedProvider;
  readonly #ignoring: Ignoring;

  constructor(options: HookedEventsOptions) {
    this.#options = options;
    const { scheduler, random, counts, habits, storeFor, onTrace } = options;
    const common = { scheduler, counts };
    this.#source = hooksSource(() => this.#provider.listed, random.chance(0.2));
    this.#server = new HookServer({
      ...common,
      random: random.fork(),
      source: this.#source,
      habits,
      newProcess: () => options.newProcess("hooks"),
      storeFor,
      onReport: (report) => this.#onReport(report),
    });
    this.#provider = new SimulatedProvider({
      ...common,
      random: random.fork(),
      post: (posted) => this.#server.post(posted),
      onTrace,
      onForgedTaken: (id) => options.violate("inbox", `what was forged of ${id} was answered with a success`),
    });
    this.#ignoring = new Ignoring({ ...options, source: this.#source });
  }

  /** Draws what people do about events. */
  plan(): void {
    this.#ignoring.plan();
  }

  /** The worker of the inbox, beside the worker of a process and under its holder. */
  startWorker(given: {
    readonly process: SimulatedProcess;
    readonly store: Store;
    readonly registry: Registry;
    readonly worker: Worker;
  }): void {
    const { process, store, registry, worker } = given;
    const { ports } = process;
    void createInboxWorker({
      store,
      registry,
      ports,
      door: createDesk({ store, registry, ports, engineVersion: ENGINE_VERSION }),
      sources: [this.#source],
      holderId: () => worker.holderId,
      onReport: (report) => this.#onReport(report),
      firstDelayMs: 200,
    }).start();
  }

  tell(eventType: string, order: string, no: number): void {
    this.#provider.tell(eventType, order, no);
  }

  killServer(): void {
    this.#server.kill();
  }

  /** What people did may be lost. */
  noteFailover(): void {
    this.#ignoring.noteFailover();
  }

  /** What a failover lost, only the provider still has. */
  calmDown(hasFailedOver: boolean): void {
    this.#provider.calmDown();
    if (hasFailedOver) void this.#server.reconcile();
  }

  async isSettled(): Promise<boolean> {
    if (this.#server.isReading) return false;
    return areHooksSettled(this.#options.store, this.#source, this.#provider.told);
  }

  async check(cases: readonly StoredCase[], hasFailedOver: boolean): Promise<readonly Violation[]> {
    const { told } = this.#provider;
    const given = { told, cases, hasFailedOver };
    return [
      ...(await checkHooks(this.#options.store, this.#source, given)),
      ...(await this.#ignoring.check(cases)),
    ];
  }

  #onReport(report: InboxReport): void {
    const { counts, violate } = this.#options;
    if (report.kind === "fault") violate("inbox bug", String(report.error));
    if (report.kind === "swept" && report.freed > 0) counts.hit("workLost");
    if (report.kind === "reconciled") counts.hit("reconciled");
  }
}
