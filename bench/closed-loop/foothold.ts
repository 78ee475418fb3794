/** Foothold: starter and worker in one process, the default pool. */

import {
  createDesk,
  createWorker,
  defineCase,
  defineDestination,
  ENGINE_VERSION,
  registryOf,
  systemPorts,
} from "foothold";
import { postgresStore } from "foothold/postgres";
import { z } from "zod";
import { Endings, instantStep, type Contestant, type Surroundings } from "./contestant.ts";

/** Instant, and its own limit is no part of the measurement. */
const nowhere = defineDestination("nowhere", {
  idempotency: { by: "key", window: "1h" },
  inFlight: { start: 256, max: 256 },
});
const three = defineCase("three", { version: 1, owner: "bench", input: z.object({ n: z.number() }) })
  .step("first", { to: nowhere, run: instantStep(1) })
  .step("second", { to: nowhere, run: instantStep(2) })
  .step("third", { to: nowhere, run: instantStep(3) });

/** Opens it. */
export async function open({ url, inFlight }: Surroundings): Promise<Contestant> {
  const store = postgresStore({ url });
  await store.migrate();
  const ports = systemPorts();
  const registry = registryOf([three]);
  const endings = new Endings();
  const worker = createWorker({
    store,
    registry,
    ports,
    name: "bench",
    host: "bench",
    build: "bench",
    concurrency: Math.max(64, inFlight),
    onReport: (report) => {
      if (report.kind === "released") endings.end(report.caseId);
      if (report.kind === "bug") throw report.error;
    },
  });
  const desk = createDesk({ store, registry, ports, engineVersion: ENGINE_VERSION });
  await worker.start();
  return {
    runCase: async () => {
      const { caseId } = await desk.startCase("three", { n: 1 }, { by: "bench" });
      await endings.wait(caseId);
    },
    close: async () => {
      await worker.stop();
      await store.close();
    },
  };
}
