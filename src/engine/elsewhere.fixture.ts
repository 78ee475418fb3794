/** A case type that is run elsewhere, a worker there as its requests show it, and time by hand. */

import { z } from "zod";
import { defineCase } from "../define/builder.ts";
import type { CaseType } from "../define/case-type.ts";
import { defineDestination } from "../define/destination.ts";
import { elsewhere } from "../define/elsewhere.ts";
import { registryOf } from "../define/registry.ts";
import { memoryStore } from "../store/memory/store.ts";
import type { Store } from "../store/port.ts";
import { startCase } from "./case-types.fixture.ts";
import { Elsewhere } from "./elsewhere.ts";
import type { ElsewhereAnswer } from "./elsewhere-words.ts";
import type { Registered, WorkTaken } from "./elsewhere-protocol.ts";
import type { WorkTask } from "./elsewhere-task.ts";
import { ManualClock, portsAround } from "./manual-clock.fixture.ts";
import type { Report } from "./report.ts";
import { createSweep, SWEEP_EVERY_MS } from "./sweep.ts";

const owner = "data";
const models = defineDestination("models", {
  idempotency: { by: "key", window: "24h" },
  owners: { input: owner },
});
const archive = defineDestination("archive", { idempotency: { by: "lookup" }, readLag: "1s" });
const ledger = defineDestination("ledger", { idempotency: { by: "none" } });
const Score = z.object({ score: z.number() });

/** score -> file, both run by Python: the one is repeated with its key, the other is looked for. */
export const scoring = defineCase("scoring", { version: 1, owner, input: z.object({ text: z.string() }) })
  .step("score", {
    to: models,
    request: ({ input }) => ({ text: input.text }),
    run: elsewhere("python"),
    result: Score,
    undo: { run: elsewhere("python") },
  })
  .step("file", {
    to: archive,
    request: ({ results }) => ({ score: results.score.score }),
    run: elsewhere("python"),
    check: elsewhere("python"),
    result: z.object({ id: z.string() }),
  });

/** One step at a destination that can do nothing against a second effect. */
export const booking = defineCase("booking", { version: 1, owner, input: z.unknown() }).step("book", {
  to: ledger,
  request: () => ({ amount: 1 }),
  run: elsewhere("python"),
  result: z.unknown(),
});

/** One step for every letter of the text. */
export const letters = defineCase("letters", {
  version: 1,
  owner,
  input: z.object({ text: z.string() }),
}).each("post", {
  items: ({ input }) => input.text.split(""),
  key: (letter) => letter,
  to: models,
  request: ({ item }) => ({ letter: item }),
  run: elsewhere("python"),
  result: z.string(),
});

const caseTypes: readonly CaseType[] = [scoring, booking, letters];

/** How long a worker there may be silent, in ms. */
export const LEASE_MS = 3_000;

/** Servers over one store, and workers that ask them. */
export class Far {
  readonly clock = new ManualClock();
  readonly ports = portsAround(this.clock);
  readonly reports: Report[] = [];
  readonly store: Store;
  /** Of the server that answers now. */
  server: Elsewhere;
  #claims = 0;

  constructor(store?: Store) {
    this.store = store ?? memoryStore({ now: () => this.clock.now() });
    this.server = this.newServer();
  }

  /** Another process that answers for the same store and knows nothing of the first. */
  newServer(): Elsewhere {
    const { store, ports } = this;
    const onReport = (report: Report): void => void this.reports.push(report);
    return new Elsewhere({ store, registry: registryOf(caseTypes), ports, leaseMs: LEASE_MS, onReport });
  }

  start(
    caseType: CaseType,
    input: { readonly text: string } = { text: "hi" },
    caseId = "00case",
  ): Promise<unknown> {
    return startCase(this.store, caseType, { caseId, input });
  }

  worker(name = "py-1"): Promise<Registered> {
    return this.server.register({ name, host: "box", build: "python 3.11", caseTypes });
  }

  claimIds(count = 1): readonly string[] {
    return Array.from({ length: count }, () => `claim-${(this.#claims += 1)}-of-a-worker-in-python`);
  }

  /** Claims without waiting. */
  async claim(worker: Registered, claimIds = this.claimIds()): Promise<readonly WorkTask[]> {
    const { signal } = new AbortController();
    const work = await this.server.claim(worker.workerKey, { claimIds, waitMs: 0, caseTypes, signal });
    return work.kind === "tasks" ? work.tasks : [];
  }

  report(
    { workerKey }: Registered,
    { caseId, claimId, task }: WorkTask,
    answer: ElsewhereAnswer,
    goOn = true,
  ): Promise<WorkTaken> {
    return this.server.report(caseId, { workerKey, claimId, task, answer, goOn });
  }

  /** Sweeps every half second for so long. */
  async sweep(forMs: number, meanwhile: () => Promise<unknown> = () => Promise.resolve()): Promise<void> {
    const onReport = (report: Report): void => void this.reports.push(report);
    const sweep = createSweep({ store: this.store, ports: portsAround(this.clock, "sweep"), onReport });
    await sweep.sweepOnce();
    for (let passed = 0; passed < forMs; passed += SWEEP_EVERY_MS) {
      await meanwhile();
      await this.clock.advance(SWEEP_EVERY_MS);
      await sweep.sweepOnce();
    }
  }
}

/** The task that there must be. */
export function theOne(tasks: readonly WorkTask[]): WorkTask {
  const [task] = tasks;
  if (task === undefined || tasks.length > 1) throw new Error(`there are ${tasks.length} tasks, not one`);
  return task;
}

/** The task that a report was answered with. */
export function nextOf(taken: WorkTaken): WorkTask {
  if (taken.kind === "stored" && taken.next !== null) return taken.next;
  throw new Error(`no task came with ${JSON.stringify(taken)}`);
}
