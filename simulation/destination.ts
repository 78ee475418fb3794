/**
 * A simulated destination with a ledger. It does what its contract says and no more. Requests travel: they may arrive
 * late, after their sender gave up or died, and answers get lost.
 */

import type { Transaction } from "../src/core/ports.ts";
import { MemoryTransaction } from "../src/store/memory/step-transaction.ts";
import { ResponseError } from "../src/triage/response.ts";
import type { SimulatedAccess } from "./access.ts";
import { rulesOf, type Contract, type ContractRules, type Refusal } from "./contracts.ts";
import type { FaultCounts, FaultKind } from "./faults.ts";
import type { SimulatedProcess } from "./process.ts";
import type { SeededRandom } from "./random.ts";
import type { Scheduler } from "./scheduler.ts";

/** After how many seconds a quota is there again, where the destination says so. */
const QUOTA_RESET_S = "2";

/** How a destination and the way to it behave. Shares are probabilities per request. */
export interface DestinationHabits {
  readonly latencyMsMax: number;
  readonly refused: number;
  readonly answerLost: number;
  /** The same, of an undo. */
  readonly undoAnswerLost: number;
  readonly unavailable: number;
  readonly throttled: number;
  /** The account's plan is used up. */
  readonly quota: number;
  /** For how long what was made is not shown to the steps that follow, in ms. */
  readonly hiddenMs: number;
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
  readonly fingerprint: string;
  /** The thing that it is about: a natural name, a record, what a fence stands around. */
  readonly name: string;
  readonly version: string;
  readonly fencingToken: number;
  /** Id of the effect that it takes back; null = it takes none back. */
  readonly undoes: string | null;
}

/** An effect that really happened. */
export interface Effect {
  readonly at: number;
  readonly id: string;
  readonly request: SimulatedRequest;
  /** True once it was taken back. */
  isUndone: boolean;
}

/** A request that arrived, whatever became of it. */
export interface Arrival {
  readonly at: number;
  readonly request: SimulatedRequest;
  readonly became: "effect" | "replay" | "denied" | Trouble["became"] | Refusal;
}

/** One destination of the run. */
export class SimulatedDestination {
  readonly name: string;
  readonly contract: Contract;
  readonly access: SimulatedAccess;
  readonly effects: Effect[] = [];
  readonly arrivals: Arrival[] = [];
  readonly #scheduler: Scheduler;
  readonly #random: SeededRandom;
  #habits: DestinationHabits;
  #ids = 0;
  readonly #counts: FaultCounts;
  readonly #onEffect: (effect: Effect) => void;
  readonly #onUndoUnheard: () => void;
  readonly #rules: ContractRules;

  constructor(options: {
    readonly name: string;
    readonly contract: Contract;
    readonly access: SimulatedAccess;
    readonly scheduler: Scheduler;
    readonly random: SeededRandom;
    readonly habits: DestinationHabits;
    readonly counts: FaultCounts;
    readonly onEffect: (effect: Effect) => void;
    /** Told where the answer to an undo gets lost. */
    readonly onUndoUnheard: () => void;
  }) {
    this.name = options.name;
    this.contract = options.contract;
    this.access = options.access;
    this.#scheduler = options.scheduler;
    this.#random = options.random;
    this.#habits = options.habits;
    this.#counts = options.counts;
    this.#onEffect = options.onEffect;
    this.#onUndoUnheard = options.onUndoUnheard;
    this.#rules = rulesOf(this.contract, this.name, this.effects);
  }

  /** From now on nothing fails any more: what then does not end is stuck. */
  calmDown(): void {
    this.access.calmDown();
    this.#habits = {
      latencyMsMax: 5,
      refused: 0,
      answerLost: 0,
      undoAnswerLost: 0,
      unavailable: 0,
      throttled: 0,
      quota: 0,
      hiddenMs: 0,
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
      const isAnswerLost = random.chance(request.undoes === null ? habits.answerLost : habits.undoAnswerLost);
      const { token } = this.access;
      this.#scheduler.schedule(there, () => {
        const answer = this.access.refusal(token) ?? this.#arrive(request);
        if (isAnswerLost) this.#counts.hit("answerLost");
        if (isAnswerLost && request.undoes !== null) this.#onUndoUnheard();
        process.after(back, () => {
          if (isAnswerLost) reject(connectionReset());
          else if (answer instanceof Error) reject(answer);
          else resolve(answer);
        });
      });
    });
  }

  /** Writes in the transaction that confirms the step: it is executed with the commit, or not at all. */
  stage(process: SimulatedProcess, request: SimulatedRequest, transaction: Transaction): Promise<string> {
    if (!(transaction instanceof MemoryTransaction)) throw new Error("the simulated database has no SQL");
    return new Promise((resolve, reject) => {
      process.after(this.#random.between(0, this.#habits.latencyMsMax), () => {
        const trouble = this.#trouble(request);
        if (trouble !== null) {
          this.#counts.hit(trouble.became);
          reject(trouble.error);
          return;
        }
        const id = this.#nextId();
        try {
          transaction.stage(() => this.#execute(request, id));
          resolve(id);
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
    });
  }

  /** What the standby has of this ledger, where it is a table of our own database. */
  replicate(): () => void {
    const image = this.effects.map((one) => ({ ...one }));
    return () => void this.effects.splice(0, this.effects.length, ...image.map((one) => ({ ...one })));
  }

  /** "Did it happen?" Null = not found. */
  find(
    process: SimulatedProcess,
    asked: Pick<SimulatedRequest, "key" | "name" | "undoes">,
    signal: AbortSignal,
  ): Promise<Effect | null> {
    return this.#ask(process, signal, () => this.#rules.find(asked));
  }

  /** Raises the fence around a thing, and reads back what ran there. */
  raise(
    process: SimulatedProcess,
    asked: Pick<SimulatedRequest, "key" | "name" | "undoes" | "fencingToken">,
    signal: AbortSignal,
  ): Promise<Effect | null> {
    return this.#ask(process, signal, () => {
      this.#rules.raise(asked.name, asked.fencingToken);
      return this.#rules.find(asked);
    });
  }

  /** Reads the version of a thing. */
  readVersion(process: SimulatedProcess, name: string, signal: AbortSignal): Promise<string> {
    return this.#ask(process, signal, () => this.#rules.readVersion(name));
  }

  /** Somebody else changes a thing that was written here. */
  changeOne(random: SeededRandom): void {
    if (this.effects.length === 0) return;
    this.#counts.hit("thirdParty");
    this.#rules.change(random.pick(this.effects).request.name);
  }

  /** A question that changes nothing which its sender did not mean; it may be lost on its way. */
  #ask<Answer>(process: SimulatedProcess, signal: AbortSignal, answer: () => Answer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      signal.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")), {
        once: true,
      });
      const habits = this.#habits;
      const isLost = this.#random.chance(habits.unavailable);
      this.#scheduler.schedule(this.#random.between(0, habits.latencyMsMax), () => {
        const given = answer();
        process.after(this.#random.between(0, habits.latencyMsMax), () => {
          if (isLost) reject(connectionReset());
          else resolve(given);
        });
      });
    });
  }

  #arrive(request: SimulatedRequest): string | Error {
    const at = this.#scheduler.now;
    const became = (what: Arrival["became"]): void => void this.arrivals.push({ at, request, became: what });
    const reception = this.#rules.receive(request);
    if (reception.kind === "replay") {
      became("replay");
      return reception.effect.id;
    }
    if (reception.kind === "refuse") {
      if (isCounted(reception.how)) this.#counts.hit(reception.how);
      became(reception.how);
      return reception.error;
    }
    const trouble = this.#trouble(request);
    if (trouble !== null) {
      this.#counts.hit(trouble.became);
      became(trouble.became);
      return trouble.error;
    }
    became("effect");
    return this.#execute(request, this.#nextId());
  }

  #trouble(request: SimulatedRequest): Trouble | null {
    const { unavailable, throttled, quota } = this.#habits;
    if (this.#random.chance(unavailable)) {
      return { became: "unavailable", error: new ResponseError(503, this.name, {}, "") };
    }
    if (this.#random.chance(throttled)) {
      return { became: "throttled", error: new ResponseError(429, this.name, { "retry-after": "1" }, "") };
    }
    if (this.#random.chance(quota)) {
      const body = '{"error":{"code":"insufficient_quota"}}';
      const headers: Record<string, string> = this.#random.chance(0.2)
        ? {}
        : { "retry-after": QUOTA_RESET_S };
      return { became: "quota", error: new ResponseError(429, this.name, headers, body) };
    }
    if (this.#isHidden(request))
      return { became: "notThereYet", error: new ResponseError(404, this.name, {}, "{}") };
    if (!request.isFaulty) return null;
    const body = '{"errors":[{"field":"amount","message":"is faulty"}]}';
    return { became: "rejected", error: new ResponseError(422, this.name, {}, body) };
  }

  /** True while what the same case made here for an earlier step is not shown yet to one that works on it. */
  #isHidden({ caseId, step }: SimulatedRequest): boolean {
    const { hiddenMs } = this.#habits;
    const since = this.#scheduler.now - hiddenMs;
    return this.effects.some(
      ({ at, request }) => request.caseId === caseId && request.step !== step && at > since,
    );
  }

  #nextId(): string {
    this.#ids += 1;
    return `${this.name}-${this.#ids}`;
  }

  #execute(request: SimulatedRequest, id: string): string {
    const effect: Effect = { at: this.#scheduler.now, id, request, isUndone: false };
    const takenBack = this.#rules.takenBack(request);
    if (takenBack !== null) takenBack.isUndone = true;
    this.effects.push(effect);
    this.#rules.executed(effect);
    this.#onEffect(effect);
    return id;
  }
}

/** The others are too rare to be told by. */
function isCounted(how: Refusal): how is Refusal & FaultKind {
  return how === "nameTaken" || how === "versionMoved" || how === "tokenRefused";
}

interface Trouble {
  readonly became: "unavailable" | "throttled" | "quota" | "notThereYet" | "rejected";
  readonly error: Error;
}

function connectionRefused(): Error {
  return Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED", syscall: "connect" });
}

function connectionReset(): Error {
  return Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET", syscall: "read" });
}
