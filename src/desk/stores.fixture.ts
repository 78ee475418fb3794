import { Client } from "pg";
import { afterAll, beforeAll, beforeEach, describe } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test/setup/database.ts";
import { memoryStore } from "../store/memory/store.ts";
import type { Store } from "../store/port.ts";
import { postgresStore } from "../store/postgres/store.ts";

const TABLES = [
  "cases",
  "journal",
  "holders",
  "bulk_acts",
  "bulk_items",
  "problem_marks",
  "audit",
  "second_requests",
];

/** Declares the same tests for the memory store and for a real PostgreSQL, each on an empty store. */
export function onEachStore(what: string, declare: (storeOf: () => Store) => void): void {
  describe(`${what} on the memory store`, () => {
    let store: Store;
    beforeEach(() => {
      store = memoryStore();
    });
    declare(() => store);
  });

  describe(`${what} on PostgreSQL`, () => {
    let database: TestDatabase;
    let client: Client;
    let store: Store;
    beforeAll(async () => {
      database = await createTestDatabase();
      client = new Client(database.url);
      await client.connect();
      store = postgresStore({ url: database.url });
      await store.migrate();
    });
    beforeEach(async () => {
      await client.query(`truncate ${TABLES.map((table) => `foothold.${table}`).join(", ")}`);
    });
    afterAll(async () => {
      await client.end();
      await store.close();
      await database.drop();
    });
    declare(() => store);
  });
}
