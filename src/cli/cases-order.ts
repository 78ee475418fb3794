/** The commands by which people order something about one step, and say whose a case is: check, skip, undo and the like. */

import type { Assignee } from "../core/journal.ts";
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
import { needed, usage, type Call, type Command, type OptionSpec } from "./command.ts";
import { JSON_VALUE_HELP, readJsonOption } from "./json-argument.ts";

/** Has a step asked about. */
export const casesCheckCommand: Command = {
  name: "cases check",
  summary: "have a worker ask anew what is known of a step; nothing is sent",
  positionals: ["CASE", "STEP"],
  options: [REASON_OPTION, PLAN_OPTION, REPAIR_OPTION, ...END_OPTIONS],
  notes: [
    "Its probes are asked, and whether its effect is there. The answers are in the history once they came.",
  ],
  run: (call) =>
    act(call, "needed", (client) =>
      client.checkStep({ ...stepOf(call), reason: call.text("reason") }, planOf(call)),
    ),
};

/** Leaves a step out. */
export const casesSkipCommand: Command = {
  name: "cases skip",
  summary: "leave a step out: nothing of it is sent, and what follows goes on",
  positionals: ["CASE", "STEP"],
  options: [
    {
      name: "result",
      value: "JSON",
      help: `what later steps use instead: ${JSON_VALUE_HELP}; null when left out`,
    },
    REASON_OPTION,
    PLAN_OPTION,
    REPAIR_OPTION,
    ...END_OPTIONS,
  ],
  notes: ["--reason is needed. Refused while it is not known whether the step happened."],
  run: async (call) => {
    const reason = neededReason(call);
    const result = await readJsonOption(call, "result", null);
    await act(call, "needed", (client) => client.skipStep({ ...stepOf(call), result, reason }, planOf(call)));
  },
};

/** Takes back what a step did. */
export const casesUndoCommand: Command = {
  name: "cases undo",
  summary: "take back what a confirmed step did; it is not done again before the case is resumed",
  positionals: ["CASE", "STEP"],
  options: [REASON_OPTION, PLAN_OPTION, REPAIR_OPTION, ...END_OPTIONS],
  notes: ["--reason is needed. The step's definition must say how it is undone."],
  run: (call) => {
    const reason = neededReason(call);
    return act(call, "needed", (client) => client.undoStep({ ...stepOf(call), reason }, planOf(call)));
  },
};

/** Says that what a step did stays outside. */
export const casesLeaveOutsideCommand: Command = {
  name: "cases leave-outside",
  summary: "say, in a case that is being canceled, that what a step did stays outside or was undone by hand",
  positionals: ["CASE", "STEP"],
  options: [REASON_OPTION, PLAN_OPTION, REPAIR_OPTION, ...END_OPTIONS],
  notes: [
    "--reason is needed. Nothing more is done about that step; once nothing is left, the case is canceled.",
  ],
  run: (call) => {
    const reason = neededReason(call);
    return act(call, "needed", (client) => client.leaveOutside({ ...stepOf(call), reason }, planOf(call)));
  },
};

const labelOption: OptionSpec = {
  name: "label",
  value: "NAME",
  help: "how people know them; the same as WHO when left out",
};

/** Says whose a case is. */
export const casesAssignCommand: Command = {
  name: "cases assign",
  summary: "give a case to a person or a team; nobody in particular when WHO is left out",
  positionals: ["CASE", "[WHO]"],
  options: [labelOption, REASON_OPTION, ...END_OPTIONS],
  notes: ["It moves nothing: what the case waits for stays the same."],
  run: (call) =>
    act(call, "optional", (client) =>
      client.assignCase({
        caseId: needed(call, 0),
        to: call.positionals[1] === undefined ? null : assigneeOf(call),
        reason: call.text("reason"),
      }),
    ),
};

/** Gives a case that one has open for repair to somebody else. */
export const casesHandOverCommand: Command = {
  name: "cases hand-over",
  summary: "end your repair of a case and give it to somebody else",
  positionals: ["CASE", "WHO"],
  options: [labelOption, REASON_OPTION, REPAIR_OPTION, ...END_OPTIONS],
  notes: ["--reason and --repair are needed. What came meanwhile is applied."],
  run: (call) => {
    const reason = neededReason(call);
    const repairId = call.text("repair");
    if (repairId === null) throw usage(call.command, "--repair is needed.");
    return act(call, "optional", (client) =>
      client.handOverRepair({ caseId: needed(call, 0), to: assigneeOf(call), reason, repairId }),
    );
  },
};

function assigneeOf(call: Call): Assignee {
  const id = needed(call, 1);
  return { id, label: call.text("label") ?? id };
}
