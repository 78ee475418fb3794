/** The commands for groups of cases with the same problem: `problems`, `problems mark`. */

import { END_OPTIONS, LOOK_OPTIONS } from "./act.ts";
import { needed, textsGiven, type Command } from "./command.ts";
import type { Reply } from "./replies.ts";
import { SPOKEN_NAME } from "./spoken-name.ts";
import { tableLines } from "./table.ts";
import { say, sayJson, columns } from "./terminal.ts";
import { formatDistance } from "./times.ts";
import { withClient } from "./with-client.ts";

type ProblemView = Reply<"listProblems">["problems"][number];

/** Shows what waits for people, in groups. */
export const problemsCommand: Command = {
  name: "problems",
  summary: "what waits for people, in groups with the same cause, the largest first",
  positionals: [],
  options: [
    { name: "type", value: "TYPE", help: "only cases of this type" },
    { name: "tenant", value: "TENANT", help: "only cases of this tenant" },
    ...LOOK_OPTIONS,
  ],
  notes: ["A group is named by its id; `foothold bulk start --problem ID` acts on all of its cases."],
  run: (call) =>
    withClient(call, { definitions: "optional" }, async (client) => {
      const view = await client.listProblems(textsGiven(call, { type: "type", tenant: "tenant" }));
      if (call.flag("json")) {
        sayJson(view);
        return;
      }
      if (view.problems.length === 0) say("Nothing waits for people.");
      else {
        const heading = ["ID", "CASES", "1H", "24H", "SINCE", "TYPE", "STEP", "KIND", "OWNER", "CAUSE"];
        const rows = view.problems.map((one) => rowOf(one, view.now));
        for (const line of tableLines(heading, rows, columns())) say(line);
      }
      for (const line of view.problems.flatMap((one) => offerOf(one, view.now))) say(line);
      if (view.isCapped) say("There is more than is shown here.");
    }),
};

function rowOf(one: ProblemView, now: number): readonly string[] {
  const { problemId, count, came, firstSinceAt, caseType, step, kind, owners, cause, mark } = one;
  const marks = [...(one.isNew ? ["new"] : []), ...(one.isGrowing ? ["growing"] : [])];
  const note = mark?.note ?? null;
  return [
    problemId,
    String(count),
    String(came.hour),
    String(came.day),
    formatDistance(firstSinceAt, now),
    caseType,
    step,
    kind,
    mark?.owner ?? owners[0] ?? "",
    `${marks.length === 0 ? "" : `[${marks.join(", ")}] `}${cause}${note === null ? "" : ` (${note})`}`,
  ];
}

function offerOf({ problemId, newBuild, count }: ProblemView, now: number): readonly string[] {
  if (newBuild === null) return [];
  const { build, sinceAt } = newBuild;
  return [
    `! ${problemId}: build ${build} runs since ${formatDistance(sinceAt, now)}, and no case stopped so under it. One is tried ` +
      `first, then all ${count}: ${SPOKEN_NAME} bulk start resume --problem ${problemId}`,
  ];
}

/** Says whose a group is, and a note. */
export const problemsMarkCommand: Command = {
  name: "problems mark",
  summary: "say whose a group of problems is, and a note; both outlive its cases",
  positionals: ["ID"],
  options: [
    { name: "owner", value: "WHO", help: "whose it is; nobody's in particular when left out" },
    { name: "note", value: "TEXT", help: "what is to be known; none when left out" },
    ...END_OPTIONS,
  ],
  notes: [],
  run: (call) =>
    withClient(call, { definitions: "optional" }, async (client) => {
      const problemId = needed(call, 0);
      const mark = { problemId, owner: call.text("owner"), note: call.text("note") };
      const reply = await client.markProblem(mark);
      if (call.flag("json")) sayJson(reply);
      else say(`${problemId}: ${reply.sentence}`);
    }),
};
