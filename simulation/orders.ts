/**
 * What people order about single steps: to do one again, to take it back, to ask about it, to pause the case; and what they
 * vouch for after a look at the destination.
 */

import { foldJournal } from "../src/core/fold.ts";
import { isNotNeeded, type StepState } from "../src/core/case-state.ts";
import { isFootholdError } from "../src/core/errors.ts";
import type { Desk } from "../src/desk/desk.ts";
import type { StoredCase, StoredRow } from "../src/store/port.ts";
import { undoneName } from "./case-shape.ts";
import type { FaultCounts } from "./faults.ts";
import type { Outside } from "./outside.ts";
import { SeededRandom } from "./random.ts";
import type { Scheduler } from "./scheduler.ts";

/** The seeds in which something is ordered, how often at most, and until when, in virtual ms. */
const SHARE = 0.35;
const TIMES_MAX = 8;
const UNTIL_MS = 6_000;
/** Tells the draws of orders from all others of a seed. */
const SALT = 0x0dde5;

const ORDERS = ["redo", "redo", "undo", "undo", "check", "check", "pause"] as const;

type Order = (typeof ORDERS)[number];

/** What orders reach. */
export interface OrdersOptions {
  readonly seed: number;
  readonly desk: Desk;
  readonly outside: Outside;
  readonly counts: FaultCounts;
  /** Every case, as it stands now. */
  readonly load: () => Promise<readonly (StoredCase | null)[]>;
  readonly onTrace: (line: string) => void;
}

/** The orders of one run; of its own draws, so that all else of a seed stays what it is. */
export class Orders {
  /** How many orders to do a step again may stand, by `case step`: the answer to an order can get lost. */
  readonly redone: Map<string, number> = new Map();
  readonly #options: OrdersOptions;
  readonly #random: SeededRandom;
  readonly #isOrdering: boolean;

  constructor(options: OrdersOptions) {
    this.#options = options;
    this.#random = new SeededRandom(options.seed ^ SALT);
    this.#isOrdering = this.#random.chance(SHARE);
  }

  /** Draws what is ordered, and when. */
  plan(scheduler: Scheduler): void {
    if (!this.#isOrdering) return;
    const times = this.#random.between(2, TIMES_MAX);
    for (let index = 0; index < times; index += 1)
      scheduler.schedule(this.#random.between(0, UNTIL_MS), () => void this.#order());
  }

  /** Says of what nobody knows that it did not happen, where nothing of it is at the destination. Never rejects. */
  async vouch({ caseId, summary }: StoredRow): Promise<void> {
    if (!this.#isOrdering) return;
    for (const { step, reason } of summary.reviews) {
      if (reason !== "unknown" || !this.#isAbsent(caseId, step)) continue;
      const request = { step, by: "ops", reason: "it is not there", evidence: "a look at the ledger" };
      await this.#try(`rules out ${step} of ${caseId}`, async () => {
        await this.#options.desk.ruleOut(caseId, request);
        this.#options.counts.hit("ruledOut");
      });
    }
  }

  async #order(): Promise<void> {
    const order = this.#random.pick(ORDERS);
    const cases = (await this.#options.load()).flatMap((stored) => (stored === null ? [] : [stored]));
    const places = cases.flatMap((stored) => placesFor(order, stored));
    if (places.length === 0) return;
    const { caseId, step } = this.#random.pick(places);
    await this.#try(`orders ${order} of ${step} of ${caseId}`, () => this.#make(order, caseId, step));
  }

  async #make(order: Order, caseId: string, step: string): Promise<void> {
    const { desk, counts } = this.#options;
    const request = { step, by: "ops", reason: "it was ordered" };
    switch (order) {
      case "redo":
        await this.#noteRedo(`${caseId} ${step}`, () => desk.redoStep(caseId, request));
        return counts.hit("redoOrdered");
      case "undo":
        await desk.undoStep(caseId, request);
        return counts.hit("undoOrdered");
      case "check":
        await desk.checkNow(caseId, request);
        return counts.hit("checkOrdered");
      case "pause":
        await desk.pause(caseId, { by: "ops", reason: "to look into it" });
        counts.hit("pause");
    }
  }

  /** Noted before, as the answer can get lost; taken back where it was refused. */
  async #noteRedo(place: string, order: () => Promise<unknown>): Promise<void> {
    const count = (by: number): void => void this.redone.set(place, (this.redone.get(place) ?? 0) + by);
    count(1);
    try {
      await order();
    } catch (error) {
      const isRefused = isFootholdError(error) && error.code !== "DATABASE_UNAVAILABLE";
      if (isRefused) count(-1);
      throw error;
    }
  }

  async #try(what: string, act: () => Promise<void>): Promise<void> {
    try {
      await act();
      this.#options.onTrace(`a person ${what}`);
    } catch (error) {
      this.#options.onTrace(`a person is refused: ${what}: ${String(error)}`);
    }
  }

  #isAbsent(caseId: string, step: string): boolean {
    const effects = [...this.#options.outside.destinations.values()].flatMap((one) => one.effects);
    return !effects.some(({ request }) => request.caseId === caseId && request.step === step);
  }
}

/** Steps about which it makes sense; workers are at most of them, so many an order is refused all the same. */
function placesFor(
  order: Order,
  { row, journal }: StoredCase,
): readonly { readonly caseId: string; readonly step: string }[] {
  const { caseId, state } = row;
  if (state === "done" || state === "canceled") return [];
  const steps = Object.entries(foldJournal(caseId, journal).steps);
  return steps
    .filter(([step, known]) => undoneName(step) === step && fits(order, known))
    .map(([step]) => ({ caseId, step }));
}

function fits(order: Order, { intent, confirmation }: StepState): boolean {
  switch (order) {
    case "redo":
    case "undo":
      return confirmation !== null && !isNotNeeded(confirmation);
    case "check":
      return intent !== null;
    case "pause":
      return true;
  }
}
