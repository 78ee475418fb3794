/**
 * The stage of a test world: the real worker, sweep and desk on the memory store, as processes of virtual time that can
 * be killed and stopped, and the user's case types, watched.
 */

import { FootholdError } from "../core/errors.ts";
import type { Entry, JournalEntry } from "../core/journal.ts";
import type { SendStepOutline } from "../core/outline.ts";
import { findStep } from "../core/undo.ts";
import type { CaseType } from "../define/case-type.ts";
import type { Idempotency } from "../define/destination.ts";
import { registryOf, type Registry } from "../define/registry.ts";
import { scheduleBookOf, type Schedule } from "../define/schedule.ts";
import { createDesk, type Desk } from "../desk/desk.ts";
import type { ScheduleRunner } from "../desk/schedule-run.ts";
import type { Failpoint, FailpointPlace } from "../engine/failpoints.ts";
import type { Report } from "../engine/report.ts";
import { createSweep } from "../engine/sweep.ts";
import { ENGINE_VERSION } from "../engine/version.ts";
import { createWorker } from "../engine/worker.ts";
import { memoryStore } from "../store/memory/store.ts";
import { LIST_LIMIT_MAX, type Store } from "../store/port.ts";
import { within, type SeenEffect, type UserCall } from "./current-call.ts";
import { PlannedFaults, refusalOf, type PlannedFault } from "./planned-fault.ts";
import { tapJournal } from "./tap-journal.ts";
import { TestProcess } from "./test-process.ts";
import { tellEntry } from "./tell-entry.ts";
import { VirtualTime } from "./virtual-time.ts";
import { watchCaseType } from "./watched-case-type.ts";

/** Lease of a worker, in virtual ms. */
const LEASE_MS = 10_000;
/** How long after a worker was lost the next one starts, in virtual ms. */
const REPLACED_AFTER_MS = 1_000;
/** How long a worker that comes back late is stopped beyond what its step's destination may still do, in ms. */
const LATE_BEYOND_MS = 60_000;
/** How long a worker that went on late is watched step by step, in ms. */
const WATCHED_MS = 5_000;
/** Timers that one call may fire, so that a world that never rests is found. */
const STEPS_MAX = 200_000;
/** Lines of a trace. */
const TRACE_MAX = 2_000;

/** A moment of the world, in words. */
export interface TraceLine {
  /** Virtual ms since the world began. */
  readonly atMs: number;
  readonly text: string;
}

/** A call of `run` that ended. */
export interface Execution {
  readonly call: UserCall;
  readonly ended: { readonly kind: "gave"; readonly value: unknown } | { readonly kind: "threw" };
}

/** A failpoint that a worker passed. */
export interface Passage {
  readonly point: Failpoint;
  readonly caseId: string;
  readonly step: string;
}

/** What a stage is made of. */
export interface StageOptions {
  readonly cases: readonly CaseType[];
  /** None when left out. */
  readonly schedules?: readonly Schedule[];
  readonly startAt: number;
  readonly patienceMs: number;
  /** Told of each new entry, before whoever appended it hears the answer. */
  readonly onEntry?: (caseId: string, entry: Entry) => Promise<void>;
}

/** A request to a fake destination: what a rehearsal can do to it. */
export interface FakeRequest {
  readonly caseId: string;
  readonly step: string;
  readonly by: Idempotency["by"];
}

/** A step of a case. */
interface StepOfCase {
  readonly caseId: string;
  readonly step: string;
}

/** What is known of a case from its first entry on. */
interface KnownCase {
  readonly caseType: string;
  readonly isChild: boolean;
}

/** How far the world ran. */
export type RunEnd =
  /** What was waited for is there. */
  | "reached"
  /** Nothing goes on without people, events, or more time than was allowed. */
  | "idle"
  /** The time allowed has passed. */
  | "timeUp";

/** One stage. */
export class Stage {
  readonly time: VirtualTime;
  readonly store: Store;
  readonly faults: PlannedFaults = new PlannedFaults();
  readonly trace: TraceLine[] = [];
  readonly effects: SeenEffect[] = [];
  readonly executions: Execution[] = [];
  readonly passages: Passage[] = [];
  readonly requests: FakeRequest[] = [];
  #registry: Registry;
  #schedules: readonly Schedule[];
  #desk: Desk;
  #scheduleRunner: ScheduleRunner;
  readonly #workers: TestProcess[] = [];
  readonly #cases = new Map<string, KnownCase>();
  /** Requests that are on their way, by case and step, until the step goes on without them. */
  readonly #held = new Map<string, { readonly arrive: () => unknown; readonly latestAt: number }>();
  readonly #listener: (caseId: string, entry: Entry) => Promise<void>;
  /** Until when a worker that went on late is watched step by step. */
  #watchedUntil = -Infinity;
  #bug: { readonly error: unknown } | null = null;
  #actsUnderWay = 0;

  constructor({ cases, schedules = [], startAt, patienceMs, onEntry }: StageOptions) {
    this.#listener = onEntry ?? (async () => undefined);
    this.time = new VirtualTime(startAt, patienceMs);
    this.#registry = registryOf(cases);
    this.#schedules = schedules;
    this.store = tapJournal(memoryStore({ now: () => this.time.now }), (caseId, entry) =>
      this.#onEntry(caseId, entry),
    );
    this.#desk = this.#openDesk();
    this.#scheduleRunner = this.#newScheduleRunner();
    this.#startSweep();
    this.#startWorker();
  }

  get desk(): Desk {
    return this.#desk;
  }

  /** Ends the worker, and starts one with these definitions in its place; the desk has them from now on. */
  deploy(cases: readonly CaseType[], schedules: readonly Schedule[] = this.#schedules): void {
    this.#registry = registryOf(cases);
    this.#schedules = schedules;
    this.#desk = this.#openDesk();
    this.#scheduleRunner = this.#newScheduleRunner();
    this.#workers.at(-1)?.kill();
    this.tell(`deployed: ${cases.map(({ outline: { name, version } }) => `${name} ${version}`).join(", ")}`);
    this.#startWorker();
  }

  #openDesk(): Desk {
    const process = new TestProcess("desk", this.time);
    return createDesk({
      store: process.reach(this.store),
      registry: this.#registry,
      schedules: scheduleBookOf(this.#schedules, this.#registry),
      ports: process.ports,
      engineVersion: ENGINE_VERSION,
    });
  }

  /** It is asked at each moment of the world, and keeps no time of its own. */
  #newScheduleRunner(): ScheduleRunner {
    return this.#desk.scheduleRunner({ onError: (error) => (this.#bug ??= { error }) });
  }

  /** True while the end of a child, or its review, is still to be told to its parent: the sweep will, where its worker died. */
  async hasUntold(): Promise<boolean> {
    return (await this.store.children.listUntold({ limit: 1, unchangedMs: 0 })).length > 0;
  }

  /** What is said of a case, or a step of it: with its case type in front where another case started it. */
  named(caseId: string, what: string): string {
    const known = this.#cases.get(caseId);
    return known?.isChild === true ? `${known.caseType}: ${what}` : what;
  }

  /** Tells the trace. */
  tell(text: string): void {
    if (this.trace.length < TRACE_MAX) this.trace.push({ atMs: this.time.now - this.time.startAt, text });
  }

  /** When the last stopped worker goes on; null = none is stopped. */
  get stoppedUntil(): number | null {
    return this.#workers.reduce<number | null>(
      (latest, { stoppedUntil }) =>
        stoppedUntil === null ? latest : Math.max(latest ?? stoppedUntil, stoppedUntil),
      null,
    );
  }

  /**
   * Runs until `isReached`, at most to `untilAt`. While a case is worked on, time goes from timer to timer; else it
   * skips to what the engine does next by itself.
   */
  async runUntil(isReached: () => Promise<boolean>, untilAt: number): Promise<RunEnd> {
    for (let steps = 0; steps < STEPS_MAX; steps += 1) {
      await this.time.settle();
      await this.#scheduleRunner.runOnce();
      this.#throwBug();
      if (await isReached()) return "reached";
      const nextAt = await this.#nextAt();
      if (nextAt === null) return "idle";
      if (nextAt > this.time.now) {
        if (nextAt > untilAt) return "timeUp";
        this.time.leap(nextAt);
      } else if (!(await this.time.step(untilAt))) return "timeUp";
    }
    throw new FootholdError(
      "INVARIANT_BROKEN",
      `The test world did not come to rest after ${STEPS_MAX} timers. Does a step run again and again?`,
    );
  }

  /**
   * Runs until an act that takes time has ended: whoever acts waits for what workers do meanwhile, and they for time.
   * Throws what the act throws, and `INVARIANT_BROKEN` when it has not ended at `untilAt`.
   */
  async runBeside<Reply>(act: () => Promise<Reply>, untilAt: number): Promise<Reply> {
    let ended: { readonly reply: Reply } | { readonly error: unknown } | null = null;
    this.#actsUnderWay += 1;
    void act()
      .then(
        (reply) => (ended = { reply }),
        (error: unknown) => (ended = { error }),
      )
      .finally(() => (this.#actsUnderWay -= 1));
    const endOf = (): typeof ended => ended;
    await this.runUntil(() => Promise.resolve(endOf() !== null), untilAt);
    const end = endOf();
    if (end === null) throw new FootholdError("INVARIANT_BROKEN", "A person's act did not end in its time.");
    if ("error" in end) throw end.error;
    return end.reply;
  }

  /** When something happens by itself: now, later, or never (null). */
  async #nextAt(): Promise<number | null> {
    const { now } = this.time;
    if (this.#actsUnderWay > 0) return now;
    if ((await this.store.listClaims(1)).length > 0 || (await this.hasUntold())) return now;
    const { stoppedUntil } = this;
    if (stoppedUntil === null && now < this.#watchedUntil) return now;
    let nextAt = Math.min(
      stoppedUntil ?? Infinity,
      ...[...this.#held.values()].map(({ latestAt }) => latestAt),
    );
    nextAt = Math.min(nextAt, ...(await this.#slotsToCome()));
    let after: string | undefined;
    do {
      const page = await this.store.listCases({
        states: ["ready", "waiting", "paused"],
        limit: LIST_LIMIT_MAX,
        ...(after === undefined ? {} : { after }),
      });
      for (const { dueAt } of page.rows) if (dueAt !== null) nextAt = Math.min(nextAt, dueAt);
      after = page.next ?? undefined;
    } while (after !== undefined);
    return nextAt === Infinity ? null : Math.max(now, nextAt);
  }

  /** When each schedule that is declared is next decided. */
  async #slotsToCome(): Promise<readonly number[]> {
    const names = new Set(this.#schedules.map(({ name }) => name));
    const stored = await this.store.schedules.list();
    return stored.flatMap(({ name, state: { pause, nextAt } }) => {
      const at = pause === null ? nextAt : pause.untilAt;
      return at === null || !names.has(name) ? [] : [at];
    });
  }

  #throwBug(): void {
    if (this.#bug !== null) throw this.#bug.error;
  }

  #startSweep(): void {
    const process = new TestProcess("server", this.time);
    createSweep({ store: process.reach(this.store), ports: process.ports }).start();
  }

  #startWorker(): void {
    const process = new TestProcess(`worker-${this.#workers.length + 1}`, this.time);
    this.#workers.push(process);
    const cases = this.#registry.all.map((one) =>
      watchCaseType(one, (call, work) => this.#call(process, call, work)),
    );
    const worker = createWorker({
      store: process.reach(this.store),
      registry: registryOf(cases),
      ports: process.ports,
      name: process.name,
      host: "test",
      build: "test",
      leaseMs: LEASE_MS,
      onFailpoint: (point, place) => this.#onFailpoint(process, point, place),
      onReport: (report) => this.#onReport(process, report),
    });
    worker.start().catch((error: unknown) => {
      this.#bug ??= { error };
    });
  }

  #onReport({ name }: TestProcess, report: Report): void {
    if (report.kind === "bug") this.#bug ??= { error: report.error };
    if (report.kind === "claimLost") this.tell(`${name} learns that its claim was lost`);
    if (report.kind === "claimFreed") this.tell("the sweep frees the claim of the lost worker");
    if (report.kind === "lateReport")
      this.tell(`${name} reports late on ${this.named(report.caseId, report.step)}`);
  }

  async #onEntry(caseId: string, { entry }: JournalEntry): Promise<void> {
    if (entry.kind === "caseStarted") {
      this.#cases.set(caseId, { caseType: entry.caseType, isChild: (entry.parent ?? null) !== null });
    }
    const text = tellEntry(entry);
    if (text !== null) this.tell(this.named(caseId, text));
    if (entry.kind === "attemptOpened" || entry.kind === "stepConfirmed" || entry.kind === "stepUndone") {
      this.#release({ caseId, step: entry.step });
    }
    await this.#listener(caseId, entry);
  }

  async #onFailpoint(process: TestProcess, point: Failpoint, place: FailpointPlace): Promise<void> {
    const { caseId, step } = place;
    this.passages.push({ point, caseId, step });
    const fault = this.#take(place, (one) =>
      one.kind === "crash" ? one.point === point : one.kind === "lateAnswer" && point === "afterSend",
    );
    if (fault === null) return;
    if (fault.kind === "crash") {
      // What the process has sent is on its way: it arrives, and nobody hears the answer.
      await this.time.settle();
      process.kill();
      this.tell(`${process.name} is killed (${point} of ${this.named(caseId, step)})`);
      this.#replace();
    } else this.#stop(process, place, "with the answer in its hands");
    await process.awake();
    this.tell(`${process.name} goes on, late`);
  }

  async #call<T>(process: TestProcess, call: UserCall, work: () => Promise<T>): Promise<T> {
    const isLate = call.kind === "run" && this.#takes("lateSend", call);
    if (isLate) {
      this.#stop(process, call, "as it calls run");
      await process.awake();
      // Its timers had their turn: a deadline that passed meanwhile has aborted the signal.
      await process.ports.clock.sleep(1);
      this.tell(`${process.name} goes on, late`);
    }
    return this.time.call((inTime) => {
      const tell = (what: string): void => this.tell(what);
      const onEffect = (effect: SeenEffect): void => void this.effects.push(effect);
      const meetsRival = (by: Idempotency["by"]): boolean => this.#meetsRival(call, by);
      const holdsRequest = (arrive: () => unknown): boolean => this.#holdsRequest(call, arrive);
      const current = { call, time: this.time, inTime, tell, onEffect, meetsRival, holdsRequest };
      return within(current, () => (call.kind === "run" ? this.#run(process, call, work) : work()));
    });
  }

  async #run<T>({ name }: TestProcess, call: UserCall, work: () => Promise<T>): Promise<T> {
    const { caseId, attempt, idempotencyKey } = call;
    const step = this.named(caseId, call.step);
    this.tell(`${name} calls run of ${step}, attempt ${attempt}, key ${idempotencyKey ?? "none"}`);
    let value: T;
    try {
      this.#meetRefusal(call);
      value = await work();
    } catch (error) {
      this.executions.push({ call, ended: { kind: "threw" } });
      this.tell(`run of ${step} throws: ${error instanceof Error ? error.message : String(error)}`);
      throw error;
    }
    this.executions.push({ call, ended: { kind: "gave", value } });
    this.tell(`run of ${step} gives ${shown(value)}`);
    if (!this.#takes("answerLost", call)) return value;
    this.tell(`the answer is lost on its way to ${name}`);
    throw Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET", syscall: "read" });
  }

  /** Throws what a client throws that is answered so; the step's own code is not called. */
  #meetRefusal(of: StepOfCase): void {
    const fault = this.#take(of, ({ kind }) => kind === "refused");
    if (fault?.kind !== "refused") return;
    const destination = this.#outlineOf(of)?.destination.name ?? of.step;
    const refusal = refusalOf(fault.how, destination);
    this.tell(`${destination} answers ${refusal.status} (${fault.how})`);
    throw refusal;
  }

  /** Asked for each request to a fake destination, and so counts them. */
  #meetsRival(call: UserCall, by: Idempotency["by"]): boolean {
    this.requests.push({ caseId: call.caseId, step: call.step, by });
    return (by === "unique" || by === "if-match") && this.#takes("rival", call);
  }

  #holdsRequest(call: UserCall, arrive: () => unknown): boolean {
    if (!this.#takes("lateRequest", call)) return false;
    const { caseId, step } = call;
    this.tell(`the connection breaks, and the request of ${this.named(caseId, step)} is still on its way`);
    const outline = this.#outlineOf(call);
    const latestMs = outline === null ? 0 : outline.deadlineMs + outline.destination.requestAgeMs - 1;
    this.#held.set(`${caseId} ${step}`, { arrive, latestAt: this.time.now + latestMs });
    this.time.after(latestMs, () => this.#release(call));
    return true;
  }

  /** What was on its way arrives. */
  #release({ caseId, step }: StepOfCase): void {
    const held = this.#held.get(`${caseId} ${step}`);
    if (held === undefined) return;
    this.#held.delete(`${caseId} ${step}`);
    this.tell(`the request of ${this.named(caseId, step)} that was on its way arrives`);
    try {
      held.arrive();
    } catch (error) {
      this.tell(`it is refused: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  #takes(kind: "answerLost" | "lateSend" | "lateRequest" | "rival", of: StepOfCase): boolean {
    return this.#take(of, (one) => one.kind === kind) !== null;
  }

  /** Takes out the fault that is planned for this step and `fits`; null = none. */
  #take({ caseId, step }: StepOfCase, fits: (fault: PlannedFault) => boolean): PlannedFault | null {
    const known = this.#cases.get(caseId);
    return this.faults.take(
      (one) =>
        one.step === step && (one.caseType === undefined || one.caseType === known?.caseType) && fits(one),
    );
  }

  #stop(process: TestProcess, of: StepOfCase, when: string): void {
    const forMs = this.#lateMs(of);
    process.stop(forMs);
    this.#watchedUntil = Math.max(this.#watchedUntil, this.time.now + forMs + WATCHED_MS);
    this.tell(`${process.name} is stopped ${when}, for ${forMs / 1_000} s`);
    this.#replace();
  }

  /** Longer than its lease, and than anything that it sent can still arrive as far as the definition says. */
  #lateMs(of: StepOfCase): number {
    const outline = this.#outlineOf(of);
    if (outline === null) return LEASE_MS + LATE_BEYOND_MS;
    const { readLagMs, requestAgeMs } = outline.destination;
    return outline.deadlineMs + readLagMs + requestAgeMs + LEASE_MS + LATE_BEYOND_MS;
  }

  #outlineOf({ caseId, step }: StepOfCase): SendStepOutline | null {
    const known = this.#cases.get(caseId);
    const caseType = known === undefined ? null : this.#registry.find(known.caseType);
    const found = caseType === null ? null : findStep(caseType.outline, step);
    return found?.kind === "step" ? found : null;
  }

  #replace(): void {
    this.time.after(REPLACED_AFTER_MS, () => this.#startWorker());
  }
}

/** Characters of a value in a trace. */
const SHOWN_CHARS_MAX = 120;

function shown(value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    text = undefined;
  }
  return (text ?? String(value)).slice(0, SHOWN_CHARS_MAX);
}
