/**
 * The row of a case: what must be claimed, searched or listed without reading its journal. It follows from the journal
 * alone; a claim lies over it and does not.
 */

import type { CaseState, Rest } from "./case-state.ts";
import type { Erasure } from "./erasure.ts";
import type { FailureKind, Executed } from "./failure.ts";
import type { Assignee, Review } from "./journal.ts";
import type { Wait } from "./waits.ts";
import { isLeftOutside, undoingOf } from "./outside.ts";
import { problemsOf, type Problem } from "./problems.ts";
import { searchValuesOf, type SearchValue } from "./search-values.ts";
import { isSettled } from "./settled.ts";
import { storableText } from "./storable-text.ts";

/** Characters of one text in a summary; the journal holds it whole. */
const SUMMARY_TEXT_CHARS_MAX = 1_000;

/** Stored states. There is no `failed` and no `processing`. */
export type StoredState = "ready" | "claimed" | "waiting" | "paused" | "in_review" | "done" | "canceled";

/** The state of a case without its claim. */
export type RestingState = Exclude<StoredState, "claimed">;

/** The last failure of a step that is not confirmed yet, short enough for a list. */
interface FailureSummary {
  readonly step: string;
  readonly attempt: number;
  readonly at: number;
  readonly kind: FailureKind;
  readonly executed: Executed;
  readonly sentence: string;
}

/** What a list shows of a case beside its columns. Its texts are bounded and fit for storage, whoever wrote them. */
export interface CaseSummary {
  /** Steps confirmed and not found lapsed. */
  readonly confirmed: number;
  readonly waits: readonly Wait[];
  readonly reviews: readonly Review[];
  /** What the reviews have in common with those of other cases; left out where there is none. */
  readonly problems?: readonly Problem[];
  /** Steps with an attempt of which nobody knows whether it was executed. */
  readonly unsettled: readonly string[];
  readonly lastFailure: FailureSummary | null;
  /** Claims lost in a row with an attempt open. */
  readonly losses: number;
  readonly isRepaired: boolean;
  /** How many of all effects are undone, or said to stay outside; left out where the case is not being canceled. */
  readonly undoing?: { readonly undone: number; readonly of: number };
  /** The case that started it, and by which step; left out where none did. */
  readonly parent?: { readonly caseId: string; readonly step: string };
  /** What it can be found by; left out where there is nothing. */
  readonly search?: readonly SearchValue[];
  /** What limits how many of its type are worked on at once; left out where nothing does. */
  readonly concurrencyKey?: string;
  /** Whose it is; left out = nobody's in particular. */
  readonly assignee?: Assignee;
  /** Left out where its data was not erased. */
  readonly erased?: Erasure;
  /** Who has it open for repair, and how many events came meanwhile; null = nobody has. */
  readonly repair: { readonly name: string; readonly events: number } | null;
  /** Who paused or canceled it and why. */
  readonly stoppedBy: {
    readonly name: string;
    readonly reason: string | null;
    readonly untilAt: number | null;
  } | null;
}

/** The columns that follow from the journal. */
export interface RestingRow {
  readonly state: RestingState;
  /** When the case must be looked at; null = only a fact or a person moves it. */
  readonly dueAt: number | null;
  readonly revision: number;
  readonly changedAt: number;
  /** A worker with a lower one cannot claim the case (R12). */
  readonly definitionVersion: number;
  readonly summary: CaseSummary;
}

/** The row that a state calls for. */
export function rowOf(state: CaseState): RestingRow {
  return {
    state: state.rest.kind,
    dueAt: dueAtOf(state.rest),
    revision: state.revision,
    changedAt: state.changedAt,
    definitionVersion: state.definitionVersion,
    summary: summarize(state),
  };
}

function dueAtOf(rest: Rest): number | null {
  switch (rest.kind) {
    case "ready":
    case "waiting":
      return rest.dueAt;
    case "paused":
      return rest.untilAt;
    case "in_review":
    case "done":
    case "canceled":
      return null;
  }
}

function summarize(state: CaseState): CaseSummary {
  const steps = Object.entries(state.steps);
  return {
    confirmed: steps.filter(([, step]) => step.confirmation !== null && step.lapse === null).length,
    waits: state.rest.kind === "waiting" ? state.rest.waits.map(storableWait) : [],
    reviews: steps.flatMap(([, step]) => (step.review === null ? [] : [storableReview(step.review)])),
    ...withProblems(state),
    unsettled: steps
      .filter(
        ([name, { intent, confirmation }]) =>
          intent !== null && !isSettled(intent, confirmation) && !isLeftOutside(state, name),
      )
      .map(([name]) => name),
    lastFailure: lastFailureOf(state),
    losses: state.losses,
    isRepaired: state.repaired,
    ...withUndoing(state),
    ...withParent(state),
    ...withSearch(state),
    ...(state.concurrencyKey === null ? {} : { concurrencyKey: state.concurrencyKey }),
    ...(state.assignee === null ? {} : { assignee: storableAssignee(state.assignee) }),
    ...(state.erased === undefined ? {} : { erased: storableErasure(state.erased) }),
    repair:
      state.repair === null
        ? null
        : { name: storable(state.repair.by.name), events: state.repair.attached.length },
    stoppedBy: stoppedBy(state.rest),
  };
}

function withProblems(state: CaseState): Pick<CaseSummary, "problems"> {
  const problems = problemsOf(state);
  return problems.length === 0 ? {} : { problems };
}

function withUndoing(state: CaseState): Pick<CaseSummary, "undoing"> {
  const undoing = undoingOf(state);
  return undoing === null ? {} : { undoing };
}

function withParent({ parent }: CaseState): Pick<CaseSummary, "parent"> {
  return parent === null ? {} : { parent: { caseId: parent.caseId, step: parent.step } };
}

function withSearch(state: CaseState): Pick<CaseSummary, "search"> {
  const search = searchValuesOf(state);
  return search.length === 0 ? {} : { search };
}

function lastFailureOf(state: CaseState): FailureSummary | null {
  const failures = Object.entries(state.steps).flatMap(([step, { lastFailure, confirmation }]) =>
    // What was overcome is history.
    lastFailure === null || confirmation !== null ? [] : [{ step, ...lastFailure }],
  );
  const last = failures.reduce<(typeof failures)[number] | null>(
    (latest, one) => (latest === null || one.at >= latest.at ? one : latest),
    null,
  );
  if (last === null) return null;
  const { step, attempt, at, failure } = last;
  const { kind, executed, sentence } = failure;
  return { step, attempt, at, kind, executed, sentence: storable(sentence) };
}

function stoppedBy(rest: Rest): CaseSummary["stoppedBy"] {
  switch (rest.kind) {
    case "paused":
      return { name: storable(rest.by.name), reason: storableOrNull(rest.reason), untilAt: rest.untilAt };
    case "canceled":
      return { name: storable(rest.by.name), reason: storableOrNull(rest.reason), untilAt: null };
    case "ready":
    case "waiting":
    case "in_review":
    case "done":
      return null;
  }
}

function storable(text: string): string {
  return storableText(text, SUMMARY_TEXT_CHARS_MAX);
}

function storableOrNull(text: string | null): string | null {
  return text === null ? null : storable(text);
}

function storableAssignee({ id, label }: Assignee): Assignee {
  return { id: storable(id), label: storable(label) };
}

function storableErasure({ at, by, reason }: Erasure): Erasure {
  return { at, by: storable(by), reason: storable(reason) };
}

function storableReview(review: Review): Review {
  return { ...review, sentence: storable(review.sentence), owner: storable(review.owner) };
}

function storableWait(wait: Wait): Wait {
  switch (wait.kind) {
    case "probe":
      return { ...wait, condition: storable(wait.condition), why: storable(wait.why) };
    case "poll":
      return { ...wait, why: storable(wait.why) };
    case "approval":
      return {
        ...wait,
        by: storable(wait.by),
        ...(wait.escalation === undefined
          ? {}
          : { escalation: { ...wait.escalation, to: storable(wait.escalation.to) } }),
      };
    case "event":
      return {
        ...wait,
        eventType: storable(wait.eventType),
        ...(wait.orTypes === undefined ? {} : { orTypes: wait.orTypes.map(storable) }),
      };
    case "access":
      return { ...wait, owner: storable(wait.owner) };
    case "retry":
    case "check":
    case "timer":
    case "held":
    case "child":
      return wait;
  }
}

/** The claimable rule; the claim statement says the same in SQL and a test keeps the two equal. */
export function isClaimable(
  row: { readonly state: StoredState; readonly dueAt: number | null },
  now: number,
): boolean {
  const takesTurns = row.state === "ready" || row.state === "waiting" || row.state === "paused";
  return takesTurns && row.dueAt !== null && row.dueAt <= now;
}
