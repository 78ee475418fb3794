import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../setup/database.ts";
import { closedPort } from "./closed-port.ts";
import { DATABASES } from "./labels/databases.ts";
import { misjudged } from "./labels/judge.ts";

// Every error is thrown by the real client: most against a real PostgreSQL, where a statement of the test may raise any
// SQLSTATE, and those of a lost connection through a line that is cut.

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await query(`create table orders (id int primary key check (id > 0), vendor varchar(3) not null)`);
  await query(`insert into orders values (1, 'abc')`);
});
afterAll(() => database.drop());

async function connected<Value>(work: (client: Client) => Promise<Value>): Promise<Value> {
  const client = new Client(database.url);
  // A connection that the server ends is told to its listener too.
  client.on("error", () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

function query(sql: string): Promise<unknown> {
  return connected((client) => client.query(sql));
}

/** Statements that the server refuses by itself. */
const STATEMENTS: Readonly<Record<string, string>> = {
  "22001 for real": "insert into orders values (2, 'too long')",
  "22P02 for real": "insert into orders values ('x'::int, 'abc')",
  "23502 for real": "insert into orders (id) values (2)",
  "23514 for real": "insert into orders values (-1, 'abc')",
  "23505 for real": "insert into orders values (1, 'abc')",
  "42P01 for real": "insert into no_such_table values (1)",
  "42601 for real": "insrt into orders values (1)",
  "25006 for real": "begin read only; insert into orders values (2, 'abc')",
  "57014 canceled for real": "set statement_timeout = 20; select pg_sleep(5)",
  "P0001 for real": "do $$ begin raise exception 'not on Sundays'; end $$",
  "57P01 terminated for real": "select pg_terminate_backend(pg_backend_pid())",
};

async function lockTaken(): Promise<unknown> {
  return connected(async (holder) => {
    await holder.query("begin; select * from orders where id = 1 for update");
    return query("begin; select * from orders where id = 1 for update nowait");
  });
}

/** A line to the server that is cut when a statement passes. */
async function cutWhileRunning(): Promise<unknown> {
  const { host, port, user = "", password, database: name = "" } = new Client(database.url);
  const line = createServer((socket: Socket) => {
    const server = host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    for (const one of [server, socket]) one.on("error", () => undefined);
    socket.on("data", (chunk) => {
      server.write(chunk);
      if (chunk.includes("pg_sleep")) socket.destroy();
    });
    server.on("data", (chunk) => socket.write(chunk));
    socket.on("close", () => server.destroy());
  });
  await new Promise<void>((resolve) => line.listen(0, "127.0.0.1", resolve));
  // A server on TCP has an address with a port.
  const linePort = (line.address() as AddressInfo).port;
  const client = new Client({
    host: "127.0.0.1",
    port: linePort,
    user,
    password: password ?? "",
    database: name,
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return await client.query("select pg_sleep(0.1)");
  } finally {
    await client.end().catch(() => undefined);
    await new Promise((resolve) => line.close(resolve));
  }
}

async function refused(): Promise<unknown> {
  return new Client({ host: "127.0.0.1", port: await closedPort() }).connect();
}

function act(situation: string): Promise<unknown> {
  const statement = STATEMENTS[situation];
  if (statement !== undefined) return query(statement);
  switch (situation) {
    case "port closed":
      return refused();
    case "55P03 lock not available for real":
      return lockTaken();
    case "connection cut while a statement runs":
      return cutWhileRunning();
    default:
      return query(`do $$ begin raise exception 'raised by the test' using errcode = '${situation}'; end $$`);
  }
}

describe("what PostgreSQL says", () => {
  const labels = DATABASES.filter(({ client }) => client === "pg");
  test.each(labels.map((label) => [label.situation, label] as const))("%s", async (situation, label) => {
    const thrown: unknown = await act(situation).then(
      () => {
        throw new Error("the statement went well");
      },
      (error: unknown) => error,
    );
    const input = { destination: "erp", stopped: null, now: Date.now(), evidence: null, sorters: [] };
    expect(misjudged(thrown, input, label.expected)).toEqual([]);
  });
});
