/** Starts workers in processes of their own, kills them, and keeps account of the cases that are done. */

import { execFileSync, fork, type ChildProcess } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import ts from "typescript";
import { createDesk, ENGINE_VERSION, registryOf, systemPorts } from "foothold";
import { postgresStore } from "foothold/postgres";
import { Endings } from "./closed-loop/contestant.ts";
import { benchTypes, typeName, type StepCount, type WorkerMessage } from "./worker-process.ts";

/** How a worker is started. */
export interface WorkerSettings {
  readonly url: string;
  readonly concurrency: number;
  readonly leaseMs: number;
  readonly destinationUrl?: string;
}

/** One of them. */
export interface CrewWorker {
  readonly pid: number;
  /** `kill -9`; resolves when it is gone. */
  readonly kill: () => Promise<void>;
  /** Resident memory now, and the most there was, in bytes. Linux only. */
  readonly memory: () => { readonly rss: number; readonly peak: number };
}

/** Starts cases, and waits for them. */
export interface Starter {
  /** Resolves once the case is stored; 3 steps when left out. */
  readonly start: (steps?: StepCount) => Promise<string>;
  /** Resolves once a worker said that it is done. */
  readonly ended: (caseId: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

const ROOT = new URL("../", import.meta.url).pathname;
const endings = new Endings();
const workerFile = buildWorker();

/** Workers run what is packed: a compiler in their process would count as their memory. */
function buildWorker(): string {
  execFileSync(process.execPath, ["scripts/build.mjs"], { cwd: ROOT, stdio: "inherit" });
  const source = readFileSync(`${ROOT}bench/worker-process.ts`, "utf8");
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 },
  });
  const file = `${ROOT}build/bench/worker-process.js`;
  mkdirSync(`${ROOT}build/bench`, { recursive: true });
  writeFileSync(file, outputText);
  return file;
}

/** Starts a worker; resolves when it takes cases. */
export async function startWorker(settings: WorkerSettings): Promise<CrewWorker> {
  const { url, concurrency, leaseMs, destinationUrl } = settings;
  const args = [url, String(concurrency), String(leaseMs)];
  if (destinationUrl !== undefined) args.push(destinationUrl);
  const child = fork(workerFile, args, { execArgv: [] });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await readiness(child);
  const { pid } = child;
  if (pid === undefined) throw new Error("a worker was not started");
  return {
    pid,
    kill: () => {
      child.kill("SIGKILL");
      return ended;
    },
    memory: () => {
      const status = readFileSync(`/proc/${pid}/status`, "utf8");
      const bytes = (name: string): number =>
        Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) * 1_024;
      return { rss: bytes("VmRSS"), peak: bytes("VmHWM") };
    },
  };
}

function readiness(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`a worker ended with ${code}`)));
    // Sent by our own process, worker-process.ts.
    child.on("message", (message: WorkerMessage) => {
      if (message.kind === "ready") resolve();
      else endings.end(message.caseId);
    });
  });
}

/** Opens a desk on an empty database, its schema in place. */
export async function openStarter(url: string): Promise<Starter> {
  const store = postgresStore({ url });
  await store.migrate();
  const desk = createDesk({
    store,
    registry: registryOf(benchTypes(null)),
    ports: systemPorts(),
    engineVersion: ENGINE_VERSION,
  });
  return {
    start: async (steps = 3) => (await desk.startCase(typeName(steps), { n: 1 }, { by: "bench" })).caseId,
    ended: (caseId) => endings.wait(caseId),
    close: () => store.close(),
  };
}
