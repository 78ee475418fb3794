/**
 * What people vouch for about a send step, and order: that it took effect, that it did not, that it is to be done again.
 * Nothing is sent by any of it, and each carries who and why.
 */

import { basisOf } from "./basis.ts";
import {
  aliveChild,
  isNotNeeded,
  isUnproved,
  isWithoutEffect,
  stepOf,
  type CaseState,
} from "./case-state.ts";
import type { Actor, Entry } from "./journal.ts";
import type { Json } from "./json.ts";
import {
  caseClaimed,
  caseEnded,
  isEnded,
  previewWith,
  refuse,
  type HeldBy,
  type MoveVerdict,
} from "./moves.ts";
import type { CaseOutline, StepOutline } from "./outline.ts";
import { isLeftOutside, outsideEffects } from "./outside.ts";
import { planCase } from "./plan.ts";
import type { PlanInput, PlannedStep } from "./planning.ts";
import { lastPossibleArrivalAt, pendingIntent } from "./settled.ts";
import { describeLapse } from "./standing.ts";
import { findStep, isBeingUndone, undoneName } from "./undo.ts";
import { formatUtc } from "./utc-time.ts";

/** What a person vouches for. */
export interface Vouching {
  readonly step: string;
  /** What the step gave, as later steps use it. */
  readonly result: Json;
  /** Where it can be seen: an outside id, a link, a screenshot's name. */
  readonly evidence: Json;
  readonly by: Actor;
  readonly reason: string;
}

/**
 * Confirms by hand a send step that waits for a person: it took effect, however that came about, and stands for the
 * present input. Nothing is sent. Refused where the step would not stand all the same, because a prerequisite is broken.
 */
export function decideConfirmation(input: PlanInput, held: HeldBy | null, vouching: Vouching): MoveVerdict {
  const { state, digest } = input;
  const { step: name, result, evidence, by, reason } = vouching;
  if (isEnded(state)) return caseEnded(state);
  if (held !== null) return caseClaimed(state, held);
  const planned = planCase(input).steps.find(({ target }) => target.name === name);
  if (planned?.target.kind !== "step" || planned.act.kind !== "review" || !lacksConfirmation(planned)) {
    const why = "only a step that sends, waits for a person and does not stand yet can be confirmed by hand";
    return refuse("NOTHING_TO_CONFIRM", `${name} of case ${state.caseId} cannot be confirmed: ${why}.`);
  }
  const entry: Entry = {
    kind: "stepConfirmed",
    step: name,
    intentVersion: stepOf(state, name).intent?.version ?? 0,
    basis: basisOf(planned.target, state, digest),
    result: { kind: "value", value: result },
    evidence,
    by: { how: "person", by: by.name, reason },
  };
  const after = planCase({ ...input, state: previewWith(input, entry) }).steps.find(
    ({ step }) => step.name === name,
  );
  // In a case that is being canceled it is undone next, whether it would stand or not.
  if (after?.standing.kind === "lapsed" && state.cancelRequest === null) {
    const why = describeLapse(after.standing.because);
    return refuse(
      "CONFIRM_BLOCKED",
      `${name} of case ${state.caseId} would not stand: ${why}. Restore that first.`,
    );
  }
  return { kind: "write", entries: [entry] };
}

/** A step that stands needs no more proof, unless what it gave could not be stored (R11). */
function lacksConfirmation({ standing, act }: PlannedStep): boolean {
  return standing.kind !== "stands" || (act.kind === "review" && act.review.reason === "unreadable");
}

/** What a person leaves out. */
export interface Skipping {
  readonly step: string;
  /** What later steps are to use in place of what the step would have given. */
  readonly result: Json;
  readonly by: Actor;
  readonly reason: string;
}

/**
 * Leaves a step out: nothing of it took effect, and what follows goes on with the result given. Refused while it is not
 * known whether it happened, and for an approval, which is answered instead.
 */
export function decideSkip(input: PlanInput, held: HeldBy | null, skipping: Skipping): MoveVerdict {
  const { state, digest } = input;
  const { step: name, result, by, reason } = skipping;
  if (isEnded(state)) return caseEnded(state);
  if (held !== null) return caseClaimed(state, held);
  const none = (why: string): MoveVerdict =>
    refuse("NOTHING_TO_SKIP", `${name} of case ${state.caseId} cannot be left out: ${why}.`);
  if (state.cancelRequest !== null) return none(CANCELING);
  const planned = planCase(input).steps.find(({ step }) => step.name === name);
  if (planned === undefined) return none("the definition has no such step");
  const why = whyNotSkipped(input, planned);
  if (why !== null) return none(why);
  const entry: Entry = {
    kind: "stepConfirmed",
    step: name,
    intentVersion: stepOf(state, name).intent?.version ?? 0,
    basis: basisOf(planned.step, state, digest),
    result: { kind: "value", value: result },
    evidence: null,
    by: { how: "skip", by: by.name, reason },
  };
  return { kind: "write", entries: [entry] };
}

function whyNotSkipped({ state }: PlanInput, planned: PlannedStep): string | null {
  const { step, standing, act } = planned;
  if (step.kind === "approval") return "an approval is answered or refused, not left out";
  if (standing.kind === "stands" || standing.kind === "uncertain") return "it is confirmed";
  if (act.kind === "nothing" && act.why === "follows") return `it follows ${step.after.join(", ")}`;
  if (step.kind !== "step") return null;
  const known = stepOf(state, step.name);
  const { intent, confirmation } = known;
  const child = confirmation === null ? aliveChild(known) : null;
  if (child !== null) return `it waits for case ${child.caseId}; cancel that first`;
  if (isBeingUndone(state, step)) return "it is being undone";
  if (confirmation !== null && !isWithoutEffect(confirmation)) return "what it did is there; undo it first";
  return pendingIntent(intent, confirmation) === null
    ? null
    : "it is not known whether it happened; confirm it or rule it out first";
}

/** What a person rules out. */
export interface RulingOut {
  readonly step: string;
  /** How it is known: a statement, a look into the destination. */
  readonly evidence: Json;
  readonly by: Actor;
  readonly reason: string;
}

/**
 * Rules out by hand that what is not known happened. It counts only after the last moment at which the request can still
 * arrive (R18): until then what a person did not find may yet come. The step then goes on as after any proof.
 */
export function decideRulingOut(input: PlanInput, held: HeldBy | null, ruling: RulingOut): MoveVerdict {
  const { state, outline, now } = input;
  const { step: name } = ruling;
  if (isEnded(state)) return caseEnded(state);
  if (held !== null) return caseClaimed(state, held);
  const { intent, confirmation } = stepOf(state, name);
  const pending = pendingIntent(intent, confirmation);
  if (pending === null || !pending.attempts.some(isUnproved)) {
    const why = "nothing about it is unknown: every attempt is known to have happened or not";
    return refuse("NOTHING_TO_RULE_OUT", `${name} of case ${state.caseId} cannot be ruled out: ${why}.`);
  }
  const step = findStep(outline, name);
  // A definition that no longer sends it tells no lags either; the send's own deadline still counts.
  const lags = step?.kind === "step" ? step.destination : { readLagMs: 0, requestAgeMs: 0 };
  const arrivalAt = lastPossibleArrivalAt(pending, lags);
  if (now < arrivalAt) {
    return refuse(
      "RULE_OUT_TOO_EARLY",
      `A request of ${name} in case ${state.caseId} can still arrive at ${pending.destination} until ` +
        `${formatUtc(arrivalAt)}. Look again then; nothing was changed.`,
    );
  }
  const entry: Entry = { kind: "outcomeRuledOut", intentVersion: pending.version, ...ruling };
  return { kind: "write", entries: [entry] };
}

/**
 * Orders a confirmed step to be done again. It lapses by that order, and those that follow it as far as they rest on it; a
 * step whose policy is to undo is undone first.
 */
export function decideRedo(
  { state, outline }: PlanInput,
  held: HeldBy | null,
  order: { readonly step: string; readonly by: Actor; readonly reason: string },
): MoveVerdict {
  if (isEnded(state)) return caseEnded(state);
  if (held !== null) return caseClaimed(state, held);
  const why = whyNotRedone(state, stepNamed(outline, order.step));
  if (why !== null) {
    return refuse("NOTHING_TO_REDO", `${order.step} of case ${state.caseId} cannot be done again: ${why}.`);
  }
  return { kind: "write", entries: [{ kind: "redoOrdered", ...order }] };
}

function whyNotRedone(state: CaseState, step: StepOutline | null): string | null {
  if (state.cancelRequest !== null) return CANCELING;
  if (step?.kind === "each") return "it is done key by key: name the one";
  const confirmation = step === null ? null : stepOf(state, step.name).confirmation;
  if (isNotNeeded(confirmation)) return "it was not needed; correct the input so that it is";
  return confirmation === null
    ? "only a confirmed step can be done again; resume the case to go on with any other"
    : null;
}

/** Any step but an undo. */
function stepNamed(outline: CaseOutline, name: string): StepOutline | null {
  return undoneName(name) === name ? findStep(outline, name) : null;
}

const CANCELING = "the case is being canceled: what it did is undone, and nothing is begun";

/**
 * Orders what a confirmed step did to be taken back, by the step's own `undo`. It then waits for a person: it is not done
 * again by itself. What follows it lapses as far as it rests on it.
 */
export function decideUndo(
  { state, outline }: PlanInput,
  held: HeldBy | null,
  order: { readonly step: string; readonly by: Actor; readonly reason: string },
): MoveVerdict {
  if (isEnded(state)) return caseEnded(state);
  if (held !== null) return caseClaimed(state, held);
  const why = whyNotUndone(state, stepNamed(outline, order.step));
  if (why !== null) {
    return refuse("NOTHING_TO_UNDO", `${order.step} of case ${state.caseId} cannot be undone: ${why}.`);
  }
  return { kind: "write", entries: [{ kind: "undoOrdered", ...order }] };
}

function whyNotUndone(state: CaseState, step: StepOutline | null): string | null {
  if (state.cancelRequest !== null) return CANCELING;
  if (step === null) return "the definition has no such step";
  if (step.kind !== "step" || step.undo === null) return "its definition does not say how";
  const { confirmation, lapse } = stepOf(state, step.name);
  if (confirmation === null) return "it is not confirmed";
  if (isWithoutEffect(confirmation)) return "nothing of it is there";
  return lapse?.kind === "undo" ? "that is ordered already" : null;
}

/** What a person lists as staying outside. */
export interface LeavingOutside {
  readonly step: string;
  readonly by: Actor;
  readonly reason: string;
}

/**
 * Says in a case that is being canceled that what a step did, or may have done, stays outside, or was taken back by hand:
 * nothing more is done about it. An undo that is under way may be named as well as its step.
 */
export function decideLeavingOutside(
  state: CaseState,
  held: HeldBy | null,
  { step: named, by, reason }: LeavingOutside,
): MoveVerdict {
  if (isEnded(state)) return caseEnded(state);
  if (held !== null) return caseClaimed(state, held);
  const step = undoneName(named);
  const none = (why: string): MoveVerdict =>
    refuse("NOTHING_TO_LEAVE", `${step} of case ${state.caseId} cannot be left outside: ${why}.`);
  if (state.cancelRequest === null) return none("the case is not being canceled");
  if (isLeftOutside(state, step)) return { kind: "repeated" };
  const isThere = outsideEffects(state).some((one) => one.step === step);
  if (!isThere) return none("nothing of it is there, or it is undone already");
  return { kind: "write", entries: [{ kind: "leftOutside", step, by, reason }] };
}
