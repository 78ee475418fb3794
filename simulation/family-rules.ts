/** What must hold between cases and those that they started, judged from all of their journals. */

import { isDeepStrictEqual } from "node:util";
import { basisOf } from "../src/core/basis.ts";
import { aliveChild, stepOf, type CaseState } from "../src/core/case-state.ts";
import { standingOfCase } from "../src/core/child-telling.ts";
import { foldEntries, foldJournal } from "../src/core/fold.ts";
import type { Entry, JournalEntry } from "../src/core/journal.ts";
import { canonicalJson, type Json } from "../src/core/json.ts";
import type { SendStepOutline } from "../src/core/outline.ts";
import { factsOf } from "../src/define/facts.ts";
import type { StoredCase } from "../src/store/port.ts";
import { stepOutline, undoneName, type CaseShape } from "./case-shape.ts";
import { childInput } from "./child-step.ts";
import { digest, type Violate, type Violation } from "./journal-rules.ts";
import { isLarge } from "./send-step.ts";

/** Every case of a run, by its id. */
type Family = ReadonlyMap<string, StoredCase>;
type Of<Kind extends Entry["kind"]> = Extract<Entry, { kind: Kind }>;

/** After a run: everything that cases and their children must satisfy. */
export function checkFamily(
  shapes: readonly CaseShape[],
  cases: readonly StoredCase[],
  lostRevisions: ReadonlySet<string>,
): readonly Violation[] {
  const family: Family = new Map(cases.map((one) => [one.row.caseId, one]));
  const violations: Violation[] = [];
  for (const one of cases) {
    const violate: Violate = (rule, what) =>
      void violations.push({ rule, what: `${one.row.caseId}: ${what}` });
    const shape = shapes.find(({ caseType }) => caseType === one.row.caseType);
    if (shape === undefined) {
      violate("child", `${one.row.caseType} is no case type`);
      continue;
    }
    checkStart(one, family, violate);
    const site = { shape, family, violate, lostRevisions };
    checkEntries(site, one);
    const state = foldJournal(one.row.caseId, one.journal);
    checkChildren(site, one, state);
    if (!isInTune(state, family)) violate("child", "it does not know how what it started stands");
  }
  return violations;
}

/** The cases that do not know how those stand that they started, or who below waits for people. */
export function outOfTune(cases: readonly StoredCase[]): readonly string[] {
  const family: Family = new Map(cases.map((one) => [one.row.caseId, one]));
  const found = cases.filter(({ row, journal }) => !isInTune(foldJournal(row.caseId, journal), family));
  return found.map(({ row }) => row.caseId);
}

function isInTune(state: CaseState, family: Family): boolean {
  if (state.rest.kind === "done" || state.rest.kind === "canceled") return true;
  const waits = state.rest.kind === "waiting" ? state.rest.waits : [];
  return Object.values(state.steps).every(({ child }) => {
    const stored = child === null ? undefined : family.get(child.caseId);
    if (child === null || stored === undefined) return true;
    const { kind } = standingOfCase(foldJournal(child.caseId, stored.journal));
    const shown = waits.find((wait) => wait.kind === "child" && wait.caseId === child.caseId);
    const isShown = shown?.kind !== "child" || shown.needsPeople === (kind === "inReview");
    return child.standing.kind === kind && isShown;
  });
}

/** No child without its parent's word, no second one for the same, and it was started with what was asked for. */
function checkStart({ row, journal }: StoredCase, family: Family, violate: Violate): void {
  const [first] = journal;
  const parent = first?.entry.kind === "caseStarted" ? first.entry.parent : undefined;
  if (parent === undefined || first?.entry.kind !== "caseStarted") return;
  const { caseId, step, intentVersion } = parent;
  const above = family.get(caseId);
  const isMine = (entry: Entry): boolean =>
    (entry.kind === "childStarted" || entry.kind === "intentOpened") &&
    entry.step === step &&
    entry.intentVersion === intentVersion;
  const mine = above?.journal.map(({ entry }) => entry).filter(isMine) ?? [];
  const word = mine.find((entry) => entry.kind === "childStarted");
  if (word?.kind !== "childStarted" || word.caseId !== row.caseId)
    violate("child", `${step} of ${caseId} does not say that it started it`);
  const opened = mine.find((entry) => entry.kind === "intentOpened");
  if (opened?.kind !== "intentOpened" || opened.request !== canonicalJson(first.entry.input))
    violate("child", `it was started with something else than ${step} of ${caseId} asks for`);
  if (row.businessKey !== `${caseId}.${step}.${intentVersion}`)
    violate("child", `its key is ${String(row.businessKey)}`);
}

interface FamilySite {
  readonly shape: CaseShape;
  readonly family: Family;
  readonly violate: Violate;
  /** Entries that a failover lost, as `case revision`. */
  readonly lostRevisions: ReadonlySet<string>;
}

function checkEntries(site: FamilySite, { row, journal }: StoredCase): void {
  const [first, ...rest] = journal;
  if (first === undefined) return;
  let state = foldJournal(row.caseId, [first]);
  for (const one of rest) {
    checkEntry(site, state, one);
    state = foldEntries(state, [one]);
  }
}

function checkEntry(site: FamilySite, state: CaseState, { entry, revision }: JournalEntry): void {
  const { family, violate } = site;
  if (entry.kind === "childStarted" && !family.has(entry.caseId))
    violate("child", `${entry.step} says that it started ${entry.caseId}, which is not there`);
  if (entry.kind === "childTold") checkTold(site, entry);
  if (entry.kind === "cancelRequested" || entry.kind === "canceled") checkCanceler(site, state, entry);
  if (entry.kind === "caseDone" && Object.values(state.steps).some(isRunning))
    violate("child", `it is done at revision ${revision}, and what it started is not`);
  if (!("step" in entry) || entry.step === null) return;
  const outline = startOutline(site.shape, undoneName(entry.step));
  if (outline === null) return;
  if (entry.kind === "intentOpened") checkIntent(site, state, entry, outline);
  if (entry.kind === "stepConfirmed") checkConfirmed(site, state, entry, outline);
  if (entry.kind === "stepUndone") checkUndone(site, state, entry);
}

/** The outline of a step that starts cases; null for any other. */
function startOutline(shape: CaseShape, name: string): SendStepOutline | null {
  const found = stepOutline(shape, name);
  return found?.kind === "step" && found.child?.act === "start" ? found : null;
}

type Known = CaseState["steps"][string];

function isRunning({ child }: Known): boolean {
  return child !== null && (child.standing.kind === "running" || child.standing.kind === "inReview");
}

/** What was told is what the child's journal said by then, unless a failover lost that while it was being told. */
function checkTold(
  { family, violate, lostRevisions }: FamilySite,
  { caseId, childRevision, standing }: Of<"childTold">,
): void {
  if (lostRevisions.has(`${caseId} ${childRevision}`)) return;
  const journal = family.get(caseId)?.journal.slice(0, childRevision) ?? [];
  if (journal.length !== childRevision) {
    violate("child", `${caseId} told of revision ${childRevision}, which it has not`);
    return;
  }
  if (!isDeepStrictEqual(standingOfCase(foldJournal(caseId, journal)), standing))
    violate("child", `${caseId} is said to be ${standing.kind} at ${childRevision}, which it was not`);
}

/** A parent that cancels says so in the same transaction. */
function checkCanceler(
  { family, violate }: FamilySite,
  { parent }: CaseState,
  { by }: Of<"cancelRequested"> | Of<"canceled">,
): void {
  if (parent === null || by.kind !== "engine" || by.name !== `case ${parent.caseId}`) return;
  const above = family.get(parent.caseId)?.journal ?? [];
  const isSaid = above.some(
    ({ entry }) => entry.kind === "stepConfirmed" && entry.step === `${parent.step}.undo`,
  );
  if (!isSaid) violate("child", `${parent.caseId} canceled it, and does not say so`);
}

function checkIntent(
  { violate }: FamilySite,
  state: CaseState,
  { step, basis, intentVersion }: Of<"intentOpened">,
  outline: SendStepOutline,
): void {
  const known = stepOf(state, outline.name);
  const isChanged = basisOf(outline, state, digest) !== known.intent?.basis;
  if (step !== outline.name) {
    const isWanted =
      known.confirmation === null ? isChanged || outline.requires.length > 0 : known.lapse !== null;
    if (aliveChild(known) === null || !(isWanted || state.cancelRequest !== null))
      violate("child", `what ${outline.name} started is canceled although it is wanted, or not there`);
    return;
  }
  if (isRunning(known))
    violate("child", `${step} got intent ${intentVersion} while what it started is not at its end`);
  if (known.confirmation !== null && known.lapse === null && known.confirmation.by.how !== "notNeeded")
    violate("standing", `${step} was confirmed and is to be done again`);
  if (basisOf(outline, state, digest) !== basis)
    violate("revision", `${step} got an intent for an input or result that had changed before`);
  if (outline.when.length > 0 && !isLarge(state.input))
    violate("when", `${step} is not needed and got an intent`);
}

/** It is confirmed with what its child gave, once that has ended. */
function checkConfirmed(
  { violate }: FamilySite,
  state: CaseState,
  { step, by, result }: Of<"stepConfirmed">,
  outline: SendStepOutline,
): void {
  if (step !== outline.name || by.how === "notNeeded" || outline.child?.act !== "start") return;
  const known = stepOf(state, step);
  if (by.how === "skip") {
    if (aliveChild(known) !== null) violate("child", `${step} is left out while what it started goes on`);
    return;
  }
  const standing = known.child?.standing;
  const value = standing === undefined ? null : resultOf(standing, outline.child.onCanceled === "result");
  if (
    by.how !== "child" ||
    value === null ||
    result.kind !== "value" ||
    !isDeepStrictEqual(result.value, value)
  )
    violate("child", `${step} is confirmed by ${by.how}, and what it started gave something else`);
}

/** Null where it gives nothing. */
function resultOf(standing: NonNullable<Known["child"]>["standing"], isOutcome: boolean): Json {
  switch (standing.kind) {
    case "running":
    case "inReview":
      return null;
    case "done":
      return isOutcome ? { outcome: "done", result: standing.result } : standing.result;
    case "canceled":
      return isOutcome ? { outcome: "canceled", reason: standing.reason } : null;
  }
}

function checkUndone({ family, violate }: FamilySite, state: CaseState, { step }: Of<"stepUndone">): void {
  const { child } = stepOf(state, step);
  const stored = child === null ? undefined : family.get(child.caseId);
  if (stored?.row.state !== "canceled")
    violate(
      "child",
      `${step} is held to be taken back, and what it started is ${stored?.row.state ?? "not there"}`,
    );
}

/** A case that has ended has left nothing behind that runs; a canceled one nothing that nobody speaks of. */
function checkChildren(
  { shape, family, violate }: FamilySite,
  { row, journal }: StoredCase,
  state: CaseState,
): void {
  if (row.state !== "done" && row.state !== "canceled") return;
  for (const { entry } of journal) {
    if (entry.kind !== "childStarted") continue;
    const { step, caseId, intentVersion } = entry;
    const below = family.get(caseId)?.row.state;
    const hasEnded = below === "done" || below === "canceled";
    const isLeft = row.state === "canceled" && stepOf(state, step).leftOutside !== null;
    if (!hasEnded && !isLeft)
      violate(
        "child",
        `it is ${row.state}, and ${caseId}, which ${step} started, is ${below ?? "not there"}`,
      );
    const isOrdered = journal.some((one) => one.entry.kind === "redoOrdered" && one.entry.step === step);
    const isRedone =
      (isOrdered || startOutline(shape, step)?.onLapse === "redo") &&
      intentVersion < (stepOf(state, step).intent?.version ?? 0);
    if (row.state === "canceled" && below === "done" && !isLeft && !isRedone)
      violate("canceled", `it is canceled, and ${caseId}, which ${step} started, is done without a word`);
    if (row.state === "done" && stepOf(state, step).child?.caseId === caseId)
      checkGiven({ shape, violate }, state, step);
  }
}

/** Done means that what was started was started for what is wanted. */
function checkGiven(
  { shape, violate }: Pick<FamilySite, "shape" | "violate">,
  state: CaseState,
  step: string,
): void {
  const outline = startOutline(shape, step);
  const { intent, confirmation } = stepOf(state, step);
  if (outline === null || confirmation?.by.how !== "child") return;
  const wanted = canonicalJson(childInput(outline, factsOf(state)));
  if (intent?.request !== wanted) violate("input", `it is done, but ${step} started a case with other input`);
}
