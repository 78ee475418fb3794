/** What the plan does about a step whose access was refused, where its destination says how that is refreshed. */

import { stepOf, type StepState } from "./case-state.ts";
import type { Failure } from "./failure.ts";
import type { Review, ReviewReason } from "./journal.ts";
import type { SendStepOutline } from "./outline.ts";
import type { Act, PlanInput } from "./planning.ts";
import { mayRefreshAgain } from "./refresh.ts";
import { isUsedUp } from "./retry.ts";
import { reviewFor } from "./review.ts";

/** How far the refresh after the last refusal is. */
type RefreshStanding =
  | { readonly kind: "toDo" }
  | { readonly kind: "done" }
  /** It was refreshed before the last attempt already: more of that does not help. */
  | { readonly kind: "inVain" }
  | {
      readonly kind: "failed";
      readonly failure: Failure;
      readonly times: number;
      readonly retryAt: number | null;
    };

/** True where the access was refreshed after this refusal, so that the step may be sent again. */
export function isRefreshed(step: SendStepOutline, known: StepState, failure: Failure): boolean {
  return isRefreshable(step, failure) && standingOf(known).kind === "done";
}

function isRefreshable({ destination }: SendStepOutline, { kind, access }: Failure): boolean {
  return kind === "denied" && access === "refreshable" && destination.canRefresh;
}

function standingOf({ refresh, intent, lastFailure }: StepState): RefreshStanding {
  if (refresh === null || lastFailure === null || refresh.intentVersion !== intent?.version)
    return { kind: "toDo" };
  const { attempt: last } = lastFailure;
  const { attempt, failure, times, retryAt } = refresh;
  if (attempt === last)
    return failure === null ? { kind: "done" } : { kind: "failed", failure, times, retryAt };
  return attempt === last - 1 && failure === null ? { kind: "inVain" } : { kind: "toDo" };
}

/** True where a refusal of this attempt, which is not known to the state yet, will be met by a refresh. */
export function willRefresh(
  step: SendStepOutline,
  { refresh, intent }: StepState,
  attempt: number,
  failure: Failure,
): boolean {
  const isFresh =
    refresh !== null &&
    refresh.intentVersion === intent?.version &&
    refresh.attempt === attempt - 1 &&
    refresh.failure === null;
  return isRefreshable(step, failure) && !isFresh;
}

/** What is done about a refusal; null = nothing but what is done about any other one: its owner is asked. */
export function planRefresh(input: PlanInput, step: SendStepOutline, denied: Failure): Act | null {
  const known = stepOf(input.state, step.name);
  const { retry } = step.destination;
  if (!isRefreshable(step, denied) || isUsedUp(retry, known.round, null)) return null;
  const standing = standingOf(known);
  switch (standing.kind) {
    case "toDo":
      return { kind: "refresh" };
    case "done":
      return null;
    case "inVain":
      return reviewed(input, step, "denied", `${denied.sentence} Its access had been refreshed just before.`);
    case "failed":
      break;
  }
  const { failure, times, retryAt } = standing;
  const why = `${denied.sentence} Its access could not be refreshed: ${failure.sentence}`;
  if (!mayRefreshAgain(failure)) return reviewed(input, step, reasonOf(failure), why);
  if (retryAt === null || times >= retry.maxAttempts || isUsedUp(retry, known.round, retryAt)) {
    const tried = `That is not tried again by itself: it was tried ${times} of ${retry.maxAttempts} times.`;
    return reviewed(input, step, "limit", `${why} ${tried}`);
  }
  if (retryAt <= input.now) return { kind: "refresh" };
  return {
    kind: "wait",
    wait: {
      kind: "retry",
      step: step.name,
      dueAt: retryAt,
      attempt: known.round.attempts + 1,
      attemptsMax: retry.maxAttempts,
      by: known.askedByProvider ? "provider" : "backoff",
    },
  };
}

/** Who can help where a refresh failed for good: whatever the token endpoint calls it, the access is not there. */
function reasonOf({ kind }: Failure): ReviewReason {
  return kind === "bug" || kind === "quota" ? kind : "denied";
}

function reviewed(input: PlanInput, step: SendStepOutline, reason: ReviewReason, sentence: string): Act {
  const review: Review = reviewFor(input.outline, step, reason, sentence);
  return { kind: "review", review, isOpen: false };
}
