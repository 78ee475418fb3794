/** What the commands share that act on a case. */

import type { Client, PlannedCallOptions } from "../http/client/client.ts";
import { needed, usage, type Call, type OptionSpec } from "./command.ts";
import type { ActReply } from "./replies.ts";
import { say, sayJson } from "./terminal.ts";
import { API_OPTIONS, withClient, type ApiUse } from "./with-client.ts";

/** Who acts. */
export const BY_OPTION: OptionSpec = {
  name: "by",
  value: "NAME",
  help: "who acts on the database; your account's name when left out. A server knows it by the token",
};
/** For programs. */
export const JSON_OPTION: OptionSpec = { name: "json", value: null, help: "print one JSON document" };
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
export const END_OPTIONS: readonly OptionSpec[] = [BY_OPTION, JSON_OPTION, ...API_OPTIONS];
/** What looks take. */
export const LOOK_OPTIONS: readonly OptionSpec[] = [JSON_OPTION, ...API_OPTIONS];

/** The repair under which an act is made, as the API takes it. */
export function repairOf(call: Call): { readonly repairId?: string } {
  const repairId = call.text("repair");
  return repairId === null ? {} : { repairId };
}

/** The step that is acted on, and the repair under which. */
export function stepOf(call: Call): {
  readonly caseId: string;
  readonly step: string;
  readonly repairId?: string;
} {
  return { caseId: needed(call, 0), step: needed(call, 1), ...repairOf(call) };
}

/** The plan that an act binds to: what the person saw, or whatever it is. */
export function planOf(call: Call): PlannedCallOptions {
  const plan = call.text("plan") ?? "*";
  if (/^[\x21\x23-\x7e]{1,60}$/.test(plan)) return { plan };
  throw usage(call.command, "--plan is no plan version: `cases show` prints it.");
}

/** The reason of an act that needs one. Throws `USAGE`. */
export function neededReason(call: Call): string {
  const reason = call.text("reason");
  if (reason === null) throw usage(call.command, "--reason is needed.");
  return reason;
}

/** Does one act and says what became of it. */
export async function act(
  call: Call,
  definitions: ApiUse["definitions"],
  work: (client: Client) => Promise<ActReply>,
): Promise<void> {
  await withClient(call, { definitions }, async (client) => {
    const reply = await work(client);
    if (call.flag("json")) sayJson(reply);
    else say(`${reply.caseId}: ${reply.sentence}`);
  });
}
