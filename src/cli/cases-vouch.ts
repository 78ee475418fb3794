/** The commands by which people vouch for a step or order it: confirm, rule-out, redo. */

import { act, END_OPTIONS, PLAN_OPTION, REASON_OPTION, repairOf, REPAIR_OPTION } from "./act.ts";
import { needed, usage, type Call, type Command } from "./command.ts";
import { JSON_VALUE_HELP, readJsonOption } from "./json-argument.ts";
import { whoActs } from "./open.ts";

/** Confirms a step by hand. */
export const casesConfirmCommand: Command = {
  name: "cases confirm",
  summary: "confirm by hand a step in review: it took effect, and nothing is sent",
  positionals: ["CASE", "STEP"],
  options: [
    { name: "result", value: "JSON", help: `what the step gave: ${JSON_VALUE_HELP}; null when left out` },
    { name: "evidence", value: "TEXT", help: "where it can be seen: an outside id, a link" },
    REASON_OPTION,
    PLAN_OPTION,
    REPAIR_OPTION,
    ...END_OPTIONS,
  ],
  notes: ["--reason is needed. Refused while a prerequisite of the step is broken."],
  run: async (call) => {
    const reason = neededReason(call);
    const result = await readJsonOption(call, "result", null);
    await act(call, "needed", ({ desk }) =>
      desk.confirmStep(needed(call, 0), {
        step: needed(call, 1),
        result,
        evidence: call.text("evidence"),
        reason,
        by: whoActs(call),
        plan: call.text("plan") ?? undefined,
        ...repairOf(call),
      }),
    );
  },
};

/** Rules out that a step happened. */
export const casesRuleOutCommand: Command = {
  name: "cases rule-out",
  summary: "vouch that a step whose outcome is not known did not happen; it then goes on",
  positionals: ["CASE", "STEP"],
  options: [
    { name: "evidence", value: "TEXT", help: "how it is known: a statement, a look into the destination" },
    REASON_OPTION,
    PLAN_OPTION,
    REPAIR_OPTION,
    ...END_OPTIONS,
  ],
  notes: ["--reason is needed. Refused while a request of the step can still arrive at its destination."],
  run: (call) => {
    const reason = neededReason(call);
    return act(call, "needed", ({ desk }) =>
      desk.ruleOut(needed(call, 0), {
        step: needed(call, 1),
        evidence: call.text("evidence"),
        reason,
        by: whoActs(call),
        plan: call.text("plan") ?? undefined,
        ...repairOf(call),
      }),
    );
  },
};

/** Orders a step to be done again. */
export const casesRedoCommand: Command = {
  name: "cases redo",
  summary: "order a confirmed step to be done again, as a new effect; an approval is asked again",
  positionals: ["CASE", "STEP"],
  options: [REASON_OPTION, PLAN_OPTION, REPAIR_OPTION, ...END_OPTIONS],
  notes: [
    "--reason is needed. What follows the step is looked at again; a step that undoes is undone first.",
  ],
  run: (call) => {
    const reason = neededReason(call);
    return act(call, "needed", ({ desk }) =>
      desk.redoStep(needed(call, 0), {
        step: needed(call, 1),
        reason,
        by: whoActs(call),
        plan: call.text("plan") ?? undefined,
        ...repairOf(call),
      }),
    );
  },
};

function neededReason(call: Call): string {
  const reason = call.text("reason");
  if (reason === null) throw usage(call.command, "--reason is needed.");
  return reason;
}
