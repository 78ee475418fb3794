/** The commits of holders, each judged by core. */

import { invariant, isFootholdError } from "../../core/errors.ts";
import { judgeCommit } from "../../core/claim.ts";
import { COMMIT_BATCH_MAX, type CaseWrite, type HolderCommit, type HolderReply } from "../port.ts";
import { append, claimAfter, type MemoryCase } from "./cases.ts";
import { Unstorable } from "./frozen.ts";

/** Stores commits as the port says. */
export function commitAll(
  cases: Map<string, MemoryCase>,
  commits: readonly HolderCommit[],
  now: number,
): readonly HolderReply[] {
  invariant(commits.length <= COMMIT_BATCH_MAX, `a batch of ${commits.length} commits was sent`);
  invariant(
    new Set(commits.map(({ caseId }) => caseId)).size === commits.length,
    "a batch has two commits of one case",
  );
  return commits.map((commit) => commitOne(cases, commit, now));
}

/** What became of a commit whose reply was lost, as the port says. */
export function findCommit(
  cases: ReadonlyMap<string, MemoryCase>,
  { caseId, commitId, revision }: HolderCommit,
): Extract<HolderReply, { kind: "repeated" }> | null {
  const stored = cases.get(caseId);
  const missed = stored?.journal.slice(revision) ?? [];
  const isStored = missed.some((entry) => entry.commitId === commitId);
  return isStored ? { kind: "repeated", missed, claimId: stored?.claim?.claimId ?? null } : null;
}

/** Stores one commit as the port says. */
export function commitOne(cases: Map<string, MemoryCase>, commit: HolderCommit, now: number): HolderReply {
  const stored = cases.get(commit.caseId);
  if (stored === undefined) return { kind: "claimLost" };
  const missed = stored.journal.slice(commit.revision);
  const claimId = stored.claim?.claimId ?? null;
  const verdict = judgeCommit({ claimId, lineage: stored.lineage, missed }, commit);
  switch (verdict.kind) {
    case "repeated":
      return { kind: "repeated", missed, claimId };
    case "claimLost":
      return { kind: "claimLost" };
    case "current":
      return orRefused(() => {
        const written = write(stored, commit, commit.current, now);
        cases.set(commit.caseId, written);
        return { kind: "current", revision: written.row.revision };
      });
    case "moved":
      return orRefused(() => {
        const written = write(stored, commit, commit.moved(missed), now);
        cases.set(commit.caseId, written);
        return { kind: "moved", missed: written.journal.slice(commit.revision) };
      });
  }
}

function write(
  stored: MemoryCase,
  { commitId }: HolderCommit,
  { at, entries, row, claim }: CaseWrite,
  now: number,
): MemoryCase {
  const change = claim.kind === "keep" ? ({ ...claim, kind: "touch" } as const) : "free";
  const kept = claimAfter(stored.claim, change, now);
  return append(stored, { commitId, at, entries, row }, kept);
}

function orRefused(work: () => HolderReply): HolderReply {
  try {
    return work();
  } catch (error) {
    if (error instanceof Unstorable) return { kind: "refused", why: error.message };
    // What `moved` folds may not be readable; the others of the batch must not wait for that.
    if (isFootholdError(error) && error.code === "CORRUPT_JOURNAL")
      return { kind: "refused", why: error.message };
    throw error;
  }
}
