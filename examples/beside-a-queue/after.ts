/** The worker with the charges moved over: a job of that queue does nothing but start a case. Receipts stay plain jobs. */

import { hostname } from "node:os";
import {
  createDesk,
  createSweep,
  createWorker,
  ENGINE_VERSION,
  registryOf,
  systemPorts,
  type Desk,
} from "foothold";
import { postgresStore } from "foothold/postgres";
import type PgBoss from "pg-boss";
import { workReceipts, type PrintReceipt } from "./before.ts";
import { Charge, defineCharge } from "./charge.ts";

/** What it is made of. */
export interface AfterOptions {
  /** The queue, in the same database. It is started, and stopped, by whoever made it. */
  readonly boss: PgBoss;
  readonly databaseUrl: string;
  readonly paymentsUrl: string;
  readonly print: PrintReceipt;
}

/** A running worker. */
export interface After {
  /** What people do to charges. */
  readonly desk: Desk;
  /** Ends what is under way. Stop the queue first. */
  stop(): Promise<void>;
}

/** How often the queue looks for jobs, in seconds. */
const POLL_SECONDS = 0.5;

/** Takes jobs of both queues, and works on the cases. */
export async function workAfter({ boss, databaseUrl, paymentsUrl, print }: AfterOptions): Promise<After> {
  const store = postgresStore({ url: databaseUrl });
  await store.migrate();
  const charge = defineCharge({ paymentsUrl, boss });
  const registry = registryOf([charge]);
  const ports = systemPorts();
  const desk = createDesk({ store, registry, ports, engineVersion: ENGINE_VERSION });
  const worker = createWorker({ store, registry, ports, name: "w-1", host: hostname(), build: "1" });
  const sweep = createSweep({ store, ports });
  await worker.start();
  sweep.start();

  const options = { pollingIntervalSeconds: POLL_SECONDS, includeMetadata: true } as const;
  await boss.work("charge", options, async (jobs) => {
    for (const { data, retryCount } of jobs) {
      const job = Charge.parse(data);
      // A job that was tried before may be one that the worker of before gave up in the middle.
      const input = { ...job, wasTried: retryCount > 0 };
      // One case for each order: a job that comes again starts nothing.
      await desk.startCase(charge, input, { by: "the queue", businessKey: job.order });
    }
  });
  await workReceipts(boss, print);
  return {
    desk,
    stop: async () => {
      await worker.stop();
      await sweep.stop();
      await store.close();
    },
  };
}
