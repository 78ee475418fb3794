/** One transaction on a client or pool of `pg`, or of anything with its shape. */

import { FootholdError } from "../core/errors.ts";

/** A connection, as `pg` has it. */
export interface PgClient {
  /** Runs one statement. Rejects with what the server says. */
  query(text: string, values?: unknown[]): Promise<PgResult>;
  /** Hears of a connection that breaks while nothing runs on it. */
  on?(event: "error", listener: (error: Error) => void): unknown;
  /** Hears of it no more. */
  off?(event: "error", listener: (error: Error) => void): unknown;
}

/** What a statement gave. */
export interface PgResult {
  readonly rows: readonly unknown[];
  readonly rowCount: number | null;
}

/** A connection that belongs to a pool. */
interface LentClient {
  /** With `true` it is closed instead of lent again. */
  release(isBroken?: boolean): void;
}

/** A pool, as `pg` has it. */
export interface PgPool<Client extends PgClient> {
  readonly totalCount: number;
  /** Lends a connection. */
  connect(): Promise<Client & LentClient>;
}

/**
 * READ COMMITTED, whatever the database's default: whoever waited for a row must see what became of it. The limits bound
 * what a worker that was stopped in the middle keeps locked.
 */
const BEGIN =
  "begin isolation level read committed; set local lock_timeout = '10s'; set local statement_timeout = '60s'; " +
  "set local idle_in_transaction_session_timeout = '60s'";

/** Clients that are in a transaction of ours. A statement of another step between its own would become part of it. */
const busy = new WeakSet<PgClient>();

/**
 * Runs `work` in one transaction: it is committed when `work` ends well, and rolled back when it throws. Throws
 * `INVALID_REQUEST` for a client, given by itself, that is in such a transaction already.
 */
export async function inTransaction<Client extends PgClient, Value>(
  database: Client | PgPool<Client>,
  work: (client: Client) => Promise<Value>,
): Promise<Value> {
  if (!isPool(database)) return (await transact(database, work)).give();
  const client = await database.connect();
  const end = await transact(client, work);
  client.release(end.isBroken);
  return end.give();
}

function isPool<Client extends PgClient>(database: Client | PgPool<Client>): database is PgPool<Client> {
  return "totalCount" in database;
}

interface End<Value> {
  /** Nothing is known of the connection any more. */
  readonly isBroken: boolean;
  /** Gives what `work` gave, or throws what it threw. */
  readonly give: () => Value;
}

async function transact<Client extends PgClient, Value>(
  client: Client,
  work: (client: Client) => Promise<Value>,
): Promise<End<Value>> {
  if (busy.has(client)) throw inUse();
  busy.add(client);
  // A connection that breaks tells its listeners too, and ends the process where it has none.
  client.on?.("error", ignore);
  try {
    await client.query(BEGIN);
    const value = await work(client);
    await client.query("commit");
    return { isBroken: false, give: () => value };
  } catch (error) {
    const isRolledBack = await rollBack(client);
    return {
      isBroken: !isRolledBack,
      give: () => {
        throw error;
      },
    };
  } finally {
    client.off?.("error", ignore);
    busy.delete(client);
  }
}

function ignore(): void {
  // The statement that was under way throws it.
}

async function rollBack(client: PgClient): Promise<boolean> {
  try {
    await client.query("rollback");
    return true;
  } catch {
    // The server rolls back what a broken connection leaves.
    return false;
  }
}

function inUse(): FootholdError {
  return new FootholdError(
    "INVALID_REQUEST",
    "This client is in the middle of another effect's transaction: give a pool, or each step a client of its own. " +
      "Nothing was written.",
  );
}
