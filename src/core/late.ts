/** What a holder that lost its claim may still tell (R10). */

import { stepOf, type Attempt, type CaseState } from "./case-state.ts";
import { lateSourceId } from "./fold.ts";
import type { Actor, AttemptRef, Entry, LateOutcome, Review } from "./journal.ts";
import type { CaseOutline, SendStepOutline } from "./outline.ts";
import { reviewFor } from "./review.ts";

/** A report about an attempt whose claim was lost before its outcome was stored. */
export interface LateReport {
  readonly ref: AttemptRef;
  readonly claimId: string;
  readonly holder: Actor;
  readonly outcome: LateOutcome;
}

/**
 * Keeps the report as a fact, once per attempt. For an open step it is evidence. After another confirmation of the
 * same intent version it is the same effect where the destination deduplicates; elsewhere it is a second one, and a
 * review says so in any state, done and canceled included.
 */
export function decideLateReport(
  outline: CaseOutline,
  state: CaseState,
  report: LateReport,
): readonly Entry[] {
  const { ref, claimId, holder, outcome } = report;
  const attempt = attemptNamed(state, ref);
  // A commit whose reply was lost may have told it already.
  if (attempt?.outcome.kind === "confirmed" || state.sourceIds.includes(lateSourceId(ref))) return [];
  const entry: Entry = { kind: "lateReport", ...ref, claimId, holder, outcome };
  const review = outcome.kind === "succeeded" ? secondEffect(outline, state, ref) : null;
  return review === null ? [entry] : [entry, { kind: "reviewOpened", review }];
}

function attemptNamed(state: CaseState, ref: AttemptRef): Attempt | undefined {
  const { intent } = stepOf(state, ref.step);
  return intent?.version === ref.intentVersion
    ? intent.attempts.find(({ number }) => number === ref.attempt)
    : undefined;
}

function secondEffect(outline: CaseOutline, state: CaseState, ref: AttemptRef): Review | null {
  const step = outline.steps.find(
    (one): one is SendStepOutline => one.name === ref.step && one.kind === "step",
  );
  if (step === undefined || stepOf(state, ref.step).confirmation === null) return null;
  if (step.destination.repeatSafety.by === "key") return null;
  const sentence =
    `A late worker reports that attempt ${ref.attempt} of ${ref.step} took effect at ${step.destination.name}, ` +
    `beside the confirmed one. It may exist twice there.`;
  return reviewFor(outline, step, "mayExistTwice", sentence);
}
