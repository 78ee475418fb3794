/**
 * What a store keeps of acts: an audit line for each, done or refused; and the seals over audit lines and journals
 * (core/seal.ts), which show whether somebody changed either by hand. Times are epoch milliseconds by the store's clock.
 */

import type { ErrorCode } from "../core/errors.ts";
import type { Json } from "../core/json.ts";
import type { ErasedRows, Seal, SealedEntry, SealedLine, SealHead } from "../core/seal.ts";

/** What became of an act. `requested`: a worker holds the case and carries it out. */
export type AuditOutcome = "done" | "requested" | "refused";

/** An audit line to be written. */
export interface NewAuditLine {
  readonly auditId: string;
  /** What was done or tried: a move's name, or such as `signIn`. */
  readonly act: string;
  readonly outcome: AuditOutcome;
  /** Of the refusal; null otherwise. */
  readonly code: ErrorCode | null;
  /** Who acted, as people read it, and their stable id where they were signed in. Null = nobody knows. */
  readonly who: string | null;
  readonly personId: string | null;
  /** Null where it was about no case. */
  readonly caseId: string | null;
  /** What else it was about: a step, or in a house act such as a person's name. */
  readonly about: string | null;
  /** The plan version that the person saw; null = they named none. */
  readonly plan: string | null;
  readonly why: string | null;
  /** What became of it, in a sentence; null where there is no more to say. */
  readonly sentence: string | null;
  /** How it was before and is after; null where nothing changed. Never with the contents of inputs and results. */
  readonly before: Json;
  readonly after: Json;
}

/** An audit line as stored. */
export interface StoredAuditLine extends NewAuditLine {
  readonly at: number;
  /** The seal of its shard that it is in; null = none took it yet. */
  readonly sealNo: number | null;
}

/** Which audit lines to list, newest first. */
export interface AuditFilter {
  readonly act?: string;
  readonly outcome?: AuditOutcome;
  /** A name or a person's id. */
  readonly who?: string;
  readonly caseId?: string;
  readonly about?: string;
  /** At this time or later. */
  readonly sinceAt?: number;
  /** Before this time. */
  readonly untilAt?: number;
  /** At most {@link AUDIT_LINES_MAX}. */
  readonly limit: number;
  /** From {@link AuditPage.next}. */
  readonly after?: string;
}

/** One page of audit lines. */
export interface AuditPage {
  readonly lines: readonly StoredAuditLine[];
  /** Cursor of the next page; null = this is the last one. */
  readonly next: string | null;
}

/** A case of which entries are not sealed yet. */
export interface UnsealedCase {
  readonly shard: number;
  readonly caseId: string;
  /** Its revision, and up to which it is sealed; 0 = no entry is. */
  readonly revision: number;
  readonly sealedRevision: number;
}

/** The place in a walk over all cases. */
export interface CasePlace {
  readonly shard: number;
  readonly caseId: string;
}

/** What a look for cases to seal found. */
export interface UnsealedPage {
  readonly cases: readonly UnsealedCase[];
  /** Where to look on; null = that was the last case. */
  readonly next: CasePlace | null;
}

/** Entries of a case from one revision to another. */
export interface RevisionRange {
  readonly caseId: string;
  readonly from: number;
  readonly to: number;
}

/** How much is not sealed yet. */
export interface UnsealedCount {
  readonly entries: number;
  readonly lines: number;
}

/** Audit lines and seals, as a store keeps them. Errors as in {@link Store}. */
export interface AuditStore {
  /** Writes a line by itself; the same id again changes nothing. */
  append(line: NewAuditLine): Promise<void>;
  list(filter: AuditFilter): Promise<AuditPage>;

  /** Where the chain of every shard ends, in order. */
  readHeads(): Promise<readonly SealHead[]>;
  /** Looks through at most `limit` cases after a place, in the order of shard and id; null = from the first. */
  findUnsealed(after: CasePlace | null, limit: number): Promise<UnsealedPage>;
  /** Lines that no seal took, whenever they were committed; at most `limit`. */
  listUnsealedLines(limit: number): Promise<readonly (SealedLine & { readonly shard: number })[]>;
  /** The entries of these ranges, as they are now, by case and revision. At most {@link SEAL_RANGES_MAX} ranges. */
  readRanges(shard: number, ranges: readonly RevisionRange[]): Promise<readonly SealedEntry[]>;
  /**
   * Adds a seal to its chain, and marks what it took; all of it or nothing. False where the chain ends elsewhere by now:
   * another sealer was there first.
   */
  writeSeal(seal: Seal): Promise<boolean>;
  /** Seals of a shard after a number, in order. */
  readSeals(shard: number, after: number, limit: number): Promise<readonly Seal[]>;
  /** The lines that say that they are in a seal. */
  readSealedLines(shard: number, sealNo: number): Promise<readonly SealedLine[]>;
  /** The entries and lines of a case that say that they were erased, in the order of revisions and of ids. */
  readErased(caseId: string): Promise<ErasedRows>;
  /** Entries of a shard that lie beyond the revision of their case, or have no case; at most `limit`. */
  findStrays(
    shard: number,
    limit: number,
  ): Promise<readonly { readonly caseId: string; readonly revision: number }[]>;
  countUnsealed(): Promise<UnsealedCount>;
}

/** Audit lines in one page. */
export const AUDIT_LINES_MAX = 500;
/** Ranges that are read at once. */
export const SEAL_RANGES_MAX = 1_000;
/** The shard of lines that are about no case. */
export const HOUSE_SHARD = 0;
