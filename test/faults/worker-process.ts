// A worker in a process of its own, to be killed and stopped. It holds still where it is told to, and says so.
import { createInterface } from "node:readline";
import { registryOf } from "../../src/define/registry.ts";
import type { Failpoint, FailpointPlace } from "../../src/engine/failpoints.ts";
import { systemPorts } from "../../src/engine/system.ts";
import { createWorker } from "../../src/engine/worker.ts";
import { postgresStore } from "../../src/store/postgres/store.ts";
import { threeSteps } from "./case-types.ts";
import type { WorkerPlan } from "./crew.ts";

const plan = JSON.parse(process.argv[2] ?? "{}") as WorkerPlan;

function say(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

let goOn: () => void = () => undefined;
const going = new Promise<void>((resolve) => (goOn = resolve));

async function holdStill(point: Failpoint, { caseId, step, attempt }: FailpointPlace): Promise<void> {
  const name = await caseTypeOf(caseId);
  const here = plan.cases.find((one) => one.name === name && one.point === point && one.step === step);
  if (here === undefined || attempt !== 1) return;
  say({ kind: "at", name, point, caseId });
  await going;
}

const store = postgresStore({ url: plan.url, schema: plan.schema, poolMax: 4 });
const names = new Map<string, string>();

async function caseTypeOf(caseId: string): Promise<string> {
  const known = names.get(caseId) ?? (await store.loadCase(caseId))?.row.caseType ?? "";
  names.set(caseId, known);
  return known;
}

const worker = createWorker({
  store,
  registry: registryOf(plan.cases.map(({ name, repeat }) => threeSteps(plan.destination, name, repeat))),
  ports: systemPorts(),
  name: "victim",
  host: "here",
  build: "test",
  leaseMs: plan.leaseMs,
  onFailpoint: holdStill,
  onReport: (report) => {
    if (report.kind === "claimLost" || report.kind === "lateReport" || report.kind === "holderEnded")
      say(report);
  },
});
await worker.start();
say({ kind: "started", holderId: worker.holderId });

for await (const line of createInterface({ input: process.stdin })) {
  if (line === "go") goOn();
  if (line === "stop") break;
}
goOn();
await worker.stop({ graceMs: 1_000 });
await store.close();
say({ kind: "stopped" });
process.exit(0);
