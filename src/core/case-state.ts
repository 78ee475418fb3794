/** The state of a case: what its journal adds up to. Made by the fold only. */

import type { Failure } from "./failure.ts";
import type { ChildStanding, ParentRef } from "./child-standing.ts";
import type { Erasure } from "./erasure.ts";
import type {
  Actor,
  Assignee,
  AttemptRef,
  ConditionAnswer,
  ConfirmedBy,
  LapseReason,
  RepairEnd,
  Review,
  StepResult,
} from "./journal.ts";
import type { Wait } from "./waits.ts";
import type { Json } from "./json.ts";
import type { SearchOutline } from "./search-outline.ts";
import type { Priority } from "./starting.ts";
import type { WireSummary } from "./wire-evidence.ts";

/** How an attempt ended, as far as is known. */
export type AttemptOutcome =
  /** Sent or about to be sent, and nothing known since: never "not sent". */
  | { readonly kind: "open" }
  | { readonly kind: "failed"; readonly failure: Failure }
  | { readonly kind: "provedNotExecuted" }
  /** A holder that had lost its claim reported afterwards that it worked. */
  | { readonly kind: "reportedLate"; readonly result: StepResult; readonly evidence: Json }
  | { readonly kind: "confirmed" }
  /** It started another case, which is known by itself from here on. */
  | { readonly kind: "started" };

/** A case that a step started, as far as it has told of itself. */
export interface ChildState {
  readonly caseId: string;
  readonly caseType: string;
  /** The revision of its journal that it last told of; 0 = of none. */
  readonly toldRevision: number;
  readonly standing: ChildStanding;
}

/** One try under an intent. */
export interface Attempt {
  readonly number: number;
  readonly fencingToken: number;
  readonly openedAt: number;
  readonly sendDeadlineAt: number;
  readonly claimId: string;
  readonly holder: Actor;
  /** The version that the write was conditional on; null where none was compared. */
  readonly version: string | null;
  readonly outcome: AttemptOutcome;
  /** What was seen of its requests; absent where nothing was metered. */
  readonly wire?: WireSummary;
}

/** The record of one wanted effect. */
export interface Intent {
  readonly version: number;
  readonly idempotencyKey: string;
  readonly destination: string;
  readonly credentialId: string;
  readonly basis: string;
  readonly fingerprint: string;
  readonly request: string | null;
  readonly openedAt: number;
  readonly attempts: readonly Attempt[];
  /** True once its effect was undone: nothing is ever sent under it again. */
  readonly isUndone: boolean;
}

/** Durable proof that a step took effect. */
export interface Confirmation {
  readonly revision: number;
  readonly at: number;
  readonly intentVersion: number;
  readonly basis: string;
  readonly result: StepResult;
  readonly evidence: Json;
  readonly by: ConfirmedBy;
  /** The round it was confirmed in; a later one means that a person resumed since. */
  readonly round: number;
}

/** What was used up since the case started or a person last resumed this step. */
export interface Round {
  readonly number: number;
  /** Attempts that count: all but throttled ones. */
  readonly attempts: number;
  /** Requests that clients sent again by themselves, within attempts. */
  readonly repeats: number;
  readonly throttles: number;
  /** Since the last attempt. */
  readonly checks: number;
  /** Answers "a precondition does not hold" on an unchanged basis. */
  readonly preconditions: number;
  /** First failure of the round; giveUpAfter counts from here. */
  readonly failingSinceAt: number | null;
}

/** The last failure of a step. `round` tells whether a person resumed since. */
interface LastFailure {
  readonly failure: Failure;
  readonly attempt: number;
  readonly at: number;
  readonly round: number;
}

/** The last refresh of access for a step. */
interface RefreshState {
  readonly intentVersion: number;
  /** The attempt that was refused before it. */
  readonly attempt: number;
  /** How often it was tried since then. */
  readonly times: number;
  /** Null = it worked. */
  readonly failure: Failure | null;
  readonly retryAt: number | null;
}

/** A recorded answer to a condition. */
export interface RecordedAnswer {
  readonly answer: ConditionAnswer;
  readonly askedAt: number;
  readonly nextProbeAt: number | null;
  /** How often in a row it could not be told; 0 when it can. */
  readonly timesUnsure: number;
  /** When that began; null when it can be told. */
  readonly unsureSinceAt: number | null;
}

/** What the last journaled look of a step found. */
export interface LookState {
  readonly answer: "notYet" | "cannotTell";
  readonly why: string;
  readonly askedAt: number;
  readonly nextLookAt: number;
  /** How often in a row it could not be told; 0 when it can. */
  readonly timesUnsure: number;
  /** When that began; null when it can be told. */
  readonly unsureSinceAt: number | null;
}

/** What the journal says of one step. */
export interface StepState {
  readonly intent: Intent | null;
  readonly confirmation: Confirmation | null;
  /** Set when the present confirmation was found lapsed; the plan judges again at each pick-up. */
  readonly lapse: LapseReason | null;
  readonly review: Review | null;
  /** When its review was opened, epoch ms; of one that is closed by now, what it was; 0 = it never had one. */
  readonly reviewedAt: number;
  readonly round: Round;
  /** The last failure; it stays for people once the step is confirmed. */
  readonly lastFailure: LastFailure | null;
  /** When the engine may try, check or probe again by itself; null = nothing is pending. */
  readonly notBefore: number | null;
  /** True when `notBefore` came from the destination. */
  readonly askedByProvider: boolean;
  /** The first "not found" of a look-up since the last attempt; one alone proves nothing. */
  readonly firstNotFoundAt: number | null;
  /** What a check found instead of what was wanted, since the last attempt; null = nothing of that kind. */
  readonly difference: string | null;
  /** Why the last check could not tell, since the last attempt; null = none could not. */
  readonly unsure: string | null;
  /** Since the case started or a person last resumed this step; null = access was not refreshed. */
  readonly refresh: RefreshState | null;
  /** Fingerprints that the destination rejected; never sent again. */
  readonly rejected: readonly string[];
  readonly conditions: { readonly [condition: string]: RecordedAnswer };
  /** Since it was reached, or last made to look anew; null = it was not looked. */
  readonly look: LookState | null;
  /** The answer of a person that the step has not used yet. */
  readonly answer: ApprovalAnswer | null;
  /** When a person last wanted it asked anew; what was asked since then has served it. Null = nothing is wanted. */
  readonly checkOrderedAt: number | null;
  /** When its effect was last asked for; null = not since the last attempt. */
  readonly checkedAt: number | null;
  /** Who ordered its effect to be taken back, and why, once that is done; null = nobody, or somebody resumed since. */
  readonly undone: { readonly by: string; readonly reason: string } | null;
  /**
   * What was confirmed before the step was done again: it is there until the new effect takes its place. Null = nothing is
   * left of an earlier effect.
   */
  readonly replaced: Confirmation | null;
  /** The case that it started under the present intent; null = none. */
  readonly child: ChildState | null;
  /** Who said that what the step did stays outside, and why; null = nobody did. */
  readonly leftOutside: { readonly by: string; readonly reason: string } | null;
  /** When the step was last made to ask or wait anew: by a lapse, a correction or a resume. */
  readonly renewedAt: number | null;
}

/** A person's answer to an approval. */
export interface ApprovalAnswer {
  readonly approved: boolean;
  readonly form: Json;
  readonly note: string | null;
  readonly sourceId: string;
  readonly by: Actor;
  readonly at: number;
}

/** An event as the case saw it. */
export interface ReceivedEvent {
  readonly revision: number;
  readonly at: number;
  readonly eventType: string;
  readonly sourceId: string;
  readonly payload: Json;
}

/** The state of a case while nobody holds it. A claim lies over it and is not part of the journal. */
export type Rest =
  | { readonly kind: "ready"; readonly dueAt: number }
  | { readonly kind: "waiting"; readonly dueAt: number | null; readonly waits: readonly Wait[] }
  | {
      readonly kind: "paused";
      readonly untilAt: number | null;
      readonly by: Actor;
      readonly reason: string | null;
    }
  | { readonly kind: "in_review" }
  /** `result`: what it gives whoever started it. */
  | { readonly kind: "done"; readonly at: number; readonly result: Json }
  | { readonly kind: "canceled"; readonly at: number; readonly by: Actor; readonly reason: string | null };

/** A repair that is open. */
export interface OpenRepair {
  /** Of the claim that it holds: every move in it is made under this id. */
  readonly claimId: string;
  readonly by: Actor;
  readonly openedAt: number;
  /** Events that came since; prerequisites and waits do not see them yet. */
  readonly attached: readonly ReceivedEvent[];
}

/** A repair that is over, and how it ended. */
export interface FormerRepair {
  readonly claimId: string;
  readonly endedAt: number;
  readonly end:
    | { readonly kind: "takenOver"; readonly by: Actor; readonly reason: string }
    | { readonly kind: "ended"; readonly why: RepairEnd };
}

/** A request that the holder of the claim gets back with its next commit. */
interface PersonRequest {
  readonly by: Actor;
  readonly reason: string | null;
  readonly untilAt: number | null;
}

/** What a restored journal cannot know: what was sent between `backupAt` and `at`, both in epoch ms. */
export interface Restored {
  readonly backupAt: number;
  readonly at: number;
  /** Steps with an attempt on record since then. */
  readonly begun: readonly string[];
}

/** Everything a journal says of its case. */
export interface CaseState {
  readonly caseId: string;
  readonly caseType: string;
  readonly definitionVersion: number;
  readonly tenant: string;
  readonly businessKey: string | null;
  readonly startedAt: number;
  /** When work on it may begin: its start, or later where it was started for later. */
  readonly beginsAt: number;
  readonly priority: Priority;
  readonly startedBy: Actor;
  /** The step of another case that started it; null = none did. */
  readonly parent: ParentRef | null;
  readonly revision: number;
  readonly changedAt: number;
  readonly input: Json;
  readonly originalInput: Json;
  readonly rest: Rest;
  readonly steps: { readonly [step: string]: StepState };
  /** The keys of every `each` that has started. */
  readonly each: { readonly [step: string]: readonly string[] };
  /** Of every step that has another name than it began with: all that it had, the first one first. */
  readonly names: { readonly [step: string]: readonly string[] };
  /** Set once the database was restored from a backup. */
  readonly restored: Restored | null;
  /** Applied events in order; of one type as many as received-events.ts keeps. */
  readonly events: readonly ReceivedEvent[];
  /** Late reports that came, by {@link reportId}, so that one is appended once. */
  readonly lateReports: readonly string[];
  /** Claims lost in a row with an attempt open, since the last confirmation or resume. */
  readonly losses: number;
  readonly fencingToken: number;
  /** True once a person corrected or resumed. */
  readonly repaired: boolean;
  readonly repair: OpenRepair | null;
  /** The last ones that are over, oldest first. */
  readonly formerRepairs: readonly FormerRepair[];
  /** Whose it is; null = nobody's in particular. */
  readonly assignee: Assignee | null;
  /** What it can be found by; null = nothing beside its key. */
  readonly search: SearchOutline | null;
  /** What limits how many of its type are worked on at once; null = nothing. It stays as it was at the start. */
  readonly concurrencyKey: string | null;
  readonly cancelRequest: PersonRequest | null;
  /** Effects undone, or said to stay outside, since it was asked to be canceled. */
  readonly takenBack: number;
  readonly pauseRequest: PersonRequest | null;
  /** Left out unless its data was erased. */
  readonly erased?: Erasure;
}

/** Nothing used up yet. */
export const FRESH_ROUND: Round = {
  number: 1,
  attempts: 0,
  repeats: 0,
  throttles: 0,
  checks: 0,
  preconditions: 0,
  failingSinceAt: null,
};

/** The state of a step of which the journal says nothing yet. */
export const UNTOUCHED_STEP: StepState = {
  intent: null,
  confirmation: null,
  lapse: null,
  review: null,
  reviewedAt: 0,
  round: FRESH_ROUND,
  lastFailure: null,
  notBefore: null,
  askedByProvider: false,
  firstNotFoundAt: null,
  difference: null,
  unsure: null,
  refresh: null,
  rejected: [],
  conditions: {},
  look: null,
  answer: null,
  checkOrderedAt: null,
  checkedAt: null,
  undone: null,
  replaced: null,
  child: null,
  leftOutside: null,
  renewedAt: null,
};

/** What the journal says of `step`; untouched when it says nothing. */
export function stepOf({ steps }: CaseState, step: string): StepState {
  // A step may be named "constructor".
  return (Object.hasOwn(steps, step) ? steps[step] : undefined) ?? UNTOUCHED_STEP;
}

/** True while a person waits for the effect of a step to be asked for. */
export function isCheckOrdered({ checkOrderedAt, checkedAt }: StepState): boolean {
  return checkOrderedAt !== null && (checkedAt === null || checkedAt < checkOrderedAt);
}

/** The recorded answer to a condition of a step; null when none was recorded. */
export function recordedAnswer(state: CaseState, step: string, condition: string): RecordedAnswer | null {
  const { conditions } = stepOf(state, step);
  return (Object.hasOwn(conditions, condition) ? conditions[condition] : undefined) ?? null;
}

/** An attempt as its holder names it: after a failover another claim's may have its number. */
export interface ClaimedAttempt extends AttemptRef {
  readonly claimId: string;
}

/** The attempt that a holder speaks of; undefined when the journal has none of that claim. */
export function attemptOf(intent: Intent | null, ref: ClaimedAttempt): Attempt | undefined {
  if (intent?.version !== ref.intentVersion) return undefined;
  return intent.attempts.find((one) => one.number === ref.attempt && one.claimId === ref.claimId);
}

/** A late report in one text. A sender that did not know at first may learn later that it took effect. */
export function reportId(
  { step, intentVersion, attempt, claimId }: ClaimedAttempt,
  outcome: "succeeded" | "failed",
): string {
  return `${step}.${intentVersion}.${attempt} ${outcome} ${claimId}`;
}

/** True while an attempt may have been executed and nothing proves that it was or was not. */
export function isUnproved({ outcome }: Attempt): boolean {
  switch (outcome.kind) {
    case "open":
      return true;
    case "failed":
      return outcome.failure.executed !== "no";
    case "provedNotExecuted":
    case "confirmed":
    case "reportedLate":
    case "started":
      return false;
  }
}

/** The case that a step started, unless that was canceled: then nothing of it is left. */
export function aliveChild({ child }: Pick<StepState, "child">): ChildState | null {
  return child === null || child.standing.kind === "canceled" ? null : child;
}

/** True when somebody saw the attempt take effect: its own holder in time, or later. */
export function tookEffect({ outcome }: Attempt): boolean {
  return outcome.kind === "confirmed" || outcome.kind === "reportedLate";
}

/** True of a step that was passed over: it is confirmed, and nothing was done. */
export function isNotNeeded(confirmation: Confirmation | null): boolean {
  return confirmation?.by.how === "notNeeded";
}

/** True of a confirmation that rests on an effect at a destination, and not on an answer, an event or the clock. */
export function hasEffect({ by }: Confirmation): boolean {
  switch (by.how) {
    case "child":
      return by.ended === "done";
    case "response":
    case "check":
    case "lateReport":
    case "person":
      return true;
    case "approval":
    case "event":
    case "timer":
    case "poll":
    case "each":
    case "notNeeded":
    case "skip":
      return false;
  }
}

/** True for a step that stands without having done anything: it was not needed, or a person left it out. */
export function isWithoutEffect(confirmation: Confirmation | null): boolean {
  return isNotNeeded(confirmation) || confirmation?.by.how === "skip";
}
