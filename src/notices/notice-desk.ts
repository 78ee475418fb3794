/** What people may see and do about notices: who is told of what, what could not be delivered, and whether it would. */

import { FootholdError } from "../core/errors.ts";
import { tellOver, tellTest } from "../core/notice-words.ts";
import type { NoticeSubject } from "../core/notices.ts";
import { ownerNames } from "../define/owner-names.ts";
import type { NoticeBook } from "../define/notice-book.ts";
import {
  MESSAGES_MAX,
  type NoticeTarget,
  type StoredMessage,
  type StoredNotice,
} from "../store/notice-port.ts";
import { sendBy } from "./channel.ts";
import { resolveOwner } from "./owners.ts";
import type {
  MessageView,
  NoticesView,
  NoticeView,
  OwnerView,
  RetriedMessage,
  TestReply,
} from "./notice-views.ts";
import type { NoticeParts } from "./parts.ts";

/** Messages in one list where nothing else is asked for. */
const MESSAGES_LISTED = 50;
/** How long the longest needs are looked for in one answer: needs by their default due time. */
const DUE_AFTER_MS = 86_400_000;

/** When what has no due time of its own is overdue, in ms; a day where the configuration says nothing of notices. */
export function dueAfterMsOf(book: NoticeBook | null): number {
  return book?.dueAfterMs ?? DUE_AFTER_MS;
}
/** Characters of the name of an owner that is shown. */
const NAME_CHARS_MAX = 200;

/** Parts of a project that may have said nothing of notices. */
export type NoticeDeskParts = Omit<NoticeParts, "book"> & { readonly book: NoticeBook | null };

/** Reads what owners were told. */
export async function listNotices(parts: NoticeDeskParts, limit?: number): Promise<NoticesView> {
  const { notices } = parts.store;
  const listed = { limit: Math.min(limit ?? MESSAGES_LISTED, MESSAGES_MAX) };
  const [open, undeliverable, count, messages, needed, now] = await Promise.all([
    notices.listOpen(),
    notices.listMessages({ ...listed, states: ["undeliverable"] }),
    notices.countUndeliverable(),
    notices.listMessages(listed),
    casesByOwner(parts),
    parts.store.now(),
  ]);
  return {
    now,
    isConfigured: parts.book !== null,
    notices: open.map(viewNotice),
    undeliverable: undeliverable.map(viewMessage),
    undeliverableCount: count,
    messages: messages.map(viewMessage),
    unanswered: [...needed.keys()].filter((owner) => !isAnswered(parts.book, owner)).toSorted(),
  };
}

/** True if somebody is told for this name. */
export function isAnswered(book: NoticeBook | null, owner: string): boolean {
  return book !== null && (book.owners.has(owner) || book.otherwise !== null);
}

async function casesByOwner({ store, book }: NoticeDeskParts): Promise<ReadonlyMap<string, number>> {
  const { needs } = await store.notices.countNeeds(dueAfterMsOf(book));
  const cases = new Map<string, number>();
  for (const { owner, open } of needs) {
    if (open !== null) cases.set(owner, (cases.get(owner) ?? 0) + open.cases);
  }
  return cases;
}

function viewNotice(notice: StoredNotice): NoticeView {
  const { noticeId, owner, title, openedAt, toldAt, toldCases, tellings, targets } = notice;
  const whom = [...new Set(targets.map((one) => one.whom))];
  return { noticeId, owner, title, openedAt, toldAt, toldCases, tellings, whom };
}

function viewMessage(message: StoredMessage): MessageView {
  const { messageId, noticeId, state, attempts, createdAt, sentAt, failure, content, target } = message;
  const { owner, title } = content;
  const { channel, whom } = target;
  const dueAt = state === "waiting" || state === "claimed" ? message.dueAt : null;
  return {
    messageId,
    noticeId,
    state,
    attempts,
    createdAt,
    sentAt,
    failure,
    owner,
    title,
    channel,
    whom,
    dueAt,
  };
}

/** Every owner that definitions, the configuration or a case names, with who would be told now. */
export async function listOwners(parts: NoticeDeskParts, signal: AbortSignal): Promise<readonly OwnerView[]> {
  const uses = ownerNames(parts.registry.all.map(({ outline }) => outline));
  const cases = await casesByOwner(parts);
  const named = parts.book === null ? [] : [...parts.book.owners.keys()];
  const names = [...new Set([...uses.keys(), ...cases.keys(), ...named])].toSorted();
  const views: OwnerView[] = [];
  for (const owner of names) {
    const found = await whoAnswers(parts, owner, signal);
    views.push({ owner, uses: uses.get(owner) ?? [], ...found, cases: cases.get(owner) ?? 0 });
  }
  return views;
}

async function whoAnswers(
  { book, ports: { clock } }: NoticeDeskParts,
  owner: string,
  signal: AbortSignal,
): Promise<Pick<OwnerView, "answeredBy" | "places" | "rotaFault">> {
  if (book === null) return { answeredBy: "nobody", places: [], rotaFault: null };
  const { targets, rotaFault, isStandIn } = await resolveOwner(book, owner, { clock, signal });
  const kind = book.owners.get(owner)?.kind ?? (isStandIn ? "otherwise" : "nobody");
  return { answeredBy: kind, places: targets.map(({ whom, channel }) => ({ whom, channel })), rotaFault };
}

/** Sends a test to every place of an owner, now. Throws `INVALID_REQUEST` for a name that nobody answers to. */
export async function testOwner(
  parts: NoticeDeskParts,
  owner: string,
  signal: AbortSignal,
): Promise<TestReply> {
  const { book, ports } = parts;
  const targets =
    book === null ? [] : (await resolveOwner(book, owner, { clock: ports.clock, signal })).targets;
  if (book === null || targets.length === 0) {
    const known = [...(book?.owners.keys() ?? [])].join(", ") || "none";
    throw new FootholdError(
      "INVALID_REQUEST",
      `Nobody answers to the name ${JSON.stringify(owner.slice(0, NAME_CHARS_MAX))}. Owners of the configuration: ${known}.`,
    );
  }
  const results = await Promise.all(targets.map((target) => tryTarget(parts, book, owner, target, signal)));
  return { owner, results };
}

async function tryTarget(
  { ports, sending, store }: NoticeDeskParts,
  { channels }: NoticeBook,
  owner: string,
  { channel: name, to, whom }: NoticeTarget,
  signal: AbortSignal,
): Promise<TestReply["results"][number]> {
  const channel = channels.get(name);
  if (channel === undefined) {
    return { whom, channel: name, isSent: false, sentence: `There is no channel ${name}.` };
  }
  const noticeId = `test-${ports.ids.unique()}`;
  const about = { noticeId, to, at: await store.now() };
  const test = { ...about, messageId: ports.ids.unique(), content: tellTest(owner) };
  const failure = await sendBy(channel, test, sending, signal);
  if (failure === null && channel.way.kind === "pagerDuty") {
    // Nobody should be kept awake by it.
    const over = { ...about, messageId: ports.ids.unique(), content: tellOver(owner, TESTED) };
    await sendBy(channel, over, sending, signal);
  }
  return { whom, channel: name, isSent: failure === null, sentence: failure?.sentence ?? null };
}

const TESTED: NoticeSubject = { kind: "approval", caseType: "test", step: "test" };

/** Has an undeliverable message sent anew. Throws `INVALID_REQUEST` where there is none with this id. */
export async function retryMessage({ store }: NoticeDeskParts, messageId: string): Promise<RetriedMessage> {
  const became = await store.notices.retry(messageId);
  switch (became) {
    case "waiting":
      return { became, sentence: "It is sent again, with fresh bounds." };
    case "over":
      return { became, sentence: "Its notice is over by now, so nothing is left to be told: it is dropped." };
    case "other":
    case "unknown": {
      const shown = JSON.stringify(messageId.slice(0, NAME_CHARS_MAX));
      const why = became === "other" ? "is not undeliverable" : "is not there";
      throw new FootholdError(
        "INVALID_REQUEST",
        `The message ${shown} ${why}; a list of notices tells the ids of those that are undeliverable.`,
      );
    }
  }
}
