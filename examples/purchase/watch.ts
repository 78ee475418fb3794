/** Follows what happens to the cases of a store and tells it. Reads only; the worker knows nothing of it. */

import { setTimeout as pause } from "node:timers/promises";
import { isFootholdError, type JournalEntry, type Store, type StoredCase } from "foothold";
import { storyLine, tellEntry } from "./story.ts";

type StoredRow = StoredCase["row"];

/** How often it looks, in milliseconds. */
const lookEveryMs = 150;

/** The newest cases that it follows; of more, nobody could read the lines. */
const casesMax = 100;

/** A case, as far as the story goes. */
export interface WatchedCase {
  readonly row: StoredRow;
  readonly journal: readonly JournalEntry[];
  /** How people call it. */
  readonly name: string;
  readonly isApproved: boolean;
}

/** What the watch is made of. */
export interface WatchOptions {
  readonly store: Pick<Store, "listCases" | "loadCase">;
  /** What happened before this time (epoch milliseconds) is not told. */
  readonly since: number;
  readonly print: (line: string) => void;
  /** Whether all that is to happen by itself was set going: before that, no rest is one. */
  readonly isSetGoing: () => boolean;
  /** Called whenever all cases have come to rest: ended, or up to somebody outside. */
  readonly onRest: (cases: readonly WatchedCase[]) => void;
  readonly signal: AbortSignal;
}

/** Tells what happens until the signal aborts. While the database does not answer it waits; other errors reject. */
export async function watchCases(options: WatchOptions): Promise<void> {
  const { store, print, onRest, signal } = options;
  let known: readonly WatchedCase[] = [];
  let restedAt = "";
  while (!signal.aborted) {
    // Asked before the look: what is set going after it is not seen by it.
    const isSetGoing = options.isSetGoing();
    const seen = await unlessAway(lookAt(store, known));
    if (seen !== null) {
      for (const line of newLines(known, seen, options.since)) print(line);
      known = seen;
      const place = seen.map(({ row }) => `${row.caseId} ${row.revision}`).join();
      if (isSetGoing && place !== restedAt && seen.length > 0 && seen.every(({ row }) => isAtRest(row))) {
        restedAt = place;
        onRest(seen);
      }
    }
    await pause(lookEveryMs, undefined, { signal }).catch(() => undefined);
  }
}

/** The cases now, oldest first; the journal is read again only where it has grown. */
async function lookAt(
  store: WatchOptions["store"],
  known: readonly WatchedCase[],
): Promise<readonly WatchedCase[]> {
  const { rows } = await store.listCases({ limit: casesMax });
  const seen: WatchedCase[] = [];
  for (const row of rows.toReversed()) {
    const before = known.find((one) => one.row.caseId === row.caseId);
    const isSame = before !== undefined && before.row.revision === row.revision;
    const stored = isSame ? { row, journal: before.journal } : await store.loadCase(row.caseId);
    if (stored !== null) seen.push(watched(stored.row, stored.journal));
  }
  return seen;
}

function watched(row: StoredRow, journal: readonly JournalEntry[]): WatchedCase {
  const answers = journal.flatMap(({ entry }) => (entry.kind === "approvalAnswered" ? [entry] : []));
  return {
    row,
    journal,
    name: row.businessKey ?? row.caseId,
    isApproved: answers.at(-1)?.approved === true,
  };
}

function newLines(
  known: readonly WatchedCase[],
  seen: readonly WatchedCase[],
  since: number,
): readonly string[] {
  const told = new Map(known.map(({ row }) => [row.caseId, row.revision]));
  return seen
    .flatMap(({ row, journal, name }) =>
      journal
        .filter(({ revision, at }) => revision > (told.get(row.caseId) ?? 0) && at >= since)
        .map((entry) => ({ at: entry.at, name, what: tellEntry(entry) })),
    )
    .toSorted((a, b) => a.at - b.at)
    .flatMap(({ at, name, what }) => (what === null ? [] : [storyLine(at, name, what)]));
}

/** True when nothing goes on by itself: ended, with a person, or waiting for an answer or an event. */
function isAtRest({ state, summary }: StoredRow): boolean {
  switch (state) {
    case "done":
    case "canceled":
    case "in_review":
    case "paused":
      return true;
    case "waiting":
      return summary.waits.every(({ kind }) => kind === "approval" || kind === "event");
    case "ready":
    case "claimed":
      return false;
  }
}

async function unlessAway<T>(question: Promise<T>): Promise<T | null> {
  try {
    return await question;
  } catch (error) {
    if (isFootholdError(error) && error.code === "DATABASE_UNAVAILABLE") return null;
    throw error;
  }
}
