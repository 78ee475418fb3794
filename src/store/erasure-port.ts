/**
 * How a store erases what it keeps of a case, so that its seals still hold: each row keeps the hash that it was sealed with, and
 * the audit line of the erasure a digest over what was left (core/seal.ts).
 */

import type { Digest } from "../core/basis.ts";
import type { ErasableCase } from "../core/erasable.ts";
import type { JournalEntry } from "../core/journal.ts";
import type { RestingRow, StoredState } from "../core/row.ts";
import type { NewAuditLine } from "./audit-port.ts";

/** A case that is to be erased, under its lock. */
export interface LockedErasable extends ErasableCase {
  readonly row: {
    readonly caseId: string;
    readonly revision: number;
    readonly state: StoredState;
    readonly businessKey: string | null;
  };
  readonly journal: readonly JournalEntry[];
}

/** What an audit line about an erased case keeps instead of its own texts. */
export type ErasedTexts = Pick<NewAuditLine, "about" | "plan" | "why" | "sentence">;

/** What becomes of a case. */
export type ErasureChange<Reply> =
  | { readonly kind: "leave"; readonly reply: Reply }
  | {
      readonly kind: "erase";
      /** The whole journal, each entry at its place. */
      readonly journal: readonly JournalEntry[];
      readonly row: RestingRow;
      /** Null where it had none. */
      readonly businessKey: string | null;
      readonly textsOf: (line: ErasedTexts) => ErasedTexts;
      /** The audit line of the erasure, made of the digest over what is left. */
      readonly lineOf: (mark: string) => NewAuditLine;
      readonly reply: Reply;
    };

/** How much a store keeps of a case. */
export interface CaseTraces {
  readonly entries: number;
  readonly auditLines: number;
  /** Events that it was told or started by. */
  readonly events: number;
  /** Deliveries of these that still have their bodies. */
  readonly bodies: number;
  /** Values and keys that it is found by. */
  readonly searchValues: number;
  readonly seconds: number;
  readonly bulkActs: number;
}

/** Erases. Errors as in the store's port. */
export interface ErasureStore {
  /** Null when there is no such case. */
  countTraces(caseId: string): Promise<CaseTraces | null>;
  /**
   * Erases a case as `decide` says, which is pure and sees the case under its lock: its journal, row and audit lines as given;
   * what it is found by is deleted, its events lose their bodies, headers and subjects, and its bulk acts and second requests
   * their texts. All of it or nothing. Null when there is no such case. Throws `CORRUPT_JOURNAL`.
   */
  erase<Reply>(
    caseId: string,
    digest: Digest,
    decide: (found: LockedErasable, now: number) => ErasureChange<Reply>,
  ): Promise<Reply | null>;
}
