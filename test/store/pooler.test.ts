import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { inspectServer } from "../../src/store/postgres/inspect.ts";
import { postgresStore } from "../../src/store/postgres/store.ts";
import { createTestDatabase, type TestDatabase } from "../setup/database.ts";
import { findPgBouncer, startPgBouncer, type PgBouncer } from "../setup/pgbouncer.ts";
import { testContract } from "./contract/all.ts";
import { useSubject, waitUntil } from "./contract/contract.ts";
import { newCase } from "./made-cases.ts";
import { openPostgres } from "./postgres-subject.ts";

/** Connections of the server that it lends: fewer than clients ask for at once, so that each meets those of the others. */
const LENT = 4;
/** Starts that are under way side by side. */
const STARTS = 40;

const installed = findPgBouncer();
const which = installed.found ? `PgBouncer ${installed.version}` : installed.reason;
const start = (serverUrl: string, lent: number): Promise<PgBouncer> => {
  if (!installed.found) throw new Error(installed.reason);
  return startPgBouncer(installed.path, serverUrl, lent);
};

describe.skipIf(!installed.found)(
  `the PostgreSQL store behind a pooler in transaction mode: ${which}`,
  () => {
    const bench = useSubject(async () => {
      const serverUrl = inject("databaseUrl");
      return openPostgres(serverUrl, { pooler: await start(serverUrl, LENT) });
    });

    test("serves many at once, though no connection remembers what another one prepared", async () => {
      const starts = Array.from({ length: STARTS }, () => newCase({ at: 0 }));
      const sides = [bench.store, bench.other] as const;
      const replies = await Promise.all(
        starts.map((one, index) => sides[index % 2 === 0 ? 0 : 1].insertCase(one)),
      );
      expect(replies.map(({ kind }) => kind)).toEqual(starts.map(() => "started"));
      const caseIds = starts.map(({ identity }) => identity.caseId);
      const loaded = await Promise.all(
        caseIds.map((caseId, index) => sides[index % 2 === 0 ? 1 : 0].loadCase(caseId)),
      );
      expect(loaded.map((stored) => stored?.row.caseId)).toEqual(caseIds);
    });

    testContract(bench);
  },
);

describe.skipIf(!installed.found)(`connections that a pooler lends: ${which}`, () => {
  let database: TestDatabase;
  let pooler: PgBouncer;
  let behind: Client;
  beforeAll(async () => {
    database = await createTestDatabase();
    pooler = await start(database.url, 1);
    behind = new Client(database.url);
    await behind.connect();
  });
  afterAll(async () => {
    await behind.end();
    await pooler.stop();
    await database.drop();
  });

  test("never run for one schema what was prepared for another one", async () => {
    const kept = newCase({ at: 0 });
    for (const schema of ["one", "two"]) {
      const direct = postgresStore({ url: database.url, schema });
      await direct.migrate();
      if (schema === "two") await direct.insertCase(kept);
      await direct.close();
    }
    const url = pooler.through(database.url);
    const one = postgresStore({ url, schema: "one", poolMax: 1 });
    const two = postgresStore({ url, schema: "two", poolMax: 1 });
    try {
      // Prepared by the second store on a connection that goes, and by the first one on the connection that takes its place.
      expect(await two.loadCase(kept.identity.caseId)).not.toBeNull();
      await behind.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
      );
      await waitUntil(async () => (await one.loadCase(kept.identity.caseId).catch(() => undefined)) === null);
      expect((await two.loadCase(kept.identity.caseId))?.row.caseId).toBe(kept.identity.caseId);
    } finally {
      await Promise.all([one.close(), two.close()]);
    }
  });

  test("are freed of the statement of a step that is rolled back", async () => {
    const other = await start(database.url, 2);
    const store = postgresStore({ url: other.through(database.url), poolMax: 2 });
    try {
      const transaction = await store.begin();
      const slow = transaction.query("select pg_sleep(50)").catch((error: unknown) => error);
      await waitUntil(async () => (await countSleepers(behind)) === 1);
      await transaction.rollBack();
      await waitUntil(async () => (await countSleepers(behind)) === 0);
      expect(await slow).toBeInstanceOf(Error);
    } finally {
      await store.close();
      await other.stop();
    }
  });

  test("are known by what the server says of itself", async () => {
    const direct = await inspectServer({ url: database.url });
    const pooled = await inspectServer({ url: pooler.through(database.url) });
    expect([direct.isPooled, pooled.isPooled]).toEqual([false, true]);
  });
});

async function countSleepers(client: Client): Promise<number> {
  const asleep = "query = 'select pg_sleep(50)' and state = 'active'";
  const { rowCount } = await client.query(`select 1 from pg_stat_activity where ${asleep}`);
  return rowCount ?? 0;
}
