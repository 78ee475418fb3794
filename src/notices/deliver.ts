/**
 * Sends what is to be told. Any number of processes may do so at once: each takes a few messages under a claim that ends by
 * itself, and an attempt counts from its claim, so what a killed process had begun is begun again under the same id.
 */

import { afterFailedDelivery, isWornOut, type DeliveryRound } from "../core/delivery.ts";
import type { Failure } from "../core/failure.ts";
import { failureOf } from "../core/failure.ts";
import type { ChannelSetup } from "../define/notice-book.ts";
import type { MessageFailure, MessageOutcome, StoredMessage } from "../store/notice-port.ts";
import { sendBy } from "./channel.ts";
import type { NoticeParts } from "./parts.ts";
import type { OnNoticeReport } from "./report.ts";

/** Messages in one claim, and sent side by side. */
const CLAIM_MESSAGES = 16;
const AT_ONCE = 4;
/** How long a claim on a message lasts, in ms: longer than all that may be sent before it and itself. */
const HOLD_MS = 120_000;

/** One pass; true if there was something to send. `holdMs` is for tests that lose a process. */
export async function deliverDue(
  parts: NoticeParts,
  onReport: OnNoticeReport,
  stopped: AbortSignal,
  holdMs: number = HOLD_MS,
): Promise<boolean> {
  const { store, ports } = parts;
  const claimId = ports.ids.unique();
  const queue = [...(await store.notices.claim({ claimId, limit: CLAIM_MESSAGES, holdMs }))];
  const isBusy = queue.length > 0;
  const sendNext = async (): Promise<void> => {
    for (let message = queue.shift(); message !== undefined; message = queue.shift()) {
      // What is not begun is taken up by another process once the claim has ended.
      if (stopped.aborted) return;
      await deliver(parts, message, claimId, onReport, stopped);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sendNext));
  return isBusy;
}

async function deliver(
  parts: NoticeParts,
  message: StoredMessage,
  claimId: string,
  onReport: OnNoticeReport,
  stopped: AbortSignal,
): Promise<void> {
  const { store } = parts;
  const { messageId, target } = message;
  const channel = parts.book.channels.get(target.channel) ?? null;
  const failure =
    channel === null ? noChannel(target.channel) : await tryToSend(parts, channel, message, stopped);
  const now = await store.now();
  const outcome = outcomeOf(parts, { message, claimId, channel, failure }, now);
  const isOurs = await store.notices.settle(outcome);
  if (isOurs && outcome.kind === "undeliverable") {
    onReport({ kind: "undeliverable", messageId, target, sentence: outcome.failure.sentence });
  }
}

/** Null = it was taken. */
async function tryToSend(
  { store, sending }: NoticeParts,
  channel: ChannelSetup,
  { messageId, noticeId, target, content, attempts, throttles, failingSinceAt }: StoredMessage,
  stopped: AbortSignal,
): Promise<Failure | null> {
  if (isWornOut({ attempts, throttles, failingSinceAt }, channel.retry)) return lostEachTime(channel.name);
  const at = await store.now();
  return sendBy(channel, { messageId, noticeId, to: target.to, content, at }, sending, stopped);
}

interface Tried {
  readonly message: StoredMessage;
  readonly claimId: string;
  /** Null = the configuration has it no more. */
  readonly channel: ChannelSetup | null;
  /** Null = it was taken. */
  readonly failure: Failure | null;
}

function outcomeOf(
  { ports }: NoticeParts,
  { message, claimId, channel, failure }: Tried,
  now: number,
): MessageOutcome {
  const { messageId } = message;
  const about = { messageId, claimId };
  if (failure === null) return { ...about, kind: "sent" };
  const round: DeliveryRound = message;
  const kept = keptOf(failure, now);
  if (channel === null) return { ...about, kind: "undeliverable", failure: kept, ...roundOf(round) };
  const decision = afterFailedDelivery(failure, round, channel.retry, now, ports.random());
  switch (decision.kind) {
    case "retry":
      return { ...about, kind: "retry", dueAt: decision.dueAt, failure: kept, ...decision.round };
    case "undeliverable":
      return { ...about, kind: "undeliverable", failure: kept, ...decision.round };
  }
}

function roundOf({ attempts, throttles, failingSinceAt }: DeliveryRound): DeliveryRound {
  return { attempts, throttles, failingSinceAt };
}

/** The raw answer is not kept: whoever looks at notices need not see what a channel told. */
function keptOf({ kind, executed, rule, sentence }: Failure, at: number): MessageFailure {
  return { kind, executed, rule, sentence, at };
}

function noChannel(name: string): Failure {
  return failureOf({
    cause: "bug",
    executed: "no",
    rule: "channel.unknown",
    sentence: `The configuration has no channel ${name} any more.`,
  });
}

function lostEachTime(name: string): Failure {
  return failureOf({
    cause: "bug",
    executed: "maybe",
    rule: "channel.lost",
    sentence: `Whoever sent it by ${name} was lost each time; it may have arrived.`,
  });
}
