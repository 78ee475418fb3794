/** What the terminal shows around the story: where things are, what was picked up, what to do next. Pure. */

import type { Desk } from "foothold";
import type { Dev } from "foothold/dev";
import type { EmbeddedServer } from "foothold/embedded";
import { usualDataFolder, type StartOptions } from "./options.ts";
import { describeRequest, keyWidth } from "./story.ts";
import { mailFailures, type RunningSystems } from "./systems.ts";
import type { WatchedCase } from "./watch.ts";

type CaseLine = Awaited<ReturnType<Desk["list"]>>["cases"][number];

/** What this is and where everything is. */
export function headLines(where: {
  readonly options: StartOptions;
  readonly dev: Dev;
  readonly systems: RunningSystems;
  readonly database: EmbeddedServer;
}): readonly string[] {
  const { options, dev, systems, database } = where;
  return [
    "Purchase requests, live: finance approves, the ERP creates the record, mail tells the requester.",
    "",
    `  page      ${dev.url}`,
    `  database  PostgreSQL ${database.version} in ${options.data}`,
    `  ERP       ${systems.erp.url}`,
    `  mail      ${systems.mail.url}, answers 503 to the first ${mailFailures} tries of every message`,
    "",
    `Kill it whenever you like (kill -9 ${process.pid}) and run npm start again: every case picks up where it stood.`,
  ];
}

/** Where the cases of an earlier run stand as this one begins. */
export function pickedUpLines(cases: readonly CaseLine[]): readonly string[] {
  if (cases.length === 0) return [];
  const lines = cases.toReversed().map((one) => `  ${nameOf(one).padEnd(keyWidth)}${one.reading.state}`);
  return ["Picked up from the run before:", "", ...lines];
}

function nameOf({ businessKey, caseId }: CaseLine): string {
  return businessKey ?? caseId;
}

/** What to type next, ready to be copied. */
export function nextLines(
  cases: readonly WatchedCase[],
  { data }: StartOptions,
  pageUrl: string,
): readonly string[] {
  const waiting = cases.filter(({ row }) => row.summary.waits.some(({ kind }) => kind === "approval"));
  const caseId = (waiting[0] ?? cases[0])?.row.caseId ?? "CASE";
  const folder = /^[\w./-]+$/.test(data) ? data : JSON.stringify(data);
  const place = data === usualDataFolder ? "" : ` --data ${folder}`;
  const commands = [
    ...(waiting.length === 0
      ? []
      : [typed(`approve ${caseId} --by you${place}`, `approves ${waiting[0]?.name}`)]),
    typed(`show ${caseId}${place}`, "where it stands, and why"),
    typed(`list${place}`, `all of them, as on ${pageUrl}`),
  ];
  const width = Math.max(...commands.map(({ command }) => command.length));
  return [
    yourTurn(waiting),
    "",
    ...commands.map(({ command, what }) => `  ${command.padEnd(width)}   ${what}`),
    "",
    "Ctrl-C stops it.",
  ];
}

function typed(words: string, what: string): { readonly command: string; readonly what: string } {
  return { command: `npx foothold cases ${words}`, what };
}

function yourTurn(waiting: readonly WatchedCase[]): string {
  if (waiting.length === 0) return "Your turn, in another terminal:";
  return `Your turn: ${waiting.map(tellWaiting).join(" and ")} ${waiting.length === 1 ? "waits" : "wait"} for approval.`;
}

function tellWaiting({ name, journal }: WatchedCase): string {
  const [input] = journal.flatMap(({ entry }) => (entry.kind === "caseStarted" ? [entry.input] : []));
  return `${name} (${describeRequest(input)})`;
}
