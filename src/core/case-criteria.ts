/**
 * Which cases a list shows: one pure function over a row. The PostgreSQL store says the same in SQL, with the words of
 * states from the tables here, and a test holds the two equal.
 */

import type { Claim } from "./claim.ts";
import type { FailureKind } from "./failure.ts";
import type { ReviewReason } from "./journal.ts";
import { ownersAsked, type Wait } from "./waits.ts";
import { isOverdue } from "./needs.ts";
import { nameWithoutKey } from "./part-name.ts";
import type { CaseSummary, StoredState } from "./row.ts";
import { meetsSought, type SoughtValue } from "./sought.ts";
import { readState, type Holder, type ReadableState } from "./state.ts";

/** Tenants and case types that somebody may see; null = all of them. */
export interface VisibleCases {
  readonly tenants: readonly string[] | null;
  readonly caseTypes: readonly string[] | null;
}

/** A step of a case type. */
export interface StepOfType {
  readonly caseType: string;
  /** Null = none: the case is under way between two steps, due, paused or ended. */
  readonly step: string | null;
}

/** What a case must meet; whatever is left out is met by every case. */
export interface CaseCriteria {
  readonly tenant?: string;
  readonly caseType?: string;
  readonly states?: readonly StoredState[];
  /** Only cases that have an open review, in whatever state. */
  readonly withReview?: boolean;
  readonly businessKey?: string;
  /** Only cases that this one started. */
  readonly parentId?: string;
  /** States as people read them. */
  readonly readable?: readonly ReadableState[];
  /** Only cases with a move that waits for a second person. */
  readonly awaitsSecond?: boolean;
  /** Who has to act on a review or to answer an approval. */
  readonly owner?: string;
  /** Cases that wait, are in review or have an outcome unsettled at one of these steps, or at a key of one. */
  readonly atSteps?: readonly StepOfType[];
  /** Kind of the last failure that is not overcome. */
  readonly failureKind?: FailureKind;
  /** Nothing was written to the case since, epoch ms. */
  readonly unchangedSinceAt?: number;
  /** Part of the case id, the business key or a sentence; A to Z count as a to z. */
  readonly text?: string;
  /** Values of search attributes and tags: all of these. */
  readonly search?: readonly SoughtValue[];
  /** Whose it is, by the id that it was given to: one of these; null = nobody's in particular. */
  readonly assignees?: readonly (string | null)[];
  /** Only cases that have not ended, or have an open review all the same. */
  readonly isOpen?: boolean;
  /** Only cases with an open review, or a wait for an approval or for access. */
  readonly needsPeople?: boolean;
  /** Only cases that a person was due to deal with, and nobody does; what has no due time is due so long after it began. */
  readonly overdueAfterMs?: number;
  /** What whoever asks may see: at least one of these. */
  readonly visible?: readonly VisibleCases[];
}

/** What a case is judged by. */
export interface JudgedRow {
  readonly caseId: string;
  readonly tenant: string;
  readonly caseType: string;
  readonly businessKey: string | null;
  readonly state: StoredState;
  readonly dueAt: number | null;
  readonly heldSinceAt?: number;
  readonly changedAt: number;
  readonly summary: CaseSummary;
  readonly claim: Claim | null;
}

/**
 * True if the case meets all of them. `holder` is that of its claim; null where nobody knows it. `secondUntilAt`: until when a
 * move of it waits for a second person; null = none does.
 */
export function meetsCriteria(
  row: JudgedRow,
  criteria: CaseCriteria,
  seen: { readonly holder: Holder | null; readonly now: number; readonly secondUntilAt: number | null },
): boolean {
  return (
    meetsColumns(row, criteria) &&
    meetsSummary(row, criteria, seen.now) &&
    meetsPeople(row, criteria, seen.now) &&
    (criteria.awaitsSecond !== true || (seen.secondUntilAt !== null && seen.secondUntilAt > seen.now)) &&
    (criteria.visible === undefined || criteria.visible.some((one) => isVisible(row, one))) &&
    (criteria.readable === undefined || criteria.readable.includes(readState({ ...row, ...seen }).state))
  );
}

function meetsColumns(row: JudgedRow, criteria: CaseCriteria): boolean {
  const { tenant, caseType, states, businessKey, parentId, unchangedSinceAt } = criteria;
  return (
    (tenant === undefined || row.tenant === tenant) &&
    (caseType === undefined || row.caseType === caseType) &&
    (states === undefined || states.includes(row.state)) &&
    (businessKey === undefined || row.businessKey === businessKey) &&
    (parentId === undefined || row.summary.parent?.caseId === parentId) &&
    (unchangedSinceAt === undefined || row.changedAt <= unchangedSinceAt)
  );
}

function meetsSummary(row: JudgedRow, criteria: CaseCriteria, now: number): boolean {
  const { withReview, owner, atSteps, failureKind, text, search } = criteria;
  const { reviews, lastFailure, search: values = [] } = row.summary;
  const steps = stepsStoodAt(row.summary);
  return (
    (withReview !== true || reviews.length > 0) &&
    (owner === undefined || ownersOf(row.summary, now).includes(owner)) &&
    (atSteps === undefined ||
      atSteps.some(
        ({ caseType, step }) =>
          caseType === row.caseType && (step === null ? steps.size === 0 : steps.has(step)),
      )) &&
    (failureKind === undefined || lastFailure?.kind === failureKind) &&
    (search === undefined || search.every((sought) => meetsSought(values, sought))) &&
    (text === undefined || textsOf(row).some((one) => lowered(one).includes(lowered(text))))
  );
}

function meetsPeople(row: JudgedRow, criteria: CaseCriteria, now: number): boolean {
  const { assignees, isOpen, needsPeople, overdueAfterMs } = criteria;
  const { state, summary } = row;
  const hasReview = summary.reviews.length > 0;
  return (
    (assignees?.includes(summary.assignee?.id ?? null) ?? true) &&
    (isOpen !== true || hasReview || (state !== "done" && state !== "canceled")) &&
    (needsPeople !== true || hasReview || summary.waits.some(isForPeople)) &&
    (overdueAfterMs === undefined || isOverdue(row, { now, dueAfterMs: overdueAfterMs }))
  );
}

function isForPeople({ kind }: Wait): boolean {
  return kind === "approval" || kind === "access";
}

/** The steps that a case waits at, is in review at or has an outcome unsettled at; one of a key as its definition names it. */
export function stepsStoodAt({ reviews, waits, unsettled }: CaseSummary): ReadonlySet<string> {
  return new Set(
    [...reviews.map(({ step }) => step), ...waits.map(({ step }) => step), ...unsettled].map(nameWithoutKey),
  );
}

function ownersOf({ reviews, waits }: CaseSummary, now: number): readonly string[] {
  return [
    ...reviews.map(({ owner }) => owner),
    ...waits.flatMap((wait) => {
      if (wait.kind === "approval") return ownersAsked(wait, now);
      return wait.kind === "access" ? [wait.owner] : [];
    }),
  ];
}

function textsOf({ caseId, businessKey, summary }: JudgedRow): readonly string[] {
  return [
    caseId,
    ...(businessKey === null ? [] : [businessKey]),
    ...summary.reviews.map(({ sentence }) => sentence),
    ...(summary.lastFailure === null ? [] : [summary.lastFailure.sentence]),
  ];
}

/** Of A to Z alone: no two systems agree on all other letters. */
function lowered(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function isVisible({ tenant, caseType }: JudgedRow, { tenants, caseTypes }: VisibleCases): boolean {
  return (tenants?.includes(tenant) ?? true) && (caseTypes?.includes(caseType) ?? true);
}

/** What people read where the first open review has this reason. */
export const REVIEW_WORDS: Readonly<Record<ReviewReason, ReadableState>> = {
  rejected: "Needs correction",
  denied: "Needs access",
  quota: "Needs access",
  unknown: "Outcome unknown",
  limit: "Needs review",
  conflict: "Needs review",
  gone: "Needs review",
  bug: "Needs review",
  precondition: "Needs review",
  lapsed: "Needs review",
  unreadable: "Needs review",
  poison: "Needs review",
  refused: "Needs review",
  expired: "Needs review",
  mayExistTwice: "Needs review",
  staysOutside: "Needs review",
};

/** What people read where the wait that ends first is of this kind. */
export const WAIT_WORDS: Readonly<Record<Wait["kind"], ReadableState>> = {
  retry: "Will retry",
  check: "Outcome unknown",
  probe: "Waiting until",
  approval: "Waiting for approval",
  event: "Waiting for event",
  child: "Waiting for child",
  timer: "Waiting until",
  poll: "Waiting until",
  held: "Held back",
  access: "Needs access",
};
