/** Schedules and the records of their slots, in PostgreSQL. */

import { invariant } from "../../core/errors.ts";
import type { Actor } from "../../core/journal.ts";
import {
  SCHEDULES_LIST_MAX,
  SLOTS_FORGET_MAX,
  type LockedSchedule,
  type ScheduleChange,
  type ScheduleState,
  type ScheduleStore,
  type ScheduleTarget,
  type SlotOutcome,
  type SlotRecord,
  type SlotStart,
  type StoredSchedule,
  type StoredSlot,
} from "../schedule-port.ts";
import { shardOf } from "./case-lock.ts";
import type { Database, Parameter } from "./database.ts";

interface ScheduleColumns {
  readonly name: string;
  readonly state: ScheduleState;
  readonly seen_at: number;
}

interface SlotColumns {
  readonly schedule: string;
  readonly slot_key: string;
  readonly slot_at: number;
  readonly last_at: number;
  readonly slots: number;
  readonly outcome: SlotOutcome;
  readonly start: SlotStart | null;
  readonly by: Actor | null;
  readonly decided_at: number;
}

/** Makes it over the store's own pool. */
export function postgresSchedules(database: Database): ScheduleStore {
  return {
    list: () => database.guarded(() => list(database, null)),
    load: (name) => database.guarded(async () => (await list(database, name))[0] ?? null),
    change: (target, decide) => database.guarded(() => change(database, target, decide)),
    see: (names) =>
      database.guarded(async () => {
        await database.run("see_schedules", [names]);
      }),
    listSlots: ({ schedule, outcome, after, limit }) =>
      database.guarded(async () => {
        const place = [after?.slotAt ?? null, after?.slotKey ?? null] as const;
        const rows = await database.run<SlotColumns>("list_slots", [schedule, outcome, ...place, limit]);
        return rows.map(toSlot);
      }),
    forgetSlots: (decidedBefore) =>
      database.guarded(
        async () => (await database.run("forget_slots", [decidedBefore, SLOTS_FORGET_MAX])).length,
      ),
  };
}

async function list(database: Database, name: string | null): Promise<readonly StoredSchedule[]> {
  const rows = await database.run<ScheduleColumns>("list_schedules", [name, SCHEDULES_LIST_MAX]);
  return rows.map(({ seen_at, ...same }) => ({ ...same, seenAt: seen_at }));
}

async function change<Reply>(
  database: Database,
  { name, slotKey, caseId }: ScheduleTarget,
  decide: (locked: LockedSchedule) => ScheduleChange<Reply>,
): Promise<Reply> {
  return database.transact("begin_change", async (session) => {
    const [row] = await session.run<{ readonly state: ScheduleState | null; readonly now: number }>(
      "lock_schedule",
      [name],
    );
    invariant(row !== undefined, "lock_schedule returned no row");
    const [slot] = slotKey === null ? [] : await session.run<SlotColumns>("load_slot", [name, slotKey]);
    const { state, now } = row;
    const cases = caseId === undefined ? [] : await session.run("has_case", [shardOf(caseId), caseId]);
    const hasCase = cases.length > 0;
    const changed = decide({ state, slot: slot === undefined ? null : toSlot(slot), hasCase, now });
    if (changed.state !== null) await session.run("write_schedule", [name, JSON.stringify(changed.state)]);
    if (changed.slots.length > 0) await session.run("write_slots", slotParameters(name, changed.slots));
    return changed.reply;
  });
}

function slotParameters(name: string, slots: readonly SlotRecord[]): readonly Parameter[] {
  return [
    name,
    slots.map(({ slotKey }) => slotKey),
    slots.map(({ slotAt }) => slotAt),
    slots.map(({ lastAt }) => lastAt),
    slots.map((one) => one.slots),
    slots.map(({ outcome }) => JSON.stringify(outcome)),
    slots.map(({ start }) => (start === null ? null : JSON.stringify(start))),
    slots.map(({ by }) => (by === null ? null : JSON.stringify(by))),
  ];
}

function toSlot(row: SlotColumns): StoredSlot {
  const { slot_key, slot_at, last_at, decided_at, ...same } = row;
  return { ...same, slotKey: slot_key, slotAt: slot_at, lastAt: last_at, decidedAt: decided_at };
}
