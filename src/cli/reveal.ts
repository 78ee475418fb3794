/** `cases reveal`: what is masked of a case. */

import { END_OPTIONS, neededReason, REASON_OPTION } from "./act.ts";
import { needed, type Command } from "./command.ts";
import { tableLines } from "./table.ts";
import { columns, say, sayJson } from "./terminal.ts";
import { withClient } from "./with-client.ts";

const PART_WORDS = {
  input: "input",
  originalInput: "original input",
  result: "result of",
  evidence: "evidence of",
  request: "request of",
  event: "event",
} as const;

/** Shows what is masked of one case. */
export const casesRevealCommand: Command = {
  name: "cases reveal",
  summary: "show what is masked of a case; who did and why is on record",
  positionals: ["CASE"],
  options: [REASON_OPTION, ...END_OPTIONS],
  notes: ["--reason is needed."],
  run: async (call) => {
    const caseId = needed(call, 0);
    const reason = neededReason(call);
    await withClient(call, { definitions: "optional" }, async (client) => {
      const revealed = await client.revealCase({ caseId, reason });
      if (call.flag("json")) return sayJson(revealed);
      if (revealed.values.length === 0) return say("Nothing of it is masked.");
      const rows = revealed.values.map(({ part, name, path, value }) => [
        [PART_WORDS[part], name ?? ""].join(" ").trim(),
        path === "" ? "-" : path,
        JSON.stringify(value),
      ]);
      for (const line of tableLines(["OF", "PATH", "VALUE"], rows, columns())) say(line);
      if (revealed.isCut) say("Only the first 500 values are told.");
    });
  },
};
