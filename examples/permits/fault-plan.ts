import type { Failpoint } from "foothold";
import { seededRandom, type SeededRandom } from "../services/seeded-random.ts";
import type { PermitCase } from "./log.ts";

/** A fault of a worker: at which step of which permit case, and at which point of it. */
export interface WorkerFault {
  readonly act: "kill" | "stop";
  readonly point: Failpoint;
  readonly permitId: string;
  /** 1-based place of the step in its case. */
  readonly position: number;
}

/** Where workers are killed. At all but the first an intent is open. */
export const killPoints: readonly Failpoint[] = [
  "beforeIntent",
  "afterIntent",
  "duringSend",
  "afterSend",
  "beforeConfirm",
];

/** Where a worker has an answer in hand as it is stopped: once awake it reports that, and is refused. */
export const answeredPoints: readonly Failpoint[] = ["afterSend", "beforeConfirm"];

/**
 * Where workers are stopped: whoever wakes there believes to hold the case, and does not. A log of few cases has a stop at the
 * first of them alone.
 */
const stopPoints: readonly Failpoint[] = [...answeredPoints, "duringSend", "afterIntent"];

/** Kills in one run: enough for several at each point, and few enough that the run stays quick. */
const killsMax = 25;
const stopsMax = 6;

/** A log of so many cases gets all kills and stops; a smaller one its share, at least one kill a point and one stop. */
const casesForAll = 1_000;

/**
 * Which workers die and stop, and where: the same for the same seed and log. A step is killed at most once and
 * no case has two of these faults, so that none is tried beyond its bounds only because of them. They are spread
 * evenly over the log, since cases are worked on in that order.
 *
 * "Before intent" is planned for first steps: later ones open their intent in the commit that confirms the step before.
 */
export function planWorkerFaults(cases: readonly PermitCase[], seed: number): readonly WorkerFault[] {
  const random = seededRandom(`worker faults ${seed}`);
  const share = Math.min(1, cases.length / casesForAll);
  const killCount = Math.max(killPoints.length, Math.round(killsMax * share));
  const stopCount = Math.max(1, Math.round(stopsMax * share));
  const acts = shuffled(random, [
    ...Array.from({ length: killCount }, () => "kill" as const),
    ...Array.from({ length: stopCount }, () => "stop" as const),
  ]).slice(0, cases.length);
  // Each kind of fault goes round its points, so that each point is met about as often.
  const placed = { kill: 0, stop: 0 };
  return acts.flatMap((act, index) => {
    const points = act === "kill" ? killPoints : stopPoints;
    const point = points[placed[act] % points.length];
    placed[act] += 1;
    // The stretch of the log that is this fault's own.
    const from = Math.floor((index * cases.length) / acts.length);
    const to = Math.floor(((index + 1) * cases.length) / acts.length);
    const permit = cases[from + random.under(Math.max(1, to - from))];
    if (permit === undefined || point === undefined) return [];
    const position = point === "beforeIntent" ? 1 : 1 + random.under(permit.activities.length);
    return [{ act, point, permitId: permit.caseId, position }];
  });
}

function shuffled<T>(random: SeededRandom, items: readonly T[]): readonly T[] {
  const left = [...items];
  // Takes one at random until none is left.
  return items.flatMap(() => left.splice(random.under(left.length), 1));
}
