/** Schedules and their slots, as people see them. */

import { FootholdError } from "../core/errors.ts";
import { SKIPPED_COUNT_MAX, type SlotSkip } from "../core/schedule.ts";
import {
  SLOTS_LIST_MAX,
  type ScheduleState,
  type StoredSchedule,
  type StoredSlot,
} from "../store/schedule-port.ts";
import type { DeskParts } from "./desk-parts.ts";
import { OUTLINE_HOLDS_MS } from "./schedule-turn.ts";

/** Slots to come that are shown. */
const NEXT_SLOTS = 5;
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

/** A schedule, for people. Times are epoch ms. */
export interface ScheduleView {
  readonly name: string;
  readonly caseType: string;
  readonly tenant: string;
  readonly cron: string;
  readonly timeZone: string;
  readonly catchUp: "none" | "last" | { readonly upTo: number };
  readonly overlap: "start" | "skip" | "wait";
  readonly standing: ScheduleStanding;
  /** Such as "Next at 2027-02-01 06:00; 1 slot could not be started". */
  readonly sentence: string;
  /** Null = none comes, or it is paused or does not run. */
  readonly nextAt: number | null;
  /** The next ones, at most five; none where it does not run. */
  readonly nextSlots: readonly number[];
  readonly pause: { readonly by: string; readonly why: string; readonly at: number } | null;
  /** Slots that wait until the case before them has ended. */
  readonly waiting: readonly number[];
  /** The case that it started last. */
  readonly lastCaseId: string | null;
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
  /** `beforeAt` of the next page; null = this is the last one. */
  readonly nextBeforeAt: number | null;
}

/** Which slots to show. */
export interface SlotsPage {
  readonly beforeAt?: number | undefined;
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
  const filter = { schedule: null, beforeAt: null, limit: NEEDS_COUNTED_MAX };
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
  { beforeAt, limit = SLOTS_LIMIT_DEFAULT }: SlotsPage,
): Promise<ScheduleDetail> {
  const { store } = parts;
  if (!Number.isInteger(limit) || limit < 1 || limit > SLOTS_LIST_MAX) {
    throw new FootholdError("INVALID_REQUEST", `limit must be a whole number from 1 to ${SLOTS_LIST_MAX}.`);
  }
  const view = await viewSchedule(parts, name);
  const found = await store.schedules.listSlots({
    schedule: name,
    outcome: null,
    beforeAt: beforeAt ?? null,
    limit,
  });
  const last = found.at(-1);
  const nextBeforeAt = found.length < limit || last === undefined ? null : last.slotAt;
  return { ...view, now: await store.now(), slots: found.map(viewSlot), nextBeforeAt };
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
  const gone = isGone ? "removed" : "stopped";
  const standing = state?.pause ? "paused" : isSeen ? "running" : gone;
  const pause = state?.pause ?? null;
  const view = {
    name,
    ...told,
    catchUp: catchUpSlotsMax === 0 ? "none" : catchUpSlotsMax === 1 ? "last" : { upTo: catchUpSlotsMax },
    standing,
    nextAt: standing === "running" ? (state?.nextAt ?? null) : null,
    nextSlots: standing === "running" ? nextSlots(parts, state) : [],
    pause: pause === null ? null : { by: pause.by.name, why: pause.why, at: pause.at },
    waiting: state?.waiting ?? [],
    lastCaseId: state?.lastCaseId ?? null,
    needs,
    seenAt: stored?.seenAt ?? null,
  } as const;
  return { ...view, sentence: saySchedule(view, parts.formatTime) };
}

function nextSlots({ schedules }: DeskParts, state: ScheduleState | null): readonly number[] {
  if (state === null) return [];
  const read = schedules.readCalendar(state.outline.cron, state.outline.timeZone);
  if (read.kind === "faulty") return [];
  const slots: number[] = [];
  for (let at = state.nextAt; at !== null && slots.length < NEXT_SLOTS; at = read.calendar.next(at)) {
    slots.push(at);
  }
  return slots;
}

function saySchedule(view: Omit<ScheduleView, "sentence">, formatTime: (at: number) => string): string {
  const { standing, nextAt, pause, waiting, needs, seenAt } = view;
  const since = seenAt === null ? "" : ` since ${formatTime(seenAt)}`;
  const firsts: Readonly<Record<ScheduleStanding, string>> = {
    running: nextAt === null ? "No slot comes any more" : `Next at ${formatTime(nextAt)}`,
    paused: pause === null ? "" : `Paused by ${pause.by} since ${formatTime(pause.at)}: ${pause.why}`,
    stopped: `No process that runs it was seen${since}: start a server or a worker that has it`,
    removed: `No process declares it${since}: it was removed, and starts nothing`,
  };
  const waits = waiting.length === 1 ? "1 slot waits" : `${waiting.length} slots wait`;
  const rest = [
    ...(waiting.length === 0 ? [] : [`${waits} for the case before`]),
    ...(needs === 0 ? [] : [`${sayCount(needs)} could not be started`]),
  ];
  return [firsts[standing], ...rest].join("; ");
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
