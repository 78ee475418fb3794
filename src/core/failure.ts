/** Why an attempt failed and whether it happened: two axes, told apart. */

import type { FieldFault } from "./errors.ts";
import type { Json } from "./json.ts";

/** Why it failed. `unknown` stands for each of the others where it may have happened all the same. */
export type FailureKind = FailureCause | "unknown";

/** Why it failed, whether or not it happened. */
export type FailureCause =
  | "transient"
  | "throttled"
  | "quota"
  | "rejected"
  | "denied"
  | "conflict"
  | "precondition"
  | "gone"
  | "bug"
  | "stopped";

/** Whether the effect happened. */
export type Executed = "no" | "maybe" | "yes" | "partial";

/** Who can do something about it, as a role; the people behind it are named by destinations and case types. */
export type FailureOwner = "system" | "input" | "access" | "operator" | "developer";

/** Who else is hit by it: this case alone, all that use the same credential, or all that send there. */
export type FailureScope = "case" | "credential" | "destination";

/** What about the access was refused. */
export type DeniedAccess =
  /** A token that can be had anew. */
  | "refreshable"
  /** The credential itself is not good any more. */
  | "revoked"
  /** It is good, and may not do this. */
  | "scope"
  /** Everybody of ours is kept out: a policy, a firewall, our own registration. */
  | "blocked";

/** What the sorting rests on. */
export type Confidence =
  /** What was seen on the wire, or what a protocol guarantees. */
  | "proved"
  /** What the destination said in its own words. */
  | "declared"
  /** A status that says no more than its number. */
  | "inferred"
  /** Nothing that was recognized. */
  | "guessed";

/** What a destination told us about trying again. */
export type Instruction =
  | { readonly kind: "retryAfter"; readonly delayMs: number; readonly source: string }
  /** It named no time, and its habits are known: the first wait, which doubles from one to the next up to a cap. */
  | { readonly kind: "pace"; readonly firstMs: number; readonly maxMs: number; readonly source: string }
  | { readonly kind: "doNotRetry"; readonly source: string }
  /** It has seen a fencing token above ours; the next one must be above `seen` (R19). */
  | { readonly kind: "newerToken"; readonly seen: number; readonly source: string };

/** A sorted error: what code branches on, next to what people read. */
export interface Failure {
  /** Follows from `cause` and `executed`: what may have happened is `unknown`, whatever the cause. */
  readonly kind: FailureKind;
  readonly cause: FailureCause;
  readonly executed: Executed;
  readonly owner: FailureOwner;
  readonly scope: FailureScope;
  /** Null where the cause is not `denied`. */
  readonly access: DeniedAccess | null;
  readonly confidence: Confidence;
  /** Which rule of which sorter decided, for people who ask why. */
  readonly rule: string;
  /** One plain sentence. */
  readonly sentence: string;
  readonly instruction: Instruction | null;
  /** Fields the destination rejected. */
  readonly fields: readonly FieldFault[];
  /** What was seen: error class, code, status, chosen headers, start of the body. Bounded and without secrets. */
  readonly raw: Json;
}

/** What must be known of a failure; the rest follows, or has a plain default. */
export interface KnownFailure extends Partial<Omit<Failure, "kind">> {
  readonly cause: FailureCause;
  readonly executed: Executed;
  readonly rule: string;
  readonly sentence: string;
}

/** A failure from what is known of it. */
export function failureOf(known: KnownFailure): Failure {
  const { cause, executed } = known;
  return {
    owner: OWNERS[cause],
    scope: SCOPES[cause],
    access: null,
    confidence: "inferred",
    instruction: null,
    fields: [],
    raw: null,
    ...known,
    kind: executed === "no" ? cause : "unknown",
  };
}

const OWNERS: Readonly<Record<FailureCause, FailureOwner>> = {
  transient: "system",
  throttled: "system",
  quota: "access",
  rejected: "input",
  denied: "access",
  // It is looked up whether what exists is our own, and what no longer holds is asked again.
  conflict: "system",
  precondition: "system",
  gone: "operator",
  bug: "developer",
  stopped: "system",
};

const SCOPES: Readonly<Record<FailureCause, FailureScope>> = {
  transient: "case",
  throttled: "credential",
  quota: "credential",
  rejected: "case",
  denied: "credential",
  conflict: "case",
  precondition: "case",
  gone: "case",
  bug: "case",
  stopped: "case",
};

/** True for a request to slow down that surely did not happen: it spends no attempt and has a count of its own. */
export function isSlowDown({ kind }: Failure): boolean {
  return kind === "throttled";
}

/** The shortest wait that an instruction names, in ms; null = it names none. */
export function namedWaitMs(instruction: Instruction | null): number | null {
  switch (instruction?.kind) {
    case "retryAfter":
      return instruction.delayMs;
    case "pace":
      return instruction.firstMs;
    case "doNotRetry":
    case "newerToken":
    case undefined:
      return null;
  }
}
