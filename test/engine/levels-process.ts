/** A worker of orders, shipments and labels with its sweep: `DATABASE_URL NAME URLS`, the last as JSON. */

import { createSweep, createWorker, registryOf, systemPorts } from "foothold";
import { postgresStore } from "foothold/postgres";
import { levelTypes, type LevelUrls } from "./levels-types.ts";

const [url = "", name = "", urls = "{}"] = process.argv.slice(2);
const store = postgresStore({ url });
const ports = systemPorts();
const onReport = (): void => undefined;
// Its parent wrote them.
const registry = registryOf(levelTypes(JSON.parse(urls) as LevelUrls));
const worker = createWorker({
  store,
  registry,
  ports,
  name,
  host: "here",
  build: "test",
  leaseMs: 1_500,
  onReport,
});
await worker.start();
createSweep({ store, ports, intervalMs: 200, onReport }).start();
process.stdout.write("up\n");
// Its parent ends it.
process.stdin.on("end", () => process.exit(0)).resume();
