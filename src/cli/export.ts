/** `cases export`: a case as a document. */

import { BY_OPTION } from "./act.ts";
import { needed, type Command } from "./command.ts";
import { sayJson } from "./terminal.ts";
import { API_OPTIONS, withClient } from "./with-client.ts";

/** Prints a case, whole. */
export const casesExportCommand: Command = {
  name: "cases export",
  summary: "print a case with its whole journal as one JSON document, to be replayed against other code",
  positionals: ["CASE"],
  options: [
    {
      name: "reveal",
      value: "REASON",
      help: "what is masked too, as it is, for this reason, which goes on record; it can then be replayed",
    },
    BY_OPTION,
    ...API_OPTIONS,
  ],
  notes: [
    "It holds the input and every result: keep it as you keep those. What the case type masks is a mark.",
    "Where the definition is not loaded nobody knows what is masked: all of it is.",
  ],
  run: (call) => {
    const caseId = needed(call, 0);
    const reason = call.text("reveal");
    return withClient(call, { definitions: "optional" }, async (client) => {
      sayJson(
        await (reason === null ? client.exportCase({ caseId }) : client.revealExport({ caseId, reason })),
      );
    });
  },
};
