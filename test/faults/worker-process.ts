// A worker in a process of its own, to be killed, stopped and starved. It gets its plan as the first line of its stdin,
// falls into the traps of the plan, each once, and says what it does.
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { registryOf } from "../../src/define/registry.ts";
import type { Failpoint, FailpointPlace } from "../../src/engine/failpoints.ts";
import type { Report } from "../../src/engine/report.ts";
import { systemPorts } from "../../src/engine/system.ts";
import { createWorker } from "../../src/engine/worker.ts";
import { postgresStore } from "../../src/store/postgres/store.ts";
import { threeSteps, type OnRun } from "./case-types.ts";
import type { Said, Trap, WorkerPlan } from "./crew.ts";

/** A loop ends by itself then, in ms. */
const BLOCK_MS_MAX = 60_000;

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const nextLine = async (): Promise<string | null> => {
  const line: IteratorResult<string, unknown> = await lines.next();
  return line.done === true ? null : line.value;
};

const plan = JSON.parse((await nextLine()) ?? "{}") as WorkerPlan;
const traps = new Set(plan.traps);

function say(line: Omit<Said, "heardAt">): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

let goOn: () => void = () => undefined;
const going = new Promise<void>((resolve) => (goOn = resolve));

function takeTrap(matches: (trap: Trap) => boolean): Trap | null {
  const trap = [...traps].find(matches) ?? null;
  if (trap !== null) traps.delete(trap);
  return trap;
}

async function onFailpoint(point: Failpoint, { caseId, step, attempt }: FailpointPlace): Promise<void> {
  // An answer to a question that is asked before the first attempt is stored too; that is another place.
  if (attempt < 1) return;
  const trap = takeTrap(
    (one) => one.act === "hold" && one.point === point && one.caseId === caseId && one.step === step,
  );
  if (trap === null) return;
  say({ kind: "at", caseId });
  await going;
}

const onRun: OnRun = async ({ caseId, step, signal }, send) => {
  const trap = takeTrap((one) => one.act !== "hold" && one.caseId === caseId && one.step === step);
  if (trap === null || trap.act === "hold") return send(signal);
  if (trap.act === "block" && trap.when === "beforeSend") {
    say({ kind: "at", caseId });
    block(trap.untilFile);
    return send(new AbortController().signal);
  }
  if (trap.act === "sendLate") {
    say({ kind: "at", caseId });
    await going;
    return send(new AbortController().signal);
  }
  const made = await send(signal);
  say({ kind: "at", caseId });
  if (trap.act === "eatMemory") eatMemory();
  else block(trap.untilFile);
  return made;
};

/** A busy loop, as a regular expression or a big sort makes one; its end can come from outside by a file alone. */
function block(untilFile: string): void {
  const endsAt = performance.now() + BLOCK_MS_MAX;
  while (!existsSync(untilFile) && performance.now() < endsAt) continue;
}

function eatMemory(): void {
  const eaten: object[] = [];
  for (;;) eaten.push({ more: [eaten.length] });
}

function onReport(report: Report): void {
  switch (report.kind) {
    case "claimed":
    case "claimLost":
    case "lateReport":
    case "holderEnded":
      say(report);
      return;
    case "databaseAway":
      say({ kind: "databaseAway", why: String(report.error) });
      return;
    case "bug":
      say({ kind: "bug", why: report.error instanceof Error ? String(report.error.stack) : "" });
      return;
    case "attempted":
    case "released":
    case "holderFreed":
    case "claimFreed":
    case "databaseBack":
    case "unreadable":
    case "lateRequest":
  }
}

const store = postgresStore({
  url: plan.url,
  schema: plan.schema,
  poolMax: plan.poolMax,
  applicationName: plan.name,
  queryTimeoutMs: plan.databaseTimeoutMs,
  connectTimeoutMs: plan.databaseTimeoutMs,
});
const groups = plan.workerPerType ? plan.caseTypes.map((one) => [one]) : [plan.caseTypes];
const workers = groups.map((types) =>
  createWorker({
    store,
    registry: registryOf(types.map((type) => threeSteps(plan.destination, type, onRun))),
    ports: systemPorts(),
    name: plan.name,
    host: "here",
    build: "test",
    leaseMs: plan.leaseMs,
    concurrency: plan.concurrency,
    onFailpoint,
    onReport,
  }),
);
await Promise.all(workers.map((worker) => worker.start()));
say({ kind: "started" });

for (;;) {
  const line = await nextLine();
  if (line === "clock") say({ kind: "clock", wallAt: Date.now() });
  if (line === "go") goOn();
  // Whoever started it is gone, or wants it to end.
  if (line === null || line === "stop") break;
}
goOn();
await Promise.all(workers.map((worker) => worker.stop({ graceMs: 10_000 })));
await store.close();
say({ kind: "stopped" });
process.exit(0);
