/** What the routes of schedules take and give. */

import type { ScheduleDetail, SchedulesView, ScheduleView, SlotsToCome } from "../../desk/schedule-view.ts";
import type { StartedSlot } from "../../desk/schedules.ts";

/** Names one. */
export interface ScheduleParams {
  readonly schedule: string;
}

/** Which slots of a schedule. */
export interface SlotsQuery {
  readonly limit?: number;
  readonly cursor?: string;
}

/** A schedule is to stop. */
export interface PauseScheduleBody {
  readonly reason: string;
  /** When it goes on by itself, epoch ms; null = once somebody resumes it. */
  readonly untilAt?: number | null;
}

/** A schedule is to go on. */
export interface ResumeScheduleBody {
  readonly reason?: string | null;
}

/** A slot is to be started. */
export interface StartSlotBody {
  /** A slot that has no case, epoch ms; left out = now, beside the calendar. */
  readonly slotAt?: number;
  /** The same order with the same id starts one case. */
  readonly actId?: string;
  readonly reason?: string | null;
}

/** A slot that could not be started is to stay without a case. */
export interface LeaveSlotBody {
  readonly slotKey: string;
  readonly reason: string;
}

/** What each route takes and gives. */
export interface ScheduleApiTypes {
  readonly listSchedules: { params: object; query: object; body: null; reply: SchedulesView };
  readonly showSchedule: { params: ScheduleParams; query: SlotsQuery; body: null; reply: ScheduleDetail };
  readonly listSlotsToCome: {
    params: ScheduleParams;
    query: { readonly limit?: number };
    body: null;
    reply: SlotsToCome;
  };
  readonly pauseSchedule: {
    params: ScheduleParams;
    query: object;
    body: PauseScheduleBody;
    reply: ScheduleView;
  };
  readonly resumeSchedule: {
    params: ScheduleParams;
    query: object;
    body: ResumeScheduleBody;
    reply: ScheduleView;
  };
  readonly startSlot: { params: ScheduleParams; query: object; body: StartSlotBody; reply: StartedSlot };
  readonly leaveSlot: { params: ScheduleParams; query: object; body: LeaveSlotBody; reply: ScheduleView };
}
