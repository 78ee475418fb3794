/** The commands by which people vouch for a step or order it: confirm, rule-out, redo. */

import {
  act,
  END_OPTIONS,
  neededReason,
  PLAN_OPTION,
  planOf,
  REASON_OPTION,
  REPAIR_OPTION,
  stepOf,
} from "./act.ts";
import type { Command } from "./command.ts";
import { JSON_VALUE_HELP, readJsonOption } from "./json-argument.ts";

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
    await act(call, "needed", (client) => {
      const evidence = call.text("evidence");
      return client.confirmStep({ ...stepOf(call), result, evidence, reason }, planOf(call));
    });
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
    return act(call, "needed", (client) => {
      const evidence = call.text("evidence");
      return client.ruleOutStep({ ...stepOf(call), evidence, reason }, planOf(call));
    });
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
    return act(call, "needed", (client) => {
      return client.redoStep({ ...stepOf(call), reason }, planOf(call));
    });
  },
};
