/**
 * What must hold at the end of every run, judged from the destination's ledger and the journals, never by what the engine
 * says of itself.
 */

import { isDeepStrictEqual } from "node:util";
import { isUnproved, stepOf, type CaseState } from "../../src/core/case-state.ts";
import { foldEntries, foldJournal } from "../../src/core/fold.ts";
import type { Entry, JournalEntry } from "../../src/core/journal.ts";
import { rowOf } from "../../src/core/row.ts";
import type { StoredCase } from "../../src/store/port.ts";
import { STEPS } from "./case-types.ts";
import { KINDS, type KindName } from "./kinds.ts";
import type { LedgerLine } from "./ledger.ts";

/** Requests of one step that the retry policy of the case types here lets out. */
const REQUESTS_MAX = 20;
/** How far a written time may lie outside the run, in ms: the database's clock and ours are read at other moments. */
const CLOCK_SLACK_MS = 5_000;

/** A case at the end of a run. */
export interface JudgedCase {
  readonly caseId: string;
  readonly kind: KindName;
  /** Null = it is lost. */
  readonly stored: StoredCase | null;
}

/** When the run began and ended, in epoch ms. */
export interface RunTimes {
  readonly from: number;
  readonly to: number;
}

/** What is wrong with the cases of a run, one sentence each. */
export function judgeAll(
  cases: readonly JudgedCase[],
  ledger: readonly LedgerLine[],
  times: RunTimes,
): readonly string[] {
  const byStep = new Map<string, LedgerLine[]>();
  for (const line of ledger) {
    const step = line.key.slice(0, line.key.lastIndexOf("."));
    byStep.set(step, [...(byStep.get(step) ?? []), line]);
  }
  return cases.flatMap(({ caseId, kind, stored }) => {
    if (stored === null) return [`case ${caseId} is lost`];
    const found = [
      ...judgeRest(stored),
      ...judgeEffects(kind, stored, (step) => byStep.get(`${caseId}.${step}`) ?? []),
      ...judgeJournal(kind, stored, times),
    ];
    return found.map((what) => `${kind} case ${caseId}: ${what}`);
  });
}

/** Nothing is claimed by nobody, and what cannot go on stands in sight; the row is what the journal says. */
function judgeRest({ row, journal }: StoredCase): readonly string[] {
  const found: string[] = [];
  const isInSight = row.state === "in_review" && row.summary.reviews.length > 0;
  if (row.state !== "done" && !isInSight) found.push(`is ${row.state} at the end`);
  if (row.claim !== null) found.push("is still claimed at the end");
  const { state, dueAt, revision, summary } = rowOf(foldJournal(row.caseId, journal));
  const isSame = state === row.state && dueAt === row.dueAt && revision === row.revision;
  if (!isSame || !isDeepStrictEqual(summary, row.summary)) found.push("its row is not what its journal says");
  return found;
}

/** At most one effect where the destination can help; elsewhere any second one stands in sight. Done means it happened. */
function judgeEffects(
  kind: KindName,
  { row, journal }: StoredCase,
  linesOf: (step: string) => readonly LedgerLine[],
): readonly string[] {
  const state = foldJournal(row.caseId, journal);
  return STEPS.flatMap((step) => {
    const lines = linesOf(step);
    const effects = lines.filter(({ isNew }) => isNew).length;
    const isConfirmed = stepOf(state, step).confirmation !== null;
    const isInSight = row.summary.reviews.some(
      (review) => review.step === step && review.reason === "mayExistTwice",
    );
    const found: string[] = [];
    if (effects > 1 && (KINDS[kind].isOnce || !isInSight)) found.push(`${step} has ${effects} effects`);
    if (effects === 0 && isConfirmed) found.push(`${step} is confirmed and never happened`);
    if (row.state === "done" && !isConfirmed) found.push(`is done without ${step}`);
    if (lines.length > REQUESTS_MAX) found.push(`${step} was sent ${lines.length} times`);
    return found;
  });
}

/** Walks the journal: no entry was written that the one before it forbids. */
function judgeJournal(
  kind: KindName,
  { row, journal }: StoredCase,
  { from, to }: RunTimes,
): readonly string[] {
  const [first, ...rest] = journal;
  if (first === undefined) return ["has no journal"];
  const found: string[] = [];
  let state = foldJournal(row.caseId, [first]);
  for (const one of rest) {
    if (one.at < state.changedAt) found.push(`an entry at ${one.at} follows one at ${state.changedAt}`);
    if (one.entry.kind === "attemptOpened") found.push(...judgeAttempt(kind, state, one.entry));
    state = foldEntries(state, [one]);
  }
  for (const { at } of journal.filter((one) => isWild(one, from, to))) found.push(`an entry says ${at}`);
  return found;
}

function isWild({ at }: JournalEntry, from: number, to: number): boolean {
  return at < from - CLOCK_SLACK_MS || at > to + CLOCK_SLACK_MS;
}

function judgeAttempt(
  kind: KindName,
  state: CaseState,
  { step }: Extract<Entry, { kind: "attemptOpened" }>,
): readonly string[] {
  const { intent, confirmation } = stepOf(state, step);
  const found: string[] = [];
  if (confirmation !== null) found.push(`${step} stands and was sent again`);
  const isUnknown = intent?.attempts.some(isUnproved) ?? false;
  if (isUnknown && KINDS[kind].afterUnknown !== "resends") {
    found.push(`${step} was sent again while nobody knew what became of it`);
  }
  return found;
}
