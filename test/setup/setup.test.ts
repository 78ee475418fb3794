import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase } from "./database.ts";
import { findSystemPostgres, findTestBinaries, startServer, type TestServer } from "./server.ts";

async function connect(url: string): Promise<Client> {
  const client = new Client(url);
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

test("each test database is empty, of its own, and gone after drop", async () => {
  const [a, b] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  const client = await connect(a.url);
  await client.query("create table mine (id int)");
  const other = await connect(b.url);
  await expect(other.query("select * from mine")).rejects.toThrow(/mine/);
  await Promise.all([client.end(), other.end()]);
  await Promise.all([a.drop(), b.drop()]);
  await expect(connect(a.url)).rejects.toThrow(a.name);
});

test("dropping a test database tells of a connection that was left open, and drops it all the same", async () => {
  const database = await createTestDatabase();
  const client = await connect(database.url);
  await client.query("select 'the leak'");
  await expect(database.drop()).rejects.toThrow(/1 connections were left open[^]*the leak/);
  await expect(connect(database.url)).rejects.toThrow(database.name);
});

describe("a server for fault tests", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer(await findTestBinaries(), { settings: { max_connections: "20" } });
  });
  afterAll(() => server.stop());

  test("can be killed and started again on the same data", async () => {
    const client = await connect(server.url);
    await client.query("create table kept as select current_setting('max_connections') as setting");
    const pid = server.pid();
    await server.kill();
    await expect(connect(server.url)).rejects.toThrow(/ECONNREFUSED/);
    await server.start();
    expect(server.pid()).not.toBe(pid);
    const again = await connect(server.url);
    expect((await again.query("select setting from kept")).rows).toEqual([{ setting: "20" }]);
    await again.end();
  });
});

const system = await findSystemPostgres();
test.skipIf(!system.found)(
  `a server of the installed PostgreSQL can be started (${system.found ? system.binaries.version : `skipped: ${system.reason}`})`,
  async () => {
    if (!system.found) return;
    const server = await startServer(system.binaries);
    try {
      const client = await connect(server.url);
      const { rows } = await client.query<{ version: string }>(
        "select current_setting('server_version_num') as version",
      );
      expect(Math.floor(Number(rows[0]?.version) / 10_000)).toBe(system.binaries.major);
      await client.end();
    } finally {
      await server.stop();
    }
  },
);
