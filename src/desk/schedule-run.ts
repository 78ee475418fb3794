/**
 * Runs schedules. Any number of processes may do so at once: each turn at a schedule is made under its lock, and fixes the
 * case of a slot before it is started. A process that dies in between leaves the slot open, and the next one starts that very
 * case.
 */

import { isFootholdError } from "../core/errors.ts";
import { isPauseOver, type ScheduleOutline } from "../core/schedule.ts";
import type { ScheduleSetup } from "../define/schedule.ts";
import type { StoredSchedule } from "../store/schedule-port.ts";
import type { DeskParts } from "./desk-parts.ts";
import { isBehind, isSameOutline, takeTurn, type TurnReply } from "./schedule-turn.ts";
import { fixStart, startOpenSlot } from "./slot-start.ts";

/** How often schedules are looked at, in ms. */
const LOOK_EVERY_MS = 1_000;
/** Turns side by side. */
const TURNS_AT_ONCE = 4;
/** How often a process says that it is there, in ms. */
const SEEN_EVERY_MS = 60_000;
/** How long it is on record what became of a slot, in ms. */
const SLOTS_KEEP_MS = 90 * 86_400_000;
/** How often old records are looked for, in ms. */
const FORGET_EVERY_MS = 600_000;

/** Runs schedules. */
export interface ScheduleRunner {
  /** Runs them from now on. Safe twice. */
  start(): void;
  /** Ends after the pass under way. Safe twice. */
  stop(): Promise<void>;
  /** One pass: a turn at each schedule that is due, so that none that cannot be decided keeps another waiting. */
  runOnce(): Promise<void>;
}

/** What a runner is told besides. */
export interface ScheduleRunnerOptions {
  /** Told of a pass or a turn that failed. The next one is made all the same. */
  readonly onError: (error: unknown) => void;
}

/** Makes a runner; nothing runs before `start` or `runOnce`. */
export function createScheduleRunner(parts: DeskParts, options: ScheduleRunnerOptions): ScheduleRunner {
  return new Running(parts, options);
}

class Running implements ScheduleRunner {
  readonly #parts: DeskParts;
  readonly #onError: (error: unknown) => void;
  readonly #stopped = new AbortController();
  #loop: Promise<void> | null = null;
  #declaredAt: number | null = null;
  #forgotAt = -Infinity;

  constructor(parts: DeskParts, { onError }: ScheduleRunnerOptions) {
    this.#parts = parts;
    this.#onError = onError;
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { clock } = this.#parts.ports;
    while (!this.#stopped.signal.aborted) {
      await this.runOnce().catch(this.#onError);
      await clock.sleep(LOOK_EVERY_MS, this.#stopped.signal);
    }
  }

  async runOnce(): Promise<void> {
    const { store, schedules } = this.#parts;
    if (schedules.all.length === 0) return;
    const now = await this.#parts.now();
    this.#declaredAt ??= now;
    const stored = new Map((await store.schedules.list()).map((one) => [one.name, one]));
    const due = schedules.all
      .filter((setup) => this.#isDue(setup, stored.get(setup.name) ?? null, now))
      .toSorted((one, other) => dueSince(stored.get(one.name)) - dueSince(stored.get(other.name)));
    const next = async (): Promise<void> => {
      for (let setup = due.shift(); setup !== undefined; setup = due.shift()) {
        if (this.#stopped.signal.aborted) return;
        await this.#takeTurn(setup, stored.get(setup.name) ?? null);
      }
    };
    await Promise.all(Array.from({ length: TURNS_AT_ONCE }, next));
    await this.#sayPresent(stored, now);
    await this.#forget(now);
  }

  #isDue({ outline }: ScheduleSetup, stored: StoredSchedule | null, now: number): boolean {
    if (stored === null) return true;
    const { state, seenAt } = stored;
    if (isBehind(state, { outline, declaredAt: this.#declaredAt ?? now }, { seenAt, now })) return false;
    if (state.open.length > 0) return true;
    if (state.pause !== null) return isPauseOver(state.pause, now);
    return isNewsDue(stored, outline, now) || state.waiting.length > 0;
  }

  async #takeTurn(setup: ScheduleSetup, stored: StoredSchedule | null): Promise<void> {
    try {
      const reply = await this.#decide(setup, stored);
      if (reply.kind !== "decided") return;
      const isNew = stored === null || !isSameOutline(stored.state.outline, setup.outline);
      // From now on it is this outline that the process is seen for.
      if (isNew) await this.#parts.store.schedules.see([setup.name]);
      for (const open of reply.open) await startOpenSlot(this.#parts, setup, open);
    } catch (error) {
      if (isFootholdError(error) && error.code === "DATABASE_UNAVAILABLE") throw error;
      // One schedule that cannot be decided must not keep the others.
      this.#onError(error);
    }
  }

  async #decide(setup: ScheduleSetup, stored: StoredSchedule | null): Promise<TurnReply> {
    const { store, schedules } = this.#parts;
    const caseId = stored?.state.lastCaseId ?? null;
    const doesMatter = setup.outline.overlap !== "start" && caseId !== null;
    const row = doesMatter ? await store.loadRow(caseId) : null;
    const isOpen = row !== null && row.state !== "done" && row.state !== "canceled";
    const hasNews = stored === null || isNewsDue(stored, setup.outline, await this.#parts.now());
    // What only waits for an open case is not worth a lock, second after second.
    if (isOpen && !hasNews && stored.state.open.length === 0) return { kind: "again" };
    return store.schedules.change({ name: setup.name, slotKey: null }, (locked) =>
      takeTurn(locked, {
        setup,
        readCalendar: schedules.readCalendar,
        declaredAt: this.#declaredAt ?? locked.now,
        seenAt: stored?.seenAt ?? null,
        lastCase: { caseId, isOpen },
        fix: (slot) => fixStart(this.#parts, setup, slot),
      }),
    );
  }

  async #sayPresent(stored: ReadonlyMap<string, StoredSchedule>, now: number): Promise<void> {
    const { store, schedules } = this.#parts;
    const names = schedules.all.flatMap(({ name, outline }): readonly string[] => {
      const known = stored.get(name);
      const isMine = known !== undefined && isSameOutline(known.state.outline, outline);
      return isMine && now - known.seenAt >= SEEN_EVERY_MS ? [name] : [];
    });
    if (names.length > 0) await store.schedules.see(names);
  }

  async #forget(now: number): Promise<void> {
    const { store, ports } = this.#parts;
    if (ports.clock.monotonic() - this.#forgotAt < FORGET_EVERY_MS) return;
    this.#forgotAt = ports.clock.monotonic();
    await store.schedules.forgetSlots(now - SLOTS_KEEP_MS);
  }
}

/** True where there is something to decide beside what is open and what waits. */
function isNewsDue({ state }: StoredSchedule, outline: ScheduleOutline, now: number): boolean {
  const isPauseEnding = state.pause !== null && isPauseOver(state.pause, now);
  const isSlotDue = state.nextAt !== null && state.nextAt <= now;
  return isPauseEnding || isSlotDue || !isSameOutline(state.outline, outline);
}

/** What has been due for longest goes first, and what is not known yet before all. */
function dueSince(stored: StoredSchedule | undefined): number {
  return stored?.state.nextAt ?? 0;
}
