/**
 * The pure part of a case type: what the plan needs to know of a definition. No functions, so that it can be listed,
 * drawn, compared and sent over a wire. `define/` makes it from what users write and checks it; core trusts it.
 */

import type { ConcurrencyOutline } from "./concurrency-outline.ts";
import type { SearchOutline } from "./search-outline.ts";
import type { KeyFreedBy } from "./starting.ts";

/** What makes a repeat safe at a destination. */
export type RepeatSafety =
  /** The destination deduplicates by our idempotency key for `windowMs` after the first request with that key. */
  | { readonly by: "key"; readonly windowMs: number }
  /** Holds only one thing of a natural name: a repeat is answered "exists", and a check tells whether it is ours. */
  | { readonly by: "unique" }
  /** Compares a version: a write is made only while the thing is as it was when the version was read. */
  | { readonly by: "if-match" }
  /** Compares fencing tokens: it takes each once, and none below the highest that it was shown. */
  | { readonly by: "fence" }
  /** Our own database: the step writes in the transaction that confirms it, and is rolled back with it. */
  | { readonly by: "transaction" }
  /** Neither deduplicates nor compares, but can be asked: every step sent there has a `check`. */
  | { readonly by: "lookup" }
  /** Can do nothing of that. With a `check` it is treated as `lookup`; without one a person decides. */
  | { readonly by: "none" };

/** Who acts when something is needed of people; null where the case type's owner covers it. */
export interface Owners {
  /** Who can restore access. */
  readonly access: string | null;
  /** Who can correct the input. */
  readonly input: string | null;
  /** Who looks after outages and everything else about the destination. */
  readonly outage: string | null;
}

/** Bounds of automatic repetition, per step and round. */
export interface RetryPolicy {
  /** Attempts in one round, the first included. Throttled ones do not count. */
  readonly maxAttempts: number;
  /** Real requests in one round: each attempt, and each repeat that a client makes by itself within one. */
  readonly maxRequests: number;
  /** Times a destination may say "slow down" in one round. */
  readonly maxThrottles: number;
  /** From the first failure of a round; bounds waits that a provider asked for too. */
  readonly giveUpAfterMs: number;
  /** Delay before the second attempt; grows fourfold per attempt. */
  readonly firstDelayMs: number;
  /** Cap of the growing delay. */
  readonly maxDelayMs: number;
}

/** How many attempts all workers together may have under way at a destination, per credential. */
export interface InFlightPolicy {
  /** While nothing is known of it. */
  readonly start: number;
  readonly max: number;
}

/** An outside system that steps send to. */
export interface DestinationOutline {
  readonly name: string;
  readonly repeatSafety: RepeatSafety;
  /** Names the account used; pauses and releases are per destination and credential. Never a secret. */
  readonly credentialId: string;
  /** True where the definition says how a token of the credential that ran out is had anew. */
  readonly canRefresh: boolean;
  readonly owners: Owners;
  readonly retry: RetryPolicy;
  readonly inFlight: InFlightPolicy;
  /** How long after an effect a look-up may still not find it. */
  readonly readLagMs: number;
  /** How long the destination may sit on a request it received before it executes it. */
  readonly requestAgeMs: number;
}

/** A named condition, decided from the journal by a plain function. */
export interface FactOutline {
  readonly kind: "fact";
  readonly name: string;
}

/** A named condition. */
export type ConditionOutline =
  | FactOutline
  /** Asked of an outside system. A recorded answer older than `freshForMs` is asked again. */
  | {
      readonly kind: "probe";
      readonly name: string;
      readonly destination: DestinationOutline;
      readonly deadlineMs: number;
      readonly freshForMs: number;
    };

/** What is done about a confirmation that no longer stands. */
export type LapsePolicy =
  /** The destination is asked; what is there and fits what is wanted now is confirmed anew. */
  | "recheck"
  /** The step may be repeated: it is sent again, as a new effect. */
  | "redo"
  /** What it did is undone, and then it is sent again. */
  | "undo"
  /** A person decides. */
  | "review";

interface StepCommon {
  /** Unique in the case type: a letter, then letters, digits, `_` or `-`; at most 64 characters. */
  readonly name: string;
  /** The names that it had in earlier definitions, the latest first. */
  readonly formerly: readonly string[];
  /** Steps that must stand before this one goes on. */
  readonly after: readonly string[];
  /** Every step reachable through `after`, in topological order. */
  readonly closure: readonly string[];
  /** What makes the step needed: where one of these is broken once the step could begin, it is passed over. */
  readonly when: readonly FactOutline[];
  /** Conditions that must hold before this step goes on, and must still hold for its confirmation to stand. */
  readonly requires: readonly ConditionOutline[];
  /** Top-level input fields that the basis is narrowed to; null = the whole input. */
  readonly uses: readonly string[] | null;
}

/** A step that sends to a destination. */
export interface SendStepOutline extends StepCommon {
  readonly kind: "step";
  readonly destination: DestinationOutline;
  /** Conditions asked once, before sending. */
  readonly before: readonly ConditionOutline[];
  /** True when the author gave a pure `request`, so that every attempt sends the same journaled value. */
  readonly hasRequest: boolean;
  /** True when the destination can be asked "did it happen?". */
  readonly hasCheck: boolean;
  /** How long one send may take. */
  readonly deadlineMs: number;
  /** The probe among `before` that reads the version which a write is conditional on; null elsewhere than at `if-match`. */
  readonly versionCondition: string | null;
  readonly onLapse: LapsePolicy;
  /** The workers in other places that run it; left out = workers of the process that has the definition. */
  readonly runBy?: string;
  /** How its effect is taken back: a step of its own, named after it, with intents and attempts like any other. */
  readonly undo: SendStepOutline | null;
  /** Set where what is sent goes to another case of ours: it starts one, or cancels the one that was started. */
  readonly child?: ChildOutline;
  /** Set for the step of one key of an `each`. */
  readonly part?: {
    readonly of: string;
    readonly key: string;
    readonly atOnce: number;
    readonly inOrder?: true;
  };
}

/** What a step does with another case. */
export type ChildOutline =
  | {
      readonly act: "start";
      readonly caseType: string;
      readonly onCanceled: ChildCanceledPolicy;
    }
  | { readonly act: "cancel"; readonly caseType: string };

/** What becomes of a case whose child was canceled by somebody else. */
export type ChildCanceledPolicy =
  /** A person decides; once they resume, another child is started. */
  | "review"
  /** It is canceled too: what it did is undone. */
  | "cancel"
  /** It goes on: the result says so. */
  | "result";

/** A step for every key of a list. */
export interface EachStepOutline extends StepCommon {
  readonly kind: "each";
  /** What is done for every key; it has the name of the `each`. */
  readonly item: SendStepOutline;
  /** Keys under way at once. */
  readonly atOnce: number;
  /** A key begins only once every one ahead of it stands. Left out = they begin side by side. */
  readonly inOrder?: true;
  /** Fixed when it starts; null in a definition. */
  readonly keys: readonly string[] | null;
}

/** A step that a person answers. */
export interface ApprovalStepOutline extends StepCommon {
  readonly kind: "approval";
  /** The owner that it is asked of. */
  readonly by: string;
  /** From the moment it is asked; null = never. Then it goes to review. */
  readonly expiresMs: number | null;
  /** How often its owner is reminded; left out = never. Shorter than `expiresMs`. */
  readonly remindMs?: number;
  /** Who is asked too, and how long after it was asked first; left out = nobody. Before it expires. */
  readonly escalate?: { readonly to: string; readonly afterMs: number };
}

/** A step that waits for an event; one that came before the wait is seen too. */
export interface WaitForEventStepOutline extends StepCommon {
  readonly kind: "waitForEvent";
  readonly eventType: string;
  /** Further types: the first event of any of them ends the wait, and the result says which it was. */
  readonly orTypes?: readonly string[];
  /** From the moment the wait starts. Then it goes to review. */
  readonly timeoutMs: number;
}

/** Every event type that ends a wait. */
export function awaitedTypes({
  eventType,
  orTypes = [],
}: Pick<WaitForEventStepOutline, "eventType" | "orTypes">): readonly string[] {
  return [eventType, ...orTypes];
}

/** A step that looks at a destination again and again, until that has what is waited for. Nothing changes by it. */
export interface PollStepOutline extends StepCommon {
  readonly kind: "poll";
  readonly destination: DestinationOutline;
  /** From one look to the next, where the answer does not say. */
  readonly everyMs: number;
  /** How long one look may take. */
  readonly deadlineMs: number;
  /** From the moment the step is reached. The last look is made then; without what it waits for it goes to review. */
  readonly timeoutMs: number;
}

/** A step that waits for time to pass. */
export interface SleepStepOutline extends StepCommon {
  readonly kind: "sleep";
  readonly forMs: number;
}

/** One step of a case type. */
export type StepOutline =
  | SendStepOutline
  | EachStepOutline
  | ApprovalStepOutline
  | WaitForEventStepOutline
  | PollStepOutline
  | SleepStepOutline;

/** A case type without its functions. */
export interface CaseOutline {
  readonly name: string;
  readonly version: number;
  /** Who takes whatever no destination owner covers. */
  readonly owner: string;
  /** In topological order: every step comes after all it follows. */
  readonly steps: readonly StepOutline[];
  /** Steps that it had once, and has no more on purpose: cases that did them go on without. */
  readonly removed: readonly string[];
  /** Event types that a case of this type takes. */
  readonly events: readonly string[];
  /** When another case may have the business key of one; left out = never. */
  readonly keyFreedBy?: Exclude<KeyFreedBy, "nothing">;
  /** What its cases can be found by; left out = nothing beside the business key. */
  readonly search?: SearchOutline;
  /** The workers in other places that run its steps; left out = workers of the process that has the definition. */
  readonly runBy?: string;
  /** How many cases of one key are worked on at once; left out = nothing limits that. */
  readonly concurrency?: ConcurrencyOutline;
}
