/** `inbox list`, `inbox show` and `inbox work`: what arrived, and what became of it. */

import { houseHead, noteDone } from "../desk/audited.ts";
import { createInbox } from "../inbox/inbox.ts";
import { maskedPathsOf, maskedText } from "../inbox/masked-body.ts";
import { EVENT_LIST_MAX, type EventHistory, type StoredWork, type WorkState } from "../store/inbox-port.ts";
import { needed, readWhole, usage, type Call, type Command } from "./command.ts";
import { DATABASE_OPTIONS, whoActs, withOpened } from "./open.ts";
import { tableLines } from "./table.ts";
import { columns, say, sayJson } from "./terminal.ts";
import { formatTime } from "./times.ts";

const LIST_LIMIT = 50;
const REFUSALS_SHOWN = 50;
const standings = ["routed", "nobody", "unreadable"] as const;
const json = { name: "json", value: null, help: "print one JSON document" } as const;

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
    {
      name: "limit",
      value: "EVENTS",
      help: `events on one page, at most ${EVENT_LIST_MAX}; ${LIST_LIMIT} when left out`,
    },
    { name: "cursor", value: "CURSOR", help: "the next page, as the page before names it" },
    json,
    ...DATABASE_OPTIONS,
  ],
  notes: ["`nobody` = no consumer takes the type; `unreadable` = authentic, and its body cannot be read."],
  run: (call) => (call.flag("refused") ? listRefused(call) : listEvents(call)),
};

async function listEvents(call: Call): Promise<void> {
  const limit = readWhole(call, "limit", { min: 1, max: EVENT_LIST_MAX }) ?? LIST_LIMIT;
  const [source, eventType, after] = ["source", "type", "cursor"].map((name) => call.text(name));
  const named = call.text("standing");
  const standing = standings.find((one) => one === named);
  if (named !== null && standing === undefined)
    throw usage(call.command, `--standing is one of ${standings.join(", ")}.`);
  await withOpened(call, { definitions: "optional" }, async ({ store }) => {
    const page = await store.inbox.listEvents({
      limit,
      ...(typeof source === "string" ? { source } : {}),
      ...(typeof eventType === "string" ? { eventType } : {}),
      ...(typeof after === "string" ? { after } : {}),
      ...(standing === undefined ? {} : { standing }),
    });
    if (call.flag("json")) return sayJson(page);
    if (page.events.length === 0) return say("No event matches.");
    const rows = page.events.map(({ event, work }) => [
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
    if (page.next !== null) say(`More: the same command with --cursor '${page.next}'`);
  });
}

async function listRefused(call: Call): Promise<void> {
  await withOpened(call, { definitions: "optional" }, async ({ store }) => {
    const refusals = await store.inbox.listRefusals(REFUSALS_SHOWN);
    if (call.flag("json")) return sayJson(refusals);
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
    for (const source of lost) say(`  foothold inbox reconcile ${source}`);
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
    { name: "by", value: "NAME", help: "who reveals it; your account's name when left out" },
    json,
    ...DATABASE_OPTIONS,
  ],
  notes: ["A body may hold what is nobody's business: it is printed only where it is asked for."],
  run: async (call) => {
    await withOpened(call, { definitions: "optional" }, async ({ store, ports, sources }) => {
      const history = await createInbox({ store, sources, ports }).show(needed(call, 0));
      const { eventId, deliveryId, source } = history.event;
      const reason = call.text("reveal");
      if (reason !== null) {
        const head = { ...houseHead("revealBody", { by: whoActs(call), reason }), about: eventId };
        await noteDone({ store, ids: ports.ids }, head, null);
      }
      const isAsked = call.flag("body") || reason !== null;
      const body = isAsked ? await store.inbox.loadBody(deliveryId) : null;
      const sent = body === null ? null : Buffer.from(body).toString("utf8");
      const paths = reason === null ? maskedPathsOf(sources, source) : [];
      const text = sent === null || paths.length === 0 ? sent : await maskedText(sent, paths);
      if (sent !== null && text === null)
        say("What is masked of its body cannot be told apart; --reveal tells it.");
      if (call.flag("json")) return sayJson(text === null ? history : { ...history, body: text });
      for (const line of historyLines(history)) say(line);
      // As JSON, so that it cannot rewrite the terminal.
      if (text !== null) say(`Body: ${JSON.stringify(text)}`);
    });
  },
};

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
    json,
    ...DATABASE_OPTIONS,
  ],
  notes: ["A worker does it; `inbox replay` opens it again."],
  run: async (call) => {
    const open: readonly WorkState[] = ["ready", "claimed", "waiting", "in_review"];
    const workStates = call.flag("review") ? open.slice(3) : open;
    const source = call.text("source");
    await withOpened(call, { definitions: "optional" }, async ({ store }) => {
      const counts = await store.inbox.countWork();
      const page = await store.inbox.listEvents({
        limit: EVENT_LIST_MAX,
        workStates,
        ...(source === null ? {} : { source }),
      });
      const work = page.events.flatMap((one) => one.work.filter(({ state }) => workStates.includes(state)));
      if (call.flag("json")) return sayJson({ counts, work });
      for (const one of counts)
        say(`${one.source}: ${one.count} ${one.state}, since ${formatTime(one.oldestAt)}`);
      if (work.length === 0) return say("No work is open.");
      const rows = work.map((one) => [one.eventId, one.consumer, one.owner, wordsOf(one)]);
      for (const line of tableLines(["EVENT", "CONSUMER", "OWNER", "WHAT"], rows, columns())) say(line);
    });
  },
};

function wordsOf({ state, sentence, dueAt, attempts }: StoredWork): string {
  const when = dueAt === null || state === "claimed" ? "" : `, next at ${formatTime(dueAt)}`;
  const tries = attempts === 0 ? "" : ` after ${attempts} tries`;
  return `${state}${tries}${when}${sentence === null ? "" : `: ${sentence}`}`;
}
