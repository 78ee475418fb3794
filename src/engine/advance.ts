/**
 * What to commit next for a claimed case: the outcomes that are in, and as far onward as the plan goes without a send,
 * up to one attempt to open. Pure apart from the author's own pure functions (facts and `request`).
 */

import { stepOf, type CaseState } from "../core/case-state.ts";
import { decideAssumedAttempt, decideOpenAttempt, type OpenAttempt } from "../core/decide.ts";
import type { Digest } from "../core/basis.ts";
import { foldEntries } from "../core/fold.ts";
import type { Actor, AttemptRef, Entry, JournalEntry, Rename } from "../core/journal.ts";
import type { Wait } from "../core/waits.ts";
import type { PollStepOutline, SendStepOutline } from "../core/outline.ts";
import { isSameLook } from "../core/plan-poll.ts";
import { planCase, type Plan } from "../core/plan.ts";
import { areSameWaits, isHeldBack } from "../core/plan-hold.ts";
import type { Holds, PlannedStep } from "../core/planning.ts";
import { renamesFor } from "../core/renames.ts";
import { reviewFor } from "../core/review.ts";
import { pendingIntent } from "../core/settled.ts";
import type { CaseType } from "../define/case-type.ts";
import { answerFacts } from "../define/facts.ts";
import { makeKeys, makeRequest, makeResult, NO_REQUEST } from "../define/make-request.ts";

/**
 * Entries beyond the outcomes in one commit, before what ends it (two to open an attempt, or to park); what is left
 * goes with the next. With the outcomes of a turn it stays below what a commit may hold.
 */
export const ONWARD_ENTRIES_MAX = 24;
/** A claimed case and what is known about it now. */
export interface AdvanceInput {
  readonly caseType: CaseType;
  readonly state: CaseState;
  /** What the tasks that ended gave, not committed yet. */
  readonly outcomes: readonly Entry[];
  /** Steps with a task under way. */
  readonly busy: ReadonlySet<string>;
  readonly claimId: string;
  readonly holder: Actor;
  readonly now: number;
  readonly digest: Digest;
  /** False while the process winds down: nothing new is begun. */
  readonly mayBegin: boolean;
  /** True when the worker's gate lets one more attempt be opened now. */
  readonly mayOpenAttempt: boolean;
  /** Destinations that take no further attempt now. Left out: none. */
  readonly holds?: Holds;
}

/** A question to ask, beside any commit. */
export type Question =
  | { readonly kind: "check"; readonly step: SendStepOutline; readonly about: "outcome" | "present" }
  | { readonly kind: "probe"; readonly step: string; readonly conditions: readonly string[] }
  | { readonly kind: "look"; readonly step: PollStepOutline }
  | { readonly kind: "refresh"; readonly step: SendStepOutline };

/** How the claim goes on after the commit. */
export type ClaimEnd =
  /** It is kept: something is under way or about to be. */
  | "keep"
  /** The case ended, or nothing more can be done now: its entries say so. */
  | "settled"
  /** The process winds down: the case goes back as it stands. */
  | "handBack"
  /** What it waits for is as the journal says; only when it is looked at again is new. Its outcomes say nothing else. */
  | "pollAgain";

/** What to do next. */
export interface Advance {
  readonly questions: readonly Question[];
  /** True when an attempt is wanted and the gate has to be asked first. */
  readonly wantsAttempt: boolean;
  /** A step that is sent only with a permit for its destination, which has to be asked for first. */
  readonly wantsPermit: SendStepOutline | null;
  /** Stored only if nothing came in between. */
  readonly onward: readonly Entry[];
  /** The attempt that `onward` opens; it is sent once the commit is answered. */
  readonly opens: AttemptRef | null;
  readonly end: ClaimEnd;
  /** When the case is looked at again, where `end` is `pollAgain`. */
  readonly pollAt?: number;
  /** What is held back, where `end` gives the case back. */
  readonly held: readonly Wait[];
}

/** Works out the next commit. */
export function advance(input: AdvanceInput): Advance {
  const { outline } = input.caseType;
  const onward: Entry[] = [];
  let state = preview(input.state, input.outcomes, input.now);
  const renamed = renamesFor(outline, state);
  if (renamed.length > 0) {
    onward.push(definitionChanged(input, renamed));
    state = preview(state, onward, input.now);
  }
  const next = goOnFrom(input, state, onward);
  const isNew =
    outline.version > state.definitionVersion && next.onward.some(({ kind }) => kind !== "parked");
  return isNew && renamed.length === 0
    ? { ...next, onward: [definitionChanged(input, []), ...next.onward] }
    : next;
}

/** What this version does to the case, versions that have never heard of it must not go on with (R12). */
function definitionChanged(
  { caseType: { outline }, holder }: AdvanceInput,
  renamed: readonly Rename[],
): Entry {
  const { version, search } = outline;
  return {
    kind: "definitionChanged",
    version,
    renamed,
    ...(search === undefined ? {} : { search }),
    by: holder,
  };
}

function goOnFrom(input: AdvanceInput, from: CaseState, given: readonly Entry[]): Advance {
  const onward = [...given];
  let state = from;
  for (;;) {
    const plan = planCase({
      outline: input.caseType.outline,
      state,
      answers: answerFacts(input.caseType, state, input.now),
      busy: input.busy,
      now: input.now,
      digest: input.digest,
      ...(input.holds === undefined ? {} : { holds: input.holds }),
    });
    const halt = haltEntry(state, plan);
    if (halt !== null) return { ...NOTHING, onward: [...onward, halt], end: "settled" };
    const recorded = recordNext(plan).slice(0, ONWARD_ENTRIES_MAX - onward.length);
    if (recorded.length > 0) {
      onward.push(...recorded);
      state = preview(state, recorded, input.now);
      continue;
    }
    if (onward.length >= ONWARD_ENTRIES_MAX) return { ...NOTHING, onward, end: "keep" };
    const begun = fanOutNext(input, state, plan);
    if (begun !== null) {
      onward.push(begun);
      state = preview(state, [begun], input.now);
      continue;
    }
    const assumed = assumeNext(input, state, plan);
    if (assumed.length > 0) {
      onward.push(...assumed);
      state = preview(state, assumed, input.now);
      continue;
    }
    const opening = input.mayBegin && input.mayOpenAttempt ? openNext(input, state, plan, onward) : null;
    if (opening === null) return finish(input, state, plan, onward);
    if (opening.kind === "opened") return opening.advance;
    onward.push(opening.entry);
    state = preview(state, [opening.entry], input.now);
  }
}

const NOTHING: Advance = {
  questions: [],
  wantsAttempt: false,
  wantsPermit: null,
  onward: [],
  opens: null,
  end: "keep",
  held: [],
};

/** A state as it will be once `entries` are stored. */
export function preview(state: CaseState, entries: readonly Entry[], at: number): CaseState {
  const time = Math.max(at, state.changedAt);
  const numbered = entries.map((entry, index): JournalEntry => ({
    revision: state.revision + 1 + index,
    at: time,
    commitId: "",
    entry,
  }));
  return foldEntries(state, numbered);
}

function haltEntry({ cancelRequest, pauseRequest }: CaseState, { halt }: Plan): Entry | null {
  switch (halt) {
    case "none":
      return null;
    case "cancel":
      return cancelRequest === null
        ? null
        : { kind: "canceled", by: cancelRequest.by, reason: cancelRequest.reason };
    case "pause":
      return pauseRequest === null ? null : { kind: "paused", ...pauseRequest };
  }
}

/** What the plan found that only has to be written down: shifts, then one confirmation, then new reviews. */
function recordNext({ shifts, steps, strays }: Plan): readonly Entry[] {
  if (shifts.length > 0) return shifts;
  for (const { act } of steps) if (act.kind === "confirm" || act.kind === "record") return [act.entry];
  return [...steps.map(({ act }) => act), ...strays].flatMap((act): readonly Entry[] =>
    act.kind === "review" && !act.isOpen ? [{ kind: "reviewOpened", review: act.review }] : [],
  );
}

/** The keys of an `each` that can begin, or why there are none. */
function fanOutNext({ caseType }: AdvanceInput, state: CaseState, { steps }: Plan): Entry | null {
  const step = steps.find(({ act }) => act.kind === "fanOut")?.step;
  if (step === undefined) return null;
  const made = makeKeys(caseType, state, step.name);
  if (made.kind === "made") return { kind: "eachStarted", step: step.name, keys: made.keys };
  const sentence = `The items of ${step.name} could not be had: ${made.why}. Nothing was sent.`;
  return { kind: "reviewOpened", review: reviewFor(caseType.outline, step, "bug", sentence) };
}

/** The attempt that a step may have had before its case was restored from a backup, or why nothing may be sent. */
function assumeNext(input: AdvanceInput, state: CaseState, { steps }: Plan): readonly Entry[] {
  const target = steps.find(({ act }) => act.kind === "send" && act.isDoubtful === true)?.target;
  if (target?.kind !== "step") return [];
  const opened = openAttempt(input, state, target, decideAssumedAttempt);
  return opened.kind === "open" ? opened.entries : [{ kind: "reviewOpened", review: opened.review }];
}

type Opening =
  { readonly kind: "opened"; readonly advance: Advance } | { readonly kind: "review"; readonly entry: Entry };

function openNext(
  input: AdvanceInput,
  state: CaseState,
  plan: Plan,
  onward: readonly Entry[],
): Opening | null {
  const step = plan.steps.map(sendOf).find((one) => one !== null) ?? null;
  if (step === null) return null;
  const opened = openAttempt(input, state, step);
  if (opened.kind === "refused")
    return { kind: "review", entry: { kind: "reviewOpened", review: opened.review } };
  const last = opened.entries.find((entry) => entry.kind === "attemptOpened");
  const opens =
    last === undefined ? null : { step: last.step, intentVersion: last.intentVersion, attempt: last.attempt };
  return { kind: "opened", advance: { ...NOTHING, onward: [...onward, ...opened.entries], opens } };
}

function sendOf({ act, target }: PlannedStep): SendStepOutline | null {
  return act.kind === "send" && act.needsPermit === undefined && target.kind === "step" ? target : null;
}

/** Needs a permit first. */
function permittedOf({ act, target }: PlannedStep): SendStepOutline | null {
  return act.kind === "send" && act.needsPermit === true && target.kind === "step" ? target : null;
}

type OpenInput = Parameters<typeof decideOpenAttempt>[0];

function openAttempt(
  input: AdvanceInput,
  state: CaseState,
  step: SendStepOutline,
  decide: (opening: OpenInput) => OpenAttempt = decideOpenAttempt,
): OpenAttempt {
  const { caseType, claimId, holder, now, digest } = input;
  // An unsettled intent is repeated with the request it was opened with (R18); the author is not asked for another.
  const { intent, confirmation } = stepOf(state, step.name);
  const isRepeat = pendingIntent(intent, confirmation) !== null;
  const request = isRepeat ? NO_REQUEST : makeRequest(caseType, state, step);
  if (request.kind === "failed") {
    const sentence = `The request of ${step.name} could not be made: ${request.why}. Nothing was sent.`;
    return { kind: "refused", review: reviewFor(caseType.outline, step, "bug", sentence) };
  }
  const { outline } = caseType;
  return decide({ outline, step, state, request: request.value, claimId, holder, now, digest });
}

function finish(input: AdvanceInput, state: CaseState, plan: Plan, onward: readonly Entry[]): Advance {
  const isBusy = input.busy.size > 0;
  if (!input.mayBegin) return { ...NOTHING, onward, end: isBusy ? "keep" : "handBack" };
  const questions = plan.steps.flatMap(questionOf);
  const wantsAttempt = plan.steps.some((one) => sendOf(one) !== null);
  const wantsPermit = plan.steps.map(permittedOf).find((one) => one !== null) ?? null;
  if (isBusy || questions.length > 0 || wantsAttempt || wantsPermit !== null)
    return { ...NOTHING, onward, questions, wantsAttempt, wantsPermit };
  if (plan.isComplete) return complete(input, state, plan, onward);
  return giveBack(input, state, plan, onward);
}

/** Every step stands: the case is done with what it gives, or people see why that could not be had. */
function complete(input: AdvanceInput, state: CaseState, { steps }: Plan, onward: readonly Entry[]): Advance {
  const { caseType } = input;
  const made = makeResult(caseType, state);
  const last = steps.at(-1)?.step;
  if (made.kind === "made" || last === undefined) {
    const result = made.kind === "failed" || caseType.resultOf === null ? {} : { result: made.value };
    return { ...NOTHING, onward: [...onward, { kind: "caseDone", ...result }], end: "settled" };
  }
  const sentence = `Every step stands, but what the case gives could not be had: ${made.why}.`;
  const review = reviewFor(caseType.outline, last, "bug", sentence);
  const parked: Entry = { kind: "parked", waits: [], dueAt: null };
  return { ...NOTHING, onward: [...onward, { kind: "reviewOpened", review }, parked], end: "settled" };
}

/** Nothing more can be done now. Where nothing has changed but when it is looked at again, nothing is written down. */
function giveBack(input: AdvanceInput, state: CaseState, plan: Plan, onward: readonly Entry[]): Advance {
  const parked = park(input, state, plan);
  const waits = waitsIn(plan);
  const held = waits.filter(isHeldBack);
  const { rest } = input.state;
  const dueAt = firstDueAt(waits);
  const isUnchanged = rest.kind === "waiting" && areSameWaits(rest.waits, waits);
  const isNew = onward.length > 0 || !input.outcomes.every((one) => isSameLook(input.state, one));
  const isPolled = held.length > 0 || input.outcomes.length > 0;
  if (isPolled && dueAt !== null && isUnchanged && !isNew) {
    return { ...NOTHING, end: "pollAgain", pollAt: dueAt, held };
  }
  return { ...NOTHING, onward: [...onward, ...parked], end: "settled", held };
}

function waitsIn(plan: Plan): readonly Wait[] {
  return plan.steps.flatMap(({ act }) => (act.kind === "wait" ? [act.wait] : []));
}

function firstDueAt(waits: readonly Wait[]): number | null {
  const times = waits.flatMap(({ dueAt }) => (dueAt === null ? [] : [dueAt]));
  return times.length === 0 ? null : Math.min(...times);
}

function questionOf({ act, target }: PlannedStep): readonly Question[] {
  if (act.kind === "ask") return [{ kind: "probe", step: target.name, conditions: act.conditions }];
  if (act.kind === "look") return target.kind === "poll" ? [{ kind: "look", step: target }] : [];
  if (target.kind !== "step") return [];
  if (act.kind === "refresh") return [{ kind: "refresh", step: target }];
  if (act.kind !== "check") return [];
  return [{ kind: "check", step: target, about: act.about }];
}

function park({ caseType }: AdvanceInput, state: CaseState, plan: Plan): readonly Entry[] {
  const waits = waitsIn(plan);
  const parked: Entry = { kind: "parked", waits, dueAt: firstDueAt(waits) };
  const isInSight = waits.length > 0 || Object.values(state.steps).some(({ review }) => review !== null);
  if (isInSight) return [parked];
  // No step can go on and none says why: only a definition that changed under the case can lead here.
  const [stuck] = plan.steps.filter(({ standing }) => standing.kind !== "stands").map(({ step }) => step);
  if (stuck === undefined) return [parked];
  const sentence = `${stuck.name} can neither go on nor wait; the definition no longer fits what is confirmed.`;
  return [{ kind: "reviewOpened", review: reviewFor(caseType.outline, stuck, "bug", sentence) }, parked];
}
