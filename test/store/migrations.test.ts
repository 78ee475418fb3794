import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Store } from "../../src/store/port.ts";
import { postgresStore } from "../../src/store/postgres/store.ts";
import { readMigrations } from "../../src/store/sql/statements.ts";
import { createTestDatabase, type TestDatabase } from "../setup/database.ts";
import { newCase } from "./made-cases.ts";

const names = readMigrations("foothold").map(({ name }) => name);

describe("migrating", () => {
  let database: TestDatabase;
  let client: Client;
  let stores: Store[] = [];

  const open = (options: { readonly schema?: string; readonly url?: string } = {}): Store => {
    const store = postgresStore({ url: database.url, ...options });
    stores.push(store);
    return store;
  };

  beforeEach(async () => {
    database = await createTestDatabase();
    client = new Client(database.url);
    await client.connect();
  });

  afterEach(async () => {
    await Promise.all(stores.map((store) => store.close()));
    stores = [];
    await client.end();
    await database.drop();
  });

  test("an empty database is refused with the command that helps, until it is migrated", async () => {
    const store = open();
    await expect(store.checkSchema()).rejects.toMatchObject({
      code: "SCHEMA_MISSING",
      message: expect.stringContaining("foothold migrate") as unknown,
    });
    await expect(store.countCases()).rejects.toMatchObject({ code: "SCHEMA_MISSING" });
    expect(await store.migrate()).toEqual({ applied: names, version: names.length });
    await store.checkSchema();
    expect(await store.migrate()).toEqual({ applied: [], version: names.length });
  });

  test("many processes that start at once apply each migration once, and none fails", async () => {
    const reports = await Promise.all(Array.from({ length: 8 }, () => open().migrate()));
    expect(reports.flatMap(({ applied }) => applied).toSorted()).toEqual(names);
    expect(reports.every(({ version }) => version === names.length)).toBe(true);
  });

  test("a newer schema that this engine can still read is used as it is", async () => {
    const store = open();
    await store.migrate();
    await client.query("update foothold.schema_info set version = 99, readable_from = $1", [names.length]);
    await store.checkSchema();
    expect(await store.migrate()).toEqual({ applied: [], version: 99 });
    expect(await store.insertCase(newCase({ at: 1 }))).toEqual({ kind: "started" });
  });

  test("a schema that needs a newer engine is refused", async () => {
    const store = open();
    await store.migrate();
    await client.query("update foothold.schema_info set version = 99, readable_from = 98");
    await expect(store.checkSchema()).rejects.toMatchObject({ code: "SCHEMA_TOO_NEW" });
    await expect(store.migrate()).rejects.toMatchObject({ code: "SCHEMA_TOO_NEW" });
  });

  test("an older schema is refused until it is migrated", async () => {
    const store = open();
    await store.migrate();
    await client.query("update foothold.schema_info set version = 0");
    await expect(store.checkSchema()).rejects.toMatchObject({ code: "SCHEMA_MISSING" });
  });

  test("a migration that fails is taken back whole and named", async () => {
    await client.query("create schema foothold; create table foothold.journal (mine text)");
    await expect(open().migrate()).rejects.toMatchObject({
      code: "MIGRATION_FAILED",
      message: expect.stringContaining("0001_cases") as unknown,
    });
    const { rows } = await client.query("select to_regclass('foothold.cases') as cases");
    expect(rows).toEqual([{ cases: null }]);
    await client.query("drop table foothold.journal");
    expect(await open().migrate()).toMatchObject({ applied: names });
  });

  test("a user without the right to make a schema is told what is missing", async () => {
    const user = `limited_${database.name.slice(-8)}`;
    await client.query(`create role ${user} login`);
    const url = new URL(database.url);
    url.username = user;
    await expect(open({ url: url.href }).migrate()).rejects.toMatchObject({
      code: "MIGRATION_FAILED",
      message: expect.stringContaining("42501") as unknown,
    });
    await open().migrate();
    await expect(open({ url: url.href }).countCases()).rejects.toMatchObject({
      code: "DATABASE_UNAVAILABLE",
      message: expect.stringContaining("Grant") as unknown,
    });
    await client.query(`drop role ${user}`);
  });

  test("another schema, also one that is a reserved word, is another store", async () => {
    const [first, second] = [open(), open({ schema: "user" })];
    await first.migrate();
    await second.migrate();
    const start = newCase({ at: 1 });
    await second.insertCase(start);
    expect(await first.loadCase(start.identity.caseId)).toBeNull();
    expect(await second.loadCase(start.identity.caseId)).not.toBeNull();
    const { rows } = await client.query('select count(*)::int as n from "user".cases');
    expect(rows).toEqual([{ n: 1 }]);
  });

  test("a schema name that is no plain identifier is refused before anything is sent", () => {
    for (const schema of ["", "My", "a-b", 'x"; drop table y', "pg_own", "1a", "a".repeat(64)]) {
      expect(() => open({ schema })).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }) as Error);
    }
  });
});
