/** The outside of a walk: destinations that execute, lose, delay and refuse, and remember what really happened. */

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
}

/** One send, as the world will treat it. */
export interface Flight {
  readonly ref: AttemptRef;
  readonly claimId: string;
  readonly step: SendStepOutline;
  readonly key: string;
  readonly request: Json;
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
  readonly effects: Effect[] = [];
  readonly conditions: Map<string, ConditionAnswer> = new Map();
  readonly #keys = new Map<string, number>();
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
    const met = fates[fate];
    const isRefused = !isValid && met.executesAt !== null;
    const sent: Flight = isRefused
      ? { ...flight, executesAt: null, outcome: met.outcome.kind === "succeeded" ? refusal : met.outcome }
      : { ...flight, ...met };
    if (sent.executesAt !== null) this.#pending.push({ flight: sent, at: sent.executesAt });
    this.passTo(now);
    return sent;
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

  /** An honest look-up, behind by its read lag. */
  look(step: SendStepOutline, key: string, now: number): CheckAnswer {
    const found = this.effects.find((one) => one.key === key && one.at + step.destination.readLagMs <= now);
    return found === undefined
      ? { kind: "didNotHappen" }
      : { kind: "happened", result: { kind: "value", value: { key } }, evidence: { at: found.at } };
  }

  #execute({ step, key }: Flight, at: number): void {
    const { repeatSafety } = step.destination;
    const firstAt = this.#keys.get(key);
    const isRepeat =
      repeatSafety.by === "key" && firstAt !== undefined && at < firstAt + repeatSafety.windowMs;
    if (isRepeat) return;
    this.#keys.set(key, at);
    this.effects.push({ step: step.name, key, at });
  }
}

const refusal: SendOutcome = { kind: "failed", failure: rejection };

function took(key: string): SendOutcome {
  return { kind: "succeeded", result: { kind: "value", value: { key } }, evidence: null };
}
