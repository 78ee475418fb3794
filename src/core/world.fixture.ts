/**
 * The outside of a walk: destinations of every kind that execute, lose, delay and refuse, and remember what really
 * happened.
 */

import { failure, rejection } from "./case.fixture.ts";
import type { SendOutcome } from "./decide.ts";
import type { KnownFailure } from "./failure.ts";
import type { AttemptRef, CheckAnswer, ConditionAnswer } from "./journal.ts";
import type { Json } from "./json.ts";
import type { SendStepOutline } from "./outline.ts";

/** Something that really happened at a destination. */
export interface Effect {
  readonly step: string;
  readonly key: string;
  readonly at: number;
  /** What it is about: a natural name, or a record. */
  readonly name: string;
  readonly fingerprint: string;
  /** True once it was taken back. */
  readonly isUndone: boolean;
}

/** One send, as the world will treat it. */
export interface Flight {
  readonly ref: AttemptRef;
  readonly claimId: string;
  readonly step: SendStepOutline;
  readonly key: string;
  readonly request: Json;
  readonly fingerprint: string;
  readonly fencingToken: number;
  /** What the write is conditional on; null where nothing is compared. */
  readonly version: string | null;
  /** What it is about; for an undo, what it takes back is the one thing of this name. */
  readonly name: string;
  /** True for an undo. */
  readonly isUndo: boolean;
  /** When it is executed; null = never. */
  readonly executesAt: number | null;
  /** What its sender is told. */
  readonly outcome: SendOutcome;
}

/** What a send may meet. */
export type Fate = (typeof FATES)[number];

/** The first one is what a benign world does. */
export const FATES = [
  "ok",
  "slow",
  "refused",
  "answerLost",
  "requestLost",
  "delayed",
  "throttled",
  "denied",
  "forbidden",
  "precondition",
  "conflict",
  "bug",
  "stopped",
  "unreadable",
] as const;

const failed = (over: Partial<KnownFailure>): SendOutcome => ({ kind: "failed", failure: failure(over) });

/** Everything outside. Time is the walk's. */
export class World {
  effects: readonly Effect[] = [];
  readonly conditions: Map<string, ConditionAnswer> = new Map();
  readonly #keys = new Map<string, number>();
  readonly #versions = new Map<string, number>();
  readonly #refused = new Map<Flight, SendOutcome>();
  #highestToken = 0;
  #pending: { readonly flight: Flight; readonly at: number }[] = [];

  /** Sends a request and decides its fate; what is executed at once is. */
  send(flight: Omit<Flight, "executesAt" | "outcome">, fate: Fate, now: number, deadlineAt: number): Flight {
    const { step, request } = flight;
    const latestAt = deadlineAt + step.destination.requestAgeMs;
    const isValid = typeof request !== "object" || !JSON.stringify(request).includes("-");
    const fates: Record<Fate, Pick<Flight, "executesAt" | "outcome">> = {
      ok: { executesAt: now, outcome: took(flight.key) },
      slow: { executesAt: deadlineAt - 1, outcome: took(flight.key) },
      refused: { executesAt: null, outcome: failed({}) },
      answerLost: { executesAt: now, outcome: failed({ executed: "maybe" }) },
      requestLost: { executesAt: null, outcome: failed({ executed: "maybe" }) },
      delayed: { executesAt: latestAt, outcome: failed({ cause: "stopped", executed: "maybe" }) },
      throttled: {
        executesAt: null,
        outcome: failed({
          cause: "throttled",
          instruction: { kind: "retryAfter", delayMs: 90_000, source: "retry-after" },
        }),
      },
      denied: { executesAt: null, outcome: failed({ cause: "denied" }) },
      forbidden: {
        executesAt: null,
        outcome: failed({ instruction: { kind: "doNotRetry", source: "stripe-should-retry" } }),
      },
      precondition: { executesAt: null, outcome: failed({ cause: "precondition" }) },
      conflict: { executesAt: null, outcome: failed({ cause: "conflict" }) },
      bug: { executesAt: null, outcome: failed({ cause: "bug", executed: "maybe" }) },
      stopped: { executesAt: null, outcome: failed({ cause: "stopped" }) },
      unreadable: {
        executesAt: now,
        outcome: { kind: "succeeded", result: { kind: "unreadable", why: "a BigInt" }, evidence: null },
      },
    };
    const met = isOurs(step) ? inTransaction(fates[fate]) : fates[fate];
    const isRefused =
      !isValid && (met.executesAt !== null || (isOurs(step) && met.outcome.kind === "succeeded"));
    const sent: Flight = isRefused
      ? { ...flight, executesAt: null, outcome: met.outcome.kind === "succeeded" ? refusal : met.outcome }
      : { ...flight, ...met };
    if (sent.executesAt !== null) this.#pending.push({ flight: sent, at: sent.executesAt });
    this.passTo(now);
    return sent;
  }

  /** What the sender of a request learns, once it is known whether it was executed. */
  outcomeOf(flight: Flight): SendOutcome {
    return flight.outcome.kind === "failed" ? flight.outcome : (this.#refused.get(flight) ?? flight.outcome);
  }

  /** True when the destination turned it away on its arrival. */
  wasRefused(flight: Flight): boolean {
    return this.#refused.has(flight);
  }

  /** What was written in the transaction that confirms the step is stored with the confirmation. */
  commit(flight: Flight, now: number): void {
    this.#record(flight, now);
  }

  versionOf(name: string): string {
    return `v${this.#versions.get(name) ?? 0}`;
  }

  /** Somebody else changes a record. */
  changeByOthers(name: string): void {
    this.#versions.set(name, (this.#versions.get(name) ?? 0) + 1);
  }

  /** Executes what is due, in order. */
  passTo(now: number): void {
    const due = this.#pending.filter(({ at }) => at <= now).toSorted((one, other) => one.at - other.at);
    this.#pending = this.#pending.filter(({ at }) => at > now);
    for (const { flight, at } of due) this.#execute(flight, at);
  }

  /** Drops what has not arrived yet, as a killed sender does before it sends. */
  drop(flight: Flight): void {
    this.#pending = this.#pending.filter((one) => one.flight !== flight);
  }

  isPending(key: string): boolean {
    return this.#pending.some(({ flight }) => flight.key === key);
  }

  hasEffect(key: string): boolean {
    return this.effects.some((one) => one.key === key);
  }

  /** An honest look-up, behind by its read lag; at a fence, one write that shuts out what is still under way and tells. */
  look({ step, key, name, isUndo, fencingToken }: Asked, now: number): CheckAnswer {
    const { repeatSafety, readLagMs } = step.destination;
    const isFence = repeatSafety.by === "fence";
    if (isFence) this.#highestToken = Math.max(this.#highestToken, fencingToken);
    const seenUntil = isFence ? now : now - readLagMs;
    const isNamed = repeatSafety.by === "unique" && !isUndo;
    const found = this.effects.find(
      (one) => (isNamed ? isThere(one, name) : one.key === key) && one.at <= seenUntil,
    );
    if (found === undefined) return { kind: "didNotHappen" };
    const result = { kind: "value", value: { key: found.key } } as const;
    return { kind: "happened", result, evidence: { at: found.at }, fingerprint: found.fingerprint };
  }

  #execute(flight: Flight, at: number): void {
    const { step, key } = flight;
    const { repeatSafety } = step.destination;
    const firstAt = this.#keys.get(key);
    const isRepeat =
      repeatSafety.by === "key" && firstAt !== undefined && at < firstAt + repeatSafety.windowMs;
    if (isRepeat) return;
    const refused = this.#refusalOf(flight);
    if (refused === null) this.#record(flight, at);
    else this.#refused.set(flight, { kind: "failed", failure: failure(refused) });
  }

  #refusalOf({ step, name, isUndo, version, fencingToken }: Flight): Partial<KnownFailure> | null {
    switch (step.destination.repeatSafety.by) {
      case "unique": {
        const isTaken = this.effects.some((one) => isThere(one, name));
        if (isUndo) return isTaken ? null : { cause: "gone" };
        return isTaken ? { cause: "conflict" } : null;
      }
      case "if-match":
        return version === this.versionOf(name) ? null : { cause: "precondition" };
      case "fence": {
        const seen = this.#highestToken;
        return fencingToken > seen ? null : { instruction: { kind: "newerToken", seen, source: "fence" } };
      }
      case "key":
      case "transaction":
      case "lookup":
      case "none":
        return null;
    }
  }

  #record({ step, key, name, fingerprint, isUndo, fencingToken }: Flight, at: number): void {
    this.#keys.set(key, at);
    this.#highestToken = Math.max(this.#highestToken, fencingToken);
    this.changeByOthers(name);
    const kept = this.effects.map((one) => (isUndo && isThere(one, name) ? { ...one, isUndone: true } : one));
    this.effects = [...kept, { step: step.name, key, at, name, fingerprint, isUndone: isUndo }];
  }
}

/** What a check asks about. */
export type Asked = Pick<Flight, "step" | "key" | "name" | "isUndo" | "fencingToken">;

function isThere({ name, isUndone }: Effect, wanted: string): boolean {
  return name === wanted && !isUndone;
}

function isOurs({ destination }: SendStepOutline): boolean {
  return destination.repeatSafety.by === "transaction";
}

/** Nothing is executed before the commit, and what fails is rolled back. */
function inTransaction({ outcome }: Pick<Flight, "outcome">): Pick<Flight, "executesAt" | "outcome"> {
  if (outcome.kind === "succeeded") return { executesAt: null, outcome };
  return {
    executesAt: null,
    outcome: { kind: "failed", failure: failure({ ...outcome.failure, executed: "no" }) },
  };
}

const refusal: SendOutcome = { kind: "failed", failure: rejection };

function took(key: string): SendOutcome {
  return { kind: "succeeded", result: { kind: "value", value: { key } }, evidence: null };
}
