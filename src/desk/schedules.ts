/** What people may do about schedules: look, pause, resume, start a slot, leave one out. */

import { FootholdError } from "../core/errors.ts";
import type { Json } from "../core/json.ts";
import { decideResumedSlots, isPauseOver, type ScheduleOutline } from "../core/schedule.ts";
import type { ScheduleSetup } from "../define/schedule.ts";
import type { LockedSchedule, OpenSlot, ScheduleChange, ScheduleState } from "../store/schedule-port.ts";
import { auditedInHouse, houseHead } from "./audited.ts";
import type { DeskParts } from "./desk-parts.ts";
import type { SeesCase } from "./milestones.ts";
import { checkActId, checkTexts, personOf, REASON_CHARS_MAX, reasonOf, type Who } from "./requests.ts";
import { createScheduleRunner, type ScheduleRunner, type ScheduleRunnerOptions } from "./schedule-run.ts";
import { recordOf, recordSkipped, slotKeyOf, standingOf } from "./schedule-turn.ts";
import {
  listSchedules,
  scheduleNotFound,
  showSchedule,
  slotsToCome,
  viewSchedule,
  type ScheduleDetail,
  type SchedulesView,
  type ScheduleView,
  type SlotsPage,
  type SlotsToCome,
  type SlotsToComePage,
} from "./schedule-view.ts";
import { fixStart, startOpenSlot } from "./slot-start.ts";
import { maskHead } from "./typed-words.ts";

/** What a right to a schedule is judged on. */
type StartedObject = Pick<ScheduleOutline, "caseType" | "tenant">;

/** What a person does to a schedule. */
interface ScheduleRequest {
  readonly by: Who;
  readonly reason?: string | null | undefined;
}

/** An order to stop a schedule. */
interface PauseScheduleRequest extends ScheduleRequest {
  /** When it goes on by itself, epoch ms; until somebody resumes it when left out. */
  readonly untilAt?: number | null | undefined;
}

/** An order to start a slot. */
interface StartSlotRequest extends ScheduleRequest {
  /** A slot that has no case: it was left out, or could not be started. Now, beside the calendar, when left out. */
  readonly slotAt?: number | undefined;
  /** The same order with the same id starts one case. */
  readonly actId?: string | undefined;
}

/** An order to leave a slot without a case. */
interface LeaveSlotRequest extends ScheduleRequest {
  readonly slotKey: string;
}

/** What came of an order to start a slot. */
export interface StartedSlot {
  readonly slotKey: string;
  readonly caseId: string;
  /** False where it had its case before. */
  readonly isNew: boolean;
}

/** What the desk does about schedules. */
export interface ScheduleDesk {
  /**
   * The types and tenants of the cases that a schedule starts: as it is declared here, and as it is known to the store where that is
   * otherwise. Throws `SCHEDULE_NOT_FOUND`.
   */
  startedBy(name: string): Promise<readonly StartedObject[]>;
  /** Every schedule that is declared here or is known to the store. */
  schedules(): Promise<SchedulesView>;
  /** Throws `SCHEDULE_NOT_FOUND`, `INVALID_REQUEST`. */
  showSchedule(name: string, page?: SlotsPage, sees?: SeesCase): Promise<ScheduleDetail>;
  /** The slots that its calendar names next, whether it runs or not. Throws `SCHEDULE_NOT_FOUND`, `INVALID_REQUEST`. */
  slotsToCome(name: string, page?: SlotsToComePage): Promise<SlotsToCome>;
  /**
   * Nothing is started until then, or until it is resumed; slots of the pause are left out. The reason is needed. Throws
   * `SCHEDULE_NOT_FOUND`, `INVALID_REQUEST`.
   */
  pauseSchedule(name: string, request: PauseScheduleRequest): Promise<ScheduleView>;
  /** It goes on with the next slot after now. Throws `SCHEDULE_NOT_FOUND`. */
  resumeSchedule(name: string, request: ScheduleRequest): Promise<ScheduleView>;
  /**
   * Starts the case of a slot, whatever the overlap rule says; of a paused schedule too. Throws `SCHEDULE_NOT_FOUND`,
   * `INVALID_REQUEST`, and what the start is refused with.
   */
  startSlot(name: string, request: StartSlotRequest): Promise<StartedSlot>;
  /** Says that a slot that could not be started stays without a case. Throws `SCHEDULE_NOT_FOUND`, `INVALID_REQUEST`. */
  leaveSlot(name: string, request: LeaveSlotRequest): Promise<ScheduleView>;
  /** Runs the schedules that are loaded; servers and workers start one. */
  scheduleRunner(options: ScheduleRunnerOptions): ScheduleRunner;
}

/** The part of the desk that is about schedules. */
export function scheduleActs(parts: DeskParts): ScheduleDesk {
  const act = <Request extends ScheduleRequest, Reply>(
    name: string,
    work: (by: DeskParts, schedule: string, request: Request) => Promise<Reply>,
    tell: (reply: Reply) => Json,
  ): ((schedule: string, request: Request) => Promise<Reply>) => {
    return async (schedule, request) => {
      const head = await maskHead(parts, { ...houseHead(name, request), about: schedule, schedule });
      return auditedInHouse(
        parts,
        head,
        (by) => work(by, schedule, { ...request, reason: head.why }),
        (reply) => ({ about: schedule, after: tell(reply) }),
      );
    };
  };
  return {
    startedBy: (name) => startedBy(parts, name),
    schedules: () => listSchedules(parts),
    showSchedule: (name, page, sees) => showSchedule(parts, name, page ?? {}, sees),
    slotsToCome: (name, page) => slotsToCome(parts, name, page ?? {}),
    pauseSchedule: act("pauseSchedule", pauseSchedule, tellStanding),
    resumeSchedule: act("resumeSchedule", resumeSchedule, tellStanding),
    startSlot: act("startSlot", startSlot, (reply) => ({ ...reply })),
    leaveSlot: act("leaveSlot", leaveSlot, tellStanding),
    scheduleRunner: (options) => createScheduleRunner(parts, options),
  };
}

async function startedBy({ store, schedules }: DeskParts, name: string): Promise<readonly StartedObject[]> {
  const stored = await store.schedules.load(name);
  const outlines = [stored?.state.outline, schedules.find(name)?.outline].filter((one) => one !== undefined);
  if (outlines.length === 0) throw scheduleNotFound(name);
  return outlines.map(({ caseType, tenant }) => ({ caseType, tenant }));
}

function tellStanding({ standing: to, nextAt }: ScheduleView): Json {
  return { standing: to, nextAt };
}

/** Changes a schedule that is there. */
function changeKnown<Reply>(
  parts: DeskParts,
  target: { readonly name: string; readonly slotKey: string | null },
  decide: (locked: LockedSchedule & { readonly state: ScheduleState }) => ScheduleChange<Reply>,
): Promise<Reply> {
  return parts.store.schedules.change(target, (locked) => {
    const { state } = locked;
    if (state === null) throw scheduleNotFound(target.name);
    return decide({ ...locked, state });
  });
}

async function pauseSchedule(
  parts: DeskParts,
  name: string,
  { by, reason, untilAt = null }: PauseScheduleRequest,
): Promise<ScheduleView> {
  const actor = personOf(by);
  const why = reason ?? "";
  checkTexts([{ path: "reason", value: why, charsMax: REASON_CHARS_MAX, isProse: true }]);
  await changeKnown(parts, { name, slotKey: null }, ({ state, now }) => {
    if (untilAt !== null && !(Number.isSafeInteger(untilAt) && untilAt > now)) {
      throw new FootholdError("INVALID_REQUEST", `${name} cannot be paused until a time that is past.`, {
        details: { fields: [{ path: "untilAt", message: "is not in the future" }] },
      });
    }
    const before = state.pause;
    if (before !== null && before.untilAt === untilAt) return { state: null, slots: [], reply: null };
    // Who pauses it anew says how long from now on: the slots so far are left out either way.
    const pause = { by: actor, why, at: before?.at ?? now, untilAt };
    return { state: { ...state, pause, nextAt: null }, slots: [], reply: null };
  });
  return viewSchedule(parts, name);
}

async function resumeSchedule(
  parts: DeskParts,
  name: string,
  { by, reason }: ScheduleRequest,
): Promise<ScheduleView> {
  personOf(by);
  reasonOf(reason);
  await changeKnown(parts, { name, slotKey: null }, ({ state, now }) => {
    // What comes after a pause that is over is started by its rules, and not left out.
    if (state.pause === null || isPauseOver(state.pause, now)) return { state: null, slots: [], reply: null };
    const { outline } = state;
    const read = parts.schedules.readCalendar(outline.cron, outline.timeZone);
    if (read.kind === "faulty") {
      throw new FootholdError(
        "INVALID_REQUEST",
        `${name} cannot be resumed: its ${read.option} ${read.why}.`,
      );
    }
    const { calendar } = read;
    const standing = standingOf(state, false);
    const decision = decideResumedSlots({ rule: outline, standing, dueBy: calendar, calendar, now });
    const { decidedUntilAt, nextAt } = decision;
    return {
      state: { ...state, pause: null, decidedUntilAt, nextAt },
      slots: decision.skipped.map(recordSkipped),
      reply: null,
    };
  });
  return viewSchedule(parts, name);
}

async function startSlot(
  parts: DeskParts,
  name: string,
  { by, reason, slotAt, actId }: StartSlotRequest,
): Promise<StartedSlot> {
  const actor = personOf(by);
  reasonOf(reason);
  checkActId(actId);
  const setup = loadedSetup(parts, name);
  const handKey = `by hand ${actId ?? parts.ports.ids.unique()}`;
  const slotKey = slotAt === undefined ? handKey : slotKeyOf(slotAt);
  const ordered = await changeKnown(parts, { name, slotKey }, (locked) => {
    const known = knownStart(locked, slotKey);
    if (known !== null) return { state: null, slots: [], reply: known };
    if (slotAt !== undefined) checkSlot(setup, slotAt, locked.state);
    const at = slotAt ?? locked.now;
    // What was fixed for the slot before holds: a start of it may be under way somewhere.
    const start = locked.slot?.start ?? fixStart(parts, setup, { slotKey, slotAt: at });
    if ("kind" in start) throw refused(start);
    const open: OpenSlot = { slotKey, slotAt: at, start, by: actor };
    const waiting = locked.state.waiting.filter((one) => one !== slotAt);
    return {
      state: { ...locked.state, waiting, open: [...locked.state.open, open] },
      slots: [recordOf(open, { kind: "starting" })],
      reply: { open, isNew: true },
    };
  });
  const { open, isNew } = ordered;
  const { caseId } = open.start;
  if (!isNew) return { slotKey, caseId, isNew };
  const outcome = await startOpenSlot(parts, setup, open);
  if (outcome.kind === "refused") throw refused(outcome);
  if (outcome.kind === "keyHeld") {
    throw new FootholdError(
      "INVALID_REQUEST",
      `Case ${outcome.caseId} has the business key of this slot; nothing was started.`,
      { details: { caseId: outcome.caseId } },
    );
  }
  return { slotKey, caseId, isNew: true };
}

interface OrderedSlot {
  readonly open: OpenSlot;
  readonly isNew: boolean;
}

/** The start that the slot has; null = it has none, or one that came to nothing. */
function knownStart({ state, slot }: LockedSchedule, slotKey: string): OrderedSlot | null {
  const open = state?.open.find((one) => one.slotKey === slotKey);
  if (open !== undefined) return { open, isNew: false };
  if (slot?.outcome.kind !== "started" || slot.start === null) return null;
  const { slotAt, start, by } = slot;
  return { open: { slotKey, slotAt, start, by }, isNew: false };
}

function loadedSetup(parts: DeskParts, name: string): ScheduleSetup {
  const setup = parts.schedules.find(name);
  if (setup === null) throw scheduleNotFound(name);
  return setup;
}

/** Throws `INVALID_REQUEST` for a time that is no slot, or one that the schedule itself will decide. */
function checkSlot(
  { name, calendar }: ScheduleSetup,
  slotAt: number,
  { decidedUntilAt }: ScheduleState,
): void {
  const isSlot = Number.isInteger(slotAt) && calendar.previous(slotAt + 1) === slotAt;
  if (!isSlot) {
    throw new FootholdError("INVALID_REQUEST", `slotAt is no slot of ${name}: its list of slots shows them.`);
  }
  if (slotAt <= decidedUntilAt) return;
  throw new FootholdError(
    "INVALID_REQUEST",
    `This slot of ${name} is not decided yet: the schedule starts it at its time. Leave slotAt out to start one now.`,
  );
}

function refused({ code, sentence }: { readonly code: string; readonly sentence: string }): FootholdError {
  const known = code === "INVALID_REQUEST" ? code : "INVALID_INPUT";
  return new FootholdError(known, `The slot was not started. ${sentence}`);
}

async function leaveSlot(
  parts: DeskParts,
  name: string,
  { by, reason, slotKey }: LeaveSlotRequest,
): Promise<ScheduleView> {
  const actor = personOf(by);
  const why = reason ?? "";
  checkTexts([
    { path: "reason", value: why, charsMax: REASON_CHARS_MAX, isProse: true },
    { path: "slotKey", value: slotKey, charsMax: REASON_CHARS_MAX },
  ]);
  await changeKnown(parts, { name, slotKey }, ({ state, slot }) => {
    const kind = slot?.outcome.kind;
    if (slot === null || (kind !== "refused" && kind !== "keyHeld" && kind !== "leftOut")) {
      throw new FootholdError("INVALID_REQUEST", `This is no slot of ${name} that could not be started.`);
    }
    if (kind === "leftOut") return { state: null, slots: [], reply: null };
    const { schedule: _, decidedAt: __, ...record } = slot;
    return { state, slots: [{ ...record, outcome: { kind: "leftOut", why }, by: actor }], reply: null };
  });
  return viewSchedule(parts, name);
}
