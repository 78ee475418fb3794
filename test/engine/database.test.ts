import { afterAll, beforeAll, expect, test } from "vitest";
import { defineCase } from "../../src/define/builder.ts";
import { defineDestination } from "../../src/define/destination.ts";
import { postgresStore } from "../../src/store/postgres/store.ts";
import { createTestDatabase, type TestDatabase } from "../setup/database.ts";
import { startProxy } from "./proxy.ts";
import { input, post, until, World } from "./world.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test("R3: a network that loses answers of the database makes no effect twice and loses none", async () => {
  const proxy = await startProxy(database.url);
  // A wait for a connection or an answer that never comes must end within a lease.
  const store = postgresStore({ url: proxy.url, poolMax: 6, queryTimeoutMs: 2_000 });
  await store.migrate();
  const direct = postgresStore({ url: database.url, poolMax: 1 });
  const world = new World(store);
  world.onClose(() => direct.close());
  try {
    const destination = await world.destination({ deduplicates: false });
    const erp = defineDestination("erp", { idempotency: { by: "key", window: "24h" } });
    const two = defineCase("two", { version: 1, owner: "ops", input })
      .step("first", { to: erp, run: post(destination, "/first") })
      .step("second", { to: erp, run: post(destination, "/second") });
    for (let n = 0; n < 60; n += 1) await world.start(two);
    await world.worker([two], { concurrency: 4 });
    proxy.lose(15);
    await until("all to be done", async () => {
      const counts = await direct.countCases();
      return counts.some(({ states }) => states.done === 60);
    });
    expect(proxy.lost()).toBeGreaterThan(5);
    // It does not deduplicate: what was sent was neither forgotten nor sent again.
    expect(destination.effects).toHaveLength(120);
    expect(new Set(destination.effects.map(({ key }) => key)).size).toBe(120);
    expect(world.reports.filter(({ kind }) => kind === "bug")).toEqual([]);
  } finally {
    await world.close();
    await proxy.stop();
  }
});
