/** `cases list` and `cases show`. */

import type { CaseCriteria } from "../core/case-criteria.ts";
import type { NoticeBook } from "../define/notice-book.ts";
import { soughtValues } from "../define/sought-values.ts";
import type { CaseLine } from "../desk/case-view.ts";
import type { ReviewPacket } from "../desk/packet.ts";
import { LIST_LIMIT_DEFAULT, type Desk } from "../desk/desk.ts";
import { STORED_STATES } from "../http/stored-states.ts";
import { dueAfterMsOf } from "../notices/notice-desk.ts";
import { LIST_LIMIT_MAX } from "../store/port.ts";
import { REPAIR_OPTION } from "./act.ts";
import { caseLines } from "./case-text.ts";
import { needed, readWhole, usage, type Call, type Command } from "./command.ts";
import { DATABASE_OPTIONS, withOpened } from "./open.ts";
import { SPOKEN_NAME } from "./spoken-name.ts";
import { tableLines } from "./table.ts";
import { columns, say, sayJson } from "./terminal.ts";
import { formatTime } from "./times.ts";

/** Cases that are counted; of more it is said that there are. */
const COUNT_MAX = 1_000;
/** What stands for nobody in particular. */
const NOBODY = "-";

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
      help: "only cases that are given to WHO; - = to nobody in particular; may be given several times",
      isRepeatable: true,
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
    {
      name: "count",
      value: null,
      help: `say how many there are, up to ${COUNT_MAX}, instead of listing them`,
    },
    {
      name: "limit",
      value: "CASES",
      help: `cases on one page, at most ${LIST_LIMIT_MAX}; ${LIST_LIMIT_DEFAULT} when left out`,
    },
    { name: "cursor", value: "CURSOR", help: "the next page, as the page before names it" },
    { name: "json", value: null, help: "print one JSON document" },
    ...DATABASE_OPTIONS,
  ],
  notes: ["Cases whose definition is not loaded here are listed too."],
  run: async (call) => {
    const limit = readWhole(call, "limit", { min: 1, max: LIST_LIMIT_MAX });
    const states = readStates(call);
    const [caseType, tenant, businessKey, after] = ["type", "tenant", "key", "cursor"].map((name) =>
      call.text(name),
    );
    const [step, parentId] = [call.text("step"), call.text("parent")];
    if (step !== null && typeof caseType !== "string") throw usage(call.command, "--step goes with --type.");
    const finds = call.texts("find");
    await withOpened(call, { definitions: "optional" }, async ({ desk, store, registry, notices: book }) => {
      const outlines = registry.all.map(({ outline }) => outline);
      const criteria: CaseCriteria = {
        ...(typeof caseType === "string" ? { caseType } : {}),
        ...(step !== null && typeof caseType === "string" ? { atSteps: [{ caseType, step }] } : {}),
        ...(typeof tenant === "string" ? { tenant } : {}),
        ...(typeof businessKey === "string" ? { businessKey } : {}),
        ...(parentId === null ? {} : { parentId }),
        ...(finds.length === 0 ? {} : { search: soughtValues(outlines, finds, caseType ?? null) }),
        ...(states.length === 0 ? {} : { states }),
        ...(call.flag("review") ? { withReview: true } : {}),
        ...(call.flag("second") ? { awaitsSecond: true } : {}),
        ...readPeople(call, book),
      };
      if (call.flag("count")) {
        sayCount(await store.countFound(criteria, COUNT_MAX), call.flag("json"));
        return;
      }
      const page = await desk.list({
        ...criteria,
        ...(typeof after === "string" ? { after } : {}),
        ...(limit === null ? {} : { limit }),
      });
      if (call.flag("json")) {
        sayJson(page);
        return;
      }
      const { notices, undelivered } = await desk.overview();
      for (const { sentence } of notices) say(`! ${sentence}.`);
      if (undelivered > 0)
        say(`! ${undelivered} notices could not be delivered: ${SPOKEN_NAME} notices list`);
      if (page.cases.length === 0) say("No case matches.");
      else for (const line of listLines(page.cases)) say(line);
      if (page.next !== null) say(`More: the same command with --cursor ${page.next}`);
    });
  },
};

function readPeople(call: Call, book: NoticeBook | null): CaseCriteria {
  const assignees = call.texts("assignee");
  return {
    ...(assignees.length === 0 ? {} : { assignees: assignees.map((one) => (one === NOBODY ? null : one)) }),
    ...(call.flag("not-ended") ? { isOpen: true } : {}),
    ...(call.flag("needs-people") ? { needsPeople: true } : {}),
    ...(call.flag("overdue") ? { overdueAfterMs: dueAfterMsOf(book) } : {}),
  };
}

function sayCount(count: number, isJson: boolean): void {
  const isCapped = count === COUNT_MAX;
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

function listLines(cases: readonly CaseLine[]): readonly string[] {
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
  options: [
    REPAIR_OPTION,
    { name: "json", value: null, help: "print one JSON document" },
    ...DATABASE_OPTIONS,
  ],
  notes: ["It asks nothing outside: the plan is made from recorded answers, with their age."],
  run: async (call) => {
    const caseId = needed(call, 0);
    await withOpened(call, { definitions: "optional" }, async ({ desk }) => {
      const repairId = call.text("repair");
      const view = await (repairId === null ? desk.show(caseId) : lookUnder(desk, caseId, repairId));
      if (call.flag("json")) sayJson(view);
      else for (const line of caseLines(view, repairId)) say(line);
    });
  },
};

/** As the holder of a repair sees it; looking shows that they are still there. */
async function lookUnder(desk: Desk, caseId: string, repairId: string): Promise<ReviewPacket> {
  await desk.keepRepair(caseId, repairId);
  return desk.show(caseId, repairId);
}
