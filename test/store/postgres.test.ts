import { Client } from "pg";
import { describe, inject } from "vitest";
import { postgresStore } from "../../src/store/postgres/store.ts";
import { createTestDatabase } from "../setup/database.ts";
import { testContract } from "./contract/all.ts";
import { useSubject, type Subject } from "./contract/contract.ts";

async function openPostgres(serverUrl: string): Promise<Subject> {
  const database = await createTestDatabase(serverUrl);
  const store = postgresStore({ url: database.url });
  const other = postgresStore({ url: database.url });
  const client = new Client(database.url);
  await client.connect();
  await store.migrate();
  return {
    store,
    other,
    clear: async () => {
      await client.query("truncate foothold.cases, foothold.journal, foothold.holders");
    },
    close: async () => {
      await Promise.all([store.close(), other.close(), client.end()]);
      await database.drop();
    },
  };
}

describe("the PostgreSQL store", () => {
  testContract(useSubject(() => openPostgres(inject("databaseUrl"))));
});
