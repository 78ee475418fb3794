/** What a holder that lost its claim may still tell (R10). */

import {
  type Attempt,
  attemptOf,
  type CaseState,
  isNotNeeded,
  reportId,
  stepOf,
  tookEffect,
} from "./case-state.ts";
import type { Actor, AttemptRef, Entry, LateOutcome, Review } from "./journal.ts";
import type { CaseOutline } from "./outline.ts";
import { isOneEffect } from "./repeat-safety.ts";
import { stepFormerlyNamed } from "./renames.ts";
import { ownerOf, reviewBy } from "./review.ts";
import { findStep } from "./undo.ts";

/** Said of an attempt that no journal has: only a failover that lost the last commits can lead here. */
const LOST = "which a failover of the database has lost. It may come to exist twice";

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
  given: LateReport,
): readonly Entry[] {
  const ref = { ...given.ref, step: stepFormerlyNamed(state, given.ref.step) };
  const report = { ...given, ref };
  const { claimId, holder, outcome } = report;
  if (isConfirmed(state, report) || isReported(state, report)) return [];
  const entry: Entry = { kind: "lateReport", ...ref, claimId, holder, outcome };
  const surplus =
    outcome.kind === "succeeded" ? surplusEffect(outline, state, report) : doubtOf(outline, state, report);
  if (surplus === null) return [entry];
  const took = outcome.kind === "succeeded" ? "took effect" : "may have taken effect";
  const sentence = `A late worker reports that attempt ${ref.attempt} of ${ref.step} ${took}, ${surplus}.`;
  return [entry, { kind: "reviewOpened", review: reviewOf(outline, ref.step, sentence) }];
}

/** After a success nothing more is to be told; after a failure a success still is. */
function isReported({ lateReports }: CaseState, { ref, claimId, outcome }: LateReport): boolean {
  const named = { ...ref, claimId };
  return (
    lateReports.includes(reportId(named, "succeeded")) || lateReports.includes(reportId(named, outcome.kind))
  );
}

/** A commit whose reply was lost may have told it already. */
function isConfirmed(state: CaseState, report: LateReport): boolean {
  return reportedAttempt(state, report)?.outcome.kind === "confirmed";
}

function reportedAttempt(state: CaseState, { ref, claimId }: LateReport): Attempt | undefined {
  return attemptOf(stepOf(state, ref.step).intent, { ...ref, claimId });
}

/** Why the effect of a late success is one too many; null where it is the step's own. */
function surplusEffect(outline: CaseOutline, state: CaseState, report: LateReport): string | null {
  const { ref } = report;
  const { intent, confirmation } = stepOf(state, ref.step);
  if (intent !== null && ref.intentVersion < intent.version) {
    return "under an earlier version of what was wanted. It may exist twice";
  }
  if (state.rest.kind === "canceled") return "although the case is canceled. It must be undone by hand";
  if (isNotNeeded(confirmation) && state.rest.kind === "done") {
    return "although the case is done without it, as it was not needed. It must be undone by hand";
  }
  if (confirmation?.by.how === "skip") return "although the step was left out. It must be undone by hand";
  if (isOneEffectAt(outline, ref.step)) return null;
  const attempt = reportedAttempt(state, report);
  if (intent === null || attempt === undefined) return LOST;
  if (intent.isUndone) return "although what the step did was undone. It must be undone by hand";
  if (confirmation === null) return null;
  const others = intent.attempts.filter((one) => one !== attempt && tookEffect(one));
  return others.length === 0 ? null : "beside the confirmed one. It may exist twice";
}

/** What is to be said of a late failure that may have happened; null where the journal has its attempt, and so its doubt. */
function doubtOf(outline: CaseOutline, state: CaseState, report: LateReport): string | null {
  const { ref, outcome } = report;
  if (outcome.kind === "failed" && outcome.failure.executed === "no") return null;
  const isKnown = reportedAttempt(state, report) !== undefined;
  return isKnown || isOneEffectAt(outline, ref.step) ? null : LOST;
}

/** The same intent version is the same effect, where the destination compares. */
function isOneEffectAt(outline: CaseOutline, name: string): boolean {
  const step = findStep(outline, name);
  return step?.kind === "step" && isOneEffect(step.destination.repeatSafety);
}

function reviewOf(outline: CaseOutline, name: string, sentence: string): Review {
  const step = findStep(outline, name);
  const owner = step === null ? outline.owner : ownerOf(outline, step, "mayExistTwice");
  return reviewBy(owner, { step: name, reason: "mayExistTwice", sentence });
}
