import { Client } from "pg";
import { format, resolveConfig } from "prettier";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { postgresStore } from "../../src/store/postgres/store.ts";
import { createTestDatabase, type TestDatabase } from "../setup/database.ts";

const page = new URL("../../docs/reference/tables.md", import.meta.url).pathname;

const intro = `# Tables

What the PostgreSQL store keeps, in the schema \`foothold\` unless another one is configured. This page is made from a migrated
database by \`test/store/tables.test.ts\`, which fails when the two differ; \`npm test -- test/store/tables.test.ts -u\` writes it
anew.

Read them as you like. Write to them only through Foothold: a case's row must follow from its journal, and the guards of its
commits rest on the columns that they name. Times are the database's own; a null means that there is none.
`;

describe("the page of tables", () => {
  let database: TestDatabase;
  let client: Client;

  beforeAll(async () => {
    database = await createTestDatabase();
    const store = postgresStore({ url: database.url });
    await store.migrate();
    await store.close();
    client = new Client(database.url);
    await client.connect();
    // So that names are written with their schema.
    await client.query("set search_path = pg_catalog");
  });

  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  test("says what a migrated database has", async () => {
    const tables = await client.query<{ name: string; meaning: string | null; options: string | null }>(`
      select c.relname as name, obj_description(c.oid, 'pg_class') as meaning, array_to_string(c.reloptions, ', ') as options
      from pg_class as c
      where c.relnamespace = 'foothold'::regnamespace and c.relkind = 'r'
      order by array_position(array['cases', 'journal', 'holders', 'schema_info'], c.relname::text), c.relname`);
    const parts = [intro];
    for (const { name, meaning, options } of tables.rows) {
      parts.push(`## ${name}`, meaning ?? "", await columnsOf(client, name), await rulesOf(client, name));
      if (options !== null && options !== "") parts.push(`Storage: \`${options}\`.`);
    }
    parts.push("## Domains", await domains(client));
    const text = await format(parts.join("\n\n"), { ...(await resolveConfig(page)), parser: "markdown" });
    await expect(text).toMatchFileSnapshot(page);
  });
});

async function columnsOf(client: Client, table: string): Promise<string> {
  const { rows } = await client.query<{
    name: string;
    type: string;
    isNull: boolean;
    meaning: string | null;
  }>(
    `select a.attname as name, format_type(a.atttypid, a.atttypmod) as type, not a.attnotnull as "isNull",
       col_description(a.attrelid, a.attnum) as meaning
     from pg_attribute as a
     where a.attrelid = ('foothold.' || $1)::regclass and a.attnum > 0 and not a.attisdropped
     order by a.attnum`,
    [table],
  );
  const lines = rows.map(
    ({ name, type, isNull, meaning }) =>
      `| \`${name}\` | ${type.replace("foothold.", "")} | ${isNull ? "yes" : ""} | ${meaning ?? ""} |`,
  );
  return ["| column | type | null | meaning |", "| --- | --- | --- | --- |", ...lines].join("\n");
}

async function rulesOf(client: Client, table: string): Promise<string> {
  const { rows } = await client.query<{ text: string }>(
    `select replace(pg_get_constraintdef(c.oid, true), '::text', '') as text
     from pg_constraint as c
     where c.conrelid = ('foothold.' || $1)::regclass and c.contype in ('p', 'c', 'u', 'f')
     union all
     select regexp_replace(pg_get_indexdef(i.indexrelid, 0, true), ' USING btree|::text', '', 'g')
     from pg_index as i
     where i.indrelid = ('foothold.' || $1)::regclass and not i.indisprimary
     order by text`,
    [table],
  );
  return ["```sql", ...rows.map(({ text }) => text), "```"].join("\n");
}

async function domains(client: Client): Promise<string> {
  const { rows } = await client.query<{ name: string; base: string; rule: string }>(
    `select t.typname as name, format_type(t.typbasetype, null) as base, replace(pg_get_constraintdef(c.oid, true), '::text', '') as rule
     from pg_type as t
     join pg_constraint as c on c.contypid = t.oid and c.contype = 'c'
     where t.typnamespace = 'foothold'::regnamespace
     order by t.typname`,
  );
  return ["```sql", ...rows.map(({ name, base, rule }) => `${name} ${base} ${rule}`), "```"].join("\n");
}
