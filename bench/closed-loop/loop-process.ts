/** One contestant in one closed loop, in a process of its own. Sends its figures to its parent. */

import type { OpenContestant } from "./contestant.ts";
import { ENTRANTS, isEntrantName } from "./contestants.ts";

const WARM_UP_MS = 1_500;

/** What one loop measured. */
export interface LoopFigures {
  readonly casesPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of this process, for each case. */
  readonly cpuMsPerCase: number;
}

const [name = "", inFlight, url = "", windowMs, redisPort] = process.argv.slice(2);
if (!isEntrantName(name)) throw new Error(`nobody is called ${name}`);
// Every module named there has it: contestants.ts says so.
const { open } = (await import(ENTRANTS[name].module)) as { readonly open: OpenContestant };
const contestant = await open({
  url,
  inFlight: Number(inFlight),
  redisPort: redisPort === undefined ? undefined : Number(redisPort),
});
await keepRunning(WARM_UP_MS);
process.send?.(await measure(Number(windowMs)));
await contestant.close();
process.exit(0);

async function measure(forMs: number): Promise<LoopFigures> {
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const latencies = await keepRunning(forMs);
  const tookMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpuBefore);
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return {
    casesPerSecond: (latencies.length * 1_000) / tookMs,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    cpuMsPerCase: (user + system) / 1_000 / latencies.length,
  };
}

/** Keeps as many cases under way as were asked for; those under way at the end are waited for and counted. */
async function keepRunning(forMs: number): Promise<readonly number[]> {
  const until = performance.now() + forMs;
  const latencies: number[] = [];
  const one = async (): Promise<void> => {
    while (performance.now() < until) {
      const startedAt = performance.now();
      await contestant.runCase();
      latencies.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: Number(inFlight) }, one));
  return latencies;
}
