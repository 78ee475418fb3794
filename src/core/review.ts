/** Who must act when a step cannot go on by itself, and the sentence that says so. */

import type { Failure } from "./failure.ts";
import type { Review, ReviewReason } from "./journal.ts";
import type { CaseOutline, DestinationOutline, StepOutline } from "./outline.ts";
import type { ReviewAct } from "./planning.ts";

/** A review of `step` for whoever can help: by destination and reason, else the case type's owner. */
export function reviewFor(
  outline: CaseOutline,
  step: StepOutline,
  reason: ReviewReason,
  sentence: string,
): Review {
  return reviewBy(ownerOf(outline, step, reason), { step: step.name, reason, sentence });
}

/** A review that is to be opened. */
export function openReview(review: Review): ReviewAct {
  return { kind: "review", review, isOpen: false };
}

/** A review for `owner`. */
export function reviewBy(owner: string, what: Pick<Review, "step" | "reason" | "sentence">): Review {
  return { ...what, owner, nextCheckAllowedAt: null };
}

/** The review that a failure leads to, once nothing more is tried by itself. */
export function reviewForFailure(
  outline: CaseOutline,
  step: StepOutline,
  failure: Failure,
  reason: ReviewReason,
  tried: string,
): Review {
  const fields = failure.fields.map((one) => `${one.path}: ${one.message}`).join("; ");
  const named = fields === "" ? failure.sentence : `${failure.sentence} (${fields})`;
  return reviewFor(outline, step, reason, tried === "" ? named : `${named} ${tried}`);
}

/** Who takes a review of `step`. */
export function ownerOf(outline: CaseOutline, step: StepOutline, reason: ReviewReason): string {
  if (step.kind === "approval" && (reason === "refused" || reason === "expired")) return step.by;
  if (step.kind !== "step" && step.kind !== "poll") return outline.owner;
  return destinationOwner(step.destination, reason) ?? outline.owner;
}

function destinationOwner({ owners }: DestinationOutline, reason: ReviewReason): string | null {
  switch (reason) {
    case "rejected":
      return owners.input;
    case "denied":
    case "quota":
      return owners.access;
    case "limit":
    case "unknown":
    case "gone":
    case "conflict":
    case "mayExistTwice":
    case "staysOutside":
      return owners.outage;
    case "bug":
    case "precondition":
    case "lapsed":
    case "unreadable":
    case "poison":
    case "refused":
    case "expired":
      return null;
  }
}
