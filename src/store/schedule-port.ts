/**
 * What a store keeps of schedules and their slots. A schedule changes under its lock, together with the records of its slots;
 * all times are epoch milliseconds by the store's clock.
 */

import type { Actor } from "../core/journal.ts";
import type { ScheduleOutline, ScheduleStop, SlotSkip } from "../core/schedule.ts";

/** What one slot starts, fixed before it is started: whoever starts it, and how often, starts this one case. */
export interface SlotStart {
  readonly caseId: string;
  /** Of the commit that begins the case. */
  readonly commitId: string;
  readonly caseType: string;
  readonly tenant: string;
  readonly businessKey: string | null;
}

/** A slot whose case is to be started. */
export interface OpenSlot {
  /** Names the slot within its schedule. */
  readonly slotKey: string;
  readonly slotAt: number;
  readonly start: SlotStart;
  /** Who ordered it; null = the schedule. */
  readonly by: Actor | null;
}

/** Who stopped a schedule, and why. */
interface SchedulePause extends ScheduleStop {
  readonly by: Actor;
  readonly why: string;
  readonly at: number;
}

/** What is kept of a schedule. */
export interface ScheduleState {
  readonly outline: ScheduleOutline;
  /** When the process started that declared the outline; of two outlines the later one holds. */
  readonly declaredAt: number;
  /** Every slot up to and including this time is decided. */
  readonly decidedUntilAt: number;
  readonly nextAt: number | null;
  /** Slots that wait for the case before, oldest first. */
  readonly waiting: readonly number[];
  readonly open: readonly OpenSlot[];
  readonly pause: SchedulePause | null;
  /** The case that it started last. */
  readonly lastCaseId: string | null;
  /** The slot of that case. */
  readonly lastSlotAt: number | null;
}

/** A schedule as stored. */
export interface StoredSchedule {
  readonly name: string;
  readonly state: ScheduleState;
  /** When a process that declares it as it is was last seen. */
  readonly seenAt: number;
}

/** What became of a slot, or of several in a row that were left out together. */
export interface SlotRecord {
  readonly slotKey: string;
  readonly slotAt: number;
  /** The last slot of several; `slotAt` where it is one. */
  readonly lastAt: number;
  /** How many; where they were too many to count, there are at least so many. */
  readonly slots: number;
  readonly outcome: SlotOutcome;
  /** What it starts, or was to; null where that was not fixed. */
  readonly start: SlotStart | null;
  /** Who ordered it, or left it out; null = the schedule. */
  readonly by: Actor | null;
}

/** What became of a slot. */
export type SlotOutcome =
  | { readonly kind: "starting" }
  | { readonly kind: "started" }
  | { readonly kind: "skipped"; readonly why: SlotSkip }
  /** Another case holds its business key. */
  | { readonly kind: "keyHeld"; readonly caseId: string }
  /** It could not be started: a person looks. */
  | { readonly kind: "refused"; readonly code: string; readonly sentence: string }
  /** A person decided that it stays without a case. */
  | { readonly kind: "leftOut"; readonly why: string };

/** A record as stored. */
export interface StoredSlot extends SlotRecord {
  readonly schedule: string;
  readonly decidedAt: number;
}

/** What a decision about a schedule writes. */
export interface ScheduleChange<Reply> {
  /** Null = as it is. */
  readonly state: ScheduleState | null;
  /** Written with it. One that says of a slot that it was started is never replaced. */
  readonly slots: readonly SlotRecord[];
  readonly reply: Reply;
}

/** What is seen under the lock of a schedule. */
export interface LockedSchedule {
  readonly state: ScheduleState | null;
  /** The record of the slot that was asked for; null = there is none, or none was asked for. */
  readonly slot: StoredSlot | null;
  /** Whether the case that was asked for is in this very database: a failover may have lost it since. */
  readonly hasCase: boolean;
  readonly now: number;
}

/** Which schedule to change, and which slot and case to look at. */
export interface ScheduleTarget {
  readonly name: string;
  readonly slotKey: string | null;
  /** Left out = none. */
  readonly caseId?: string;
}

/** The place of a record among those of its schedule: several may have one time, such as a slot that was started after all. */
export interface SlotPlace {
  readonly slotAt: number;
  readonly slotKey: string;
}

/** Which records to list, newest slot first, those of one time by their keys. */
export interface SlotFilter {
  /** Null = of all. */
  readonly schedule: string | null;
  /** Null = all. */
  readonly outcome: SlotOutcome["kind"] | null;
  /** Only what comes after this one; null = from the newest. */
  readonly after: SlotPlace | null;
  /** At most {@link SLOTS_LIST_MAX}. */
  readonly limit: number;
}

/** Schedules, as a store keeps them. Errors as in {@link Store}. */
export interface ScheduleStore {
  /** By name, at most {@link SCHEDULES_LIST_MAX}. */
  list(): Promise<readonly StoredSchedule[]>;
  load(name: string): Promise<StoredSchedule | null>;
  /** Changes a schedule under its lock. `decide` is pure; doing it again after a lost reply must do no harm. */
  change<Reply>(
    target: ScheduleTarget,
    decide: (locked: LockedSchedule) => ScheduleChange<Reply>,
  ): Promise<Reply>;
  /** Notes that a process is there that declares these as they are. */
  see(names: readonly string[]): Promise<void>;
  listSlots(filter: SlotFilter): Promise<readonly StoredSlot[]>;
  /** Deletes records decided before, at most {@link SLOTS_FORGET_MAX}; how many. */
  forgetSlots(decidedBefore: number): Promise<number>;
}

/** Schedules in one list. */
export const SCHEDULES_LIST_MAX = 2_000;
/** Records in one list. */
export const SLOTS_LIST_MAX = 200;
/** Records that one call deletes. */
export const SLOTS_FORGET_MAX = 10_000;
