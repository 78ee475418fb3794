/**
 * Many cases blocked by one revoked access, with real processes: one notice to its owner, one probe while it is still
 * refused, and once it is restored everything goes on within the destination's limit, although the server that lets it go
 * on is killed in the middle.
 */

import { createServer, type Server } from "node:http";
import { createDesk, ENGINE_VERSION, systemPorts } from "foothold";
import { postgresStore } from "foothold/postgres";
import { listenOn } from "../../../src/notices/listening.fixture.ts";
import { startHookServer } from "../../../src/notices/receivers.fixture.ts";
import type { Store } from "../../../src/store/port.ts";
import { until } from "../../engine/world.ts";
import { startOwnProcess, type OwnProcess } from "../../setup/own-process.ts";
import { stormRegistry } from "./storm-types.ts";

/** Starts made side by side. */
const STARTS_AT_ONCE = 16;
const WAIT_MS = 600_000;
/** How long one request takes at the ERP, in ms. */
const ERP_MS = 5;

/** How it is run. */
export interface StormOptions {
  readonly databaseUrl: string;
  readonly cases: number;
  readonly workers: number;
  readonly onLine: (line: string) => void;
}

/** What came of it. */
export interface StormReport {
  /** Messages to the owner while the access was refused. */
  readonly notices: number;
  readonly noticeTitle: string;
  /** Requests to the ERP until all were blocked, and for the probe while it was still refused. */
  readonly refusedRequests: number;
  readonly probeRequests: number;
  /** Cases done, effects at the ERP by different keys, and requests that it took. */
  readonly done: number;
  readonly effects: number;
  readonly takenRequests: number;
  /** Most requests that the ERP had at once after the access was restored. */
  readonly inFlightPeak: number;
  /** Cases that were done when the server was killed. */
  readonly doneAtKill: number;
  readonly secondsToBlock: number;
  readonly secondsToDone: number;
}

/** An ERP that refuses everybody until it is told to take them. */
class Erp {
  isOpen = false;
  requests = 0;
  taken = 0;
  atOnce = 0;
  peak = 0;
  readonly effects = new Set<string>();
  readonly server: Server = createServer((request, response) => {
    this.requests += 1;
    this.atOnce += 1;
    if (this.isOpen) this.peak = Math.max(this.peak, this.atOnce);
    request.resume();
    setTimeout(() => {
      this.atOnce -= 1;
      if (this.isOpen) {
        this.taken += 1;
        this.effects.add(String(request.headers["idempotency-key"]));
      }
      response.writeHead(this.isOpen ? 200 : 401, { "content-type": "application/json" }).end("{}");
    }, ERP_MS);
  });
}

/** Runs it. Throws where something does not come to be in time. */
export async function runStorm(options: StormOptions): Promise<StormReport> {
  const { databaseUrl, cases, workers, onLine } = options;
  const erp = new Erp();
  const gate = await listenOn(erp.server);
  const erpUrl = `http://127.0.0.1:${gate.port}/orders`;
  const hook = await startHookServer();
  const store = postgresStore({ url: databaseUrl });
  await store.migrate();
  const processes: OwnProcess[] = [];
  const start = async (role: "server" | "worker"): Promise<readonly [OwnProcess, string]> => {
    const file = new URL("storm-process.ts", import.meta.url);
    const process = startOwnProcess(file, [role, databaseUrl, erpUrl, hook.url]);
    processes.push(process);
    return [process, await process.nextLine(60_000)];
  };
  try {
    const [server, serverUrl] = await start("server");
    for (let count = 0; count < workers; count += 1) await start("worker");
    const began = performance.now();
    await startCases(store, erpUrl, cases);
    onLine(`${cases} cases started`);
    const told = await until("every case to be blocked", () => countBlocked(store, cases), WAIT_MS);
    const secondsToBlock = secondsSince(began);
    onLine(`${told} cases blocked, ${erp.requests} requests refused`);
    await until("the owner to be told", () => hook.requests.length > 0, WAIT_MS);
    const refusedRequests = erp.requests;
    await restoreAccess(serverUrl);
    const probeRequests = erp.requests - refusedRequests;
    onLine(`still refused: ${probeRequests} requests for the probe`);
    const restored = performance.now();
    erp.isOpen = true;
    // It is killed while it answers: nobody hears what became of the others.
    const restoring = restoreAccess(serverUrl).catch(() => null);
    await until("the first to be done", async () => erp.taken > 0, WAIT_MS);
    await server.end("SIGKILL");
    await restoring;
    const doneAtKill = await countDone(store);
    onLine(`the server was killed with ${doneAtKill} cases done`);
    const [, nextUrl] = await start("server");
    await restoreAccess(nextUrl);
    const done = await until("all to be done", () => isAllDone(store, cases), WAIT_MS);
    const [first] = hook.requests;
    return {
      notices: hook.requests.length,
      noticeTitle: first?.body ?? "",
      refusedRequests,
      probeRequests,
      done,
      effects: erp.effects.size,
      takenRequests: erp.taken,
      inFlightPeak: erp.peak,
      doneAtKill,
      secondsToBlock,
      secondsToDone: secondsSince(restored),
    };
  } finally {
    for (const process of processes) await process.end("SIGKILL");
    await store.close();
    await hook.close();
    await gate.close();
  }
}

async function startCases(store: Store, erpUrl: string, cases: number): Promise<void> {
  const registry = stormRegistry(erpUrl);
  const desk = createDesk({ store, registry, ports: systemPorts(), engineVersion: ENGINE_VERSION });
  let left = cases;
  const startNext = async (): Promise<void> => {
    for (; left > 0;) {
      left -= 1;
      await desk.startCase("order", {}, { by: "ops" });
    }
  };
  await Promise.all(Array.from({ length: STARTS_AT_ONCE }, startNext));
}

async function countBlocked(store: Store, cases: number): Promise<number | null> {
  const { needs } = await store.notices.countNeeds(86_400_000);
  const blocked = needs.reduce((sum, { open }) => sum + (open?.cases ?? 0), 0);
  return blocked === cases ? blocked : null;
}

async function countDone(store: Store): Promise<number> {
  const counts = await store.countCases();
  return counts.reduce((sum, { states }) => sum + (states.done ?? 0), 0);
}

async function isAllDone(store: Store, cases: number): Promise<number | null> {
  const done = await countDone(store);
  return done === cases ? done : null;
}

async function restoreAccess(serverUrl: string): Promise<unknown> {
  const answer = await fetch(`${serverUrl}/api/v1/destinations/erp/access-restored`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
    signal: AbortSignal.timeout(WAIT_MS),
  });
  const told: unknown = await answer.json();
  if (!answer.ok)
    throw new Error(`access restored was answered with ${answer.status}: ${JSON.stringify(told)}`);
  return told;
}

function secondsSince(began: number): number {
  return Math.round((performance.now() - began) / 100) / 10;
}
