/**
 * `npm run bench:memory`: resident memory of one worker with 256 cases of three instant steps under way, and what it grows
 * by in 100,000 cases. `-- --cases 20000` for less. Linux only: it is read from `/proc`.
 */

import { parseArgs } from "node:util";
import { findTestBinaries, startServer } from "../test/setup/server.ts";
import { openStarter, startWorker } from "./worker-crew.ts";

const { values } = parseArgs({ options: { cases: { type: "string", default: "100000" } } });
const CASES = Number(values.cases);
const IN_FLIGHT = 256;
/** Before the first is measured: a young heap grows. */
const WARM_UP_CASES = Math.min(20_000, CASES);
const POINTS = 10;
const MB = 1_024 * 1_024;

const server = await startServer(await findTestBinaries(), {
  settings: { shared_buffers: "1GB", max_wal_size: "8GB", checkpoint_timeout: "30min" },
});
const starter = await openStarter(server.url);
const worker = await startWorker({ url: server.url, concurrency: IN_FLIGHT, leaseMs: 10_000 });
try {
  const idle = worker.memory().rss;
  await loop(WARM_UP_CASES);
  const points = [worker.memory().rss];
  for (let point = 0; point < POINTS; point += 1) {
    await loop(CASES / POINTS);
    points.push(worker.memory().rss);
  }
  const slope = (slopeOf(points) * 100_000 * POINTS) / CASES;
  console.log(
    `a worker: ${mb(idle)} as it starts; at ${IN_FLIGHT} in flight ${points.map(mb).join(", ")} each ${CASES / POINTS} cases, ` +
      `${mb(worker.memory().peak)} at most; ${mb(slope)} more in 100,000 cases (least squares)`,
  );
} finally {
  await worker.kill();
  await starter.close();
  await server.stop();
}

async function loop(cases: number): Promise<void> {
  let left = cases;
  const one = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await starter.ended(await starter.start());
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, one));
}

/** Bytes from one point to the next. */
function slopeOf(points: readonly number[]): number {
  const middle = (points.length - 1) / 2;
  const mean = points.reduce((sum, one) => sum + one, 0) / points.length;
  const above = points.reduce((sum, one, at) => sum + (at - middle) * (one - mean), 0);
  return above / points.reduce((sum, _, at) => sum + (at - middle) ** 2, 0);
}

function mb(bytes: number): string {
  return `${(bytes / MB).toFixed(1)} MB`;
}
