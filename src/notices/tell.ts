/**
 * Decides which owners are told of what, and writes that down with the messages that tell them. Any number of processes
 * may do so at once: a notice is changed by compare-and-set, so one of them tells, and what a killed one had not written
 * is decided again.
 */

import { invariant } from "../core/errors.ts";
import { eventMatters } from "../core/event-needs.ts";
import { tellMatter, tellOver, type NoticeContent } from "../core/notice-words.ts";
import {
  decideNotice,
  gatherMatters,
  noticeKey,
  type CredentialOf,
  type NoticeDecision,
  type NoticeState,
} from "../core/notices.ts";
import type { Registry } from "../define/registry.ts";
import {
  MESSAGES_MAX,
  type NewMessage,
  type NoticeChange,
  type NoticeTarget,
  type StoredNotice,
} from "../store/notice-port.ts";
import { resolveOwner } from "./owners.ts";
import type { NoticeParts } from "./parts.ts";
import type { OnNoticeReport } from "./report.ts";

/** Characters of the id of a notice, and of a message. */
const NOTICE_ID_CHARS = 16;
const MESSAGE_ID_CHARS = 32;

/** One pass over everything that people are needed for. Returns how many notices were told. */
export async function tellOwners(
  parts: NoticeParts,
  onReport: OnNoticeReport,
  signal: AbortSignal,
): Promise<number> {
  const { store, book, registry, ports } = parts;
  const open = await store.notices.listOpen();
  const { now, needs, isWhole } = await store.notices.countNeeds(book.dueAfterMs);
  const events = await store.inbox.countNeeds(book.dueAfterMs);
  const ofEvents = eventMatters(events.needs, book).map((matter) => [noticeKey(matter), matter] as const);
  const matters = new Map(
    [...gatherMatters(needs, credentialsIn(registry)), ...ofEvents].map(([key, matter]) => [
      ports.digest(key).slice(0, NOTICE_ID_CHARS),
      matter,
    ]),
  );
  const known = new Map(open.map((notice) => [notice.noticeId, notice]));
  let told = 0;
  for (const noticeId of new Set([...matters.keys(), ...known.keys()])) {
    if (signal.aborted) return told;
    const matter = matters.get(noticeId) ?? null;
    const notice = known.get(noticeId) ?? null;
    // What was not looked at whole may be there all the same.
    if (matter === null && !(isWhole && events.isWhole)) continue;
    const decision = decideNotice(matter, notice, book.rules, now);
    if (await carryOut(parts, { noticeId, notice, decision }, onReport, signal)) told += 1;
  }
  return told;
}

interface Decided {
  readonly noticeId: string;
  /** Null = none is open. */
  readonly notice: StoredNotice | null;
  readonly decision: NoticeDecision;
}

/** True if it was told by this process. */
async function carryOut(
  parts: NoticeParts,
  { noticeId, notice, decision }: Decided,
  onReport: OnNoticeReport,
  signal: AbortSignal,
): Promise<boolean> {
  switch (decision.kind) {
    case "leave":
      return false;
    case "note":
      if (notice !== null) await parts.store.notices.change(changeOf(notice, decision.state));
      return false;
    case "over":
      return notice === null ? false : endNotice(parts, notice, onReport);
    case "tell": {
      const { matter, state, why } = decision;
      const { owner, subject } = matter;
      const { clock } = parts.ports;
      const { targets, rotaFault } = await resolveOwner(parts.book, owner, { clock, signal });
      if (rotaFault !== null) onReport({ kind: "rota", owner, why: rotaFault });
      const content = tellMatter(matter, why);
      if (targets.length === 0) {
        // Nothing is kept: once somebody answers to the name they are told.
        onReport({ kind: "nobody", owner, title: content.title });
        return false;
      }
      const opened = { ...state, noticeId, owner, subject, title: content.title };
      const change: NoticeChange = {
        version: notice?.version ?? null,
        notice: { ...opened, targets: joinTargets(notice?.targets ?? [], targets) },
        isOver: false,
        messages: messagesFor(parts, opened, targets, content),
      };
      if (!(await parts.store.notices.change(change))) return false;
      onReport({ kind: "told", noticeId, owner, why, title: content.title, places: targets.length });
      return true;
    }
  }
}

/** Tells that it is over where a channel tells that, to all who were told since it was opened. */
async function endNotice(
  parts: NoticeParts,
  notice: StoredNotice,
  onReport: OnNoticeReport,
): Promise<boolean> {
  const { noticeId, owner, subject } = notice;
  const content = tellOver(owner, subject);
  const targets = notice.targets.filter(
    ({ channel }) => parts.book.channels.get(channel)?.tellsOver === true,
  );
  const state = { ...notice, tellings: notice.tellings + 1 };
  const change = { ...changeOf(notice, state), isOver: true };
  const messages = messagesFor(parts, { ...state, noticeId }, targets, content);
  if (!(await parts.store.notices.change({ ...change, messages }))) return false;
  const { title } = content;
  onReport({ kind: "told", noticeId, owner, why: "over", title, places: targets.length });
  return true;
}

function changeOf(notice: StoredNotice, state: NoticeState): NoticeChange {
  const { version, overAt: _, ...kept } = notice;
  const { openedAt, tellings, toldAt, toldCases, overdueToldAt, goneAt } = state;
  const next = { ...kept, openedAt, tellings, toldAt, toldCases, overdueToldAt, goneAt };
  return { version, notice: next, isOver: false, messages: [] };
}

/** Who was told before, and who is told now, each once. */
function joinTargets(before: readonly NoticeTarget[], now: readonly NoticeTarget[]): readonly NoticeTarget[] {
  const places = new Map([...before, ...now].map((one) => [JSON.stringify([one.channel, one.to]), one]));
  return [...places.values()].slice(-MESSAGES_MAX);
}

/** One for each place. Its id is that of the telling and the place, whoever decides it. */
function messagesFor(
  { ports }: NoticeParts,
  { noticeId, openedAt, tellings }: Pick<StoredNotice, "noticeId" | "openedAt" | "tellings">,
  targets: readonly NoticeTarget[],
  content: NoticeContent,
): readonly NewMessage[] {
  invariant(targets.length <= MESSAGES_MAX, `one telling goes to ${targets.length} places`);
  return targets.map((target) => {
    const telling = JSON.stringify([noticeId, openedAt, tellings, target.channel, target.to]);
    return { messageId: ports.digest(telling).slice(0, MESSAGE_ID_CHARS), target, content };
  });
}

/** The credential of each step of the loaded case types. */
function credentialsIn(registry: Registry): CredentialOf {
  return ({ caseType, step }) => {
    const steps = registry.find(caseType)?.outline.steps ?? [];
    const sends = steps.flatMap((one) =>
      one.kind === "step" ? [one, ...(one.undo === null ? [] : [one.undo])] : [],
    );
    return sends.find(({ name }) => name === step)?.destination.credentialId ?? null;
  };
}
