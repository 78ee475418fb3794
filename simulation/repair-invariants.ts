/** What must hold of repairs, judged from the journal entry by entry (R4, R22). */

import { isDeepStrictEqual } from "node:util";
import type { CaseState, Rest } from "../src/core/case-state.ts";
import { foldEntries, foldJournal } from "../src/core/fold.ts";
import type { Entry, EntryKind, JournalEntry } from "../src/core/journal.ts";
import type { StoredCase } from "../src/store/port.ts";
import type { Violation } from "./journal-rules.ts";

/** A repair as the entries tell of it. */
interface Watched {
  readonly claimId: string;
  readonly person: string;
  /** How the case stood before. */
  readonly rest: Rest;
  /** True once a move, a late report or the word of a case above or below changed that. */
  readonly hasMoved: boolean;
  readonly attached: readonly string[];
}

/** Everything that a journal says of its repairs. */
export function checkRepairs({ row, journal }: StoredCase): readonly Violation[] {
  const [first, ...rest] = journal;
  if (first === undefined) return [];
  const violations: Violation[] = [];
  let state = foldJournal(row.caseId, [first]);
  let repair: Watched | null = null;
  for (const one of rest) {
    const after = foldEntries(state, [one]);
    const found: readonly string[] =
      repair === null ? checkOutside(one) : checkInside(repair, state, one, after);
    violations.push(...found.map((what) => ({ rule: "repair", what: `${row.caseId}: ${what}` })));
    repair = follow(repair, state, one);
    state = after;
  }
  if (
    (repair?.claimId ?? null) !== (state.repair?.claimId ?? null) ||
    (repair !== null && row.claim === null)
  )
    violations.push({ rule: "repair", what: `${row.caseId}: a repair is open that nobody holds` });
  const ids = state.events.map(({ sourceId }) => sourceId);
  if (new Set(ids).size !== ids.length)
    violations.push({ rule: "repair", what: `${row.caseId}: an event is applied twice` });
  return violations;
}

function checkOutside({ entry }: JournalEntry): readonly string[] {
  const belongsInside =
    entry.kind === "eventAttached" || entry.kind === "repairTakenOver" || entry.kind === "repairEnded";
  return belongsInside ? [`${entry.kind} without a repair`] : [];
}

function checkInside(
  repair: Watched,
  before: CaseState,
  { entry, at }: JournalEntry,
  after: CaseState,
): readonly string[] {
  if (entry.kind === "repairEnded") return checkEnd(repair, before, at, after);
  const found: string[] = [];
  if (isOfWorker(entry)) found.push(`${entry.kind} during a repair`);
  const mover = moverOf(entry);
  if (mover !== null && mover !== repair.person)
    found.push(`${mover} moved the case by ${entry.kind}, which ${repair.person} had open for repair`);
  if (after.events.length > before.events.length) found.push("an event is applied during a repair");
  return found;
}

/** The state before it returns, and what came is applied once. */
function checkEnd(
  { rest, hasMoved, attached }: Watched,
  before: CaseState,
  at: number,
  after: CaseState,
): readonly string[] {
  const found: string[] = [];
  const isStill = rest.kind === "waiting" || rest.kind === "in_review";
  const expected = attached.length > 0 && isStill ? { kind: "ready", dueAt: at } : rest;
  if (!hasMoved && !isDeepStrictEqual(after.rest, expected))
    found.push(`it was ${rest.kind} before a repair and is ${after.rest.kind} after it`);
  const isOver = before.rest.kind === "done" || before.rest.kind === "canceled";
  const wanted = [...before.events.map(({ sourceId }) => sourceId), ...(isOver ? [] : attached)];
  const applied = after.events.map(({ sourceId }) => sourceId);
  if (!isDeepStrictEqual(applied, wanted))
    found.push(`after a repair [${applied.join(", ")}] are applied instead of [${wanted.join(", ")}]`);
  return found;
}

/** What only the holder of a worker's claim writes, or is asked of one. */
const OF_WORKERS: ReadonlySet<EntryKind> = new Set([
  "intentOpened",
  "attemptOpened",
  "attemptFailed",
  "checkAnswered",
  "accessRefreshed",
  "conditionAnswered",
  "lookAnswered",
  "stepLapsed",
  "stepRestored",
  "stepUndone",
  "parked",
  "caseDone",
  "claimLost",
  "cancelRequested",
  "pauseRequested",
]);

/** Whoever holds the claim while a repair is open is no worker. */
function isOfWorker(entry: Entry): boolean {
  if (isByParent(entry)) return false;
  return OF_WORKERS.has(entry.kind) || (entry.kind === "stepConfirmed" && !isByPerson(entry));
}

/** A case is canceled for its parent once the repair ends. */
function isByParent(entry: Entry): boolean {
  return entry.kind === "cancelRequested" && entry.byParent === true;
}

function isByPerson({ by }: Extract<Entry, { kind: "stepConfirmed" }>): boolean {
  return by.how === "person" || by.how === "skip";
}

/** The person who made a move; null for facts. */
function moverOf(entry: Entry): string | null {
  if (entry.kind === "stepConfirmed") return "reason" in entry.by ? entry.by.by : null;
  const isMove =
    entry.kind === "resumed" ||
    entry.kind === "inputCorrected" ||
    entry.kind === "redoOrdered" ||
    entry.kind === "undoOrdered" ||
    entry.kind === "checkOrdered" ||
    entry.kind === "outcomeRuledOut" ||
    entry.kind === "paused" ||
    entry.kind === "canceled" ||
    entry.kind === "approvalAnswered";
  return isMove ? entry.by.name : null;
}

function follow(repair: Watched | null, { rest }: CaseState, { entry }: JournalEntry): Watched | null {
  if (entry.kind === "repairOpened") {
    return { claimId: entry.claimId, person: entry.by.name, rest, hasMoved: false, attached: [] };
  }
  if (repair === null || entry.kind === "repairEnded") return null;
  if (entry.kind === "repairTakenOver") return { ...repair, claimId: entry.claimId, person: entry.by.name };
  if (entry.kind === "eventAttached") return { ...repair, attached: [...repair.attached, entry.sourceId] };
  // Late reports, and what those above and below it say, are facts that may change what the case waits for.
  const isTold = entry.kind === "lateReport" || entry.kind === "childTold" || isByParent(entry);
  const hasMoved = repair.hasMoved || moverOf(entry) !== null || isTold;
  return { ...repair, hasMoved };
}
