/** Why an attempt failed and whether it happened: two axes, told apart. */

import type { FieldFault } from "./errors.ts";
import type { Json } from "./json.ts";

/** Why it failed. */
export type FailureKind =
  | "transient"
  | "throttled"
  | "quota"
  | "unknown"
  | "rejected"
  | "denied"
  | "conflict"
  | "precondition"
  | "gone"
  | "bug"
  | "stopped";

/** Whether the effect happened. */
export type Executed = "no" | "maybe" | "yes" | "partial";

/** What a destination told us about trying again. */
export type Instruction =
  | { readonly kind: "retryAfter"; readonly delayMs: number; readonly source: string }
  | { readonly kind: "doNotRetry"; readonly source: string }
  /** It has seen a fencing token above ours; the next one must be above `seen` (R19). */
  | { readonly kind: "newerToken"; readonly seen: number; readonly source: string };

/** A sorted error: what code branches on, next to what people read. */
export interface Failure {
  readonly kind: FailureKind;
  readonly executed: Executed;
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

/** True for a request to slow down that surely did not happen: it spends no attempt and has a count of its own. */
export function isSlowDown({ kind, executed }: Failure): boolean {
  return kind === "throttled" && executed === "no";
}
