/** Looking at a destination until it has what a step waits for: when it is looked, and what a look leads to. */

import { basisOf, type Digest } from "./basis.ts";
import { type CaseState, type LookState, stepOf } from "./case-state.ts";
import { actForConditions } from "./conditions.ts";
import type { Entry, LookAnswer } from "./journal.ts";
import type { PollStepOutline } from "./outline.ts";
import { reachedAt } from "./plan-waits.ts";
import type { Act, PlanInput } from "./planning.ts";
import { backoffMs } from "./retry.ts";
import { reviewFor } from "./review.ts";
import type { WireSummary } from "./wire-evidence.ts";

/** Plans a poll: it is looked until it is there, its time is over, or its destination could not tell too often. */
export function planPoll(input: PlanInput, step: PollStepOutline): Act {
  const { review, look } = stepOf(input.state, step.name);
  if (review !== null) return { kind: "review", review, isOpen: true };
  const blocked = actForConditions(input, step, step.requires);
  if (blocked !== null) return blocked;
  if (look === null) return { kind: "look" };
  const untilAt = lookUntilAt(input.state, step);
  const { why } = look;
  if (isGivenUp(step, look)) return giveUp(input, step, look);
  if (look.askedAt >= untilAt) return late(input, step, why);
  if (input.now >= look.nextLookAt) return { kind: "look" };
  const { nextLookAt: dueAt } = look;
  const { name: destination } = step.destination;
  return { kind: "wait", wait: { kind: "poll", step: step.name, dueAt, untilAt, destination, why } };
}

/** When it is looked for the last time. */
function lookUntilAt(state: CaseState, step: PollStepOutline): number {
  return Math.max(reachedAt({ state }, step), stepOf(state, step.name).renewedAt ?? 0) + step.timeoutMs;
}

/** As a probe that cannot tell: asked again under the destination's retry policy, then a person looks. */
function isGivenUp({ destination }: PollStepOutline, look: LookState): boolean {
  const { maxAttempts, giveUpAfterMs } = destination.retry;
  const { timesUnsure, unsureSinceAt, nextLookAt } = look;
  return timesUnsure >= maxAttempts || (unsureSinceAt !== null && nextLookAt > unsureSinceAt + giveUpAfterMs);
}

function giveUp({ outline }: PlanInput, step: PollStepOutline, { timesUnsure, why }: LookState): Act {
  const { destination, name } = step;
  const times = timesUnsure === 1 ? "once" : `${timesUnsure} times`;
  const sentence = `${name} looked at ${destination.name} ${times} and could not tell; last: ${ended(why)}.`;
  return { kind: "review", review: reviewFor(outline, step, "limit", sentence), isOpen: false };
}

function late({ outline }: PlanInput, step: PollStepOutline, why: string): Act {
  const sentence =
    `${step.destination.name} did not have in time what ${step.name} waits for; last: ${ended(why)}. ` +
    `Resume it to go on looking.`;
  return { kind: "review", review: reviewFor(outline, step, "expired", sentence), isOpen: false };
}

function ended(why: string): string {
  return why.replace(/[.\s]+$/, "");
}

/** A look that was made. */
export interface Look {
  /** The state that it was made on. */
  readonly state: CaseState;
  readonly askedAt: number;
  readonly answeredAt: number;
  readonly wire?: WireSummary;
}

/**
 * What is written when a look was answered. What it found rests on what was known when it was made. `random` in [0, 1) sets
 * the time of the next one where it could not tell. No look is set for later than the last one.
 */
export function decideAfterLook(
  step: PollStepOutline,
  answer: LookAnswer,
  { state, askedAt, answeredAt, wire }: Look,
  { random, digest }: { readonly random: number; readonly digest: Digest },
): Entry {
  const seen = wire === undefined ? {} : { wire };
  if (answer.kind === "found") {
    return {
      kind: "stepConfirmed",
      step: step.name,
      intentVersion: 0,
      basis: basisOf(step, state, digest),
      result: { kind: "value", value: answer.value },
      evidence: { askedAt, answeredAt },
      by: { how: "poll", askedAt },
      ...seen,
    };
  }
  const times = (stepOf(state, step.name).look?.timesUnsure ?? 0) + 1;
  const delayMs =
    answer.kind === "notYet"
      ? (answer.againMs ?? step.everyMs)
      : backoffMs(step.destination.retry, times, random);
  const nextLookAt = Math.max(answeredAt, Math.min(answeredAt + delayMs, lookUntilAt(state, step)));
  return { kind: "lookAnswered", step: step.name, answer, askedAt, nextLookAt, ...seen };
}

/** True where a look found what the one before found, and so nothing is to be written down but when to look again. */
export function isSameLook(state: CaseState, entry: Entry): boolean {
  if (entry.kind !== "lookAnswered" || entry.answer.kind !== "notYet") return false;
  const { look } = stepOf(state, entry.step);
  return look?.answer === "notYet" && look.why === entry.answer.why;
}
