/**
 * What the store keeps of notices: what owners were told, and the messages that tell them. A notice changes by
 * compare-and-set together with its messages, so that two who decide at once send one. Messages are sent under claims
 * that end by the store's clock, and an attempt counts from its claim: what a killed process had begun is begun again,
 * counted, under the same message id.
 */

import type { DeliveryRound } from "../core/delivery.ts";
import type { Failure } from "../core/failure.ts";
import type { NeedCount } from "../core/needs.ts";
import type { NoticeContent } from "../core/notice-words.ts";
import type { NoticeState, NoticeSubject } from "../core/notices.ts";

/** Groups of needs in one reading. */
export const NEEDS_MAX = 1_000;
/** Cases that one reading of needs looks at: as many with reviews, and as many that wait. */
export const NEED_CASES_MAX = 100_000;
/** Open notices that are read at once. */
export const NOTICES_MAX = 2_000;
/** Messages of one telling, in one claim, and in one page. */
export const MESSAGES_MAX = 200;

/** Where a message goes. */
export interface NoticeTarget {
  /** The channel's name in the configuration. */
  readonly channel: string;
  /** Within the channel, such as an address; null = the channel has one place only. */
  readonly to: string | null;
  /** Whom it tells, for people. */
  readonly whom: string;
}

/** A notice as stored. */
export interface StoredNotice extends NoticeState {
  readonly noticeId: string;
  readonly owner: string;
  readonly subject: NoticeSubject;
  /** Null = it is open. */
  readonly overAt: number | null;
  /** Rises with every change. */
  readonly version: number;
  /** The title of what was told last. */
  readonly title: string;
  /** Who was told so far since it was opened. */
  readonly targets: readonly NoticeTarget[];
}

/** A message as it is made. Its id is the same whenever it is sent. */
export interface NewMessage {
  readonly messageId: string;
  readonly target: NoticeTarget;
  readonly content: NoticeContent;
}

/** A change of one notice. Stored with its messages only while the version is still `version`. */
export interface NoticeChange {
  /** Null = it is not there, or over. */
  readonly version: number | null;
  readonly notice: Omit<StoredNotice, "version" | "overAt">;
  readonly isOver: boolean;
  /** At most {@link MESSAGES_MAX}. Those of an earlier telling that were not sent yet are dropped once it is over. */
  readonly messages: readonly NewMessage[];
}

/** Where a message stands. `dropped`: it was over before it could be sent. */
export type MessageState = "waiting" | "claimed" | "sent" | "undeliverable" | "dropped";

/** What is kept of a failure. */
export type MessageFailure = Pick<Failure, "kind" | "executed" | "rule" | "sentence"> & {
  readonly at: number;
};

/** A message as stored. Times are epoch ms. */
export interface StoredMessage extends NewMessage, DeliveryRound {
  readonly noticeId: string;
  readonly state: MessageState;
  readonly createdAt: number;
  /** When it may be sent next; of no meaning once it is sent, undeliverable or dropped. */
  readonly dueAt: number;
  readonly sentAt: number | null;
  /** The last one; null = it never failed. */
  readonly failure: MessageFailure | null;
}

/** What became of sending a claimed message. */
export type MessageOutcome = { readonly messageId: string; readonly claimId: string } & (
  | { readonly kind: "sent" }
  | ({ readonly kind: "retry"; readonly dueAt: number; readonly failure: MessageFailure } & DeliveryRound)
  | ({ readonly kind: "undeliverable"; readonly failure: MessageFailure } & DeliveryRound)
);

/** What became of sending a message anew by hand. */
export type RetryReply =
  /** It waits to be sent, with fresh bounds. */
  | "waiting"
  /** It is dropped: its notice is over, and nothing is left to be told. */
  | "over"
  /** It is not undeliverable. */
  | "other"
  | "unknown";

/** Notices as a store keeps them. Errors as in {@link Store}. */
export interface NoticeStore {
  /** True for one of all that ask within `everyMs`: that one decides whom to tell. */
  takeTurn(everyMs: number): Promise<boolean>;
  /**
   * Needs as {@link countNeeds} counts them, by the store's time, at most {@link NEEDS_MAX} groups. `isWhole` is false
   * where more cases or groups are there than were looked at.
   */
  countNeeds(dueAfterMs: number): Promise<{
    readonly now: number;
    readonly needs: readonly NeedCount[];
    readonly isWhole: boolean;
  }>;
  /** Open ones, oldest first; at most {@link NOTICES_MAX}. */
  listOpen(): Promise<readonly StoredNotice[]>;
  /** True if it was stored. */
  change(change: NoticeChange): Promise<boolean>;
  /** Messages in a state, or in any; newest first, at most `limit`. */
  listMessages(filter: {
    readonly states?: readonly MessageState[];
    readonly owner?: string;
    readonly limit: number;
  }): Promise<readonly StoredMessage[]>;
  countUndeliverable(): Promise<number>;
  /**
   * Claims due messages, longest due first, and counts an attempt of each; one whose claim ended without an outcome is
   * due again. Of those to one target for one notice only the oldest is claimed. `holdMs`: how long a claim lasts.
   */
  claim(request: {
    readonly claimId: string;
    readonly limit: number;
    readonly holdMs: number;
  }): Promise<readonly StoredMessage[]>;
  /** Stores what became of a message whose claim is still this one; false where it is not any more. */
  settle(outcome: MessageOutcome): Promise<boolean>;
  /** Has an undeliverable message sent anew. */
  retry(messageId: string): Promise<RetryReply>;
  /** Deletes messages that ended, and notices that were over, before `endedBefore`. At most 1,000 of each a call. */
  forget(endedBefore: number): Promise<void>;
}
