/** The command that compares definitions with the cases that are under way: `diff`. */

import { DIFF_CASES_DEFAULT, DIFF_CASES_MAX, type DefinitionDiff } from "../desk/definition-diff.ts";
import { JSON_OPTION } from "./act.ts";
import { readWhole, type Command } from "./command.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import { DATABASE_OPTIONS } from "./database-options.ts";
import { withOpened } from "./open.ts";
import { tableLines } from "./table.ts";
import { columns, say, sayJson } from "./terminal.ts";

/** Says what the loaded definitions would change. */
export const diffCommand: Command = {
  name: "diff",
  summary: "say what these definitions would change about cases that are under way, before you deploy them",
  positionals: ["[TYPE]"],
  options: [
    { name: "tenant", value: "TENANT", help: "only cases of this tenant" },
    {
      name: "limit",
      value: "N",
      help: `open cases to look at, newest first; ${DIFF_CASES_DEFAULT} when left out`,
    },
    JSON_OPTION,
    ...DATABASE_OPTIONS,
  ],
  noServer:
    "it compares the definitions that are here, before they are deployed, with the cases in the database",
  notes: [
    "Reads only: each case is planned as its next pick-up would plan it, and nothing is asked outside.",
    "Ends with exit code 1 when something would change.",
  ],
  run: async (call) => {
    const limit = readWhole(call, "limit", { min: 1, max: DIFF_CASES_MAX });
    let isUnchanged = true;
    await withOpened(call, { definitions: "needed" }, async ({ desk }) => {
      const diff = await desk.diffDefinitions({
        caseType: call.positionals[0],
        tenant: call.text("tenant") ?? undefined,
        limit: limit ?? undefined,
      });
      if (call.flag("json")) sayJson(diff);
      else for (const line of diffLines(diff)) say(line);
      isUnchanged = diff.changes.length === 0;
    });
    return isUnchanged ? EXIT_CODES.ok : EXIT_CODES.unexpected;
  },
};

function diffLines({ looked, isAll, unchanged, changes }: DefinitionDiff): readonly string[] {
  const more = isAll ? "" : " There are more; --limit looks at more of them.";
  const total = `${looked} open cases looked at, ${unchanged} go on as they are.${more}`;
  if (changes.length === 0) return [total];
  const rows = changes.map(({ cases, caseType, step, examples, sentence }) => [
    String(cases),
    caseType,
    step ?? "-",
    examples[0] ?? "",
    sentence,
  ]);
  return [
    ...tableLines(["CASES", "TYPE", "STEP", "SUCH AS", "WHAT WOULD CHANGE"], rows, columns()),
    "",
    total,
  ];
}
