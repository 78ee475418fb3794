/** OpenWorkflow: three `step.run`, its own PostgreSQL backend, a worker of the same concurrency. */

import { OpenWorkflow } from "openworkflow";
import { BackendPostgres } from "openworkflow/postgres";
import { randomUUID } from "node:crypto";
import { Endings, instantStep, type Contestant, type Surroundings } from "../closed-loop/contestant.ts";

/** Opens it. */
export async function open({ url, inFlight }: Surroundings): Promise<Contestant> {
  const backend = await BackendPostgres.connect(overSocket(url));
  const client = new OpenWorkflow({ backend });
  const endings = new Endings();
  const three = client.defineWorkflow<{ id: string }, null>(
    { name: "three" },
    async ({ input, step: steps }) => {
      await steps.run({ name: "first" }, instantStep(1));
      await steps.run({ name: "second" }, instantStep(2));
      await steps.run({ name: "third" }, instantStep(3));
      // Its own wait for a result polls once a second, so the end of the function counts as the end of the case.
      endings.end(input.id);
      return null;
    },
  );
  const worker = client.newWorker({ concurrency: inFlight });
  await worker.start();
  return {
    runCase: async () => {
      const id = randomUUID();
      await three.run({ id });
      await endings.wait(id);
    },
    close: async () => {
      await worker.stop();
      await backend.stop();
    },
  };
}

/** Its driver takes the folder of a Unix socket from the environment only, and then no user in the address. */
function overSocket(url: string): string {
  const { username, port, pathname, searchParams } = new URL(url);
  const host = searchParams.get("host") ?? "";
  Object.assign(process.env, { PGHOST: host, PGPORT: port, PGUSERNAME: username, PGUSER: username });
  return `postgres://${pathname}`;
}
