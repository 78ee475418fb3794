/** Schedules and the records of their slots, in memory. */

import {
  SCHEDULES_LIST_MAX,
  SLOTS_FORGET_MAX,
  type LockedSchedule,
  type ScheduleChange,
  type ScheduleStore,
  type ScheduleTarget,
  type SlotFilter,
  type SlotPlace,
  type StoredSchedule,
  type StoredSlot,
} from "../schedule-port.ts";
import { frozenCopy } from "./frozen.ts";
import { refill } from "./holders.ts";

/** What is kept of schedules. */
export class MemorySchedules {
  readonly #now: () => number;
  readonly #hasCase: (caseId: string) => boolean;
  readonly #schedules = new Map<string, StoredSchedule>();
  /** By schedule and slot key. */
  readonly #slots = new Map<string, StoredSlot>();

  constructor(now: () => number, hasCase: (caseId: string) => boolean) {
    this.#now = now;
    this.#hasCase = hasCase;
  }

  get store(): ScheduleStore {
    return {
      list: async () => this.#list(),
      load: async (name) => this.#schedules.get(name) ?? null,
      change: async (target, decide) => this.#change(target, decide),
      see: async (names) => this.#see(names),
      listSlots: async (filter) => this.#listSlots(filter),
      forgetSlots: async (decidedBefore) => this.#forgetSlots(decidedBefore),
    };
  }

  /** Takes what is known now; the function given makes it so again. */
  replicate(): () => void {
    const [schedules, slots] = [[...this.#schedules], [...this.#slots]];
    return () => {
      refill(this.#schedules, schedules);
      refill(this.#slots, slots);
    };
  }

  #list(): readonly StoredSchedule[] {
    return [...this.#schedules.values()]
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
      .slice(0, SCHEDULES_LIST_MAX);
  }

  #change<Reply>(
    { name, slotKey, caseId }: ScheduleTarget,
    decide: (locked: LockedSchedule) => ScheduleChange<Reply>,
  ): Reply {
    const now = this.#now();
    const stored = this.#schedules.get(name) ?? null;
    const slot = slotKey === null ? null : (this.#slots.get(keyOf(name, slotKey)) ?? null);
    const hasCase = caseId !== undefined && this.#hasCase(caseId);
    const { state, slots, reply } = decide({ state: stored?.state ?? null, slot, hasCase, now });
    if (state !== null) this.#schedules.set(name, frozenCopy({ name, state, seenAt: stored?.seenAt ?? now }));
    for (const one of slots) {
      const key = keyOf(name, one.slotKey);
      const before = this.#slots.get(key);
      if (before?.outcome.kind === "started") continue;
      const { slotAt, lastAt, slots: count } = before ?? one;
      this.#slots.set(
        key,
        frozenCopy({ ...one, slotAt, lastAt, slots: count, schedule: name, decidedAt: now }),
      );
    }
    return reply;
  }

  #see(names: readonly string[]): void {
    for (const name of names) {
      const stored = this.#schedules.get(name);
      if (stored === undefined) continue;
      const seenAt = Math.max(stored.seenAt, this.#now());
      this.#schedules.set(name, frozenCopy({ ...stored, seenAt }));
    }
  }

  #listSlots({ schedule, outcome, after, limit }: SlotFilter): readonly StoredSlot[] {
    return [...this.#slots.values()]
      .filter((one) => schedule === null || one.schedule === schedule)
      .filter((one) => outcome === null || one.outcome.kind === outcome)
      .filter((one) => after === null || comparePlaces(after, one) < 0)
      .toSorted(comparePlaces)
      .slice(0, limit);
  }

  #forgetSlots(decidedBefore: number): number {
    const old = [...this.#slots].filter(
      ([, one]) => one.decidedAt < decidedBefore && one.outcome.kind !== "starting",
    );
    const forgotten = old
      .toSorted(([, one], [, other]) => one.decidedAt - other.decidedAt)
      .slice(0, SLOTS_FORGET_MAX);
    for (const [key] of forgotten) this.#slots.delete(key);
    return forgotten.length;
  }
}

/** Newest first, those of one time by their keys. */
function comparePlaces(one: SlotPlace, other: SlotPlace): number {
  if (one.slotAt !== other.slotAt) return other.slotAt - one.slotAt;
  return one.slotKey === other.slotKey ? 0 : one.slotKey < other.slotKey ? -1 : 1;
}

function keyOf(schedule: string, slotKey: string): string {
  return JSON.stringify([schedule, slotKey]);
}
