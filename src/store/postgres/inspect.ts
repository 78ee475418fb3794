/** What a server tells of itself: for people who look for troubles before there are any. */

import { invariant } from "../../core/errors.ts";
import { readConnection, type PostgresStoreOptions } from "./connection.ts";
import { Database } from "./database.ts";
import { Payloads } from "./payloads.ts";

/** What a server tells of itself. */
export interface ServerDescription {
  readonly version: string;
  /** As it numbers itself: 150004. */
  readonly versionNumber: number;
  readonly maxConnections: number;
  /** Kept back for superusers. */
  readonly reservedConnections: number;
  /** Of our role, and of this database; -1 = no limit. */
  readonly roleLimit: number;
  readonly databaseLimit: number;
  readonly fsync: boolean;
  readonly fullPageWrites: boolean;
  readonly synchronousCommit: string;
  readonly isReadOnly: boolean;
  /** True where something between us and it lends connections to several clients. */
  readonly isPooled: boolean;
  /** Its clock, epoch ms. */
  readonly now: number;
}

interface Columns {
  readonly version: string;
  readonly version_number: number;
  readonly max_connections: number;
  readonly reserved_connections: number;
  readonly role_limit: number;
  readonly database_limit: number;
  readonly fsync: boolean;
  readonly full_page_writes: boolean;
  readonly synchronous_commit: string;
  readonly is_read_only: boolean;
  readonly process_id: number;
  readonly now: number;
}

/** Asks a server over a connection of its own. Throws `DATABASE_UNAVAILABLE` and what connecting throws. */
export async function inspectServer(options: PostgresStoreOptions): Promise<ServerDescription> {
  const database = new Database(readConnection({ ...options, poolMax: 1 }), new Payloads(null));
  try {
    return await database.guarded(async () => {
      const { session, end } = await database.lend();
      const [row] = await session.run<Columns>("inspect_server", []).finally(end);
      invariant(row !== undefined, "inspect_server returned no row");
      return {
        version: row.version,
        versionNumber: row.version_number,
        maxConnections: row.max_connections,
        reservedConnections: row.reserved_connections,
        roleLimit: row.role_limit,
        databaseLimit: row.database_limit,
        fsync: row.fsync,
        fullPageWrites: row.full_page_writes,
        synchronousCommit: row.synchronous_commit,
        isReadOnly: row.is_read_only,
        isPooled: row.process_id !== session.toldProcessId,
        now: row.now,
      };
    });
  } finally {
    await database.close();
  }
}
