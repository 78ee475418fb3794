/**
 * A simulated destination with a ledger. It does what its contract says and no more: deduplicates by key, or can be
 * asked, or neither. Requests travel: they may arrive late, after their sender gave up or died, and answers get lost.
 */

import { ResponseError } from "../src/triage/response.ts";
import type { FaultCounts } from "./faults.ts";
import type { SimulatedProcess } from "./process.ts";
import type { SeededRandom } from "./random.ts";
import type { Scheduler } from "./scheduler.ts";

/** What a destination can do about a repeat. */
export type Contract = "key" | "lookup" | "none";

/** How a destination and the way to it behave. Shares are probabilities per request. */
export interface DestinationHabits {
  readonly latencyMsMax: number;
  readonly refused: number;
  readonly answerLost: number;
  readonly unavailable: number;
  readonly throttled: number;
  /** The request arrives much later, when its sender may be gone. */
  readonly delayed: number;
  readonly delayMsMax: number;
}

/** A request as the destination sees it. */
export interface SimulatedRequest {
  readonly key: string;
  readonly caseId: string;
  readonly step: string;
  readonly intentVersion: number;
  /** What is wanted, as text. */
  readonly content: string;
  /** A marked content is rejected as faulty input. */
  readonly isFaulty: boolean;
}

/** An effect that really happened. */
export interface Effect {
  readonly at: number;
  readonly id: string;
  readonly request: SimulatedRequest;
}

/** A request that arrived, whatever became of it. */
export interface Arrival {
  readonly at: number;
  readonly request: SimulatedRequest;
  readonly became: "effect" | "replay" | "rejected" | "unavailable" | "throttled";
}

/** One destination of the run. */
export class SimulatedDestination {
  readonly name: string;
  readonly contract: Contract;
  readonly effects: Effect[] = [];
  readonly arrivals: Arrival[] = [];
  readonly #scheduler: Scheduler;
  readonly #random: SeededRandom;
  #habits: DestinationHabits;
  readonly #counts: FaultCounts;
  readonly #onEffect: (effect: Effect) => void;

  constructor(options: {
    readonly name: string;
    readonly contract: Contract;
    readonly scheduler: Scheduler;
    readonly random: SeededRandom;
    readonly habits: DestinationHabits;
    readonly counts: FaultCounts;
    readonly onEffect: (effect: Effect) => void;
  }) {
    this.name = options.name;
    this.contract = options.contract;
    this.#scheduler = options.scheduler;
    this.#random = options.random;
    this.#habits = options.habits;
    this.#counts = options.counts;
    this.#onEffect = options.onEffect;
  }

  /** From now on nothing fails any more: what then does not end is stuck. */
  calmDown(): void {
    this.#habits = {
      latencyMsMax: 5,
      refused: 0,
      answerLost: 0,
      unavailable: 0,
      throttled: 0,
      delayed: 0,
      delayMsMax: 0,
    };
  }

  /** Sends from a process; resolves with the effect's id. */
  send(process: SimulatedProcess, request: SimulatedRequest, signal: AbortSignal): Promise<string> {
    return new Promise((resolve, reject) => {
      const abort = (): void => reject(new DOMException("The operation was aborted", "AbortError"));
      if (signal.aborted) {
        abort();
        return;
      }
      signal.addEventListener("abort", abort, { once: true });
      const random = this.#random;
      const habits = this.#habits;
      const back = random.between(0, habits.latencyMsMax);
      if (random.chance(habits.refused)) {
        this.#counts.hit("refused");
        process.after(back, () => reject(connectionRefused()));
        return;
      }
      const isDelayed = random.chance(habits.delayed);
      if (isDelayed) this.#counts.hit("delayedRequest");
      const there = isDelayed ? random.between(0, habits.delayMsMax) : random.between(0, habits.latencyMsMax);
      const isAnswerLost = random.chance(habits.answerLost);
      this.#scheduler.schedule(there, () => {
        const answer = this.#arrive(request);
        if (isAnswerLost) this.#counts.hit("answerLost");
        process.after(back, () => {
          if (isAnswerLost) reject(connectionReset());
          else if (answer instanceof Error) reject(answer);
          else resolve(answer);
        });
      });
    });
  }

  /** "Did it happen?", asked by key. Null = not found. */
  find(process: SimulatedProcess, key: string, signal: AbortSignal): Promise<string | null> {
    return new Promise((resolve, reject) => {
      signal.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")), {
        once: true,
      });
      const habits = this.#habits;
      const isLost = this.#random.chance(habits.unavailable);
      this.#scheduler.schedule(this.#random.between(0, habits.latencyMsMax), () => {
        const found = this.effects.find(({ request }) => request.key === key) ?? null;
        process.after(this.#random.between(0, habits.latencyMsMax), () => {
          if (isLost) reject(connectionReset());
          else resolve(found === null ? null : found.id);
        });
      });
    });
  }

  #arrive(request: SimulatedRequest): string | Error {
    const at = this.#scheduler.now;
    const became = (what: Arrival["became"]): void => void this.arrivals.push({ at, request, became: what });
    const known =
      this.contract === "key" ? this.effects.find((one) => one.request.key === request.key) : undefined;
    if (known !== undefined) {
      became("replay");
      if (known.request.content !== request.content) return new ResponseError(422, this.name, {}, "{}");
      return known.id;
    }
    if (this.#random.chance(this.#habits.unavailable)) {
      this.#counts.hit("unavailable");
      became("unavailable");
      return new ResponseError(503, this.name, {}, "");
    }
    if (this.#random.chance(this.#habits.throttled)) {
      this.#counts.hit("throttled");
      became("throttled");
      return new ResponseError(429, this.name, { "retry-after": "1" }, "");
    }
    if (request.isFaulty) {
      this.#counts.hit("rejected");
      became("rejected");
      return new ResponseError(422, this.name, {}, '{"errors":[{"field":"amount","message":"is faulty"}]}');
    }
    const effect: Effect = { at, id: `${this.name}-${this.effects.length + 1}`, request };
    this.effects.push(effect);
    became("effect");
    this.#onEffect(effect);
    return effect.id;
  }
}

function connectionRefused(): Error {
  return Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED", syscall: "connect" });
}

function connectionReset(): Error {
  return Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET", syscall: "read" });
}
