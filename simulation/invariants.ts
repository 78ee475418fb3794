/** What must hold of effects and at the end, judged from the ledgers and the journals, never from the engine's word. */

import { isDeepStrictEqual } from "node:util";
import { foldEntries, foldJournal } from "../src/core/fold.ts";
import { isWithoutEffect, stepOf } from "../src/core/case-state.ts";
import type { ReviewReason } from "../src/core/journal.ts";
import { canonicalJson, isJsonObject } from "../src/core/json.ts";
import type { SendStepOutline } from "../src/core/outline.ts";
import { rowOf } from "../src/core/row.ts";
import { undoName } from "../src/core/undo.ts";
import { factsOf } from "../src/define/facts.ts";
import type { StoredCase, StoredRow } from "../src/store/port.ts";
import { checkCanceled } from "./cancel-rules.ts";
import { sendOutline, stepsIn, undoneName, type CaseShape } from "./case-shape.ts";
import type { Contract } from "./contracts.ts";
import type { Effect, SimulatedDestination } from "./destination.ts";
import type { LostAttempts } from "./failover.ts";
import { isBehind } from "./key-watch.ts";
import { checkEntry, type EntrySite, type Violation } from "./journal-rules.ts";
import { contentOf } from "./send-step.ts";

/**
 * After each effect: no intent version has two, and a step that is not to be done again beside what it did has one at a
 * time. Where a failover lost an attempt of the step, the engine cannot know what that one did: a destination without
 * keys then gets a second request that looks like the first. One with keys gets a second effect only under another key,
 * because a person has asked for something else since; it may be the same again that they ask for in the end. Our own
 * database has lost the effect with the attempt.
 */
export function checkEffect(
  shapes: readonly CaseShape[],
  destination: SimulatedDestination,
  { request }: Effect,
  {
    lostAttempts,
    redone,
  }: { readonly lostAttempts: LostAttempts; readonly redone: ReadonlyMap<string, number> },
): readonly Violation[] {
  const isOrdered = (redone.get(`${request.caseId} ${request.step}`) ?? 0) > 0;
  const outline = shapes.map((shape) => sendOutline(shape, request.step)).find((one) => one !== null);
  const isRedone = outline?.onLapse === "redo" || isOrdered || request.undoes !== null;
  const same = destination.effects.filter(
    (one) =>
      one.request.caseId === request.caseId &&
      one.request.step === request.step &&
      (one.request.intentVersion === request.intentVersion || (!isRedone && !one.isUndone)),
  );
  if (same.length < 2) return [];
  const isOther = new Set(same.map((one) => one.request.key)).size === same.length;
  const { contract } = destination;
  const mayRepeat = contract !== "transaction" && (contract !== "key" || isOther);
  // An undo that is sent again takes back what a lost attempt has made meanwhile, and a lost one what stands by its journal.
  const undone = undoneName(request.step);
  const touched = [undone, undoName(undone)];
  if (mayRepeat && touched.some((step) => lostAttempts.has(`${request.caseId} ${step}`))) return [];
  const keys = same.map((one) => one.request.key).join(", ");
  return [
    { rule: "once", what: `${request.step} of ${request.caseId} has ${same.length} effects (${keys})` },
  ];
}

/** What really happened, and which attempts a failover lost. */
export interface Ledgers {
  readonly destinations: ReadonlyMap<Contract, SimulatedDestination>;
  readonly lostAttempts: LostAttempts;
  /** As `case revision`. */
  readonly lostRevisions: ReadonlySet<string>;
}

/** After a run: everything that a case's journal, row and effects must satisfy. */
export function checkEnd(
  shape: CaseShape,
  { destinations, lostAttempts }: Pick<Ledgers, "destinations" | "lostAttempts">,
  stored: StoredCase,
  cases: readonly StoredCase[],
): readonly Violation[] {
  const effects = [...destinations.values()]
    .flatMap((one) => one.effects)
    .filter(({ request }) => request.caseId === stored.row.caseId);
  return [
    ...checkRow(stored),
    ...checkSearch(stored),
    ...(isBehind(stored, cases, isAtRest) ? [] : checkRest(stored)),
    ...checkJournal({ shape, effects, lostAttempts, journal: stored.journal }, stored.row.caseId),
    ...checkTransactions(shape, effects, stored),
    ...checkDone({ shape, effects, lostAttempts }, stored),
    ...checkCanceled({ shape, effects, lostAttempts }, stored),
  ];
}

/** The row is what the journal says, claim apart. */
function checkRow({ row, journal }: StoredCase): readonly Violation[] {
  const rebuilt = rowOf(foldJournal(row.caseId, journal));
  const differs = !isDeepStrictEqual(rebuilt.summary, row.summary);
  const dueAt = row.heldSinceAt ?? row.dueAt;
  const moved = row.state !== "claimed" && (rebuilt.state !== row.state || rebuilt.dueAt !== dueAt);
  if (!differs && !moved && rebuilt.revision === row.revision) return [];
  return [{ rule: "row", what: `the row of ${row.caseId} is not what its journal says` }];
}

/** Every case is found by what is in its input now. */
function checkSearch({ row, state }: StoredCase): readonly Violation[] {
  const { amount = null, note = null } = isJsonObject(state.input) ? state.input : {};
  const found = (row.summary.search ?? []).map(({ name, value }) => `${name}:${value}`);
  const wanted = [
    ...(typeof amount === "number" ? [`amount:${amount}`] : []),
    ...(typeof note === "string" ? [`tag:${note}`] : []),
  ];
  if (isDeepStrictEqual(found, wanted)) return [];
  const what = `${row.caseId} is found by ${found.join(", ") || "nothing"}, not by ${wanted.join(", ") || "nothing"}`;
  return [{ rule: "search", what }];
}

/** Reviews that only destinations, or people outside this run, can lift. */
const ONLY_OUTSIDE: readonly ReviewReason[] = ["unknown", "lapsed", "conflict"];

/** Ended, or in review for one of {@link ONLY_OUTSIDE}, or waiting for a child that waits for people. */
export function isSettled({ row: { state, summary } }: StoredCase): boolean {
  if (state === "done" || state === "canceled" || waitsForPeopleBelow({ state, summary })) return true;
  return state === "in_review" && summary.reviews.every(({ reason }) => ONLY_OUTSIDE.includes(reason));
}

/** True of a case that waits for nothing but people, who are to act on what it started. */
function waitsForPeopleBelow({ state, summary: { waits } }: Pick<StoredRow, "state" | "summary">): boolean {
  const isAll = waits.every((wait) => wait.kind === "child") && waits.some((wait) => wait.needsPeople);
  return state === "waiting" && isAll;
}

/** Ended, or in sight of people. */
function isAtRest({ row }: Pick<StoredCase, "row">): boolean {
  if (row.state === "done" || row.state === "canceled" || waitsForPeopleBelow(row)) return true;
  return row.state === "in_review" && row.summary.reviews.length > 0;
}

/** At the end each case has ended or stands in sight; none is held by nobody. */
function checkRest({ row }: StoredCase): readonly Violation[] {
  if (isAtRest({ row })) return [];
  const what = `${row.caseId} is still ${row.state}, due ${String(row.dueAt)}: ${JSON.stringify(row.summary)}`;
  return [{ rule: "settles", what }];
}

/** Each entry, judged by everything that the journal said before it: what would be found right after it was written. */
function checkJournal(site: Omit<EntrySite, "state">, caseId: string): readonly Violation[] {
  const [first, ...rest] = site.journal;
  if (first === undefined) return [{ rule: "journal", what: `${caseId} has no journal` }];
  const violations: Violation[] = [];
  let state = foldJournal(caseId, [first]);
  for (const one of rest) {
    violations.push(...checkEntry({ ...site, state }, one));
    state = foldEntries(state, [one]);
  }
  return violations;
}

/** What is written in the transaction that confirms a step is there with the confirmation, and never without. */
function checkTransactions(
  shape: CaseShape,
  effects: readonly Effect[],
  { row, journal }: StoredCase,
): readonly Violation[] {
  const confirmed = new Set(
    journal.flatMap(({ entry }) =>
      entry.kind === "stepConfirmed" ? [`${entry.step} ${entry.intentVersion}`] : [],
    ),
  );
  return effects.flatMap(({ id, request: { step, intentVersion } }): readonly Violation[] => {
    const isOurs = sendOutline(shape, step)?.destination.repeatSafety.by === "transaction";
    if (!isOurs || confirmed.has(`${step} ${intentVersion}`)) return [];
    return [{ rule: "transaction", what: `${row.caseId}: ${step} wrote ${id} without being confirmed` }];
  });
}

/**
 * Done means that each effect is there, with the confirmed input. Where a failover lost an attempt, a destination that is
 * asked by key shows that attempt's effect, whatever was wanted then; and what a lost undo took back is not known to be
 * gone, nor what was made in its place, before its sender tells.
 */
function checkDone(
  { shape, effects, lostAttempts }: Omit<EntrySite, "state" | "journal">,
  { row, journal }: StoredCase,
): readonly Violation[] {
  if (row.state !== "done") return [];
  const state = foldJournal(row.caseId, journal);
  const facts = factsOf(state);
  const sends = stepsIn(shape, state).filter(
    (step): step is SendStepOutline => step.kind === "step" && step.child === undefined,
  );
  return sends.flatMap((step): readonly Violation[] => {
    // What was taken back, and perhaps made anew after that, is as lost as the correction that it was done for.
    if (lostAttempts.has(`${row.caseId} ${undoName(step.name)}`)) return [];
    const mine = effects.filter(({ request, isUndone }) => request.step === step.name && !isUndone);
    const isLost = lostAttempts.has(`${row.caseId} ${step.name}`);
    const { confirmation, replaced } = stepOf(state, step.name);
    if (isWithoutEffect(confirmation)) {
      // Whoever leaves a step out is shown what it did before, and knows what they had it do again beside.
      const isRedone = journal.some(({ entry }) => entry.kind === "redoOrdered" && entry.step === step.name);
      const isShown = confirmation?.by.how === "skip" && (replaced !== null || isRedone);
      if (mine.length === 0 || isLost || isShown) return [];
      return [{ rule: "when", what: `${row.caseId} is done without ${step.name}, but what it did is there` }];
    }
    if (mine.length === 0)
      return [{ rule: "done", what: `${row.caseId} is done, but what ${step.name} did is not there` }];
    const wanted = canonicalJson(contentOf(step, facts));
    const isRight = mine.some(({ request }) => request.content === wanted);
    const mayBeOld = step.destination.repeatSafety.by === "lookup" && isLost;
    return isRight || mayBeOld
      ? []
      : [{ rule: "input", what: `${row.caseId} is done, but ${step.name} ran with other content` }];
  });
}
