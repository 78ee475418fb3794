/** Schedules over the API: whoever asks is told of those whose cases they may see, and of no case that they may not. */

import { mayDo } from "../../core/rights.ts";
import type { ScheduleView } from "../../desk/schedule-view.ts";
import type { ApiParts, Handler } from "./call.ts";
import { actorOf, type Identity } from "./identity.ts";
import type { ScheduleApiTypes } from "./schedule-types.ts";

/** Every route's. */
export const SCHEDULE_HANDLERS: { readonly [Id in keyof ScheduleApiTypes]: Handler<Id> } = {
  listSchedules: async ({ parts, who }) => {
    const { now, schedules } = await parts.desk.schedules();
    const seen = schedules.filter((one) => mayDo(who.grants, "see", one));
    return { reply: { now, schedules: await withVisibleCases(parts, who, seen) } };
  },
  showSchedule: async ({ parts, params, query: { limit, cursor }, who }) => {
    const sees = (one: { readonly tenant: string; readonly caseType: string }): boolean =>
      mayDo(who.grants, "see", one);
    const detail = await parts.desk.showSchedule(params.schedule, { limit, after: cursor }, sees);
    return { reply: await withVisibleCase(parts, who, detail) };
  },
  listSlotsToCome: async ({ parts, params, query }) => ({
    reply: await parts.desk.slotsToCome(params.schedule, query),
  }),
  pauseSchedule: async ({ parts, params, body, who }) => {
    const reply = await parts.desk.pauseSchedule(params.schedule, { ...body, by: actorOf(who) });
    return { reply: await withVisibleCase(parts, who, reply) };
  },
  resumeSchedule: async ({ parts, params, body, who }) => {
    const reply = await parts.desk.resumeSchedule(params.schedule, { ...body, by: actorOf(who) });
    return { reply: await withVisibleCase(parts, who, reply) };
  },
  startSlot: async ({ parts, params, body, who }) => {
    const reply = await parts.desk.startSlot(params.schedule, { ...body, by: actorOf(who) });
    const location = `/cases/${reply.caseId}`;
    return reply.isNew ? { reply, location, status: 201 } : { reply, location };
  },
  leaveSlot: async ({ parts, params, body, who }) => {
    const reply = await parts.desk.leaveSlot(params.schedule, { ...body, by: actorOf(who) });
    return { reply: await withVisibleCase(parts, who, reply) };
  },
};

async function withVisibleCase<View extends ScheduleView>(
  parts: ApiParts,
  who: Identity,
  view: View,
): Promise<View> {
  const [{ lastCaseId } = view] = await withVisibleCases(parts, who, [view]);
  return { ...view, lastCaseId };
}

/** A schedule may have started cases of another type or tenant before. */
async function withVisibleCases(
  { store }: ApiParts,
  { grants }: Identity,
  views: readonly ScheduleView[],
): Promise<readonly ScheduleView[]> {
  const caseIds = views.flatMap(({ lastCaseId }) => (lastCaseId === null ? [] : [lastCaseId]));
  const { cases } = await store.readPulse(caseIds);
  const seen = new Set(cases.filter((one) => mayDo(grants, "see", one)).map(({ caseId }) => caseId));
  return views.map((view) => {
    const { lastCaseId } = view;
    return lastCaseId === null || seen.has(lastCaseId) ? view : { ...view, lastCaseId: null };
  });
}
