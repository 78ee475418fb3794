/**
 * Wire evidence and the hidden-retry meter. What an attempt really connected, sent and was answered is seen through
 * Node's diagnostics channels, whatever client its code uses; the error that the client throws tells less.
 *
 * - request-book.ts binds each request to its attempt when it is made; attempt-record.ts and request-trace.ts hold what
 *   is known of an attempt and of a request.
 * - undici-channels.ts, http-channels.ts, http2-requests.ts and other-channels.ts are where it is seen.
 * - bound-transport.ts is a fetch and a dispatcher of one attempt, which can refuse; undici-guard.ts keeps undici's
 *   retries and queues with their owner.
 * - findings.ts says what a sequence of requests means, clients.ts which setting turns repeats off.
 *
 * Nothing happens on import. A subscriber never throws and does next to nothing while no attempt is watched.
 */

import type { WatchedAttempt, Refusal } from "./attempt-record.ts";
import { bindTransport, TransportStop, type BoundTransport } from "./bound-transport.ts";
import { BLIND_SPOTS, type MeteredEvidence } from "./evidence.ts";
import { Http2Requests } from "./http2-requests.ts";
import { httpSubscriptions } from "./http-channels.ts";
import { otherSubscriptions } from "./other-channels.ts";
import { RequestBook, type OpenRecord } from "./request-book.ts";
import { subscribeAll } from "./subscription.ts";
import { undiciSubscriptions } from "./undici-channels.ts";
import { UndiciGuard } from "./undici-guard.ts";

/** An attempt under watch. */
interface AttemptWatch {
  readonly transport: BoundTransport;
  /** Runs `work`; what it sends is bound to the attempt. */
  run<T>(work: () => T): T;
  /** The first request that the transport refused; null = none. */
  readonly refusal: Refusal | null;
  /**
   * Ends the watch and gives what was seen; null = nothing is metered here. What is sent from now on is late. Safe
   * twice: then it gives the same again.
   */
  end(): MeteredEvidence | null;
}

/** A watch that really sees. */
export interface MeteredWatch extends AttemptWatch {
  end(): MeteredEvidence;
}

/** What sees the requests of attempts: a port of the engine. */
export interface AttemptMeter {
  /** Begins to see. Gives the function that ends that; the last one of several ends it really. Safe twice. */
  start(): () => void;
  /** Opens a watch. What ran before `start` is not seen. */
  open(attempt: WatchedAttempt): AttemptWatch;
}

/** What a watched function gave, and what was seen. */
export interface Watched<T> {
  readonly result: PromiseSettledResult<T>;
  readonly evidence: MeteredEvidence;
}

/** The meter of a process. */
export class WireMeter implements AttemptMeter {
  readonly #book = new RequestBook();
  readonly #guard = new UndiciGuard(this.#book);
  readonly #http2 = new Http2Requests(this.#book);
  #starts = 0;
  #unsubscribe: (() => void) | null = null;

  start(): () => void {
    this.#starts += 1;
    this.#unsubscribe ??= this.#subscribe();
    let isTakenBack = false;
    return () => {
      if (isTakenBack) return;
      isTakenBack = true;
      this.#starts -= 1;
      if (this.#starts === 0) this.#stop();
    };
  }

  #subscribe(): () => void {
    const book = this.#book;
    const http2 = this.#http2;
    const unsubscribe = subscribeAll(
      [
        ...undiciSubscriptions(book, (writing) => http2.noteWriting(writing)),
        ...httpSubscriptions(book),
        ...otherSubscriptions(book),
      ],
      () => book.noteBlindSpot(BLIND_SPOTS.meterFault),
    );
    const unwrap = http2.wrap();
    return () => {
      unwrap();
      unsubscribe();
    };
  }

  #stop(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = null;
    this.#guard.release();
  }

  open(attempt: WatchedAttempt): MeteredWatch {
    return new OpenWatch(this.#book, this.#guard, attempt);
  }

  /** Watches `work` to its end and tells what it gave and what was seen. Never rejects. */
  async watch<T>(
    attempt: WatchedAttempt,
    work: (transport: BoundTransport) => Promise<T>,
  ): Promise<Watched<T>> {
    const watch = this.open(attempt);
    const [result] = await Promise.allSettled([watch.run(async () => work(watch.transport))]);
    return { result, evidence: watch.end() };
  }
}

/** The meter of this process: one for all of its workers, so that each channel is listened to once. */
export const processMeter: AttemptMeter = new WireMeter();

class OpenWatch implements MeteredWatch {
  readonly transport: BoundTransport;
  readonly #book: RequestBook;
  readonly #opened: OpenRecord;
  readonly #stop: TransportStop;
  #evidence: MeteredEvidence | null = null;

  constructor(book: RequestBook, guard: UndiciGuard, attempt: WatchedAttempt) {
    this.#book = book;
    this.#opened = book.open(attempt);
    const { record } = this.#opened;
    this.#stop = new TransportStop(attempt.signal);
    this.transport = bindTransport({ book, guard, record, stop: this.#stop });
  }

  get refusal(): Refusal | null {
    return this.#opened.record.refusal;
  }

  run<T>(work: () => T): T {
    return this.#book.runIn(this.#opened.record, work);
  }

  end(): MeteredEvidence {
    if (this.#evidence !== null) return this.#evidence;
    this.#evidence = this.#book.evidence(this.#opened);
    this.#book.end(this.#opened);
    // What still waits for its connection must not leave once the attempt is told as ended.
    this.#stop.end();
    return this.#evidence;
  }
}
