/** A worker of the import in a process of its own: `worker.ts DATABASE-URL FOLDER CRM-URL`. It ends when its parent does. */

import { hostname } from "node:os";
import { createSweep, createWorker, registryOf, systemPorts } from "foothold";
import { postgresStore } from "foothold/postgres";
import { defineImport } from "./contacts.ts";

/** How long it may be silent before another one takes its cases, in ms. */
const LEASE_MS = 3_000;

const [url, folder, crmUrl] = process.argv.slice(2);
if (url === undefined || folder === undefined || crmUrl === undefined)
  throw new Error("usage: worker.ts DATABASE-URL FOLDER CRM-URL");

const store = postgresStore({ url });
const ports = systemPorts();
const registry = registryOf(defineImport({ folder, crmUrl }));
const name = `w-${process.pid}`;
const worker = createWorker({
  store,
  registry,
  ports,
  name,
  host: hostname(),
  build: "example",
  leaseMs: LEASE_MS,
});
const sweep = createSweep({ store, ports });

process.on("disconnect", () => void stop());
await worker.start();
sweep.start();

async function stop(): Promise<void> {
  await worker.stop();
  await sweep.stop();
  await store.close();
}
