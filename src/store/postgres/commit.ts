/**
 * The commits of holders. One statement stores all whose claim and journal still fit. What it leaves out is judged one
 * by one under the lock of its case: a commit sent again, a lost claim, a revision that moved. A batch that fails for
 * the data of one, or for a deadlock, is sent again one case per statement (R9).
 */

import { judgeCommit } from "../../core/claim.ts";
import { isUnreadable } from "../../core/corrupt-journal.ts";
import { invariant } from "../../core/errors.ts";
import { COMMIT_BATCH_MAX, type CaseWrite, type HolderCommit, type HolderReply } from "../port.ts";
import { lockCase, readMissed, writeCase } from "./case-lock.ts";
import type { Database, Parameter, Runner, Session } from "./database.ts";
import {
  codecColumn,
  encodeEntries,
  entryColumns,
  lineageAfter,
  numberEntries,
  summaryColumns,
  type Appending,
  type SummaryColumns,
} from "./entry-columns.ts";
import { isCollision, isDataFault, sayFault, Unstorable } from "./failures.ts";
import { sealEntries, type EncodedEntry } from "./journal-codec.ts";
import { indexValues, type FoundCase, type SearchIndex } from "./search-index.ts";

/** Entries that the statement for a lone commit has room for. */
const LONE_ENTRIES_MAX = 4;
/** Times that one commit is tried when it collides with another statement. */
const COLLISION_TRIES_MAX = 5;

/** Stores commits as the port says. */
export async function commitAll(
  database: Database,
  searchIndex: SearchIndex,
  commits: readonly HolderCommit[],
): Promise<readonly HolderReply[]> {
  checkBatch(commits);
  const replies = new Map<HolderCommit, HolderReply>();
  const encoded: Encoded[] = [];
  for (const commit of commits) {
    const one = encode(commit);
    if (one.kind === "refused") replies.set(commit, one);
    else encoded.push(one);
  }
  for (const [commit, reply] of await storeBatch({ database, searchIndex }, encoded)) {
    replies.set(commit, reply);
  }
  return commits.map((commit) => {
    const reply = replies.get(commit);
    invariant(reply !== undefined, `the commit of case ${commit.caseId} got no reply`);
    return reply;
  });
}

function checkBatch(commits: readonly HolderCommit[]): void {
  invariant(commits.length <= COMMIT_BATCH_MAX, `a batch of ${commits.length} commits was sent`);
  const cases = new Set(commits.map(({ caseId }) => caseId));
  invariant(cases.size === commits.length, "a batch has two commits of one case");
}

interface Encoded {
  readonly kind: "encoded";
  readonly commit: HolderCommit;
  readonly summary: SummaryColumns;
  readonly entries: readonly EncodedEntry[];
  /** Of the journal once the entries are in it. */
  readonly lineage: string;
}

type Refused = Extract<HolderReply, { kind: "refused" }>;
type Replies = readonly (readonly [HolderCommit, HolderReply])[];

function encode(commit: HolderCommit): Encoded | Refused {
  try {
    const appending = appendingOf(commit, commit.current);
    return {
      kind: "encoded",
      commit,
      summary: summaryColumns(commit.current.row),
      entries: encodeEntries(commit.caseId, commit.revision, appending),
      lineage: lineageAfter(commit.lineage, appending),
    };
  } catch (error) {
    if (error instanceof Unstorable) return { kind: "refused", why: error.message };
    throw error;
  }
}

function appendingOf({ commitId }: HolderCommit, { at, entries, row }: CaseWrite): Appending {
  return { commitId, at, entries, row };
}

/** Where commits go. */
interface Door {
  readonly database: Database;
  readonly searchIndex: SearchIndex;
}

async function storeBatch(door: Door, encoded: readonly Encoded[]): Promise<Replies> {
  if (encoded.length === 0) return [];
  // Sorted, so that two batches never wait for each other's cases.
  const sorted = encoded.toSorted((a, b) => (a.commit.caseId < b.commit.caseId ? -1 : 1));
  try {
    return await storeTogether(door, sorted);
  } catch (error) {
    if (!isDataFault(error) && !isCollision(error)) throw error;
  }
  const replies: (readonly [HolderCommit, HolderReply])[] = [];
  for (const one of sorted) replies.push([one.commit, await storeAlone(door, one)]);
  return replies;
}

async function storeTogether(door: Door, sorted: readonly Encoded[]): Promise<Replies> {
  const { database, searchIndex } = door;
  const found = sorted.map(({ commit }) => foundBy(commit));
  const news = searchIndex.newsAmong(found);
  const rows =
    news.length === 0
      ? await runCommits(database, sorted)
      : await database.transact("begin_change", async (session) => {
          const stored = await runCommits(session, sorted);
          await indexValues(session, news);
          return stored;
        });
  const stored = new Set(rows.map(({ n }) => n));
  const replies: (readonly [HolderCommit, HolderReply])[] = [];
  for (const [index, { commit }] of sorted.entries()) {
    const isStored = stored.has(index + 1);
    if (isStored) searchIndex.note(foundBy(commit));
    const reply: HolderReply = isStored
      ? { kind: "current", revision: commit.current.row.revision }
      : await judge(database, commit);
    replies.push([commit, reply]);
  }
  return replies;
}

/** The numbers, from 1, of those that were stored. */
async function runCommits(
  runner: Runner,
  plain: readonly Encoded[],
): Promise<readonly { readonly n: number }[]> {
  const sorted = await sealAll(runner, plain);
  const [first] = sorted;
  return first !== undefined && sorted.length === 1 && first.entries.length <= LONE_ENTRIES_MAX
    ? runner.run<{ readonly n: number }>("commit_one", loneParameters(first))
    : runner.run<{ readonly n: number }>("commit_batch", batchParameters(sorted));
}

async function sealAll(runner: Runner, plain: readonly Encoded[]): Promise<readonly Encoded[]> {
  const cases = plain.map(({ commit: { caseId, revision }, entries }) => ({ caseId, revision, entries }));
  const sealed = await sealEntries(runner.payloads, cases);
  return plain.map((one, index) => ({ ...one, entries: sealed[index] ?? one.entries }));
}

function foundBy({ shard, caseId, current }: HolderCommit): FoundCase {
  return { shard, caseId, search: current.row.summary.search };
}

async function storeAlone(door: Door, one: Encoded): Promise<HolderReply> {
  for (let tries = 1; ; tries += 1) {
    try {
      const [reply] = await storeTogether(door, [one]);
      invariant(reply !== undefined, `the commit of case ${one.commit.caseId} got no reply`);
      return reply[1];
    } catch (error) {
      if (isDataFault(error)) return { kind: "refused", why: sayFault(error) };
      if (!isCollision(error) || tries === COLLISION_TRIES_MAX) throw error;
    }
  }
}

function loneParameters({ commit, summary, entries, lineage }: Encoded): readonly Parameter[] {
  const { at, row, claim } = commit.current;
  return [
    commit.shard,
    commit.caseId,
    commit.claimId,
    commit.revision,
    row.revision,
    row.changedAt,
    row.state,
    row.dueAt,
    ...summary,
    claim.kind === "keep" ? claim.actWithinMs : null,
    at,
    commit.commitId,
    ...Array.from({ length: LONE_ENTRIES_MAX }, (_, index) => entries[index]).flatMap((entry) => [
      entry?.kind ?? null,
      entry?.step ?? null,
      entry?.credentialId ?? null,
      entry?.body ?? null,
    ]),
    commit.lineage,
    lineage,
    row.definitionVersion,
    ...Array.from({ length: LONE_ENTRIES_MAX }, (_, index) => entries[index]?.codec ?? null),
  ];
}

function batchParameters(sorted: readonly Encoded[]): readonly Parameter[] {
  const commits = sorted.map(({ commit }) => commit);
  const rows = commits.map(({ current }) => current.row);
  return [
    commits.map(({ shard }) => shard),
    commits.map(({ caseId }) => caseId),
    commits.map(({ claimId }) => claimId),
    commits.map(({ revision }) => revision),
    rows.map(({ revision }) => revision),
    rows.map(({ changedAt }) => changedAt),
    rows.map(({ state }) => state),
    rows.map(({ dueAt }) => dueAt),
    sorted.map(({ summary: [text] }) => text),
    sorted.map(({ summary: [, hasReview] }) => hasReview),
    commits.map(({ current }) => (current.claim.kind === "keep" ? current.claim.actWithinMs : null)),
    commits.map(({ current }) => current.at),
    commits.map(({ commitId }) => commitId),
    sorted.flatMap(({ entries }, index) => entries.map(() => index + 1)),
    sorted.flatMap(({ commit, entries }) => entries.map((_, index) => commit.revision + index + 1)),
    ...entryColumns(sorted.flatMap(({ entries }) => entries)),
    commits.map(({ lineage }) => lineage),
    sorted.map(({ lineage }) => lineage),
    rows.map(({ definitionVersion }) => definitionVersion),
    codecColumn(sorted.flatMap(({ entries }) => entries)),
  ];
}

/** Judges one commit under its case's lock. */
async function judge(database: Database, commit: HolderCommit): Promise<HolderReply> {
  try {
    return await database.transact("begin_change", (session) => judgeLocked(session, commit));
  } catch (error) {
    if (isDataFault(error)) return { kind: "refused", why: sayFault(error) };
    // The others of the batch must not wait for a case whose journal is damaged.
    if (isUnreadable(error)) return { kind: "refused", why: error.message };
    throw error;
  }
}

/** What became of a commit whose reply was lost: the lock waits for whatever is still under way. */
export async function findCommit(
  database: Database,
  commit: HolderCommit,
): Promise<Extract<HolderReply, { kind: "repeated" }> | null> {
  const { shard, caseId, commitId, revision } = commit;
  return database.transact("begin_change", async (session) => {
    const row = await lockCase(session, shard, caseId);
    if (row === null) return null;
    const missed = await readMissed(session, row, revision);
    const isStored = missed.some((entry) => entry.commitId === commitId);
    return isStored ? { kind: "repeated", missed, claimId: row.claim?.claimId ?? null } : null;
  });
}

/** Judges a commit under its case's lock, in a transaction that others may have written in. */
export async function judgeLocked(session: Session, commit: HolderCommit): Promise<HolderReply> {
  const { shard, caseId, commitId, revision } = commit;
  const row = await lockCase(session, shard, caseId);
  if (row === null) return { kind: "claimLost" };
  const missed = await readMissed(session, row, revision);
  const holding = row.claim?.claimId ?? null;
  const verdict = judgeCommit({ claimId: holding, lineage: row.lineage, missed }, commit);
  switch (verdict.kind) {
    case "repeated":
      return { kind: "repeated", missed, claimId: holding };
    case "claimLost":
      return { kind: "claimLost" };
    case "current":
      await write(session, row, commit, commit.current);
      return { kind: "current", revision: commit.current.row.revision };
    case "moved": {
      const moved = commit.moved(missed);
      await write(session, row, commit, moved);
      return { kind: "moved", missed: [...missed, ...numberEntries(row.revision, { ...moved, commitId })] };
    }
  }
}

async function write(
  session: Session,
  row: Parameters<typeof writeCase>[1],
  commit: HolderCommit,
  caseWrite: CaseWrite,
): Promise<void> {
  const { claim } = caseWrite;
  await writeCase(session, row, {
    ...appendingOf(commit, caseWrite),
    claim: claim.kind === "free" ? "free" : { kind: "touch", actWithinMs: claim.actWithinMs },
    hint: null,
    knownAs: null,
  });
}
