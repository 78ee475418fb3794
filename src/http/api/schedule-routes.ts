/** The routes of schedules, as data. A right is judged on the case type and the tenant of what a schedule starts. */

import type { RouteHead } from "./route-head.ts";
import type { ScheduleApiTypes } from "./schedule-types.ts";

const common = { on: "schedule", plan: "none", tag: "Schedules" } as const;
const read = { ...common, method: "GET", verb: "see" } as const;
const act = { ...common, method: "POST" } as const;

/** Each by the name of its operation. */
export const SCHEDULE_ROUTES: {
  readonly [Id in keyof ScheduleApiTypes]: RouteHead & { readonly plan: "none" };
} = {
  listSchedules: {
    ...read,
    on: "visible",
    path: "/schedules",
    summary: "What starts cases by the clock: how each stands, and its next slots",
  },
  showSchedule: {
    ...read,
    path: "/schedules/{schedule}",
    summary: "One schedule with a page of its slots and what became of each, newest first",
  },
  listSlotsToCome: {
    ...read,
    path: "/schedules/{schedule}/slots-to-come",
    summary: "The slots that its calendar names next, whether it runs or not; at most 100",
  },
  pauseSchedule: {
    ...act,
    path: "/schedules/{schedule}/pause",
    verb: "pause",
    summary: "Start nothing until a time, or until it is resumed; the slots meanwhile are left out",
  },
  resumeSchedule: {
    ...act,
    path: "/schedules/{schedule}/resume",
    verb: "resume",
    summary: "Let a schedule go on with the next slot after now",
  },
  startSlot: {
    ...act,
    path: "/schedules/{schedule}/start",
    verb: "start",
    summary:
      "Start the case of a slot that has none, or one now beside the calendar; also of a paused schedule",
  },
  leaveSlot: {
    ...act,
    path: "/schedules/{schedule}/leave",
    verb: "ignore",
    summary: "Say that a slot that could not be started stays without a case",
  },
};
