/** The commands for one move on many cases: `bulk start | list | show | pause | resume | stop`. */

import type { BulkActView, BulkFilterBody, BulkMoveBody, BulkOrderBody } from "../http/api/types.ts";
import type { Client } from "../http/client/client.ts";
import { END_OPTIONS, LOOK_OPTIONS, REASON_OPTION } from "./act.ts";
import { untilThere } from "./clock-there.ts";
import { needed, readWhole, usage, type Call, type Command } from "./command.ts";
import { JSON_VALUE_HELP, readJsonOption } from "./json-argument.ts";
import type { Reply } from "./replies.ts";
import { SPOKEN_NAME } from "./spoken-name.ts";
import { say, sayJson } from "./terminal.ts";
import { formatTime } from "./times.ts";
import { withClient } from "./with-client.ts";

const PLACE_MAX = 999_999_999;
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
    withClient(call, { definitions: "needed" }, async (client) => {
      const filter = readFilter(call);
      const move = await readMove(call, client);
      if (call.flag("preview")) {
        const preview = await client.previewBulk({ move, filter });
        if (call.flag("json")) sayJson(preview);
        else for (const line of previewLines(preview)) say(line);
        return;
      }
      const act = await client.startBulk({
        move,
        filter,
        reason: call.text("reason"),
        ...(call.flag("at-once") ? { tryFirst: false } : {}),
      });
      if (call.flag("json")) sayJson(act);
      else say(`${actLine(act)} Look at it: ${SPOKEN_NAME} bulk show ${act.bulkId}`);
    }),
};

async function readMove(call: Call, client: Client): Promise<BulkMoveBody> {
  const move = needed(call, 0);
  const step = call.text("step");
  switch (move) {
    case "resume":
      return step === null ? { move } : { move, step };
    case "check":
    case "skip": {
      if (step === null) throw usage(call.command, `--step is needed to ${move}.`);
      if (move === "check") return { move, step };
      const result = await readJsonOption(call, "result", null);
      return { move, step, result };
    }
    case "pause": {
      const until = call.text("until");
      return { move, untilAt: until === null ? null : await untilThere(client, until) };
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

function readFilter(call: Call): BulkFilterBody {
  const problemId = call.text("problem");
  const caseIds = call.texts("case");
  if ((problemId === null) === (caseIds.length === 0)) {
    throw usage(call.command, "Say which cases: --problem, or --case.");
  }
  if (problemId !== null) return { by: "problem", problemId };
  return { by: "cases", caseIds };
}

function previewLines({ cases, looked, allowed, refused, sends }: Reply<"previewBulk">): readonly string[] {
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

function actLine({ bulkId, move, state, why, counts }: BulkActView): string {
  const { total, done, refused, open } = counts;
  const because = why === null ? "" : ` (${why})`;
  return `${bulkId}  ${move} on ${total} cases: ${state}${because}; ${done} done, ${refused} refused, ${open} open.`;
}

/** Lists bulk acts. */
export const bulkListCommand: Command = {
  name: "bulk list",
  summary: "bulk acts, newest first",
  positionals: [],
  options: LOOK_OPTIONS,
  notes: [],
  run: (call) =>
    withClient(call, { definitions: "optional" }, async (client) => {
      const { acts } = await client.listBulkActs();
      if (call.flag("json")) sayJson({ acts });
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
    ...LOOK_OPTIONS,
  ],
  notes: [],
  run: (call) =>
    withClient(call, { definitions: "optional" }, async (client) => {
      const after = readWhole(call, "after", { min: 0, max: PLACE_MAX });
      const view = await client.showBulkAct({
        bulkId: needed(call, 0),
        ...(after === null ? {} : { after }),
        ...(call.flag("refused") ? { state: "refused" as const } : {}),
      });
      if (call.flag("json")) {
        sayJson(view);
        return;
      }
      say(actLine(view.act));
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

function orderCommand(order: BulkOrderBody["order"], summary: string): Command {
  return {
    name: `bulk ${order}`,
    summary,
    positionals: ["ID"],
    options: [REASON_OPTION, ...END_OPTIONS],
    notes: [],
    run: (call) =>
      withClient(call, { definitions: "optional" }, async (client) => {
        const bulkId = needed(call, 0);
        const act = await client.orderBulkAct({ bulkId, order, reason: call.text("reason") });
        if (call.flag("json")) sayJson(act);
        else say(actLine(act));
      }),
  };
}
