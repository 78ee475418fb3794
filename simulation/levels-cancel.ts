/**
 * Somebody cancels an order half-way: at any time, or at a moment when one of the cases below it stands in a way of its own.
 */

import type { CaseState } from "../src/core/case-state.ts";
import { isFootholdError } from "../src/core/errors.ts";
import type { Desk } from "../src/desk/desk.ts";
import type { StoredCase } from "../src/store/port.ts";
import { OWN_CASES } from "./family.ts";
import type { FaultCounts, FaultKind } from "./faults.ts";
import type { SimulatedProcess } from "./process.ts";

/** How one of the cases below stands as the order is canceled. */
export type Moment =
  "any" | "starting" | "claimed" | "inReview" | "paused" | "inRepair" | "done" | "takenBack";

/** Every moment. */
export const MOMENTS: readonly Moment[] = [
  "any",
  "starting",
  "claimed",
  "inReview",
  "paused",
  "inRepair",
  "done",
  "takenBack",
];

/** How often it is looked whether the moment has come, in virtual ms. */
const LOOK_EVERY_MS = 100;
/** Between two tries to cancel, in virtual ms, and how many there are. */
const TRY_EVERY_MS = 300;
const TRIES_MAX = 100;

/** What canceling needs. */
export interface HalfwayOptions {
  /** Of the person. */
  readonly process: SimulatedProcess;
  readonly desk: Desk;
  readonly orderId: string;
  readonly moment: Moment;
  /** How long the moment is waited for, in virtual ms. */
  readonly waitMs: number;
  readonly counts: FaultCounts;
  /** Every case, as it stands now. */
  readonly load: () => Promise<readonly StoredCase[]>;
  readonly onTrace: (line: string) => void;
}

/** Waits for the moment and cancels, as often as it takes. Never rejects. */
export async function cancelHalfway(options: HalfwayOptions): Promise<void> {
  const { process, orderId, moment, waitMs, counts, load, onTrace } = options;
  const { clock } = process.ports;
  const untilAt = clock.monotonic() + waitMs;
  let isMet = isMoment(moment, await load());
  while (!isMet && clock.monotonic() < untilAt) {
    await clock.sleep(LOOK_EVERY_MS);
    isMet = isMoment(moment, await load());
  }
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    if (await tryOnce(options)) {
      counts.hit("cancel");
      if (isMet) counts.hit(KINDS[moment]);
      onTrace(`${process.name} cancels ${orderId}: ${isMet ? moment : "late"}`);
      return;
    }
    await clock.sleep(TRY_EVERY_MS);
  }
}

/** False where it has to be tried again: somebody has it open, or no answer came. */
async function tryOnce({ process, desk, orderId, onTrace }: HalfwayOptions): Promise<boolean> {
  try {
    await desk.cancel(orderId, { by: process.name, reason: "ordered twice" });
    return true;
  } catch (error) {
    onTrace(`${process.name} is refused to cancel ${orderId}: ${String(error)}`);
    return isFootholdError(error) && error.code === "CASE_ENDED";
  }
}

/** What is counted of each. */
const KINDS: Readonly<Record<Moment, FaultKind>> = {
  any: "canceledAnyTime",
  starting: "canceledWhileStarting",
  claimed: "canceledWhileClaimed",
  inReview: "canceledWhileInReview",
  paused: "canceledWhilePaused",
  inRepair: "canceledWhileRepaired",
  done: "canceledWhileDone",
  takenBack: "canceledWhileTakenBack",
};

function isMoment(moment: Moment, cases: readonly StoredCase[]): boolean {
  const below = cases.filter(({ state }) => state.parent !== null);
  switch (moment) {
    case "any":
      return true;
    case "starting":
      return cases.some(({ state }) => isStarting(state));
    case "claimed":
      return below.some(({ row, state }) => row.state === "claimed" && state.repair === null);
    case "inReview":
      return below.some(({ row }) => row.state === "in_review");
    case "paused":
      return below.some(({ row }) => row.state === "paused");
    case "inRepair":
      return below.some(({ state }) => state.repair !== null);
    case "done":
      return below.some(({ row }) => row.state === "done");
    case "takenBack":
      return below.some(({ state }) => state.cancelRequest !== null);
  }
}

/** True while a step that starts a case is under way, and nobody knows yet whether it did. */
function isStarting({ steps }: CaseState): boolean {
  return Object.values(steps).some(
    ({ intent, child }) =>
      child === null &&
      intent?.destination === OWN_CASES &&
      intent.attempts.some(({ outcome }) => outcome.kind === "open"),
  );
}
