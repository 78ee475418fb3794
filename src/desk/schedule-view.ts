/** Schedules and their slots, as people see them. */

import { FootholdError } from "../core/errors.ts";
import {
  isPauseOver,
  overdueSince,
  SKIPPED_COUNT_MAX,
  type ScheduleOutline,
  type SlotSkip,
} from "../core/schedule.ts";
import { localTime, zoneInWords } from "../define/cron.ts";
import {
  SLOTS_LIST_MAX,
  type ScheduleState,
  type SlotPlace,
  type StoredSchedule,
  type StoredSlot,
} from "../store/schedule-port.ts";
import type { DeskParts } from "./desk-parts.ts";
import type { SeesCase } from "./milestones.ts";
import { OUTLINE_HOLDS_MS } from "./schedule-turn.ts";

/** Slots to come that are shown. */
const NEXT_SLOTS = 5;
/** Slots to come that are looked at in one go, at most. */
export const SLOTS_TO_COME_MAX = 100;
/** Slots on one page where nothing else is asked for. */
const SLOTS_LIMIT_DEFAULT = 50;
/** Slots that could not be started, of all schedules together, that are counted. */
const NEEDS_COUNTED_MAX = SLOTS_LIST_MAX;

/** How a schedule stands. */
type ScheduleStanding =
  /** A process runs it. */
  | "running"
  | "paused"
  /** It is declared here, and no process that runs it was seen for some minutes. */
  | "stopped"
  /** Nobody declares it any more. */
  | "removed";

/** A slot to come. */
export interface SlotTime {
  readonly at: number;
  /** The same on the clocks of the schedule's zone, such as `2027-01-31T06:00`. */
  readonly localTime: string;
}

/** Slots to come of a schedule, whether it runs or not. */
export interface SlotsToCome {
  readonly now: number;
  readonly timeZone: string;
  readonly slots: readonly SlotTime[];
}

/** Which slots to come. */
export interface SlotsToComePage {
  /** 5 when left out; at most {@link SLOTS_TO_COME_MAX}. */
  readonly limit?: number | undefined;
}

/** Who stopped a schedule, why, since when, and until when. */
export interface SchedulePauseView {
  readonly by: string;
  readonly why: string;
  readonly at: number;
  /** Null = until somebody resumes it. */
  readonly untilAt: number | null;
}

/** A schedule, for people. Times are epoch ms. */
export interface ScheduleView {
  readonly name: string;
  readonly caseType: string;
  readonly tenant: string;
  readonly cron: string;
  readonly timeZone: string;
  /** The zone in words as it is now, such as `Central European Standard Time (UTC+01:00)`. */
  readonly zone: string;
  readonly catchUp: "none" | "last" | { readonly upTo: number };
  readonly overlap: "start" | "skip" | "wait";
  readonly standing: ScheduleStanding;
  /** Such as "Next at 2027-02-01 06:00; 1 slot could not be started". */
  readonly sentence: string;
  /** Null = none comes, or it is paused with no end, or it does not run. */
  readonly nextAt: number | null;
  /** The next ones, at most five; none where it does not run. */
  readonly nextSlots: readonly SlotTime[];
  /** Since when a slot is due that no process decides; null = none is, or nobody declares it any more. */
  readonly overdueSinceAt: number | null;
  readonly pause: SchedulePauseView | null;
  /** Slots that wait until the case before them has ended. */
  readonly waiting: readonly number[];
  /** Slots whose cases are being started. */
  readonly starting: readonly number[];
  /** The case that it started last. */
  readonly lastCaseId: string | null;
  /** The slot of that case. */
  readonly lastSlotAt: number | null;
  /** Slots that could not be started and that nobody has looked at, of the newest 200 of all schedules. */
  readonly needs: number;
  /** When a process that runs it was last seen; null = never. It says so once a minute. */
  readonly seenAt: number | null;
}

/** Every schedule, by name. */
export interface SchedulesView {
  readonly now: number;
  readonly schedules: readonly ScheduleView[];
}

/** What became of a slot, or of several that were left out together, for people. */
export interface SlotView {
  readonly slotKey: string;
  readonly slotAt: number;
  /** The last one of several; `slotAt` where it is one. */
  readonly lastAt: number;
  readonly slots: number;
  /** True where there were too many to count: at least `slots`. */
  readonly isAtLeast: boolean;
  readonly outcome: StoredSlot["outcome"]["kind"];
  /** Such as "The case before was open". */
  readonly sentence: string;
  /** The case that was started, or that is in its way. */
  readonly caseId: string | null;
  /** Who ordered it, or left it out; null = nobody. */
  readonly by: string | null;
  readonly decidedAt: number;
}

/** A schedule with its slots, newest first. */
export interface ScheduleDetail extends ScheduleView {
  readonly now: number;
  readonly slots: readonly SlotView[];
  /** Cursor of the next page; null = this is the last one. */
  readonly next: string | null;
}

/** Which slots to show. */
export interface SlotsPage {
  /** The cursor that the page before gave. */
  readonly after?: string | undefined;
  /** 50 when left out; at most 200. */
  readonly limit?: number | undefined;
}

/** Every schedule that is declared here or is known to the store. */
export async function listSchedules(parts: DeskParts): Promise<SchedulesView> {
  const { store, schedules } = parts;
  const [stored, needs] = await Promise.all([store.schedules.list(), countNeeds(parts)]);
  const now = await store.now();
  const known = new Map(stored.map((one) => [one.name, one]));
  const names = new Set([...known.keys(), ...schedules.all.map(({ name }) => name)]);
  const views = [...names].toSorted().map((name) => {
    const seen = { stored: known.get(name) ?? null, needs: needs.get(name) ?? 0, now };
    return viewOf(parts, name, seen);
  });
  return { now, schedules: views };
}

/** Slots that need a person, by schedule. */
async function countNeeds({ store }: DeskParts): Promise<ReadonlyMap<string, number>> {
  const filter = { schedule: null, after: null, limit: NEEDS_COUNTED_MAX };
  const [refused, held] = await Promise.all([
    store.schedules.listSlots({ ...filter, outcome: "refused" }),
    store.schedules.listSlots({ ...filter, outcome: "keyHeld" }),
  ]);
  const counts = new Map<string, number>();
  for (const { schedule } of [...refused, ...held]) counts.set(schedule, (counts.get(schedule) ?? 0) + 1);
  return counts;
}

/** One schedule with a page of its slots. Throws `SCHEDULE_NOT_FOUND`, `INVALID_REQUEST`. */
export async function showSchedule(
  parts: DeskParts,
  name: string,
  { after, limit = SLOTS_LIMIT_DEFAULT }: SlotsPage,
  sees: SeesCase = () => true,
): Promise<ScheduleDetail> {
  const { store } = parts;
  checkLimit(limit, SLOTS_LIST_MAX);
  const view = await viewSchedule(parts, name);
  const found = await store.schedules.listSlots({
    schedule: name,
    outcome: null,
    after: readSlotCursor(after),
    limit,
  });
  const last = found.at(-1);
  const next = found.length < limit || last === undefined ? null : `${last.slotAt}.${last.slotKey}`;
  // A schedule may have started cases of another type or tenant before.
  const shown = found.filter(({ start }) => start === null || sees(start));
  return { ...view, now: await store.now(), slots: shown.map(viewSlot), next };
}

function checkLimit(limit: number, limitMax: number): void {
  if (Number.isInteger(limit) && limit >= 1 && limit <= limitMax) return;
  throw new FootholdError("INVALID_REQUEST", `limit must be a whole number from 1 to ${limitMax}.`);
}

/** Throws `INVALID_REQUEST` for a cursor that no page gave. */
function readSlotCursor(cursor: string | undefined): SlotPlace | null {
  if (cursor === undefined) return null;
  const [, slotAt, slotKey] = /^(-?\d{1,15})\.(.{1,300})$/.exec(cursor) ?? [];
  if (slotAt !== undefined && slotKey !== undefined) return { slotAt: Number(slotAt), slotKey };
  throw new FootholdError("INVALID_REQUEST", "The cursor is not one that a page of slots gave.");
}

/** One schedule. Throws `SCHEDULE_NOT_FOUND`. */
export async function viewSchedule(parts: DeskParts, name: string): Promise<ScheduleView> {
  const { store, schedules } = parts;
  const [stored, needs] = await Promise.all([store.schedules.load(name), countNeeds(parts)]);
  if (stored === null && schedules.find(name) === null) throw scheduleNotFound(name);
  return viewOf(parts, name, { stored, needs: needs.get(name) ?? 0, now: await store.now() });
}

/** `SCHEDULE_NOT_FOUND` for one name. */
export function scheduleNotFound(name: string): FootholdError {
  const shown = JSON.stringify(name.slice(0, 64));
  return new FootholdError(
    "SCHEDULE_NOT_FOUND",
    `There is no schedule ${shown} here. Check the name, and that the configuration has it among its schedules.`,
  );
}

interface Seen {
  readonly stored: StoredSchedule | null;
  readonly needs: number;
  readonly now: number;
}

function viewOf(parts: DeskParts, name: string, { stored, needs, now }: Seen): ScheduleView {
  const setup = parts.schedules.find(name);
  const state = stored?.state ?? null;
  const outline = state?.outline ?? setup?.outline;
  if (outline === undefined) throw scheduleNotFound(name);
  const { catchUpSlotsMax, ...told } = outline;
  const isSeen = stored !== null && now - stored.seenAt < OUTLINE_HOLDS_MS;
  const isGone = setup === null && parts.registry.all.length > 0;
  const pause = state?.pause ?? null;
  const isPaused = pause !== null && !isPauseOver(pause, now);
  const standing = isPaused ? "paused" : isSeen ? "running" : isGone ? "removed" : "stopped";
  const nextSlots = standing === "running" || isPaused ? slotsAfter(parts, outline, comesAfter(state)) : [];
  const view = {
    name,
    ...told,
    zone: zoneInWords(now, outline.timeZone),
    catchUp: catchUpSlotsMax === 0 ? "none" : catchUpSlotsMax === 1 ? "last" : { upTo: catchUpSlotsMax },
    standing,
    nextAt: nextSlots[0]?.at ?? null,
    nextSlots,
    overdueSinceAt: state === null || standing === "removed" ? null : overdueSince(state, now),
    pause: pause === null || !isPaused ? null : viewPause(pause),
    waiting: state?.waiting ?? [],
    starting: state?.open.map(({ slotAt }) => slotAt) ?? [],
    lastCaseId: state?.lastCaseId ?? null,
    lastSlotAt: state?.lastSlotAt ?? null,
    needs,
    seenAt: stored?.seenAt ?? null,
  } as const;
  return { ...view, sentence: saySchedule(view, parts.formatTime) };
}

function viewPause({ by, why, at, untilAt }: NonNullable<ScheduleState["pause"]>): SchedulePauseView {
  return { by: by.name, why, at, untilAt };
}

/** After which time the next slot comes that is started; null = none comes by itself. */
function comesAfter(state: ScheduleState | null): number | null {
  if (state === null) return null;
  const { pause, nextAt } = state;
  const fromAt = pause === null ? nextAt : pause.untilAt;
  return fromAt === null ? null : fromAt - 1;
}

function slotsAfter(
  { schedules }: DeskParts,
  { cron, timeZone }: ScheduleOutline,
  afterAt: number | null,
  limit = NEXT_SLOTS,
): readonly SlotTime[] {
  const read = schedules.readCalendar(cron, timeZone);
  if (read.kind === "faulty" || afterAt === null) return [];
  const slots: SlotTime[] = [];
  for (
    let at = read.calendar.next(afterAt);
    at !== null && slots.length < limit;
    at = read.calendar.next(at)
  ) {
    slots.push({ at, localTime: localTime(at, timeZone) });
  }
  return slots;
}

/** The slots that the calendar of a schedule names next. Throws `SCHEDULE_NOT_FOUND`, `INVALID_REQUEST`. */
export async function slotsToCome(
  parts: DeskParts,
  name: string,
  { limit = NEXT_SLOTS }: SlotsToComePage,
): Promise<SlotsToCome> {
  checkLimit(limit, SLOTS_TO_COME_MAX);
  const { store, schedules } = parts;
  const stored = await store.schedules.load(name);
  const outline = stored?.state.outline ?? schedules.find(name)?.outline;
  if (outline === undefined) throw scheduleNotFound(name);
  const now = await store.now();
  const { timeZone } = outline;
  return { now, timeZone, slots: slotsAfter(parts, outline, now, limit) };
}

function saySchedule(view: Omit<ScheduleView, "sentence">, formatTime: (at: number) => string): string {
  const { standing, nextAt, pause, waiting, needs, seenAt, overdueSinceAt } = view;
  const since = seenAt === null ? "" : ` since ${formatTime(seenAt)}`;
  const firsts: Readonly<Record<ScheduleStanding, string>> = {
    running: nextAt === null ? "No slot comes any more" : `Next at ${formatTime(nextAt)}`,
    paused: pause === null ? "" : sayPause(pause, formatTime),
    stopped: `No process that runs it was seen${since}: start a server or a worker that has it`,
    removed: `No process declares it${since}: it was removed, and starts nothing`,
  };
  const first =
    overdueSinceAt !== null && standing === "running"
      ? `Due since ${formatTime(overdueSinceAt)} and not decided: the log of the processes that run it says why`
      : firsts[standing];
  const waits = waiting.length === 1 ? "1 slot waits" : `${waiting.length} slots wait`;
  const rest = [
    ...(overdueSinceAt === null || standing === "running" ? [] : [`due since ${formatTime(overdueSinceAt)}`]),
    ...(waiting.length === 0 ? [] : [`${waits} for the case before`]),
    ...(needs === 0 ? [] : [`${sayCount(needs)} could not be started`]),
  ];
  return [first, ...rest].join("; ");
}

function sayPause({ by, at, why, untilAt }: SchedulePauseView, formatTime: (at: number) => string): string {
  const until = untilAt === null ? "until it is resumed" : `until ${formatTime(untilAt)}`;
  return `Paused by ${by} since ${formatTime(at)}, ${until}: ${why}`;
}

function sayCount(slots: number): string {
  return slots === 1 ? "1 slot" : `${slots} slots`;
}

const SKIP_WORDS: Readonly<Record<SlotSkip, string>> = {
  missed: "Nobody started it in its time, and the catch-up rule leaves it out",
  paused: "The schedule was paused",
  caseOpen: "The case before was open",
  newerWait: "It waited for the case before, and newer ones took its place",
};

function viewSlot(stored: StoredSlot): SlotView {
  const { slotKey, slotAt, lastAt, slots, outcome, start, by, decidedAt } = stored;
  const said = saySlot(stored);
  return {
    slotKey,
    slotAt,
    lastAt,
    slots,
    isAtLeast: slots >= SKIPPED_COUNT_MAX,
    outcome: outcome.kind,
    sentence: said.sentence,
    caseId: said.caseId ?? (outcome.kind === "started" ? (start?.caseId ?? null) : null),
    by: by?.name ?? null,
    decidedAt,
  };
}

function saySlot({ outcome, start }: StoredSlot): { readonly sentence: string; readonly caseId?: string } {
  switch (outcome.kind) {
    case "starting":
      return { sentence: "It is being started" };
    case "started":
      return { sentence: "It was started" };
    case "skipped":
      return { sentence: SKIP_WORDS[outcome.why] };
    case "keyHeld": {
      const key = start?.businessKey ?? "";
      return { sentence: `Another case has its business key ${key}`, caseId: outcome.caseId };
    }
    case "refused":
      return { sentence: outcome.sentence };
    case "leftOut":
      return { sentence: `Left out: ${outcome.why}` };
  }
}
