import type { Failpoint } from "../../src/engine/failpoints.ts";
import { startOwnProcess } from "../setup/own-process.ts";
import type { Repeat } from "./case-types.ts";

/** A case type, and where its case is held still, if anywhere. */
export interface PlannedCase {
  readonly name: string;
  readonly repeat: Repeat;
  readonly point: Failpoint | null;
  readonly step: "first" | "second" | "third";
}

/** What a worker process is told. */
export interface WorkerPlan {
  readonly url: string;
  readonly schema: string;
  readonly destination: string;
  readonly leaseMs: number;
  readonly cases: readonly PlannedCase[];
}

/** A line that a worker process says. */
interface Said {
  readonly kind: "started" | "at" | "claimLost" | "lateReport" | "holderEnded" | "stopped";
  readonly name?: string;
  readonly holderId?: string;
  readonly caseId?: string;
  readonly took?: string;
}

/** A worker in a process of its own. */
export interface WorkerProcess {
  readonly pid: number;
  /** Waits until it has said `count` lines of a kind, and gives all of that kind. */
  hear(kind: Said["kind"], count?: number): Promise<readonly Said[]>;
  tell(line: "go" | "stop"): void;
  signal(signal: "SIGSTOP" | "SIGCONT"): void;
  /** kill -9; returns when it is gone. */
  kill(): Promise<void>;
}

/** Lines that a worker process may say before the test gives up. */
const LINES_MAX = 100;

/** Starts a worker process and waits until it is registered. */
export async function startWorkerProcess(plan: WorkerPlan): Promise<WorkerProcess> {
  const process = startOwnProcess(new URL("worker-process.ts", import.meta.url), [JSON.stringify(plan)]);
  const said: Said[] = [];
  const worker: WorkerProcess = {
    pid: process.pid,
    hear: async (kind, count = 1) => {
      const heard = (): readonly Said[] => said.filter((one) => one.kind === kind);
      while (heard().length < count) {
        if (said.length > LINES_MAX) throw new Error(`it said too much: ${JSON.stringify(said)}`);
        said.push(JSON.parse(await process.nextLine()) as Said);
      }
      return heard();
    },
    tell: (line) => process.tell(line),
    signal: (signal) => void process.child.kill(signal),
    kill: () => process.end("SIGKILL"),
  };
  await worker.hear("started");
  return worker;
}
