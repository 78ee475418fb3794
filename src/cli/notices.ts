/** The commands for what owners are told: `notices list | test | retry`, and `owners`. */

import { groupDigits } from "../core/notice-words.ts";
import { houseHead, noteDone } from "../desk/audited.ts";
import { listNotices, listOwners, retryMessage, testOwner } from "../notices/notice-desk.ts";
import type { MessageView, NoticesView, OwnerView, TestReply } from "../notices/notice-views.ts";
import { END_OPTIONS } from "./act.ts";
import { needed, readWhole, type Call, type Command, type OptionSpec } from "./command.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import { noticeDeskParts } from "./notice-parts.ts";
import { DATABASE_OPTIONS, whoActs, withOpened, type Opened } from "./open.ts";
import { SPOKEN_NAME } from "./spoken-name.ts";
import { tableLines } from "./table.ts";
import { columns, say, sayJson } from "./terminal.ts";
import { formatDistance, formatTime } from "./times.ts";

const MESSAGES_MAX = 200;
const LOOK_OPTIONS: readonly OptionSpec[] = [
  { name: "json", value: null, help: "print one JSON document" },
  ...DATABASE_OPTIONS,
];
/** A command reaches the console only as the configuration says, and no channel on its own machine but allowed ones. */
const reach = { consoleUrl: null, reachesLoopback: false } as const;

/** Lists what owners were told. */
export const noticesListCommand: Command = {
  name: "notices list",
  summary: "what owners were told, what could not be delivered, and who is needed and cannot be told",
  positionals: [],
  options: [{ name: "limit", value: "N", help: "messages at most; 50 when left out" }, ...END_OPTIONS],
  notes: ["An owner is told once of all cases that one act, or one place, is needed for."],
  run: (call) =>
    withOpened(call, { definitions: "optional" }, async (opened) => {
      const limit = readWhole(call, "limit", { min: 1, max: MESSAGES_MAX });
      const view = await listNotices(noticeDeskParts(opened, reach), limit ?? undefined);
      if (call.flag("json")) sayJson(view);
      else sayNotices(view, opened.notices !== null);
    }),
};

function sayNotices(
  { now, notices, undeliverable, undeliverableCount, messages, unanswered }: NoticesView,
  isSet: boolean,
): void {
  if (!isSet) say("The configuration says nothing of notices: nobody is told by this machine.");
  for (const owner of unanswered) say(`! ${owner} is needed, and nobody answers to that name.`);
  if (undeliverableCount > 0) {
    say(
      `! ${groupDigits(undeliverableCount)} could not be delivered; once that is mended: ${SPOKEN_NAME} notices retry ID`,
    );
    for (const { messageId, whom, channel, title, failure } of undeliverable) {
      say(`  ${messageId}  to ${whom} by ${channel}: ${title}`);
      if (failure !== null) say(`    ${failure.sentence}`);
    }
  }
  if (notices.length === 0) say("Nothing stands that an owner was told of.");
  for (const { noticeId, owner, title, openedAt, tellings, whom } of notices) {
    const often = tellings === 1 ? "once" : `${tellings} times`;
    say(`${noticeId}  ${owner}: ${title}`);
    say(`    since ${formatDistance(openedAt, now)}, told ${often}: ${whom.join(", ")}`);
  }
  if (messages.length === 0) return;
  say("");
  const heading = ["MESSAGE", "MADE", "TO", "BY", "STATE", "TRIES", "WHAT"];
  for (const line of tableLines(heading, messages.map(messageRow), columns())) say(line);
}

function messageRow(message: MessageView): readonly string[] {
  const { messageId, createdAt, whom, channel, state, attempts, title, dueAt, failure } = message;
  const next =
    state === "waiting" && failure !== null && dueAt !== null ? `, again ${formatTime(dueAt)}` : "";
  return [messageId, formatTime(createdAt), whom, channel, `${state}${next}`, String(attempts), title];
}

/** Tries an owner out. */
export const noticesTestCommand: Command = {
  name: "notices test",
  summary: "send a test to everybody whom the name of an owner stands for",
  positionals: ["OWNER"],
  options: END_OPTIONS,
  notes: [
    "It is sent at once and kept nowhere. A pager gets an incident of the lowest severity, resolved at once.",
    `Ends with exit code ${EXIT_CODES.unexpected} where one of them was not reached.`,
  ],
  run: async (call) => {
    let isReached = true;
    await withOpened(call, { definitions: "needed" }, async (opened) => {
      const reply = await testOwner(
        noticeDeskParts(opened, reach),
        needed(call, 0),
        new AbortController().signal,
      );
      isReached = reply.results.every(({ isSent }) => isSent);
      await onRecord(call, opened, "testOwner");
      if (call.flag("json")) sayJson(reply);
      else for (const line of testLines(reply)) say(line);
    });
    return isReached ? EXIT_CODES.ok : EXIT_CODES.unexpected;
  },
};

function testLines({ results }: TestReply): readonly string[] {
  return results.map(
    ({ whom, channel, isSent, sentence }) =>
      `${whom} by ${channel}: ${isSent ? "sent" : (sentence ?? "not sent")}`,
  );
}

/** Sends an undeliverable message anew. */
export const noticesRetryCommand: Command = {
  name: "notices retry",
  summary: "send a message anew that could not be delivered, with fresh bounds",
  positionals: ["ID"],
  options: END_OPTIONS,
  notes: ["A server, a worker or `foothold sweep` sends it. Where its notice is over by now it is dropped."],
  run: (call) =>
    withOpened(call, { definitions: "optional" }, async (opened) => {
      const reply = await retryMessage(noticeDeskParts(opened, reach), needed(call, 0));
      await onRecord(call, opened, "retryNotice");
      if (call.flag("json")) sayJson(reply);
      else say(reply.sentence);
    }),
};

function onRecord(call: Call, { store, ports }: Opened, act: string): Promise<void> {
  const head = { ...houseHead(act, { by: whoActs(call) }), about: needed(call, 0) };
  return noteDone({ store, ids: ports.ids }, head, null);
}

/** Says who owners are. */
export const ownersCommand: Command = {
  name: "owners",
  summary: "who would be told now for what, and which names of owners nobody answers to",
  positionals: [],
  options: LOOK_OPTIONS,
  notes: ["A rota is asked who is on duty."],
  run: (call) =>
    withOpened(call, { definitions: "needed" }, async (opened) => {
      const owners = await listOwners(noticeDeskParts(opened, reach), new AbortController().signal);
      if (call.flag("json")) sayJson({ owners });
      else for (const line of owners.flatMap(ownerLines)) say(line);
    }),
};

function ownerLines({ owner, uses, answeredBy, places, rotaFault, cases }: OwnerView): readonly string[] {
  const needs =
    cases === 0 ? "" : `  ${groupDigits(cases)} ${cases === 1 ? "case needs" : "cases need"} them now`;
  return [
    `${owner}${needs}`,
    ...(uses.length === 0 ? [] : [`  for ${uses.join(", ")}`]),
    ...(answeredBy === "nobody" ? ["  ! nobody answers to this name"] : []),
    ...(answeredBy === "otherwise" ? ["  nobody answers to this name; told instead:"] : []),
    ...(rotaFault === null ? [] : [`  ! its rota did not say who is on duty: ${rotaFault}; told instead:`]),
    ...places.map(({ whom, channel }) => `  ${whom} by ${channel}`),
  ];
}
