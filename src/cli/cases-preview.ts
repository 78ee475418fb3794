/** The command that shows what a move would do: `cases preview`. */

import type { PreviewBody } from "../http/api/types.ts";
import { END_OPTIONS, REPAIR_OPTION, repairOf } from "./act.ts";
import { needed, usage, type Call, type Command } from "./command.ts";
import { JSON_VALUE_HELP, readJsonOption } from "./json-argument.ts";
import type { Reply } from "./replies.ts";
import { say, sayJson } from "./terminal.ts";
import { formatTime } from "./times.ts";
import { withClient } from "./with-client.ts";

type MovePreview = Reply<"previewMove">;
type SendPreview = NonNullable<MovePreview["after"]>["willSend"][number];

const onStep = ["confirm", "skip", "check", "ruleOut", "redo", "undo", "leaveOutside"] as const;
const moves = ["resume", "correct", ...onStep, "cancel"].join(", ");

/** Shows what a move would do. */
export const casesPreviewCommand: Command = {
  name: "cases preview",
  summary: "show what a move would do: what is kept, lapses, is asked and is sent; nothing is changed",
  positionals: ["CASE", "MOVE", "[STEP]"],
  options: [
    { name: "input", value: "JSON", help: `for correct, the whole input as it would be: ${JSON_VALUE_HELP}` },
    { name: "result", value: "JSON", help: `for confirm and skip, what the step gave: ${JSON_VALUE_HELP}` },
    { name: "force", value: null, help: "for resume, also what was rejected" },
    REPAIR_OPTION,
    ...END_OPTIONS,
  ],
  notes: [`MOVE is one of ${moves}.`, "It prints the plan version to hand to the move with --plan."],
  run: async (call) => {
    const request = await readRequest(call);
    await withClient(call, { definitions: "needed" }, async (client) => {
      const preview = await client.previewMove({ caseId: needed(call, 0), ...request, ...repairOf(call) });
      if (call.flag("json")) sayJson(preview);
      else for (const line of previewLines(preview)) say(line);
    });
  },
};

async function readRequest(call: Call): Promise<PreviewBody> {
  const move = needed(call, 1);
  const step = call.positionals[2];
  if (move === "cancel") return { move };
  if (move === "resume") {
    return { move, ...(step === undefined ? {} : { step }), ...(call.flag("force") ? { force: true } : {}) };
  }
  if (move === "correct") {
    if (call.text("input") === null) throw usage(call.command, "--input is needed to preview a correction.");
    return { move, input: await readJsonOption(call, "input", null) };
  }
  const named = onStep.find((one) => one === move);
  if (named === undefined) throw usage(call.command, `MOVE is one of ${moves}.`);
  if (step === undefined) throw usage(call.command, `STEP is missing: ${move} acts on one.`);
  if (named !== "confirm" && named !== "skip") return { move: named, step };
  const result = await readJsonOption(call, "result", undefined);
  return { move: named, step, ...(result === undefined ? {} : { result }) };
}

/** The lines of a preview. */
function previewLines(preview: MovePreview): readonly string[] {
  const { after, plan, lapses, inputChanges } = preview;
  if (after === null)
    return [`Not now: ${[preview.code, preview.why].filter((one) => one !== null).join(" ")}`];
  return [
    `${preview.move} --plan ${plan} would do this:`,
    ...inputChanges.map(
      ({ path, from, to }) => `  input    ${path}: ${JSON.stringify(from)} -> ${JSON.stringify(to)}`,
    ),
    ...lapses.map(({ step, because, next }) => `  lapses   ${step}: ${because}; ${next}`),
    ...after.kept.map((step) => `  keeps    ${step}`),
    ...after.askedAgain.map((step) => `  asks     ${step}`),
    ...after.willSend.map((send) => `  sends    ${sendLine(send)}`),
    ...after.needs.map(({ step, who, sentence }) => `  needs    ${who} for ${step}: ${sentence}`),
    ...(after.isComplete ? ["  the case is done then"] : []),
  ];
}

function sendLine({ sentence, idempotencyKey, safeToResendUntilAt, effect }: SendPreview): string {
  const mark = effect === "further" ? "! " : "";
  const key = idempotencyKey === null ? "" : ` Key ${idempotencyKey}.`;
  const until =
    safeToResendUntilAt === null ? "" : ` Safe to resend until ${formatTime(safeToResendUntilAt)}.`;
  return `${mark}${sentence}${key}${until}`;
}
