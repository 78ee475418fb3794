/** Judges a run with a fault by the runs without: pure. */

import { canonicalJson, readJson } from "../core/json.ts";
import type { Observation } from "./rehearsal-run.ts";
import type { ObservedCase } from "./rehearsed-family.ts";
import { rankOf, type JudgedBy, type Verdict } from "./rehearsal-report.ts";

/** What the runs without faults say of a step. */
export interface Expected {
  readonly step: string;
  readonly judgedBy: JudgedBy;
  /** Effects of one intent, or successful calls of `run` where nothing else can be counted. */
  readonly count: number;
}

/** A run, judged. `step`: the one that it went wrong for; null where nothing did. */
export interface Judgement {
  readonly verdict: Verdict;
  readonly step: string | null;
}

/** Characters of an answer that is compared. */
const ANSWER_CHARS_MAX = 1_000_000;

/** What to expect of a step, from two runs without faults. */
export function expectedOf(step: string, first: Observation, second: Observation): Expected {
  const judgedBy = judgedByOf(step, first, second);
  const count = Math.max(...[first, second].map((run) => countOf(step, judgedBy, run) / wantedIn(step, run)));
  return { step, judgedBy, count: Math.ceil(count) };
}

function judgedByOf(step: string, first: Observation, second: Observation): JudgedBy {
  if (first.listed?.some((one) => one.step === step) === true) return "effects";
  if (first.seen.some((one) => one.kind === "run" && one.step === step)) return "ledger";
  const others = new Set(answersOf(step, second));
  // An answer that another case gets too does not name an effect.
  return answersOf(step, first).some((answer) => others.has(answer)) ? "nothing" : "answers";
}

/**
 * How often the effect was wanted: a correction in the middle, or an order to redo, wants another one. One whose every
 * attempt was refused is wanted no more.
 */
function wantedIn(step: string, { cases }: Observation): number {
  return Math.max(
    1,
    sumOf(cases, (one) => wantedBy(one, step)),
  );
}

function wantedBy({ prefix, entries }: ObservedCase, step: string): number {
  const opened = new Set<number>();
  const refused = new Map<number, boolean>();
  for (const { entry } of entries) {
    if (!("step" in entry) || `${prefix}${entry.step}` !== step) continue;
    if (entry.kind === "intentOpened") opened.add(entry.intentVersion);
    if (entry.kind === "stepConfirmed") refused.set(entry.intentVersion, false);
    if (entry.kind !== "attemptFailed") continue;
    const isRefused = entry.failure.executed === "no" && (refused.get(entry.intentVersion) ?? true);
    refused.set(entry.intentVersion, isRefused);
  }
  return [...opened].filter((version) => refused.get(version) !== true).length;
}

/** How often it was confirmed: so many must be there once the case is done. */
function confirmedIn(step: string, { cases }: Observation): number {
  return Math.max(
    1,
    sumOf(cases, (one) => confirmedBy(one, step)),
  );
}

function confirmedBy({ prefix, entries }: ObservedCase, step: string): number {
  const versions = entries.flatMap(({ entry }) =>
    entry.kind === "stepConfirmed" && `${prefix}${entry.step}` === step ? [entry.intentVersion] : [],
  );
  return new Set(versions).size;
}

function sumOf(cases: readonly ObservedCase[], count: (one: ObservedCase) => number): number {
  return cases.reduce((sum, one) => sum + count(one), 0);
}

/** Effects of a step in a run, as far as they can be counted. */
function countOf(step: string, judgedBy: JudgedBy, run: Observation): number {
  switch (judgedBy) {
    case "effects":
      return (run.listed ?? []).filter((one) => one.step === step).length;
    case "ledger":
      return run.seen.filter((one) => one.step === step).length;
    case "answers":
      return new Set(answersOf(step, run)).size;
    case "nothing":
      return answersOf(step, run).length;
  }
}

/** What `run` of a step gave, as text, each time that it succeeded. */
function answersOf(step: string, { executions }: Observation): readonly string[] {
  return executions.flatMap((one) => {
    const { ended } = one;
    if (one.step !== step || ended.kind !== "gave") return [];
    const read = readJson(ended.value, ANSWER_CHARS_MAX);
    return [read.kind === "json" ? canonicalJson(read.value) : "unreadable"];
  });
}

/** Judges a run that met a fault: the worst of what it did to any step counts. */
export function judgeRun(expected: readonly Expected[], run: Observation): Judgement {
  const found = expected.map((one) => ({ verdict: verdictOn(one, run), step: one.step }));
  const worst = found.toSorted((a, b) => rankOf(a.verdict) - rankOf(b.verdict))[0];
  if (worst !== undefined && rankOf(worst.verdict) < rankOf("notHit")) return worst;
  if (!run.isHit) return { verdict: "notHit", step: null };
  if (run.isForPeople) return { verdict: "person", step: reviewedStep(run) };
  if (run.state !== "done") return { verdict: "stuck", step: null };
  return { verdict: wasChecked(run) ? "checked" : "safe", step: null };
}

function verdictOn({ step, judgedBy, count }: Expected, run: Observation): Verdict {
  const found = countOf(step, judgedBy, run);
  if (found > count * wantedIn(step, run)) return judgedBy === "nothing" ? "unproven" : "twice";
  const isCounted = judgedBy === "effects" || judgedBy === "ledger";
  return isCounted && run.state === "done" && found < count * confirmedIn(step, run) ? "lost" : "safe";
}

/** The one that went to people last. */
function reviewedStep({ cases }: Observation): string | null {
  const reviews = cases.flatMap(({ prefix, entries }) =>
    entries.flatMap(({ at, entry }) =>
      entry.kind === "reviewOpened" ? [{ at, step: `${prefix}${entry.review.step}` }] : [],
    ),
  );
  return (
    reviews.reduce<(typeof reviews)[number] | null>(
      (last, one) => (last !== null && last.at > one.at ? last : one),
      null,
    )?.step ?? null
  );
}

function wasChecked({ cases }: Observation): boolean {
  return cases.some(({ entries }) =>
    entries.some(
      ({ entry }) =>
        entry.kind === "checkAnswered" || (entry.kind === "stepConfirmed" && entry.by.how === "check"),
    ),
  );
}
