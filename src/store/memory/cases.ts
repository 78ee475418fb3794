/** The cases of a memory store: rows, claims and journals, and the one way to append to them. */

import { rowStanding, type ToldStanding } from "../../core/child-telling.ts";
import { FootholdError, invariant } from "../../core/errors.ts";
import type { Entry, JournalEntry } from "../../core/journal.ts";
import { extendLineage } from "../../core/lineage.ts";
import type { RestingRow } from "../../core/row.ts";
import {
  COMMIT_ENTRIES_MAX,
  type CaseIdentity,
  type ClaimChange,
  type HeldClaim,
  type NewClaim,
  type StoredRow,
} from "../port.ts";
import type { UntoldCase } from "../child-port.ts";
import { frozenCopy, frozenJsonb, Unstorable } from "./frozen.ts";

/** A claim as it lies over a case. */
export interface MemoryClaim {
  readonly claimId: string;
  readonly holderId: string;
  readonly claimedAt: number;
  readonly actByAt: number;
  readonly actWithinMs: number;
  readonly touches: number;
}

/** A case; frozen, each change makes a new one. */
export interface MemoryCase {
  readonly identity: CaseIdentity;
  readonly row: RestingRow;
  readonly lineage: string;
  readonly claim: MemoryClaim | null;
  readonly journal: readonly JournalEntry[];
  /** When it was due before its key held it back; left out or null = it does not. */
  readonly heldSinceAt?: number | null;
  /** How it stood when its parent was last told. */
  readonly told: ToldStanding;
  /** What its facts and moves are known by, with the commits that stored them. */
  readonly changes: ReadonlyMap<string, string>;
}

/** What is appended, and the row that follows from it. */
export interface Appending {
  readonly commitId: string;
  readonly at: number;
  readonly entries: readonly Entry[];
  readonly row: RestingRow;
}

/** A claim made now. */
export function newClaim({ claimId, holderId, actWithinMs }: NewClaim, now: number): MemoryClaim {
  return { claimId, holderId, claimedAt: now, actByAt: now + actWithinMs, actWithinMs, touches: 0 };
}

function touch(claim: MemoryClaim, actWithinMs: number, now: number): MemoryClaim {
  return { ...claim, actWithinMs, actByAt: now + actWithinMs, touches: claim.touches + 1 };
}

/** What a change makes of a claim. */
export function claimAfter(claim: MemoryClaim | null, change: ClaimChange, now: number): MemoryClaim | null {
  if (change === "keep") return claim;
  if (change === "free") return null;
  if (change.kind === "take") return newClaim(change, now);
  return claim === null ? null : touch(claim, change.actWithinMs, now);
}

/** A case with more appended. Throws {@link Unstorable}, and `INVARIANT_BROKEN` when row and entries do not fit. */
export function append(
  before: Omit<MemoryCase, "row">,
  { commitId, at, entries, row }: Appending,
  claim: MemoryClaim | null,
): MemoryCase {
  const revision = before.journal.length;
  if (entries.length > COMMIT_ENTRIES_MAX) {
    throw new Unstorable(`it has ${entries.length} entries, more than the ${COMMIT_ENTRIES_MAX} of a commit`);
  }
  invariant(
    row.revision === revision + entries.length,
    `the row of case ${before.identity.caseId} is for revision ${row.revision}, ` +
      `its entries end at ${revision + entries.length}`,
  );
  invariant(
    claim === null || (row.state !== "done" && row.state !== "canceled"),
    `case ${before.identity.caseId} is ${row.state}, and was to be held`,
  );
  const numbered = entries.map((entry, index) =>
    Object.freeze({ revision: revision + index + 1, at, commitId, entry: frozenCopy(entry) }),
  );
  return Object.freeze({
    identity: before.identity,
    row: Object.freeze({ ...row, summary: frozenJsonb(row.summary) }),
    lineage: extendLineage(before.lineage, numbered),
    claim,
    journal: Object.freeze([...before.journal, ...numbered]),
    told: before.told,
    changes: before.changes,
  });
}

/** A case's row as the port has it. */
export function storedRow({ identity, row, lineage, claim, heldSinceAt }: MemoryCase): StoredRow {
  return Object.freeze({
    ...identity,
    ...row,
    ...(typeof heldSinceAt === "number" ? { heldSinceAt } : {}),
    lineage,
    state: claim === null ? row.state : "claimed",
    claim:
      claim === null
        ? null
        : Object.freeze({
            claimId: claim.claimId,
            holderId: claim.holderId,
            claimedAt: claim.claimedAt,
            actByAt: claim.actByAt,
          }),
  });
}

/** How a case stands, where its parent was told otherwise; null = it was not, or it has none. */
export function untoldCase({ identity, row, told }: MemoryCase): UntoldCase | null {
  const { state, summary } = row;
  const standing = rowStanding({ state, hasReview: summary.reviews.length > 0 });
  return summary.parent === undefined || standing === told ? null : { caseId: identity.caseId, standing };
}

/** A case's claim as the port has it; null when there is none. */
export function heldClaim({ identity, row, claim }: MemoryCase): HeldClaim | null {
  if (claim === null) return null;
  const { caseId, shard } = identity;
  return Object.freeze({ caseId, shard, revision: row.revision, ...claim });
}

/** Does `work`; what cannot be stored becomes `INVALID_REQUEST`. */
export function orInvalid<T>(what: string, caseId: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Unstorable)) throw error;
    throw new FootholdError("INVALID_REQUEST", `${what} cannot be stored: ${error.message}.`, {
      cause: error,
      details: { caseId },
    });
  }
}
