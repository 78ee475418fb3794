/**
 * One worker in a process of its own, for what is measured from outside: `worker-process.ts DATABASE_URL CONCURRENCY
 * LEASE_MS [DESTINATION_URL]`. With a destination each step posts there under its key; without, steps are instant. Tells its
 * parent `ready`, and the ids of cases that are done.
 */

import {
  createWorker,
  defineCase,
  defineDestination,
  expectOk,
  registryOf,
  systemPorts,
  type CaseType,
} from "foothold";
import { postgresStore } from "foothold/postgres";
import { z } from "zod";

/** What a worker tells whoever started it. */
export type WorkerMessage = { readonly kind: "ready" } | { readonly kind: "done"; readonly caseId: string };

/** Steps of the case types that every worker here takes. */
export const STEPS = [1, 3, 5, 10] as const;
/** One of them. */
export type StepCount = (typeof STEPS)[number];

/** The name of a case type with so many steps. */
export function typeName(steps: StepCount): string {
  return `steps-${steps}`;
}

/** The case types that every worker here takes: steps to one destination, its limit above every level. */
export function benchTypes(destinationUrl: string | null): readonly CaseType[] {
  const destination = defineDestination("bench", {
    idempotency: { by: "key", window: "1h" },
    inFlight: { start: 1_000, max: 1_000 },
  });
  const step = (ref: number) => ({
    to: destination,
    run: destinationUrl === null ? () => Promise.resolve({ ok: true, ref }) : postTo(destinationUrl),
  });
  return STEPS.map((steps) => {
    const input = z.object({ n: z.number() });
    const begun = defineCase(typeName(steps), { version: 1, owner: "bench", input }).step(nameOf(1), step(1));
    const others = Array.from({ length: steps - 1 }, (_, index) => index + 2);
    return others.reduce((type, ref) => type.step(nameOf(ref), step(ref)), begun);
  });
}

function nameOf(ref: number): string {
  return `step-${ref}`;
}

function postTo(url: string) {
  return async ({ idempotencyKey, signal }: { idempotencyKey: string; signal: AbortSignal }) => {
    const headers = { "idempotency-key": idempotencyKey };
    const response = await fetch(url, { method: "POST", headers, signal });
    await expectOk(response);
    return response.json();
  };
}

if (process.send !== undefined && import.meta.filename === process.argv[1]) {
  const [url = "", concurrency, leaseMs, destinationUrl] = process.argv.slice(2);
  const tell = (message: WorkerMessage): void => void process.send?.(message);
  const worker = createWorker({
    store: postgresStore({ url }),
    registry: registryOf(benchTypes(destinationUrl ?? null)),
    ports: systemPorts(),
    name: `bench-${process.pid}`,
    host: "bench",
    build: "bench",
    concurrency: Number(concurrency),
    leaseMs: Number(leaseMs),
    onReport: (report) => {
      if (report.kind === "released" && report.state === "done")
        tell({ kind: "done", caseId: report.caseId });
      if (report.kind === "bug") throw report.error;
    },
  });
  await worker.start();
  tell({ kind: "ready" });
}
