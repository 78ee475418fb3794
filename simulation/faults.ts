/** How often each fault was really hit: a run in which a fault was not hit says nothing about it. */

/** Every kind of fault that the simulation makes. */
export const FAULT_KINDS = [
  "requestLost",
  "replyLost",
  "workerKilled",
  "workerStopped",
  "clockJump",
  /** Of the database, and it lost entries of a journal. */
  "failover",
  /** It lost an attempt too: what was sent then, no journal tells any more. */
  "lostAttempt",
  "refused",
  "answerLost",
  "unavailable",
  "throttled",
  "rejected",
  "delayedRequest",
  "duplicateEvent",
  "correction",
  "resume",
  "cancel",
  "revocation",
  "repair",
  "takeOver",
  "pageLeft",
  "pageFreed",
  "repairOver",
  "attachedEvent",
  "unseenEvent",
  "lateReport",
  "claimLost",
] as const;

/** One of {@link FAULT_KINDS}. */
export type FaultKind = (typeof FAULT_KINDS)[number];

/** Counts of one run or of many. */
export class FaultCounts {
  readonly #counts = new Map<FaultKind, number>();

  hit(kind: FaultKind): void {
    this.#counts.set(kind, this.of(kind) + 1);
  }

  of(kind: FaultKind): number {
    return this.#counts.get(kind) ?? 0;
  }
}
