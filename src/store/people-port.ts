/**
 * The store port of people: who there is, who is signed in, and which tokens programs have. A store keeps only hashes of
 * what opens a door. All times are epoch milliseconds by the store's clock.
 */

import type { NewAuditLine } from "./audit-port.ts";

/** A person. */
export interface StoredPerson {
  readonly personId: string;
  /** What they sign in with, and what their acts are told by. Unique, also of those who are disabled. */
  readonly name: string;
  /** How the password is kept (people/password.ts); null = they cannot sign in with one. */
  readonly passwordHash: string | null;
  readonly roles: readonly string[];
  readonly createdAt: number;
  /** Null = they may sign in. */
  readonly disabledAt: number | null;
}

/** A person to be added. */
export type NewPerson = Omit<StoredPerson, "createdAt" | "disabledAt">;

/** What changes about a person. Whatever it is, their sessions end: they sign in anew with what holds now. */
export interface PersonChange {
  readonly passwordHash?: string;
  readonly roles?: readonly string[];
  readonly isDisabled?: boolean;
}

/** A session to be opened. */
export interface NewSession {
  /** SHA-256 of the token in hexadecimal. */
  readonly sessionHash: string;
  readonly personId: string;
  /** How long it may be unused. */
  readonly idleMs: number;
  /** How long it may last at most. */
  readonly lastsMs: number;
}

/** A session that lasts. */
export interface StoredSession {
  readonly sessionHash: string;
  readonly usedAt: number;
  /** When it ends: by itself, or if it stays unused until then. */
  readonly endsAt: number;
}

/** A token of a program. */
export interface StoredToken {
  readonly tokenId: string;
  /** For people. */
  readonly label: string;
  /** Whose it is: it never may more than they. */
  readonly personId: string;
  readonly personName: string;
  /** Verbs that it is narrowed to; null = all that the person may. */
  readonly scopes: readonly string[] | null;
  readonly createdAt: number;
  readonly endsAt: number | null;
  readonly revokedAt: number | null;
}

/** A token to be made. */
export interface NewToken extends Pick<StoredToken, "tokenId" | "label" | "personId" | "scopes"> {
  /** SHA-256 of the token in hexadecimal. */
  readonly tokenHash: string;
  /** How long it lasts; null = until it is revoked. */
  readonly lastsMs: number | null;
}

/** Failed tries to sign in under one key, within a window. */
export interface FailureCount {
  readonly failures: number;
  /** When the window ends and the count begins anew. */
  readonly endsAt: number;
}

/** A list of cases that a person keeps under a name. */
export interface StoredView {
  readonly name: string;
  /** Filters, as the query of an address of the console says them. */
  readonly query: string;
}

/** People, sessions and tokens of a store. */
export interface PeopleStore {
  /** False when the name is taken. A `line` is written with what it tells of, or not at all; so below. */
  addPerson(person: NewPerson, line?: NewAuditLine): Promise<boolean>;
  findPerson(name: string): Promise<StoredPerson | null>;
  /** The same by id, which outlives every change. */
  loadPerson(personId: string): Promise<StoredPerson | null>;
  /** By name; at most {@link PEOPLE_MAX}. */
  listPeople(): Promise<readonly StoredPerson[]>;
  /** Changes a person and ends their sessions, at once. False when there is none of that name. */
  changePerson(name: string, change: PersonChange, line?: NewAuditLine): Promise<boolean>;

  openSession(session: NewSession, line?: NewAuditLine): Promise<void>;
  /**
   * Whose session it is; null when it ended, was never opened, or its person is disabled. `isUse` = a person did something,
   * which begins its idle time anew; a page that only waits does not.
   */
  useSession(sessionHash: string, isUse: boolean): Promise<StoredPerson | null>;
  /** Those of a person that last, the one used last first; at most {@link SESSIONS_MAX}. */
  listSessions(personId: string): Promise<readonly StoredSession[]>;
  /** Safe twice. */
  endSession(sessionHash: string): Promise<void>;

  addToken(token: NewToken, line?: NewAuditLine): Promise<void>;
  /** Whose token it is; null when it ended, was revoked or never made, or its person is disabled. */
  useToken(tokenHash: string): Promise<{ readonly token: StoredToken; readonly person: StoredPerson } | null>;
  /** Newest first; at most {@link TOKENS_MAX}. */
  listTokens(): Promise<readonly StoredToken[]>;
  /** False when there is none, or it was revoked before. */
  revokeToken(tokenId: string, line?: NewAuditLine): Promise<boolean>;

  /** What a person keeps, by name; at most {@link VIEWS_MAX}. */
  listViews(personId: string): Promise<readonly StoredView[]>;
  /** Replaces one of that name. False when the person keeps {@link VIEWS_MAX} others already. */
  saveView(personId: string, view: StoredView): Promise<boolean>;
  /** False when there is none of that name. */
  removeView(personId: string, name: string): Promise<boolean>;

  /** Counts a failure; the first one of a key begins its window. */
  noteFailure(key: string, windowMs: number): Promise<FailureCount>;
  /** Null = none within a window that runs. */
  readFailures(key: string): Promise<FailureCount | null>;
  clearFailures(key: string): Promise<void>;
  /** Takes one of them back: it was none. */
  takeBackFailure(key: string): Promise<void>;
  /** Deletes sessions and failures that are over. Returns how many; at most {@link FORGOTTEN_MAX} of each a call. */
  forgetOver(): Promise<number>;
}

/** People in one list. */
export const PEOPLE_MAX = 1_000;
/** Sessions of one person in one list. */
export const SESSIONS_MAX = 100;
/** Tokens in one list. */
export const TOKENS_MAX = 1_000;
/** Views that one person keeps. */
export const VIEWS_MAX = 50;
/** Rows of each kind that one call deletes. */
export const FORGOTTEN_MAX = 1_000;
