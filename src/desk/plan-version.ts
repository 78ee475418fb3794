/**
 * R5: the version of a plan, so that a person acts on what they saw. A hash over a step and all that follow it:
 * standing, basis, intent version, fingerprint, answers to conditions, the ids of events that a wait has not used yet, and
 * what events attached to an open repair would change of these (R22); no times, ages or attempts, so that it changes
 * only when the decision might.
 */

import { basisOf } from "../core/basis.ts";
import { usableAnswer } from "../core/conditions.ts";
import { FootholdError } from "../core/errors.ts";
import { foldJournal } from "../core/fold.ts";
import { stepOf, type CaseState, type OpenRepair, type ReceivedEvent } from "../core/case-state.ts";
import type { JournalEntry } from "../core/journal.ts";
import { canonicalJson, type Json, type JsonObject } from "../core/json.ts";
import { awaitedTypes } from "../core/outline.ts";
import { isAfter } from "../core/part-name.ts";
import { planCase } from "../core/plan.ts";
import type { PlanInput, PlannedStep } from "../core/planning.ts";
import { inputsOf, type PlanInputs } from "./plan-input.ts";

const HASH_CHARS = 16;
const form = /^p(\d{1,9})\.([0-9a-f]{16})$/;

/** What the version of one step says, in the terms that a person saw. */
interface StepFacts {
  readonly step: string;
  readonly facts: { readonly [fact: string]: Json };
}

/** The version of the plan of `step` and all that follow it; of the whole case where `step` is null. */
export function planVersion(inputs: PlanInputs, step: string | null): string {
  return `p${inputs.now.state.revision}.${hashOf(inputs, step)}`;
}

function hashOf(inputs: PlanInputs, step: string | null): string {
  const { digest, outline } = inputs.now;
  const told = factsOf(inputs, step).map((one) => [one.step, one.facts]);
  return digest(canonicalJson([outline.name, told])).slice(0, HASH_CHARS);
}

function factsOf({ now, ahead }: PlanInputs, from: string | null): readonly StepFacts[] {
  const aheadSteps = now === ahead ? [] : planCase(ahead).steps;
  return planCase(now)
    .steps.filter(({ step }) => from === null || step.name === from || isAfter(step, from))
    .map((planned) => {
      const later = aheadSteps.find(({ step }) => step.name === planned.step.name) ?? null;
      const facts = { ...stepFacts(now, planned), [CAME]: whatCame(now, planned, ahead, later) };
      return { step: planned.step.name, facts };
    });
}

/** The fact that tells of events attached to an open repair, where they matter to a step. */
const CAME = "what came meanwhile";

/** What a step would stand on once what is attached is applied; null where that is the same. */
function whatCame(now: PlanInput, planned: PlannedStep, ahead: PlanInput, later: PlannedStep | null): Json {
  if (later === null) return null;
  const applied = factsOfEvents(ahead, later);
  return canonicalJson(applied) === canonicalJson(factsOfEvents(now, planned)) ? null : applied;
}

function stepFacts(input: PlanInput, planned: PlannedStep): StepFacts["facts"] {
  const { step } = planned;
  const { intent, review, answer } = stepOf(input.state, step.name);
  return {
    "input or earlier results": basisOf(step, input.state, input.digest),
    "intent version": intent?.version ?? null,
    request: intent?.fingerprint ?? null,
    review: review?.reason ?? null,
    answer: answer === null ? null : answer.sourceId,
    ...(input.state.cancelRequest === null ? {} : { canceling: true }),
    ...factsOfEvents(input, planned),
  };
}

/** What events can change. */
function factsOfEvents(input: PlanInput, { step, standing }: PlannedStep): JsonObject {
  const before = step.kind === "step" ? step.before : [];
  const conditions = [...step.when, ...step.requires, ...before];
  const awaited = step.kind === "waitForEvent" ? awaitedTypes(step) : [];
  return {
    standing: standing.kind,
    prerequisites: conditions.map((one) => [one.name, usableAnswer(input, step.name, one)?.kind ?? null]),
    events: input.state.events
      .filter(({ eventType }) => awaited.includes(eventType))
      .map(({ sourceId }) => sourceId),
  };
}

/** What a plan version is compared with. */
export interface PlanNow {
  /** The case now. */
  readonly inputs: PlanInputs;
  /** Null = a refusal does not say what changed; that takes the whole journal. */
  readonly journal: readonly JournalEntry[] | null;
  /** The plan's input for an earlier state of the case, to say what changed since. */
  readonly inputFor: (state: CaseState) => PlanInput;
  /** The repair under which the person acts. */
  readonly repair: OpenRepair | null;
}

/**
 * Compares the plan that a person saw with the one now; null = nothing that matters changed. The version seen may be of
 * `step` or of the whole case. Left out, a person in a repair saw the case as it was when they opened it, and anybody
 * else binds to the plan of their own commit. Throws `INVALID_REQUEST` for a text that is no plan version.
 */
export function planChange(
  now: PlanNow,
  seen: { readonly plan: string | undefined; readonly step: string | null },
): FootholdError | null {
  const { inputs } = now;
  if (seen.plan === undefined) {
    const isAsOpened = hashOf(inputs, seen.step) === hashOf({ ...inputs, ahead: inputs.now }, seen.step);
    return now.repair === null || isAsOpened
      ? null
      : planChanged(now, seen.step, { revision: 0, changes: [] });
  }
  const [, revision, hash] = form.exec(seen.plan) ?? [];
  if (revision === undefined || hash === undefined) {
    throw new FootholdError(
      "INVALID_REQUEST",
      `${JSON.stringify(seen.plan.slice(0, 60))} is no plan version. One looks like p12.0123456789abcdef and is shown with the case.`,
    );
  }
  if (hashOf(inputs, seen.step) === hash || hashOf(inputs, null) === hash) return null;
  const changes = whatChanged(now, { hash, revision: Number(revision), step: seen.step });
  return planChanged(now, seen.step, { revision: Number(revision), changes });
}

function planChanged(
  { inputs, repair }: PlanNow,
  step: string | null,
  since: { readonly revision: number; readonly changes: readonly string[] },
): FootholdError {
  const { caseId } = inputs.now.state;
  const came = (repair?.attached ?? []).filter(({ revision }) => revision > since.revision);
  const changes = [...since.changes, ...(came.length === 0 ? [] : [sayEvents(came)])];
  const plan = planVersion(inputs, step);
  const what =
    since.revision === 0
      ? `Case ${caseId} is not as it was when you opened it`
      : `The plan of case ${caseId} changed since revision ${since.revision}`;
  return new FootholdError(
    "PLAN_CHANGED",
    `${[what, ...(changes.length === 0 ? [] : [changes.join("; ")])].join(": ")}. ` +
      `Look at it again; nothing was done. Its plan version is ${plan} now.`,
    { details: { caseId, changes, plan } },
  );
}

/** Events that a refusal names; of more, the newest. */
const EVENTS_NAMED_MAX = 5;

/** What came during a repair: "2 events came while you worked: paid (evt-1), approval.revoked (evt-2)". */
export function sayEvents(came: readonly ReceivedEvent[]): string {
  const count = came.length === 1 ? "1 event" : `${came.length} events`;
  const named = came.slice(-EVENTS_NAMED_MAX).map(({ eventType, sourceId }) => `${eventType} (${sourceId})`);
  const more = came.length > named.length ? ["…"] : [];
  return `${count} came while you worked: ${[...more, ...named].join(", ")}`;
}

/** The plan seen is made again from the first part of the journal. */
function whatChanged(
  { inputs, journal, inputFor }: PlanNow,
  seen: { readonly hash: string; readonly revision: number; readonly step: string | null },
): readonly string[] {
  if (journal === null) return [];
  const before = journal.slice(0, seen.revision);
  if (before.length === 0 || seen.revision > journal.length) return ["that plan was not of this case"];
  const old = inputsOf(foldJournal(inputs.now.state.caseId, before), inputFor);
  const scope = hashOf(old, seen.step) === seen.hash ? seen.step : null;
  const oldFacts = factsOf(old, scope);
  const changes = factsOf(inputs, scope).flatMap(({ step: name, facts }) => {
    const had = oldFacts.find((one) => one.step === name)?.facts ?? {};
    return Object.entries(facts)
      .filter(([fact, value]) => canonicalJson(value) !== canonicalJson(had[fact] ?? null))
      .map(([fact, value]) => `${name}: ${sayChange(fact, had[fact] ?? null, value)}`);
  });
  return changes.length > 0 ? changes : ["its definition, or what time alone changes"];
}

function sayChange(fact: string, from: Json, to: Json): string {
  if (fact === CAME) return "what came meanwhile matters to it";
  const isPlain = fact === "standing" || fact === "review" || fact === "intent version";
  return isPlain ? `${fact} was ${sayValue(from)} and is ${sayValue(to)}` : `${fact} changed`;
}

function sayValue(value: Json): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "none";
}
