/** One worker process of a permit run. The parent starts it, and ends it; so do some planned faults. */

import { registryOf, type OnFailpoint } from "foothold";
import { postgresStore } from "foothold/postgres";
import { permitCaseTypes } from "./case-types.ts";
import { bookFault, readFaultBook, type PlannedFault } from "./fault-book.ts";
import { LoneWorker } from "./lone-worker.ts";
import { stopSending } from "./sending.ts";
import type { FromWorker, ToWorker, WorkerConfig } from "./worker-messages.ts";

/** Connections of one worker process to the database. */
const connectionsMax = 4;

function tell(message: FromWorker): void {
  if (process.connected) process.send?.(message);
}

/** Dies or stops at the points that are planned, each once: what the book says has happened does not happen again. */
function faultsAt(name: string, faultBook: string, faults: readonly PlannedFault[]): OnFailpoint {
  const planned = new Map(faults.map((fault) => [`${fault.caseId} ${fault.step} ${fault.point}`, fault]));
  return (point, { caseId, step, attempt }) => {
    const fault = planned.get(`${caseId} ${step} ${point}`);
    if (fault === undefined) return;
    const isBooked = readFaultBook(faultBook).some((one) => one.caseId === caseId && one.step === step);
    if (isBooked) return;
    bookFault(faultBook, { ...fault, attempt, worker: name, pid: process.pid });
    process.kill(process.pid, fault.act === "kill" ? "SIGKILL" : "SIGSTOP");
  };
}

async function work(config: WorkerConfig, inbox: Inbox): Promise<void> {
  const { name, databaseUrl, schema, concurrency, outside, faultBook } = config;
  const registry = registryOf(permitCaseTypes(config.variants, outside));
  const store = postgresStore({ url: databaseUrl, schema, poolMax: connectionsMax, applicationName: name });
  const { faults } = await inbox.next("begin");
  const worker = new LoneWorker({
    name,
    store,
    registry,
    concurrency,
    onFailpoint: faultsAt(name, faultBook, faults),
    onTrouble: (text) => tell({ kind: "trouble", text }),
  });
  await worker.begin();
  await inbox.next("stop");
  await worker.end();
  await store.close();
  await stopSending();
}

/** The parent's messages, each waited for by its kind. */
class Inbox {
  readonly #waiting = new Map<string, (message: ToWorker) => void>();
  readonly #arrived = new Map<string, ToWorker>();

  constructor() {
    process.on("message", (message: ToWorker) => {
      const waiting = this.#waiting.get(message.kind);
      if (waiting === undefined) this.#arrived.set(message.kind, message);
      else waiting(message);
    });
  }

  next<Kind extends ToWorker["kind"]>(kind: Kind): Promise<Extract<ToWorker, { kind: Kind }>> {
    return new Promise((resolve) => {
      const take = (message: ToWorker): void => {
        // Only messages of this kind are handed to it.
        resolve(message as Extract<ToWorker, { kind: Kind }>);
      };
      const arrived = this.#arrived.get(kind);
      if (arrived === undefined) this.#waiting.set(kind, take);
      else take(arrived);
    });
  }
}

// Without its parent a worker must not go on: nobody would end it.
process.on("disconnect", () => process.exit(1));
// An interrupt from the keyboard goes to the whole group; the parent decides what becomes of it.
process.on("SIGINT", () => undefined);

const inbox = new Inbox();
try {
  const { config } = await inbox.next("prepare");
  await work(config, inbox);
  process.disconnect();
  process.exit(0);
} catch (error) {
  const told = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`permits: a worker failed: ${told}\n`);
  process.exit(1);
}
