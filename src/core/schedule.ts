/**
 * Schedules: which slots of a calendar become cases, which are left out and why, and when the next one comes. Pure: the
 * calendar that names the slots is handed in. A slot is the time that a schedule names, epoch ms.
 */

/** What becomes of a slot while the case that the schedule started before is open. */
export type Overlap = "start" | "skip" | "wait";

/** The slots that a schedule names, in order and without end, or to an end. */
export interface SlotCalendar {
  /** The first slot after a time; null = there is none any more. */
  next(afterAt: number): number | null;
  /** The last slot before a time; null = there was none. */
  previous(beforeAt: number): number | null;
}

/** The slot that a case was started for. */
export interface SlotRef {
  readonly schedule: string;
  /** Epoch ms; of one that a person started beside the calendar, the time of the order. */
  readonly at: number;
}

/** How a schedule treats its slots. */
export interface ScheduleRule {
  /** How many of the slots that are due together are started at most, the newest: 0 = only those that are on time. */
  readonly catchUpSlotsMax: number;
  readonly overlap: Overlap;
}

/** A schedule as it is declared: everything of it that is data. */
export interface ScheduleOutline extends ScheduleRule {
  readonly caseType: string;
  readonly tenant: string;
  readonly cron: string;
  readonly timeZone: string;
}

/** How long a schedule is stopped. */
export interface ScheduleStop {
  /** When it goes on by itself: a slot of that moment is started. Null = once somebody resumes it. */
  readonly untilAt: number | null;
}

/** What is known of a schedule when a decision is made. */
export interface ScheduleStanding {
  /** Every slot up to and including this time is decided; null = the schedule is new. */
  readonly decidedUntilAt: number | null;
  /** Slots that wait until the case before them has ended, oldest first. */
  readonly waiting: readonly number[];
  /** Null = it is not paused. */
  readonly pause: ScheduleStop | null;
  /** True while the case that it started last is open, or is being started. */
  readonly isCaseOpen: boolean;
}

/** Why a slot became no case. */
export type SlotSkip =
  /** Nobody started it in its time, and the catch-up rule leaves it out. */
  | "missed"
  /** The schedule was paused. */
  | "paused"
  /** The case before was open. */
  | "caseOpen"
  /** It waited for the case before to end, and newer ones took its place. */
  | "newerWait";

/** Slots one after the other that became no case for the same reason. */
export interface SkippedSlots {
  readonly firstAt: number;
  readonly lastAt: number;
  /** How many; {@link SKIPPED_COUNT_MAX} = so many or more. */
  readonly slots: number;
  readonly why: SlotSkip;
}

/** What is to be done about a schedule. */
export interface SlotDecision {
  readonly decidedUntilAt: number;
  /** To be started now, oldest first. */
  readonly starts: readonly number[];
  readonly waiting: readonly number[];
  readonly skipped: readonly SkippedSlots[];
  /** The next slot; null = the calendar has none, or the schedule is paused. */
  readonly nextAt: number | null;
}

/** What a decision is made from. */
export interface SlotQuestion {
  readonly rule: ScheduleRule;
  readonly standing: ScheduleStanding;
  /** By which what is due is judged: the calendar that held until now. */
  readonly dueBy: SlotCalendar;
  /** Which holds from now on; the same where nothing was changed. */
  readonly calendar: SlotCalendar;
  readonly now: number;
}

/** How late a slot may be and count as on time, in ms: a deploy takes less. */
export const SLOT_ON_TIME_MS = 60_000;
/** Slots that one decision starts at most. */
export const SLOTS_AT_ONCE_MAX = 100;
/** How far skipped slots are counted. */
export const SKIPPED_COUNT_MAX = 1_000;

/** True from the moment at which a pause ends by itself. */
export function isPauseOver({ untilAt }: ScheduleStop, now: number): boolean {
  return untilAt !== null && untilAt <= now;
}

/**
 * Since when a slot is due that nobody decides, although it would be started; null = none is. The bound is the one within which
 * a slot is on time.
 */
export function overdueSince(
  { nextAt, pause }: { readonly nextAt: number | null; readonly pause: ScheduleStop | null },
  now: number,
): number | null {
  if (pause !== null) {
    const isLate = pause.untilAt !== null && pause.untilAt + SLOT_ON_TIME_MS <= now;
    return isLate ? pause.untilAt : null;
  }
  return nextAt !== null && nextAt + SLOT_ON_TIME_MS <= now ? nextAt : null;
}

/**
 * What becomes of the slots up to now. A new schedule begins with the first slot after now; a clock that went back decides
 * nothing twice; a paused one decides nothing until its pause is over, or until {@link decideResumedSlots}.
 */
export function decideSlots(question: SlotQuestion): SlotDecision {
  const { rule, standing, dueBy, calendar, now } = question;
  const { pause } = standing;
  const fromAt = standing.decidedUntilAt ?? now;
  if (pause !== null) {
    if (pause.untilAt === null || !isPauseOver(pause, now)) {
      return { decidedUntilAt: fromAt, starts: [], waiting: standing.waiting, skipped: [], nextAt: null };
    }
    const during = decideResumedSlots({ ...question, now: pause.untilAt - 1 });
    const { decidedUntilAt } = during;
    const after = decideSlots({ ...question, standing: { ...standing, pause: null, decidedUntilAt } });
    return { ...after, skipped: [...during.skipped, ...after.skipped] };
  }
  const due = dueSlots(dueBy, { fromAt, now, slotsMax: rule.catchUpSlotsMax });
  const missed = skippedBetween(dueBy, { fromAt, beforeAt: due[0] ?? now + 1, why: "missed" });
  const untilAt = Math.max(fromAt, now);
  const laid = overlapped(rule, standing, due);
  return {
    decidedUntilAt: untilAt,
    starts: laid.starts,
    waiting: laid.waiting,
    skipped: [...missed, ...laid.skipped],
    nextAt: calendar.next(untilAt),
  };
}

/** What a resumed schedule leaves out: every slot of its pause. It goes on with the first slot after now. */
export function decideResumedSlots({ standing, dueBy, calendar, now }: SlotQuestion): SlotDecision {
  const fromAt = standing.decidedUntilAt ?? now;
  const untilAt = Math.max(fromAt, now);
  return {
    decidedUntilAt: untilAt,
    starts: [],
    waiting: standing.waiting,
    skipped: skippedBetween(dueBy, { fromAt, beforeAt: now + 1, why: "paused" }),
    nextAt: calendar.next(untilAt),
  };
}

/** The slots that a schedule starts of those that are due together, oldest first. */
function dueSlots(
  calendar: SlotCalendar,
  { fromAt, now, slotsMax }: { readonly fromAt: number; readonly now: number; readonly slotsMax: number },
): readonly number[] {
  const due: number[] = [];
  let slotAt = calendar.previous(now + 1);
  while (slotAt !== null && slotAt > fromAt && due.length < SLOTS_AT_ONCE_MAX) {
    const isOnTime = slotAt > now - SLOT_ON_TIME_MS;
    if (!isOnTime && due.length >= slotsMax) break;
    due.unshift(slotAt);
    slotAt = calendar.previous(slotAt);
  }
  return due;
}

/** The slots after one time and before another, as left out. Empty where there is none. */
function skippedBetween(
  calendar: SlotCalendar,
  { fromAt, beforeAt, why }: { readonly fromAt: number; readonly beforeAt: number; readonly why: SlotSkip },
): readonly SkippedSlots[] {
  const lastAt = beforeAt > fromAt ? calendar.previous(beforeAt) : null;
  if (lastAt === null || lastAt <= fromAt) return [];
  const firstAt = calendar.next(fromAt) ?? lastAt;
  let slots = 1;
  for (let slotAt: number | null = firstAt; slotAt !== null && slotAt < lastAt; slots += 1) {
    if (slots === SKIPPED_COUNT_MAX) break;
    slotAt = calendar.next(slotAt);
  }
  return [{ firstAt, lastAt, slots, why }];
}

type Laid = Pick<SlotDecision, "starts" | "waiting" | "skipped">;

/** What the case before does to the slots that are due. */
function overlapped(
  { overlap, catchUpSlotsMax }: ScheduleRule,
  { waiting, isCaseOpen }: ScheduleStanding,
  due: readonly number[],
): Laid {
  const slots = [...waiting, ...due];
  const starts = isCaseOpen ? [] : slots.slice(0, 1);
  const others = slots.slice(starts.length);
  switch (overlap) {
    case "start":
      return { starts: slots, waiting: [], skipped: [] };
    case "skip":
      return { starts, waiting: [], skipped: others.map((slotAt) => skippedSlot(slotAt, "caseOpen")) };
    case "wait": {
      // As many wait as are caught up, and one in any case: waiting is being late by rule.
      const keptFrom = Math.max(0, others.length - Math.max(1, catchUpSlotsMax));
      const left = others.slice(0, keptFrom).map((slotAt) => skippedSlot(slotAt, "newerWait"));
      return { starts, waiting: others.slice(keptFrom), skipped: left };
    }
  }
}

function skippedSlot(slotAt: number, why: SlotSkip): SkippedSlots {
  return { firstAt: slotAt, lastAt: slotAt, slots: 1, why };
}
