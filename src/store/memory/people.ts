/** People, sessions and tokens of a memory store. */

import type { NewAuditLine } from "../audit-port.ts";
import type { MemoryAudit } from "./audit.ts";
import {
  FORGOTTEN_MAX,
  PEOPLE_MAX,
  SESSIONS_MAX,
  TOKENS_MAX,
  VIEWS_MAX,
  type FailureCount,
  type NewPerson,
  type NewSession,
  type NewToken,
  type PeopleStore,
  type PersonChange,
  type StoredPerson,
  type StoredSession,
  type StoredToken,
  type StoredView,
} from "../people-port.ts";

interface Session {
  readonly personId: string;
  readonly idleMs: number;
  readonly usedAt: number;
  readonly endsAt: number;
}

interface Token {
  readonly hash: string;
  readonly token: Omit<StoredToken, "personName">;
}

/** The people of a memory store. */
export function memoryPeople(now: () => number, audit: Pick<MemoryAudit, "add">): PeopleStore {
  const people = new MemoryPeople(now);
  const told = (isDone: boolean, line: NewAuditLine | undefined): boolean => {
    if (isDone && line !== undefined) audit.add(line);
    return isDone;
  };
  return {
    addPerson: async (person, line) => told(people.add(person), line),
    findPerson: async (name) => people.find(name),
    loadPerson: async (personId) => people.load(personId),
    listPeople: async () => people.list(),
    changePerson: async (name, change, line) => told(people.change(name, change), line),
    openSession: async (session, line) => {
      people.open(session);
      told(true, line);
    },
    useSession: async (hash, isUse) => people.useSession(hash, isUse),
    listSessions: async (personId) => people.listSessions(personId),
    endSession: async (hash) => void people.sessions.delete(hash),
    addToken: async (token, line) => {
      people.addToken(token);
      told(true, line);
    },
    useToken: async (hash) => people.useToken(hash),
    listTokens: async () => people.listTokens(),
    revokeToken: async (tokenId, line) => told(people.revoke(tokenId), line),
    listViews: async (personId) => people.listViews(personId),
    saveView: async (personId, view) => people.saveView(personId, view),
    removeView: async (personId, name) => people.viewsOf(personId).delete(name),
    noteFailure: async (key, windowMs) => people.note(key, windowMs),
    readFailures: async (key) => people.failuresOf(key),
    clearFailures: async (key) => void people.failures.delete(key),
    takeBackFailure: async (key) => people.takeBack(key),
    forgetOver: async () => people.forget(),
  };
}

class MemoryPeople {
  readonly sessions = new Map<string, Session>();
  readonly failures = new Map<string, FailureCount>();
  private readonly views = new Map<string, Map<string, StoredView>>();
  private readonly people = new Map<string, StoredPerson>();
  private readonly tokens = new Map<string, Token>();
  private readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
  }

  add(person: NewPerson): boolean {
    if (this.people.has(person.name)) return false;
    const stored = { ...person, roles: [...person.roles], createdAt: this.now(), disabledAt: null };
    this.people.set(person.name, Object.freeze(stored));
    return true;
  }

  find(name: string): StoredPerson | null {
    return this.people.get(name) ?? null;
  }

  load(personId: string): StoredPerson | null {
    return [...this.people.values()].find((one) => one.personId === personId) ?? null;
  }

  list(): readonly StoredPerson[] {
    return [...this.people.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)).slice(0, PEOPLE_MAX);
  }

  change(name: string, { passwordHash, roles, isDisabled }: PersonChange): boolean {
    const person = this.people.get(name);
    if (person === undefined) return false;
    const changed = {
      ...person,
      ...(passwordHash === undefined ? {} : { passwordHash }),
      ...(roles === undefined ? {} : { roles: [...roles] }),
      ...(isDisabled === undefined ? {} : { disabledAt: isDisabled ? this.now() : null }),
    };
    this.people.set(name, Object.freeze(changed));
    for (const [hash, { personId }] of this.sessions) {
      if (personId === person.personId) this.sessions.delete(hash);
    }
    return true;
  }

  open({ sessionHash, personId, idleMs, lastsMs }: NewSession): void {
    const now = this.now();
    this.sessions.set(sessionHash, { personId, idleMs, usedAt: now, endsAt: now + lastsMs });
  }

  useSession(hash: string, isUse: boolean): StoredPerson | null {
    const session = this.sessions.get(hash);
    const now = this.now();
    if (session === undefined || session.endsAt <= now || session.usedAt + session.idleMs <= now) return null;
    const person = this.active(session.personId);
    if (person !== null && isUse) this.sessions.set(hash, { ...session, usedAt: now });
    return person;
  }

  listSessions(personId: string): readonly StoredSession[] {
    const now = this.now();
    return [...this.sessions]
      .filter(([, session]) => session.personId === personId)
      .map(([sessionHash, { usedAt, idleMs, endsAt }]) => ({
        sessionHash,
        usedAt,
        endsAt: Math.min(endsAt, usedAt + idleMs),
      }))
      .filter(({ endsAt }) => endsAt > now)
      .toSorted((one, other) => other.usedAt - one.usedAt || (one.sessionHash < other.sessionHash ? -1 : 1))
      .slice(0, SESSIONS_MAX);
  }

  addToken({ tokenHash, lastsMs, ...token }: NewToken): void {
    const createdAt = this.now();
    const endsAt = lastsMs === null ? null : createdAt + lastsMs;
    const stored = { ...token, createdAt, endsAt, revokedAt: null };
    this.tokens.set(token.tokenId, { hash: tokenHash, token: Object.freeze(stored) });
  }

  useToken(hash: string): { readonly token: StoredToken; readonly person: StoredPerson } | null {
    const found = [...this.tokens.values()].find((one) => one.hash === hash)?.token;
    if (found === undefined || found.revokedAt !== null) return null;
    if (found.endsAt !== null && found.endsAt <= this.now()) return null;
    const person = this.active(found.personId);
    return person === null ? null : { token: { ...found, personName: person.name }, person };
  }

  listTokens(): readonly StoredToken[] {
    const names = new Map([...this.people.values()].map(({ personId, name }) => [personId, name]));
    return [...this.tokens.values()]
      .map(({ token }) => ({ ...token, personName: names.get(token.personId) ?? "" }))
      .toSorted((a, b) => b.createdAt - a.createdAt || (a.tokenId < b.tokenId ? -1 : 1))
      .slice(0, TOKENS_MAX);
  }

  revoke(tokenId: string): boolean {
    const found = this.tokens.get(tokenId);
    if (found === undefined || found.token.revokedAt !== null) return false;
    this.tokens.set(tokenId, { ...found, token: { ...found.token, revokedAt: this.now() } });
    return true;
  }

  /** Of one person, by name. */
  viewsOf(personId: string): Map<string, StoredView> {
    const views = this.views.get(personId) ?? new Map<string, StoredView>();
    this.views.set(personId, views);
    return views;
  }

  listViews(personId: string): readonly StoredView[] {
    return [...this.viewsOf(personId).values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  saveView(personId: string, view: StoredView): boolean {
    const views = this.viewsOf(personId);
    if (!views.has(view.name) && views.size >= VIEWS_MAX) return false;
    views.set(view.name, Object.freeze({ ...view }));
    return true;
  }

  note(key: string, windowMs: number): FailureCount {
    const known = this.failuresOf(key);
    const counted = known ?? { failures: 0, endsAt: this.now() + windowMs };
    const noted = { ...counted, failures: counted.failures + 1 };
    this.failures.set(key, noted);
    return noted;
  }

  takeBack(key: string): void {
    const known = this.failures.get(key);
    if (known !== undefined) this.failures.set(key, { ...known, failures: Math.max(0, known.failures - 1) });
  }

  failuresOf(key: string): FailureCount | null {
    const known = this.failures.get(key);
    return known === undefined || known.endsAt <= this.now() ? null : known;
  }

  forget(): number {
    const now = this.now();
    const sessions = [...this.sessions].filter(
      ([, { endsAt, usedAt, idleMs }]) => endsAt <= now || usedAt + idleMs <= now,
    );
    const failures = [...this.failures].filter(([, { endsAt }]) => endsAt <= now);
    for (const [hash] of sessions.slice(0, FORGOTTEN_MAX)) this.sessions.delete(hash);
    for (const [key] of failures.slice(0, FORGOTTEN_MAX)) this.failures.delete(key);
    return Math.min(sessions.length, FORGOTTEN_MAX) + Math.min(failures.length, FORGOTTEN_MAX);
  }

  private active(personId: string): StoredPerson | null {
    const person = this.load(personId);
    return person === null || person.disabledAt !== null ? null : person;
  }
}
