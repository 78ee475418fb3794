/** One request while it runs: what is known of it so far. Mutable, and known only to the meter. */

import type { SentState } from "../core/wire-evidence.ts";
import type { RequestFacts } from "./request-facts.ts";

const ORDER: Readonly<Record<SentState, number>> = { none: 0, maybe: 1, headers: 2, full: 3 };

/** Who is told of what happens to a request. */
export interface TraceListener {
  onFirstSent(trace: RequestTrace): void;
  /** Its answer was one after which clients try again, or it failed. Once. */
  onTrouble(trace: RequestTrace): void;
  /** Nothing more happens to it. Once. */
  onEnded(trace: RequestTrace): void;
}

/** What begins a trace. */
export interface TraceStart {
  readonly facts: RequestFacts;
  /** Epoch ms. */
  readonly startedAt: number;
  readonly isRepeat: boolean;
  readonly isLate: boolean;
  /** True when it cannot leave any more once its attempt has ended. */
  readonly isStoppable: boolean;
}

/** A request under way. */
export class RequestTrace {
  readonly facts: RequestFacts;
  readonly startedAt: number;
  readonly isRepeat: boolean;
  readonly isLate: boolean;
  readonly isStoppable: boolean;
  sent: SentState = "none";
  status: number | null = null;
  headers: Readonly<Record<string, string>> = {};
  isAnswerComplete = false;
  isEnded = false;
  readonly #listener: TraceListener;
  #isTroubled = false;

  constructor({ facts, startedAt, isRepeat, isLate, isStoppable }: TraceStart, listener: TraceListener) {
    this.facts = facts;
    this.startedAt = startedAt;
    this.isRepeat = isRepeat;
    this.isLate = isLate;
    this.isStoppable = isStoppable;
    this.#listener = listener;
  }

  /** It has left at least so far. Never goes back. */
  markSent(state: SentState): void {
    if (ORDER[state] <= ORDER[this.sent]) return;
    const isFirst = this.sent === "none";
    this.sent = state;
    if (isFirst) this.#listener.onFirstSent(this);
  }

  /** An answer has begun. */
  markAnswered(status: number, headers: Readonly<Record<string, string>>): void {
    // An answer of the final kind follows 100 and 103.
    if (status < 200 && status !== 101) return;
    this.markSent("headers");
    this.status = status;
    this.headers = headers;
    if (isTrouble(status)) this.#trouble();
  }

  /** The whole answer was read. */
  markComplete(): void {
    this.isAnswerComplete = true;
    this.#end();
  }

  /** It failed, or was given up. */
  markFailed(): void {
    if (this.isAnswerComplete) return;
    this.#trouble();
    this.#end();
  }

  #trouble(): void {
    if (this.#isTroubled) return;
    this.#isTroubled = true;
    this.#listener.onTrouble(this);
  }

  #end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.#listener.onEnded(this);
  }
}

/** True when what was sent may have been executed although no good answer came. */
export function isUnproved({
  sent,
  status,
}: {
  readonly sent: SentState;
  readonly status: number | null;
}): boolean {
  return sent !== "none" && (status === null || status >= 500 || status === 408);
}

/** Answers after which clients send the same again. */
function isTrouble(status: number): boolean {
  return status >= 500 || status === 408 || status === 409 || status === 425 || status === 429;
}
