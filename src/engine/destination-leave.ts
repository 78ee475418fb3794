/** The leave of one case to send: what its destinations take now, permits at hand, and what is about to be sent. */

import type { StepState } from "../core/case-state.ts";
import type { SendOutcome } from "../core/decide.ts";
import { destinationKey } from "../core/in-flight.ts";
import type { AttemptRef } from "../core/journal.ts";
import type { Wait } from "../core/waits.ts";
import type { CaseOutline, DestinationOutline, SendStepOutline } from "../core/outline.ts";
import { willRefresh } from "../core/plan-refresh.ts";
import type { Holds } from "../core/planning.ts";
import type { AttemptResult, HeldPermit, InFlight, InFlightAttempt } from "./in-flight.ts";

/** Of one pick-up. */
export class DestinationLeave {
  readonly #inFlight: InFlight;
  readonly #caseId: string;
  readonly #permits = new Map<string, HeldPermit>();
  #entered: InFlightAttempt | null = null;
  #isAsking = false;
  #isOver = false;

  constructor(inFlight: InFlight, caseId: string) {
    this.#inFlight = inFlight;
    this.#caseId = caseId;
  }

  /** Which destinations take no further attempt of this case now. */
  holds(outline: CaseOutline): Holds {
    return this.#inFlight.holds(outline, this.#permits);
  }

  /** From here on an attempt counts at its destination, which was asked in this very turn whether it takes one. */
  enter({ name, credentialId }: DestinationOutline): void {
    const key = destinationKey(name, credentialId);
    this.#entered = this.#inFlight.enter(key, this.#permits.get(key) ?? null);
    this.#permits.delete(key);
  }

  /** The attempt is sent now: gives what is to be told when it ends. Safe to be told twice: the first counts. */
  send(): (result: Omit<AttemptResult, "caseId">) => void {
    const entered = this.#entered;
    this.#entered = null;
    return (result) => entered?.leave({ ...result, caseId: this.#caseId });
  }

  /** Nothing was sent of what was about to be. */
  leaveUnsent(): void {
    this.send()({ failure: null, isNothing: true });
  }

  /** Asks for a permit, once at a time, and rings when it is known whether there is one. */
  async askPermit({ destination, deadlineMs }: SendStepOutline, ring: () => void): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const permit = await this.#inFlight.askPermit(destination, deadlineMs);
    this.#isAsking = false;
    if (permit !== null && this.#isOver) this.#inFlight.giveBack(permit);
    else if (permit !== null) this.#permits.set(permit.key, permit);
    ring();
  }

  /** The case was given back. */
  noteHeld(held: readonly Wait[]): void {
    for (const wait of held) {
      if (wait.kind !== "held") continue;
      this.#inFlight.noteHeld(destinationKey(wait.destination, wait.credentialId), wait.dueAt);
    }
  }

  /** The pick-up has ended: gives back what it did not use. */
  end(): void {
    this.#isOver = true;
    this.leaveUnsent();
    for (const permit of this.#permits.values()) this.#inFlight.giveBack(permit);
  }
}

/**
 * What the outcome of a send says of its destination. Nothing where we stopped it ourselves; and nothing where a token
 * ran out that is had anew: that says nothing about the access of others.
 */
export function signedResult(
  step: SendStepOutline,
  known: StepState,
  { attempt }: AttemptRef,
  outcome: SendOutcome,
  isStopped: boolean,
): Omit<AttemptResult, "caseId"> {
  if (outcome.kind === "succeeded") return { failure: null, isNothing: false };
  const { failure } = outcome;
  return { failure, isNothing: isStopped || willRefresh(step, known, attempt, failure) };
}
