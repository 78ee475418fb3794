/** The commands for moves that wait for a second person: `second list`, `second approve`, `second decline`. */

import { act, END_OPTIONS, LOOK_OPTIONS, REASON_OPTION } from "./act.ts";
import { needed, type Command } from "./command.ts";
import { say, sayJson } from "./terminal.ts";
import { withClient } from "./with-client.ts";

/** Lists what waits. */
export const secondListCommand: Command = {
  name: "second list",
  summary: "show moves that wait for a second person, oldest first",
  positionals: ["[CASE]"],
  options: LOOK_OPTIONS,
  notes: ["Which moves need one stands in the configuration, as `secondPerson`."],
  run: (call) =>
    withClient(call, { definitions: "optional" }, async (client) => {
      const [only] = call.positionals;
      const { requests } = await client.listSeconds(only === undefined ? {} : { caseId: only });
      if (call.flag("json")) return sayJson({ requests });
      if (requests.length === 0) return say("Nothing waits for a second person.");
      for (const { requestId, caseId, sentence } of requests) say(`${requestId}  ${caseId}  ${sentence}`);
    }),
};

/** Approves one. */
export const secondApproveCommand: Command = {
  name: "second approve",
  summary: "approve a move that somebody else asked for; it is then made",
  positionals: ["REQUEST"],
  options: [REASON_OPTION, ...END_OPTIONS],
  notes: ["Refused where the plan changed since it was asked for: then the request is void."],
  run: (call) =>
    act(call, "needed", (client) => {
      const requestId = needed(call, 0);
      return client.answerSecond({ requestId, approved: true, reason: call.text("reason") });
    }),
};

/** Declines one. */
export const secondDeclineCommand: Command = {
  name: "second decline",
  summary: "decline a move that somebody asked for, or take one's own request back",
  positionals: ["REQUEST"],
  options: [REASON_OPTION, ...END_OPTIONS],
  notes: [],
  run: (call) =>
    act(call, "optional", (client) => {
      const requestId = needed(call, 0);
      return client.answerSecond({ requestId, approved: false, reason: call.text("reason") });
    }),
};
