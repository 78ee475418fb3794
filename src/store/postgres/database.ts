/** The pool: statements and transactions, each within a bound of time, with errors of ours. */

import { Pool, types, type PoolClient, type QueryConfig, type QueryResult } from "pg";
import { readStatements, type StatementName, type Statements } from "../sql/statements.ts";
import type { Connecting } from "./connection.ts";
import { DriverFault, isConnectionUsable, translate } from "./failures.ts";
import { Turnstile } from "./turnstile.ts";

/** A parameter of a statement. */
export type Parameter = string | number | boolean | Buffer | null | readonly Parameter[];

/** Runs statements, each in a transaction of its own or all in one. They throw {@link DriverFault}. */
export interface Runner {
  /** Runs a prepared statement. `Row` is what its file says that it returns. */
  run<Row extends object>(name: StatementName, values: readonly Parameter[]): Promise<readonly Row[]>;
}

/** How long a connection is kept that nobody uses, in ms: connecting and preparing again costs more than a commit. */
const IDLE_TIMEOUT_MS = 60_000;

/** The database of one store. */
export class Database implements Runner {
  readonly schema: string;
  readonly place: string;
  private readonly statements: Statements;
  private readonly pool: Pool;
  private readonly lending: Turnstile;
  private ending: Promise<void> | undefined;

  constructor(connecting: Connecting) {
    this.schema = connecting.schema;
    this.place = connecting.place;
    this.statements = readStatements(connecting.schema);
    this.pool = new Pool({
      ...connecting.client,
      max: connecting.poolMax,
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
    });
    this.lending = new Turnstile(Math.max(1, Math.floor(connecting.poolMax / 2)));
    // A connection that breaks fails its statement, which tells the caller; the event by itself would end the process.
    this.pool.on("error", ignore);
    this.pool.on("connect", (client) => client.on("error", ignore));
  }

  async run<Row extends object>(name: StatementName, values: readonly Parameter[]): Promise<readonly Row[]> {
    return this.withSession((session) => session.run<Row>(name, values));
  }

  /** Runs `work` in a transaction opened by the statement `begin`; whatever it throws takes everything back. */
  async transact<T>(
    begin: "begin_change" | "begin_migration",
    work: (session: Session) => Promise<T>,
  ): Promise<T> {
    return this.withSession(async (session) => {
      try {
        await session.send(this.statements(begin));
        const result = await work(session);
        await session.send("commit");
        return result;
      } catch (error) {
        await session.takeBack();
        throw error;
      }
    });
  }

  /** Does `work`, with whatever it throws turned into an error of ours. */
  async guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw translate(error, this.place);
    }
  }

  /** The text of a statement, for a connection that is not of the pool. */
  text(name: StatementName): string {
    return this.statements(name);
  }

  /** Ends every connection, after the statements that run. Safe twice. */
  async close(): Promise<void> {
    this.ending ??= this.pool.end();
    await this.ending;
  }

  /**
   * A connection for longer than one change, while what it is for is under way elsewhere. Waits while half of all
   * connections are lent: the rest must serve claims, commits and beats. Whoever has it ends it.
   */
  async lend(): Promise<LentSession> {
    const leave = await this.lending.enter();
    try {
      const client = await this.connect();
      const session = new Session(client, this.statements);
      let isOut = true;
      const end = (): void => {
        if (!isOut) return;
        isOut = false;
        client.release(session.isBroken);
        leave();
      };
      return { session, end };
    } catch (error) {
      leave();
      throw error;
    }
  }

  private async connect(): Promise<PoolClient> {
    try {
      return await this.pool.connect();
    } catch (error) {
      throw new DriverFault(error);
    }
  }

  private async withSession<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const client = await this.connect();
    const session = new Session(client, this.statements);
    try {
      return await work(session);
    } finally {
      // A connection that did not answer in time may still be at it: nothing else may wait behind that.
      client.release(session.isBroken);
    }
  }
}

/** A connection that was lent. `end` gives it back; safe twice. */
export interface LentSession {
  readonly session: Session;
  readonly end: () => void;
}

/** One connection while it is ours. */
export class Session implements Runner {
  /** True once the connection cannot be used again. */
  isBroken = false;
  private readonly client: PoolClient;
  private readonly statements: Statements;

  constructor(client: PoolClient, statements: Statements) {
    this.client = client;
    this.statements = statements;
  }

  async run<Row extends object>(name: StatementName, values: readonly Parameter[]): Promise<readonly Row[]> {
    try {
      const text = this.statements(name);
      const { rows } = await this.client.query<Row>({ name, text, values: [...values] });
      return rows;
    } catch (error) {
      throw this.noted(error);
    }
  }

  /** Of the server's process behind it; 0 where a pooler tells none. */
  get processId(): number {
    // `pg` knows it, its types do not.
    const { processID } = this.client as PoolClient & { readonly processID?: number | null };
    return processID ?? 0;
  }

  /** Runs a statement that is not ours, read as the driver reads it by itself. Throws what the driver throws. */
  async foreign(text: string, values: readonly unknown[]): Promise<QueryResult<Record<string, unknown>>> {
    // The extended protocol takes one command: a text of several is refused. `pg` knows the mode, its types do not.
    const query: QueryConfig & { readonly queryMode: "extended" } = {
      text,
      values: [...values],
      types: { getTypeParser: types.getTypeParser },
      queryMode: "extended",
    };
    try {
      return await this.client.query<Record<string, unknown>>(query);
    } catch (error) {
      this.noted(error);
      throw error;
    }
  }

  /** Sends a text without parameters; it may hold several statements. `queryTimeoutMs` overrides the pool's. */
  async send(text: string, queryTimeoutMs?: number): Promise<void> {
    try {
      // `pg` reads the time limit of one query, its types do not know it.
      const query: QueryConfig & { readonly query_timeout?: number } =
        queryTimeoutMs === undefined ? { text } : { text, query_timeout: queryTimeoutMs };
      await this.client.query(query);
    } catch (error) {
      throw this.noted(error);
    }
  }

  /** Rolls back; a connection on which that fails is given up, and the server rolls back by itself. */
  async takeBack(): Promise<void> {
    if (this.isBroken) return;
    try {
      await this.send("rollback");
    } catch {
      this.isBroken = true;
    }
  }

  private noted(error: unknown): DriverFault {
    const fault = new DriverFault(error);
    if (!isConnectionUsable(fault)) this.isBroken = true;
    return fault;
  }
}

function ignore(): void {
  // See the constructor.
}
