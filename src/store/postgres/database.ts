/** The pool: statements and transactions, each within a bound of time, with errors of ours. */

import { Pool, types, type PoolClient, type QueryConfig, type QueryResult } from "pg";
import { readStatements, type StatementName, type Statements } from "../sql/statements.ts";
import type { Connecting } from "./connection.ts";
import type { Payloads } from "./payloads.ts";
import { DriverFault, isConnectionUsable, isPreparedElsewhere, translate } from "./failures.ts";
import { Turnstile } from "./turnstile.ts";

/** A parameter of a statement. */
export type Parameter = string | number | boolean | Buffer | null | readonly Parameter[];

/** Runs statements, each in a transaction of its own or all in one. They throw {@link DriverFault}. */
export interface Runner {
  /** What seals what is stored and opens what is read. */
  readonly payloads: Payloads;
  /** Runs a prepared statement. `Row` is what its file says that it returns. */
  run<Row extends object>(name: StatementName, values: readonly Parameter[]): Promise<readonly Row[]>;
}

/** How long a connection is kept that nobody uses, in ms: connecting and preparing again costs more than a commit. */
const IDLE_TIMEOUT_MS = 60_000;

/** The database of one store. */
export class Database implements Runner {
  readonly schema: string;
  readonly place: string;
  readonly payloads: Payloads;
  private readonly statements: Statements;
  private readonly preparing: Preparing = { isKept: true };
  private readonly pool: Pool;
  private readonly lending: Turnstile;
  private ending: Promise<void> | undefined;

  constructor(connecting: Connecting, payloads: Payloads) {
    this.payloads = payloads;
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
    return this.againUnprepared(() => this.withSession((session) => session.run<Row>(name, values)));
  }

  /**
   * Runs `work` in a transaction opened by the statement `begin`; whatever it throws takes everything back. Runs it once more
   * where a pooler made prepared statements fail.
   */
  async transact<T>(
    begin: "begin_change" | "begin_migration",
    work: (session: Session) => Promise<T>,
  ): Promise<T> {
    const once = async (session: Session): Promise<T> => {
      try {
        await session.send(this.text(begin));
        const result = await work(session);
        await session.send("commit");
        return result;
      } catch (error) {
        await session.takeBack();
        throw error;
      }
    };
    return this.againUnprepared(() => this.withSession(once));
  }

  /** Does `work`, with whatever it throws turned into an error of ours. */
  async guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw translate(error, this.place);
    }
  }

  /** The text of a statement, for what is sent without parameters. */
  text(name: StatementName): string {
    return this.statements(name).text;
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
      const session = this.sessionOf(client);
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

  private sessionOf(client: PoolClient): Session {
    return new Session(client, {
      statements: this.statements,
      preparing: this.preparing,
      payloads: this.payloads,
    });
  }

  /** Where a prepared statement failed nothing was done, and none is prepared from then on: a second try ends it. */
  private async againUnprepared<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!isPreparedElsewhere(error)) throw error;
      return work();
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
    const session = this.sessionOf(client);
    try {
      return await work(session);
    } finally {
      // A connection that did not answer in time may still be at it: nothing else may wait behind that.
      client.release(session.isBroken);
    }
  }
}

/**
 * Whether connections keep what was prepared on them. A pooler that lends them transaction by transaction may not see to
 * that; once one did not, statements are sent whole each time. Shared by all sessions of a store.
 */
interface Preparing {
  isKept: boolean;
}

interface SessionParts {
  readonly statements: Statements;
  readonly preparing: Preparing;
  readonly payloads: Payloads;
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
  private readonly parts: SessionParts;

  constructor(client: PoolClient, parts: SessionParts) {
    this.client = client;
    this.parts = parts;
  }

  async run<Row extends object>(name: StatementName, values: readonly Parameter[]): Promise<readonly Row[]> {
    const { statements, preparing } = this.parts;
    const { text, preparedAs } = statements(name);
    const query: QueryConfig = { text, values: [...values] };
    try {
      const { rows } = await this.client.query<Row>(
        preparing.isKept ? { ...query, name: preparedAs } : query,
      );
      return rows;
    } catch (error) {
      const fault = this.noted(error);
      if (isPreparedElsewhere(fault)) preparing.isKept = false;
      throw fault;
    }
  }

  get payloads(): Payloads {
    return this.parts.payloads;
  }

  /** The process of the server that answered as we connected; a pooler tells another one, or none. */
  get toldProcessId(): number | null {
    // `pg` knows it, its types do not.
    const { processID } = this.client as PoolClient & { readonly processID?: number | null };
    return processID ?? null;
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

  /** Sends a text of several statements without parameters; gives the rows of the last one. */
  async sendAll<Row extends object>(text: string): Promise<readonly Row[]> {
    try {
      return lastRows(await this.client.query<Row>(text));
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

/** Of several statements `pg` gives a list of results, which its types do not know. */
function lastRows<Row extends object>(
  results: QueryResult<Row> | readonly QueryResult<Row>[],
): readonly Row[] {
  const last = "rows" in results ? results : results.at(-1);
  return last?.rows ?? [];
}

function ignore(): void {
  // See the constructor.
}
