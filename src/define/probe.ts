/** Questions to an outside system that a condition rests on. */

import type { ConditionReply, JsonScope, ProbeContext, Scope } from "./case-type.ts";
import type { Destination } from "./destination.ts";
import type { Duration } from "./duration.ts";

/** What a probe asks, and how. */
export interface ProbeOptions<Seen extends Scope = JsonScope> {
  /** The system that is asked: its retry policy bounds how often, its owner hears when it stays silent. */
  readonly of: Destination;
  /** How long an answer may be used again: at least 1 s. Default 60 s. */
  readonly freshFor?: Duration;
  /** How long one question may take: at most 10 min. Default 5 s. */
  readonly deadline?: Duration;
  /** Asks. It must change nothing outside. What it throws counts as "cannot tell". */
  readonly ask: (context: ProbeContext<Seen>) => Promise<ConditionReply> | ConditionReply;
}

/** A question to an outside system, for `requires` or `before`. */
export interface Probe<Seen extends Scope = JsonScope> {
  readonly kind: "probe";
  readonly options: ProbeOptions<Seen>;
}

/** Makes a condition that asks an outside system. Its faults are named when the case type is loaded. */
export function probe<Seen extends Scope>(options: ProbeOptions<Seen>): Probe<Seen> {
  return { kind: "probe", options };
}
