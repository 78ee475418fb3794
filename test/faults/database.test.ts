import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CaseType } from "../../src/define/case-type.ts";
import { registryOf } from "../../src/define/registry.ts";
import { systemPorts } from "../../src/engine/system.ts";
import { createWorker } from "../../src/engine/worker.ts";
import { postgresStore } from "../../src/store/postgres/store.ts";
import { createTestDatabase } from "../setup/database.ts";
import { findTestBinaries, startServer, type TestServer } from "../setup/server.ts";
import type { TestDestination } from "../engine/destination.ts";
import { until, World } from "../engine/world.ts";
import { threeSteps } from "./case-types.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer(await findTestBinaries());
});
afterAll(() => server.stop());

interface Scene {
  readonly world: World;
  readonly destination: TestDestination;
  readonly caseType: CaseType;
  /** A connection that is none of the worker's. */
  readonly admin: Client;
}

async function onDatabase(act: (scene: Scene) => Promise<void>): Promise<void> {
  const database = await createTestDatabase(server.url);
  const store = postgresStore({ url: database.url, poolMax: 6, applicationName: "the worker" });
  await store.migrate();
  const world = new World(store);
  const admin = new Client(database.url);
  admin.on("error", () => undefined);
  await admin.connect();
  try {
    const destination = await world.destination();
    await act({
      world,
      destination,
      caseType: threeSteps(destination.url, { name: "order", kind: "key" }),
      admin,
    });
  } finally {
    await world.close();
    await admin.end();
    await database.drop();
  }
}

async function doneCount({ world }: Scene): Promise<number> {
  const counts = await world.store.countCases().catch(() => []);
  return counts.reduce((sum, { states }) => sum + (states.done ?? 0), 0);
}

/** Every step of every case took effect once, and its journal says so. */
async function expectAllOnce({ world, destination }: Scene, ids: readonly string[]): Promise<void> {
  const effects = destination.effects.map(({ key }) => key ?? "");
  expect(effects.toSorted()).toEqual(
    ids.flatMap((caseId) => ["first", "second", "third"].map((step) => `${caseId}.${step}.1`)).toSorted(),
  );
  for (const caseId of ids) {
    const kinds = await world.kinds(caseId);
    expect(kinds.filter((kind) => kind === "stepConfirmed")).toHaveLength(3);
    expect(kinds.at(-1)).toBe("caseDone");
  }
  expect(world.reports.filter(({ kind }) => kind === "bug")).toEqual([]);
}

test("a connection that is ended in the middle of a commit loses nothing and repeats nothing", async () => {
  await onDatabase(async (scene) => {
    const { world, destination, caseType, admin } = scene;
    destination.script("/order/second", "hold");
    await world.worker([caseType]);
    const caseId = await world.start(caseType);
    await until("the second send", () => destination.requests.length === 2);
    await admin.query("begin");
    await admin.query("select from foothold.cases where case_id = $1 for update", [caseId]);
    destination.release();
    const pid = await until("the commit to wait for the case", async () => {
      const { rows } = await admin.query<{ pid: number }>(
        `select pid from pg_stat_activity where application_name = 'the worker' and wait_event_type = 'Lock'`,
      );
      return rows[0]?.pid ?? null;
    });
    await admin.query("select pg_terminate_backend($1)", [pid]);
    await admin.query("rollback");
    await world.rests(caseId, "done");
    await expectAllOnce(scene, [caseId]);
    expect(destination.requests).toHaveLength(3);
  });
});

test("connections that are ended again and again in the middle of commits lose nothing and repeat nothing", async () => {
  await onDatabase(async (scene) => {
    const { world, destination, caseType, admin } = scene;
    const cases = 60;
    destination.script("/order/first", ...Array.from({ length: cases }, () => "hold" as const));
    await world.worker([caseType], { concurrency: 16 });
    const ids: string[] = [];
    for (let n = 0; n < cases; n += 1) ids.push(await world.start(caseType));
    // It claims for a quarter of its slots at least, so up to three may stay free.
    await until("the worker to be at work", () => destination.requests.length > 12);
    let ended = 0;
    for (let round = 0; round < 8 && (await doneCount(scene)) < cases; round += 1) {
      // While this is locked nothing moves on, so whatever the worker has to store waits here and is hit.
      await admin.query("begin");
      await admin.query("lock table foothold.cases in exclusive mode");
      destination.release();
      await until("statements to wait for the lock", async () => {
        const { rowCount } = await admin.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where application_name = 'the worker' and wait_event_type = 'Lock'`,
        );
        ended += rowCount ?? 0;
        return (rowCount ?? 0) > 0;
      });
      await admin.query("rollback");
    }
    expect(ended).toBeGreaterThan(1);
    await until("all to be done", async () => (await doneCount(scene)) === cases);
    await expectAllOnce(scene, ids);
  });
});

test("a database that is killed and comes back loses nothing and repeats nothing, and the worker goes on by itself", async () => {
  await onDatabase(async (scene) => {
    const { world, destination, caseType } = scene;
    const ids: string[] = [];
    for (let n = 0; n < 80; n += 1) ids.push(await world.start(caseType));
    await world.worker([caseType], { concurrency: 8 });
    world.sweep();
    await until("some to be done", async () => (await doneCount(scene)) >= 10);
    await server.kill();
    expect(destination.requests.length).toBeLessThan(3 * ids.length);
    await until("the worker to notice", () => world.reports.some(({ kind }) => kind === "databaseAway"));

    // Meanwhile nobody else can start, and is told why.
    const late = createWorker({
      store: world.store,
      registry: registryOf([caseType]),
      ports: systemPorts(),
      name: "late",
      host: "here",
      build: "test",
    });
    const refusal = await late.start().catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: "DATABASE_UNAVAILABLE" });
    expect(String(refusal)).toMatch(/does not serve us/);
    await late.stop();

    const sentBefore = destination.requests.length;
    await server.start();
    await until("the worker to go on", () => destination.requests.length > sentBefore);
    await until("all to be done", async () => (await doneCount(scene)) === ids.length);
    await expectAllOnce(scene, ids);
    await until("the worker to say so", () => world.reports.some(({ kind }) => kind === "databaseBack"));
    // The sweep had no right to end a holder that could not beat.
    expect(world.reports.filter(({ kind }) => kind === "holderEnded")).toEqual([]);
  });
});
