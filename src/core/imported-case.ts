/**
 * A case that another installation had, as it goes on here: its journal as it was, and after it what is to be known of the
 * move. Who held it there does not hold it here, and what it sent there since the export nobody here knows: so it goes on like
 * after a restore (restored.ts), and no step sends before it is found out whether it did.
 */

import type { CaseState } from "./case-state.ts";
import { FootholdError } from "./errors.ts";
import type { ExportedCase } from "./exported-case.ts";
import { foldEntries, foldJournal } from "./fold.ts";
import type { Actor, AttemptRef, Entry, JournalEntry } from "./journal.ts";
import { endRepair } from "./repair.ts";
import { rowOf, type RestingRow } from "./row.ts";
import { formatUtc } from "./utc-time.ts";

/** One commit of the journal, with the row that it called for. */
export interface ImportedCommit {
  readonly commitId: string;
  readonly at: number;
  /** What a fact is known by when it comes again; null where it is none. */
  readonly sourceId: string | null;
  readonly entries: readonly Entry[];
  readonly row: RestingRow;
}

/** How it is told in the journal. */
export interface ImportTold {
  readonly commitId: string;
  /** The time here. */
  readonly now: number;
  readonly by: Actor;
  /** Why, as it may stand beside what the case holds. */
  readonly reasonBeside: (state: CaseState) => string;
}

/** A case that can go on here. */
export interface ImportedJournal {
  /** As the case was before. */
  readonly before: CaseState;
  readonly startedBy: Extract<Entry, { kind: "caseStarted" }>;
  readonly startedAt: number;
  /** Oldest first; the last one tells of the import. */
  readonly commits: readonly ImportedCommit[];
}

/** Throws `INVALID_REQUEST` for a journal that cannot be read, or that is of a case with relatives: they go on with each other. */
export function importJournal(exported: ExportedCase, told: ImportTold): ImportedJournal {
  const { caseId, entries } = exported;
  const [first] = entries;
  if (first?.entry.kind !== "caseStarted") throw unfit(caseId, "its journal does not begin with a start");
  const before = readState(exported);
  if (before.erased !== undefined)
    throw unfit(caseId, "what it held was erased, and nothing goes on without it");
  if (before.parent !== null)
    throw unfit(caseId, `case ${before.parent.caseId} started it, and waits for its end where it is`);
  const child = entries.find(({ entry }) => entry.kind === "childStarted");
  if (child !== undefined)
    throw unfit(caseId, "it started other cases, and goes on with them where they are");
  const last = afterwards(before, exported, told).map((entry, index) => ({
    revision: before.revision + index + 1,
    at: Math.max(told.now, before.changedAt),
    commitId: told.commitId,
    entry,
  }));
  const commits: ImportedCommit[] = [];
  let state: CaseState | null = null;
  for (const commit of commitsOf([...entries, ...last])) {
    state = state === null ? foldJournal(caseId, commit.entries) : foldEntries(state, commit.entries);
    commits.push(commitFrom(commit, state));
  }
  return { before, startedBy: first.entry, startedAt: first.at, commits };
}

function readState({ caseId, entries }: ExportedCase): CaseState {
  try {
    return foldJournal(caseId, entries);
  } catch (error) {
    // Its first sentence says where and why; the next ones speak of a case that is stored.
    const why = String(error)
      .replace(/^\w*Error: /, "")
      .replace(/[.] .*/s, "");
    throw unfit(caseId, why, error);
  }
}

interface Commit {
  readonly first: JournalEntry;
  readonly entries: readonly JournalEntry[];
}

/** In the order of the journal; entries of one commit stand together. */
function commitsOf(entries: readonly JournalEntry[]): readonly Commit[] {
  const commits: { first: JournalEntry; entries: JournalEntry[] }[] = [];
  for (const entry of entries) {
    const open = commits.at(-1);
    if (open?.first.commitId === entry.commitId) open.entries.push(entry);
    else commits.push({ first: entry, entries: [entry] });
  }
  return commits;
}

function commitFrom({ first, entries }: Commit, state: CaseState): ImportedCommit {
  return {
    commitId: first.commitId,
    at: first.at,
    sourceId: "sourceId" in first.entry ? first.entry.sourceId : null,
    entries: entries.map(({ entry }) => entry),
    row: rowOf(state),
  };
}

function afterwards(
  state: CaseState,
  { exportedAt }: ExportedCase,
  { now, by, reasonBeside }: ImportTold,
): readonly Entry[] {
  const isOver = state.rest.kind === "done" || state.rest.kind === "canceled";
  const note = `Imported from an export of ${formatUtc(exportedAt)}: ${reasonBeside(state)}`;
  return [
    ...claimsLost(state),
    ...endRepair(state, "orphaned"),
    // Where the clock there is ahead of ours, since now.
    ...(isOver ? [] : [{ kind: "restored" as const, backupAt: Math.min(exportedAt, now), by }]),
    { kind: "noteAdded", text: note, by },
  ];
}

/** Of each claim under which an attempt was open: its outcome comes to nobody here. */
function claimsLost(state: CaseState): readonly Entry[] {
  const byClaim = new Map<string, AttemptRef[]>();
  for (const [step, { intent }] of Object.entries(state.steps)) {
    if (intent === null) continue;
    for (const { claimId, outcome, number } of intent.attempts) {
      if (outcome.kind !== "open") continue;
      const open = byClaim.get(claimId) ?? [];
      byClaim.set(claimId, [...open, { step, intentVersion: intent.version, attempt: number }]);
    }
  }
  return [...byClaim].map(([claimId, openAttempts]) => ({
    kind: "claimLost",
    claimId,
    holderId: claimId,
    holderName: "before the import",
    why: "orphaned",
    openAttempts,
  }));
}

function unfit(caseId: string, why: string, cause?: unknown): FootholdError {
  return new FootholdError("INVALID_REQUEST", `Case ${caseId} cannot be imported: ${why}.`, { cause });
}
