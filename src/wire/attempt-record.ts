/**
 * What is known of one attempt while it runs: its requests, how many left, which of them were repeats. Bounded: of many
 * requests the first and the last are kept, the others only counted.
 */

import { hash } from "node:crypto";
import type { Socket } from "node:net";
import type { ForeignKey } from "../core/wire-evidence.ts";
import {
  BLIND_SPOTS,
  type BlindSpot,
  type KeyKind,
  type MeteredEvidence,
  type MeteredRequest,
} from "./evidence.ts";
import { isAutomaticKey, isUnsafeMethod, sameness, type RequestFacts } from "./request-facts.ts";
import { isUnproved, RequestTrace, type TraceListener } from "./request-trace.ts";

/** Requests of one attempt that are kept one by one, and the last one beside; the others are only counted. */
export const REQUESTS_KEPT_MAX = 32;
/** Kinds of requests in trouble that are told apart. */
const TROUBLED_MAX = 256;
/** Sockets of an attempt that are looked at. */
const SOCKETS_MAX = 64;
/** Characters of a hash that are kept. */
const HASH_CHARS = 16;

/** An attempt to watch. */
export interface WatchedAttempt {
  /** The key that the step was given: a request that carries it belongs to this attempt, whoever sends it. */
  readonly idempotencyKey: string;
  /** Aborts when nothing more may be sent. */
  readonly signal: AbortSignal;
  /** Epoch ms. */
  readonly now: () => number;
  /** Times that the same request may still be sent in this round, this attempt's first one included. At least 1. */
  readonly requestsMax: number;
  /** False where the destination cannot tell a repeat from a second order: then no unproved write is repeated. */
  readonly mayRepeat: boolean;
  /** Keys of a client's own under which earlier attempts of the same intent may have been executed. */
  readonly earlierKeys: readonly ForeignKey[];
  /** Told of each request that is begun after the attempt has ended or was stopped. */
  readonly onLate: (late: LateRequest) => void;
}

/** A request that was begun too late. */
export interface LateRequest {
  readonly method: string;
  readonly origin: string | null;
  /** False where a queue that others share may have run their request under this attempt's name. */
  readonly isSure: boolean;
}

/** Why a request is not sent. */
export type RefusalReason = "over" | "limit" | "notRepeatable" | "newKey";

/** A request that was not sent. */
export interface Refusal {
  readonly why: RefusalReason;
  readonly method: string;
  readonly path: string;
  readonly client: string | null;
}

/** One watched attempt. */
export class AttemptRecord implements TraceListener {
  readonly attempt: WatchedAttempt;
  /** The first refusal; null = none. */
  refusal: Refusal | null = null;
  readonly #kept: RequestTrace[] = [];
  #last: RequestTrace | null = null;
  #begunCount = 0;
  #sentCount = 0;
  #repeatCount = 0;
  #unsentCount = 0;
  /** Requests that still wait for their connection, and may leave. */
  #waitingCount = 0;
  /** Requests that wait and cannot leave any more once the attempt has ended. */
  #stoppableCount = 0;
  #lateCount = 0;
  /** Requests in trouble that were not tried again yet, by what makes them the same. */
  readonly #troubled = new Map<string, number>();
  readonly #blindSpots = new Set<BlindSpot>();
  #unseenClient: string | null = null;
  readonly #sockets = new Set<Socket>();
  #isOver = false;
  #isBound = false;

  constructor(attempt: WatchedAttempt) {
    this.attempt = attempt;
  }

  /** True once the attempt has ended. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** True once nothing more may be sent. */
  get isStopped(): boolean {
    return this.#isOver || this.attempt.signal.aborted;
  }

  /** True for a request that this attempt made, or might have made: the same place, or no own request seen at all. */
  couldHaveMade(same: string): boolean {
    return this.#kept.length === 0 || this.#kept.some(({ facts }) => sameness(facts) === same);
  }

  /** True when absence of a request would be taken for a proof. */
  get sawNothingLeave(): boolean {
    return this.#sentCount === 0;
  }

  /** A request begins. */
  begin(facts: RequestFacts, { isSure }: { readonly isSure: boolean }): RequestTrace {
    const isLate = this.isStopped;
    const isRepeat = this.#takeTroubled(facts) || (facts.clientTry?.number ?? 1) > 1;
    const isStoppable = this.#isBound;
    const startedAt = this.attempt.now();
    const trace = new RequestTrace({ facts, startedAt, isRepeat, isLate, isStoppable }, this);
    if (isLate) {
      this.#lateCount += 1;
      this.attempt.onLate({ method: facts.method, origin: facts.origin, isSure });
    }
    if (this.#isOver) return trace;
    this.#begunCount += 1;
    this.#countWaiting(trace, 1);
    if (this.#kept.length < REQUESTS_KEPT_MAX) this.#kept.push(trace);
    this.#last = trace;
    return trace;
  }

  /** What `dispatch` begins ends with the attempt: the transport stops it. */
  bound<T>(dispatch: () => T): T {
    this.#isBound = true;
    try {
      return dispatch();
    } finally {
      this.#isBound = false;
    }
  }

  #countWaiting({ isStoppable }: RequestTrace, by: 1 | -1): void {
    if (isStoppable) this.#stoppableCount += by;
    else this.#waitingCount += by;
  }

  /** Why a request like this may not be sent; null = it may. What it refuses it remembers. */
  refuse(facts: RequestFacts): Refusal | null {
    const why = this.#whyRefused(facts);
    if (why === null) return null;
    const refusal = { why, method: facts.method, path: facts.path, client: facts.client };
    this.refusal ??= refusal;
    return refusal;
  }

  #whyRefused(facts: RequestFacts): RefusalReason | null {
    if (this.isStopped) return "over";
    if (this.#changesKey(facts)) return "newKey";
    if (!this.#isAgain(facts)) return null;
    if (!this.attempt.mayRepeat && this.#wouldRepeatUnproved(facts)) return "notRepeatable";
    return this.#repeatCount + 1 >= this.attempt.requestsMax ? "limit" : null;
  }

  #isAgain(facts: RequestFacts): boolean {
    return this.#troubled.has(sameness(facts)) || (facts.clientTry?.number ?? 1) > 1;
  }

  #wouldRepeatUnproved({ method, origin, path }: RequestFacts): boolean {
    if (!isUnsafeMethod(method)) return false;
    return this.#kept.some(
      (one) =>
        one.facts.method === method &&
        one.facts.origin === origin &&
        one.facts.path === path &&
        isUnproved(one),
    );
  }

  /** True for a write that may have been executed under another key, in this attempt or an earlier one. */
  #changesKey(facts: RequestFacts): boolean {
    const { method, origin, path, key } = facts;
    if (!isUnsafeMethod(method)) return false;
    const isSame = ({ facts: one }: RequestTrace): boolean =>
      one.method === method && one.origin === origin && one.path === path;
    const changed = this.#kept.some(
      (one) => isSame(one) && one.facts.key !== null && one.facts.key !== key && isUnproved(one),
    );
    if (changed || this.attempt.earlierKeys.length === 0) return changed;
    const group = groupOf(facts);
    const keyHash = key === null ? null : hashOf(key);
    return this.attempt.earlierKeys.some((one) => one.group === group && one.keyHash !== keyHash);
  }

  /** The attempt could make requests here that the meter does not see. */
  noteBlindSpot(spot: BlindSpot): void {
    if (!this.#isOver) this.#blindSpots.add(spot);
  }

  /** A client sent something here that the meter does not see. */
  noteUnseenClient(name: string): void {
    if (this.#isOver) return;
    this.#unseenClient = name;
    this.noteBlindSpot(BLIND_SPOTS.protocol);
  }

  /** A connection was opened; it counts once it stands. */
  noteSocket(socket: Socket): void {
    if (this.#isOver || this.#sockets.size >= SOCKETS_MAX) return;
    const onConnect = (): void => {
      if (!this.#isOver) this.#sockets.add(socket);
    };
    socket.once("connect", onConnect);
  }

  onFirstSent(trace: RequestTrace): void {
    if (this.#isOver) return;
    this.#sentCount += 1;
    this.#countWaiting(trace, -1);
    if (trace.isRepeat) this.#repeatCount += 1;
  }

  onTrouble({ sent, isRepeat, facts }: RequestTrace): void {
    // What never left is no request: the next one is a first one again, unless this one was to repeat another.
    if (this.#isOver || (sent === "none" && !isRepeat)) return;
    const same = sameness(facts);
    if (this.#troubled.size >= TROUBLED_MAX && !this.#troubled.has(same)) return;
    this.#troubled.set(same, (this.#troubled.get(same) ?? 0) + 1);
  }

  onEnded(trace: RequestTrace): void {
    if (this.#isOver || trace.sent !== "none") return;
    this.#unsentCount += 1;
    this.#countWaiting(trace, -1);
  }

  #takeTroubled(facts: RequestFacts): boolean {
    const same = sameness(facts);
    const count = this.#troubled.get(same);
    if (count === undefined) return false;
    if (count === 1) this.#troubled.delete(same);
    else this.#troubled.set(same, count - 1);
    return true;
  }

  /** What is known now. `isMetered` tells sockets of protocols that are seen. */
  evidence(isMetered: (socket: Socket) => boolean): MeteredEvidence {
    const last = this.#last;
    const kept = last === null || this.#kept.includes(last) ? this.#kept : [...this.#kept, last];
    const spots = new Set(this.#blindSpots);
    if (this.#begunCount === 0) spots.add(BLIND_SPOTS.nothingSeen);
    if (this.#waitingCount > 0) spots.add(BLIND_SPOTS.pending);
    if ([...this.#sockets].some((socket) => !isMetered(socket))) spots.add(BLIND_SPOTS.protocol);
    if (this.#missedTries()) spots.add(BLIND_SPOTS.missedTries);
    return {
      requests: kept.map((trace) => this.#told(trace)),
      sentCount: this.#sentCount,
      unsentCount: this.#unsentCount + this.#stoppableCount,
      repeatCount: this.#repeatCount,
      lateCount: this.#lateCount,
      unseenClient: this.#unseenClient,
      blindSpots: [...spots],
    };
  }

  /** Freezes the counts; what happens from now on is late. */
  end(): void {
    this.#isOver = true;
    // The async context of a pooled connection may hold on to this record for long.
    this.#sockets.clear();
    this.#troubled.clear();
  }

  /** A client that counts its own tries may have made some that were seen as somebody else's. */
  #missedTries(): boolean {
    if (this.#begunCount > this.#kept.length) return false;
    return this.#kept.some(({ facts }) => {
      const { clientTry } = facts;
      if (clientTry === null) return false;
      const same = sameness(facts);
      return clientTry.number > this.#kept.filter((one) => sameness(one.facts) === same).length;
    });
  }

  #told(trace: RequestTrace): MeteredRequest {
    const { facts, startedAt, sent, status, headers, isAnswerComplete, isRepeat, isLate } = trace;
    return {
      method: facts.method,
      origin: facts.origin,
      group: groupOf(facts),
      keyHash: facts.key === null ? null : hashOf(facts.key),
      startedAt,
      sent,
      status,
      headers,
      isAnswerComplete,
      isRepeat,
      isLate,
      client: facts.client,
      keyKind: this.#keyKind(facts.key),
      clientTry: facts.clientTry,
    };
  }

  #keyKind(key: string | null): KeyKind {
    if (key === null) return "none";
    if (key === this.attempt.idempotencyKey) return "own";
    return isAutomaticKey(key) ? "automatic" : "other";
  }
}

function groupOf({ method, origin, path }: RequestFacts): string {
  return hashOf(`${method} ${origin ?? ""}${path}`);
}

function hashOf(text: string): string {
  return hash("sha256", text).slice(0, HASH_CHARS);
}
