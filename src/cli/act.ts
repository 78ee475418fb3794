/** What the commands share that act on a case. */

import type { ActReply } from "../desk/change.ts";
import type { Call, OptionSpec } from "./command.ts";
import { DATABASE_OPTIONS, withOpened, type Opened } from "./open.ts";
import { say, sayJson } from "./terminal.ts";

const byOption: OptionSpec = {
  name: "by",
  value: "NAME",
  help: "who acts; your account's name when left out",
};
const jsonOption: OptionSpec = { name: "json", value: null, help: "print one JSON document" };
/** Why it is done. */
export const REASON_OPTION: OptionSpec = { name: "reason", value: "TEXT", help: "why, for the history" };
/** The plan that the person saw. */
export const PLAN_OPTION: OptionSpec = {
  name: "plan",
  value: "VERSION",
  help: "the plan version you saw in `cases show`; refused if the plan changed since",
};
/** The repair under which the act is made. */
export const REPAIR_OPTION: OptionSpec = {
  name: "repair",
  value: "ID",
  help: "the repair that `cases open` gave you, while it is open",
};
/** What every act takes. */
export const END_OPTIONS: readonly OptionSpec[] = [byOption, jsonOption, ...DATABASE_OPTIONS];

/** The repair under which an act is made, as the desk takes it. */
export function repairOf(call: Call): { readonly repairId?: string } {
  const repairId = call.text("repair");
  return repairId === null ? {} : { repairId };
}

/** Does one act and says what became of it. */
export async function act(
  call: Call,
  definitions: "needed" | "optional",
  work: (opened: Opened) => Promise<ActReply>,
): Promise<void> {
  await withOpened(call, { definitions }, async (opened) => {
    const reply = await work(opened);
    if (call.flag("json")) sayJson(reply);
    else say(`${reply.caseId}: ${reply.sentence}`);
  });
}
