/** Notices and their messages, in memory. */

import { invariant } from "../../core/errors.ts";
import { countNeeds, type NeedRow } from "../../core/needs.ts";
import {
  MESSAGES_MAX,
  NEEDS_MAX,
  NOTICES_MAX,
  type MessageOutcome,
  type NewMessage,
  type NoticeChange,
  type NoticeStore,
  type RetryReply,
  type StoredMessage,
  type StoredNotice,
} from "../notice-port.ts";
import { frozenJsonb } from "./frozen.ts";

interface MemoryMessage {
  readonly message: StoredMessage;
  readonly owner: string;
  readonly telling: number;
  readonly claim: { readonly claimId: string; readonly untilAt: number } | null;
  readonly endedAt: number | null;
}

/** What they are kept beside. */
interface Beside {
  readonly now: () => number;
  readonly rows: () => readonly NeedRow[];
}

/** Makes them. */
export function memoryNotices({ now, rows }: Beside): NoticeStore {
  const notices = new MemoryNotices(now);
  return {
    takeTurn: async (everyMs) => notices.takeTurn(everyMs),
    countNeeds: async (dueAfterMs) => {
      const at = now();
      const needs = countNeeds(rows(), { now: at, dueAfterMs });
      return { now: at, needs: needs.slice(0, NEEDS_MAX), isWhole: needs.length < NEEDS_MAX };
    },
    listOpen: async () => notices.listOpen(),
    change: async (change) => notices.change(change),
    listMessages: async (filter) => notices.listMessages(filter),
    countUndeliverable: async () => notices.inState("undeliverable").length,
    claim: async (request) => notices.claim(request),
    settle: async (outcome) => notices.settle(outcome),
    retry: async (messageId) => notices.retry(messageId),
    forget: async (endedBefore) => notices.forget(endedBefore),
  };
}

class MemoryNotices {
  readonly #now: () => number;
  readonly #notices = new Map<string, StoredNotice>();
  readonly #messages = new Map<string, MemoryMessage>();
  #nextTurnAt = -Infinity;

  constructor(now: () => number) {
    this.#now = now;
  }

  takeTurn(everyMs: number): boolean {
    const now = this.#now();
    if (now < this.#nextTurnAt) return false;
    this.#nextTurnAt = now + everyMs;
    return true;
  }

  listOpen(): readonly StoredNotice[] {
    return [...this.#notices.values()]
      .filter(({ overAt }) => overAt === null)
      .toSorted((one, other) => one.openedAt - other.openedAt || (one.noticeId < other.noticeId ? -1 : 1))
      .slice(0, NOTICES_MAX);
  }

  change({ version, notice, isOver, messages }: NoticeChange): boolean {
    invariant(messages.length <= MESSAGES_MAX, `a notice with ${messages.length} messages was to be stored`);
    const { noticeId } = notice;
    const known = this.#notices.get(noticeId);
    const open = known !== undefined && known.overAt === null ? known.version : null;
    if (open !== version) return false;
    const now = this.#now();
    const overAt = isOver ? now : null;
    const next = { ...notice, version: (known?.version ?? 0) + 1, overAt };
    // Its owner, its subject and when it was opened are the notice itself.
    const same =
      version === null || known === undefined
        ? next
        : { ...next, owner: known.owner, subject: known.subject, openedAt: known.openedAt };
    this.#notices.set(noticeId, frozenJsonb(same));
    if (isOver) this.#drop(noticeId);
    for (const message of messages) this.#tell(message, same, now);
    return true;
  }

  #drop(noticeId: string): void {
    for (const one of this.inState("waiting")) {
      if (one.message.noticeId === noticeId) this.#end(one, { state: "dropped" });
    }
  }

  #tell(made: NewMessage, { noticeId, owner, tellings: telling }: StoredNotice, now: number): void {
    if (this.#messages.has(made.messageId)) return;
    const fresh = { attempts: 0, throttles: 0, failingSinceAt: null, failure: null, sentAt: null } as const;
    const message = { ...made, ...fresh, noticeId, state: "waiting", createdAt: now, dueAt: now } as const;
    const stored = { message: frozenJsonb(message), owner, telling, claim: null, endedAt: null };
    this.#messages.set(made.messageId, stored);
  }

  inState(...states: readonly StoredMessage["state"][]): readonly MemoryMessage[] {
    return [...this.#messages.values()].filter(({ message }) => states.includes(message.state));
  }

  listMessages({
    states,
    owner,
    limit,
  }: Parameters<NoticeStore["listMessages"]>[0]): readonly StoredMessage[] {
    invariant(limit <= MESSAGES_MAX, `${limit} messages were asked for`);
    return [...this.#messages.values()]
      .filter((one) => owner === undefined || one.owner === owner)
      .map(({ message }) => message)
      .filter(({ state }) => states === undefined || states.includes(state))
      .toSorted((one, other) => other.createdAt - one.createdAt || (one.messageId < other.messageId ? -1 : 1))
      .slice(0, limit);
  }

  claim({ claimId, limit, holdMs }: Parameters<NoticeStore["claim"]>[0]): readonly StoredMessage[] {
    invariant(limit <= MESSAGES_MAX, `${limit} messages were to be claimed`);
    const now = this.#now();
    const unsent = this.inState("waiting", "claimed");
    return unsent
      .filter(({ message, claim }) => message.dueAt <= now && (claim === null || claim.untilAt <= now))
      .filter((one) => !unsent.some((other) => isBefore(other, one)))
      .toSorted((one, other) => one.message.dueAt - other.message.dueAt)
      .slice(0, limit)
      .map((one) => {
        const attempts = one.message.attempts + 1;
        const message = Object.freeze({ ...one.message, state: "claimed" as const, attempts });
        this.#messages.set(message.messageId, {
          ...one,
          message,
          claim: { claimId, untilAt: now + holdMs },
        });
        return message;
      });
  }

  settle(outcome: MessageOutcome): boolean {
    const one = this.#messages.get(outcome.messageId);
    if (one === undefined || one.claim?.claimId !== outcome.claimId) return false;
    if (outcome.kind === "sent") {
      this.#end(one, { state: "sent", sentAt: this.#now() });
      return true;
    }
    const { attempts, throttles, failingSinceAt, failure } = outcome;
    const round = { attempts, throttles, failingSinceAt, failure };
    if (outcome.kind === "undeliverable") this.#end(one, { ...round, state: "undeliverable" });
    else this.#wait(one, { ...round, dueAt: outcome.dueAt });
    return true;
  }

  retry(messageId: string): RetryReply {
    const one = this.#messages.get(messageId);
    if (one === undefined) return "unknown";
    if (one.message.state !== "undeliverable") return "other";
    const isOver = (this.#notices.get(one.message.noticeId)?.overAt ?? null) !== null;
    const fresh = { attempts: 0, throttles: 0, failingSinceAt: null };
    if (isOver) this.#end(one, { ...fresh, state: "dropped" });
    else this.#wait(one, { ...fresh, dueAt: this.#now() });
    return isOver ? "over" : "waiting";
  }

  forget(endedBefore: number): void {
    for (const [messageId, { message, endedAt }] of this.#messages) {
      const isOpen = this.#notices.get(message.noticeId)?.overAt === null;
      const isKept = message.state === "undeliverable" && isOpen;
      if (endedAt !== null && endedAt < endedBefore && !isKept) this.#messages.delete(messageId);
    }
    for (const [noticeId, { overAt }] of this.#notices) {
      if (overAt !== null && overAt < endedBefore) this.#notices.delete(noticeId);
    }
  }

  #wait(one: MemoryMessage, over: Partial<StoredMessage>): void {
    const message = frozenJsonb({ ...one.message, ...over, state: "waiting" as const });
    this.#messages.set(message.messageId, { ...one, message, claim: null, endedAt: null });
  }

  #end(one: MemoryMessage, over: Partial<StoredMessage>): void {
    const message = frozenJsonb({ ...one.message, ...over });
    this.#messages.set(message.messageId, { ...one, message, claim: null, endedAt: this.#now() });
  }
}

/** True where the first goes to the same place and must arrive there before the other. */
function isBefore(one: MemoryMessage, other: MemoryMessage): boolean {
  const [target, place] = [one.message.target, other.message.target];
  return (
    one.message.noticeId === other.message.noticeId &&
    target.channel === place.channel &&
    target.to === place.to &&
    one.telling < other.telling
  );
}
