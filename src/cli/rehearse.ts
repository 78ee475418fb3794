/** The command `rehearse`: a user's own rehearsal file, run and told. */

import { statSync } from "node:fs";
import { resolve } from "node:path";
import { FootholdError } from "../core/errors.ts";
import { formatRehearsal, type RehearsalReport } from "../testing/rehearsal-report.ts";
import type { Rehearsal } from "../testing/rehearse.ts";
import { needed, type Command } from "./command.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import { importDefault } from "./import-default.ts";
import { say, sayJson, sayProgress } from "./terminal.ts";

/** Rehearses. */
export const rehearseCommand: Command = {
  name: "rehearse",
  summary: "run a case type through every crash, lost answer and late worker, and say which step is not safe",
  positionals: ["FILE"],
  options: [{ name: "json", value: null, help: "print one JSON document" }],
  noServer: "it runs the definitions that are here, in memory",
  notes: [
    "FILE exports by default what defineRehearsal of foothold/testing makes, or a list of that.",
    "Each run calls your own functions: point them at stand-ins or a staging system. No database is used.",
    "Ends with exit code 1 when a step is not safe.",
  ],
  run: async (call) => {
    const rehearsals = await loadRehearsals(resolve(process.cwd(), needed(call, 0)));
    const reports: RehearsalReport[] = [];
    for (const one of rehearsals) {
      const report = await runWatched(one);
      reports.push(report);
      if (call.flag("json")) continue;
      if (reports.length > 1) say("");
      for (const line of formatRehearsal(report).split("\n")) say(line);
    }
    if (call.flag("json")) sayJson({ rehearsals: reports });
    return reports.every(({ isSafe }) => isSafe) ? EXIT_CODES.ok : EXIT_CODES.unexpected;
  },
};

/** Says meanwhile which run it is. */
async function runWatched(rehearsal: Rehearsal): Promise<RehearsalReport> {
  try {
    return await rehearsal.run(({ run, of, what }) =>
      sayProgress(`run ${run}${of === null ? "" : ` of ${of}`}: ${what}`),
    );
  } finally {
    sayProgress(null);
  }
}

/** Throws `CONFIG_NOT_FOUND`, `CONFIG_INVALID`, and `INVALID_DEFINITION` with every fault of a definition. */
async function loadRehearsals(file: string): Promise<readonly Rehearsal[]> {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats?.isFile() !== true) {
    const fault = stats === undefined ? "does not exist" : "is no file";
    throw new FootholdError("CONFIG_NOT_FOUND", `The rehearsal file ${file} ${fault}.`);
  }
  const exported = await importDefault(file);
  const rehearsals: readonly unknown[] = Array.isArray(exported) ? exported : [exported];
  if (rehearsals.length > 0 && rehearsals.every(isRehearsal)) return rehearsals;
  throw new FootholdError(
    "CONFIG_INVALID",
    `${file} exports no rehearsal by default. Write: export default defineRehearsal(yourCase, { input: … });`,
  );
}

/** By shape: the file may load another copy of the package. */
function isRehearsal(value: unknown): value is Rehearsal {
  return (
    typeof value === "object" &&
    value !== null &&
    "kind" in value &&
    value.kind === "rehearsal" &&
    "run" in value &&
    typeof value.run === "function"
  );
}
