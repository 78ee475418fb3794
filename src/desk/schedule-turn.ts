/** What a turn at a schedule writes: its slots up to now decided, and the case of each fixed before it is started. Pure. */

import { canonicalJson } from "../core/json.ts";
import {
  decideSlots,
  isPauseOver,
  type ScheduleOutline,
  type ScheduleStanding,
  type SkippedSlots,
  type SlotCalendar,
} from "../core/schedule.ts";
import type { ScheduleBook, ScheduleSetup } from "../define/schedule.ts";
import type {
  LockedSchedule,
  OpenSlot,
  ScheduleChange,
  ScheduleState,
  SlotOutcome,
  SlotRecord,
  SlotStart,
} from "../store/schedule-port.ts";

/**
 * How long an outline of a process that started later holds although no process declares it any more, in ms: then an older
 * process that is still there goes on with its own.
 */
export const OUTLINE_HOLDS_MS = 180_000;

/** What the shell saw before the lock, and the ids that it drew. */
export interface Turn {
  readonly setup: ScheduleSetup;
  readonly readCalendar: ScheduleBook["readCalendar"];
  /** When this process started, by the store's clock. */
  readonly declaredAt: number;
  /** When a process was last seen that declares the stored outline; null = the schedule is new. */
  readonly seenAt: number | null;
  /** Whether the case that was started last is open, as it was read before the lock. */
  readonly lastCase: { readonly caseId: string | null; readonly isOpen: boolean };
  /** Fixes the case of a slot, or says why there can be none. */
  readonly fix: (
    slot: Pick<OpenSlot, "slotKey" | "slotAt">,
  ) => SlotStart | Extract<SlotOutcome, { kind: "refused" }>;
}

/** What a turn came to. */
export type TurnReply =
  | { readonly kind: "decided"; readonly open: readonly OpenSlot[] }
  /** A process that started later declares the schedule otherwise. */
  | { readonly kind: "behind" }
  /** What was seen before the lock is out of date. */
  | { readonly kind: "again" };

/** True for two outlines that say the same. */
export function isSameOutline(one: ScheduleOutline, other: ScheduleOutline): boolean {
  return canonicalJson({ ...one }) === canonicalJson({ ...other });
}

/** True where a process leaves a schedule to another one, which started later and declares it otherwise. */
export function isBehind(
  { outline, declaredAt }: ScheduleState,
  mine: { readonly outline: ScheduleOutline; readonly declaredAt: number },
  seen: { readonly seenAt: number | null; readonly now: number },
): boolean {
  if (declaredAt <= mine.declaredAt || isSameOutline(outline, mine.outline)) return false;
  return seen.seenAt !== null && seen.now - seen.seenAt < OUTLINE_HOLDS_MS;
}

/** Decides the slots of a schedule under its lock. */
export function takeTurn({ state, now }: LockedSchedule, turn: Turn): ScheduleChange<TurnReply> {
  const { setup, declaredAt, seenAt, lastCase } = turn;
  if (state !== null && isBehind(state, { outline: setup.outline, declaredAt }, { seenAt, now })) {
    return { state: null, slots: [], reply: { kind: "behind" } };
  }
  if (state !== null && state.lastCaseId !== lastCase.caseId) {
    return { state: null, slots: [], reply: { kind: "again" } };
  }
  const { calendar, outline } = setup;
  const dueBy = calendarUntilNow(state, turn);
  const standing = standingOf(state, lastCase.isOpen);
  const decision = decideSlots({ rule: outline, standing, dueBy, calendar, now });
  const fixed = decision.starts.map((slotAt) =>
    recordStart({ slotKey: slotKeyOf(slotAt), slotAt }, turn.fix),
  );
  const open = [...(state?.open ?? []), ...fixed.flatMap((one) => (one.open === null ? [] : [one.open]))];
  return {
    state: {
      outline,
      declaredAt: Math.max(declaredAt, state?.declaredAt ?? declaredAt),
      decidedUntilAt: decision.decidedUntilAt,
      nextAt: decision.nextAt,
      waiting: decision.waiting,
      open,
      pause: pauseAt(state, now),
      lastCaseId: state?.lastCaseId ?? null,
      lastSlotAt: state?.lastSlotAt ?? null,
    },
    slots: [...decision.skipped.map(recordSkipped), ...fixed.map(({ record }) => record)],
    reply: { kind: "decided", open },
  };
}

/** The pause that a schedule is in; null = none, or it is over. */
function pauseAt(state: ScheduleState | null, now: number): ScheduleState["pause"] {
  const pause = state?.pause ?? null;
  return pause === null || isPauseOver(pause, now) ? null : pause;
}

/** What is due was due by what was declared before. */
function calendarUntilNow(state: ScheduleState | null, { setup, readCalendar }: Turn): SlotCalendar {
  if (state === null) return setup.calendar;
  const { cron, timeZone } = state.outline;
  if (cron === setup.outline.cron && timeZone === setup.outline.timeZone) return setup.calendar;
  const read = readCalendar(cron, timeZone);
  return read.kind === "calendar" ? read.calendar : setup.calendar;
}

/** How a schedule stands before a decision. */
export function standingOf(state: ScheduleState | null, isLastCaseOpen: boolean): ScheduleStanding {
  if (state === null) {
    return { decidedUntilAt: null, waiting: [], pause: null, isCaseOpen: false };
  }
  const { decidedUntilAt, waiting, pause, open } = state;
  return { decidedUntilAt, waiting, pause, isCaseOpen: isLastCaseOpen || open.length > 0 };
}

/** Names a slot of the calendar within its schedule. */
export function slotKeyOf(slotAt: number): string {
  return String(slotAt);
}

/** Slots that were left out, as they are recorded. */
export function recordSkipped({ firstAt, lastAt, slots, why }: SkippedSlots): SlotRecord {
  const slotKey = firstAt === lastAt ? slotKeyOf(firstAt) : `${slotKeyOf(firstAt)}-${slotKeyOf(lastAt)}`;
  const outcome = { kind: "skipped", why } as const;
  return { slotKey, slotAt: firstAt, lastAt, slots, outcome, start: null, by: null };
}

function recordStart(
  named: Pick<OpenSlot, "slotKey" | "slotAt">,
  fix: Turn["fix"],
): { readonly record: SlotRecord; readonly open: OpenSlot | null } {
  const fixed = fix(named);
  const slot = { ...named, by: null };
  if ("kind" in fixed) return { record: recordOf({ ...slot, start: null }, fixed), open: null };
  const open = { ...slot, start: fixed };
  return { record: recordOf(open, { kind: "starting" }), open };
}

/** The record of one slot. */
export function recordOf(
  { slotKey, slotAt, start, by }: Omit<OpenSlot, "start"> & Pick<SlotRecord, "start">,
  outcome: SlotOutcome,
): SlotRecord {
  return { slotKey, slotAt, lastAt: slotAt, slots: 1, outcome, start, by };
}

/**
 * What came of the start of a slot. That a case was started holds, whatever was recorded meanwhile; but only where the case
 * is: a failover may have lost it after it was told, and then the slot is still to be started.
 */
export function settleSlot(
  { state, slot, hasCase }: LockedSchedule,
  settled: { readonly open: OpenSlot; readonly outcome: SlotOutcome },
): ScheduleChange<null> {
  const { open, outcome } = settled;
  const leave = { state: null, slots: [], reply: null };
  if (state === null || (outcome.kind === "started" && !hasCase)) return leave;
  const isOpen = state.open.some(({ slotKey }) => slotKey === open.slotKey);
  const isNews = outcome.kind === "started" && slot?.outcome.kind !== "started";
  if (!isOpen && !isNews) return leave;
  return {
    state: {
      ...state,
      open: state.open.filter(({ slotKey }) => slotKey !== open.slotKey),
      ...(outcome.kind === "started" ? { lastCaseId: open.start.caseId, lastSlotAt: open.slotAt } : {}),
    },
    slots: [recordOf(open, outcome)],
    reply: null,
  };
}
