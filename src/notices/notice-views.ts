/** What people see of notices, as types alone: the client of the API reads them in a browser. */

import type { OwnerSetup } from "../define/notice-book.ts";
import type { RetryReply, StoredMessage, StoredNotice } from "../store/notice-port.ts";

/** A message as people see it. Times are epoch ms. */
export interface MessageView extends Pick<
  StoredMessage,
  "messageId" | "noticeId" | "state" | "attempts" | "createdAt" | "sentAt" | "failure"
> {
  readonly owner: string;
  readonly title: string;
  readonly channel: string;
  /** Whom it tells. */
  readonly whom: string;
  /** When it is sent next; null = it is not. */
  readonly dueAt: number | null;
}

/** An open notice as people see it. */
export interface NoticeView extends Pick<
  StoredNotice,
  "noticeId" | "owner" | "title" | "openedAt" | "toldAt" | "toldCases" | "tellings"
> {
  /** Whom it told, each once. */
  readonly whom: readonly string[];
}

/** What owners were told. */
export interface NoticesView {
  readonly now: number;
  /** False where the configuration says nothing of notices: then nobody is told. */
  readonly isConfigured: boolean;
  /** Oldest first. */
  readonly notices: readonly NoticeView[];
  /** Wait for a person; newest first. */
  readonly undeliverable: readonly MessageView[];
  /** How many of those there are in all. */
  readonly undeliverableCount: number;
  /** The newest of all, whatever became of them. */
  readonly messages: readonly MessageView[];
  /** Owners that are needed now and whose name nobody answers to. */
  readonly unanswered: readonly string[];
}

/** Who an owner is, and what needs them now. */
export interface OwnerView {
  readonly owner: string;
  /** What the name is used for in the loaded definitions. */
  readonly uses: readonly string[];
  readonly answeredBy: OwnerSetup["kind"] | "otherwise" | "nobody";
  /** Who would be told now, and by what. */
  readonly places: readonly { readonly whom: string; readonly channel: string }[];
  /** Why a rota did not say who is on duty; null = it did, or none was asked. */
  readonly rotaFault: string | null;
  /** Cases that need them now and that nobody deals with. */
  readonly cases: number;
}

/** What became of a test. */
export interface TestReply {
  readonly owner: string;
  readonly results: readonly {
    readonly whom: string;
    readonly channel: string;
    readonly isSent: boolean;
    /** What went wrong; null = nothing. */
    readonly sentence: string | null;
  }[];
}

/** What became of a message that was to be sent anew. */
export interface RetriedMessage {
  readonly became: Exclude<RetryReply, "unknown" | "other">;
  readonly sentence: string;
}
