/** The commands for what owners are told: `notices list | test | retry`, and `owners`. */

import { groupDigits } from "../core/notice-words.ts";
import { END_OPTIONS, LOOK_OPTIONS } from "./act.ts";
import { needed, readWhole, type Command } from "./command.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import type { Reply } from "./replies.ts";
import { SPOKEN_NAME } from "./spoken-name.ts";
import { tableLines } from "./table.ts";
import { columns, say, sayJson } from "./terminal.ts";
import { formatDistance, formatTime } from "./times.ts";
import { withClient } from "./with-client.ts";

type NoticesView = Reply<"listNotices">;
type OwnerView = Reply<"listOwners">["owners"][number];

const MESSAGES_MAX = 200;

/** Lists what owners were told. */
export const noticesListCommand: Command = {
  name: "notices list",
  summary: "what owners were told, what could not be delivered, and who is needed and cannot be told",
  positionals: [],
  options: [{ name: "limit", value: "N", help: "messages at most; 50 when left out" }, ...LOOK_OPTIONS],
  notes: ["An owner is told once of all cases that one act, or one place, is needed for."],
  run: (call) =>
    withClient(call, { definitions: "optional" }, async (client) => {
      const limit = readWhole(call, "limit", { min: 1, max: MESSAGES_MAX });
      const view = await client.listNotices(limit === null ? {} : { limit });
      if (call.flag("json")) sayJson(view);
      else sayNotices(view);
    }),
};

function sayNotices(view: NoticesView): void {
  const { now, notices, undeliverable, undeliverableCount, messages, unanswered, isConfigured } = view;
  if (!isConfigured) say("The configuration says nothing of notices: nobody is told by this machine.");
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

function messageRow(message: NoticesView["messages"][number]): readonly string[] {
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
    await withClient(call, { definitions: "needed" }, async (client) => {
      const reply = await client.testOwner({ owner: needed(call, 0) });
      isReached = reply.results.every(({ isSent }) => isSent);
      if (call.flag("json")) sayJson(reply);
      else for (const line of testLines(reply)) say(line);
    });
    return isReached ? EXIT_CODES.ok : EXIT_CODES.unexpected;
  },
};

function testLines({ results }: Reply<"testOwner">): readonly string[] {
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
    withClient(call, { definitions: "optional" }, async (client) => {
      const reply = await client.retryNotice({ messageId: needed(call, 0) });
      if (call.flag("json")) sayJson(reply);
      else say(reply.sentence);
    }),
};

/** Says who owners are. */
export const ownersCommand: Command = {
  name: "owners",
  summary: "who would be told now for what, and which names of owners nobody answers to",
  positionals: [],
  options: LOOK_OPTIONS,
  notes: ["A rota is asked who is on duty."],
  run: (call) =>
    withClient(call, { definitions: "needed" }, async (client) => {
      const { owners } = await client.listOwners();
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
