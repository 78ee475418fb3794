/** One run from one seed: a crew of real workers and sweeps, people, events and destinations, in a world that fails. */

import { createHash } from "node:crypto";
import { sendsOf } from "../src/core/sends.ts";
import { registryOf, type Registry } from "../src/define/registry.ts";
import { createDesk, type Desk } from "../src/desk/desk.ts";
import type { Report } from "../src/engine/report.ts";
import { ENGINE_VERSION } from "../src/engine/version.ts";
import type { Store, StoredCase } from "../src/store/port.ts";
import { ARRIVED, REVOKED, TOP_TYPE } from "./case-shape.ts";
import { CHAOS_MS, type Chaos } from "./chaos.ts";
import { bindCaseType, correctedInput } from "./case-type.ts";
import type { Contract } from "./contracts.ts";
import { Crew } from "./crew.ts";
import type { Effect } from "./destination.ts";
import { ReplicatedDatabase } from "./failover.ts";
import { runSweep, runWorker } from "./fleet.ts";
import { FaultCounts } from "./faults.ts";
import { HookedEvents } from "./hooked-events.ts";
import { InFlightWatch } from "./in-flight-watch.ts";
import { checkEffect } from "./invariants.ts";
import { areSettled, judgeCases, TellingWatch, withoutStacks } from "./judging.ts";
import type { Violation } from "./journal-rules.ts";
import { KnownCases } from "./known-cases.ts";
import { cancelHalfway, type Moment } from "./levels-cancel.ts";
import { Orders } from "./orders.ts";
import { drawAccess, drawOutside, type Outside } from "./outside.ts";
import { usePage } from "./page.ts";
import { actOnce, helpCase, tellRestored, type People, type PersonAct } from "./person.ts";
import { EPOCH_MS, SimulatedProcess } from "./process.ts";
import { SeededRandom } from "./random.ts";
import { Scheduler, settled } from "./scheduler.ts";
import { startCase } from "./starts.ts";
import { CALM_NETWORK, drawNetwork, simulateStore, type NetworkHabits } from "./store.ts";
import { MAIN_WORLD, type CaseTypes, type CaseWatch, type World } from "./world.ts";

/** Lease of the simulated workers, in virtual ms. */
const LEASE_MS = 3_000;
/**
 * How long it may take, once the world is good and people help, until every case has ended or stands in sight. With the
 * bad time it is shorter than the shortest act-by time, so that this last resort does not hide a missing sweep; and it
 * does not end as people help, who make what rests in review go on.
 */
const CALM_MS = 41_000;
/** How long the stock stays empty, in virtual ms. */
const OUT_OF_STOCK_MS_MAX = 2_500;
/** Events in one run, so that a loop that never rests is found. */
const EVENTS_MAX = 200_000;

/** What came of a run. */
export interface RunResult {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly counts: FaultCounts;
  readonly events: number;
  /** Of every effect and journal: the same seed gives the same hash. */
  readonly hash: string;
}

/** Runs one seed, of the main world unless another one is given. `onTrace` is told what happens, with virtual time. */
export async function runSeed(
  seed: number,
  onTrace: (line: string) => void = () => undefined,
  world: World = MAIN_WORLD,
): Promise<RunResult> {
  return new Run(seed, onTrace, world).go();
}

class Run {
  readonly #seed: number;
  readonly #onTrace: (line: string) => void;
  readonly #world: World;
  readonly #watch: CaseWatch;
  readonly #random: SeededRandom;
  readonly #scheduler = new Scheduler();
  readonly #counts = new FaultCounts();
  readonly #database: ReplicatedDatabase;
  readonly #types: CaseTypes;
  /** Names of destinations. */
  readonly #sendsTo: ReadonlySet<string>;
  readonly #inFlight: InFlightWatch;
  readonly #outside: Outside;
  readonly #network: NetworkHabits;
  readonly #violations: Violation[] = [];
  readonly #crew: Crew;
  readonly #cases: KnownCases;
  readonly #telling = new TellingWatch();
  readonly #desk: Desk;
  readonly #orders: Orders;
  /** Null = events come straight to the cases, as from one's own program. */
  readonly #hooked: HookedEvents | null;
  #isCalm = false;
  /** The database may have lost what senders were told is in, and no journal shows it. */
  #hasFailedOver = false;
  #processes = 0;

  constructor(seed: number, onTrace: (line: string) => void, world: World) {
    this.#seed = seed;
    this.#onTrace = onTrace;
    this.#world = world;
    this.#random = new SeededRandom(seed);
    this.#crew = new Crew({
      counts: this.#counts,
      stoppedMsMax: LEASE_MS * 3,
      onTrace: (line) => this.#trace(line),
    });
    this.#database = new ReplicatedDatabase(() => EPOCH_MS + this.#scheduler.now);
    this.#types = world.drawTypes(seed, this.#random);
    this.#watch = world.watch(this.#types);
    this.#cases = new KnownCases(this.#database.store);
    this.#inFlight = new InFlightWatch({
      now: () => this.#scheduler.now,
      policy: this.#types.top.inFlight,
      violate: (rule, what) => this.#violate(rule, what),
    });
    this.#outside = drawOutside({
      random: this.#random,
      scheduler: this.#scheduler,
      counts: this.#counts,
      inFlight: this.#inFlight,
      onEffect: (contract, effect) => this.#onEffect(contract, effect),
      onOverlap: (contract) => this.#onOverlap(contract),
    });
    const sends = this.#types.all.flatMap(({ steps }) => steps.flatMap(sendsOf));
    this.#sendsTo = new Set(sends.map(({ destination }) => destination.name));
    const ours = this.#outside.destinations.get("transaction");
    if (ours !== undefined) this.#database.keep(() => ours.replicate());
    this.#network = drawNetwork(this.#random);
    this.#desk = this.#newDesk(this.#newProcess("desk"));
    this.#hooked = this.#random.chance(0.5) && world.hasInbox ? this.#hookEvents() : null;
    this.#orders = this.#newOrders();
  }

  #newOrders(): Orders {
    return new Orders({
      seed: this.#seed,
      desk: this.#desk,
      shapes: this.#types.all,
      outside: this.#outside,
      counts: this.#counts,
      load: () => this.#load(this.#cases.all),
      onTrace: (line) => this.#trace(line),
    });
  }

  #hookEvents(): HookedEvents {
    return new HookedEvents({
      seed: this.#seed,
      scheduler: this.#scheduler,
      random: this.#random.fork(),
      counts: this.#counts,
      store: this.#database.store,
      habits: () => this.#habits(),
      newProcess: (label) => this.#newProcess(label),
      storeFor: (process) => this.#storeFor(process),
      violate: (rule, what) => this.#violate(rule, what),
      onTrace: (line) => this.#trace(line),
    });
  }

  #habits(): NetworkHabits {
    return this.#isCalm ? CALM_NETWORK : this.#network;
  }

  async go(): Promise<RunResult> {
    await this.#database.store.migrate();
    await this.#scheduler.until(this.#startCases());
    const crewSize = this.#random.between(1, 3);
    for (let index = 0; index < crewSize; index += 1) this.#startWorker();
    this.#startSweeper();
    this.#planChaos();
    await this.#runUntil(CHAOS_MS);
    this.#calmDown();
    await this.#runUntil(CHAOS_MS + CALM_MS);
    const journals = await this.#checkEnd();
    return {
      seed: this.#seed,
      violations: this.#violations,
      counts: this.#counts,
      events: this.#scheduler.events,
      hash: createHash("sha256").update(journals).digest("hex"),
    };
  }

  #newProcess(label: string): SimulatedProcess {
    this.#processes += 1;
    return new SimulatedProcess(`${label}${this.#processes}`, this.#scheduler, this.#random.fork());
  }

  #storeFor(process: SimulatedProcess): Store {
    const simulated = simulateStore({
      store: this.#database.store,
      process,
      scheduler: this.#scheduler,
      random: this.#random.fork(),
      habits: () => this.#habits(),
      counts: this.#counts,
      onClaims: async (reply) =>
        void this.#violations.push(...this.#watch.noteClaims(reply, await this.#load(this.#cases.roots))),
      onStaleWrite: ({ caseId, claimId }) =>
        this.#violate("door", `a commit under ${claimId} was taken, which was not the claim of ${caseId}`),
    });
    return this.#inFlight.over(process, simulated);
  }

  #newDesk(process: SimulatedProcess): Desk {
    return createDesk({
      store: this.#storeFor(process),
      registry: this.#registryOf(process),
      ports: process.ports,
      engineVersion: ENGINE_VERSION,
      pageLeaseMs: LEASE_MS,
    });
  }

  #registryOf(process: SimulatedProcess): Registry {
    return registryOf(this.#types.all.map((shape) => bindCaseType(shape, process, this.#outside)));
  }

  async #startCases(): Promise<void> {
    const { startsMax, laterMs } = this.#world;
    const count = this.#random.between(1, startsMax);
    for (let index = 0; index < count; index += 1) {
      const input = {
        amount: this.#random.chance(0.6) ? 1 : 2,
        isFaulty: this.#random.chance(0.15),
        note: "first",
      };
      this.#cases.add(await startCase(this.#desk, input, { seed: this.#seed, index, laterMs }));
    }
  }

  #startWorker(): void {
    const process = this.#newProcess("worker");
    this.#crew.add(process);
    const store = this.#storeFor(process);
    const registry = this.#registryOf(process);
    const concurrency = this.#random.between(1, 4);
    const onReport = (report: Report): void => this.#onReport(process, report);
    const parts = { process, store, registry, concurrency, leaseMs: LEASE_MS, onReport };
    runWorker({
      ...parts,
      onStarted: (worker) => this.#hooked?.startWorker({ process, store, registry, worker }),
      onTrace: (line) => this.#trace(line),
    });
  }

  #startSweeper(): void {
    const process = this.#newProcess("server");
    const onReport = (report: Report): void => this.#onReport(process, report);
    runSweep({ process, store: this.#storeFor(process), onReport });
  }

  /** Whose turn it was, a failover can lose like any other commit: nobody is left who could know of that refresh. */
  #onOverlap(contract: string): void {
    if (this.#database.hasLostTurn(contract, EPOCH_MS + this.#scheduler.now)) return;
    this.#violate("refresh", `the access to ${contract} is refreshed twice at once`);
  }

  #onReport(process: SimulatedProcess, report: Report): void {
    if (report.kind === "bug") this.#violate("engine bug", `${process.name}: ${String(report.error)}`);
    if (report.kind === "lateReport") this.#counts.hit("lateReport");
    if (report.kind === "claimLost") this.#counts.hit("claimLost");
    this.#trace(
      `${process.name} ${JSON.stringify(report, (_, value: unknown) => (value instanceof Error ? value.message : value))}`,
    );
  }

  #onEffect(contract: Contract, effect: Effect): void {
    const { id, request } = effect;
    this.#trace(
      `${contract} executes ${request.key}: ${id}${request.undoes === null ? "" : ` takes back ${request.undoes}`}`,
    );
    const destination = this.#outside.destinations.get(contract);
    if (destination === undefined) return;
    const known = { lostAttempts: this.#database.lostAttempts, redone: this.#orders.redone };
    this.#violations.push(...checkEffect(this.#types.all, destination, effect, known));
  }

  #planChaos(): void {
    const chaos: Chaos = {
      killOne: (random) => this.#killOne(random),
      stopOne: (random) => this.#crew.stopOne(random),
      jumpOne: (random) => this.#crew.jumpOne(random),
      person: (random, act) => this.#person(random, act),
      event: (random, eventType) => this.#event(random, eventType),
      runOutOfStock: (random) => this.#runOutOfStock(random),
      changeOne: (random) => this.#outside.destinations.get("if-match")?.changeOne(random),
      openPage: (random) => this.#openPage(random),
      expireAccess: (random) => drawAccess(this.#outside, this.#sendsTo, random).expire(),
      revokeAccess: (random) => this.#revoke(random),
      killServer: () => this.#hooked?.killServer(),
      failOver: (lag) => void this.#failOver(lag),
      actBelow: (random, act) => void this.#actBelow(random, act),
      cancelOrder: (moment, waitMs) => this.#cancelOrder(moment, waitMs),
    };
    if (this.#world.hasStandby) this.#database.startToLag();
    const [seed, random, scheduler, types] = [this.#seed, this.#random.fork(), this.#scheduler, this.#types];
    this.#world.plan({ seed, chaos, random, scheduler, types });
    this.#orders.plan(this.#scheduler);
    this.#hooked?.plan();
  }

  #killOne(random: SeededRandom): void {
    if (!this.#crew.killOne(random)) return;
    this.#scheduler.schedule(random.between(100, 3_000), () => this.#startWorker());
  }

  /** Sooner or later it is filled again: now and then while what lapsed for want of it is being taken back. */
  #runOutOfStock(random: SeededRandom): void {
    const { stock } = this.#outside;
    stock.runOut();
    this.#scheduler.schedule(random.between(0, OUT_OF_STOCK_MS_MAX), () => stock.fill());
  }

  /** A person with a page of their own, in a process of its own; what comes meanwhile comes for that very case. */
  #openPage(random: SeededRandom, caseId: string = random.pick(this.#cases.all)): void {
    const process = this.#newProcess("page");
    const types = Array.from({ length: random.between(0, 2) }, () => random.pick([REVOKED, ARRIVED]));
    void usePage({
      process,
      desk: this.#newDesk(process),
      caseId,
      random: random.fork(),
      counts: this.#counts,
      correctedInput: () => correctedInput(random),
      onOpened: () => {
        for (const type of types)
          this.#scheduler.schedule(random.between(0, 2_000), () => this.#event(random, type, caseId));
      },
      onTrace: (line) => this.#trace(line),
    });
  }

  /** Sooner or later a person gives a new grant, and now and then says so. */
  #revoke(random: SeededRandom): void {
    const access = drawAccess(this.#outside, this.#sendsTo, random);
    access.revoke();
    const isTold = random.chance(0.8);
    this.#scheduler.schedule(random.between(0, CHAOS_MS), () => {
      access.restore();
      if (isTold) void tellRestored(this.#people(random), access.name, access.name);
    });
  }

  async #failOver(lag: number): Promise<void> {
    this.#hasFailedOver = true;
    const attemptsBefore = this.#database.lostAttempts.size;
    await this.#look();
    const entries = await this.#database.failOver(lag, this.#cases.all, [
      ...this.#outside.destinations.keys(),
    ]);
    await this.#look();
    this.#hooked?.noteFailover();
    this.#watch.noteFailover();
    if (this.#isCalm) this.#hooked?.calmDown(true);
    if (entries > 0) this.#counts.hit("failover");
    if (this.#database.lostAttempts.size > attemptsBefore) this.#counts.hit("lostAttempt");
    this.#trace(`the database fails over and loses ${lag} commits at most, ${entries} entries`);
  }

  #person(random: SeededRandom, act: PersonAct, caseId: string = random.pick(this.#cases.all)): void {
    void actOnce(this.#people(random), act, caseId).then(
      () => this.#trace(`a person: ${act} ${caseId}`),
      (error: unknown) => this.#trace(`a person is refused ${act} ${caseId}: ${String(error)}`),
    );
  }

  async #actBelow(random: SeededRandom, act: PersonAct | "repair"): Promise<void> {
    await this.#look();
    const children = this.#cases.all.slice(this.#cases.roots.length);
    if (children.length === 0) return;
    const caseId = random.pick(children);
    if (act === "repair") this.#openPage(random, caseId);
    else this.#person(random, act, caseId);
  }

  #cancelOrder(moment: Moment, waitMs: number): void {
    const process = this.#newProcess("ann");
    const [orderId] = this.#cases.roots;
    if (orderId === undefined) return;
    const parts = { process, desk: this.#newDesk(process), orderId, moment, waitMs, counts: this.#counts };
    void cancelHalfway({
      ...parts,
      load: async () => {
        await this.#look();
        return (await this.#load(this.#cases.all)).filter((one) => one !== null);
      },
      onTrace: (line) => this.#trace(line),
    });
  }

  #event(random: SeededRandom, eventType: string, caseId: string = random.pick(this.#cases.roots)): void {
    const no = random.between(1, 2);
    const index = this.#cases.roots.indexOf(caseId);
    const sourceId = `${eventType}-${caseId}-${no}`;
    const send = (): void => {
      // The provider knows of nothing but what people started.
      if (this.#hooked !== null && index >= 0) return this.#hooked.tell(eventType, `order-${index}`, no);
      this.#desk.recordEvent(caseId, { eventType, payload: { n: no }, sourceId }).catch((error: unknown) => {
        this.#trace(`an event is refused: ${String(error)}`);
      });
    };
    send();
    if (eventType === REVOKED) this.#counts.hit("revocation");
    if (!random.chance(0.5)) return;
    this.#counts.hit("duplicateEvent");
    this.#scheduler.schedule(random.between(0, CHAOS_MS), send);
  }

  /** The world is good from here on, and people help: what still does not move is stuck. */
  #calmDown(): void {
    this.#isCalm = true;
    this.#trace("calm");
    for (const destination of this.#outside.destinations.values()) destination.calmDown();
    this.#outside.stock.calmDown();
    this.#crew.goOn();
    this.#hooked?.calmDown(this.#hasFailedOver);
    this.#startWorker();
    const help = (): void => {
      for (const caseId of this.#cases.all) void this.#help(caseId);
      this.#scheduler.schedule(2_000, help);
    };
    if (this.#world.unhelpedMs === 0) help();
    else this.#scheduler.schedule(this.#world.unhelpedMs, help);
  }

  #people(random: SeededRandom): People {
    return { desk: this.#desk, random, counts: this.#counts, onTrace: (line) => this.#trace(line) };
  }

  async #help(caseId: string): Promise<void> {
    const stored = await this.#database.store.loadCase(caseId);
    if (stored === null) return;
    const random = this.#random;
    const onAwaited = (): void => this.#event(random, ARRIVED);
    const { leavesShare } = this.#world;
    await helpCase(this.#people(random), stored.row, { now: this.#scheduler.now, onAwaited, leavesShare });
    await this.#orders.vouch(stored.row);
  }

  /** Ends sooner once all has come to rest, and may rest by now: as it is found at a look, and not a moment later. */
  async #runUntil(untilAt: number): Promise<void> {
    await settled();
    let nextLook = this.#scheduler.now;
    while (await this.#scheduler.step(untilAt)) {
      if (this.#scheduler.events > EVENTS_MAX) {
        this.#violate("never rests", `${EVENTS_MAX} events by ${this.#scheduler.now} ms`);
        return;
      }
      if (this.#scheduler.now < nextLook) continue;
      nextLook = this.#scheduler.now + 1_000;
      const isAtRest = await this.#areSettled();
      if (isAtRest && this.#scheduler.now > this.#world.restsFromMs) return;
    }
  }

  async #areSettled(): Promise<boolean> {
    await this.#look();
    const cases = await this.#load(this.#cases.all);
    const { now } = this.#scheduler;
    if (this.#isCalm && this.#types.all.length > 1) this.#violations.push(...this.#telling.look(cases, now));
    const there = cases.filter((one) => one !== null);
    this.#violations.push(...this.#watch.look(there, { now, isCalm: this.#isCalm }));
    const isAtRest = areSettled(cases) && this.#world.isOver(there, EPOCH_MS + now);
    return isAtRest && (await (this.#hooked?.isSettled() ?? true));
  }

  /** Where no case can start another one there is nothing to look for. */
  async #look(): Promise<void> {
    if (this.#types.all.length > 1) await this.#cases.look();
  }

  #load(caseIds: readonly string[]): Promise<readonly (StoredCase | null)[]> {
    return Promise.all(caseIds.map((caseId) => this.#database.store.loadCase(caseId)));
  }

  async #checkEnd(): Promise<string> {
    await this.#look();
    const stored = await this.#load(this.#cases.all);
    if (stored.includes(null)) this.#violate("lost case", "a started case is not in the store");
    const cases = stored.filter((one) => one !== null);
    const { destinations } = this.#outside;
    const ledgers = { destinations, ...this.#database.losses };
    const judged = { shapes: this.#types.all, ledgers, cases, counts: this.#counts };
    this.#violations.push(...judgeCases(judged, (line) => this.#trace(line)), ...this.#world.judge(judged));
    const told = cases.filter(({ row }) => row.caseType === TOP_TYPE);
    this.#violations.push(...((await this.#hooked?.check(told, this.#hasFailedOver)) ?? []));
    return JSON.stringify([stored, [...destinations.values()].map(({ effects }) => effects)], withoutStacks);
  }

  #violate(rule: string, what: string): void {
    this.#violations.push({ rule, what });
    this.#trace(`VIOLATION ${rule}: ${what}`);
  }

  #trace(line: string): void {
    this.#onTrace(`${String(this.#scheduler.now).padStart(7)} ${line}`);
  }
}
