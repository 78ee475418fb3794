/**
 * Problems: what waits for people, grouped by what it has in common. A group is named by structure first (case type, step,
 * destination, kind, the rule that sorted the failure, the fields that were refused), and by the message only where there
 * is nothing else, with numbers, ids and quoted parts taken out.
 */

import { stepOf, type CaseState } from "./case-state.ts";
import type { Review, ReviewReason } from "./journal.ts";
import { storableText } from "./storable-text.ts";

/** Characters of a cause. */
const CAUSE_CHARS_MAX = 300;

/** What one open review of a case has in common with others. */
export interface Problem {
  readonly step: string;
  readonly kind: ReviewReason;
  /** Where the step sent to; null where it has not sent yet. */
  readonly destination: string | null;
  readonly cause: string;
  /** When the review was opened, epoch ms. */
  readonly sinceAt: number;
}

/** The problems of a case: one for each open review. */
export function problemsOf(state: CaseState): readonly Problem[] {
  return Object.entries(state.steps).flatMap(([step, { review, reviewedAt, intent }]): readonly Problem[] => {
    if (review === null) return [];
    const destination = intent?.destination ?? null;
    const cause = storableText(causeOf(state, step, review.sentence), CAUSE_CHARS_MAX);
    return [{ step, kind: review.reason, destination, cause, sinceAt: reviewedAt }];
  });
}

/** A failure of the present round is what the review is about; else its own sentence says it. */
function causeOf(state: CaseState, step: string, sentence: string): string {
  const { lastFailure, round } = stepOf(state, step);
  if (lastFailure === null || lastFailure.round !== round.number) return plainCause(sentence);
  const { rule, fields, sentence: said } = lastFailure.failure;
  const paths = [...new Set(fields.map(({ path }) => path.replaceAll(/\d+/g, "#")))].toSorted();
  return paths.length > 0 ? `${rule}: ${paths.join(", ")}` : `${rule}: ${plainCause(said)}`;
}

const QUOTED = /"[^"]*"|'[^']*'|`[^`]*`|«[^»]*»|“[^”]*”/g;
const ADDRESS = /\b(?:https?:\/\/|[\w.+-]+@)[^\s,;)]+/g;
/** A word with a digit in it: ids, numbers, times, amounts. */
const WITH_DIGIT = /[\p{L}\p{N}_#@:./+-]*\p{N}[\p{L}\p{N}_#@:./+-]*/gu;

/** A sentence without what differs from one case to the next. */
export function plainCause(sentence: string): string {
  return sentence
    .replaceAll(QUOTED, "…")
    .replaceAll(ADDRESS, "…")
    .replaceAll(WITH_DIGIT, (word) => (/[.:]$/.test(word) ? `…${word.slice(-1)}` : "…"))
    .replaceAll(/\s+/g, " ")
    .replaceAll(/…(?:[\s,]*…)+/g, "…")
    .trim();
}

/** A row, as far as problems need it. */
export interface ProblemRow {
  readonly caseId: string;
  readonly caseType: string;
  readonly changedAt: number;
  readonly summary: {
    readonly problems?: readonly Problem[];
    readonly reviews: readonly Pick<Review, "step" | "reason" | "owner" | "sentence">[];
  };
}

/** The problems of a row. One that was written without them, because its journal cannot be read, tells its reviews. */
export function problemsInRow({ summary, changedAt }: ProblemRow): readonly Problem[] {
  return (
    summary.problems ??
    summary.reviews.map(({ step, reason, sentence }) => ({
      step,
      kind: reason,
      destination: null,
      cause: storableText(plainCause(sentence), CAUSE_CHARS_MAX),
      sinceAt: changedAt,
    }))
  );
}

/** What makes two problems the same. */
export interface ProblemKey extends Pick<Problem, "step" | "kind" | "destination" | "cause"> {
  readonly caseType: string;
}

/** Cases with the same problem. Times are epoch ms. */
export interface ProblemGroup extends ProblemKey {
  readonly count: number;
  readonly firstSinceAt: number;
  readonly lastSinceAt: number;
  /** Of those that stand now, how many came within the last hour, day and week. */
  readonly came: { readonly hour: number; readonly day: number; readonly week: number };
  /** The same for each of the last 24 hours, the oldest first. */
  readonly cameByHour: readonly number[];
  /** More came in the last hour than in the hour before. */
  readonly isGrowing: boolean;
  /** The first of those that stand now came within the last day. */
  readonly isNew: boolean;
  /** Who has to act, as the reviews name them; most named first. */
  readonly owners: readonly string[];
  /** The sentence of the newest. */
  readonly example: string;
  readonly exampleCaseId: string;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
const HOURS = 24;

/** The key of a problem in one text. */
export function problemKeyText({ caseType, step, kind, destination, cause }: ProblemKey): string {
  return JSON.stringify([caseType, kind, destination, step, cause]);
}

/** Groups the problems of rows, largest first. */
export function groupProblems(rows: Iterable<ProblemRow>, now: number): readonly ProblemGroup[] {
  const groups = new Map<string, Gathering>();
  for (const row of rows) for (const problem of problemsInRow(row)) gather(groups, row, problem);
  return [...groups.values()]
    .map((one) => finish(one, now))
    .toSorted((one, other) => other.count - one.count || other.lastSinceAt - one.lastSinceAt);
}

interface Gathering {
  readonly key: ProblemKey;
  readonly times: number[];
  readonly owners: Map<string, number>;
  newest: { readonly sinceAt: number; readonly sentence: string; readonly caseId: string };
}

function gather(groups: Map<string, Gathering>, row: ProblemRow, problem: Problem): void {
  const { step, kind, destination, cause, sinceAt } = problem;
  const key = { caseType: row.caseType, step, kind, destination, cause };
  const review = row.summary.reviews.find((one) => one.step === step);
  const newest = { sinceAt, sentence: review?.sentence ?? cause, caseId: row.caseId };
  const text = problemKeyText(key);
  const group = groups.get(text) ?? { key, times: [], owners: new Map<string, number>(), newest };
  groups.set(text, group);
  group.times.push(sinceAt);
  if (sinceAt > group.newest.sinceAt) group.newest = newest;
  if (review !== undefined) group.owners.set(review.owner, (group.owners.get(review.owner) ?? 0) + 1);
}

function finish({ key, times, owners, newest }: Gathering, now: number): ProblemGroup {
  const within = (ms: number): number => times.filter((at) => at > now - ms).length;
  const firstSinceAt = times.reduce((one, other) => Math.min(one, other));
  const hour = within(HOUR_MS);
  return {
    ...key,
    count: times.length,
    firstSinceAt,
    lastSinceAt: newest.sinceAt,
    came: { hour, day: within(DAY_MS), week: within(WEEK_MS) },
    cameByHour: Array.from({ length: HOURS }, (_, index) => {
      const agoMs = (HOURS - index) * HOUR_MS;
      return within(agoMs) - within(agoMs - HOUR_MS);
    }),
    isGrowing: hour > within(2 * HOUR_MS) - hour,
    isNew: firstSinceAt > now - DAY_MS,
    owners: [...owners].toSorted(([, one], [, other]) => other - one).map(([owner]) => owner),
    example: newest.sentence,
    exampleCaseId: newest.caseId,
  };
}
