/** BullMQ: one job that saves the number of its last step, as its documentation advises; Redis appends every second. */

import { randomUUID } from "node:crypto";
import { Queue, Worker } from "bullmq";
import { Endings, instantStep, type Contestant, type Surroundings } from "../closed-loop/contestant.ts";

/** Opens it. */
export async function open({ redisPort, inFlight }: Surroundings): Promise<Contestant> {
  if (redisPort === undefined) throw new Error("BullMQ needs a Redis");
  const connection = { host: "127.0.0.1", port: redisPort, maxRetriesPerRequest: null };
  const endings = new Endings();
  const name = `three-${randomUUID()}`;
  const queue = new Queue<{ id: string; step: number }>(name, { connection });
  const worker = new Worker<{ id: string; step: number }>(
    name,
    async (job) => {
      for (let step = job.data.step + 1; step <= 3; step += 1) {
        await instantStep(step)();
        await job.updateData({ ...job.data, step });
      }
    },
    { connection, concurrency: inFlight },
  );
  worker.on("completed", ({ data }) => endings.end(data.id));
  await worker.waitUntilReady();
  return {
    runCase: async () => {
      const id = randomUUID();
      await queue.add("three", { id, step: 0 }, { removeOnComplete: true });
      await endings.wait(id);
    },
    close: async () => {
      await worker.close();
      await queue.close();
    },
  };
}
