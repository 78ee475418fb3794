/** What goes wrong with a statement, sorted by SQLSTATE and never by text, into our codes. */

import { DatabaseError } from "pg";
import { FootholdError } from "../../core/errors.ts";

/** A statement of that name is not there, or is there already. */
const PREPARED_ELSEWHERE = /^(26000|42P05)$/;

/** What the driver threw, told apart from whatever a callback or our own code may throw. */
export class DriverFault extends Error {
  /** Null when it was not the server that spoke: no connection, or no answer in time. */
  readonly sqlState: string | null;

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.sqlState = cause instanceof DatabaseError ? (cause.code ?? null) : null;
  }
}

/** Data that cannot be stored, found before it was sent. */
export class Unstorable extends Error {}

/** True if the data of the statement was at fault. */
export function isDataFault(error: unknown): boolean {
  return error instanceof Unstorable || /^(22|23|54)/.test(sqlState(error) ?? "");
}

/** True if the statement was in another's way, and may well work at once. */
export function isCollision(error: unknown): boolean {
  const state = sqlState(error);
  return state === "40P01" || state === "40001";
}

/** True if two processes made the same table or schema at the same time. */
export function isAlreadyMade(error: unknown): boolean {
  const state = sqlState(error);
  return state === "23505" || state === "42P06" || state === "42P07" || state === "42710";
}

/**
 * True if the connection of the server behind a pooler does not know a prepared statement of ours, or knows one that our
 * side does not know of: nothing was run.
 */
export function isPreparedElsewhere(error: unknown): boolean {
  return PREPARED_ELSEWHERE.test(sqlState(error) ?? "");
}

/** True if the connection can be used again: the server refused a statement and is otherwise well. */
export function isConnectionUsable({ sqlState: state }: DriverFault): boolean {
  return state !== null && !/^(08|25P0[34]|57P|58|XX)/.test(state);
}

/** What was thrown, short enough for a sentence. */
export function sayFault(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const state = sqlState(error);
  return state === null ? text : `${text} (SQLSTATE ${state})`;
}

/** Turns faults into our errors, keeping what the driver threw as the cause. Anything else stays what it is. */
export function translate(error: unknown, place: string): unknown {
  if (error instanceof Unstorable) {
    return new FootholdError("INVALID_REQUEST", `This cannot be stored: ${error.message}.`, { cause: error });
  }
  if (!(error instanceof DriverFault)) return error;
  const { sqlState: state, cause } = error;
  const remedy = remedyFor(state);
  if (remedy !== null) {
    const what = `The database ${place} does not serve us: ${sayFault(error)}. ${remedy}`;
    return new FootholdError("DATABASE_UNAVAILABLE", what, { cause, details: { place } });
  }
  if (state === "42P01" || state === "3F000" || state === "42703") {
    const what = `The database ${place} lacks our tables, or they are older than this version.`;
    return new FootholdError("SCHEMA_MISSING", `${what} Run \`foothold migrate\`.`, { cause });
  }
  if (/^(22|54)/.test(state ?? "")) {
    return new FootholdError("INVALID_REQUEST", `This cannot be stored: ${sayFault(error)}.`, { cause });
  }
  const what = `The database ${place} refused a statement: ${sayFault(error)}`;
  return new FootholdError("INVARIANT_BROKEN", `${what} (this is a bug in Foothold: please report it)`, {
    cause,
  });
}

/** What to do where the database does not serve us; null where it does and the statement is at fault. */
function remedyFor(state: string | null): string | null {
  if (state === null) return "Check that it runs and can be reached from here.";
  if (state.startsWith("28")) {
    return "Correct user and password in the database URL, or allow the user in pg_hba.conf.";
  }
  if (state === "3D000") return "Create it (createdb), or correct its name in the database URL.";
  if (state === "42501")
    return "Grant the user rights on the schema, or run `foothold migrate` as its owner.";
  if (state === "53300")
    return "Raise its max_connections, or lower the number of connections of each process.";
  if (PREPARED_ELSEWHERE.test(state) || /^(08|25|40|53|55|57|58|XX)/.test(state))
    return "It may serve us again when asked again.";
  return null;
}

function sqlState(error: unknown): string | null {
  return error instanceof DriverFault ? error.sqlState : null;
}
