/**
 * `npm run bench:recovery`: a worker with 1,000 requests under way is killed with `kill -9`, and another takes over.
 * Told are how long it takes until all cases are done, how long the same cases take where nobody dies, what was sent
 * again, and how many effects there are. The destination keeps the first request of a key and answers a repeat from it.
 */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { parseArgs } from "node:util";
import { createSweep, systemPorts } from "foothold";
import { postgresStore } from "foothold/postgres";
import { findTestBinaries, startServer } from "../test/setup/server.ts";
import { openStarter, startWorker, type Starter } from "./worker-crew.ts";

const { values } = parseArgs({
  options: { cases: { type: "string", default: "1000" }, rounds: { type: "string", default: "3" } },
});
const CASES = Number(values.cases);
const ROUNDS = Number(values.rounds);
const STEPS = 3;
const LEASE_MS = 5_000;
/** What finding out and freeing may take beside the lease. */
const FREED_MS = 2_000;
const STARTS_AT_ONCE = 64;

/** Counts requests by key. While it is held, nothing is answered; an effect is there from the first request on. */
class Destination {
  readonly #requests = new Map<string, number>();
  readonly #server = createServer((request, response) => this.#take(request, response));
  #waiting: ServerResponse[] = [];
  isHeld = false;
  onRequest: () => void = () => undefined;

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("the destination has no port");
    return `http://127.0.0.1:${address.port}/`;
  }

  get underWay(): number {
    return this.#waiting.length;
  }

  get effects(): number {
    return this.#requests.size;
  }

  /** Requests beyond the first of each key. */
  get repeats(): number {
    return [...this.#requests.values()].reduce((sum, count) => sum + count - 1, 0);
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const key = String(request.headers["idempotency-key"]);
    this.#requests.set(key, (this.#requests.get(key) ?? 0) + 1);
    request.resume();
    if (this.isHeld) this.#waiting.push(response);
    else answer(response);
    this.onRequest();
  }

  /** What was held is never answered: who sent it is dead. */
  forget(): void {
    for (const response of this.#waiting) response.destroy();
    this.#waiting = [];
    this.#requests.clear();
  }

  release(): void {
    this.isHeld = false;
    for (const response of this.#waiting) response.destroy();
    this.#waiting = [];
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

function answer(response: ServerResponse): void {
  response.setHeader("content-type", "application/json").end('{"ok":true}');
}

const server = await startServer(await findTestBinaries(), {
  settings: { shared_buffers: "1GB", max_wal_size: "4GB", checkpoint_timeout: "30min" },
});
const starter = await openStarter(server.url);
const destination = new Destination();
const destinationUrl = await destination.listen();
const store = postgresStore({ url: server.url });
const sweep = createSweep({ store, ports: systemPorts() });
const settings = { url: server.url, concurrency: CASES, leaseMs: LEASE_MS, destinationUrl };
try {
  sweep.start();
  for (let round = 1; round <= ROUNDS; round += 1) {
    const quietMs = await runQuietly();
    const { tookMs, repeats, effects } = await runKilled();
    const boundMs = LEASE_MS + FREED_MS + quietMs;
    console.log(
      `${CASES} cases of ${STEPS} steps: ${seconds(quietMs)} where nobody dies; after kill -9 with ${CASES} requests under way ` +
        `${seconds(tookMs)} until all are done (bound: lease ${seconds(LEASE_MS)} + ${seconds(FREED_MS)} + ${seconds(quietMs)} ` +
        `= ${seconds(boundMs)}), ${repeats} requests again under their key, ${effects} effects of ${CASES * STEPS}`,
    );
    if (tookMs > boundMs || effects !== CASES * STEPS || repeats > CASES) process.exitCode = 1;
  }
} finally {
  await sweep.stop();
  destination.close();
  await store.close();
  await starter.close();
  await server.stop();
}

/** The same cases with the same worker, from the moment that all are stored. */
async function runQuietly(): Promise<number> {
  const caseIds = await startCases(starter);
  const startedAt = performance.now();
  const worker = await startWorker(settings);
  await allEnded(caseIds);
  const tookMs = performance.now() - startedAt;
  await worker.kill();
  destination.forget();
  return tookMs;
}

async function runKilled(): Promise<{
  readonly tookMs: number;
  readonly repeats: number;
  readonly effects: number;
}> {
  destination.isHeld = true;
  const doomed = await startWorker(settings);
  const allUnderWay = new Promise<void>((resolve) => {
    destination.onRequest = () => {
      if (destination.underWay === CASES) resolve();
    };
  });
  const caseIds = await startCases(starter);
  await allUnderWay;
  // Another one is at hand, as where anybody cares: it finds nothing that is free.
  const next = await startWorker(settings);
  const killedAt = performance.now();
  await doomed.kill();
  destination.release();
  await allEnded(caseIds);
  const tookMs = performance.now() - killedAt;
  await next.kill();
  const { repeats, effects } = destination;
  destination.forget();
  return { tookMs, repeats, effects };
}

async function startCases({ start }: Starter): Promise<readonly string[]> {
  const caseIds: string[] = [];
  let left = CASES;
  const one = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      caseIds.push(await start());
    }
  };
  await Promise.all(Array.from({ length: STARTS_AT_ONCE }, one));
  return caseIds;
}

async function allEnded(caseIds: readonly string[]): Promise<void> {
  await Promise.all(caseIds.map((caseId) => starter.ended(caseId)));
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
