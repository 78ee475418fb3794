/**
 * The commands that hold a case while a person repairs it: open, take-over, close. Each command is a process of its own,
 * so the repair outlives it: whatever is done under the repair renews its lease.
 */

import type { Client } from "../http/client/client.ts";
import { act, END_OPTIONS, neededReason, REASON_OPTION, REPAIR_OPTION } from "./act.ts";
import { needed, usage, type Call, type Command } from "./command.ts";
import type { Reply } from "./replies.ts";
import { SPOKEN_NAME } from "./spoken-name.ts";
import { say, sayJson } from "./terminal.ts";
import { withClient } from "./with-client.ts";

const LEASE_NOTE =
  "The repair ends five minutes after the last command under it; then the case goes back to what it was.";

/** Opens a case for repair. */
export const casesOpenCommand: Command = {
  name: "cases open",
  summary: "hold a case while you repair it: nobody else works on it, and what comes meanwhile waits",
  positionals: ["CASE"],
  options: END_OPTIONS,
  notes: [LEASE_NOTE, "What you do meanwhile takes --repair with the id that this prints."],
  run: (call) => hold(call, (client) => client.openRepair({ caseId: needed(call, 0) })),
};

/** Takes a repair over. */
export const casesTakeOverCommand: Command = {
  name: "cases take-over",
  summary: "take a case over from a person who has it open for repair",
  positionals: ["CASE"],
  options: [REASON_OPTION, ...END_OPTIONS],
  notes: ["--reason is needed. What the other person does from then on is refused, naming you.", LEASE_NOTE],
  run: async (call) => {
    const reason = neededReason(call);
    await hold(call, (client) => client.takeOverRepair({ caseId: needed(call, 0), reason }));
  },
};

/** Closes a repair. */
export const casesCloseCommand: Command = {
  name: "cases close",
  summary: "end a repair: what came meanwhile is applied, and the case goes on",
  positionals: ["CASE"],
  options: [REPAIR_OPTION, ...END_OPTIONS],
  notes: ["--repair is needed."],
  run: async (call) => {
    const repairId = call.text("repair");
    if (repairId === null) throw usage(call.command, "--repair is needed.");
    await act(call, "optional", (client) => client.closeRepair({ caseId: needed(call, 0), repairId }));
  },
};

async function hold(call: Call, open: (client: Client) => Promise<Reply<"openRepair">>): Promise<void> {
  await withClient(call, { definitions: "optional" }, async (client) => {
    const opened = await open(client);
    if (call.flag("json")) {
      sayJson(opened);
      return;
    }
    const { caseId, repairId, sentence } = opened;
    say(`${caseId}: ${sentence}`);
    say(`Look at it:  ${SPOKEN_NAME} cases show ${caseId} --repair ${repairId}`);
    say(`Close it:    ${SPOKEN_NAME} cases close ${caseId} --repair ${repairId}`);
  });
}
