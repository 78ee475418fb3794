/** What a case has come to, and assertions on it: plain functions that throw `AssertionError`, for any test runner. */

import { AssertionError } from "node:assert";
import { isNotNeeded, stepOf, type CaseState, type Confirmation } from "../core/case-state.ts";
import { foldJournal } from "../core/fold.ts";
import type { Entry, JournalEntry, Review, ReviewReason } from "../core/journal.ts";
import type { Wait } from "../core/waits.ts";
import type { Json } from "../core/json.ts";
import type { StoredState } from "../core/row.ts";
import type { StoredCase } from "../store/port.ts";
import { tellEntry } from "./tell-entry.ts";

/** One case at one moment. */
export interface CaseJournal {
  readonly caseId: string;
  readonly state: StoredState;
  /** Everything that happened, oldest first. */
  readonly entries: readonly JournalEntry[];
  readonly reviews: readonly Review[];
  readonly waits: readonly Wait[];
  /** Results of confirmed steps that stand, by step. */
  readonly results: { readonly [step: string]: Json };
}

/** Lines of history in a failed assertion. */
const HISTORY_LINES_MAX = 40;

/** Reads a stored case. */
export function journalOf({ row, journal }: StoredCase): CaseJournal {
  const state = foldJournal(row.caseId, journal);
  return {
    caseId: row.caseId,
    state: row.state,
    entries: journal,
    reviews: Object.values(state.steps).flatMap(({ review }) => (review === null ? [] : [review])),
    waits: row.summary.waits,
    results: resultsOf(state),
  };
}

function resultsOf({ steps }: CaseState): { readonly [step: string]: Json } {
  const results = Object.entries(steps).flatMap(([name, { confirmation, lapse }]) =>
    confirmation?.result.kind === "value" && lapse === null && !isNotNeeded(confirmation)
      ? [[name, confirmation.result.value] as const]
      : [],
  );
  return Object.fromEntries(results);
}

/** The case has reached its end. */
export function expectDone(journal: CaseJournal): void {
  if (journal.state === "done") return;
  fail(journal, `it is not done: ${standing(journal)}`, journal.state, "done");
}

/** The step is confirmed and was not found lapsed. Gives its confirmation. */
export function expectConfirmed(journal: CaseJournal, step: string): Confirmation {
  const { confirmation, lapse } = stepOf(foldJournal(journal.caseId, journal.entries), step);
  if (confirmation !== null && lapse === null) return confirmation;
  const what = lapse === null ? "is not confirmed" : `has lapsed (${lapse.kind})`;
  return fail(journal, `${step} ${what}: ${standing(journal)}`, lapse?.kind ?? "not confirmed", "confirmed");
}

/** The step was never confirmed. */
export function expectNotConfirmed(journal: CaseJournal, step: string): void {
  const isConfirmed = entriesOf(journal, "stepConfirmed").some((entry) => entry.step === step);
  if (isConfirmed) fail(journal, `${step} was confirmed`, "confirmed", "not confirmed");
}

/** The step waits for a person, and why. Gives the review. */
export function expectReview(journal: CaseJournal, step: string, reason?: ReviewReason): Review {
  const review = journal.reviews.find((one) => one.step === step);
  if (review === undefined) {
    return fail(
      journal,
      `${step} has no open review: ${standing(journal)}`,
      "no review",
      reason ?? "a review",
    );
  }
  if (reason === undefined || review.reason === reason) return review;
  return fail(
    journal,
    `the review of ${step} is open for another reason (${review.sentence})`,
    review.reason,
    reason,
  );
}

/** The case waits for this. Gives the wait. */
export function expectWaiting(journal: CaseJournal, kind: Wait["kind"], step: string): Wait {
  const wait = journal.waits.find((one) => one.kind === kind && one.step === step);
  if (wait !== undefined) return wait;
  return fail(journal, `${step} does not wait for ${kind}: ${standing(journal)}`, standing(journal), kind);
}

/** So many attempts of the step were opened, whatever became of them. */
export function expectAttempts(journal: CaseJournal, step: string, count: number): void {
  const found = entriesOf(journal, "attemptOpened").filter((entry) => entry.step === step).length;
  if (found !== count) fail(journal, `${step} was attempted ${found} times, not ${count}`, found, count);
}

/** Every entry of a kind, oldest first. */
export function entriesOf<Kind extends Entry["kind"]>(
  { entries }: Pick<CaseJournal, "entries">,
  kind: Kind,
): readonly Extract<Entry, { kind: Kind }>[] {
  return entries.flatMap(({ entry }) => (isOfKind(entry, kind) ? [entry] : []));
}

function isOfKind<Kind extends Entry["kind"]>(
  entry: Entry,
  kind: Kind,
): entry is Extract<Entry, { kind: Kind }> {
  return entry.kind === kind;
}

/** Where a case stands, in one line. */
export function standing({ state, reviews, waits }: CaseJournal): string {
  if (reviews.length > 0) {
    return reviews
      .map(({ step, reason, sentence }) => `${step} is in review (${reason}): ${sentence}`)
      .join(" ");
  }
  if (waits.length > 0)
    return `it waits for ${waits.map(({ kind, step }) => `${kind} (${step})`).join(", ")}`;
  return `it is ${state}`;
}

/** Fails with the history of the case. */
export function fail(journal: CaseJournal, what: string, actual: unknown, expected: unknown): never {
  const lines = journal.entries.flatMap(({ revision, entry }) => {
    const text = tellEntry(entry);
    return text === null ? [] : [`  ${revision}. ${text}`];
  });
  const message = [`Case ${journal.caseId}: ${what}`, "Its history:", ...lines.slice(-HISTORY_LINES_MAX)];
  throw new AssertionError({ message: message.join("\n"), actual, expected, operator: "expect" });
}
