/** `defineSchedule`: cases that are started by the clock. */

import type { FieldFault } from "../core/errors.ts";
import {
  SLOTS_AT_ONCE_MAX,
  type Overlap,
  type ScheduleOutline,
  type SlotCalendar,
} from "../core/schedule.ts";
import type { Priority } from "../core/starting.ts";
import type { CaseType } from "./case-type.ts";
import { localTime, readCronCalendar, type ReadCalendar } from "./cron.ts";
import { faultyDefinitions, type FaultyCase } from "./faulty-definition.ts";
import { nameFault } from "./names.ts";
import { isAsyncFunction, isLabel, OptionReader, type AuthorFunction } from "./option-reader.ts";
import type { Registry } from "./registry.ts";

/** Schedules of one configuration. */
export const SCHEDULES_MAX = 1_000;
/** Longest name of a tenant, in UTF-16 units. */
const TENANT_CHARS_MAX = 100;
/** Longest cron expression, and longest name of a time zone. */
const TIMING_CHARS_MAX = 200;

/** A time that a schedule names, at which one case is due. */
export interface Slot {
  readonly schedule: string;
  /** Epoch ms. Where a person starts one beside the clock, the time of the order. */
  readonly at: number;
  /** The same on the clocks of the schedule's time zone, such as `2027-01-31T06:00`. */
  readonly localTime: string;
  readonly timeZone: string;
}

/** When a schedule starts cases, and of what. */
export interface ScheduleOptions<Input> {
  /** The case type of which each slot starts one case. */
  readonly starts: CaseType<Input>;
  /**
   * A cron expression of five fields (minute, hour, day of the month, month, day of the week), or such as `@daily`. Nothing
   * is started more often than once a minute.
   */
  readonly cron: string;
  /** The zone of the IANA list in which it is read, such as `"Europe/Berlin"` or `"UTC"`. */
  readonly timeZone: string;
  /** Gives the input of the slot's case. Pure: it may be asked again. */
  readonly input: (slot: Slot) => Input;
  /** Gives its business key. Pure. A key that another case holds leaves the slot out, with that case named. Default: none. */
  readonly businessKey?: (slot: Slot) => string;
  /** Tenant of its cases. Default `"default"`. */
  readonly tenant?: string;
  /** Which due cases are taken first. Default `"normal"`. */
  readonly priority?: Priority;
  /**
   * What becomes of slots that nobody started within a minute of their time, because nothing ran: `"none"` leaves them out,
   * `"last"` starts the newest of those that are due, `{ upTo: 10 }` as many of the newest, at most 100. What is left out is on
   * record. Default `"last"`.
   */
  readonly catchUp?: "none" | "last" | { readonly upTo: number };
  /**
   * What becomes of a slot while the case that the schedule started last is open: `"start"` starts another beside it,
   * `"skip"` leaves the slot out, `"wait"` starts it once that case has ended; as many wait as are caught up, the newest, and
   * one in any case. Default `"start"`.
   */
  readonly overlap?: Overlap;
}

/** A schedule. It runs in servers and workers whose configuration names it. */
export interface Schedule {
  readonly kind: "schedule";
  readonly name: string;
  /** Checked when it is loaded; what its functions give is known to the compiler of the author only. */
  readonly options: unknown;
}

/** Declares a schedule. Its faults are named when it is loaded. */
export function defineSchedule<Input>(name: string, options: ScheduleOptions<Input>): Schedule {
  return { kind: "schedule", name, options };
}

/** True for what {@link defineSchedule} makes, also from another copy of the package. */
export function isSchedule(value: unknown): value is Schedule {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "schedule";
}

/** A schedule that was read. */
export interface ScheduleSetup {
  readonly name: string;
  readonly outline: ScheduleOutline;
  readonly calendar: SlotCalendar;
  readonly priority: Priority;
  /** Gives what may be an input. Throws what the author's function throws. */
  readonly inputOf: (slotAt: number) => unknown;
  /** Gives what may be a business key; null = it has none. Throws what the author's function throws. */
  readonly businessKeyOf: (slotAt: number) => unknown;
}

/** The schedules that a process has loaded. */
export interface ScheduleBook {
  readonly all: readonly ScheduleSetup[];
  /** Null = it is not loaded here. */
  find(name: string): ScheduleSetup | null;
  /** Reads the calendar of any schedule, also of one that is not loaded. */
  readonly readCalendar: ReadCalendar;
}

/** No schedules. */
export const NO_SCHEDULES: ScheduleBook = scheduleBookOf([], null);

/** Loads schedules. Throws `INVALID_DEFINITION` with all faults of all of them. */
export function scheduleBookOf(
  schedules: readonly Schedule[],
  registry: Registry | null,
  readCalendar: ReadCalendar = readCronCalendar,
): ScheduleBook {
  const readings = schedules.map((one) => readSchedule(one, registry, readCalendar));
  const faulty = readings.flatMap((one): readonly FaultyCase[] =>
    one.faults.length === 0 ? [] : [{ name: one.name, faults: one.faults }],
  );
  const found = [...faulty, ...twins(readings.map(({ name }) => name))];
  if (schedules.length > SCHEDULES_MAX) {
    const message = `there are ${schedules.length} schedules, more than the ${SCHEDULES_MAX} allowed`;
    found.push({ name: "", faults: [{ path: "", message }] });
  }
  if (found.length > 0) throw faultyDefinitions("schedule", found);
  const all = readings.flatMap(({ setup }) => (setup === null ? [] : [setup]));
  const byName = new Map(all.map((one) => [one.name, one]));
  return { all, find: (name) => byName.get(name) ?? null, readCalendar };
}

function twins(names: readonly string[]): readonly FaultyCase[] {
  const twice = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  const message = "two schedules have this name: give one of them another";
  return [...twice].map((name) => ({ name, faults: [{ path: "name", message }] }));
}

interface Reading {
  readonly name: string;
  readonly faults: readonly FieldFault[];
  /** Null where there is a fault. */
  readonly setup: ScheduleSetup | null;
}

const KNOWN = [
  "starts",
  "cron",
  "timeZone",
  "input",
  "businessKey",
  "tenant",
  "priority",
  "catchUp",
  "overlap",
];

function readSchedule(
  { name, options }: Schedule,
  registry: Registry | null,
  readCalendar: ReadCalendar,
): Reading {
  const faults: FieldFault[] = [];
  const reader = new OptionReader(options, "", KNOWN, faults);
  const wrongName = nameFault(name);
  if (wrongName !== null) reader.fault("name", wrongName);
  const caseType = readCaseType(reader, registry);
  const timing = readTiming(reader, readCalendar);
  const outline = {
    caseType,
    tenant: readTenant(reader),
    cron: timing.cron,
    timeZone: timing.timeZone,
    catchUpSlotsMax: readCatchUp(reader),
    overlap: readWord(reader, "overlap", { words: OVERLAPS, otherwise: "start" }),
  };
  const priority = readWord(reader, "priority", { words: PRIORITIES, otherwise: "normal" });
  const input = readPure(
    reader,
    "input",
    reader.requiredFunction("input", "gives the input of a slot's case"),
  );
  const businessKey = readPure(reader, "businessKey", reader.optionalFunction("businessKey"));
  const { calendar } = timing;
  if (faults.length > 0 || calendar === null || input === null) {
    return { name: typeof name === "string" ? name : "", faults, setup: null };
  }
  const slotOf = (at: number): Slot => {
    const { timeZone } = outline;
    return { schedule: name, at, localTime: localTime(at, timeZone), timeZone };
  };
  const setup = {
    name,
    outline,
    calendar,
    priority,
    inputOf: (at: number): unknown => input(slotOf(at)),
    businessKeyOf: (at: number): unknown => businessKey?.(slotOf(at)) ?? null,
  };
  return { name, faults, setup };
}

/** By its outline: the file may load another copy of the package. */
function readCaseType(reader: OptionReader, registry: Registry | null): string {
  const value = reader.value("starts");
  const outline: unknown =
    typeof value === "object" && value !== null ? Reflect.get(value, "outline") : undefined;
  const name: unknown =
    typeof outline === "object" && outline !== null ? Reflect.get(outline, "name") : undefined;
  if (typeof name !== "string") {
    reader.fault("starts", "must be the case type that it starts, as defineCase makes one");
    return "";
  }
  if ((registry?.find(name) ?? null) === null) {
    reader.fault("starts", `case type ${name} is not loaded: name it among the cases of the configuration`);
  }
  return name;
}

interface Timing {
  readonly cron: string;
  readonly timeZone: string;
  /** Null after a fault. */
  readonly calendar: SlotCalendar | null;
}

function readTiming(reader: OptionReader, readCalendar: ReadCalendar): Timing {
  const cron = readShort(reader, "cron", `when it starts cases, such as "0 6 * * 1-5"`);
  const timeZone = readShort(reader, "timeZone", `in which zone that is read, such as "Europe/Berlin"`);
  if (cron === null || timeZone === null) return { cron: "", timeZone: "", calendar: null };
  const read = readCalendar(cron, timeZone);
  if (read.kind === "calendar") return { cron, timeZone, calendar: read.calendar };
  const value = read.option === "cron" ? cron : timeZone;
  reader.fault(read.option, `${JSON.stringify(value)} ${read.why}`);
  return { cron, timeZone, calendar: null };
}

function readShort(reader: OptionReader, name: string, what: string): string | null {
  const text = reader.text(name, what);
  if (text.length <= TIMING_CHARS_MAX) return text === "" ? null : text;
  reader.fault(name, `is longer than ${TIMING_CHARS_MAX} characters`);
  return null;
}

function readTenant(reader: OptionReader): string {
  const tenant = reader.value("tenant") ?? "default";
  if (typeof tenant === "string" && isLabel(tenant) && tenant.length <= TENANT_CHARS_MAX) return tenant;
  reader.fault("tenant", `must be a text of 1 to ${TENANT_CHARS_MAX} characters on one line`);
  return "default";
}

function readCatchUp(reader: OptionReader): number {
  const value = reader.value("catchUp") ?? "last";
  if (value === "none") return 0;
  if (value === "last") return 1;
  if (typeof value === "object") {
    const nested = reader.nested("catchUp", ["upTo"]);
    return nested.count("upTo", { default: null, min: 1, max: SLOTS_AT_ONCE_MAX });
  }
  reader.fault("catchUp", `must be "none", "last" or { upTo: 10 }`);
  return 1;
}

const OVERLAPS: readonly Overlap[] = ["start", "skip", "wait"];
const PRIORITIES: readonly Priority[] = ["normal", "high", "low"];

function readWord<Word extends string>(
  reader: OptionReader,
  name: string,
  { words, otherwise }: { readonly words: readonly Word[]; readonly otherwise: Word },
): Word {
  const value = reader.value(name) ?? otherwise;
  const word = words.find((one) => one === value);
  if (word === undefined) reader.fault(name, `must be one of ${words.map((one) => `"${one}"`).join(", ")}`);
  return word ?? otherwise;
}

/** An answer that comes later cannot be had under the lock in which a slot is decided. */
function readPure(reader: OptionReader, name: string, given: AuthorFunction | null): AuthorFunction | null {
  if (given === null) return null;
  if (isAsyncFunction(given))
    reader.fault(name, "must not be async: it is pure, and asked where nothing waits");
  return given;
}
