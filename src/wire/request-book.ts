/**
 * Which request belongs to which attempt. Bound once, when a request is made: by the step's own idempotency key, if it
 * carries it, else by async context. Everything that happens later is looked up by the request itself, because a
 * socket's callbacks may run in anybody's context.
 */

import { AsyncLocalStorage } from "node:async_hooks";
import type { Socket } from "node:net";
import { AttemptRecord, type WatchedAttempt } from "./attempt-record.ts";
import { BLIND_SPOTS, type BlindSpot, type MeteredEvidence } from "./evidence.ts";
import { sameness, type RequestFacts } from "./request-facts.ts";
import type { RequestTrace } from "./request-trace.ts";

/** Requests of others that are remembered, to tell whether one of them may have been ours. */
const STRANGERS_MAX = 512;

/** A request that was bound by context alone, or not at all. */
interface Stranger {
  readonly number: number;
  readonly same: string;
  readonly record: AttemptRecord | null;
}

/** An attempt that is watched. */
export interface OpenRecord {
  readonly record: AttemptRecord;
  /** Number of strangers when it was opened. */
  readonly strangersBefore: number;
}

/** The requests of a process, by attempt. */
export class RequestBook {
  readonly #context = new AsyncLocalStorage<AttemptRecord>();
  readonly #traces = new WeakMap<object, RequestTrace>();
  readonly #openByKey = new Map<string, AttemptRecord>();
  readonly #open = new Set<AttemptRecord>();
  readonly #strangers: Stranger[] = [];
  #strangerCount = 0;
  readonly #meteredSockets = new WeakSet<object>();

  /** The attempt in whose context this runs; undefined outside of all. */
  get current(): AttemptRecord | undefined {
    return this.#context.getStore();
  }

  /** Runs `work` in the context of an attempt. */
  runIn<T>(record: AttemptRecord, work: () => T): T {
    return this.#context.run(record, work);
  }

  /** Opens a record. */
  open(attempt: WatchedAttempt): OpenRecord {
    const record = new AttemptRecord(attempt);
    this.#open.add(record);
    this.#openByKey.set(attempt.idempotencyKey, record);
    return { record, strangersBefore: this.#strangerCount };
  }

  /** What is known of an open attempt now. */
  evidence({ record, strangersBefore }: OpenRecord): MeteredEvidence {
    if (record.sawNothingLeave && this.#mayHaveMixedUp(record, strangersBefore)) {
      record.noteBlindSpot(BLIND_SPOTS.sharedQueue);
    }
    return record.evidence((socket) => this.#meteredSockets.has(socket));
  }

  /** Ends the attempt: requests that still come under its name are late. */
  end({ record }: OpenRecord): void {
    if (record.isOver) return;
    record.end();
    this.#open.delete(record);
    const { idempotencyKey } = record.attempt;
    if (this.#openByKey.get(idempotencyKey) === record) this.#openByKey.delete(idempotencyKey);
  }

  /** A request begins. `readFacts` is asked only if somebody may want to know. Null = it is nobody's. */
  begin(handle: object, readFacts: () => RequestFacts): RequestTrace | null {
    const inContext = this.current;
    if (inContext === undefined && this.#open.size === 0) return null;
    const facts = readFacts();
    // The request that opens a tunnel through a proxy is not one of the destination.
    if (facts.method === "CONNECT") return null;
    const owner = this.#ownerOf(facts, inContext);
    if (owner === null) return null;
    const trace = owner.begin(facts, {
      isSure: this.#open.size === 0 || facts.key === owner.attempt.idempotencyKey,
    });
    this.#traces.set(handle, trace);
    return trace;
  }

  #ownerOf(facts: RequestFacts, inContext: AttemptRecord | undefined): AttemptRecord | null {
    const { key } = facts;
    if (key !== null && inContext?.attempt.idempotencyKey === key) return inContext;
    const byKey = key === null ? undefined : this.#openByKey.get(key);
    const isForeignContext = inContext !== undefined && (byKey !== undefined || inContext.isOver);
    if (isForeignContext) this.#noteMixing();
    if (byKey !== undefined) return byKey;
    const owner = inContext ?? null;
    this.#noteStranger(facts, owner);
    return owner;
  }

  /** Something here runs one caller's work in another's context: no count of now can be taken for whole. */
  #noteMixing(): void {
    for (const record of this.#open) record.noteBlindSpot(BLIND_SPOTS.sharedQueue);
  }

  #noteStranger(facts: RequestFacts, record: AttemptRecord | null): void {
    const number = this.#strangerCount;
    this.#strangers[number % STRANGERS_MAX] = { number, same: sameness(facts), record };
    this.#strangerCount += 1;
  }

  /**
   * True when a request that was bound to somebody else by context alone may have been this attempt's: queues that are
   * shared run one caller's work in another's context.
   */
  #mayHaveMixedUp(record: AttemptRecord, since: number): boolean {
    if (this.#strangerCount - since > STRANGERS_MAX) return true;
    return this.#strangers.some(
      (one) => one.number >= since && one.record !== record && record.couldHaveMade(one.same),
    );
  }

  /** The trace of a request; undefined = it is nobody's. */
  traceOf(handle: object): RequestTrace | undefined {
    return this.#traces.get(handle);
  }

  /** Something ran in the current context in which requests are not seen. */
  noteBlindSpot(spot: BlindSpot): void {
    this.current?.noteBlindSpot(spot);
  }

  /** This client sent something in the current context that is not seen. */
  noteUnseenClient(name: string): void {
    this.current?.noteUnseenClient(name);
  }

  /** A connection was opened in the current context. */
  noteSocket(socket: Socket): void {
    this.current?.noteSocket(socket);
  }

  /** Requests over this connection are seen. */
  noteMetered(socket: object): void {
    this.#meteredSockets.add(socket);
    // Secured over a plain connection, which is the one that was noted when it was opened.
    const inner: unknown = Reflect.get(socket, "_parent");
    if (typeof inner === "object" && inner !== null) this.#meteredSockets.add(inner);
  }
}
