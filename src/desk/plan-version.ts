/**
 * R5: the version of a plan, so that a person acts on what they saw. A hash over a step and all that follow it:
 * standing, basis, intent version, fingerprint, answers to conditions, and the ids of events that a wait has not used
 * yet; no times, ages or attempts, so that it changes only when the decision might.
 */

import { basisOf } from "../core/basis.ts";
import { usableAnswer } from "../core/conditions.ts";
import { FootholdError } from "../core/errors.ts";
import { foldJournal } from "../core/fold.ts";
import { stepOf, type CaseState } from "../core/case-state.ts";
import type { JournalEntry } from "../core/journal.ts";
import { canonicalJson, type Json } from "../core/json.ts";
import { planCase } from "../core/plan.ts";
import type { PlanInput, PlannedStep } from "../core/planning.ts";

const HASH_CHARS = 16;
const form = /^p(\d{1,9})\.([0-9a-f]{16})$/;

/** What the version of one step says, in the terms that a person saw. */
interface StepFacts {
  readonly step: string;
  readonly facts: { readonly [fact: string]: Json };
}

/** The version of the plan of `step` and all that follow it; of the whole case where `step` is null. */
export function planVersion(input: PlanInput, step: string | null): string {
  return `p${input.state.revision}.${hashOf(input, step)}`;
}

function hashOf(input: PlanInput, step: string | null): string {
  const told = factsOf(input, step).map((one) => [one.step, one.facts]);
  return input.digest(canonicalJson([input.outline.name, told])).slice(0, HASH_CHARS);
}

function factsOf(input: PlanInput, from: string | null): readonly StepFacts[] {
  return planCase(input)
    .steps.filter(({ step }) => from === null || step.name === from || step.closure.includes(from))
    .map((planned) => ({ step: planned.step.name, facts: stepFacts(input, planned) }));
}

function stepFacts(input: PlanInput, { step, standing }: PlannedStep): StepFacts["facts"] {
  const { intent, review, answer } = stepOf(input.state, step.name);
  const conditions = step.kind === "step" ? [...step.requires, ...step.before] : step.requires;
  const answers = conditions.map((one) => [one.name, usableAnswer(input, step.name, one)?.kind ?? null]);
  const awaited = step.kind === "waitForEvent" ? step.eventType : null;
  return {
    standing: standing.kind,
    "input or earlier results": basisOf(step, input.state, input.digest),
    "intent version": intent?.version ?? null,
    request: intent?.fingerprint ?? null,
    review: review?.reason ?? null,
    answer: answer === null ? null : answer.sourceId,
    prerequisites: answers,
    events: input.state.events
      .filter(({ eventType }) => eventType === awaited)
      .map(({ sourceId }) => sourceId),
  };
}

/** What a plan version is compared with. */
export interface PlanNow {
  /** The case now. */
  readonly input: PlanInput;
  readonly journal: readonly JournalEntry[];
  /** The plan's input for an earlier state of the case, to say what changed since. */
  readonly inputFor: (state: CaseState) => PlanInput;
}

/**
 * Compares the plan that a person saw with the one now; null = nothing that matters changed. The version seen may be of
 * `step` or of the whole case. Throws `INVALID_REQUEST` for a text that is no plan version.
 */
export function planChange(
  now: PlanNow,
  seen: { readonly plan: string; readonly step: string | null },
): FootholdError | null {
  const { input } = now;
  const [, revision, hash] = form.exec(seen.plan) ?? [];
  if (revision === undefined || hash === undefined) {
    throw new FootholdError(
      "INVALID_REQUEST",
      `${JSON.stringify(seen.plan.slice(0, 60))} is no plan version. One looks like p12.0123456789abcdef and is shown with the case.`,
    );
  }
  if (hashOf(input, seen.step) === hash || hashOf(input, null) === hash) return null;
  const { caseId } = input.state;
  const changes = whatChanged(now, { hash, revision: Number(revision), step: seen.step });
  return new FootholdError(
    "PLAN_CHANGED",
    `The plan of case ${caseId} changed since revision ${revision}: ${changes.join("; ")}. ` +
      `Look at it again; nothing was done.`,
    { details: { caseId, changes, plan: planVersion(input, seen.step) } },
  );
}

/** The plan seen is made again from the first part of the journal. */
function whatChanged(
  { input, journal, inputFor }: PlanNow,
  seen: { readonly hash: string; readonly revision: number; readonly step: string | null },
): readonly string[] {
  const before = journal.slice(0, seen.revision);
  if (before.length === 0 || seen.revision > journal.length) return ["that plan was not of this case"];
  const old = inputFor(foldJournal(input.state.caseId, before));
  const scope = hashOf(old, seen.step) === seen.hash ? seen.step : null;
  const oldFacts = factsOf(old, scope);
  const changes = factsOf(input, scope).flatMap(({ step: name, facts }) => {
    const had = oldFacts.find((one) => one.step === name)?.facts ?? {};
    return Object.entries(facts)
      .filter(([fact, value]) => canonicalJson(value) !== canonicalJson(had[fact] ?? null))
      .map(([fact, value]) => `${name}: ${sayChange(fact, had[fact] ?? null, value)}`);
  });
  return changes.length > 0 ? changes : ["its definition, or what time alone changes"];
}

function sayChange(fact: string, from: Json, to: Json): string {
  const isPlain = fact === "standing" || fact === "review" || fact === "intent version";
  return isPlain ? `${fact} was ${sayValue(from)} and is ${sayValue(to)}` : `${fact} changed`;
}

function sayValue(value: Json): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "none";
}
