/** What must hold after every run, judged from the destinations' ledgers and the journals, never from the engine's word. */

import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { basisOf } from "../src/core/basis.ts";
import { foldEntries, foldJournal } from "../src/core/fold.ts";
import { stepOf } from "../src/core/case-state.ts";
import type { Entry, JournalEntry } from "../src/core/journal.ts";
import { canonicalJson } from "../src/core/json.ts";
import type { SendStepOutline } from "../src/core/outline.ts";
import { rowOf } from "../src/core/row.ts";
import { factsOf } from "../src/define/facts.ts";
import type { StoredCase } from "../src/store/port.ts";
import { contentOf, REVOKED, type CaseShape } from "./case-type.ts";
import type { Contract, Effect, SimulatedDestination } from "./destination.ts";
import type { LostAttempts } from "./failover.ts";

/** A broken invariant. */
export interface Violation {
  readonly rule: string;
  readonly what: string;
}

/**
 * After each effect: no step of a case has two. Where a failover lost an attempt of the step, the engine cannot know what
 * that one did: a destination without keys then gets a second request that looks like the first, and one with keys gets
 * a second effect only for something else, that a person has asked for since.
 */
export function checkEffect(
  destination: SimulatedDestination,
  { request }: Effect,
  lostAttempts: LostAttempts,
): readonly Violation[] {
  const same = destination.effects.filter(
    (one) => one.request.caseId === request.caseId && one.request.step === request.step,
  );
  if (same.length < 2) return [];
  const isOther = new Set(same.map((one) => one.request.content)).size === same.length;
  const mayRepeat = destination.contract !== "key" || isOther;
  if (mayRepeat && lostAttempts.has(`${request.caseId} ${request.step}`)) return [];
  const keys = same.map((one) => one.request.key).join(", ");
  return [
    { rule: "once", what: `${request.step} of ${request.caseId} has ${same.length} effects (${keys})` },
  ];
}

/** What really happened, and which attempts a failover lost. */
export interface Ledgers {
  readonly destinations: ReadonlyMap<Contract, SimulatedDestination>;
  readonly lostAttempts: LostAttempts;
}

/** After a run: everything that a case's journal, row and effects must satisfy. */
export function checkEnd(shape: CaseShape, ledgers: Ledgers, stored: StoredCase): readonly Violation[] {
  return [
    ...checkRow(stored),
    ...checkRest(stored),
    ...checkJournal(shape, stored),
    ...checkDone(shape, ledgers, stored),
  ];
}

/** The row is what the journal says, claim apart. */
function checkRow({ row, journal }: StoredCase): readonly Violation[] {
  const rebuilt = rowOf(foldJournal(row.caseId, journal));
  const differs = !isDeepStrictEqual(rebuilt.summary, row.summary);
  const moved = row.state !== "claimed" && (rebuilt.state !== row.state || rebuilt.dueAt !== row.dueAt);
  if (!differs && !moved && rebuilt.revision === row.revision) return [];
  return [{ rule: "row", what: `the row of ${row.caseId} is not what its journal says` }];
}

/** At the end each case has ended or stands in sight; none is held by nobody. */
function checkRest({ row }: StoredCase): readonly Violation[] {
  if (row.state === "done" || row.state === "canceled") return [];
  if (row.state === "in_review" && row.summary.reviews.length > 0) return [];
  const what = `${row.caseId} is still ${row.state}, due ${String(row.dueAt)}: ${JSON.stringify(row.summary)}`;
  return [{ rule: "settles", what }];
}

function checkJournal(shape: CaseShape, { row, journal }: StoredCase): readonly Violation[] {
  const [first, ...rest] = journal;
  if (first === undefined) return [{ rule: "journal", what: `${row.caseId} has no journal` }];
  const violations: Violation[] = [];
  let state = foldJournal(row.caseId, [first]);
  for (const one of rest) {
    violations.push(...checkEntry(shape, state, one), ...checkSight(shape, state, one, journal));
    state = foldEntries(state, [one]);
  }
  return violations;
}

/** An effect that no attempt of the journal accounts for is in sight as soon as its sender tells of it. */
function checkSight(
  shape: CaseShape,
  state: ReturnType<typeof foldJournal>,
  { entry, commitId }: JournalEntry,
  journal: readonly JournalEntry[],
): readonly Violation[] {
  if (entry.kind !== "lateReport" || entry.outcome.kind !== "succeeded") return [];
  const outline = shape.steps.find(({ name }) => name === entry.step);
  const isDeduplicated = outline?.kind === "step" && outline.destination.repeatSafety.by === "key";
  const isKnown = stepOf(state, entry.step).intent?.attempts.some(({ claimId }) => claimId === entry.claimId);
  const isInSight = journal.some((one) => one.commitId === commitId && one.entry.kind === "reviewOpened");
  if (isDeduplicated || isKnown === true || isInSight) return [];
  const what = `${state.caseId}: ${entry.step} took effect in an attempt that no journal has, and nobody is told`;
  return [{ rule: "sight", what }];
}

function checkEntry(
  shape: CaseShape,
  state: ReturnType<typeof foldJournal>,
  { entry, at }: JournalEntry,
): readonly Violation[] {
  const violations: Violation[] = [];
  const violate = (rule: string, what: string): void =>
    void violations.push({ rule, what: `${state.caseId}: ${what}` });
  if (at < state.changedAt) violate("time", `an entry at ${at} follows one at ${state.changedAt}`);
  if (entry.kind === "intentOpened") {
    const { intent, confirmation } = stepOf(state, entry.step);
    const isOpen = intent !== null && confirmation?.intentVersion !== intent.version;
    const isProved = intent?.attempts.every(({ outcome }) => provesNotExecuted(outcome)) ?? true;
    if (isOpen && !isProved)
      violate("settled", `${entry.step} got intent ${entry.intentVersion} over an unsettled one`);
    checkBasis(shape, state, entry, violate);
  }
  if (entry.kind === "attemptOpened") checkAttempt(shape, state, entry, violate);
  return violations;
}

/** An intent is decided on everything that the journal said before it. */
function checkBasis(
  shape: CaseShape,
  state: ReturnType<typeof foldJournal>,
  { step, basis }: Extract<Entry, { kind: "intentOpened" }>,
  violate: (rule: string, what: string) => void,
): void {
  const outline = shape.steps.find(({ name }) => name === step);
  if (outline !== undefined && basisOf(outline, state, digest) !== basis) {
    violate("revision", `${step} got an intent for an input or result that had changed before`);
  }
  const approvedAt = stepOf(state, "step1").confirmation?.revision ?? Infinity;
  const isRevoked = state.events.some((one) => one.eventType === REVOKED && one.revision > approvedAt);
  if (shape.guarded.has(step) && isRevoked)
    violate("revision", `${step} got an intent after its approval was revoked`);
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function checkAttempt(
  shape: CaseShape,
  state: ReturnType<typeof foldJournal>,
  entry: Extract<Entry, { kind: "attemptOpened" }>,
  violate: (rule: string, what: string) => void,
): void {
  const known = stepOf(state, entry.step);
  const outline = shape.steps.find(
    (one): one is SendStepOutline => one.name === entry.step && one.kind === "step",
  );
  if (outline === undefined) return;
  if (known.confirmation !== null) violate("standing", `${entry.step} was confirmed and is sent again`);
  if (known.round.attempts >= outline.destination.retry.maxAttempts)
    violate("bounded", `${entry.step} is tried too often`);
  if (known.intent !== null && known.rejected.includes(known.intent.fingerprint)) {
    violate("rejected", `${entry.step} sends a rejected request again`);
  }
  const isUnknown = known.intent?.attempts.some(({ outcome }) => !provesNotExecuted(outcome)) ?? false;
  if (isUnknown && outline.destination.repeatSafety.by !== "key") {
    violate("unknown", `${entry.step} is resent to ${outline.destination.name} while its outcome is unknown`);
  }
}

type AttemptOutcome = NonNullable<ReturnType<typeof stepOf>["intent"]>["attempts"][number]["outcome"];

function provesNotExecuted(outcome: AttemptOutcome): boolean {
  return (
    outcome.kind === "provedNotExecuted" || (outcome.kind === "failed" && outcome.failure.executed === "no")
  );
}

/**
 * Done means that each effect exists, with the confirmed input. Where a failover lost an attempt, a destination that is
 * asked by key shows that attempt's effect, whatever was wanted then.
 */
function checkDone(
  shape: CaseShape,
  { destinations, lostAttempts }: Ledgers,
  { row, journal }: StoredCase,
): readonly Violation[] {
  if (row.state !== "done") return [];
  const facts = factsOf(foldJournal(row.caseId, journal));
  return shape.steps.flatMap((step): readonly Violation[] => {
    if (step.kind !== "step") return [];
    const effects = [...destinations.values()].flatMap((one) => one.effects);
    const mine = effects.filter(({ request }) => request.caseId === row.caseId && request.step === step.name);
    if (mine.length === 0)
      return [{ rule: "done", what: `${row.caseId} is done, but ${step.name} never happened` }];
    const wanted = canonicalJson(contentOf(step, facts));
    const isRight = mine.some(({ request }) => request.content === wanted);
    const mayBeOld =
      step.destination.repeatSafety.by === "lookup" && lostAttempts.has(`${row.caseId} ${step.name}`);
    return isRight || mayBeOld
      ? []
      : [{ rule: "input", what: `${row.caseId} is done, but ${step.name} ran with other content` }];
  });
}
