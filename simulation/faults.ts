/** How often each fault was really hit: a run in which a fault was not hit says nothing about it. */

/** Every kind of fault that the main world makes. */
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
  /** A plan of the account is used up. */
  "quota",
  /** One was tried once more when it was reset. */
  "quotaTried",
  /** What was made a moment ago is not shown yet. */
  "notThereYet",
  /** A token that ran out, or was revoked. */
  "denied",
  /** The token endpoint answered 500. */
  "refreshBroken",
  /** It said that the grant is not good any more. */
  "refreshDenied",
  /** An access was refreshed, for a step that then goes on. */
  "refreshed",
  /** A thing of that name exists. */
  "nameTaken",
  /** A write was conditional on an old version. */
  "versionMoved",
  /** A fencing token was not above the highest that was shown. */
  "tokenRefused",
  /** Somebody else changed a thing that a write is conditional on. */
  "thirdParty",
  "delayedRequest",
  /** What a prerequisite asks about is not so any more. */
  "probeBroken",
  /** A prerequisite could not be asked. */
  "probeSilent",
  /** Its answer came after the deadline. */
  "probeSlow",
  "duplicateEvent",
  /** An event of a lower version than one that the case knew. */
  "outdated",
  /** The server that receives was killed. */
  "serverKilled",
  /** A delivery got no answer, or was asked to come again. */
  "unanswered",
  "askedAgain",
  /** It was taken in, and its sender did not hear so. */
  "successUnheard",
  /** An event was in before one that was told earlier. */
  "reordered",
  /** Sent a second time beside the first. */
  "resend",
  /** A delivery that is not the provider's had an answer. */
  "forged",
  /** Whoever worked on an event was lost, or did not learn what became of it. */
  "workLost",
  /** A person left the work of an event undone. */
  "ignoredEvent",
  /** The provider's list was read. */
  "reconciled",
  "correction",
  "resume",
  /** A step for every key of a list. */
  "each",
  /** A case was started by another one, and one by that. */
  "child",
  "grandchild",
  /** What would have been started was refused for its input. */
  "childRejected",
  /** A case learned that one below it waits for people. */
  "childInReview",
  /** One below was canceled by somebody else. */
  "childCanceled",
  /** What a step had started was canceled, because the step was taken back. */
  "childTakenBack",
  "cancel",
  /** Canceled, after what it did was undone or said to stay. */
  "canceledWithUndo",
  /** Somebody said that what a step did stays outside. */
  "leftOutside",
  "pause",
  /** Somebody ordered something about one step: to do it again, take it back, ask about it, or leave it out. */
  "redoOrdered",
  "undoOrdered",
  "checkOrdered",
  "skipOrdered",
  /** Somebody looked at the destination, and said that what nobody knew did not happen. */
  "ruledOut",
  /** Or that it did. */
  "confirmedByHand",
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
  /** A person said that the access is restored which others waited for. */
  "restored",
  /** A confirmation lapsed. */
  "lapsed",
  /** What lapsed was asked about, and is what is wanted now. */
  "rechecked",
  /** A step was not needed. */
  "looked",
  "passedOver",
  /** A correction made it needed all the same. */
  "neededAfterAll",
  /** What lapsed was done again. */
  "redone",
  /** What lapsed was taken back. */
  "undone",
  /** Its worker was lost while it took something back, or did not learn whether it had. */
  "undoUnknown",
] as const;

/** An order was canceled half-way, as one of the cases below it stood so. */
const CANCELED_KINDS = [
  "canceledAnyTime",
  "canceledWhileStarting",
  "canceledWhileClaimed",
  "canceledWhileInReview",
  "canceledWhilePaused",
  "canceledWhileRepaired",
  "canceledWhileDone",
  "canceledWhileTakenBack",
] as const;

/** One of {@link ALL_KINDS}. */
export type FaultKind = (typeof FAULT_KINDS)[number] | (typeof CANCELED_KINDS)[number];

/** Of every world. */
export const ALL_KINDS: readonly FaultKind[] = [...FAULT_KINDS, ...CANCELED_KINDS];

/** What the world of three levels makes. */
export const LEVEL_KINDS: readonly FaultKind[] = [
  ...(["requestLost", "replyLost", "workerKilled", "workerStopped", "clockJump"] as const),
  ...(["refused", "answerLost", "delayedRequest", "unavailable", "throttled", "quota"] as const),
  ...(["rejected", "denied", "notThereYet", "nameTaken", "lateReport", "claimLost"] as const),
  ...(["correction", "resume", "pause", "repair", "takeOver", "pageLeft", "restored"] as const),
  ...(["ruledOut", "confirmedByHand", "lapsed", "undoUnknown", "leftOutside", "each"] as const),
  ...(["child", "grandchild", "childInReview", "childCanceled"] as const),
  ...(["childTakenBack", "cancel", "canceledWithUndo", ...CANCELED_KINDS] as const),
];

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
