/** What a holder that lost its claim may still tell (R10). */

import { reportId, stepOf, tookEffect, type CaseState } from "./case-state.ts";
import type { Actor, AttemptRef, Entry, LateOutcome, Review } from "./journal.ts";
import type { CaseOutline } from "./outline.ts";
import { isOneEffect } from "./repeat-safety.ts";
import { ownerOf, reviewBy } from "./review.ts";
import { findStep } from "./undo.ts";

/** A report about an attempt whose claim was lost before its outcome was stored. */
export interface LateReport {
  readonly ref: AttemptRef;
  readonly claimId: string;
  readonly holder: Actor;
  readonly outcome: LateOutcome;
}

/**
 * Keeps the report as a fact, once per attempt and outcome; none where the journal has it as confirmed already. For an open step it
 * is evidence. Where it tells of an effect that nothing else accounts for, a review says so in any state, done and
 * canceled included.
 */
export function decideLateReport(
  outline: CaseOutline,
  state: CaseState,
  report: LateReport,
): readonly Entry[] {
  const { ref, claimId, holder, outcome } = report;
  if (isConfirmed(state, ref) || isReported(state, report)) return [];
  const entry: Entry = { kind: "lateReport", ...ref, claimId, holder, outcome };
  const surplus = outcome.kind === "succeeded" ? surplusEffect(outline, state, ref) : null;
  if (surplus === null) return [entry];
  const sentence = `A late worker reports that attempt ${ref.attempt} of ${ref.step} took effect, ${surplus}.`;
  return [entry, { kind: "reviewOpened", review: reviewOf(outline, ref.step, sentence) }];
}

/** After a success nothing more is to be told; after a failure a success still is. */
function isReported({ lateReports }: CaseState, { ref, outcome }: LateReport): boolean {
  return (
    lateReports.includes(reportId(ref, "succeeded")) || lateReports.includes(reportId(ref, outcome.kind))
  );
}

/** A commit whose reply was lost may have told it already. */
function isConfirmed(state: CaseState, ref: AttemptRef): boolean {
  const { intent } = stepOf(state, ref.step);
  return (
    intent?.version === ref.intentVersion &&
    intent.attempts.some(({ number, outcome }) => number === ref.attempt && outcome.kind === "confirmed")
  );
}

/** Why the effect of a late success is one too many; null where it is the step's own. */
function surplusEffect(outline: CaseOutline, state: CaseState, ref: AttemptRef): string | null {
  const { intent, confirmation } = stepOf(state, ref.step);
  if (intent !== null && ref.intentVersion < intent.version) {
    return "under an earlier version of what was wanted. It may exist twice";
  }
  if (state.rest.kind === "canceled") return "although the case is canceled. It must be undone by hand";
  const step = findStep(outline, ref.step);
  if (step?.kind === "step" && isOneEffect(step.destination.repeatSafety)) return null;
  if (intent?.isUndone === true) return "although what the step did was undone. It must be undone by hand";
  if (confirmation === null) return null;
  const others = intent?.attempts.filter((one) => one.number !== ref.attempt && tookEffect(one)) ?? [];
  return others.length === 0 ? null : "beside the confirmed one. It may exist twice";
}

function reviewOf(outline: CaseOutline, name: string, sentence: string): Review {
  const step = findStep(outline, name);
  const owner = step === null ? outline.owner : ownerOf(outline, step, "mayExistTwice");
  return reviewBy(owner, { step: name, reason: "mayExistTwice", sentence });
}
