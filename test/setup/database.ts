import { randomUUID } from "node:crypto";
import { Client } from "pg";
import { inject } from "vitest";

/** A database that one test file has for itself. */
export interface TestDatabase {
  readonly url: string;
  readonly name: string;
  /** Removes it. Throws if a connection to it was left open: the test leaks a pool, a worker or a client. */
  drop(): Promise<void>;
}

const closeTimeoutMs = 2_000;

/**
 * Makes an empty database in the shared server of the test run, or in `serverUrl`. Call it in `beforeAll`, and `drop` in
 * `afterAll` when all that the tests opened is closed.
 */
export async function createTestDatabase(serverUrl: string = inject("databaseUrl")): Promise<TestDatabase> {
  const name = `foothold_test_${randomUUID().replaceAll("-", "")}`;
  await withClient(serverUrl, (client) => client.query(`create database ${name} template template0`));
  const url = new URL(serverUrl);
  url.pathname = name;
  return { url: url.href, name, drop: () => withClient(serverUrl, (client) => dropDatabase(client, name)) };
}

async function dropDatabase(client: Client, name: string): Promise<void> {
  const left = await waitUntilClosed(client, name);
  await client.query(`drop database if exists ${name} with (force)`);
  if (left.length > 0) {
    throw new Error(`${left.length} connections were left open; their last statements:\n${left.join("\n")}`);
  }
}

/** The server sees the end of a connection a moment after the client; what is there after 2 s was not closed. */
async function waitUntilClosed(client: Client, name: string): Promise<readonly string[]> {
  const startedAt = performance.now();
  for (;;) {
    const { rows } = await client.query<{ query: string }>(
      "select query from pg_stat_activity where datname = $1 and backend_type = 'client backend'",
      [name],
    );
    if (rows.length === 0 || performance.now() - startedAt > closeTimeoutMs)
      return rows.map(({ query }) => query);
    await client.query("select pg_sleep(0.01)");
  }
}

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
