/** Notices and their messages, in PostgreSQL. */

import { invariant } from "../../core/errors.ts";
import type { ReviewReason } from "../../core/journal.ts";
import type { NeedCount } from "../../core/needs.ts";
import type { NoticeContent } from "../../core/notice-words.ts";
import type { NoticeSubject } from "../../core/notices.ts";
import {
  MESSAGES_MAX,
  NEED_CASES_MAX,
  NEEDS_MAX,
  NOTICES_MAX,
  type MessageFailure,
  type MessageOutcome,
  type MessageState,
  type NoticeStore,
  type NoticeTarget,
  type RetryReply,
  type StoredMessage,
  type StoredNotice,
} from "../notice-port.ts";
import type { Database, Parameter } from "./database.ts";
import type { StatementName } from "../sql/statements.ts";

type Run = <Row extends object>(
  name: StatementName,
  values?: readonly Parameter[],
) => Promise<readonly Row[]>;

/** Makes them over the store's own pool. */
export function postgresNotices(database: Database): NoticeStore {
  const run: Run = <Row extends object>(name: StatementName, values: readonly Parameter[] = []) =>
    database.guarded(() => database.run<Row>(name, values));
  return {
    takeTurn: async (everyMs) => (await run("take_turn", ["notices", everyMs])).length > 0,
    countNeeds: (dueAfterMs) => countNeeds(run, dueAfterMs),
    listOpen: async () => (await run<NoticeRow>("list_notices", [NOTICES_MAX])).map(toNotice),
    change: (change) => changeNotice(run, change),
    listMessages: async ({ states, owner, limit }) => {
      invariant(limit <= MESSAGES_MAX, `${limit} messages were asked for`);
      const rows = await run<MessageRow>("list_messages", [states ?? null, owner ?? null, limit]);
      return rows.map(toMessage);
    },
    countUndeliverable: async () => {
      const [row] = await run<{ readonly messages: number }>("count_undeliverable");
      return row?.messages ?? 0;
    },
    claim: async ({ claimId, limit, holdMs }) => {
      invariant(limit <= MESSAGES_MAX, `${limit} messages were to be claimed`);
      const rows = await run<MessageRow>("claim_messages", [claimId, limit, holdMs]);
      return rows.map(toMessage).toSorted((one, other) => one.dueAt - other.dueAt);
    },
    settle: async (outcome) => (await run("settle_message", outcomeValues(outcome))).length > 0,
    retry: (messageId) => retry(run, messageId),
    forget: async (endedBefore) => {
      await run("forget_notices", [endedBefore]);
    },
  };
}

interface NeedRow {
  readonly now: number;
  readonly reviewed: number;
  readonly waiting: number;
  /** Null = there is no need at all. */
  readonly owner: string | null;
  readonly kind: NeedCount["kind"];
  readonly reason: ReviewReason | null;
  readonly case_type: string;
  readonly step: string;
  readonly destination: string | null;
  readonly credential_id: string | null;
  readonly held: number;
  readonly cases: number;
  readonly causes: number;
  readonly first_since_at: number;
  readonly last_since_at: number;
  readonly first_due_at: number;
  readonly next_check_at: number | null;
  readonly last_remind_at: number | null;
  readonly case_id: string;
  readonly overdue: number;
  readonly last_overdue_at: number;
}

async function countNeeds(run: Run, dueAfterMs: number): ReturnType<NoticeStore["countNeeds"]> {
  const rows = await run<NeedRow>("count_needs", [dueAfterMs, NEED_CASES_MAX, NEEDS_MAX]);
  const [first] = rows;
  invariant(first !== undefined, "needs were counted at no time");
  const needs = rows.flatMap((row) => (row.owner === null ? [] : [toNeed({ ...row, owner: row.owner })]));
  const isWhole =
    needs.length < NEEDS_MAX && first.reviewed < NEED_CASES_MAX && first.waiting < NEED_CASES_MAX;
  return { now: first.now, needs, isWhole };
}

function toNeed(row: NeedRow & { readonly owner: string }): NeedCount {
  const { owner, kind, reason, step, destination, held, cases, causes } = row;
  return {
    owner,
    kind,
    reason,
    caseType: row.case_type,
    step,
    destination,
    credentialId: row.credential_id,
    held,
    open:
      cases === 0
        ? null
        : {
            cases,
            causes,
            firstSinceAt: row.first_since_at,
            lastSinceAt: row.last_since_at,
            firstDueAt: row.first_due_at,
            nextCheckAllowedAt: row.next_check_at,
            lastRemindAt: row.last_remind_at,
            caseId: row.case_id,
          },
    overdue: row.overdue === 0 ? null : { cases: row.overdue, lastDueAt: row.last_overdue_at },
  };
}

interface NoticeRow {
  readonly notice_id: string;
  readonly owner: string;
  readonly subject: NoticeSubject;
  readonly title: string;
  readonly version: number;
  readonly tellings: number;
  readonly told_cases: number;
  readonly targets: readonly NoticeTarget[];
  readonly opened_at: number;
  readonly told_at: number;
  readonly overdue_told_at: number | null;
  readonly gone_at: number | null;
  readonly over_at: number | null;
}

function toNotice(row: NoticeRow): StoredNotice {
  const { owner, subject, title, version, tellings, targets } = row;
  return {
    noticeId: row.notice_id,
    owner,
    subject,
    title,
    version,
    tellings,
    targets,
    openedAt: row.opened_at,
    toldAt: row.told_at,
    toldCases: row.told_cases,
    overdueToldAt: row.overdue_told_at,
    goneAt: row.gone_at,
    overAt: row.over_at,
  };
}

async function changeNotice(
  run: Run,
  { version, notice, isOver, messages }: Parameters<NoticeStore["change"]>[0],
): Promise<boolean> {
  invariant(messages.length <= MESSAGES_MAX, `a notice with ${messages.length} messages was to be stored`);
  const { noticeId, owner, subject, title, openedAt, tellings, toldAt, toldCases } = notice;
  const told = [openedAt, tellings, toldAt, toldCases, notice.overdueToldAt, notice.goneAt];
  const [about, to, made] = [subject, notice.targets, messages].map((one) => JSON.stringify(one));
  const rows = await run("change_notice", [
    version,
    noticeId,
    owner,
    about ?? "",
    title,
    ...told,
    isOver,
    to ?? "",
    made ?? "",
  ]);
  return rows.length > 0;
}

interface MessageRow {
  readonly message_id: string;
  readonly notice_id: string;
  readonly target: NoticeTarget;
  readonly content: NoticeContent;
  readonly state: MessageState;
  readonly attempts: number;
  readonly throttles: number;
  readonly failure: MessageFailure | null;
  readonly failing_since_at: number | null;
  readonly created_at: number;
  readonly due_at: number;
  readonly ended_at: number | null;
}

function toMessage(row: MessageRow): StoredMessage {
  const { target, content, state, attempts, throttles, failure } = row;
  return {
    messageId: row.message_id,
    noticeId: row.notice_id,
    target,
    content,
    state,
    attempts,
    throttles,
    failure,
    failingSinceAt: row.failing_since_at,
    createdAt: row.created_at,
    dueAt: row.due_at,
    sentAt: state === "sent" ? row.ended_at : null,
  };
}

function outcomeValues(outcome: MessageOutcome): readonly Parameter[] {
  const { messageId, claimId, kind } = outcome;
  if (kind === "sent") return [messageId, claimId, kind, null, null, null, null, null];
  const { attempts, throttles, failingSinceAt, failure } = outcome;
  const state = kind === "retry" ? "waiting" : kind;
  const dueAt = kind === "retry" ? outcome.dueAt : null;
  return [messageId, claimId, state, dueAt, attempts, throttles, failingSinceAt, JSON.stringify(failure)];
}

async function retry(run: Run, messageId: string): Promise<RetryReply> {
  const rows = await run<{ readonly state: MessageState; readonly is_over: boolean }>("retry_message", [
    messageId,
  ]);
  const [found] = rows;
  if (found === undefined) return "unknown";
  if (found.state !== "undeliverable") return "other";
  return found.is_over ? "over" : "waiting";
}
