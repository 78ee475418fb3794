/** A shop of workers around a memory store, under a clock that the test moves. */

import { FootholdError } from "../core/errors.ts";
import type { Entry } from "../core/journal.ts";
import type { Ports } from "../core/ports.ts";
import { rowOf } from "../core/row.ts";
import { defineCase } from "../define/builder.ts";
import type { CaseType, RunContext } from "../define/case-type.ts";
import { defineDestination, type Destination } from "../define/destination.ts";
import { registryOf } from "../define/registry.ts";
import { memoryStore } from "../store/memory/store.ts";
import type { Store } from "../store/port.ts";
import { preview } from "./advance.ts";
import { ann, anything, startCase, stateOf } from "./case-types.fixture.ts";
import { ManualClock, portsAround, settle } from "./manual-clock.fixture.ts";
import type { Report } from "./report.ts";
import { createWorker, type Worker, type WorkerOptions } from "./worker.ts";

/** The lease of the workers of these tests, in ms. */
export const LEASE_MS = 3_000;
/** How often they beat, in ms. */
export const BEAT_MS = LEASE_MS / 5;
/** A destination that deduplicates. */
export const erp: Destination = defineDestination("erp", { idempotency: { by: "key", window: "24h" } });

/** What a step of these tests does. */
export type Run = (context: RunContext) => unknown;

/** A case type with one step, `send`. */
export function orderWith(run: Run, name = "order"): CaseType {
  return defineCase(name, { version: 1, owner: "ops", input: anything }).step("send", { to: erp, run });
}

/** Sends that go on until the test ends them. */
export class Sends {
  readonly caseIds: string[] = [];
  readonly #ending: ((value: unknown) => void)[] = [];
  readonly run: Run = ({ caseId }) => {
    this.caseIds.push(caseId);
    return new Promise((resolve) => this.#ending.push(resolve));
  };

  async end(count = 1): Promise<void> {
    for (const end of this.#ending.splice(0, count)) end("done");
    await settle();
  }
}

/** What a store throws that is away. */
export function away(): FootholdError {
  return new FootholdError("DATABASE_UNAVAILABLE", "the database is away");
}

/** A store, a clock, workers. */
export class Shop {
  readonly clock = new ManualClock();
  readonly store: Store = memoryStore({ now: () => this.clock.now() });
  readonly reports: Report[] = [];
  readonly ports: Ports = portsAround(this.clock, "w");

  worker(caseType: CaseType, options: Partial<WorkerOptions> = {}): Worker {
    return createWorker({
      store: this.store,
      registry: registryOf([caseType]),
      ports: this.ports,
      name: "w-1",
      host: "here",
      build: "1",
      leaseMs: LEASE_MS,
      onReport: (report) => this.reports.push(report),
      ...options,
    });
  }

  start(caseType: CaseType): Promise<string> {
    return startCase(this.store, caseType);
  }

  kinds(): readonly Report["kind"][] {
    return this.reports.map(({ kind }) => kind);
  }

  /** Stores entries on a case that nobody holds, as they would have come about. */
  async write(caseId: string, ...entries: readonly Entry[]): Promise<void> {
    const at = await this.store.now();
    const after = preview(await stateOf(this.store, caseId), entries, at);
    const commitId = `write-${caseId}-${after.revision}`;
    await this.store.changeCase(caseId, { commitId, sourceId: null }, () => ({
      kind: "write",
      commitId,
      entries,
      at,
      row: rowOf(after),
      claim: "keep",
      reply: null,
    }));
  }

  /** A case whose worker was lost with an attempt open. */
  async lost(caseType: CaseType, caseId: string, times = 1): Promise<void> {
    await startCase(this.store, caseType, { caseId });
    const [step] = caseType.outline.steps;
    const ref = { step: step?.name ?? "", intentVersion: 1 } as const;
    await this.write(caseId, {
      kind: "intentOpened",
      ...ref,
      idempotencyKey: `${caseId}.send.1`,
      destination: "erp",
      credentialId: "erp",
      basis: "b",
      fingerprint: "f",
      request: "{}",
    });
    for (let attempt = 1; attempt <= times; attempt += 1) {
      const lost = { ...ref, attempt };
      await this.write(
        caseId,
        {
          kind: "attemptOpened",
          ...lost,
          fencingToken: attempt,
          sendDeadlineAt: 0,
          claimId: `lost-${attempt}`,
          holder: ann,
        },
        {
          kind: "claimLost",
          claimId: `lost-${attempt}`,
          holderId: "gone",
          holderName: "gone",
          why: "silent",
          openAttempts: [lost],
        },
      );
    }
  }
}
