/**
 * The review packet: everything that a person needs to move a case, as one value of plain JSON. The API, the command line,
 * notices and the console show parts of it and compute nothing themselves.
 */

import type { SecondView } from "./second-view.ts";
import { stepOf, type CaseState } from "../core/case-state.ts";
import type { Erasure } from "../core/erasure.ts";
import type { Actor, JournalEntry, Review } from "../core/journal.ts";
import type { Json } from "../core/json.ts";
import { stepFormerlyNamed } from "../core/renames.ts";
import { diffJson, type JsonChange } from "../core/json-diff.ts";
import { decideResume, previewWith } from "../core/moves.ts";
import type { SlotRef } from "../core/schedule.ts";
import { viewLayers, type LayersView } from "./attempt-layers.ts";
import {
  attentionOf,
  failuresOf,
  viewCase,
  type CaseView,
  type CaseViewInput,
  type LastErrorView,
} from "./case-view.ts";
import { sayInstruction, sayKind } from "./failure-words.ts";
import { inputsOf } from "./plan-input.ts";
import { viewPlan, type ConditionView, type PlanView } from "./plan-view.ts";

/** Corrections that a packet holds; of more, the newest. */
const CORRECTIONS_MAX = 50;
/** Failures that a packet holds; of more, the newest. */
const FAILURES_MAX = 50;
/** Events that a packet names as arrived meanwhile; of more, the newest. */
const ARRIVED_MAX = 100;

/** A review, with when it was opened. */
export interface ReviewView extends Review {
  readonly openedAt: number;
  /** True once a person should have acted, because a time runs on (R20). */
  readonly isOverdue: boolean;
}

/** The last error in words. */
export interface ErrorInWords extends LastErrorView {
  /** What its kind means for people. */
  readonly kindWords: string;
  /** What the destination told us about trying again; null where it told nothing. */
  readonly instructionWords: string | null;
}

/** A condition of a step, with its last answer. */
export interface PrerequisiteView extends ConditionView {
  readonly step: string;
  /** True where a person may have it asked now. */
  readonly canCheckNow: boolean;
}

/** The next thing that the engine does by itself. */
export interface NextCheck {
  /** Earliest time, epoch ms; null = nothing before a fact or a person's act. */
  readonly at: number | null;
  readonly step: string | null;
  readonly sentence: string;
}

/** An event that came since the case stopped. */
export interface ArrivedEvent {
  readonly revision: number;
  readonly at: number;
  readonly eventType: string;
  readonly sourceId: string;
  readonly payload: Json;
  /** `attached`: it is applied when the open repair ends. */
  readonly became: "applied" | "attached" | "ignored";
  /** Why it was ignored; null where it was not. */
  readonly why: string | null;
}

/** One correction of the input. */
export interface CorrectionView {
  readonly revision: number;
  readonly at: number;
  readonly by: Actor;
  readonly reason: string;
  readonly changes: readonly JsonChange[];
}

/** Everything that a person needs to move a case. Times are epoch ms. */
export interface ReviewPacket extends CaseView {
  /** The slot that it was started for; null = no schedule started it. */
  readonly slot: SlotRef | null;
  /** What stopped, since when, who acts next and by when: one or two plain sentences. */
  readonly headline: string;
  readonly reviews: readonly ReviewView[];
  readonly lastError: ErrorInWords | null;
  /** The last failure of each step that waits for a person or to be tried again, the newest first; at most 50. */
  readonly failures: readonly ErrorInWords[];
  readonly prerequisites: readonly PrerequisiteView[];
  readonly nextCheck: NextCheck;
  /** The plan if the case is resumed as it stands; null where it cannot be, or its definition is not loaded. */
  readonly ifResumed: PlanView | null;
  /** Why a resume would not help; null where it would. */
  readonly resumeBlocked: string | null;
  readonly attemptsByLayer: readonly LayersView[];
  /** From the original input to the present one. */
  readonly inputChanges: readonly JsonChange[];
  readonly corrections: readonly CorrectionView[];
  /** Since the oldest open review, or the open repair; none where neither is open. */
  readonly arrivedMeanwhile: readonly ArrivedEvent[];
  /** Moves that wait for a second person, oldest first. */
  readonly seconds: readonly SecondView[];
  /** Moves that waited for one, oldest first: what became of each. */
  readonly pastSeconds: readonly SecondView[];
  /** True where marks stand for values of this case, which a reveal tells. */
  readonly isMasked: boolean;
  /** True where the person who looks has the right to reveal them. */
  readonly mayReveal: boolean;
}

/** Makes the packet. */
export function viewPacket(
  input: CaseViewInput,
  seconds: { readonly open: readonly SecondView[]; readonly over: readonly SecondView[] },
): ReviewPacket {
  const { stored, state, now } = input;
  const { journal } = stored;
  const view = viewCase(input);
  const resumed = viewResumed(input);
  return {
    ...view,
    slot: slotOf(journal),
    headline: sayHeadline(view, input),
    reviews: view.reviews.map((review) => viewReview(review, journal, now)),
    lastError: view.lastError === null ? null : inWords(view.lastError, input),
    failures: openFailures(view, state).map((one) => inWords(one, input)),
    prerequisites: prerequisitesOf(view),
    nextCheck: nextCheckOf(view, input),
    ...resumed,
    attemptsByLayer: viewLayers(state, input.inputs?.now.outline ?? null),
    inputChanges: diffJson(state.originalInput, state.input),
    corrections: correctionsOf(journal),
    arrivedMeanwhile: arrivedSince(journal, stoppedAtRevision(state, journal), state),
    seconds: seconds.open,
    pastSeconds: seconds.over,
    isMasked: false,
    mayReveal: input.hasRight("reveal"),
  };
}

function slotOf([first]: readonly JournalEntry[]): SlotRef | null {
  return first?.entry.kind === "caseStarted" ? (first.entry.slot ?? null) : null;
}

function sayErased(erased: Erasure | undefined, formatTime: (at: number) => string): string {
  if (erased === undefined) return "";
  const { at, by, reason } = erased;
  return ` What it held was erased by ${by} at ${formatTime(at)}: ${reason.replace(/\.$/, "")}.`;
}

function sayHeadline(view: CaseView, { formatTime, state: { erased } }: CaseViewInput): string {
  const { reading, assignee } = view;
  const { actsNext, byAt } = reading;
  const since = `Since ${formatTime(view.sinceAt)}.${sayErased(erased, formatTime)}`;
  const given = assignee === null ? "" : ` Given to ${assignee.label}.`;
  if (actsNext === "nobody") return `${reading.sentence} ${since}${given}`;
  const by = byAt === null ? "" : ` by ${formatTime(byAt)}`;
  return `${reading.sentence} ${since}${given} Next: ${actsNext}${by}.`;
}

function viewReview(review: Review, journal: readonly JournalEntry[], now: number): ReviewView {
  const opened = journal.findLast(
    ({ entry }) => entry.kind === "reviewOpened" && entry.review.step === review.step,
  );
  const dueAt = review.window?.dueAt ?? null;
  return { ...review, openedAt: opened?.at ?? now, isOverdue: dueAt !== null && now >= dueAt };
}

/** Steps side by side stop each for a reason of its own: the last failure of all would hide the others. */
function openFailures({ reviews, waits }: CaseView, state: CaseState): readonly LastErrorView[] {
  const open = new Set([...reviews, ...waits].map(({ step }) => step));
  return failuresOf(state)
    .filter(({ step }) => open.has(step))
    .slice(0, FAILURES_MAX);
}

function inWords(error: LastErrorView, { formatTime }: CaseViewInput): ErrorInWords {
  const { failure, at } = error;
  return {
    ...error,
    kindWords: sayKind(failure.kind),
    instructionWords: sayInstruction(failure.instruction, at, formatTime),
  };
}

function prerequisitesOf({ plan, moves }: CaseView): readonly PrerequisiteView[] {
  const canCheck = new Set(
    moves.flatMap(({ move, step, isAllowed }) => (move === "check" && isAllowed ? [step] : [])),
  );
  return (plan?.steps ?? []).flatMap(({ step, conditions }) =>
    conditions.map((one) => ({ ...one, step, canCheckNow: one.kind === "probe" && canCheck.has(step) })),
  );
}

function nextCheckOf({ steps, repair, now }: CaseView, { formatTime }: CaseViewInput): NextCheck {
  const [first] = steps
    .flatMap(({ step, nextCheckAllowedAt: at }) => (at === null ? [] : [{ step, at }]))
    .toSorted((one, other) => one.at - other.at);
  if (first !== undefined) {
    const when = first.at <= now ? "as soon as a worker takes it up" : `not before ${formatTime(first.at)}`;
    return { ...first, sentence: `The engine goes on with ${first.step} by itself, ${when}.` };
  }
  const until = repair === null ? "a person acts or an event comes" : "the open repair ends";
  return { at: null, step: null, sentence: `The engine sends and asks nothing by itself before ${until}.` };
}

/** From recorded answers: what a worker would find out first is not known here. */
function viewResumed(input: CaseViewInput): Pick<ReviewPacket, "ifResumed" | "resumeBlocked"> {
  const { inputs, formatTime, makeRequest, fingerprintNow, definition } = input;
  if (inputs === null) return { ifResumed: null, resumeBlocked: definition.sentence };
  const order = { step: null, by: { kind: "person", name: "preview" }, reason: null } as const;
  const verdict = decideResume(inputs.ahead, null, order, fingerprintNow);
  if (verdict.kind === "refused") return { ifResumed: null, resumeBlocked: verdict.sentence };
  const after = previewWith(inputs.ahead, { kind: "resumed", ...order });
  const resumed = inputsOf(after, input.inputFor);
  const attention = attentionOf(input);
  return { ifResumed: viewPlan(resumed, { formatTime, makeRequest, attention }), resumeBlocked: null };
}

function correctionsOf(journal: readonly JournalEntry[]): readonly CorrectionView[] {
  const corrections: CorrectionView[] = [];
  let before: Json = null;
  for (const { revision, at, entry } of journal) {
    if (entry.kind === "caseStarted") before = entry.input;
    if (entry.kind !== "inputCorrected") continue;
    const { by, reason, input } = entry;
    corrections.push({ revision, at, by, reason, changes: diffJson(before, input) });
    before = input;
  }
  return corrections.slice(-CORRECTIONS_MAX);
}

/** Where the oldest open review, or the open repair, began; null = neither is open. */
function stoppedAtRevision(state: CaseState, journal: readonly JournalEntry[]): number | null {
  const inReview = Object.keys(state.steps).filter((name) => stepOf(state, name).review !== null);
  const opened = inReview.flatMap((name) => {
    const last = journal.findLast(
      ({ entry }) => entry.kind === "reviewOpened" && stepFormerlyNamed(state, entry.review.step) === name,
    );
    return last === undefined ? [] : [last.revision];
  });
  const repair = state.repair === null ? undefined : journal.findLast(isRepairBegun);
  const all = [...opened, ...(repair === undefined ? [] : [repair.revision])];
  return all.length === 0 ? null : Math.min(...all);
}

function isRepairBegun({ entry }: JournalEntry): boolean {
  return entry.kind === "repairOpened";
}

function arrivedSince(
  journal: readonly JournalEntry[],
  since: number | null,
  { repair }: CaseState,
): readonly ArrivedEvent[] {
  if (since === null) return [];
  const attached = new Set(repair?.attached.map(({ revision }) => revision));
  return journal
    .filter(({ revision }) => revision > since)
    .flatMap(({ revision, at, entry }): readonly ArrivedEvent[] => {
      if (entry.kind !== "eventReceived" && entry.kind !== "eventAttached") return [];
      const { eventType, sourceId, payload } = entry;
      const why = entry.kind === "eventReceived" ? entry.ignored : null;
      const became = why !== null ? "ignored" : attached.has(revision) ? "attached" : "applied";
      return [{ revision, at, eventType, sourceId, payload, became, why }];
    })
    .slice(-ARRIVED_MAX);
}
