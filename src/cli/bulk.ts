/** The commands for one move on many cases: `bulk start | list | show | pause | resume | stop`. */

import type { BulkAct } from "../store/bulk-port.ts";
import type { BulkFilter, BulkMove, BulkOrder, BulkPreview } from "../desk/bulk.ts";
import { END_OPTIONS, REASON_OPTION } from "./act.ts";
import { needed, usage, type Call, type Command } from "./command.ts";
import { JSON_VALUE_HELP, readJsonOption } from "./json-argument.ts";
import { whoActs, withOpened } from "./open.ts";
import { SPOKEN_NAME } from "./spoken-name.ts";
import { say, sayJson } from "./terminal.ts";
import { formatTime, readUntil } from "./times.ts";

const moves = "resume, check, skip, pause, cancel, assign, note";

/** Makes a bulk act. */
export const bulkStartCommand: Command = {
  name: "bulk start",
  summary: "make one move on many cases: one is tried first, then the rest, with a result for each",
  positionals: ["MOVE"],
  options: [
    { name: "problem", value: "ID", help: "the cases of a group that `foothold problems` names" },
    { name: "case", value: "CASE", help: "one case; may be given several times", isRepeatable: true },
    { name: "step", value: "STEP", help: "for resume, check and skip" },
    { name: "result", value: "JSON", help: `for skip, what later steps use: ${JSON_VALUE_HELP}` },
    { name: "until", value: "TIME", help: "for pause: 30m, 2h, 3d, or a time with its zone" },
    { name: "to", value: "WHO", help: "for assign; nobody in particular when left out" },
    { name: "text", value: "TEXT", help: "for note" },
    { name: "preview", value: null, help: "only count what it would do" },
    { name: "at-once", value: null, help: "do not try one case first" },
    REASON_OPTION,
    ...END_OPTIONS,
  ],
  notes: [
    `MOVE is one of ${moves}. The cases are frozen now: what comes later is not swept along.`,
    "A server or worker with the definitions works it off; another one goes on with it where one dies.",
  ],
  run: (call) =>
    withOpened(call, { definitions: "needed" }, async ({ desk, store }) => {
      const move = await readMove(call, await store.now());
      const filter = readFilter(call);
      if (call.flag("preview")) {
        const preview = await desk.previewBulk({ move, filter });
        if (call.flag("json")) sayJson(preview);
        else for (const line of previewLines(preview)) say(line);
        return;
      }
      const act = await desk.startBulk({
        move,
        filter,
        by: whoActs(call),
        reason: call.text("reason"),
        ...(call.flag("at-once") ? { tryFirst: false } : {}),
      });
      if (call.flag("json")) sayJson(act);
      else say(`${actLine(act)} Look at it: ${SPOKEN_NAME} bulk show ${act.bulkId}`);
    }),
};

async function readMove(call: Call, now: number): Promise<BulkMove> {
  const move = needed(call, 0);
  const step = call.text("step");
  switch (move) {
    case "resume":
      return { move, step };
    case "check":
    case "skip": {
      if (step === null) throw usage(call.command, `--step is needed to ${move}.`);
      if (move === "check") return { move, step };
      const result = await readJsonOption(call, "result", null);
      return { move, step, result };
    }
    case "pause": {
      const until = call.text("until");
      return { move, untilAt: until === null ? null : readUntil(until, now) };
    }
    case "cancel":
      return { move };
    case "assign": {
      const to = call.text("to");
      return { move, to: to === null ? null : { id: to, label: to } };
    }
    case "note": {
      const text = call.text("text");
      if (text === null) throw usage(call.command, "--text is needed.");
      return { move, text };
    }
    default:
      throw usage(call.command, `MOVE is one of ${moves}.`);
  }
}

function readFilter(call: Call): BulkFilter {
  const problemId = call.text("problem");
  const caseIds = call.texts("case");
  if ((problemId === null) === (caseIds.length === 0)) {
    throw usage(call.command, "Say which cases: --problem, or --case.");
  }
  if (problemId !== null) return { by: "problem", problemId };
  return { by: "cases", caseIds };
}

function previewLines({ cases, looked, allowed, refused, sends }: BulkPreview): readonly string[] {
  const of = looked < cases ? ` (the ${looked} that have waited longest were looked at)` : "";
  return [
    `${cases} cases${of}: ${allowed} would go, ${looked - allowed} would be refused.`,
    ...sends.map(({ destination, effect, count }) => `  ${count} sends to ${destination} (${effect})`),
    ...refused.map(
      ({ code, count, example, exampleCaseId }) =>
        `  ${count} refused, as ${exampleCaseId}: ${[code, example].filter((one) => one !== null).join(" ")}`,
    ),
  ];
}

function actLine({ bulkId, move, state, why, counts }: BulkAct): string {
  const { total, done, refused, open } = counts;
  const because = why === null ? "" : ` (${why})`;
  return `${bulkId}  ${move} on ${total} cases: ${state}${because}; ${done} done, ${refused} refused, ${open} open.`;
}

/** Lists bulk acts. */
export const bulkListCommand: Command = {
  name: "bulk list",
  summary: "bulk acts, newest first",
  positionals: [],
  options: END_OPTIONS,
  notes: [],
  run: (call) =>
    withOpened(call, { definitions: "optional" }, async ({ desk }) => {
      const acts = await desk.listBulks();
      if (call.flag("json")) sayJson(acts);
      else if (acts.length === 0) say("There is no bulk act.");
      else for (const act of acts) say(`${formatTime(act.createdAt)}  ${actLine(act)}`);
    }),
};

/** Shows one. */
export const bulkShowCommand: Command = {
  name: "bulk show",
  summary: "a bulk act with what became of each case",
  positionals: ["ID"],
  options: [
    { name: "refused", value: null, help: "only the cases that were refused" },
    { name: "after", value: "PLACE", help: "the cases after this place" },
    ...END_OPTIONS,
  ],
  notes: [],
  run: (call) =>
    withOpened(call, { definitions: "optional" }, async ({ desk }) => {
      const after = Number(call.text("after") ?? "-1");
      if (!Number.isSafeInteger(after)) throw usage(call.command, "--after must be a whole number.");
      const page = { afterPlace: after, ...(call.flag("refused") ? { state: "refused" as const } : {}) };
      const view = await desk.showBulk(needed(call, 0), page);
      if (call.flag("json")) {
        sayJson(view);
        return;
      }
      say(actLine(view));
      for (const { place, caseId, state, code, sentence } of view.items) {
        say(`  ${place}  ${caseId}  ${[state, code, sentence].filter((one) => one !== null).join("  ")}`);
      }
      if (view.next !== null) say(`  … more: --after ${view.next}`);
    }),
};

/** Begins no further case until it is resumed. */
export const bulkPauseCommand: Command = orderCommand(
  "pause",
  "begin no further case of a bulk act until it is resumed",
);
/** Goes on, also where the first case did not turn out well. */
export const bulkResumeCommand: Command = orderCommand(
  "resume",
  "let a paused bulk act go on, also where its first case did not turn out well",
);
/** Ends it. */
export const bulkStopCommand: Command = orderCommand(
  "stop",
  "end a bulk act; cases that are not begun stay as they are",
);

function orderCommand(order: BulkOrder, summary: string): Command {
  return {
    name: `bulk ${order}`,
    summary,
    positionals: ["ID"],
    options: [REASON_OPTION, ...END_OPTIONS],
    notes: [],
    run: (call) =>
      withOpened(call, { definitions: "optional" }, async ({ desk }) => {
        const request = { order, by: whoActs(call), reason: call.text("reason") };
        const act = await desk.orderBulk(needed(call, 0), request);
        if (call.flag("json")) sayJson(act);
        else say(actLine(act));
      }),
  };
}
