/** Everything about one case in one value: what the case page, the API and `cases show` tell. Pure. */

import { stepOf, type Attempt, type CaseState, type Intent } from "../core/case-state.ts";
import { unreachable } from "../core/errors.ts";
import type { Executed, Failure } from "../core/failure.ts";
import type { Actor, Assignee, EntryKind, JournalEntry, Review } from "../core/journal.ts";
import type { Wait } from "../core/waits.ts";
import type { Priority } from "../core/starting.ts";
import type { Json } from "../core/json.ts";
import { nextChecks, pickUpAt } from "../core/next-check.ts";
import type { CaseOutline, SendStepOutline } from "../core/outline.ts";
import { planCase } from "../core/plan.ts";
import type { PlanInput, Standing } from "../core/planning.ts";
import { repairUnder } from "../core/repair.ts";
import type { StoredState } from "../core/row.ts";
import type { SearchValue } from "../core/search-values.ts";
import { readState, type Reading, type ReadingInput } from "../core/state.ts";
import type { WireFindingCode } from "../core/wire-evidence.ts";
import { findStep } from "../core/undo.ts";
import type { StoredCase, StoredHolder, StoredRow } from "../store/port.ts";
import { sayFinding } from "../wire/findings.ts";
import { sayMayAnswer, type JudgeApprover, type OwnersNamed } from "./approvers.ts";
import { confirmedActions, type ConfirmedAction } from "./confirmed-actions.ts";
import { viewChildren, type ChildView, type ParentView } from "./children-view.ts";
import type { DefinitionStanding } from "./definition.ts";
import { actorOf, sayEntry, type FormatTime } from "./entry-words.ts";
import { holdingOf, type Holding } from "./holding.ts";
import { viewMoves, type HasRight, type MoveView } from "./moves-view.ts";
import type { PlanInputs } from "./plan-input.ts";
import type { MakesRequest } from "./send-preview.ts";
import { sayWait, viewPlan, waitsFor, type PlanView } from "./plan-view.ts";

/** Entries of the history that a view holds; of a longer one, the newest. */
const HISTORY_ENTRIES_MAX = 500;

/** One case in a list. Times are epoch ms. */
export interface CaseLine {
  readonly caseId: string;
  readonly tenant: string;
  readonly caseType: string;
  readonly businessKey: string | null;
  readonly startedAt: number;
  readonly definitionVersion: number;
  readonly revision: number;
  readonly storedState: StoredState;
  readonly reading: Reading;
  /** Since when it stands as it does: the claim, or the last entry of its journal. */
  readonly sinceAt: number;
  readonly dueAt: number | null;
  readonly holding: Holding | null;
  /** False when no definition of it is loaded here. */
  readonly isDefinitionLoaded: boolean;
  readonly confirmedSteps: number;
  readonly openReviews: number;
  /** Whose it is; null = nobody's in particular. */
  readonly assignee: Assignee | null;
  /** The case that started it, and by which step; null = none did. */
  readonly parent: ParentView | null;
  /** What lists find it by, beside its business key: values of attributes, and tags. */
  readonly search: readonly SearchValue[];
}

/** A step and where it stands. */
export interface StepView {
  readonly step: string;
  readonly standing: Standing["kind"];
  readonly attemptsInRound: number;
  readonly round: number;
  readonly review: Review | null;
  /** Earliest time at which the engine itself may send, check or probe for it; null = only after a fact or a person's act. */
  readonly nextCheckAllowedAt: number | null;
}

/** A wait, with who ends it. */
export interface WaitView {
  readonly step: string;
  readonly kind: Wait["kind"];
  readonly sentence: string;
  readonly actsNext: string;
  readonly dueAt: number | null;
  /** Who may answer, in one sentence; null where nobody is asked, or the right to approve alone decides. */
  readonly mayAnswer: string | null;
}

/** One try under an intent. */
export interface AttemptView {
  readonly step: string;
  readonly attempt: number;
  readonly intentVersion: number;
  readonly idempotencyKey: string;
  readonly fencingToken: number;
  readonly openedAt: number;
  readonly sendDeadlineAt: number;
  readonly by: string;
  readonly outcome: Attempt["outcome"]["kind"];
  /** Whether it happened. */
  readonly executed: Executed;
  readonly sentence: string;
  /** What it really sent; null where nothing was metered. */
  readonly requests: RequestsView | null;
}

/** What an attempt really sent. */
export interface RequestsView {
  /** Requests that left, or may have left. */
  readonly sent: number;
  /** How many of them a client made again by itself. */
  readonly repeats: number;
  /** True where there may have been more. */
  readonly isAtLeast: boolean;
  /** "attempt 2 of 5 sent 3 requests". */
  readonly sentence: string;
  /** What that says about the client, each with the setting that turns it off. */
  readonly findings: readonly { readonly code: WireFindingCode; readonly sentence: string }[];
}

/** The last failure of the case, or of one of its steps. */
export interface LastErrorView {
  readonly step: string;
  readonly attempt: number;
  readonly at: number;
  readonly failure: Failure;
}

/** One entry of the history. */
export interface HistoryEntry {
  readonly revision: number;
  readonly at: number;
  readonly kind: EntryKind;
  readonly by: Actor | null;
  readonly sentence: string;
}

/** An open repair. */
export interface RepairView {
  readonly by: Actor;
  readonly openedAt: number;
  /** Events that came since; they are applied when the repair ends. */
  readonly attached: CaseState["events"];
}

/** Everything about one case. Times are epoch ms. */
export interface CaseView extends CaseLine {
  readonly now: number;
  readonly startedBy: Actor;
  /** When work on it may begin: its start, or later where it was started for later. */
  readonly beginsAt: number;
  readonly priority: Priority;
  readonly definition: DefinitionStanding;
  readonly input: Json;
  /** The input before corrections; equal to `input` where there was none. */
  readonly originalInput: Json;
  readonly confirmed: readonly ConfirmedAction[];
  readonly steps: readonly StepView[];
  /** The standing steps with no standing successor; null where the definition is not loaded. */
  readonly foothold: readonly string[] | null;
  readonly waits: readonly WaitView[];
  /** The cases that it started, as far as they told it; at most 200, those that wait for people first. */
  readonly children: readonly ChildView[];
  readonly reviews: readonly Review[];
  readonly lastError: LastErrorView | null;
  readonly attempts: readonly AttemptView[];
  /** Those that prerequisites and waits see. */
  readonly events: CaseState["events"];
  /** Who has it open for repair; null = nobody. */
  readonly repair: RepairView | null;
  /** Claims lost in a row with an attempt open. */
  readonly losses: number;
  /** What a person asked of the holder and it has not carried out yet. */
  readonly requested: readonly ("cancel" | "pause")[];
  /** What a pick-up would do now, from recorded answers; null where the definition is not loaded. */
  readonly plan: PlanView | null;
  readonly moves: readonly MoveView[];
  readonly history: readonly HistoryEntry[];
  /** Older entries of the history that this view leaves out. */
  readonly historyLeftOut: number;
}

/** What a line of a list is made of. */
export interface LineInput {
  readonly row: StoredRow;
  readonly holders: readonly StoredHolder[];
  readonly isDefinitionLoaded: boolean;
  /** What is known of destinations, where the case waits for one. */
  readonly destinations?: ReadingInput["destinations"] | undefined;
  /** What is known of its key, where that holds it back. */
  readonly key?: ReadingInput["key"] | undefined;
  readonly now: number;
  readonly formatTime: FormatTime;
}

/** One case in a list. */
export function viewLine(input: LineInput): CaseLine {
  const { row, holders, isDefinitionLoaded, destinations, key, now, formatTime } = input;
  const { state, dueAt, summary, claim, heldSinceAt } = row;
  const holder = holders.find(({ holderId }) => holderId === claim?.holderId) ?? null;
  return {
    caseId: row.caseId,
    tenant: row.tenant,
    caseType: row.caseType,
    businessKey: row.businessKey,
    startedAt: row.startedAt,
    definitionVersion: row.definitionVersion,
    revision: row.revision,
    storedState: state,
    reading: readState({
      state,
      dueAt,
      summary,
      claim,
      holder,
      now,
      ...(destinations === undefined ? {} : { destinations }),
      ...(heldSinceAt === undefined ? {} : { heldSinceAt }),
      ...(key === undefined ? {} : { key }),
    }),
    sinceAt: claim?.claimedAt ?? row.changedAt,
    dueAt,
    holding: holdingOf(row, holders, now, formatTime),
    isDefinitionLoaded,
    confirmedSteps: summary.confirmed,
    openReviews: summary.reviews.length,
    assignee: summary.assignee ?? null,
    parent: summary.parent ?? null,
    search: summary.search ?? [],
  };
}

/** What a view is made of. */
export interface CaseViewInput {
  readonly stored: StoredCase;
  readonly state: CaseState;
  readonly holders: readonly StoredHolder[];
  readonly definition: DefinitionStanding;
  /** Null where the definition is not loaded. */
  readonly inputs: PlanInputs | null;
  /** Makes the plan's input for another state of the case; never called where the definition is not loaded. */
  readonly inputFor: (state: CaseState) => PlanInput;
  /** True for the holder of the open repair: the claim is theirs. */
  readonly isOwnRepair: boolean;
  /** Tells what a step would send now. */
  readonly fingerprintNow: (step: SendStepOutline) => string | null;
  readonly makeRequest: MakesRequest;
  /** What is known of destinations, where the case waits for one. */
  readonly destinations?: ReadingInput["destinations"] | undefined;
  /** What is known of its key, where that holds it back. */
  readonly key?: ReadingInput["key"] | undefined;
  /** What the person who looks has the right to. */
  readonly hasRight: HasRight;
  /** Who stands behind the names of owners that approvals are asked of. */
  readonly named: OwnersNamed;
  /** Judges whether they may answer an approval, whatever the case allows. */
  readonly judgeApprover: JudgeApprover;
  readonly now: number;
  readonly formatTime: FormatTime;
}

/** Everything about one case. */
export function viewCase(input: CaseViewInput): CaseView {
  const { stored, state, inputs, formatTime, now } = input;
  const { row, journal } = stored;
  const standings = standingsOf(state, inputs?.now ?? null);
  const attention = attentionOf(input);
  const { makeRequest } = input;
  const plan = inputs === null ? null : viewPlan(inputs, { formatTime, makeRequest, attention });
  const line = viewLine({
    row,
    holders: input.holders,
    isDefinitionLoaded: input.definition.kind === "loaded",
    destinations: input.destinations,
    key: input.key,
    now,
    formatTime,
  });
  return {
    ...line,
    now,
    beginsAt: state.beginsAt,
    priority: state.priority,
    startedBy: state.startedBy,
    definition: input.definition,
    input: state.input,
    originalInput: state.originalInput,
    confirmed: confirmedActions(state, standings, formatTime),
    steps: [...standings].map(([step, standing]) => viewStep(input, step, standing, attention)),
    foothold: plan?.foothold ?? null,
    waits: row.summary.waits.map((wait) => viewWait(wait, input)),
    children: viewChildren(state),
    reviews: row.summary.reviews,
    lastError: failuresOf(state).at(0) ?? null,
    attempts: attemptsOf(state, inputs?.now.outline ?? null),
    events: state.events,
    repair: viewRepair(state),
    losses: state.losses,
    requested: [
      ...(state.cancelRequest === null ? [] : (["cancel"] as const)),
      ...(state.pauseRequest === null ? [] : (["pause"] as const)),
    ],
    plan,
    moves: viewMoves({ ...input, row, planInput: inputs?.now ?? null }),
    history: journal.slice(-HISTORY_ENTRIES_MAX).map((one) => viewEntry(one, formatTime)),
    historyLeftOut: Math.max(0, journal.length - HISTORY_ENTRIES_MAX),
  };
}

function viewRepair({ repair }: CaseState): RepairView | null {
  if (repair === null) return null;
  const { by, openedAt, attached } = repair;
  return { by, openedAt, attached };
}

/** Standing by step; without the definition, as far as the journal alone tells. */
function standingsOf(state: CaseState, planInput: PlanInput | null): ReadonlyMap<string, Standing> {
  if (planInput !== null) {
    return new Map(planCase(planInput).steps.map(({ step, standing }) => [step.name, standing]));
  }
  return new Map(
    Object.entries(state.steps).map(([step, { confirmation, lapse }]): [string, Standing] => {
      if (confirmation === null) return [step, { kind: "open" }];
      return [step, lapse === null ? { kind: "stands" } : { kind: "lapsed", because: lapse }];
    }),
  );
}

/** Who may look at the case next. */
export function attentionOf({
  stored,
  state,
}: Pick<CaseViewInput, "stored" | "state">): "worker" | "page" | "nobody" {
  const { claim } = stored.row;
  if (claim === null) return "nobody";
  return repairUnder(state, claim.claimId) === null ? "worker" : "page";
}

function viewStep(
  { state, inputs, now }: CaseViewInput,
  step: string,
  standing: Standing,
  attention: "worker" | "page" | "nobody",
): StepView {
  const { round, review, notBefore } = stepOf(state, step);
  const pickUp = pickUpAt(state, attention, now);
  const checks = inputs === null ? null : nextChecks(inputs.now, planCase(inputs.now), pickUp);
  // Without the definition only the journal tells, and a worker that has it may know better.
  const unplanned = pickUp === null || review !== null ? null : Math.max(pickUp, notBefore ?? 0);
  return {
    step,
    standing: standing.kind,
    attemptsInRound: round.attempts,
    round: round.number,
    review,
    nextCheckAllowedAt: checks === null ? unplanned : (checks.get(step) ?? null),
  };
}

function viewWait(wait: Wait, { named, now, formatTime }: CaseViewInput): WaitView {
  const { step, kind, dueAt } = wait;
  return {
    step,
    kind,
    sentence: `${step} ${sayWait(wait, formatTime)}`,
    actsNext: waitsFor(wait, now),
    dueAt,
    mayAnswer: wait.kind === "approval" ? sayMayAnswer(named, wait, now) : null,
  };
}

/** The last failure of each step that had one, the newest first. */
export function failuresOf(state: CaseState): readonly LastErrorView[] {
  return Object.entries(state.steps)
    .flatMap(([step, { lastFailure }]) =>
      lastFailure === null
        ? []
        : [{ step, attempt: lastFailure.attempt, at: lastFailure.at, failure: lastFailure.failure }],
    )
    .toSorted((one, other) => other.at - one.at);
}

function attemptsOf(state: CaseState, outline: CaseOutline | null): readonly AttemptView[] {
  return Object.entries(state.steps)
    .flatMap(([step, { intent }]) => {
      const attemptsMax = attemptsMaxOf(outline, step);
      return intent?.attempts.map((attempt) => viewAttempt(step, intent, attempt, attemptsMax)) ?? [];
    })
    .toSorted((a, b) => a.fencingToken - b.fencingToken);
}

function attemptsMaxOf(outline: CaseOutline | null, name: string): number | null {
  const step = outline === null ? null : findStep(outline, name);
  return step?.kind === "step" ? step.destination.retry.maxAttempts : null;
}

function viewAttempt(
  step: string,
  intent: Intent,
  attempt: Attempt,
  attemptsMax: number | null,
): AttemptView {
  return {
    step,
    attempt: attempt.number,
    intentVersion: intent.version,
    idempotencyKey: intent.idempotencyKey,
    fencingToken: attempt.fencingToken,
    openedAt: attempt.openedAt,
    sendDeadlineAt: attempt.sendDeadlineAt,
    by: attempt.holder.name,
    outcome: attempt.outcome.kind,
    ...readOutcome(attempt.outcome),
    requests: viewRequests(attempt, attemptsMax),
  };
}

function viewRequests({ number, wire }: Attempt, attemptsMax: number | null): RequestsView | null {
  if (wire === undefined) return null;
  const { requests, repeats, isAtLeast, findings } = wire;
  // Numbers run on through later rounds.
  const isInFirstRound = attemptsMax !== null && number <= attemptsMax;
  const which = isInFirstRound ? `attempt ${number} of ${attemptsMax}` : `attempt ${number}`;
  const count = `${isAtLeast ? "at least " : ""}${requests} ${requests === 1 ? "request" : "requests"}`;
  return {
    sent: requests,
    repeats,
    isAtLeast,
    sentence: `${which} sent ${count}`,
    findings: findings.map((one) => ({ code: one.code, sentence: sayFinding(one) })),
  };
}

function readOutcome(outcome: Attempt["outcome"]): Pick<AttemptView, "executed" | "sentence"> {
  switch (outcome.kind) {
    case "open":
      return { executed: "maybe", sentence: "Nothing is known since it was sent or about to be sent." };
    case "failed":
      return { executed: outcome.failure.executed, sentence: outcome.failure.sentence };
    case "provedNotExecuted":
      return {
        executed: "no",
        sentence: "The destination was asked: it did not happen, and cannot any more.",
      };
    case "reportedLate":
      return { executed: "yes", sentence: "A worker that had lost its claim reports that it took effect." };
    case "confirmed":
      return { executed: "yes", sentence: "It took effect." };
    case "started":
      return { executed: "yes", sentence: "It started a case, which tells of its end." };
    default:
      return unreachable(outcome, "attempt outcome");
  }
}

function viewEntry({ revision, at, entry }: JournalEntry, formatTime: FormatTime): HistoryEntry {
  return { revision, at, kind: entry.kind, by: actorOf(entry), sentence: sayEntry(entry, formatTime) };
}
