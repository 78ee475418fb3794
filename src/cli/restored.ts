/** The command that says that the database was restored from a backup: `restored`. */

import { BY_OPTION, JSON_OPTION } from "./act.ts";
import { usage, type Command } from "./command.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import { DATABASE_OPTIONS } from "./database-options.ts";
import { whoActs, withOpened } from "./open.ts";
import { say, sayJson } from "./terminal.ts";
import { formatTime, readSince } from "./times.ts";

/** Tells every open case, before workers run again. */
export const restoredCommand: Command = {
  name: "restored",
  summary: "say that the database was restored from a backup, before workers run again",
  positionals: [],
  options: [
    {
      name: "backup-at",
      value: "TIME",
      help: "when the backup was taken: a time with its zone, or how long ago; rather too early than too late",
    },
    BY_OPTION,
    JSON_OPTION,
    ...DATABASE_OPTIONS,
  ],
  noServer: "it goes before server and workers run again",
  notes: [
    "No step of an open case sends before it is found out whether it did since the backup was taken.",
    "Stop every worker first. Doing it again for the same time changes nothing.",
  ],
  run: async (call) => {
    const text = call.text("backup-at");
    if (text === null) throw usage(call.command, "--backup-at says when the backup was taken.");
    let areAllTold = true;
    await withOpened(call, { definitions: "optional" }, async ({ desk, store }) => {
      const backupAt = readSince(text, await store.now());
      const report = await desk.markRestored({ backupAt, by: whoActs(call) });
      areAllTold = report.untold.length === 0;
      if (call.flag("json")) {
        sayJson(report);
        return;
      }
      say(
        `${report.cases} open cases know that what was sent since ${formatTime(backupAt)} is to be found out.`,
      );
      for (const { caseId, why } of report.untold) say(`! ${caseId}: ${why}`);
      say("Cases that were started since are not in the database: start them again by their business keys.");
      say("Events that came since: read the lists of their sources again (foothold inbox reconcile SOURCE).");
    });
    return areAllTold ? EXIT_CODES.ok : EXIT_CODES.unexpected;
  },
};
