/**
 * One run from one seed of a schedule: several processes that run it over a bad network, are killed and stopped, a database
 * that fails over, people who pause, resume and start slots, and cases that end or stay open. A world of its own: what starts
 * cases by the clock touches nothing else of the engine.
 */

import { z } from "zod";
import { isFootholdError } from "../src/core/errors.ts";
import type { Overlap, SlotCalendar } from "../src/core/schedule.ts";
import { defineCase } from "../src/define/builder.ts";
import { registryOf } from "../src/define/registry.ts";
import { defineSchedule, scheduleBookOf, type ScheduleBook } from "../src/define/schedule.ts";
import { createDesk, type Desk } from "../src/desk/desk.ts";
import { ENGINE_VERSION } from "../src/engine/version.ts";
import { LIST_LIMIT_MAX, type StoredCase } from "../src/store/port.ts";
import type { StoredSlot } from "../src/store/schedule-port.ts";
import { LAG_MAX, ReplicatedDatabase } from "./failover.ts";
import { FaultCounts } from "./faults.ts";
import { EPOCH_MS, SimulatedProcess } from "./process.ts";
import { SeededRandom } from "./random.ts";
import { Scheduler } from "./scheduler.ts";
import { CALM_NETWORK, drawNetwork, simulateStore, type NetworkHabits } from "./store.ts";

/** How long the world is bad, and how long it may take afterwards until nothing is open, in virtual ms. */
const CHAOS_MS = 20_000;
const CALM_MS = 15_000;
/** A schedule that is behind by more than this in a good world is stuck, in virtual ms. */
const BEHIND_MS_MAX = 4_000;
/** Longest pause that ends by itself, in virtual ms. */
const PAUSE_MS_MAX = 5_000;
const NAME = "tick";
/** Slots in one list, and lists that are read. */
const PAGE = 200;
const PAGES_MAX = 20;

/** What came of a run. */
export interface TimetableResult {
  readonly violations: readonly string[];
  /** What really happened, so that a run in which nothing did is seen. */
  readonly hits: ReadonlyMap<string, number>;
}

/** Runs one seed. */
export async function runTimetable(seed: number): Promise<TimetableResult> {
  return new TimetableRun(seed).go();
}

const ticking = defineCase("ticking", {
  version: 1,
  owner: "clock",
  input: z.object({ at: z.number(), isGood: z.boolean().refine((isGood) => isGood) }),
}).approval("look", { by: "clock" });
const registry = registryOf([ticking]);

interface Shape {
  readonly everyMs: number;
  readonly overlap: Overlap;
  readonly catchUp: "none" | "last" | { readonly upTo: number };
  /** One slot of so many has an input that the schema refuses; 0 = none. */
  readonly badOneOf: number;
  /** Without a business key nothing but the ids of its case keeps a slot from having two. */
  readonly hasKey: boolean;
}

class TimetableRun {
  readonly #random: SeededRandom;
  readonly #scheduler = new Scheduler();
  readonly #counts = new FaultCounts();
  readonly #database: ReplicatedDatabase;
  readonly #network: NetworkHabits;
  readonly #calendar: SlotCalendar;
  readonly #schedules: ScheduleBook;
  readonly #violations: string[] = [];
  readonly #hits = new Map<string, number>();
  readonly #processes: SimulatedProcess[] = [];
  /** What people order and have no answer to yet. */
  readonly #underWay = new Set<Promise<void>>();
  #isCalm = false;
  #hasFailedOver = false;
  /** When a failover lost all that was known of the schedule, so that it begins anew. */
  #lostAt = -Infinity;
  #named = 0;

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
    this.#database = new ReplicatedDatabase(() => EPOCH_MS + this.#scheduler.now);
    this.#network = drawNetwork(this.#random);
    const shape: Shape = {
      everyMs: this.#random.pick([300, 700, 1_500, 4_000]),
      overlap: this.#random.pick(["start", "skip", "wait"]),
      catchUp: this.#random.pick(["none", "last", { upTo: 5 }]),
      badOneOf: this.#random.pick([0, 3, 7]),
      hasKey: this.#random.chance(0.3),
    };
    const { everyMs } = shape;
    this.#calendar = {
      next: (afterAt) => (Math.floor(afterAt / everyMs) + 1) * everyMs,
      previous: (beforeAt) => (Math.ceil(beforeAt / everyMs) - 1) * everyMs,
    };
    this.#schedules = this.#declare(shape);
  }

  #declare({ everyMs, overlap, catchUp, badOneOf, hasKey }: Shape): ScheduleBook {
    const isGood = (at: number): boolean => badOneOf === 0 || Math.floor(at / everyMs) % badOneOf !== 0;
    const schedule = defineSchedule(NAME, {
      starts: ticking,
      cron: `every ${everyMs} ms`,
      timeZone: "UTC",
      input: ({ at }) => ({ at, isGood: isGood(at) }),
      ...(hasKey ? { businessKey: ({ at }) => String(at) } : {}),
      overlap,
      catchUp,
    });
    const calendar = this.#calendar;
    return scheduleBookOf([schedule], registry, () => ({ kind: "calendar", calendar }));
  }

  async go(): Promise<TimetableResult> {
    for (let index = this.#random.between(1, 3); index > 0; index -= 1) this.#startProcess();
    this.#database.startToLag();
    this.#planFaults();
    await this.#run(CHAOS_MS);
    this.#isCalm = true;
    for (const one of this.#processes) one.stop(0);
    this.#startProcess();
    await this.#resume();
    await this.#run(CHAOS_MS + CALM_MS);
    await this.#runUntilNothingIsOpen();
    await this.#check();
    return { violations: this.#violations, hits: this.#hits };
  }

  async #run(untilAt: number): Promise<void> {
    while (await this.#scheduler.step(untilAt));
  }

  async #runUntilNothingIsOpen(): Promise<void> {
    const endAt = this.#scheduler.now + CALM_MS;
    const isOpen = async (): Promise<boolean> => {
      const stored = await this.#database.store.schedules.load(NAME);
      return stored === null || stored.state.open.length > 0;
    };
    while ((await isOpen()) && (await this.#scheduler.step(endAt)));
    if (await isOpen()) this.#violations.push("a slot stays open in a good world");
    for (const one of this.#processes) one.kill();
  }

  #hit(what: string): void {
    this.#hits.set(what, (this.#hits.get(what) ?? 0) + 1);
  }

  #deskOf(process: SimulatedProcess): Desk {
    const store = simulateStore({
      store: this.#database.store,
      process,
      scheduler: this.#scheduler,
      random: this.#random.fork(),
      habits: () => (this.#isCalm ? CALM_NETWORK : this.#network),
      counts: this.#counts,
      onStaleWrite: () => undefined,
    });
    const { ports } = process;
    return createDesk({ store, registry, schedules: this.#schedules, ports, engineVersion: ENGINE_VERSION });
  }

  #newProcess(): SimulatedProcess {
    this.#named += 1;
    return new SimulatedProcess(`p${this.#named}`, this.#scheduler, this.#random.fork());
  }

  #startProcess(): void {
    const process = this.#newProcess();
    this.#processes.push(process);
    const onError = (error: unknown): void => {
      if (isFootholdError(error) && error.code === "DATABASE_UNAVAILABLE") this.#hit("unavailable");
      else this.#violations.push(`a turn failed: ${String(error)}`);
    };
    this.#deskOf(process).scheduleRunner({ onError }).start();
  }

  #planFaults(): void {
    const times = this.#random.between(5, 25);
    for (let index = 0; index < times; index += 1) {
      const draws = this.#random.fork();
      this.#scheduler.schedule(this.#random.between(0, CHAOS_MS), () => void this.#doOne(draws));
    }
  }

  async #doOne(draws: SeededRandom): Promise<void> {
    const living = this.#processes.filter((one) => !one.isDead);
    const act = draws.pick(["kill", "kill", "stop", "end", "end", "end", "person", "failOver"] as const);
    switch (act) {
      case "kill":
        if (living.length === 0) return;
        draws.pick(living).kill();
        this.#hit("killed");
        // Now and then for so long that slots are missed.
        this.#scheduler.schedule(draws.pick([50, 1_000, 5_000]), () => this.#startProcess());
        return;
      case "stop":
        if (living.length > 0) draws.pick(living).stop(draws.between(500, 6_000));
        return;
      case "end":
        return this.#endOne(draws);
      case "person":
        return this.#person(draws);
      case "failOver":
        if (draws.chance(0.5)) return;
        this.#hasFailedOver = true;
        await this.#database.failOver(draws.between(1, LAG_MAX), [], []);
        if ((await this.#database.store.schedules.load(NAME)) === null) {
          this.#lostAt = EPOCH_MS + this.#scheduler.now;
          this.#hit("lost");
        }
        this.#hit("failedOver");
    }
  }

  async #endOne(draws: SeededRandom): Promise<void> {
    const { store } = this.#database;
    const { rows } = await store.listCases({ limit: LIST_LIMIT_MAX, states: ["ready"] });
    if (rows.length === 0) return;
    await this.#act(async (desk) => void (await desk.cancel(draws.pick(rows).caseId, { by: "ops" })));
  }

  async #person(draws: SeededRandom): Promise<void> {
    const by = "ops";
    const slots = await this.#slots();
    const act = draws.pick(["pause", "resume", "start", "startSlot"] as const);
    await this.#act(async (desk) => {
      if (act === "pause") {
        const endsAt = EPOCH_MS + this.#scheduler.now + draws.between(500, PAUSE_MS_MAX);
        const untilAt = draws.chance(0.5) ? endsAt : null;
        await desk.pauseSchedule(NAME, { by, reason: "not now", untilAt });
        if (untilAt !== null) this.#hit("pauseUntil");
      }
      if (act === "resume") await desk.resumeSchedule(NAME, { by });
      if (act === "start") await desk.startSlot(NAME, { by, actId: `a-${draws.between(1, 3)}` });
      if (act === "startSlot" && slots.length > 0) {
        await desk.startSlot(NAME, { by, slotAt: draws.pick(slots).slotAt });
      }
      this.#hit(act);
    });
  }

  /** What somebody ordered before arrives first: a pause that came after would hold in a good world too. */
  async #resume(): Promise<void> {
    await this.#scheduler.until(Promise.all(this.#underWay).then(() => undefined));
    await this.#scheduler.until(
      this.#act(async (desk) => void (await desk.resumeSchedule(NAME, { by: "ops" }))),
    );
  }

  /** Made by a person: a refusal is an answer, and so is none. */
  async #act(act: (desk: Desk) => Promise<void>): Promise<void> {
    const acting = act(this.#deskOf(this.#newProcess())).catch((error: unknown) => {
      if (!isFootholdError(error)) throw error;
    });
    this.#underWay.add(acting);
    await acting.finally(() => this.#underWay.delete(acting));
  }

  async #slots(): Promise<readonly StoredSlot[]> {
    const found: StoredSlot[] = [];
    let after: StoredSlot | null = null;
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const filter = { schedule: NAME, outcome: null, after, limit: PAGE } as const;
      const slots: readonly StoredSlot[] = await this.#database.store.schedules.listSlots(filter);
      found.push(...slots);
      if (slots.length < PAGE) break;
      after = slots.at(-1) ?? null;
    }
    return found;
  }

  async #check(): Promise<void> {
    const { store } = this.#database;
    const stored = await store.schedules.load(NAME);
    if (stored === null) {
      this.#violations.push("the schedule was never decided");
      return;
    }
    const { rows } = await store.listCases({ limit: LIST_LIMIT_MAX });
    const loaded = await Promise.all(rows.map(({ caseId }) => store.loadCase(caseId)));
    const cases = loaded.filter((one) => one !== null);
    const slots = await this.#slots();
    this.#hits.set("cases", cases.length);
    this.#checkCases(cases, slots);
    this.#checkSlots(slots, stored.state.waiting, stored.state.decidedUntilAt);
    const behindMs = EPOCH_MS + this.#scheduler.now - stored.state.decidedUntilAt;
    if (behindMs > Math.max(BEHIND_MS_MAX, this.#everyMs() * 2)) {
      this.#violations.push(`it is ${behindMs} ms behind in a good world`);
    }
  }

  #everyMs(): number {
    return this.#calendar.next(0) ?? 0;
  }

  /** One case at most for a slot, each told by its record, and none that was said to be started is missing. */
  #checkCases(cases: readonly StoredCase[], slots: readonly StoredSlot[]): void {
    const commits = cases.map(({ journal }) => journal[0]?.commitId ?? "");
    if (new Set(commits).size !== commits.length) this.#violations.push("two cases began with one commit");
    const byHand = slots.filter(({ slotKey }) => slotKey.startsWith("by hand"));
    const handIds = new Set(byHand.map(({ start }) => start?.caseId));
    const inputs = cases
      .filter(({ row }) => !handIds.has(row.caseId))
      .map(({ state }) => JSON.stringify(state.input));
    const twice = inputs.filter((input, index) => inputs.indexOf(input) !== index);
    if (twice.length > 0) this.#violations.push(`slots have two cases: ${twice.join(", ")}`);
    const started = slots.filter(({ outcome }) => outcome.kind === "started");
    const ids = new Set(cases.map(({ row }) => row.caseId));
    for (const { slotKey, start } of started) {
      if (!ids.has(start?.caseId ?? "")) this.#violations.push(`slot ${slotKey} was started and has no case`);
    }
    if (this.#hasFailedOver) return;
    const told = new Set(started.map(({ start }) => start?.caseId));
    for (const { row } of cases) {
      if (!told.has(row.caseId)) this.#violations.push(`case ${row.caseId} is no slot's that was started`);
    }
  }

  /** No slot from the first to the last that is decided is without a record, or a place among those that wait. */
  #checkSlots(slots: readonly StoredSlot[], waiting: readonly number[], decidedUntilAt: number): void {
    const ofCalendar = slots.filter(({ slotKey }) => !slotKey.startsWith("by hand"));
    // What came before, only a case that was started still tells.
    const recorded = [...ofCalendar.map(({ slotAt }) => slotAt), ...waiting];
    const firstAt = Math.min(...recorded.filter((slotAt) => slotAt > this.#lostAt));
    for (const { outcome } of ofCalendar) this.#hit(outcome.kind);
    let at: number | null = Number.isFinite(firstAt) ? firstAt : null;
    for (; at !== null && at <= decidedUntilAt; at = this.#calendar.next(at)) {
      const slotAt = at;
      const isTold = ofCalendar.some((one) => one.slotAt <= slotAt && slotAt <= one.lastAt);
      if (!isTold && !waiting.includes(slotAt)) this.#violations.push(`slot ${slotAt} is not on record`);
    }
  }
}
