import { Client } from "pg";
import type { Store } from "../../src/store/port.ts";
import { postgresStore } from "../../src/store/postgres/store.ts";
import { createTestDatabase } from "../setup/database.ts";
import type { Subject } from "./contract/contract.ts";

/** A migrated database of one's own, with two stores on it and a connection to look behind them. */
export interface PostgresSubject extends Subject {
  readonly url: string;
  readonly client: Client;
}

export async function openPostgres(serverUrl: string): Promise<PostgresSubject> {
  const database = await createTestDatabase(serverUrl);
  const store = postgresStore({ url: database.url });
  const other = postgresStore({ url: database.url });
  const client = new Client(database.url);
  await client.connect();
  await store.migrate();
  return {
    url: database.url,
    client,
    store,
    other,
    clear: async () => {
      await client.query("truncate foothold.cases, foothold.journal, foothold.holders");
    },
    close: async () => {
      await closeAll(store, other);
      await client.end();
      await database.drop();
    },
  };
}

async function closeAll(...stores: readonly Store[]): Promise<void> {
  await Promise.all(stores.map((store) => store.close()));
}
