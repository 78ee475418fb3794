/** A worker of refunds with its sweep: `DATABASE_URL NAME BANK_URL`. */

import { createSweep, createWorker, registryOf, systemPorts } from "foothold";
import { postgresStore } from "foothold/postgres";
import { refundType } from "./keyed-types.ts";

const [url = "", name = "", bankUrl = ""] = process.argv.slice(2);
const store = postgresStore({ url });
const ports = systemPorts();
const registry = registryOf([refundType(bankUrl)]);
const worker = createWorker({ store, registry, ports, name, host: "here", build: "test", leaseMs: 1_500 });
await worker.start();
createSweep({ store, ports, intervalMs: 200 }).start();
process.stdout.write("up\n");
// Its parent ends it.
process.stdin.on("end", () => process.exit(0)).resume();
