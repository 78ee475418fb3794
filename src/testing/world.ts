/** A test world, as tests use it. */

import type { CaseType } from "../define/case-type.ts";
import { localTime } from "../define/cron.ts";
import { parseDuration, type Duration } from "../define/duration.ts";
import type { Schedule } from "../define/schedule.ts";
import { FootholdError } from "../core/errors.ts";
import type { AccessReply } from "../desk/access.ts";
import type { Desk } from "../desk/desk.ts";
import type { Failpoint } from "../engine/failpoints.ts";
import type { CaseSummary } from "../core/row.ts";
import type { StoredRow } from "../store/port.ts";
import { fail, journalOf, standing, type CaseJournal } from "./case-journal.ts";
import { Stage, type TraceLine } from "./stage.ts";
import { PATIENCE_MS, START_AT } from "./virtual-time.ts";

/** What a world is made of. */
export interface TestWorldOptions {
  /** The case types that it can start. */
  readonly cases: readonly CaseType[];
  /** What starts them by the clock, from the first time on that anything runs. Default: nothing does. */
  readonly schedules?: readonly Schedule[];
  /** Epoch ms at which its time begins. Default 2027-01-15T08:00:00Z. */
  readonly startAt?: number;
  /**
   * How long your functions may take in real time before virtual time goes on beside them, and so their deadline can
   * pass. Default 5 s.
   */
  readonly patience?: Duration;
}

/** A case that a schedule started. */
export interface ScheduledCase {
  readonly caseId: string;
  /** Its slot, epoch ms. */
  readonly slotAt: number;
  /** The same on the clocks of the schedule's time zone, such as `2027-01-18T09:00`. */
  readonly localTime: string;
}

/** The real engine on the memory store, under a clock that moves only when you say so. Nothing needs to be closed. */
export interface TestWorld {
  /** Everything people can do, under the same clock. */
  readonly desk: Desk;
  /** Virtual time, epoch ms. */
  readonly now: number;
  /** What happened, oldest first, with virtual times. At most 2,000 lines. */
  readonly trace: readonly TraceLine[];
  /** Starts a case and gives its id. Nothing runs before one of the `run…` functions, or `advance`. */
  start<Input>(
    caseType: CaseType<Input>,
    input: Input,
    options?: { readonly businessKey?: string },
  ): Promise<string>;
  /** Runs what can go on now. No time passes beyond what calls under way need: retries, sleeps and people stay waited for. */
  runUntilIdle(): Promise<void>;
  /**
   * Runs one case, skipping the time of retries, checks and probes, until it has ended or waits for something else: an
   * approval, an event, a sleep, a person. A child that it waits for is run on, sleeps included, until that needs people or
   * events.
   */
  runToNextWait(caseId: string): Promise<CaseJournal>;
  /**
   * Runs one case to its end, sleeps included. Throws `AssertionError` when it needs an approval, an event or a person, or when its key
   * holds it back behind a case that does.
   */
  runToEnd(caseId: string): Promise<CaseJournal>;
  /** Lets time pass; whatever becomes due meanwhile runs at its time. */
  advance(time: Duration): Promise<void>;
  /** The same up to a time, epoch ms. What is past lets none pass. */
  advanceTo(at: number): Promise<void>;
  /** The cases that a schedule started, oldest slot first; of the newest 5,000 slots. Throws `SCHEDULE_NOT_FOUND`. */
  startedBy(schedule: string): Promise<readonly ScheduledCase[]>;
  /** Answers the approval `step`, with what its form asks for. */
  approve(
    caseId: string,
    step: string,
    answer?: { readonly form?: unknown; readonly by?: string },
  ): Promise<void>;
  /** Refuses the approval `step`. */
  reject(
    caseId: string,
    step: string,
    answer?: { readonly note?: string; readonly by?: string },
  ): Promise<void>;
  /** Gives the case an event. The same `sourceId` counts once; drawn when left out. */
  sendEvent(
    caseId: string,
    eventType: string,
    payload: unknown,
    options?: { readonly sourceId?: string },
  ): Promise<void>;
  /** Lets the case go on after a review; `step`: only that one. */
  resume(caseId: string, options?: { readonly step?: string; readonly by?: string }): Promise<void>;
  /** Replaces the input of the case. */
  correctInput(caseId: string, input: unknown, options?: { readonly reason?: string }): Promise<void>;
  /**
   * Says that the access to a destination is there again: one case that waits for it is tried, and the others go on where
   * it is let in. Time passes until that is known. `credentialId`: needed where several are in use there.
   */
  restoreAccess(
    destination: string,
    options?: { readonly credentialId?: string; readonly by?: string },
  ): Promise<AccessReply>;
  /**
   * The worker that next comes to this failpoint of this step dies there; another one starts a second later and takes
   * over once the sweep has freed the claim.
   */
  crashAt(point: Failpoint, step: string): void;
  /** The next answer that `run` of this step gives is lost: the engine sees a connection that broke. */
  loseAnswer(step: string): void;
  /**
   * Puts other definitions in the place of those that the world has, as a deploy does: from now on people and the worker know
   * these only. What the worker was doing is lost with it. `schedules`: in the place of those that it has; these, when left out.
   * Throws `INVALID_DEFINITION`.
   */
  deploy(cases: readonly CaseType[], options?: { readonly schedules?: readonly Schedule[] }): void;
  /** What the case has come to. Throws `CASE_NOT_FOUND`. */
  journal(caseId: string): Promise<CaseJournal>;
}

/** Longest time that a `run…` function skips in all, in ms: 400 days. */
const SKIP_MS_MAX = 400 * 86_400_000;
/** Pages of slots that are read for one answer, of 50 slots each. */
const SLOT_PAGES_MAX = 100;
const BY = "test";

/** Makes a world. Throws `INVALID_DEFINITION` with all faults of its case types. */
export function createTestWorld(options: TestWorldOptions): TestWorld {
  const { cases, schedules = [], startAt = START_AT, patience = PATIENCE_MS } = options;
  return new World(new Stage({ cases, schedules, startAt, patienceMs: parseDuration(patience) }));
}

/** Whether a case that waits so ends a run of it. */
type IsWait = (summary: CaseSummary) => boolean;

class World implements TestWorld {
  readonly #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  get desk(): Desk {
    return this.#stage.desk;
  }

  get now(): number {
    return this.#stage.time.now;
  }

  get trace(): readonly TraceLine[] {
    return this.#stage.trace;
  }

  async start<Input>(
    caseType: CaseType<Input>,
    input: Input,
    options: { readonly businessKey?: string } = {},
  ): Promise<string> {
    const { caseId } = await this.desk.startCase(caseType, input, { by: BY, ...options });
    return caseId;
  }

  async runUntilIdle(): Promise<void> {
    await this.#stage.runUntil(() => this.#isIdle(), this.now + SKIP_MS_MAX);
  }

  async #isIdle(): Promise<boolean> {
    const [claims, counts, hasUntold] = await Promise.all([
      this.#stage.store.listClaims(1),
      this.#stage.store.countCases(),
      this.#stage.hasUntold(),
    ]);
    return claims.length === 0 && !hasUntold && counts.every(({ due }) => due === 0);
  }

  async runToNextWait(caseId: string): Promise<CaseJournal> {
    return this.#run(caseId, ({ waits }) => !waits.some(isOwn));
  }

  async runToEnd(caseId: string): Promise<CaseJournal> {
    const journal = await this.#run(
      caseId,
      ({ waits }) => !waits.some((one) => isOwn(one) || one.kind === "timer"),
    );
    if (journal.state === "done" || journal.state === "canceled") return journal;
    return fail(
      journal,
      `it does not reach its end by itself: ${standing(journal)}`,
      journal.state,
      "done or canceled",
    );
  }

  /** Runs until the case has ended, or rests as `isWait` says. */
  async #run(caseId: string, isWait: IsWait): Promise<CaseJournal> {
    await this.#row(caseId);
    await this.#stage.runUntil(async () => {
      const row = await this.#row(caseId);
      switch (row.state) {
        case "done":
        case "canceled":
        case "in_review":
          return true;
        case "paused":
        case "waiting":
          return this.#rests(row, isWait) || (await this.#isBehind(row, isWait));
        case "ready":
          return this.#isBehind(row, isWait);
        case "claimed":
          return false;
      }
    }, this.now + SKIP_MS_MAX);
    return this.journal(caseId);
  }

  #rests({ state, dueAt, summary }: StoredRow, isWait: IsWait): boolean {
    if (state === "in_review") return true;
    return state !== "claimed" && (dueAt === null || dueAt > this.now) && isWait(summary);
  }

  /** True where its key holds it back, and every case that has a place rests until somebody acts on it. */
  async #isBehind({ tenant, caseType, heldSinceAt, summary }: StoredRow, isWait: IsWait): Promise<boolean> {
    const { concurrencyKey: key } = summary;
    if (heldSinceAt === undefined || key === undefined) return false;
    const [reading] = await this.#stage.store.places.read([{ tenant, caseType, key }]);
    const holders = await Promise.all((reading?.held ?? []).map(async ({ caseId }) => this.#row(caseId)));
    return holders.length > 0 && holders.every((one) => one.state !== "ready" && this.#rests(one, isWait));
  }

  async #row(caseId: string): Promise<StoredRow> {
    const stored = await this.#stage.store.loadCase(caseId);
    if (stored !== null) return stored.row;
    throw new FootholdError("CASE_NOT_FOUND", `There is no case ${caseId} in this test world.`);
  }

  async advance(time: Duration): Promise<void> {
    await this.advanceTo(this.now + parseDuration(time));
  }

  async advanceTo(untilAt: number): Promise<void> {
    await this.#stage.runUntil(() => Promise.resolve(false), untilAt);
    this.#stage.time.leap(untilAt);
    await this.#stage.runUntil(() => this.#isIdle(), untilAt);
  }

  async approve(
    caseId: string,
    step: string,
    { form, by = BY }: { readonly form?: unknown; readonly by?: string } = {},
  ): Promise<void> {
    await this.desk.answerApproval(caseId, { step, approved: true, form, by });
  }

  async reject(
    caseId: string,
    step: string,
    { note, by = BY }: { readonly note?: string; readonly by?: string } = {},
  ): Promise<void> {
    await this.desk.answerApproval(caseId, { step, approved: false, note, by });
  }

  async sendEvent(
    caseId: string,
    eventType: string,
    payload: unknown,
    { sourceId }: { readonly sourceId?: string } = {},
  ): Promise<void> {
    await this.desk.recordEvent(caseId, { eventType, payload, sourceId });
  }

  async resume(
    caseId: string,
    { step, by = BY }: { readonly step?: string; readonly by?: string } = {},
  ): Promise<void> {
    await this.desk.resume(caseId, { step, by });
  }

  async correctInput(
    caseId: string,
    input: unknown,
    { reason = "corrected in a test" }: { readonly reason?: string } = {},
  ): Promise<void> {
    await this.desk.correctInput(caseId, { input, by: BY, reason });
  }

  async restoreAccess(
    destination: string,
    { credentialId, by = BY }: { readonly credentialId?: string; readonly by?: string } = {},
  ): Promise<AccessReply> {
    // The desk looks every while whether a worker was let in: without time it would wait for ever.
    const act = (): Promise<AccessReply> => this.desk.restoreAccess({ destination, credentialId, by });
    return this.#stage.runBeside(act, this.now + SKIP_MS_MAX);
  }

  crashAt(point: Failpoint, step: string): void {
    this.#stage.faults.add({ kind: "crash", point, step });
  }

  loseAnswer(step: string): void {
    this.#stage.faults.add({ kind: "answerLost", step });
  }

  async startedBy(schedule: string): Promise<readonly ScheduledCase[]> {
    const started: ScheduledCase[] = [];
    let after: string | undefined;
    for (let pages = 0; pages < SLOT_PAGES_MAX; pages += 1) {
      const { slots, timeZone, next } = await this.desk.showSchedule(schedule, { after });
      for (const { outcome, caseId, slotAt } of slots) {
        if (outcome !== "started" || caseId === null) continue;
        started.push({ caseId, slotAt, localTime: localTime(slotAt, timeZone) });
      }
      if (next === null) break;
      after = next;
    }
    return started.toReversed();
  }

  deploy(cases: readonly CaseType[], { schedules }: { readonly schedules?: readonly Schedule[] } = {}): void {
    this.#stage.deploy(cases, schedules);
  }

  async journal(caseId: string): Promise<CaseJournal> {
    await this.#row(caseId);
    const stored = await this.#stage.store.loadCase(caseId);
    if (stored === null) throw new FootholdError("CASE_NOT_FOUND", `There is no case ${caseId}.`);
    return journalOf(stored);
  }
}

/** A wait that the engine ends by itself and that is no part of the case's own course. */
function isOwn({ kind }: { readonly kind: StoredRow["summary"]["waits"][number]["kind"] }): boolean {
  // A child is run on with its parent, as far as it goes without people.
  if (kind === "child") return true;
  return kind === "retry" || kind === "check" || kind === "probe" || kind === "poll" || kind === "held";
}
