/** `inbox list`, `inbox show` and `inbox work`: what arrived, and what became of it. */

import type { Client } from "../http/client/client.ts";
import { BY_OPTION, LOOK_OPTIONS } from "./act.ts";
import { needed, textsGiven, usage, type Call, type Command } from "./command.ts";
import { CURSOR_OPTION, limitOption, PAGE_MAX, readPage } from "./paging.ts";
import type { Reply } from "./replies.ts";
import { SPOKEN_NAME } from "./spoken-name.ts";
import { tableLines } from "./table.ts";
import { columns, say, sayJson } from "./terminal.ts";
import { formatTime } from "./times.ts";
import { withClient } from "./with-client.ts";

type EventHistory = Reply<"showEvent">;
type Work = EventHistory["work"][number];

const standings = ["routed", "nobody", "unreadable"] as const;

/** Lists events, newest first. */
export const inboxListCommand: Command = {
  name: "inbox list",
  summary: "list events with what became of each, newest first; or what was refused",
  positionals: [],
  options: [
    { name: "source", value: "SOURCE", help: "only this source" },
    { name: "type", value: "TYPE", help: "only this event type" },
    { name: "standing", value: "STANDING", help: `only ${standings.join(", ")}` },
    { name: "refused", value: null, help: "requests that were refused, in place of events" },
    limitOption("EVENTS"),
    CURSOR_OPTION,
    ...LOOK_OPTIONS,
  ],
  notes: ["`nobody` = no consumer takes the type; `unreadable` = authentic, and its body cannot be read."],
  run: (call) => (call.flag("refused") ? listRefused(call) : listEvents(call)),
};

async function listEvents(call: Call): Promise<void> {
  const page = readPage(call);
  const named = call.text("standing");
  const standing = standings.find((one) => one === named);
  if (named !== null && standing === undefined)
    throw usage(call.command, `--standing is one of ${standings.join(", ")}.`);
  await withClient(call, { definitions: "optional" }, async (client) => {
    const { events, next } = await client.listEvents({
      ...page,
      ...textsGiven(call, { source: "source", type: "type" }),
      ...(standing === undefined ? {} : { standing }),
    });
    if (call.flag("json")) return sayJson({ events, next });
    if (events.length === 0) return say("No event matches.");
    const rows = events.map(({ event, work }) => [
      event.eventId,
      event.source,
      event.eventType,
      formatTime(event.firstSeenAt),
      String(event.sightings),
      event.standing === "nobody" ? "nobody takes it" : work.map(wordsOf).join("; "),
    ]);
    for (const line of tableLines(
      ["EVENT", "SOURCE", "TYPE", "FIRST SEEN", "TIMES", "WORK"],
      rows,
      columns(),
    ))
      say(line);
    if (next !== null) say(`More: the same command with --cursor '${next}'`);
  });
}

async function listRefused(call: Call): Promise<void> {
  const { limit } = readPage(call);
  await withClient(call, { definitions: "optional" }, async (client) => {
    const { refusals } = await client.listRefusals({ limit });
    if (call.flag("json")) return sayJson({ refusals });
    if (refusals.length === 0) return say("Nothing was refused.");
    const rows = refusals.map((one) => [
      formatTime(one.at),
      one.source,
      String(one.count),
      one.isLost ? `${one.reason}, lost` : one.reason,
      `${one.bodyBytes} bytes`,
    ]);
    for (const line of tableLines(["AT", "SOURCE", "TIMES", "WHY", "SIZE"], rows, columns())) say(line);
    const lost = [...new Set(refusals.filter(({ isLost }) => isLost).map(({ source }) => source))];
    if (lost.length === 0) return;
    say(
      "What is lost is not sent again. --json shows the headers that name it; its provider's own list is read by:",
    );
    for (const source of lost) say(`  ${SPOKEN_NAME} inbox reconcile ${source}`);
  });
}

/** Shows everything about one event. */
export const inboxShowCommand: Command = {
  name: "inbox show",
  summary: "show everything about one event: its deliveries, its work, what people did about it",
  positionals: ["EVENT"],
  options: [
    { name: "body", value: null, help: "the body too, with marks where its source masks something" },
    {
      name: "reveal",
      value: "REASON",
      help: "the body as it was sent, for this reason, which goes on record",
    },
    BY_OPTION,
    ...LOOK_OPTIONS,
  ],
  notes: ["A body may hold what is nobody's business: it is printed only where it is asked for."],
  run: async (call) => {
    await withClient(call, { definitions: "optional" }, async (client) => {
      const eventId = needed(call, 0);
      const history = await client.showEvent({ eventId });
      const body = await readBody(call, client, eventId);
      if (call.flag("json")) return sayJson(body === null ? history : { ...history, body });
      for (const line of historyLines(history)) say(line);
      if (body !== null) for (const line of bodyLines(body)) say(line);
    });
  },
};

/** Null = it is not asked for. */
async function readBody(call: Call, client: Client, eventId: string): Promise<Reply<"showEventBody"> | null> {
  const reason = call.text("reveal");
  if (reason !== null) return client.revealEventBody({ eventId, reason });
  return call.flag("body") ? client.showEventBody({ eventId }) : null;
}

function bodyLines({ bytes, text, hex, isCut, isMasked }: Reply<"showEventBody">): readonly string[] {
  if (bytes === null) return ["Its body is deleted by now."];
  const more = isCut ? [`There is more: it has ${bytes} bytes.`] : [];
  // As JSON, so that it cannot rewrite the terminal.
  if (text !== null) return [`Body: ${JSON.stringify(text)}`, ...more];
  if (hex !== null) return [`Body, which is no text, in hexadecimal: ${hex}`, ...more];
  return isMasked ? ["What is masked of its body cannot be told apart; --reveal tells it."] : [];
}

function historyLines({ event, work, sightings, delivery }: EventHistory): readonly string[] {
  return [
    `${event.eventId}  ${event.eventType} from ${event.source}`,
    `First seen ${formatTime(event.firstSeenAt)}, ${event.sightings} times in all; named by its ${event.keyKind}.`,
    ...(event.subject === null ? [] : [`About ${event.subject}.`]),
    ...(delivery === null
      ? []
      : [
          `Found authentic by ${delivery.scheme} with the secret ${delivery.secretId || "-"}; ${delivery.bodyBytes} bytes.`,
        ]),
    ...(work.length === 0 ? ["Nobody takes it."] : work.map((one) => `- ${one.consumer}: ${wordsOf(one)}`)),
    ...sightings.map(({ at, kind, reference, by, reason }) => {
      const who = by === null ? "" : ` by ${by}: ${reason ?? ""}`;
      return `  ${formatTime(at)}  ${kind} ${reference}${who}`;
    }),
  ];
}

/** Shows what work is open or needs a person. */
export const inboxWorkCommand: Command = {
  name: "inbox work",
  summary: "show the work that events call for: what is open, and what needs a person",
  positionals: [],
  options: [
    { name: "source", value: "SOURCE", help: "only this source" },
    { name: "review", value: null, help: "only what needs a person" },
    ...LOOK_OPTIONS,
  ],
  notes: ["A worker does it; `inbox replay` opens it again."],
  run: async (call) => {
    const states = call.flag("review")
      ? (["in_review"] as const)
      : (["ready", "claimed", "waiting", "in_review"] as const);
    await withClient(call, { definitions: "optional" }, async (client) => {
      const { counts } = await client.countWork();
      const { events, next } = await client.listEvents({
        limit: PAGE_MAX,
        work: states,
        ...textsGiven(call, { source: "source" }),
      });
      const work = events.flatMap((one) =>
        one.work.filter(({ state }) => states.some((own) => own === state)),
      );
      if (call.flag("json")) return sayJson({ counts, work, isWhole: next === null });
      for (const one of counts)
        say(`${one.source}: ${one.count} ${one.state}, since ${formatTime(one.oldestAt)}`);
      if (work.length === 0) return say("No work is open.");
      const rows = work.map((one) => [one.eventId, one.consumer, one.owner, wordsOf(one)]);
      for (const line of tableLines(["EVENT", "CONSUMER", "OWNER", "WHAT"], rows, columns())) say(line);
      if (next !== null) say(`There is more: this is the work of the newest ${PAGE_MAX} events with any.`);
    });
  },
};

function wordsOf({ state, sentence, dueAt, attempts }: Work): string {
  const when = dueAt === null || state === "claimed" ? "" : `, next at ${formatTime(dueAt)}`;
  const tries = attempts === 0 ? "" : ` after ${attempts} tries`;
  return `${state}${tries}${when}${sentence === null ? "" : `: ${sentence}`}`;
}
