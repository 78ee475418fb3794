/**
 * One worker in a process of its own, for what is measured from outside: `worker-process.ts DATABASE_URL CONCURRENCY
 * LEASE_MS [DESTINATION_URL]`. With a destination each of the three steps posts there under its key; without, steps are
 * instant. Tells its parent `ready`, and the ids of cases that are done.
 */

import { createWorker, defineCase, defineDestination, expectOk, registryOf, systemPorts } from "foothold";
import { postgresStore } from "foothold/postgres";
import { z } from "zod";

/** What a worker tells whoever started it. */
export type WorkerMessage = { readonly kind: "ready" } | { readonly kind: "done"; readonly caseId: string };

/** The case type that every worker here takes: three steps to one destination, its limit above every level. */
export function threeSteps(destinationUrl: string | null) {
  const destination = defineDestination("bench", {
    idempotency: { by: "key", window: "1h" },
    inFlight: { start: 1_000, max: 1_000 },
  });
  const step = (ref: number) => ({
    to: destination,
    run: destinationUrl === null ? () => Promise.resolve({ ok: true, ref }) : postTo(destinationUrl),
  });
  return defineCase("three", { version: 1, owner: "bench", input: z.object({ n: z.number() }) })
    .step("first", step(1))
    .step("second", step(2))
    .step("third", step(3));
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
    registry: registryOf([threeSteps(destinationUrl ?? null)]),
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
