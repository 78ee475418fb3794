/**
 * What people order about single steps: to do one again, to take it back, to leave it out, to ask about it, to pause the
 * case, to correct its input so that what was not needed is, or what stands has to be looked at; and what they vouch for
 * after a look at the destination.
 */

import { foldJournal } from "../src/core/fold.ts";
import { isNotNeeded, stepOf, type StepState } from "../src/core/case-state.ts";
import { isFootholdError } from "../src/core/errors.ts";
import { canonicalJson, isJsonObject, type JsonObject } from "../src/core/json.ts";
import { factsOf } from "../src/define/facts.ts";
import type { Desk } from "../src/desk/desk.ts";
import type { StoredCase, StoredRow } from "../src/store/port.ts";
import { sendOutline, undoneName, type CaseShape } from "./case-shape.ts";
import type { Effect } from "./destination.ts";
import type { FaultCounts } from "./faults.ts";
import type { Outside } from "./outside.ts";
import { SeededRandom } from "./random.ts";
import type { Scheduler } from "./scheduler.ts";
import { contentOf } from "./send-step.ts";

/** The seeds in which something is ordered, how often at most, and until when, in virtual ms. */
const SHARE = 0.6;
const TIMES_MAX = 8;
const UNTIL_MS = 6_000;
/** How often people look at the destinations for what nobody knows, and until when, in virtual ms. */
const LOOK_EVERY_MS = 1_000;
const LOOK_UNTIL_MS = 15_000;
/** Tells the draws of orders from all others of a seed. */
const SALT = 0x0dde5;

const ORDERS = [
  ...(["redo", "redo", "undo", "undo", "check", "check", "pause"] as const),
  ...(["skip", "skip", "enlarge", "enlarge", "amend", "amend", "amend"] as const),
];

type Order = (typeof ORDERS)[number];

/** What orders reach. */
export interface OrdersOptions {
  readonly seed: number;
  readonly desk: Desk;
  readonly shapes: readonly CaseShape[];
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

  constructor(options: OrdersOptions) {
    this.#options = options;
    this.#random = new SeededRandom(options.seed ^ SALT);
  }

  /** Draws what is ordered, and when. */
  plan(scheduler: Scheduler): void {
    for (let at = LOOK_EVERY_MS; at < LOOK_UNTIL_MS; at += LOOK_EVERY_MS)
      scheduler.schedule(at, () => void this.#lookThrough());
    if (!this.#random.chance(SHARE)) return;
    const times = this.#random.between(2, TIMES_MAX);
    for (let index = 0; index < times; index += 1)
      scheduler.schedule(this.#random.between(0, UNTIL_MS), () => void this.#order());
  }

  /** Says of what nobody knows whether it happened, as the destination shows it. Never rejects. */
  async vouch({ caseId, summary }: StoredRow): Promise<void> {
    for (const { step, reason } of summary.reviews) {
      if (reason !== "unknown") continue;
      if (this.#effectsOf(caseId, step).length === 0) await this.#ruleOut(caseId, step);
      else await this.#confirm(caseId, step);
    }
  }

  /** While requests are still on their way: only what is there proves something. */
  async #lookThrough(): Promise<void> {
    for (const { row } of await this.#cases())
      for (const { step, reason } of row.summary.reviews)
        if (reason === "unknown") await this.#confirm(row.caseId, step);
  }

  async #ruleOut(caseId: string, step: string): Promise<void> {
    const request = { step, by: "ops", reason: "it is not there", evidence: "a look at the ledger" };
    await this.#try(`rules out ${step} of ${caseId}`, async () => {
      await this.#options.desk.ruleOut(caseId, request);
      this.#options.counts.hit("ruledOut");
    });
  }

  /** Only where that very one is there, with what is wanted by the plan that they saw. */
  async #confirm(caseId: string, step: string): Promise<void> {
    if (undoneName(step) !== step) return;
    const { desk, shapes, counts } = this.#options;
    await this.#try(`confirms ${step} of ${caseId}`, async () => {
      const seen = { step, by: "ops", reason: "it is there", evidence: "a look at the ledger" };
      const { revision } = await desk.show(caseId);
      const { plan } = await desk.preview(caseId, { move: "confirm", step });
      const stored = (await this.#cases()).find(({ row }) => row.caseId === caseId);
      const outline = shapes.map((shape) => sendOutline(shape, step)).find((one) => one !== null) ?? null;
      if (stored?.row.revision !== revision || outline === null) return;
      const state = foldJournal(caseId, stored.journal);
      const wanted = canonicalJson(contentOf(outline, factsOf(state)));
      const version = stepOf(state, step).intent?.version;
      const effect = this.#effectsOf(caseId, step).find(
        ({ request, isUndone }) =>
          !isUndone && request.content === wanted && request.intentVersion === version,
      );
      if (effect === undefined) return;
      await desk.confirmStep(caseId, { ...seen, plan, result: { id: effect.id } });
      counts.hit("confirmedByHand");
    });
  }

  async #order(): Promise<void> {
    const order = this.#random.pick(ORDERS);
    const places = (await this.#cases()).flatMap((stored) => placesFor(order, stored));
    if (places.length === 0) return;
    const place = this.#random.pick(places);
    await this.#try(`orders ${order} of ${place.step} of ${place.caseId}`, () => this.#make(order, place));
  }

  async #make(order: Order, { caseId, step, input }: Place): Promise<void> {
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
        return counts.hit("pause");
      case "skip":
        await desk.skipStep(caseId, request);
        return counts.hit("skipOrdered");
      case "enlarge":
        await desk.correctInput(caseId, { ...request, input: { amount: 3, isFaulty: false, note: "first" } });
        return counts.hit("correction");
      case "amend":
        await desk.correctInput(caseId, { ...request, input: { ...input, note: "amended" } });
        counts.hit("correction");
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

  async #cases(): Promise<readonly StoredCase[]> {
    return (await this.#options.load()).filter((stored) => stored !== null);
  }

  #effectsOf(caseId: string, step: string): readonly Effect[] {
    const effects = [...this.#options.outside.destinations.values()].flatMap((one) => one.effects);
    return effects.filter(({ request }) => request.caseId === caseId && request.step === step);
  }
}

interface Place {
  readonly caseId: string;
  readonly step: string;
  /** Of the case. */
  readonly input: JsonObject;
}

/** Steps about which it makes sense; workers are at most of them, so many an order is refused all the same. */
function placesFor(order: Order, { row, journal }: StoredCase): readonly Place[] {
  const { caseId, state } = row;
  if (state === "done" || state === "canceled") return [];
  const { steps, input } = foldJournal(caseId, journal);
  if (!isJsonObject(input)) return [];
  return Object.entries(steps)
    .filter(([step, known]) => undoneName(step) === step && fits(order, known))
    .map(([step]) => ({ caseId, step, input }));
}

function fits(order: Order, { intent, confirmation }: StepState): boolean {
  switch (order) {
    case "redo":
    case "undo":
    case "amend":
      return confirmation !== null && !isNotNeeded(confirmation);
    case "check":
      return intent !== null;
    case "skip":
      return confirmation === null;
    case "enlarge":
      return isNotNeeded(confirmation);
    case "pause":
      return true;
  }
}
