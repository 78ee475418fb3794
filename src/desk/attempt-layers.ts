/** What was used up of each bound, layer by layer: attempts, real requests, slow-downs, questions, lost claims. */

import { stepOf, type CaseState } from "../core/case-state.ts";
import type { CaseOutline } from "../core/outline.ts";
import { findStep } from "../core/undo.ts";

/** The bounds of one step and what was used of them since the case started, or a person last resumed the step. */
export interface LayersView {
  readonly step: string;
  readonly round: number;
  readonly attempts: number;
  /** Null where the definition does not send it any more. */
  readonly attemptsMax: number | null;
  /** Real requests: attempts and what clients sent again by themselves. */
  readonly requests: number;
  readonly requestsMax: number | null;
  /** Of those, the ones that clients sent again by themselves. */
  readonly repeats: number;
  readonly slowDowns: number;
  readonly slowDownsMax: number | null;
  /** Questions "did it happen?" since the last attempt. */
  readonly checks: number;
  /** Attempts of the present intent over all rounds. */
  readonly attemptsInAll: number;
  /** Claims of the case lost in a row with an attempt open. */
  readonly claimsLost: number;
  /** First failure of the round, epoch ms. */
  readonly failingSinceAt: number | null;
  /** When no further automatic try is made, whatever is left of the counts. */
  readonly givesUpAt: number | null;
  /** Such as "notify: 2 of 5 attempts, 5 of 8 requests (3 of them repeated by the client), 1 question". */
  readonly sentence: string;
}

/** Steps that have sent something, in the order of their first attempt. */
export function viewLayers(state: CaseState, outline: CaseOutline | null): readonly LayersView[] {
  return Object.keys(state.steps)
    .filter((name) => (stepOf(state, name).intent?.attempts.length ?? 0) > 0)
    .map((name) => viewLayer(state, outline, name));
}

function viewLayer(state: CaseState, outline: CaseOutline | null, name: string): LayersView {
  const { round, intent } = stepOf(state, name);
  const step = outline === null ? null : findStep(outline, name);
  const retry = step?.kind === "step" ? step.destination.retry : null;
  const { attempts, repeats, throttles, checks, failingSinceAt } = round;
  const counts = {
    attempts,
    attemptsMax: retry?.maxAttempts ?? null,
    requests: attempts + repeats,
    requestsMax: retry?.maxRequests ?? null,
    repeats,
    slowDowns: throttles,
    slowDownsMax: retry?.maxThrottles ?? null,
    checks,
  };
  return {
    step: name,
    round: round.number,
    ...counts,
    attemptsInAll: intent?.attempts.length ?? 0,
    claimsLost: state.losses,
    failingSinceAt,
    givesUpAt: retry === null || failingSinceAt === null ? null : failingSinceAt + retry.giveUpAfterMs,
    sentence: `${name}: ${sayCounts(counts, state.losses)}`,
  };
}

type Counts = Omit<
  LayersView,
  "step" | "round" | "attemptsInAll" | "claimsLost" | "failingSinceAt" | "givesUpAt" | "sentence"
>;

function sayCounts(counts: Counts, losses: number): string {
  const { attempts, attemptsMax, requests, requestsMax, repeats, slowDowns, slowDownsMax, checks } = counts;
  const repeated = repeats === 0 ? "" : ` (${repeats} of them repeated by the client)`;
  return [
    `${of(attempts, attemptsMax)} ${attempts === 1 && attemptsMax === null ? "attempt" : "attempts"}`,
    `${of(requests, requestsMax)} requests${repeated}`,
    ...(slowDowns === 0 ? [] : [`told to slow down ${of(slowDowns, slowDownsMax)} times`]),
    ...(checks === 0 ? [] : [`${checks} ${checks === 1 ? "question" : "questions"}`]),
    ...(losses === 0 ? [] : [`${losses} ${losses === 1 ? "claim" : "claims"} lost in a row`]),
  ].join(", ");
}

function of(count: number, max: number | null): string {
  return max === null ? String(count) : `${count} of ${max}`;
}
