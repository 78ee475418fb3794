/** People, sessions and tokens: one statement each. */

import { invariant } from "../../core/errors.ts";
import type { NewAuditLine } from "../audit-port.ts";
import { addAuditLine } from "./audit.ts";
import {
  VIEWS_MAX,
  type FailureCount,
  type PeopleStore,
  type StoredPerson,
  type StoredToken,
  type StoredView,
} from "../people-port.ts";
import type { Database, Parameter } from "./database.ts";
import type { StatementName } from "../sql/statements.ts";

interface PersonColumns {
  readonly person_id: string;
  readonly name: string;
  readonly password_hash: string | null;
  readonly roles: readonly string[];
  readonly created_at: number;
  readonly disabled_at: number | null;
}

interface SessionColumns {
  readonly session_hash: string;
  readonly used_at: number;
  readonly ends_at: number;
}

interface TokenColumns {
  readonly token_id: string;
  readonly label: string;
  readonly person_id: string;
  readonly person_name: string;
  readonly scopes: readonly string[] | null;
  readonly created_at: number;
  readonly ends_at: number | null;
  readonly revoked_at: number | null;
}

interface UsedTokenColumns extends TokenColumns {
  readonly password_hash: string | null;
  readonly roles: readonly string[];
  readonly person_created_at: number;
}

interface FailureColumns {
  readonly failures: number;
  readonly ends_at: number;
}

/** The people of a PostgreSQL store. */
export function postgresPeople(database: Database): PeopleStore {
  const run: Run = (name, values = []) => database.guarded(() => database.run(name, values));
  /** A change and the line that tells of it, both or neither; true if there was something to change. */
  const change = async (
    name: StatementName,
    values: readonly Parameter[],
    line: NewAuditLine | undefined,
  ): Promise<boolean> => {
    if (line === undefined) return (await run(name, values)).length > 0;
    return database.guarded(() =>
      database.transact("begin_change", async (session) => {
        const rows = await session.run(name, values);
        if (rows.length > 0) await addAuditLine(session, line);
        return rows.length > 0;
      }),
    );
  };
  return {
    ...postgresViews(run),
    addPerson: ({ personId, name, passwordHash, roles }, line) =>
      change("add_person", [personId, name, passwordHash, roles], line),
    findPerson: async (name) => personOrNull(await run<PersonColumns>("find_person", [name])),
    loadPerson: async (personId) => personOrNull(await run<PersonColumns>("load_person", [personId])),
    listPeople: async () => (await run<PersonColumns>("list_people")).map(toPerson),
    changePerson: (name, { passwordHash, roles, isDisabled }, line) =>
      change("change_person", [name, passwordHash ?? null, roles ?? null, isDisabled ?? null], line),
    openSession: async ({ sessionHash, personId, idleMs, lastsMs }, line) => {
      await change("open_session", [sessionHash, personId, idleMs, lastsMs], line);
    },
    useSession: async (sessionHash, isUse) =>
      personOrNull(await run<PersonColumns>("use_session", [sessionHash, isUse])),
    listSessions: async (personId) =>
      (await run<SessionColumns>("list_sessions", [personId])).map((row) => ({
        sessionHash: row.session_hash,
        usedAt: row.used_at,
        endsAt: row.ends_at,
      })),
    endSession: async (sessionHash) => {
      await run("end_session", [sessionHash]);
    },
    addToken: async ({ tokenId, tokenHash, label, personId, scopes, lastsMs }, line) => {
      await change("add_token", [tokenId, tokenHash, label, personId, scopes, lastsMs], line);
    },
    useToken: async (tokenHash) => {
      const [row] = await run<UsedTokenColumns>("use_token", [tokenHash]);
      return row === undefined ? null : { token: toToken(row), person: ownerOf(row) };
    },
    listTokens: async () => (await run<TokenColumns>("list_tokens")).map(toToken),
    revokeToken: (tokenId, line) => change("revoke_token", [tokenId], line),
    noteFailure: async (key, windowMs) => {
      const noted = failuresOrNull(await run<FailureColumns>("note_failure", [key, windowMs]));
      invariant(noted !== null, "note_failure returned no row");
      return noted;
    },
    readFailures: async (key) => failuresOrNull(await run<FailureColumns>("read_failures", [key])),
    clearFailures: async (key) => {
      await run("clear_failures", [key]);
    },
    takeBackFailure: async (key) => {
      await run("take_back_failure", [key]);
    },
    forgetOver: async () => {
      const [row] = await run<{ readonly forgotten: number }>("forget_over");
      return row?.forgotten ?? 0;
    },
  };
}

type Run = <Row extends object>(
  name: StatementName,
  values?: readonly Parameter[],
) => Promise<readonly Row[]>;

function postgresViews(run: Run): Pick<PeopleStore, "listViews" | "saveView" | "removeView"> {
  return {
    listViews: (personId) => run<StoredView>("list_views", [personId]),
    saveView: async (personId, { name, query }) =>
      (await run("save_view", [personId, name, query, VIEWS_MAX])).length > 0,
    removeView: async (personId, name) => (await run("remove_view", [personId, name])).length > 0,
  };
}

function personOrNull([row]: readonly PersonColumns[]): StoredPerson | null {
  return row === undefined ? null : toPerson(row);
}

function toPerson(row: PersonColumns): StoredPerson {
  return {
    personId: row.person_id,
    name: row.name,
    passwordHash: row.password_hash,
    roles: row.roles,
    createdAt: row.created_at,
    disabledAt: row.disabled_at,
  };
}

function toToken(row: TokenColumns): StoredToken {
  return {
    tokenId: row.token_id,
    label: row.label,
    personId: row.person_id,
    personName: row.person_name,
    scopes: row.scopes,
    createdAt: row.created_at,
    endsAt: row.ends_at,
    revokedAt: row.revoked_at,
  };
}

/** A token of somebody who is disabled is not found at all. */
function ownerOf(row: UsedTokenColumns): StoredPerson {
  return {
    personId: row.person_id,
    name: row.person_name,
    passwordHash: row.password_hash,
    roles: row.roles,
    createdAt: row.person_created_at,
    disabledAt: null,
  };
}

function failuresOrNull([row]: readonly FailureColumns[]): FailureCount | null {
  return row === undefined ? null : { failures: row.failures, endsAt: row.ends_at };
}
