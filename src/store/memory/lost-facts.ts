/** Work that is marked as done after a failover lost what its cases were told. */

import { LOST_FACT_DELAY_MS, LOST_FACT_SENTENCE, type WorkOutcome } from "../inbox-port.ts";

/** What cases know. */
export interface KnownFacts {
  /** Whether a case is there, and knows an event by this id; null = that it is there is enough. */
  knowsFact(caseId: string, sourceId: string | null): boolean;
}

/** The outcome, or that the work is ready again where a case does not know of it. */
export function judged(outcome: WorkOutcome, known: KnownFacts): WorkOutcome {
  const { state, caseIds, sourceId } = outcome;
  const isOver = state === "done" || state === "ignored";
  if (!isOver || caseIds.every((caseId) => known.knowsFact(caseId, sourceId))) return outcome;
  return { ...outcome, state: "ready", dueInMs: LOST_FACT_DELAY_MS, sentence: LOST_FACT_SENTENCE };
}
