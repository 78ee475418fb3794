/** What sorters look at, as plain data: a thrown value, the answer in it, and what the wire showed. */

import type { FieldFault } from "./errors.ts";
import type { DeniedAccess, Executed, Failure, FailureCause, FailureOwner, FailureScope } from "./failure.ts";
import type { Json, JsonObject } from "./json.ts";
import type { WireRequest } from "./wire-evidence.ts";

/** One error of a chain. */
export interface SeenError {
  readonly name: string;
  readonly message: string;
  /** As a text, also where it is a number. */
  readonly code: string | null;
  readonly syscall: string | null;
  readonly stack: string | null;
  /** True where it stands for other errors, which follow in the chain: its own code is only that of the first. */
  readonly isAggregate: boolean;
  /** Fields that clients put on their errors and that sorters read: a chosen list, bounded, with their types. */
  readonly facts: JsonObject;
}

/** An HTTP answer. */
export interface SeenResponse {
  readonly status: number;
  /** By lower-case name, read as they came: what is stored of them is made fit first. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON where the body was JSON, else its start as text; null when there was none. */
  readonly body: Json;
}

/** What a sorter of one's own is given. */
export interface SeenFailure {
  /** The error first, then what caused it; errors of an AggregateError behind their parent. */
  readonly errors: readonly SeenError[];
  /** Null where there was none, or none was recognized. */
  readonly response: SeenResponse | null;
  /** What the wire showed of the attempt; null where it was not measured. */
  readonly requests: readonly WireRequest[] | null;
  /** What is made of it without you. */
  readonly sorted: Failure;
}

/** What a sorter of one's own may say. What it leaves out stays as it is sorted without it. */
export interface OwnSorting {
  /** Why it failed. What may have happened becomes `unknown` by itself. */
  readonly cause?: FailureCause;
  /** Whether it happened. Say `no` only where it is proved: it is believed over what the wire showed. */
  readonly executed?: Executed;
  readonly owner?: FailureOwner;
  readonly scope?: FailureScope;
  readonly access?: DeniedAccess;
  /** Nothing is sent again before that, in ms; `never` = not by the engine itself. */
  readonly retryAfterMs?: number | "never";
  /** The destination has seen a fencing token as high as this: the next one is raised above it. */
  readonly newerToken?: number;
  /** One plain sentence for people. */
  readonly sentence?: string;
  readonly fields?: readonly FieldFault[];
}

/** Sorts failures of one destination: pure and synchronous. Null = it has nothing to say about this one. */
export type Sorter = (seen: SeenFailure) => OwnSorting | null;
