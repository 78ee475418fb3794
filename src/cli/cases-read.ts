/** `cases list` and `cases show`. */

import type { CasesQuery } from "../http/api/types.ts";
import type { Client } from "../http/client/client.ts";
import { STORED_STATES } from "../http/stored-states.ts";
import { LOOK_OPTIONS, REPAIR_OPTION } from "./act.ts";
import { caseLines } from "./case-text.ts";
import { needed, textsGiven, usage, type Call, type Command } from "./command.ts";
import { CURSOR_OPTION, limitOption, readPage } from "./paging.ts";
import type { CasePacket, Reply } from "./replies.ts";
import { SPOKEN_NAME } from "./spoken-name.ts";
import { tableLines } from "./table.ts";
import { columns, say, sayJson } from "./terminal.ts";
import { formatTime } from "./times.ts";
import { withClient } from "./with-client.ts";

/** Lists cases, newest start first. */
export const casesListCommand: Command = {
  name: "cases list",
  summary: "list cases with what stands, since when and who acts next",
  positionals: [],
  options: [
    { name: "type", value: "TYPE", help: "only this case type" },
    {
      name: "state",
      value: "STATE",
      help: `only this stored state: ${STORED_STATES.join(", ")}; may be given several times`,
      isRepeatable: true,
    },
    { name: "review", value: null, help: "only cases with an open review, in whatever state" },
    { name: "second", value: null, help: "only cases with a move that waits for a second person" },
    {
      name: "assignee",
      value: "WHO",
      help: "only cases that are given to WHO; me = to you, - = to nobody in particular",
    },
    {
      name: "not-ended",
      value: null,
      help: "only cases that have not ended, or have an open review all the same",
    },
    {
      name: "needs-people",
      value: null,
      help: "only cases with an open review, or a wait for an approval or for access",
    },
    {
      name: "overdue",
      value: null,
      help: "only cases that a person was due to deal with, by `overdueAfter` of the notices, a day when it says nothing",
    },
    { name: "step", value: "STEP", help: "with --type: only cases that stand at this step" },
    { name: "tenant", value: "TENANT", help: "only this tenant" },
    { name: "key", value: "KEY", help: "only this business key" },
    { name: "parent", value: "CASE", help: "only cases that this one started" },
    {
      name: "find",
      value: "NAME:VALUE",
      help: "only this value of a search attribute, NAME:FROM..TO of a number or time, or tag:TAG; all of several",
      isRepeatable: true,
    },
    { name: "count", value: null, help: "say how many there are, up to 1000, instead of listing them" },
    limitOption("CASES"),
    CURSOR_OPTION,
    ...LOOK_OPTIONS,
  ],
  notes: ["Cases whose definition is not loaded here are listed too."],
  run: async (call) => {
    const query = readQuery(call);
    const page = readPage(call);
    await withClient(call, { definitions: "optional" }, async (client) => {
      if (call.flag("count")) {
        sayCount(await client.countCases(query), call.flag("json"));
        return;
      }
      const found = await client.listCases({ ...query, ...page });
      if (call.flag("json")) {
        sayJson(found);
        return;
      }
      const { notices, schedules, undelivered } = await client.showOverview();
      for (const { sentence } of notices) say(`! ${sentence}.`);
      for (const { schedule, sentence } of schedules) say(`! Schedule ${schedule}: ${sentence}.`);
      if (undelivered > 0)
        say(`! ${undelivered} notices could not be delivered: ${SPOKEN_NAME} notices list`);
      if (found.cases.length === 0) say("No case matches.");
      else for (const line of listLines(found.cases)) say(line);
      if (found.next !== null) say(`More: the same command with --cursor ${found.next}`);
    });
  },
};

function readQuery(call: Call): CasesQuery {
  const states = readStates(call);
  const find = call.texts("find");
  if (call.text("step") !== null && call.text("type") === null) {
    throw usage(call.command, "--step goes with --type.");
  }
  return {
    ...textsGiven(call, {
      type: "type",
      step: "step",
      tenant: "tenant",
      businessKey: "key",
      assignee: "assignee",
      parent: "parent",
    }),
    ...(states.length === 0 ? {} : { state: states }),
    ...(find.length === 0 ? {} : { find }),
    ...(call.flag("review") ? { review: true } : {}),
    ...(call.flag("second") ? { second: true } : {}),
    ...(call.flag("not-ended") ? { open: true } : {}),
    ...(call.flag("needs-people") ? { needsPeople: true } : {}),
    ...(call.flag("overdue") ? { overdue: true } : {}),
  };
}

function sayCount({ count, isCapped }: Reply<"countCases">, isJson: boolean): void {
  if (isJson) sayJson({ count, isCapped });
  else say(`${isCapped ? "At least " : ""}${count} ${count === 1 ? "case matches" : "cases match"}.`);
}

function readStates(call: Call): typeof STORED_STATES {
  const given = call.texts("state").flatMap((value) => value.split(","));
  const unknown = given.find((value) => !STORED_STATES.some((state) => state === value));
  if (unknown !== undefined) {
    throw usage(
      call.command,
      `${JSON.stringify(unknown)} is no stored state; there are ${STORED_STATES.join(", ")}.`,
    );
  }
  return STORED_STATES.filter((state) => given.includes(state));
}

function listLines(cases: Reply<"listCases">["cases"]): readonly string[] {
  const heading = ["CASE", "TYPE", "KEY", "STATE", "SINCE", "NEXT", "BY", "WHAT"];
  const rows = cases.map((line) => [
    line.caseId,
    line.isDefinitionLoaded ? line.caseType : `${line.caseType} (not loaded)`,
    line.businessKey ?? "-",
    line.reading.state,
    formatTime(line.sinceAt),
    line.reading.actsNext,
    line.reading.byAt === null ? "-" : formatTime(line.reading.byAt),
    line.reading.sentence,
  ]);
  return tableLines(heading, rows, columns());
}

/** Shows everything about one case. */
export const casesShowCommand: Command = {
  name: "cases show",
  summary: "show everything about one case: what stands, what is confirmed, the plan, what you can do",
  positionals: ["CASE"],
  options: [REPAIR_OPTION, ...LOOK_OPTIONS],
  notes: ["It asks nothing outside: the plan is made from recorded answers, with their age."],
  run: async (call) => {
    const caseId = needed(call, 0);
    const repairId = call.text("repair");
    await withClient(call, { definitions: "optional" }, async (client) => {
      const view = await (repairId === null
        ? client.showCase({ caseId })
        : lookUnder(client, caseId, repairId));
      if (call.flag("json")) sayJson(view);
      else for (const line of caseLines(view, repairId)) say(line);
    });
  },
};

/** As the holder of a repair sees it; looking shows that they are still there. */
async function lookUnder(client: Client, caseId: string, repairId: string): Promise<CasePacket> {
  await client.keepRepair({ caseId, repairId });
  return client.showCase({ caseId, repairId });
}
