/** Everything outside that a case type reaches, as one seed draws it. */

import { SimulatedAccess } from "./access.ts";
import { REQUEST_AGE_MS } from "./case-shape.ts";
import { SimulatedStock } from "./conditions.ts";
import type { Contract } from "./contracts.ts";
import { SimulatedDestination, type Effect } from "./destination.ts";
import type { FaultCounts } from "./faults.ts";
import type { InFlightWatch } from "./in-flight-watch.ts";
import type { SeededRandom } from "./random.ts";
import type { Scheduler } from "./scheduler.ts";

/** Every kind of destination. */
export const CONTRACTS: readonly Contract[] = [
  "key",
  "unique",
  "if-match",
  "fence",
  "transaction",
  "lookup",
  "none",
];
/** How late a request may arrive where a raised fence shuts it out, however late that is; in virtual ms. */
const LATE_MS_MAX = 10_000;
/** How soon the stock is filled after an undo whose answer got lost, in virtual ms. */
const FILLED_MS_MAX = 600;
/** How long a question may take that is answered too late, in virtual ms. */
const SLOW_MS = 700;

/** What is outside. */
export interface Outside {
  readonly destinations: ReadonlyMap<Contract, SimulatedDestination>;
  readonly stock: SimulatedStock;
  readonly inFlight: InFlightWatch;
}

/** What drawing it needs. */
export interface OutsideOptions {
  readonly random: SeededRandom;
  readonly scheduler: Scheduler;
  readonly counts: FaultCounts;
  readonly onEffect: (contract: Contract, effect: Effect) => void;
  /** Told when two refresh one access at once. */
  readonly onOverlap: (contract: Contract) => void;
  readonly inFlight: InFlightWatch;
}

/** The access to a destination that cases send to, where there is one. `sendsTo`: names of destinations. */
export function drawAccess(
  { destinations }: Outside,
  sendsTo: ReadonlySet<string>,
  random: SeededRandom,
): SimulatedAccess {
  const all = [...destinations.values()];
  const used = all.filter(({ name }) => sendsTo.has(name));
  return random.pick(used.length > 0 ? used : all).access;
}

/** Draws the outside of a run. */
export function drawOutside(options: OutsideOptions): Outside {
  const stock = drawStock(options);
  const destinations = CONTRACTS.map((contract) => {
    const destination = drawDestination(options, contract, (afterMs) =>
      options.scheduler.schedule(afterMs, () => stock.fill()),
    );
    return [contract, destination] as const;
  });
  return { destinations: new Map(destinations), stock, inFlight: options.inFlight };
}

function drawDestination(
  { random: parent, scheduler, counts, onEffect, onOverlap }: OutsideOptions,
  contract: Contract,
  fillStock: (afterMs: number) => void,
): SimulatedDestination {
  const random = parent.fork();
  const sometimes = (share: number): number => (random.chance(0.5) ? share : 0);
  const access = new SimulatedAccess({
    name: contract,
    scheduler,
    random: random.fork(),
    counts,
    habits: { latencyMsMax: random.between(1, 800), broken: sometimes(0.6) },
    onOverlap: () => onOverlap(contract),
  });
  return new SimulatedDestination({
    name: contract,
    contract,
    access,
    scheduler,
    random,
    counts,
    habits: {
      latencyMsMax: random.between(1, 400),
      refused: sometimes(0.1),
      answerLost: sometimes(0.15),
      undoAnswerLost: sometimes(0.6),
      unavailable: sometimes(0.1),
      throttled: sometimes(0.1),
      quota: random.chance(0.25) ? 0.6 : 0,
      hiddenMs: random.chance(0.3) ? random.between(100, 6_000) : 0,
      delayed: sometimes(contract === "fence" ? 0.4 : 0.1),
      delayMsMax: contract === "fence" ? LATE_MS_MAX : REQUEST_AGE_MS,
    },
    onEffect: (effect) => onEffect(contract, effect),
    // What it was taken back for may hold again before anybody knows that it was.
    onUndoUnheard: () => {
      if (random.chance(0.6)) fillStock(random.between(0, FILLED_MS_MAX));
    },
  });
}

function drawStock({ random: parent, counts }: OutsideOptions): SimulatedStock {
  const random = parent.fork();
  const sometimes = (share: number): number => (random.chance(0.5) ? share : 0);
  const habits = { latencyMsMax: 100, silent: sometimes(0.2), slow: sometimes(0.1), slowMs: SLOW_MS };
  return new SimulatedStock(random, counts, habits);
}
