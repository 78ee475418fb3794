// A worker of one build, in a process of its own. It gets its plan as the first line of its stdin, and ends with the second.
import { createInterface } from "node:readline";
import { registryOf } from "../../src/define/registry.ts";
import { systemPorts } from "../../src/engine/system.ts";
import { createWorker } from "../../src/engine/worker.ts";
import { postgresStore } from "../../src/store/postgres/store.ts";
import { caseTypeOf, type Build } from "./builds.ts";

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const first: IteratorResult<string, unknown> = await lines.next();
// The test that starts this process writes it.
const plan = JSON.parse(first.done === true ? "{}" : first.value) as {
  readonly databaseUrl: string;
  readonly destinationUrl: string;
  readonly build: Build;
};

const store = postgresStore({ url: plan.databaseUrl, poolMax: 4, applicationName: plan.build.name });
const worker = createWorker({
  store,
  registry: registryOf([caseTypeOf(plan.build, plan.destinationUrl)]),
  ports: systemPorts(),
  name: plan.build.name,
  host: "here",
  build: plan.build.name,
  leaseMs: 3_000,
  concurrency: 8,
  onReport: (report) => {
    if (report.kind === "bug") process.stdout.write(`bug: ${String(report.error)}\n`);
  },
});
await worker.start();
process.stdout.write("started\n");
await lines.next();
await worker.stop({ graceMs: 10_000 });
await store.close();
process.stdout.write("stopped\n");
process.exit(0);
