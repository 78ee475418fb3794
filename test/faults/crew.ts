/** Workers in processes of their own, to be killed, stopped, cut off and starved. */

import type { Failpoint } from "../../src/engine/failpoints.ts";
import { until } from "../engine/world.ts";
import { startOwnProcess, type OwnProcessOptions } from "../setup/own-process.ts";
import type { PlannedType, StepName } from "./case-types.ts";

/** What becomes of a worker process, once, when it comes to a place. */
export type Trap = { readonly caseId: string; readonly step: StepName } & (
  | {
      /** Holds this case still at a failpoint until the process is told to go on. */
      readonly act: "hold";
      readonly point: Failpoint;
    }
  /**
   * Inside `run`, past the last look at the lease: holds still until told to go on, then sends without heeding its
   * signal, as a request does that was under way in a stopped process or in the network.
   */
  | { readonly act: "sendLate" }
  /** Blocks the whole process, before it sends or right after it was answered, until this file is there. */
  | { readonly act: "block"; readonly untilFile: string; readonly when: "beforeSend" | "afterSend" }
  /** Sends, then uses up all memory that the process has. */
  | { readonly act: "eatMemory" }
);

/** What a worker process is told. */
export interface WorkerPlan {
  readonly name: string;
  readonly url: string;
  readonly schema: string;
  readonly destination: string;
  readonly leaseMs: number;
  readonly concurrency: number;
  /** Connections to the database; each transaction that a step writes in has one for itself. */
  readonly poolMax: number;
  /** After this time it gives up on a statement or a connect, in ms. */
  readonly databaseTimeoutMs: number;
  /** One worker for each case type, instead of one for all. */
  readonly workerPerType: boolean;
  readonly caseTypes: readonly PlannedType[];
  readonly traps: readonly Trap[];
}

/** A line that a worker process says. */
export interface Said {
  readonly kind:
    | "started"
    | "at"
    | "claimed"
    | "claimLost"
    | "lateReport"
    | "holderEnded"
    | "databaseAway"
    | "bug"
    | "clock"
    | "stopped";
  readonly caseId?: string;
  readonly caseIds?: readonly string[];
  readonly took?: string;
  /** What its wall clock shows, in epoch ms. */
  readonly wallAt?: number;
  readonly why?: string;
  /** When it was heard, by the monotonic clock of this process. */
  readonly heardAt: number;
}

/** A worker in a process of its own. */
export interface WorkerProcess {
  readonly pid: number;
  readonly name: string;
  /** Waits until it has said `count` lines of a kind, at most 30 s, and gives all of that kind. */
  hear(kind: Said["kind"], count?: number): Promise<readonly Said[]>;
  /** What it has said of a kind so far. */
  heard(kind: Said["kind"]): readonly Said[];
  tell(line: "go" | "stop" | "clock"): void;
  signal(signal: "SIGSTOP" | "SIGCONT"): void;
  /** kill -9; returns when it is gone. */
  kill(): Promise<void>;
  /** True once it is gone, whoever ended it. */
  isGone(): boolean;
  /** Ends it in order, awake or stopped, after it has said all it has to say. Safe twice, and when it is gone. */
  retire(): Promise<void>;
}

const HEAR_MS = 30_000;
/** How long a line may not come before the process is taken for silent for good, in ms. */
const SILENT_MS = 3_600_000;

/** Starts a worker process and waits until it is registered. */
export async function startWorkerProcess(
  plan: WorkerPlan,
  options: OwnProcessOptions = {},
): Promise<WorkerProcess> {
  const own = startOwnProcess(new URL("worker-process.ts", import.meta.url), [], options);
  own.tell(JSON.stringify(plan));
  const said: Said[] = [];
  let end: { readonly why: string } | null = null;
  const listen = async (): Promise<void> => {
    for (;;) {
      const line = JSON.parse(await own.nextLine(SILENT_MS)) as Omit<Said, "heardAt">;
      said.push({ ...line, heardAt: performance.now() });
    }
  };
  void listen().catch((error: unknown) => (end = { why: String(error) }));
  const heard: WorkerProcess["heard"] = (kind) => said.filter((one) => one.kind === kind);
  const hear: WorkerProcess["hear"] = (kind, count = 1) =>
    until(
      `${plan.name} to say "${kind}" ${count} times`,
      () => {
        if (heard(kind).length >= count) return heard(kind);
        if (end !== null) throw new Error(`${plan.name} will not say "${kind}" any more: ${end.why}`);
        return null;
      },
      HEAR_MS,
    );
  const worker: WorkerProcess = {
    pid: own.pid,
    name: plan.name,
    hear,
    heard,
    tell: (line) => own.tell(line),
    signal: (signal) => void own.child.kill(signal),
    kill: () => own.end("SIGKILL"),
    isGone: () => own.child.exitCode !== null || own.child.signalCode !== null,
    retire: async () => {
      if (worker.isGone()) return;
      own.child.kill("SIGCONT");
      own.tell("stop");
      await hear("stopped");
      await own.ended();
    },
  };
  await hear("started");
  return worker;
}
