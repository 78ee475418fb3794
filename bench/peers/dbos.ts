/** DBOS: a registered workflow with three steps, started directly, its default pool. */

import { DBOS } from "@dbos-inc/dbos-sdk";
import { instantStep, type Contestant, type Surroundings } from "../closed-loop/contestant.ts";

/** Opens it. */
export async function open({ url }: Surroundings): Promise<Contestant> {
  const three = DBOS.registerWorkflow(
    async () => {
      await DBOS.runStep(instantStep(1), { name: "first" });
      await DBOS.runStep(instantStep(2), { name: "second" });
      await DBOS.runStep(instantStep(3), { name: "third" });
    },
    { name: "three" },
  );
  DBOS.setConfig({ name: "bench", systemDatabaseUrl: url, logLevel: "error" });
  await DBOS.launch();
  return {
    runCase: async () => {
      const handle = await DBOS.startWorkflow(three)();
      await handle.getResult();
    },
    close: () => DBOS.shutdown(),
  };
}
