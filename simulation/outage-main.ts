/**
 * `npm run outage`: an outage of 30 s at 80 % load, four workers, on a virtual clock; with the in-flight limit, and the same
 * without it. Prints the figures and draws docs/guides/outages.svg. Exit 1 where the limit does not hold what it promises.
 */

import { writeFileSync } from "node:fs";
import { runOutage, type OutageResult } from "./outage.ts";
import { plotOutage } from "./outage-plot.ts";

/** Requests per case, at most, that the limit promises. */
const REQUESTS_MAX = 1.3;
const DONE_MIN = 0.99;
/** Seconds that are drawn. */
const DRAWN_S = 160;

const plan = { workers: 4, perSecond: 10, load: 0.8, calmS: 10, outageS: 30, afterS: 40, untilS: 400 };
const limited = await runOutage({ ...plan, isLimited: true });
const unlimited = await runOutage({ ...plan, isLimited: false });
tell("with the limit", limited);
tell("without it", unlimited);
const plot = plotOutage({ plan: { ...plan, isLimited: true }, limited, unlimited, untilS: DRAWN_S });
writeFileSync(new URL("../docs/guides/outages.svg", import.meta.url), plot);
const isKept =
  limited.done >= limited.started * DONE_MIN && limited.requests <= limited.started * REQUESTS_MAX;
process.exitCode = isKept ? 0 : 1;

function tell(name: string, { started, done, inReview, requests, idleS, surge }: OutageResult): void {
  const share = ((done / started) * 100).toFixed(1);
  process.stdout.write(
    `${name}: ${done} of ${started} cases done (${share} %), ${inReview} in review; ` +
      `${requests} requests (${(requests / started).toFixed(2)} for each case); ` +
      `after the outage at most ${surge} requests in a second, ${idleS} s in which nothing was done\n`,
  );
}
