import { afterEach, describe, expect, test } from "vitest";
import { defineCase } from "../../src/define/builder.ts";
import type { CaseType } from "../../src/define/case-type.ts";
import { defineDestination } from "../../src/define/destination.ts";
import { refusalOf } from "../../src/desk/refusal.fixture.ts";
import { postgresStore } from "../../src/store/postgres/store.ts";
import type { TestDestination } from "../engine/destination.ts";
import { input, look, post, until, World } from "../engine/world.ts";
import { withClient } from "../faults/client.ts";
import { createTestDatabase } from "../setup/database.ts";

/** Cases of the drill. */
const CASES = 24;

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.toReversed()) await close();
  closing.length = 0;
});

interface Outside {
  readonly bank: TestDestination;
  readonly registry: TestDestination;
  readonly post: TestDestination;
}

/** A step at a destination of each kind: one that deduplicates, one that can be asked, one that can do neither. */
function orderAt(outside: Outside): CaseType {
  const bank = defineDestination("bank", { idempotency: { by: "key", window: "24h" } });
  const registry = defineDestination("registry", { idempotency: { by: "lookup" } });
  const letters = defineDestination("letters", { idempotency: { by: "none" } });
  return defineCase("order", { version: 1, owner: "sales", input })
    .step("pay", { to: bank, run: post(outside.bank, "/payments") })
    .step("record", { to: registry, run: post(outside.registry, "/records"), check: look(outside.registry) })
    .step("tell", { to: letters, run: post(outside.post, "/letters") });
}

async function open(databaseUrl: string): Promise<World> {
  const store = postgresStore({ url: databaseUrl, poolMax: 6 });
  await store.migrate();
  return new World(store);
}

describe("after the restore of an older backup", () => {
  test("what was sent since is found by check or stands in review, and nothing is sent twice", async () => {
    const live = await createTestDatabase();
    closing.push(() => live.drop());
    const world = await open(live.url);
    const outside: Outside = {
      bank: await world.destination(),
      registry: await world.destination({ deduplicates: false }),
      post: await world.destination({ deduplicates: false }),
    };
    const order = orderAt(outside);
    const ids: string[] = [];
    for (let n = 0; n < CASES; n += 1) ids.push(await world.start(order, { n }));

    const before = await world.worker([order], { concurrency: 2 });
    await until("some letters to be sent", () => outside.post.effects.length >= 4);
    await before.stop({ graceMs: 5_000 });
    const backupAt = await world.store.now();
    const backup = `${live.name}_backup`;
    const restoredUrl = new URL(live.url);
    restoredUrl.pathname = backup;
    const server = new URL(live.url);
    server.pathname = "postgres";
    await world.store.close();
    // The server itself copies the files.
    await withClient(server.href, (client) =>
      client.query(`create database ${backup} template ${live.name}`),
    );
    closing.push(() =>
      withClient(server.href, (client) => client.query(`drop database if exists ${backup} with (force)`)),
    );

    const lost = await open(live.url);
    closing.push(() => lost.close());
    await lost.worker([order]);
    for (const caseId of ids) await lost.rests(caseId, "done");
    const sent = {
      bank: outside.bank.effects.length,
      registry: outside.registry.effects.length,
      post: outside.post.effects.length,
    };
    expect(sent).toEqual({ bank: CASES, registry: CASES, post: CASES });

    const restored = await open(restoredUrl.href);
    closing.push(() => restored.close());
    const notTold = await Promise.all(ids.map((caseId) => restored.row(caseId)));
    const unfinished = notTold.filter(({ state }) => state !== "done").map(({ caseId }) => caseId);
    expect(unfinished.length).toBeGreaterThan(4);
    const states = new Map(
      await Promise.all(unfinished.map(async (caseId) => [caseId, await restored.state(caseId)] as const)),
    );
    const desk = restored.desk(order);
    expect(await desk.markRestored({ backupAt, by: "ann" })).toEqual({
      cases: unfinished.length,
      untold: [],
    });
    expect(await desk.markRestored({ backupAt, by: "ann" })).toMatchObject({ cases: unfinished.length });
    for (const caseId of unfinished) {
      expect((await restored.kinds(caseId)).filter((kind) => kind === "restored")).toHaveLength(1);
    }
    await restored.worker([order]);
    restored.sweep();
    // Of one whose last step was confirmed as the backup was taken, only the end was not written yet.
    const untold: string[] = [];
    for (const caseId of unfinished) {
      const { steps } = states.get(caseId) ?? {};
      const isTold = (steps?.["tell"]?.confirmation ?? null) !== null;
      if (!isTold) untold.push(caseId);
      await restored.rests(caseId, isTold ? "done" : "in_review");
    }
    expect(untold.length).toBeGreaterThan(4);

    for (const caseId of untold) {
      const { steps } = await restored.state(caseId);
      expect(steps["pay"]?.confirmation).not.toBeNull();
      expect(steps["record"]?.confirmation).not.toBeNull();
      expect(steps["tell"]).toMatchObject({ confirmation: null, review: { reason: "unknown" } });
    }
    expect({
      bank: outside.bank.effects.length,
      registry: outside.registry.effects.length,
      post: outside.post.effects.length,
    }).toEqual(sent);
    await world.close();
  });

  test("nobody is told while a worker runs, or of a backup of tomorrow", async () => {
    const live = await createTestDatabase();
    closing.push(() => live.drop());
    const world = await open(live.url);
    closing.push(() => world.close());
    const bank = await world.destination();
    const order = orderAt({ bank, registry: bank, post: bank });
    const desk = world.desk(order);
    const now = await world.store.now();
    expect((await refusalOf(desk.markRestored({ backupAt: now + 60_000, by: "ann" }))).code).toBe(
      "INVALID_REQUEST",
    );
    await world.worker([order]);
    const refusal = await refusalOf(desk.markRestored({ backupAt: now - 60_000, by: "ann" }));
    expect(refusal.message).toContain("Stop every worker");
  });
});
