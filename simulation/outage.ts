/** An outage that hits many cases at once: real workers on a virtual clock, with the in-flight limit and without it. */

import { defineCase } from "../src/define/builder.ts";
import type { CaseType } from "../src/define/case-type.ts";
import { defineDestination } from "../src/define/destination.ts";
import { registryOf } from "../src/define/registry.ts";
import { createDesk } from "../src/desk/desk.ts";
import { ENGINE_VERSION } from "../src/engine/version.ts";
import { createWorker } from "../src/engine/worker.ts";
import { memoryStore } from "../src/store/memory/store.ts";
import type { Store } from "../src/store/port.ts";
import { unmetered } from "../src/wire/unmetered.ts";
import { FaultCounts } from "./faults.ts";
import { OutageServer, type OutageSecond } from "./outage-server.ts";
import { EPOCH_MS, SimulatedProcess } from "./process.ts";
import { SeededRandom } from "./random.ts";
import { Scheduler, settled } from "./scheduler.ts";
import { simulateStore } from "./store.ts";

/** A run. Times in seconds. */
export interface OutagePlan {
  /** False = the same engine with its limit taken off, for comparison. */
  readonly isLimited: boolean;
  readonly workers: number;
  /** Requests that the server gets done in a second, and the cases that start in one, as a share of that. */
  readonly perSecond: number;
  readonly load: number;
  readonly calmS: number;
  readonly outageS: number;
  /** How long an answer takes beside the work, in ms. Default 0. */
  readonly latencyMs?: number;
  /** Every so many requests one fails, whatever the load. Default none. */
  readonly failEvery?: number;
  /** How long cases go on to start after the outage. */
  readonly afterS: number;
  /** When the run ends at the latest. */
  readonly untilS: number;
}

/** What came of it. */
export interface OutageResult {
  readonly started: number;
  readonly done: number;
  /** Cases that wait for a person. */
  readonly inReview: number;
  readonly requests: number;
  readonly seconds: readonly OutageSecond[];
  /** Seconds after the outage in which nothing was done, though cases waited. */
  readonly idleS: number;
  /** The most requests in one second after the outage. */
  readonly surge: number;
}

/** How long one send may take: the server's queue can hold more than that. */
const DEADLINE = "2s";
/** More than all workers together can have under way. */
const NO_LIMIT = 1_000;
const QUEUE_SECONDS = 50;

/** Runs a plan. The same plan gives the same result. */
export async function runOutage(plan: OutagePlan): Promise<OutageResult> {
  const scheduler = new Scheduler();
  const random = new SeededRandom(1);
  const counts = new FaultCounts();
  const [awayFrom, awayUntil] = [plan.calmS * 1_000, (plan.calmS + plan.outageS) * 1_000];
  const server = new OutageServer({
    perSecond: plan.perSecond,
    queueMax: plan.perSecond * QUEUE_SECONDS,
    awayFrom,
    awayUntil,
    ...(plan.latencyMs === undefined ? {} : { latencyMs: plan.latencyMs }),
    ...(plan.failEvery === undefined ? {} : { failEvery: plan.failEvery }),
    now: () => scheduler.now,
    after: (delayMs, act) => scheduler.schedule(delayMs, act),
  });
  const store = memoryStore({ now: () => EPOCH_MS + scheduler.now });
  const habits = { latencyMsMax: 3, requestLost: 0, replyLost: 0, stall: 0, stallMs: 0 };
  const storeFor = (process: SimulatedProcess): Store =>
    simulateStore({
      store: plan.isLimited ? store : forgetful(store),
      process,
      scheduler,
      random: random.fork(),
      habits: () => habits,
      counts,
      onStaleWrite: () => undefined,
    });
  const order = orderAt(server, plan);
  for (let n = 0; n < plan.workers; n += 1) startWorker(n);
  const desk = new SimulatedProcess("desk", scheduler, random.fork());
  const people = createDesk({
    store: storeFor(desk),
    registry: registryOf([order]),
    ports: desk.ports,
    engineVersion: ENGINE_VERSION,
  });
  const total = Math.floor(plan.perSecond * plan.load * (plan.calmS + plan.outageS + plan.afterS));
  for (let n = 0; n < total; n += 1) {
    const at = ((n + random.next()) * 1_000) / (plan.perSecond * plan.load);
    scheduler.schedule(at, () => void people.startCase("order", {}, { by: "ann" }));
  }
  return finish();

  function startWorker(n: number): void {
    const process = new SimulatedProcess(`worker${n}`, scheduler, random.fork());
    const worker = createWorker({
      store: storeFor(process),
      registry: registryOf([order]),
      ports: process.ports,
      meter: unmetered,
      name: process.name,
      host: "simulation",
      build: "1",
      onReport: (report) => {
        if (report.kind === "released" && report.state === "done") server.second.done += 1;
        if (report.kind === "bug") throw report.error;
      },
    });
    void worker.start();
  }

  async function finish(): Promise<OutageResult> {
    await settled();
    let lookAt = awayUntil;
    while (await scheduler.step(plan.untilS * 1_000)) {
      if (scheduler.now < lookAt) continue;
      lookAt = scheduler.now + 5_000;
      const [count] = await store.countCases();
      if ((count?.states.done ?? 0) === total) break;
    }
    const states = (await store.countCases())[0]?.states ?? {};
    const after = server.seconds.slice(awayUntil / 1_000, -1);
    return {
      started: total,
      done: states.done ?? 0,
      inReview: states.in_review ?? 0,
      requests: server.requests,
      seconds: server.seconds,
      idleS: after.filter(({ done }) => done === 0).length,
      surge: Math.max(0, ...after.map(({ requests }) => requests)),
    };
  }
}

function orderAt(server: OutageServer, plan: OutagePlan): CaseType {
  const erp = defineDestination("erp", {
    idempotency: { by: "key", window: "24h" },
    ...(plan.isLimited ? {} : { inFlight: { start: NO_LIMIT, max: NO_LIMIT } }),
  });
  const anything = {
    "~standard": { version: 1, vendor: "simulation", validate: () => ({ value: {} }) },
  } as const;
  return defineCase("order", { version: 1, owner: "ops", input: anything }).step("send", {
    to: erp,
    deadline: DEADLINE,
    run: ({ signal }) => server.send(signal),
  });
}

/** A store that keeps nothing of destinations: each worker goes on as if nothing had ever failed there. */
function forgetful(store: Store): Store {
  return {
    ...store,
    readDestinations: async () => ({ ...(await store.readDestinations()), destinations: [] }),
    changeDestination: async (_, decide) => decide(null, await store.now()).reply,
  };
}
