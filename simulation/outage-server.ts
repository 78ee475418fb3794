/**
 * A server that gets so much done in a second and no more, and is away for a while. What it is sent beyond that queues; it
 * works on whatever is in its queue, also for callers who have given up: the way in which retries keep a server down.
 */

import { ResponseError } from "../src/triage/response.ts";

/** What a server is made of. */
export interface OutageServerOptions {
  readonly perSecond: number;
  /** Requests that queue; further ones are refused. */
  readonly queueMax: number;
  /** Away from when and until when, ms since the run began. */
  readonly awayFrom: number;
  readonly awayUntil: number;
  /** How long an answer takes beside the work, in ms. Default 0. */
  readonly latencyMs?: number;
  /** Every so many requests one is answered 500 without being executed, whatever the load. Default never. */
  readonly failEvery?: number;
  readonly now: () => number;
  readonly after: (delayMs: number, act: () => void) => void;
}

/** What one second saw. */
export interface OutageSecond {
  /** Requests that arrived. */
  requests: number;
  /** Requests under way, at most. */
  inFlightMax: number;
  /** Cases that were done. */
  done: number;
}

/** The server, with what it saw. */
export class OutageServer {
  readonly seconds: OutageSecond[] = [];
  requests = 0;
  inFlight = 0;
  readonly #options: OutageServerOptions;
  readonly #queue: (() => void)[] = [];
  #isBusy = false;

  constructor(options: OutageServerOptions) {
    this.#options = options;
  }

  /** The second that it is now. */
  get second(): OutageSecond {
    const index = Math.floor(this.#options.now() / 1_000);
    while (this.seconds.length <= index) this.seconds.push({ requests: 0, inFlightMax: 0, done: 0 });
    const second = this.seconds[index];
    if (second === undefined) throw new Error(`there is no second ${index}`);
    return second;
  }

  /** Sends a request; rejects at once while the server is away or its queue is full, and when `signal` aborts. */
  send(signal: AbortSignal): Promise<string> {
    const { now, after, awayFrom, awayUntil, queueMax, latencyMs = 0, failEvery = Infinity } = this.#options;
    this.requests += 1;
    this.inFlight += 1;
    const { second } = this;
    second.requests += 1;
    second.inFlightMax = Math.max(second.inFlightMax, this.inFlight);
    const isAway = now() >= awayFrom && now() < awayUntil;
    const answered = new Promise<string>((resolve, reject) => {
      signal.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")), {
        once: true,
      });
      if (isAway || this.#queue.length >= queueMax) {
        after(5, () => reject(new ResponseError(503, "erp", {}, "")));
        return;
      }
      const isFaulty = this.requests % failEvery === 0;
      const answer = isFaulty ? () => reject(new ResponseError(500, "erp", {}, "")) : () => resolve("done");
      this.#queue.push(() => after(latencyMs, answer));
      this.#work();
    });
    return answered.finally(() => {
      this.inFlight -= 1;
    });
  }

  #work(): void {
    if (this.#isBusy) return;
    const next = this.#queue.shift();
    if (next === undefined) return;
    this.#isBusy = true;
    this.#options.after(1_000 / this.#options.perSecond, () => {
      this.#isBusy = false;
      next();
      this.#work();
    });
  }
}
