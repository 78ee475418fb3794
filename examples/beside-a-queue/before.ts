/** The worker as it was: every job is a plain one, and a job that fails is tried again from its start. */

import PgBoss from "pg-boss";
import { Charge, type Receipt } from "./charge.ts";

/** What a receipt is made with. */
export type PrintReceipt = (receipt: Receipt) => Promise<void>;

/** How often the queue looks for jobs, in seconds. */
const POLL_SECONDS = 0.5;

/** Connections of one process to the queue's database. */
const CONNECTIONS_MAX = 4;

/** Starts the queue in this process, and makes both queues where they are not there yet. `onError` hears of what it cannot do. */
export async function startQueue(databaseUrl: string, onError: (error: unknown) => void): Promise<PgBoss> {
  const boss = new PgBoss({ connectionString: databaseUrl, max: CONNECTIONS_MAX });
  boss.on("error", onError);
  await boss.start();
  await boss.createQueue("charge", { name: "charge", retryLimit: 3, retryDelay: 1 });
  await boss.createQueue("receipt", { name: "receipt", retryLimit: 3 });
  return boss;
}

/** Takes jobs of both queues. Where an answer is lost, the next try charges again: this is what is mended. */
export async function workBefore(boss: PgBoss, paymentsUrl: string, print: PrintReceipt): Promise<void> {
  await boss.work("charge", { pollingIntervalSeconds: POLL_SECONDS }, async (jobs) => {
    for (const { data } of jobs) {
      const { order, cents } = Charge.parse(data);
      const response = await fetch(paymentsUrl, { method: "POST", body: JSON.stringify({ order, cents }) });
      if (!response.ok) throw new Error(`payments answered ${response.status}`);
      // What the payments answer to a charge.
      const { chargeId } = (await response.json()) as { readonly chargeId: string };
      await boss.send("receipt", { order, chargeId } satisfies Receipt);
    }
  });
  await workReceipts(boss, print);
}

/** The plain job: a receipt that is printed twice harms nobody. It stays as it is. */
export async function workReceipts(boss: PgBoss, print: PrintReceipt): Promise<void> {
  await boss.work<Receipt>("receipt", { pollingIntervalSeconds: POLL_SECONDS }, async (jobs) => {
    for (const { data } of jobs) await print(data);
  });
}
