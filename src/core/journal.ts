/** The journal: the append-only history of a case. All else about a case follows from its entries (fold.ts). */

import type { ChildStanding, ParentRef } from "./child-standing.ts";
import type { Erasure } from "./erasure.ts";
import type { Failure } from "./failure.ts";
import type { Json } from "./json.ts";
import type { Wait } from "./waits.ts";
import type { SearchOutline } from "./search-outline.ts";
import type { SlotRef } from "./schedule.ts";
import type { KeyFreedBy, Priority } from "./starting.ts";
import type { WireSummary } from "./wire-evidence.ts";

/** Who did it. `name` is a label for people, never an identity that anything trusts. */
export type Actor =
  | { readonly kind: "worker"; readonly name: string; readonly holderId: string }
  /** `personId`: how whoever signs people in knows them; left out where nobody does. */
  | { readonly kind: "person"; readonly name: string; readonly personId?: string }
  | { readonly kind: "engine"; readonly name: string };

/** A person or a team that a case is given to. */
export interface Assignee {
  readonly id: string;
  /** For people. */
  readonly label: string;
}

/** How a confirmation came about. */
export type ConfirmedBy =
  | { readonly how: "response"; readonly attempt: number }
  | { readonly how: "check"; readonly askedAt: number }
  | { readonly how: "lateReport"; readonly attempt: number }
  | { readonly how: "approval"; readonly sourceId: string; readonly by: string }
  | { readonly how: "event"; readonly sourceId: string; readonly eventType: string }
  | { readonly how: "timer"; readonly dueAt: number }
  /** A look at the destination found what was waited for. */
  | { readonly how: "poll"; readonly askedAt: number }
  /** All of its keys stand. */
  | { readonly how: "each"; readonly keys: number }
  /** The case that the step started has ended. */
  | { readonly how: "child"; readonly caseId: string; readonly ended: "done" | "canceled" }
  /** Nothing was to be done: a condition of `when` did not hold. */
  | { readonly how: "notNeeded"; readonly why: string }
  /** A person vouches for it. */
  | { readonly how: "person"; readonly by: string; readonly reason: string }
  /** A person decided that it is left out: nothing took effect, and what follows goes on without it. */
  | { readonly how: "skip"; readonly by: string; readonly reason: string };

/** What a step gave. Unreadable: the effect happened, but what `run` returned cannot be stored (R11). */
export type StepResult =
  { readonly kind: "value"; readonly value: Json } | { readonly kind: "unreadable"; readonly why: string };

/** Why a confirmation no longer stands. */
export type LapseReason =
  | { readonly kind: "prerequisite"; readonly name: string; readonly why: string }
  | { readonly kind: "basis" }
  | { readonly kind: "follows"; readonly step: string }
  /** A person ordered the step to be done again. */
  | { readonly kind: "ordered"; readonly by: string; readonly reason: string }
  /** A person ordered what it did to be taken back. */
  | { readonly kind: "undo"; readonly by: string; readonly reason: string };

/** An answer to a condition. Only `broken` lapses; `cannotTell` neither holds nor lapses (R13). */
export type ConditionAnswer =
  /** `version`: what a write will be conditional on, where the question was for that. */
  | { readonly kind: "holds"; readonly version?: string }
  | { readonly kind: "broken"; readonly why: string }
  | { readonly kind: "cannotTell"; readonly why: string };

/** An answer to "did it happen?". */
export type CheckAnswer =
  | {
      readonly kind: "happened";
      readonly result: StepResult;
      readonly evidence: Json;
      /** Of what really ran; left out where the destination cannot tell. */
      readonly fingerprint?: string;
    }
  /** It exists under our name or key, but is not what was wanted. */
  | { readonly kind: "differs"; readonly why: string; readonly evidence: Json }
  | { readonly kind: "didNotHappen" }
  | { readonly kind: "cannotTell"; readonly why: string };

/** What a look at a destination found. */
export type LookAnswer =
  | { readonly kind: "found"; readonly value: Json }
  /** It is not there yet. `againMs`: when to look again; left out = as the step says. */
  | { readonly kind: "notYet"; readonly why: string; readonly againMs?: number }
  | { readonly kind: "cannotTell"; readonly why: string };

/** What came of refreshing the access of a credential. `failure.executed` is `no`: the step's effect is elsewhere. */
export type RefreshAnswer =
  { readonly kind: "refreshed" } | { readonly kind: "failed"; readonly failure: Failure };

/** Why a step waits for a person. */
export type ReviewReason =
  /** A destination refused the input; `fields` of the failure say what. */
  | "rejected"
  /** Access was refused or revoked. */
  | "denied"
  /** A plan or daily limit of the account is used up. */
  | "quota"
  /** It may have happened and nothing can tell. */
  | "unknown"
  /** Retries, checks or probes are used up. */
  | "limit"
  /** What was acted on is not there, or already exists with other content. */
  | "conflict"
  | "gone"
  /** Our own fault: code or configuration. */
  | "bug"
  /** A condition is broken, or the destination answered that one is. */
  | "precondition"
  /** A confirmed step no longer stands. */
  | "lapsed"
  /** The effect happened, but its result could not be stored. */
  | "unreadable"
  /** Three claims in a row were lost with an attempt open. */
  | "poison"
  /** A person said no, or did not answer in time; an event did not come in time. */
  | "refused"
  | "expired"
  /** A late report says that the effect may exist twice. */
  | "mayExistTwice"
  /** The case is being canceled, and the engine cannot take back what the step did. */
  | "staysOutside";

/** The visible place where a step waits for a person. */
export interface Review {
  readonly step: string;
  readonly reason: ReviewReason;
  /** One plain sentence: what stopped and what is needed. */
  readonly sentence: string;
  /** Who acts next. */
  readonly owner: string;
  /** Earliest time at which the engine itself may send, check or probe again; null = only after a person acted. */
  readonly nextCheckAllowedAt: number | null;
  /** Left out where no time runs on meanwhile. */
  readonly window?: ResendWindow;
}

/** A destination's key counts only so long (R20). */
interface ResendWindow {
  /** When a person must have acted. */
  readonly dueAt: number;
  /** Until when the same request may be sent again without a second effect. */
  readonly resendSafeUntilAt: number;
}

/** An attempt, named. */
export interface AttemptRef {
  readonly step: string;
  readonly intentVersion: number;
  readonly attempt: number;
}

/** What a holder that lost its claim reports afterwards (R10). */
export type LateOutcome =
  | {
      readonly kind: "succeeded";
      readonly result: StepResult;
      readonly evidence: Json;
      readonly wire?: WireSummary;
    }
  | { readonly kind: "failed"; readonly failure: Failure; readonly wire?: WireSummary };

/** Why a repair ended: by its person, by a move that ended the case, or without its page. */
export type RepairEnd =
  | "closed"
  /** Its person gave the case to somebody else. */
  | "handedOver"
  | "caseEnded"
  /** The page gave no sign of life for a whole lease. */
  | "silent"
  /** It was open for too long without a move. */
  | "actBy"
  /** Its holder did not know of it, or nobody holds its claim any more. */
  | "orphaned";

/** A step of a case, and the name that it has from now on. */
export interface Rename {
  readonly from: string;
  readonly to: string;
}

/** What happened. One commit appends one or more of these. */
export type Entry =
  | {
      readonly kind: "caseStarted";
      readonly caseType: string;
      readonly definitionVersion: number;
      readonly tenant: string;
      readonly businessKey: string | null;
      readonly input: Json;
      readonly by: Actor;
      /** It is not worked on before; left out = at once. */
      readonly startAt?: number;
      /** Left out = normal. */
      readonly priority?: Priority;
      /** Left out = nothing. */
      readonly keyFreedBy?: KeyFreedBy;
      /** Left out for a case that no other case started. */
      readonly parent?: ParentRef;
      /** Left out for a case that no schedule started. */
      readonly slot?: SlotRef;
      /** Left out where its type declares nothing to find it by. */
      readonly search?: SearchOutline;
      /** Put in when its data is erased: from then on nothing is appended. */
      readonly erased?: Erasure;
      /** What cases of its type are worked on together by, so many at once; left out where nothing limits it. */
      readonly concurrencyKey?: string;
    }
  /** A later version of the definition acts on the case from here on, or one in which steps of it have other names. */
  | {
      readonly kind: "definitionChanged";
      readonly version: number;
      readonly renamed: readonly Rename[];
      /** Left out where this version declares nothing to find it by. */
      readonly search?: SearchOutline;
      readonly by: Actor;
    }
  /**
   * The database was restored from a backup: what a step sent between `backupAt` and this entry the journal does not know. No
   * step sends for the first time from here on before that is found out.
   */
  | { readonly kind: "restored"; readonly backupAt: number; readonly by: Actor }
  /** The keys of an `each` are fixed: each is a step of its own from here on. */
  | { readonly kind: "eachStarted"; readonly step: string; readonly keys: readonly string[] }
  | {
      readonly kind: "intentOpened";
      readonly step: string;
      readonly intentVersion: number;
      readonly idempotencyKey: string;
      readonly destination: string;
      readonly credentialId: string;
      readonly basis: string;
      readonly fingerprint: string;
      /** Canonical JSON of what every attempt sends; null = the author gave no `request` and the fingerprint is inferred. */
      readonly request: string | null;
    }
  | {
      readonly kind: "attemptOpened";
      readonly step: string;
      readonly intentVersion: number;
      readonly attempt: number;
      readonly fencingToken: number;
      readonly sendDeadlineAt: number;
      readonly claimId: string;
      readonly holder: Actor;
      /** The version that the write is conditional on; left out where none is compared. */
      readonly version?: string;
    }
  /** The attempt started another case, in the same transaction as this entry. */
  | {
      readonly kind: "childStarted";
      readonly step: string;
      readonly intentVersion: number;
      readonly attempt: number;
      readonly caseId: string;
      readonly caseType: string;
    }
  /** What a child tells its parent of itself. */
  | {
      readonly kind: "childTold";
      readonly step: string;
      readonly caseId: string;
      /** Of the child's journal: what an earlier one told is out of date. */
      readonly childRevision: number;
      readonly standing: ChildStanding;
    }
  | {
      readonly kind: "attemptFailed";
      readonly step: string;
      readonly intentVersion: number;
      readonly attempt: number;
      readonly failure: Failure;
      /** When the engine may try again by itself, drawn once so that it stays true; null = it will not. */
      readonly retryAt: number | null;
      /** What was seen of its requests; absent where nothing was metered. */
      readonly wire?: WireSummary;
    }
  | {
      readonly kind: "checkAnswered";
      readonly step: string;
      readonly intentVersion: number;
      readonly answer: Exclude<CheckAnswer, { kind: "happened" }>;
      readonly askedAt: number;
      /** What was seen of the requests of the question; absent where nothing was metered. */
      readonly wire?: WireSummary;
      /** True when "did not happen" counts: asked twice, and after the last possible arrival (R18). */
      readonly proves: boolean;
      readonly nextCheckAt: number;
      /** The token that the destination's fence was raised to with the question; left out where it has none. */
      readonly raisedTo?: number;
    }
  /**
   * The access of a credential was made usable again after an attempt was refused, or that failed. Nothing of it is sent to
   * the destination itself, and it is no attempt.
   */
  | {
      readonly kind: "accessRefreshed";
      readonly step: string;
      readonly intentVersion: number;
      /** The attempt that was refused. */
      readonly attempt: number;
      readonly credentialId: string;
      readonly answer: RefreshAnswer;
      /** When the engine tries it again by itself; null = not, or not needed. */
      readonly retryAt: number | null;
      /** What was seen of its requests; absent where another case's refresh counts, or nothing was metered. */
      readonly wire?: WireSummary;
    }
  | {
      readonly kind: "stepConfirmed";
      readonly step: string;
      /** 0 for steps without an intent (approval, event, sleep). */
      readonly intentVersion: number;
      readonly basis: string;
      readonly result: StepResult;
      readonly evidence: Json;
      readonly by: ConfirmedBy;
      /** What was seen of the requests of the attempt or question that it rests on; absent where nothing was metered. */
      readonly wire?: WireSummary;
    }
  | {
      readonly kind: "stepLapsed";
      readonly step: string;
      readonly because: LapseReason;
      readonly confirmedAtRevision: number;
    }
  /** What a lapsed confirmation rested on holds again. */
  | { readonly kind: "stepRestored"; readonly step: string }
  /** What the step did is undone: it is open again, and doing it once more would be a new effect. */
  | { readonly kind: "stepUndone"; readonly step: string; readonly intentVersion: number }
  /** A person says that what a step did, or may have done, stays outside when the case is canceled. */
  | { readonly kind: "leftOutside"; readonly step: string; readonly by: Actor; readonly reason: string }
  /** A person vouches that what was not known did not happen, and cannot any more. */
  | {
      readonly kind: "outcomeRuledOut";
      readonly step: string;
      readonly intentVersion: number;
      readonly evidence: Json;
      readonly by: Actor;
      readonly reason: string;
    }
  /** A person ordered a confirmed step to be done again. */
  | { readonly kind: "redoOrdered"; readonly step: string; readonly by: Actor; readonly reason: string }
  /** A person ordered what a confirmed step did to be taken back; it is not done again before somebody resumes it. */
  | { readonly kind: "undoOrdered"; readonly step: string; readonly by: Actor; readonly reason: string }
  /** A person wants what is known of a step to be asked anew: its probes, and whether its effect is there. */
  | {
      readonly kind: "checkOrdered";
      readonly step: string;
      readonly by: Actor;
      readonly reason: string | null;
    }
  /** Whose the case is from now on; null = nobody's in particular. */
  | {
      readonly kind: "assigned";
      readonly to: Assignee | null;
      readonly by: Actor;
      readonly reason: string | null;
    }
  | {
      readonly kind: "conditionAnswered";
      readonly step: string;
      readonly condition: string;
      readonly answer: ConditionAnswer;
      readonly askedAt: number;
      readonly nextProbeAt: number | null;
      /** What was seen of the requests of the question; absent where nothing was metered. */
      readonly wire?: WireSummary;
    }
  /** A look did not find what is waited for; one that found the same as the look before is not journaled. */
  | {
      readonly kind: "lookAnswered";
      readonly step: string;
      readonly answer: Exclude<LookAnswer, { kind: "found" }>;
      readonly askedAt: number;
      readonly nextLookAt: number;
      /** What was seen of the requests of the look; absent where nothing was metered. */
      readonly wire?: WireSummary;
    }
  | { readonly kind: "reviewOpened"; readonly review: Review }
  | { readonly kind: "parked"; readonly waits: readonly Wait[]; readonly dueAt: number | null }
  | {
      readonly kind: "eventReceived";
      readonly eventType: string;
      readonly sourceId: string;
      readonly payload: Json;
      readonly by: Actor;
      readonly ignored: string | null;
    }
  /** It came while a repair was open: kept, and applied when the repair ends (R22). */
  | {
      readonly kind: "eventAttached";
      readonly eventType: string;
      readonly sourceId: string;
      readonly payload: Json;
      readonly by: Actor;
    }
  | {
      readonly kind: "approvalAnswered";
      readonly step: string;
      readonly approved: boolean;
      readonly form: Json;
      readonly note: string | null;
      readonly sourceId: string;
      readonly by: Actor;
      /** The owner for whom they stood in; left out = they answered for themselves. */
      readonly inPlaceOf?: string;
    }
  | { readonly kind: "noteAdded"; readonly text: string; readonly by: Actor }
  /** A person took the claim of the case, to repair it. */
  | {
      readonly kind: "repairOpened";
      readonly claimId: string;
      readonly holderId: string;
      readonly by: Actor;
    }
  /** Another person took the claim; the one who had it is refused from then on. */
  | {
      readonly kind: "repairTakenOver";
      readonly claimId: string;
      readonly holderId: string;
      readonly by: Actor;
      readonly from: { readonly claimId: string; readonly by: Actor };
      readonly reason: string;
    }
  /** `events` that were attached are applied by this entry, unless `ignored` says why not. */
  | {
      readonly kind: "repairEnded";
      readonly claimId: string;
      readonly why: RepairEnd;
      readonly events: number;
      readonly ignored: string | null;
    }
  | {
      readonly kind: "resumed";
      readonly step: string | null;
      readonly by: Actor;
      readonly reason: string | null;
      /** Set where the person also ordered that a request is sent exactly as the destination rejected it. */
      readonly forced?: true;
    }
  | { readonly kind: "inputCorrected"; readonly input: Json; readonly by: Actor; readonly reason: string }
  /** A person wants the case canceled: from here on nothing is begun, and what was done is undone. */
  | {
      readonly kind: "cancelRequested";
      readonly by: Actor;
      readonly reason: string | null;
      /** Set where its parent takes back what the case did, even if it is done. */
      readonly byParent?: true;
    }
  | { readonly kind: "canceled"; readonly by: Actor; readonly reason: string | null }
  | {
      readonly kind: "pauseRequested";
      readonly by: Actor;
      readonly reason: string | null;
      readonly untilAt: number | null;
    }
  | {
      readonly kind: "paused";
      readonly by: Actor;
      readonly reason: string | null;
      readonly untilAt: number | null;
    }
  | {
      readonly kind: "claimLost";
      readonly claimId: string;
      readonly holderId: string;
      readonly holderName: string;
      readonly why: "silent" | "actBy" | "orphaned";
      readonly openAttempts: readonly AttemptRef[];
    }
  | {
      readonly kind: "lateReport";
      readonly step: string;
      readonly intentVersion: number;
      readonly attempt: number;
      readonly claimId: string;
      readonly holder: Actor;
      readonly outcome: LateOutcome;
    }
  /** `result`: what it gives whoever started it; left out where its type declares none. */
  | { readonly kind: "caseDone"; readonly result?: Json };

/** The kinds of {@link Entry}, for storage and docs. */
export type EntryKind = Entry["kind"];

/** An entry with its place in the journal. */
export interface JournalEntry {
  /** 1 for the first entry of a case, then without gaps. */
  readonly revision: number;
  /** Epoch milliseconds by the database's clock; never lower than the entry before. */
  readonly at: number;
  /** Random, the same for all entries of one commit. */
  readonly commitId: string;
  readonly entry: Entry;
}
