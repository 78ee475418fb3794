/** The words that the parts of the plan share: what it is made of, and what it may say about a step. */

import type { Digest } from "./basis.ts";
import type { CaseState } from "./case-state.ts";
import type { AttemptRef, ConditionAnswer, Entry, LapseReason, Review } from "./journal.ts";
import type { Wait } from "./waits.ts";
import type { Hold } from "./in-flight.ts";
import type { CaseOutline, StepOutline } from "./outline.ts";

/** An answer to a fact, made for this plan. */
export interface FreshAnswer {
  readonly answer: ConditionAnswer;
  readonly askedAt: number;
}

/**
 * Answers to every fact, by {@link answerKey}. What a probe answered is not among them: it is journaled first
 * (`conditionAnswered`) and read from the state.
 */
export type Answers = ReadonlyMap<string, FreshAnswer>;

/** The key of one step's condition in {@link Answers}. */
export function answerKey(step: string, condition: string): string {
  return `${step}\n${condition}`;
}

/** What the plan is made of. */
export interface PlanInput {
  readonly outline: CaseOutline;
  readonly state: CaseState;
  readonly answers: Answers;
  /** Steps with a send, a check or a probe under way under the present claim: left alone. */
  readonly busy: ReadonlySet<string>;
  readonly now: number;
  readonly digest: Digest;
  /** Destinations that take no further attempt now, by `destinationKey`. Left out: none. */
  readonly holds?: Holds;
}

/** Why destinations take no further attempt now, by `destinationKey`. */
export type Holds = ReadonlyMap<string, Hold>;

/** Whether a step's confirmation stands. */
export type Standing =
  | { readonly kind: "open" }
  | { readonly kind: "stands" }
  | { readonly kind: "lapsed"; readonly because: LapseReason }
  /** A condition could not be told, or is not asked yet: neither holds nor lapses (R13). */
  | { readonly kind: "uncertain" };

/** What may be done about a step now. */
export type Act =
  /**
   * `halting` = a person asked to stop the case, and it waits only for what is under way; `vanished` = it is new to the case,
   * and a step that took effect has vanished from the definition: it may be that one under another name; `canceling` = the
   * case is being canceled, and nothing of the step is outside; `undoLater` = it is, and something else is settled or undone
   * first; `atOnce` = as many keys of its `each` are under way as may be.
   */
  | {
      readonly kind: "nothing";
      readonly why:
        "stands" | "follows" | "busy" | "halting" | "vanished" | "canceling" | "undoLater" | "atOnce";
    }
  /** The keys of its `each` are done in order, and this one is to be done, or undone, before it. */
  | { readonly kind: "nothing"; readonly why: "inOrder"; readonly comesFirst: string }
  /** Fix the keys of an `each`. */
  | { readonly kind: "fanOut" }
  /** Ask these probes, then plan again. */
  | { readonly kind: "ask"; readonly conditions: readonly string[] }
  /**
   * Open an attempt and send. `repeats` = unsettled attempts whose effect this one may repeat safely. `needsPermit`: only
   * with a permit for its destination.
   */
  | {
      readonly kind: "send";
      readonly repeats: readonly AttemptRef[];
      readonly needsPermit?: true;
      /** It may have been sent before the database was restored: that is noted first, and the plan made anew. */
      readonly isDoubtful?: true;
    }
  /**
   * Ask the destination. `outcome` = whether the last attempt happened; `present` = whether what it did before is what
   * is wanted now.
   */
  | { readonly kind: "check"; readonly about: "outcome" | "present" }
  /** Look whether what the step waits for is there. */
  | { readonly kind: "look" }
  /** Have the access of the destination's credential refreshed: the last attempt was refused for want of it. */
  | { readonly kind: "refresh" }
  /** Nothing to send: this entry confirms. */
  | { readonly kind: "confirm"; readonly entry: Extract<Entry, { kind: "stepConfirmed" }> }
  /** Nothing to send or ask: this entry says what is known by itself. */
  | { readonly kind: "record"; readonly entry: RecordedEntry }
  | { readonly kind: "wait"; readonly wait: Wait }
  /** `isOpen` = the review stands in the journal already. */
  | { readonly kind: "review"; readonly review: Review; readonly isOpen: boolean };

/** What is known by itself. */
type RecordedEntry = Extract<Entry, { kind: "checkAnswered" | "stepUndone" | "cancelRequested" }>;

/** Something that waits for a person. */
export type ReviewAct = Extract<Act, { kind: "review" }>;

/** An act, and what it is about. */
export interface Aim {
  /** What is sent, asked, waited for or reviewed: the step itself, or its undo. */
  readonly target: StepOutline;
  readonly act: Act;
}

/** One step in the plan. */
export interface PlannedStep extends Aim {
  readonly step: StepOutline;
  readonly standing: Standing;
}
