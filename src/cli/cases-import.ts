/** `cases import`: a case that another installation exported, taken over. */

import { BY_OPTION, JSON_OPTION } from "./act.ts";
import { needed, usage, type Command } from "./command.ts";
import { DATABASE_OPTIONS } from "./database-options.ts";
import { readJsonFile } from "./json-file.ts";
import { whoActs, withOpened } from "./open.ts";
import { say, sayJson } from "./terminal.ts";
import { formatTime } from "./times.ts";

/** Stores a case with the journal that it had elsewhere. */
export const casesImportCommand: Command = {
  name: "cases import",
  summary: "take over a case that another installation exported, with its whole journal",
  positionals: ["FILE"],
  options: [
    { name: "reason", value: "TEXT", help: "why, which goes on record" },
    BY_OPTION,
    JSON_OPTION,
    ...DATABASE_OPTIONS,
  ],
  noServer: "it writes a journal as it is, which is for who has the database",
  notes: [
    "FILE is what foothold cases export --reveal printed. Pause the case there first, and leave it paused.",
    "It keeps its id. No step sends here before it is found out whether it did since the export.",
    "A case with a parent or children is not taken over.",
  ],
  run: async (call) => {
    const file = needed(call, 0);
    const reason = call.text("reason");
    if (reason === null) throw usage(call.command, "--reason says why it is taken over.");
    const exported = readJsonFile(file);
    await withOpened(call, { definitions: "optional" }, async ({ desk }) => {
      const imported = await desk.importCase({ exported, by: whoActs(call), reason });
      if (call.flag("json")) {
        sayJson(imported);
        return;
      }
      const { caseId, caseType, exportedAt, isOpen } = imported;
      say(`Imported ${caseId} (${caseType}), as it was at ${formatTime(exportedAt)}.`);
      say(
        isOpen
          ? `It goes on here: what it sent since is found out before it sends. See: foothold cases show ${caseId}`
          : "It had ended: it is kept here with its history.",
      );
    });
  },
};
