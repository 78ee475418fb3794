/** What the API takes and tells of schedules. */

import { z } from "zod";
import type { Overlap } from "../../../core/schedule.ts";
import { REASON_CHARS_MAX } from "../../../desk/requests.ts";
import {
  SLOTS_TO_COME_MAX,
  type ScheduleDetail,
  type SchedulePauseView,
  type SchedulesView,
  type ScheduleView,
  type SlotsToCome,
  type SlotTime,
  type SlotView,
} from "../../../desk/schedule-view.ts";
import type { StartedSlot } from "../../../desk/schedules.ts";
import { SLOTS_LIST_MAX, type SlotOutcome } from "../../../store/schedule-port.ts";
import type {
  LeaveSlotBody,
  PauseScheduleBody,
  ResumeScheduleBody,
  ScheduleParams,
  SlotsQuery,
  StartSlotBody,
} from "../schedule-types.ts";
import { line, name, reason } from "./request-schemas.ts";
import { count, list, named, oneOf, text, textOrNone, time, timeOrNone, typed } from "./schema.ts";

/** Longest cursor, and longest key of a slot. */
const KEY_CHARS_MAX = 500;

const needed = z.string().min(1).max(REASON_CHARS_MAX);

/** Names a schedule. */
export const scheduleParams: z.ZodType<ScheduleParams> = typed<ScheduleParams>()(
  z.strictObject({ schedule: name }),
);
/** Which slots. */
export const slotsQuery: z.ZodType<SlotsQuery> = typed<SlotsQuery>()(
  z.strictObject({
    limit: z.int().min(1).max(SLOTS_LIST_MAX).exactOptional(),
    cursor: line(KEY_CHARS_MAX).exactOptional(),
  }),
);
/** How many slots to come. */
export const slotsToComeQuery: z.ZodType<{ readonly limit?: number }> = z.strictObject({
  limit: z.int().min(1).max(SLOTS_TO_COME_MAX).exactOptional(),
});
/** A schedule is to stop. */
export const pauseScheduleBody: z.ZodType<PauseScheduleBody> = named<PauseScheduleBody>(
  "PauseScheduleRequest",
)(z.strictObject({ reason: needed, untilAt: z.int().nullable().exactOptional() }));
/** A schedule is to go on. */
export const resumeScheduleBody: z.ZodType<ResumeScheduleBody> = named<ResumeScheduleBody>(
  "ResumeScheduleRequest",
)(z.strictObject({ reason }));
/** A slot is to be started. */
export const startSlotBody: z.ZodType<StartSlotBody> = named<StartSlotBody>("StartSlotRequest")(
  z.strictObject({ slotAt: z.int().exactOptional(), actId: name.exactOptional(), reason }),
);
/** A slot is to stay without a case. */
export const leaveSlotBody: z.ZodType<LeaveSlotBody> = named<LeaveSlotBody>("LeaveSlotRequest")(
  z.strictObject({ slotKey: line(KEY_CHARS_MAX), reason: needed }),
);

const slotTime = named<SlotTime>("SlotTime")(z.strictObject({ at: time, localTime: text }));
const pause = named<SchedulePauseView>("SchedulePause")(
  z.strictObject({ by: text, why: text, at: time, untilAt: timeOrNone }),
);
const view = {
  name: text,
  caseType: text,
  tenant: text,
  cron: text,
  timeZone: text,
  zone: text,
  catchUp: z.union([z.enum(["none", "last"]), z.strictObject({ upTo: count })]),
  overlap: oneOf<Overlap>({ start: true, skip: true, wait: true }),
  standing: oneOf<ScheduleView["standing"]>({ running: true, paused: true, stopped: true, removed: true }),
  sentence: text,
  nextAt: timeOrNone,
  nextSlots: list(slotTime),
  overdueSinceAt: timeOrNone,
  pause: pause.nullable(),
  waiting: list(time),
  starting: list(time),
  lastCaseId: textOrNone,
  lastSlotAt: timeOrNone,
  needs: count,
  seenAt: timeOrNone,
} as const;

/** A schedule. */
export const schedule: z.ZodType<ScheduleView> = named<ScheduleView>("Schedule")(z.strictObject(view));
/** Every schedule. */
export const schedules: z.ZodType<SchedulesView> = named<SchedulesView>("Schedules")(
  z.strictObject({ now: time, schedules: list(schedule) }),
);
const slot = named<SlotView>("Slot")(
  z.strictObject({
    slotKey: text,
    slotAt: time,
    lastAt: time,
    slots: count,
    isAtLeast: z.boolean(),
    outcome: oneOf<SlotOutcome["kind"]>({
      starting: true,
      started: true,
      skipped: true,
      keyHeld: true,
      refused: true,
      leftOut: true,
    }),
    sentence: text,
    caseId: textOrNone,
    by: textOrNone,
    decidedAt: time,
  }),
);
/** A schedule with a page of its slots. */
export const scheduleDetail: z.ZodType<ScheduleDetail> = named<ScheduleDetail>("ScheduleDetail")(
  z.strictObject({ ...view, now: time, slots: list(slot), next: textOrNone }),
);
/** Slots to come. */
export const slotsToCome: z.ZodType<SlotsToCome> = named<SlotsToCome>("SlotsToCome")(
  z.strictObject({ now: time, timeZone: text, slots: list(slotTime) }),
);
/** What came of an order to start a slot. */
export const startedSlot: z.ZodType<StartedSlot> = named<StartedSlot>("StartedSlot")(
  z.strictObject({ slotKey: text, caseId: text, isNew: z.boolean() }),
);
