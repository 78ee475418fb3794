/** What the audit tells: `audit list` and `audit head`. */

import type { AuditQuery } from "../http/api/types.ts";
import type { Client } from "../http/client/client.ts";
import { LOOK_OPTIONS } from "./act.ts";
import { sinceThere } from "./clock-there.ts";
import { textsGiven, usage, type Call, type Command } from "./command.ts";
import { CURSOR_OPTION, limitOption, readPage } from "./paging.ts";
import type { Reply } from "./replies.ts";
import { tableLines } from "./table.ts";
import { columns, say, sayJson } from "./terminal.ts";
import { formatTime } from "./times.ts";
import { API_OPTIONS, withClient } from "./with-client.ts";

/** Lists audit lines. */
export const auditListCommand: Command = {
  name: "audit list",
  summary: "show what people did and were refused, newest first",
  positionals: [],
  options: [
    { name: "act", value: "ACT", help: "only this act, such as resume or signIn" },
    { name: "outcome", value: "OUTCOME", help: "only what was done, requested or refused" },
    { name: "who", value: "WHO", help: "only acts of this name, or of the person with this id" },
    { name: "case", value: "CASE", help: "only acts on this case" },
    {
      name: "about",
      value: "WHAT",
      help: "only acts about this step, person, token, destination or bulk act",
    },
    { name: "since", value: "TIME", help: "from this time on: 2h for two hours ago, or a time" },
    limitOption("LINES"),
    CURSOR_OPTION,
    ...LOOK_OPTIONS,
  ],
  notes: ["Starting a case and telling it an event stand in its own history."],
  run: (call) =>
    withClient(call, { definitions: "optional" }, async (client) => {
      const page = await client.listAudit({ ...(await readFilter(call, client)), ...readPage(call) });
      if (call.flag("json")) return sayJson(page);
      if (page.lines.length === 0) return say("Nothing is on record.");
      const heads = ["WHEN", "WHO", "ACT", "ABOUT", "OUTCOME", "WHY", "WHAT BECAME OF IT"];
      for (const line of tableLines(heads, page.lines.map(rowOf), columns())) say(line);
      if (page.next !== null) say(`More: the same command with --cursor ${page.next}`);
    }),
};

async function readFilter(call: Call, client: Client): Promise<AuditQuery> {
  const outcome = call.text("outcome");
  if (outcome !== null && outcome !== "done" && outcome !== "requested" && outcome !== "refused") {
    throw usage(call.command, "--outcome must be done, requested or refused.");
  }
  const since = call.text("since");
  return {
    ...textsGiven(call, { act: "act", who: "who", caseId: "case", about: "about" }),
    ...(outcome === null ? {} : { outcome }),
    ...(since === null ? {} : { since: await sinceThere(client, since) }),
  };
}

function rowOf(line: Reply<"listAudit">["lines"][number]): readonly string[] {
  const { at, who, act, caseId, about, outcome, code, why, sentence, after } = line;
  return [
    formatTime(at),
    who ?? "",
    act,
    [caseId, about].filter((one) => one !== null).join(" "),
    code === null ? outcome : `${outcome} ${code}`,
    why ?? "",
    sentence ?? (after === null ? "" : JSON.stringify(after)),
  ];
}

/** Prints the heads. */
export const auditHeadCommand: Command = {
  name: "audit head",
  summary: "print where each chain of seals ends, to be kept where nobody can change it",
  positionals: [],
  options: API_OPTIONS,
  notes: ["One JSON document. `foothold audit verify --against FILE` compares with it."],
  run: (call) =>
    withClient(call, { definitions: "optional" }, async (client) => {
      sayJson(await client.listSealHeads());
    }),
};
