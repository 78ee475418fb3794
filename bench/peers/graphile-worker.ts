/** graphile-worker: three tasks, each adds the next. */

import { randomUUID } from "node:crypto";
import { Logger, run, type Task } from "graphile-worker";
import { Endings, type Contestant, type Surroundings } from "../closed-loop/contestant.ts";

const POOL_MAX = 20;

/** Opens it. */
export async function open({ url, inFlight }: Surroundings): Promise<Contestant> {
  const endings = new Endings();
  const runner = await run({
    connectionString: url,
    concurrency: inFlight,
    maxPoolSize: POOL_MAX,
    noHandleSignals: true,
    logger: new Logger(() => () => undefined),
    taskList: {
      first: goOn("second"),
      second: goOn("third"),
      third: (payload) => endings.end((payload as { id: string }).id),
    },
  });
  return {
    runCase: async () => {
      const id = randomUUID();
      await runner.addJob("first", { id });
      await endings.wait(id);
    },
    close: () => runner.stop(),
  };
}

function goOn(next: string): Task {
  return async (payload, { addJob }) => {
    await addJob(next, payload);
  };
}
