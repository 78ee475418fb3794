/**
 * The store port: everything the engine asks of a database. A store stores and compares; every decision comes from
 * core, as values or as pure callbacks that it runs under the case's lock. One contract suite holds all stores to this
 * text (test/store/contract).
 *
 * All times are epoch milliseconds. Every method may throw `DATABASE_UNAVAILABLE` when the database does not answer:
 * then nothing is known about the write, and a commit is sent again with the same commit id (R3).
 */

import type { CaseCriteria } from "../core/case-criteria.ts";
import type { CaseState } from "../core/case-state.ts";
import type { ImportedCommit } from "../core/imported-case.ts";
import type { Claim } from "../core/claim.ts";
import type { FootholdError } from "../core/errors.ts";
import type { Entry, JournalEntry } from "../core/journal.ts";
import type { ConcurrencyOutline } from "../core/concurrency-outline.ts";
import type { Transaction } from "../core/ports.ts";
import type { CaseSummary, RestingRow, StoredState } from "../core/row.ts";
import type { Holder } from "../core/state.ts";
import type { TurnGroup } from "../core/turns.ts";
import type { AuditStore, NewAuditLine } from "./audit-port.ts";
import type { BulkStore } from "./bulk-port.ts";
import type { ChildStore } from "./child-port.ts";
import type { DestinationStore } from "./destination-port.ts";
import type { ErasureStore } from "./erasure-port.ts";
import type { InboxStore } from "./inbox-port.ts";
import type { KeyStore } from "./key-port.ts";
import type { MilestoneStore } from "./milestone-port.ts";
import type { NoticeStore } from "./notice-port.ts";
import type { PlaceStore } from "./place-port.ts";
import type { PeopleStore } from "./people-port.ts";
import type { SampleStore } from "./sample-port.ts";
import type { ScheduleStore } from "./schedule-port.ts";
import type { SecondStore } from "./second-port.ts";

/** Columns of a case that never change, apart from the versions it needs. */
export interface CaseIdentity {
  readonly caseId: string;
  /** 0 to SHARD_COUNT - 1; also the first two characters of the case id. */
  readonly shard: number;
  readonly tenant: string;
  readonly caseType: string;
  readonly businessKey: string | null;
  readonly startedAt: number;
  /** A worker with a lower one of either cannot claim the case (R12). */
  readonly definitionVersion: number;
  readonly engineVersion: number;
}

/** A case as stored. */
export interface StoredRow extends CaseIdentity, Omit<RestingRow, "state"> {
  readonly state: StoredState;
  /**
   * When it was due before its key held it back; left out = its key does not. Then `dueAt` says when it comes due again by itself. No
   * part of the journal.
   */
  readonly heldSinceAt?: number;
  /** Of its journal; kept by the store. */
  readonly lineage: string;
  readonly claim: Claim | null;
}

/** A row with the state that its journal adds up to. */
export interface FoldedCase {
  readonly row: StoredRow;
  readonly state: CaseState;
}

/** The same with its whole journal. */
export interface StoredCase extends FoldedCase {
  readonly journal: readonly JournalEntry[];
}

/**
 * What a case row and journal become. Made by core from the state after `entries`; `row.revision` is that of the last
 * entry. All entries carry `at`.
 */
export interface CaseWrite {
  readonly at: number;
  readonly entries: readonly Entry[];
  readonly row: RestingRow;
  /**
   * What happens to the claim: kept as it is (and touched: act-by starts anew, `actWithinMs` from now), freed, or taken
   * by `claim` (only by `insertCase`).
   */
  readonly claim: { readonly kind: "keep"; readonly actWithinMs: number } | { readonly kind: "free" };
}

/** A new case. With `claim`, the starter's own worker holds it from the first commit. */
export interface NewCase {
  readonly identity: CaseIdentity;
  readonly commitId: string;
  readonly at: number;
  readonly entries: readonly Entry[];
  readonly row: RestingRow;
  readonly claim: NewClaim | null;
}

/** A claim to be made. `claimedAt` and `actByAt` are set by the store's clock. */
export interface NewClaim {
  readonly claimId: string;
  readonly holderId: string;
  readonly actWithinMs: number;
}

/** What became of a start. */
export type InsertReply =
  | { readonly kind: "started" }
  /** The same commit was stored before; its reply was lost. */
  | { readonly kind: "repeated" }
  /** Another case has this tenant, type and business key. */
  | { readonly kind: "exists"; readonly caseId: string }
  /** The random case id is taken: draw another. */
  | { readonly kind: "idTaken" };

/** A holder's commit. */
export interface HolderCommit {
  readonly caseId: string;
  readonly shard: number;
  readonly commitId: string;
  readonly claimId: string;
  /** Revision that `current` was made on, and the lineage of the journal up to there. */
  readonly revision: number;
  readonly lineage: string;
  /** Stored when nothing came in between. */
  readonly current: CaseWrite;
  /**
   * Stored when something did: the outcomes only, on top of what came (R1); no parking (R2). Pure; called under the
   * case's lock with the entries after `revision`. Its `entries` may be empty: then only the claim is changed.
   */
  readonly moved: (missed: readonly JournalEntry[]) => CaseWrite;
}

/** What became of a holder's commit. */
export type HolderReply =
  /** All of `current` is stored; `revision` is the case's now. */
  | { readonly kind: "current"; readonly revision: number }
  /** `moved` is stored. `missed` = entries after the commit's revision, those of `moved` included. */
  | { readonly kind: "moved"; readonly missed: readonly JournalEntry[] }
  /** Stored by an earlier send of the same commit; `missed` = every entry after the commit's revision. */
  | { readonly kind: "repeated"; readonly missed: readonly JournalEntry[]; readonly claimId: string | null }
  /** Another holder may act, or a failover lost entries that `current` was made on. Nothing is stored. */
  | { readonly kind: "claimLost" }
  /** The data of this very commit cannot be stored; nothing of it is. The others of the batch are judged apart (R9). */
  | { readonly kind: "refused"; readonly why: string };

/**
 * A transaction of the store's own database in which a step writes. It ends with the commit that confirms the step: both are
 * stored, or neither.
 */
export interface StepTransaction extends Transaction {
  /** {@link Store.insertCase}, with what else is written: there is no such case until the commit. */
  startCase(start: NewCase): Promise<InsertReply>;
  /** {@link Store.changeCase} of another case than the one of the commit, with what else is written. */
  changeCase<Reply>(
    caseId: string,
    change: ChangeId,
    decide: (stored: FoldedCase, now: number) => CaseChange<Reply>,
  ): Promise<ChangeReply<Reply> | null>;
  /**
   * Stores a holder's commit with what was written. For any reply but `current` and `moved` all of it is rolled back.
   * After `DATABASE_UNAVAILABLE` nothing is known, and {@link Store.findCommit} tells.
   */
  commit(commit: HolderCommit): Promise<HolderReply>;
  /** Takes everything back. Safe twice, and after `commit`. Never throws: a connection that is gone takes it back too. */
  rollBack(): Promise<void>;
}

/** What a change is known by when it comes again. */
export interface ChangeId {
  /** Of this very change, whose reply may get lost. */
  readonly commitId: string;
  /** Of the fact in it, whoever tells it how often; null for what is no fact. */
  readonly sourceId: string | null;
}

/** What became of a change under the case's lock. */
export type ChangeReply<Reply> =
  | { readonly kind: "decided"; readonly reply: Reply }
  /** Stored by an earlier send of the same change. */
  | { readonly kind: "repeated" }
  /** The fact is in the journal by another change. */
  | { readonly kind: "known" }
  /** Its data was erased: nothing is appended any more. */
  | { readonly kind: "erased" };

/** What a change under the case's lock decides. */
export type CaseChange<Reply> =
  | {
      readonly kind: "write";
      readonly commitId: string;
      readonly entries: readonly Entry[];
      readonly at: number;
      readonly row: RestingRow;
      readonly claim: ClaimChange;
      readonly reply: Reply;
      /** Written with it, or not at all. Left out = nobody's act. */
      readonly line?: NewAuditLine;
    }
  | { readonly kind: "leave"; readonly reply: Reply };

/** What a change does to the claim of its case. `decide` has seen the claim under the lock, so each is a compare-and-set. */
export type ClaimChange =
  /** Nothing. */
  | "keep"
  /** Takes it away, whoever holds it. */
  | "free"
  /** Its holder keeps it, and act-by starts anew. Nothing where there is none. */
  | { readonly kind: "touch"; readonly actWithinMs: number }
  /** Gives the case to a holder, whoever held it. The row's state must not be `done` or `canceled`. */
  | ({ readonly kind: "take" } & NewClaim);

/** Asks for due cases. */
export interface ClaimRequest {
  readonly holderId: string;
  /** One random id per case wanted; their number bounds the batch. */
  readonly claimIds: readonly string[];
  /**
   * What the worker can run. A case is taken when its type is named and its version is not above the one named. One that has a key is
   * taken, where its type has a limit, only with a place of its key; without one it is held back until later.
   */
  readonly caseTypes: readonly {
    readonly name: string;
    readonly version: number;
    /** Left out = nothing limits how many of one key are taken. */
    readonly concurrency?: ConcurrencyOutline;
  }[];
  readonly engineVersion: number;
  readonly actWithinMs: number;
  /** The time by which a case must be due; the database's own when left out. */
  readonly now?: number;
  /** Places that go round the case types and tenants, of those wanted. Default: none. */
  readonly share?: TurnShare;
}

/** How the places of a claim are shared: takeTurns of core says whose turn it is. */
interface TurnShare {
  readonly places: number;
  /** The group to go on after; null = from the first. */
  readonly after: TurnGroup | null;
}

/** Due cases, now claimed, and when the next one will be due. */
export interface ClaimReply {
  /** Longest due first. */
  readonly cases: readonly FoldedCase[];
  /** Claimed too, but their journals cannot be read (`fault` is CORRUPT_JOURNAL). To be put in sight by `setAside`. */
  readonly unreadable: readonly UnreadableCase[];
  /**
   * Due time of the earliest case of these types that is not due yet; null = none has one. When as many cases came as
   * were asked for, or any was held back by its key, more may be due at once: then it is `now`.
   */
  readonly nextDueAt: number | null;
  /** The group after which the next shared places go on; null = from the first, as where nothing was claimed. */
  readonly sharedTo: TurnGroup | null;
  /** Database time of the claim. */
  readonly now: number;
}

/** A case whose row can be read and whose journal cannot. */
export interface UnreadableCase {
  readonly row: StoredRow;
  readonly fault: FootholdError;
}

/** A holder that starts. Its id is random and never used again (R6). */
export interface NewHolder {
  readonly holderId: string;
  readonly kind: "worker" | "page";
  readonly name: string;
  readonly host: string;
  readonly build: string;
  readonly leaseMs: number;
  readonly caseTypes: readonly { readonly name: string; readonly version: number }[];
  /** Where it may send, by `destinationKey`: it shares these limits with the other workers that are alive. */
  readonly destinations: readonly string[];
}

/** A holder as stored. `beat` rises with every heartbeat; the sweep compares it, not times. */
export interface StoredHolder extends Holder {
  readonly beat: number;
  readonly startedAt: number;
  readonly caseTypes: readonly { readonly name: string; readonly version: number }[];
  readonly destinations: readonly string[];
}

/** What a heartbeat learned. */
export type BeatReply =
  | { readonly kind: "alive"; readonly now: number; readonly claims: readonly HeldClaim[] }
  /** The holder is marked or unknown: it must stop at once and start again under a new id. */
  | { readonly kind: "ended" };

/** A claim as the sweep and its holder see it. */
export interface HeldClaim {
  readonly caseId: string;
  readonly shard: number;
  readonly claimId: string;
  readonly holderId: string;
  readonly revision: number;
  readonly claimedAt: number;
  readonly actByAt: number;
  /** How long it may go without a commit. */
  readonly actWithinMs: number;
  /** Rises with every commit of the claim. */
  readonly touches: number;
}

/** Which cases to list, newest start first. */
export interface CaseFilter extends CaseCriteria {
  /** At most {@link LIST_LIMIT_MAX}. */
  readonly limit: number;
  /** From {@link CasePage.next}. */
  readonly after?: string;
}

/** Cases that a single page of a list may hold. */
export const LIST_LIMIT_MAX = 500;

/** One page of cases. */
export interface CasePage {
  readonly rows: readonly StoredRow[];
  /** Cursor of the next page; null = this is the last one. */
  readonly next: string | null;
}

/** How many cases of a type stand in each stored state; `due` = claimable now. */
export interface TypeCount {
  readonly caseType: string;
  readonly states: Readonly<Partial<Record<StoredState, number>>>;
  readonly due: number;
  /** The same by the version of the definition that they need. */
  readonly dueByVersion: { readonly [version: number]: number };
  readonly withReview: number;
  /** Claimed ones that a person has open for repair. */
  readonly inRepair: number;
  /** Due time of the longest waiting claimable case. */
  readonly oldestDueAt: number | null;
}

/** Counts of {@link TypeCount.dueByVersion} with more due cases that need a version; versions without any are left out. */
export function addDue(
  before: TypeCount["dueByVersion"],
  version: number,
  due: number,
): TypeCount["dueByVersion"] {
  return due === 0 ? before : { ...before, [version]: (before[version] ?? 0) + due };
}

/** One case that a page shows. */
export interface WatchedCase {
  readonly caseId: string;
  readonly tenant: string;
  readonly caseType: string;
  readonly revision: number;
  readonly claimId: string | null;
}

/** What tells a page whether to read again. */
export interface Pulse {
  /** Changes when cases come into review or leave it, or are worked on; it may miss what begins and ends between two looks. */
  readonly mark: string;
  /** Those of the named cases that are there. */
  readonly cases: readonly WatchedCase[];
}

/** Cases that one look may name. */
export const WATCHED_MAX = 10_000;

/** What migrating did. */
export interface MigrationReport {
  readonly applied: readonly string[];
  readonly version: number;
}

/** A store. */
export interface Store extends DestinationStore {
  /** A label for people: never with a password. */
  readonly description: string;

  /** Brings the schema up to date. Safe when many processes do it at once. Throws SCHEMA_TOO_NEW, MIGRATION_FAILED. */
  migrate(): Promise<MigrationReport>;
  /**
   * The version of the schema; 0 where there is none, as in memory. Throws SCHEMA_MISSING or SCHEMA_TOO_NEW unless this
   * engine can work with it, and `PAYLOAD_KEY_MISSING` where a key of its payloads is in use that this process lacks. Whatever
   * claims or begins something throws that too.
   */
  checkSchema(): Promise<number>;
  /** The store's clock. */
  now(): Promise<number>;
  /** Stops listening and closes every connection. Safe twice. */
  close(): Promise<void>;

  /** Starts a case, unless one has its business key. Safe to ask again after a lost reply. */
  insertCase(start: NewCase): Promise<InsertReply>;
  /**
   * Stores a case with the journal that it had elsewhere, all of it or nothing. `repeated`: a case with this first commit is here;
   * whether it is this import whose reply was lost, its last commit tells.
   */
  importCase(identity: CaseIdentity, commits: readonly ImportedCommit[]): Promise<InsertReply>;
  /** Claims cases that are due, and gives each with its journal. At most as many as there are claim ids. */
  claimDue(request: ClaimRequest): Promise<ClaimReply>;
  /** Judges and stores commits of different cases; replies in the same order. At most COMMIT_BATCH_MAX, one per case. */
  commit(commits: readonly HolderCommit[]): Promise<readonly HolderReply[]>;
  /** Begins a transaction for a step. Waits while as many are open as the store's connections allow. */
  begin(): Promise<StepTransaction>;
  /** What became of a commit whose reply was lost, once nothing of it is under way any more; null = it was not stored. */
  findCommit(commit: HolderCommit): Promise<Extract<HolderReply, { kind: "repeated" }> | null>;
  /**
   * Changes one case under its lock: facts, moves, and the taking and freeing of claims by others than workers. `decide`
   * is pure and sees the case and the store's time. What the change is known by is looked for first; where it is there,
   * nothing is asked and nothing changes. Null when there is no such case. Throws `CORRUPT_JOURNAL`.
   */
  changeCase<Reply>(
    caseId: string,
    change: ChangeId,
    decide: (stored: FoldedCase, now: number) => CaseChange<Reply>,
  ): Promise<ChangeReply<Reply> | null>;

  /**
   * Puts a case whose journal cannot be read in sight, so that it is neither claimed again and again nor lost: it becomes
   * `in_review` with this summary, not due, its claim freed. Nothing is appended, so this alone does not follow from the
   * journal; the next write after its repair makes the row right again. Only while its claim is `claimId` (null = none);
   * true if it was done.
   */
  setAside(caseId: string, claimId: string | null, summary: CaseSummary): Promise<boolean>;

  /** Throws `CORRUPT_JOURNAL`. */
  loadCase(caseId: string): Promise<StoredCase | null>;
  /** The row alone, whatever state its journal is in. */
  loadRow(caseId: string): Promise<StoredRow | null>;
  /** Judges each row by {@link meetsCriteria}. Throws `INVALID_REQUEST` for a limit out of bounds and a cursor that is none. */
  listCases(filter: CaseFilter): Promise<CasePage>;
  /** How many cases there are, by type and state. */
  countCases(): Promise<readonly TypeCount[]>;
  /** How many cases meet the criteria, counted up to `max`: where more do, it is `max`. */
  countFound(criteria: CaseCriteria, max: number): Promise<number>;

  /** Looks at all cases at little cost, and at the named ones, at most {@link WATCHED_MAX}. */
  readPulse(caseIds: readonly string[]): Promise<Pulse>;

  /** Makes a holder known before it claims; gives the time of the store. */
  registerHolder(holder: NewHolder): Promise<{ readonly now: number }>;
  /** Renews any unmarked holder, whatever the time, and tells which claims it has. */
  beat(holderId: string): Promise<BeatReply>;
  /** Newest first, at most {@link HOLDERS_MAX}. */
  listHolders(): Promise<readonly StoredHolder[]>;
  /** Marks a holder as ended if its beat is still `beat`; null = whatever it is (an orderly stop). True if marked now. */
  endHolder(holderId: string, beat: number | null): Promise<boolean>;
  /** Deletes holders that ended before `endedBefore` and hold nothing. Returns how many; at most 1,000 a call. */
  forgetHolders(endedBefore: number): Promise<number>;
  /** Every claim, at most `limit`. */
  listClaims(limit: number): Promise<readonly HeldClaim[]>;

  /**
   * Calls `onHint` when this store or one of another process made a case due by a start or a change. A hint may be missed
   * or come for nothing; work never depends on it. Returns the function that stops listening.
   */
  listen(onHint: () => void): Promise<() => Promise<void>>;

  /** Cases that other cases started. */
  readonly children: ChildStore;
  /** What arrives from outside, and the work that it calls for. */
  readonly inbox: InboxStore;
  /** Who may sign in, who is, and which tokens programs have. */
  readonly people: PeopleStore;

  /** Moves made on many cases at once, and what people say of problems. */
  readonly bulk: BulkStore;

  /** What people did and were refused, and the seals over that and over journals. */
  readonly audit: AuditStore;
  /** Erases what is kept of cases. */
  readonly erasures: ErasureStore;
  /** What owners are told, and the messages that tell them. */
  readonly notices: NoticeStore;
  /** The keys that payloads are sealed with. */
  readonly keys: KeyStore;
  /** What became of all cases, by time. */
  readonly milestones: MilestoneStore;
  /** How cases stand at their steps, now and over time. */
  readonly samples: SampleStore;
  /** What starts cases by the clock, and what became of its slots. */
  readonly schedules: ScheduleStore;
  /** Moves that wait for a second person. */
  readonly seconds: SecondStore;
  /** Places of the keys that limit how many cases are worked on at once. */
  readonly places: PlaceStore;
}

/** Virtual shards; part of the case id, so their number is fixed for good. */
export const SHARD_COUNT = 32;
/** Holders in one list. */
export const HOLDERS_MAX = 10_000;
/** Commits in one batch. */
export const COMMIT_BATCH_MAX = 128;
/** Cases in one claim. */
export const CLAIM_BATCH_MAX = 256;
/** Entries in one commit. */
export const COMMIT_ENTRIES_MAX = 64;
