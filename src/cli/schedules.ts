/** The commands for what starts cases by the clock: `schedules list`, `show`, `next`, `pause`, `resume`, `start`, `leave`. */

import type { Client } from "../http/client/client.ts";
import { END_OPTIONS, LOOK_OPTIONS, neededReason, REASON_OPTION } from "./act.ts";
import { untilThere } from "./clock-there.ts";
import { needed, readWhole, textsGiven, usage, type Call, type Command, type OptionSpec } from "./command.ts";
import { CURSOR_OPTION } from "./paging.ts";
import type { Reply } from "./replies.ts";
import { tableLines } from "./table.ts";
import { columns, say, sayJson } from "./terminal.ts";
import { formatDistance, formatTime, readMoment } from "./times.ts";
import { withClient } from "./with-client.ts";

type Schedule = Reply<"pauseSchedule">;
type Detail = Reply<"showSchedule">;

/** Slots on one page at most, and to come at most: what the API gives. */
const SLOTS_MAX = 200;
const TO_COME_MAX = 100;

/** Lists them. */
export const schedulesListCommand: Command = {
  name: "schedules list",
  summary: "list what starts cases by the clock: how each stands, and when it starts the next",
  positionals: [],
  options: LOOK_OPTIONS,
  notes: ["Those are listed too that the configuration names no more, or that no process has run yet."],
  run: (call) =>
    withClient(call, { definitions: "optional" }, async (client) => {
      const reply = await client.listSchedules();
      if (call.flag("json")) return sayJson(reply);
      if (reply.schedules.length === 0) return say("Nothing starts cases by the clock.");
      const heading = ["SCHEDULE", "CASE TYPE", "CRON", "ZONE", "STANDS", "SO THAT"];
      const rows = reply.schedules.map((one) => [
        one.name,
        one.caseType,
        one.cron,
        one.timeZone,
        one.overdueSinceAt === null ? one.standing : `${one.standing}, overdue`,
        one.sentence,
      ]);
      for (const line of tableLines(heading, rows, columns())) say(line);
    }),
};

/** Shows one. */
export const schedulesShowCommand: Command = {
  name: "schedules show",
  summary: "show a schedule with its next slots, and what became of those before",
  positionals: ["SCHEDULE"],
  options: [limitOption(SLOTS_MAX, 50), CURSOR_OPTION, ...LOOK_OPTIONS],
  notes: ["A slot that was left out or could not be started says why; `schedules start` makes it good."],
  run: (call) =>
    withClient(call, { definitions: "optional" }, async (client) => {
      const limit = readWhole(call, "limit", { min: 1, max: SLOTS_MAX });
      const detail = await client.showSchedule({
        schedule: needed(call, 0),
        ...(limit === null ? {} : { limit }),
        ...textsGiven(call, { cursor: "cursor" }),
      });
      if (call.flag("json")) return sayJson(detail);
      for (const line of detailLines(detail)) say(line);
    }),
};

/** Looks ahead. */
export const schedulesNextCommand: Command = {
  name: "schedules next",
  summary: "show the slots that a schedule names next, in its zone and in yours, whether it runs or not",
  positionals: ["SCHEDULE"],
  options: [limitOption(TO_COME_MAX, 5), ...LOOK_OPTIONS],
  notes: [],
  run: (call) =>
    withClient(call, { definitions: "optional" }, async (client) => {
      const limit = readWhole(call, "limit", { min: 1, max: TO_COME_MAX });
      const reply = await client.listSlotsToCome({
        schedule: needed(call, 0),
        ...(limit === null ? {} : { limit }),
      });
      if (call.flag("json")) return sayJson(reply);
      const { now, slots, timeZone } = reply;
      if (slots.length === 0) return say("No slot comes any more.");
      for (const { at, localTime } of slots) {
        say(`${localTime} ${timeZone}  ${formatTime(at)}  ${formatDistance(at, now)}`);
      }
    }),
};

/** Stops one. */
export const schedulesPauseCommand: Command = {
  name: "schedules pause",
  summary: "start nothing until a time, or until it is resumed; the slots meanwhile are left out",
  positionals: ["SCHEDULE"],
  options: [
    {
      name: "until",
      value: "TIME",
      help: "30m, 2h, 3d, or a time with its zone; until resumed when left out",
    },
    REASON_OPTION,
    ...END_OPTIONS,
  ],
  notes: ["--reason is needed. Cases that were started go on."],
  run: (call) => {
    const reason = neededReason(call);
    return change(call, async (client, schedule) => {
      const until = call.text("until");
      const untilAt = until === null ? null : await untilThere(client, until);
      return client.pauseSchedule({ schedule, reason, untilAt });
    });
  },
};

/** Lets one go on. */
export const schedulesResumeCommand: Command = {
  name: "schedules resume",
  summary: "let a schedule go on, with the first slot after now",
  positionals: ["SCHEDULE"],
  options: [REASON_OPTION, ...END_OPTIONS],
  notes: ["What the pause left out stays on record; `schedules start --slot` starts one of these slots."],
  run: (call) =>
    change(call, (client, schedule) => client.resumeSchedule({ schedule, reason: call.text("reason") })),
};

/** Starts a slot. */
export const schedulesStartCommand: Command = {
  name: "schedules start",
  summary: "start the case of a slot that has none, or one now beside the calendar",
  positionals: ["SCHEDULE"],
  options: [
    { name: "slot", value: "TIME", help: "the slot, as a time with its zone; now when left out" },
    { name: "act", value: "ID", help: "the same order with the same id starts one case" },
    REASON_OPTION,
    ...END_OPTIONS,
  ],
  notes: ["Also while it is paused, and whatever its overlap rule says."],
  run: (call) => {
    const slotAt = slotGiven(call);
    return withClient(call, { definitions: "needed" }, async (client) => {
      const started = await client.startSlot({
        schedule: needed(call, 0),
        ...(slotAt === null ? {} : { slotAt }),
        ...textsGiven(call, { actId: "act" }),
        reason: call.text("reason"),
      });
      if (call.flag("json")) return sayJson(started);
      say(started.isNew ? `Started ${started.caseId}.` : `This slot has its case: ${started.caseId}.`);
    });
  },
};

/** Leaves a slot without a case. */
export const schedulesLeaveCommand: Command = {
  name: "schedules leave",
  summary: "say that a slot that could not be started stays without a case",
  positionals: ["SCHEDULE", "KEY"],
  options: [REASON_OPTION, ...END_OPTIONS],
  notes: ["--reason is needed. `schedules show --json` names the key of each slot, as `slotKey`."],
  run: (call) => {
    const [reason, slotKey] = [neededReason(call), needed(call, 1)];
    return change(call, (client, schedule) => client.leaveSlot({ schedule, slotKey, reason }));
  },
};

function limitOption(max: number, otherwise: number): OptionSpec {
  const help = `slots on one page, at most ${max}; ${otherwise} when left out`;
  return { name: "limit", value: "SLOTS", help };
}

/** A change of one schedule, which then says how it stands. */
function change(call: Call, act: (client: Client, schedule: string) => Promise<Schedule>): Promise<void> {
  return withClient(call, { definitions: "optional" }, async (client) => {
    const schedule = await act(client, needed(call, 0));
    if (call.flag("json")) sayJson(schedule);
    else say(`${schedule.name}: ${schedule.standing}. ${schedule.sentence}.`);
  });
}

/** The slot that is named; null = none is. Throws `USAGE`. */
function slotGiven(call: Call): number | null {
  const text = call.text("slot");
  if (text === null) return null;
  const moment = readMoment(text);
  if (moment.kind === "time") return moment.at;
  throw usage(call.command, "--slot is a time with its zone, such as 2027-02-01T06:00:00+01:00.");
}

function detailLines(detail: Detail): readonly string[] {
  const { catchUp, lastCaseId, lastSlotAt, now } = detail;
  const last = lastCaseId === null ? "" : ` for ${lastSlotAt === null ? "a slot" : formatTime(lastSlotAt)}`;
  const facts: readonly (readonly [string, string])[] = [
    ["starts", `a case of ${detail.caseType}, tenant ${detail.tenant}`],
    ["cron", `${detail.cron}, by the clocks of ${detail.timeZone}: ${detail.zone}`],
    ["catches up", typeof catchUp === "string" ? catchUp : `up to ${catchUp.upTo}`],
    ["overlap", detail.overlap],
    ["last case", lastCaseId === null ? "none" : `${lastCaseId}${last}`],
  ];
  const rows = detail.slots.map((slot) => [
    `${formatTime(slot.slotAt)}${slot.lastAt === slot.slotAt ? "" : ` to ${formatTime(slot.lastAt)}`}`,
    `${slot.isAtLeast ? "at least " : ""}${slot.slots}`,
    slot.outcome,
    slot.caseId ?? "-",
    slot.sentence,
  ]);
  return [
    `${detail.name}  ${detail.standing}`,
    `  ${detail.sentence}.`,
    "",
    ...facts.map(([name, fact]) => `  ${name.padEnd(11)} ${fact}`),
    ...detail.nextSlots.map(
      ({ at, localTime }) =>
        `  next        ${localTime} there, ${formatTime(at)} here, ${formatDistance(at, now)}`,
    ),
    "",
    ...(rows.length === 0
      ? ["No slot is decided yet."]
      : tableLines(["SLOT", "SLOTS", "BECAME", "CASE", "BECAUSE"], rows, columns())),
    ...(detail.next === null
      ? []
      : [`Older ones: foothold schedules show ${detail.name} --cursor '${detail.next}'`]),
  ];
}
