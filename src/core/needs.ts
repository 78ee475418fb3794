/**
 * What people are needed for: open reviews, waits for access and waits for approval, counted by who has to act on what.
 * The PostgreSQL store counts the same in SQL, and a test holds the two equal.
 */

import type { Review, ReviewReason } from "./journal.ts";
import { lastReminderAt, ownersAsked, type Wait } from "./waits.ts";
import type { CaseSummary, StoredState } from "./row.ts";
import type { Problem } from "./problems.ts";

/** Who is needed for what. */
export interface Need {
  /** As destinations, case types and approvals name them. */
  readonly owner: string;
  readonly kind: "review" | "access" | "approval";
  /** Of a review; null for waits. */
  readonly reason: ReviewReason | null;
  readonly caseType: string;
  readonly step: string;
  /** Where the step sent to, or is kept from sending to; null where it has not sent. */
  readonly destination: string | null;
  /** Of a wait for access; null for the others, whose rows do not tell it. */
  readonly credentialId: string | null;
}

/** How many cases have a need. Times are epoch ms; those of `open` and `overdue` are of cases that nobody deals with yet. */
export interface NeedCount extends Need {
  /** Cases that are paused, or that somebody has open for repair. */
  readonly held: number;
  /** Cases that nobody deals with yet. Null = there is none. */
  readonly open: {
    readonly cases: number;
    /** Different causes, as problems tell them apart. */
    readonly causes: number;
    readonly firstSinceAt: number;
    readonly lastSinceAt: number;
    /** When the first of them is or was due. */
    readonly firstDueAt: number;
    /** When the engine itself may go on with the first of them; null = only after a person acted. */
    readonly nextCheckAllowedAt: number | null;
    /** When their owner was last to be reminded of one of them by now; null = of none. */
    readonly lastRemindAt: number | null;
    /** One of them. */
    readonly caseId: string;
  } | null;
  /** Those of `open` whose time is over; null = none. */
  readonly overdue: { readonly cases: number; readonly lastDueAt: number } | null;
}

/** A row, as far as needs are read from it. */
export interface NeedRow {
  readonly caseId: string;
  readonly caseType: string;
  readonly state: StoredState;
  readonly changedAt: number;
  readonly summary: Pick<CaseSummary, "reviews" | "problems" | "waits" | "repair">;
}

/** When needs count as overdue. */
export interface NeedTimes {
  readonly now: number;
  /** How long after a need began it is due, where nothing says when, in ms. */
  readonly dueAfterMs: number;
}

/** One need of one case. */
interface NeedOfCase {
  readonly need: Need;
  readonly caseId: string;
  readonly cause: string | null;
  readonly sinceAt: number;
  readonly dueAt: number;
  readonly nextCheckAllowedAt: number | null;
  readonly remindAt: number | null;
  readonly isHeld: boolean;
}

/** Counts the needs of rows, in the order of their keys. */
export function countNeeds(rows: Iterable<NeedRow>, times: NeedTimes): readonly NeedCount[] {
  const groups = new Map<string, { readonly need: Need; readonly cases: NeedOfCase[] }>();
  for (const row of rows) {
    for (const one of needsOf(row, times)) {
      const key = needKey(one.need);
      const group = groups.get(key) ?? { need: one.need, cases: [] };
      group.cases.push(one);
      groups.set(key, group);
    }
  }
  return [...groups]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, { need, cases }]) => countGroup(need, cases, times.now));
}

/** True if somebody should have dealt with the case by now, and nobody does: it is not paused, nor open for repair. */
export function isOverdue(row: NeedRow, times: NeedTimes): boolean {
  return needsOf(row, times).some(({ isHeld, dueAt }) => !isHeld && dueAt <= times.now);
}

/** What tells needs apart, in one text. */
export function needKey({ owner, kind, reason, caseType, step, destination, credentialId }: Need): string {
  return JSON.stringify([owner, kind, reason, caseType, step, destination, credentialId]);
}

function countGroup(need: Need, cases: readonly NeedOfCase[], now: number): NeedCount {
  const open = cases.filter(({ isHeld }) => !isHeld);
  const overdue = open.filter(({ dueAt }) => dueAt <= now);
  return {
    ...need,
    held: casesOf(cases.filter(({ isHeld }) => isHeld)),
    open: open.length === 0 ? null : countOpen(open),
    overdue:
      overdue.length === 0
        ? null
        : { cases: casesOf(overdue), lastDueAt: greatest(overdue.map(({ dueAt }) => dueAt)) },
  };
}

function countOpen(open: readonly NeedOfCase[]): NonNullable<NeedCount["open"]> {
  const since = open.map(({ sinceAt }) => sinceAt);
  const checks = open.flatMap(({ nextCheckAllowedAt: at }) => (at === null ? [] : [at]));
  const reminders = open.flatMap(({ remindAt }) => (remindAt === null ? [] : [remindAt]));
  return {
    cases: casesOf(open),
    causes: new Set(open.flatMap(({ cause }) => (cause === null ? [] : [cause]))).size,
    firstSinceAt: least(since),
    lastSinceAt: greatest(since),
    firstDueAt: least(open.map(({ dueAt }) => dueAt)),
    nextCheckAllowedAt: checks.length === 0 ? null : least(checks),
    lastRemindAt: reminders.length === 0 ? null : greatest(reminders),
    caseId: open.map(({ caseId }) => caseId).reduce((one, other) => (other < one ? other : one)),
  };
}

function least(times: readonly number[]): number {
  return times.reduce((one, other) => Math.min(one, other));
}

function greatest(times: readonly number[]): number {
  return times.reduce((one, other) => Math.max(one, other));
}

function casesOf(group: readonly NeedOfCase[]): number {
  return new Set(group.map(({ caseId }) => caseId)).size;
}

function needsOf(row: NeedRow, times: NeedTimes): readonly NeedOfCase[] {
  const { caseId, caseType, changedAt, state, summary } = row;
  const isHeld = state === "paused" || summary.repair !== null;
  const reviews = summary.reviews.map((review) => {
    const problem = summary.problems?.find(({ step }) => step === review.step);
    return { ...needOfReview(review, caseType, problem, changedAt, times), caseId, isHeld };
  });
  const waits = summary.waits.flatMap((wait) =>
    needsOfWait(wait, row, times.now).map(({ sinceAt, ...one }): NeedOfCase => {
      const dueAt = sinceAt + times.dueAfterMs;
      return { ...one, caseId, isHeld, cause: null, sinceAt, dueAt, nextCheckAllowedAt: null };
    }),
  );
  return [...reviews, ...waits];
}

function needOfReview(
  { step, reason, owner, window, nextCheckAllowedAt }: Review,
  caseType: string,
  problem: Problem | undefined,
  changedAt: number,
  { dueAfterMs }: NeedTimes,
): Omit<NeedOfCase, "caseId" | "isHeld"> {
  const destination = problem?.destination ?? null;
  const sinceAt = problem?.sinceAt ?? changedAt;
  return {
    need: { owner, kind: "review", reason, caseType, step, destination, credentialId: null },
    cause: problem?.cause ?? null,
    sinceAt,
    dueAt: window?.dueAt ?? sinceAt + dueAfterMs,
    nextCheckAllowedAt,
    remindAt: null,
  };
}

function needsOfWait(
  wait: Wait,
  { caseType, changedAt }: NeedRow,
  now: number,
): readonly Pick<NeedOfCase, "need" | "sinceAt" | "remindAt">[] {
  const { kind, step } = wait;
  if (kind === "approval") {
    const about = { kind, reason: null, caseType, step, destination: null, credentialId: null };
    const remindAt = lastReminderAt(wait, now);
    const escalatedAt = wait.escalation?.at ?? changedAt;
    return ownersAsked(wait, now).map((owner, index) => ({
      need: { owner, ...about },
      sinceAt: index === 0 ? changedAt : Math.max(changedAt, escalatedAt),
      remindAt,
    }));
  }
  if (kind !== "access") return [];
  const { owner, destination, credentialId } = wait;
  const need = { owner, kind, reason: null, caseType, step, destination, credentialId };
  return [{ need, sinceAt: changedAt, remindAt: null }];
}
