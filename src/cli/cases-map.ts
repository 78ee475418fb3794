/** `cases map`. */

import { LOOK_OPTIONS } from "./act.ts";
import { needed, type Command } from "./command.ts";
import type { Reply } from "./replies.ts";
import { tableLines } from "./table.ts";
import { columns, say, sayJson } from "./terminal.ts";
import { formatDistance } from "./times.ts";
import { withClient } from "./with-client.ts";

type CaseMap = Reply<"showCaseMap">;

/** Shows how many open cases stand at each step of a case type. */
export const casesMapCommand: Command = {
  name: "cases map",
  summary: "the steps of a case type, and how many open cases stand at each, in which state",
  positionals: ["TYPE"],
  options: LOOK_OPTIONS,
  notes: ["A case with branches side by side counts at each step that it stands at."],
  run: (call) =>
    withClient(call, { definitions: "optional" }, async (client) => {
      const map = await client.showCaseMap({ caseType: needed(call, 0) });
      if (call.flag("json")) sayJson(map);
      else for (const line of mapLines(map)) say(line);
    }),
};

function mapLines(map: CaseMap): readonly string[] {
  const { steps, betweenSteps, ended, isWhole, isLoaded, now } = map;
  const rows = [
    ...steps.flatMap(({ name, counts }) => rowsOf(name, counts, now)),
    ...(betweenSteps.length === 0 ? [] : rowsOf("(at no step)", betweenSteps, now)),
  ];
  return [
    ...(isLoaded ? [] : ["Its definition is not loaded here: the steps are in no order."]),
    ...tableLines(["STEP", "CASES", "STATE", "THE FIRST SINCE"], rows, columns()),
    ...(isWhole ? [] : ["There are more cases than were counted: at least so many stand there."]),
    `Ended: ${ended.done} done, ${ended.canceled} canceled.`,
  ];
}

function rowsOf(step: string, counts: CaseMap["betweenSteps"], now: number): readonly (readonly string[])[] {
  if (counts.length === 0) return [[step, "0", "", ""]];
  return counts.map(({ reading, cases, oldestAt }, index) => [
    index === 0 ? step : "",
    String(cases),
    reading,
    formatDistance(oldestAt, now),
  ]);
}
