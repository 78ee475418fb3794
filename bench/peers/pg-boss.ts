/** pg-boss: three queues, each job sends the next; polled every half second, its shortest. */

import { randomUUID } from "node:crypto";
import PgBoss from "pg-boss";
import { Endings, type Contestant, type Surroundings } from "../closed-loop/contestant.ts";

const QUEUES = ["first", "second", "third"] as const;

/** Opens it. */
export async function open({ url, inFlight }: Surroundings): Promise<Contestant> {
  const boss = new PgBoss({ connectionString: url, max: 20 });
  boss.on("error", (error) => {
    throw error;
  });
  await boss.start();
  const endings = new Endings();
  for (const [index, queue] of QUEUES.entries()) {
    const next = QUEUES[index + 1];
    await boss.createQueue(queue);
    await boss.work<{ id: string }>(
      queue,
      { batchSize: inFlight, pollingIntervalSeconds: 0.5 },
      async (jobs) => {
        for (const { data } of jobs) {
          if (next === undefined) endings.end(data.id);
          else await boss.send(next, data);
        }
      },
    );
  }
  return {
    runCase: async () => {
      const id = randomUUID();
      await boss.send("first", { id });
      await endings.wait(id);
    },
    close: () => boss.stop({ graceful: false }),
  };
}
