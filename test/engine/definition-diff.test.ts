import { afterAll, describe, expect, test } from "vitest";
import { defineCase } from "../../src/define/builder.ts";
import type { CaseType } from "../../src/define/case-type.ts";
import { defineDestination } from "../../src/define/destination.ts";
import { refusalOf } from "../../src/desk/refusal.fixture.ts";
import type { TestDestination } from "./destination.ts";
import { input, post, STORES, worldsOn, type World } from "./world.ts";

const erp = defineDestination("erp", { idempotency: { by: "key", window: "24h" } });

const head = { version: 1, owner: "purchasing", input };

/** A record, then a person, then a notification. */
function purchaseAt(destination: TestDestination, recordName = "createRecord"): CaseType {
  return defineCase("purchase", head)
    .step(recordName, { to: erp, run: post(destination, "/records") })
    .approval("approve", { by: "finance" })
    .step("notify", { to: erp, run: post(destination, "/messages") });
}

/** The same with an audit before all else. */
function auditedAt(destination: TestDestination): CaseType {
  return defineCase("purchase", head)
    .step("audit", { to: erp, run: post(destination, "/audits") })
    .step("createRecord", { to: erp, run: post(destination, "/records") })
    .approval("approve", { by: "finance" })
    .step("notify", { to: erp, run: post(destination, "/messages") });
}

/** The same without a record, which is said. */
function unrecordedAt(destination: TestDestination): CaseType {
  return defineCase("purchase", { ...head, removed: ["createRecord"] })
    .approval("approve", { by: "finance" })
    .step("notify", { to: erp, run: post(destination, "/messages") });
}

/** Cases that wait for the approval, with their record made. */
async function waiting(
  world: World,
  destination: TestDestination,
  count: number,
): Promise<readonly string[]> {
  const purchase = purchaseAt(destination);
  const worker = await world.worker([purchase]);
  const ids = await Promise.all(
    Array.from({ length: count }, () => world.start(purchase, { item: "desk", amount: 1 })),
  );
  for (const caseId of ids) await world.rests(caseId, "waiting");
  await worker.stop({ graceMs: 1_000 });
  return ids;
}

describe.each(STORES)("what new definitions would change on %s", (kind) => {
  const worlds = worldsOn(kind);
  afterAll(worlds.drop);

  test("is nothing where they are as they were, and closed cases do not count", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    await waiting(world, destination, 3);
    const desk = world.desk(purchaseAt(destination));
    expect(await desk.diffDefinitions()).toEqual({ looked: 3, isAll: true, unchanged: 3, changes: [] });
    const notify = defineCase("mailing", { version: 1, owner: "ops", input }).step("send", {
      to: erp,
      run: post(destination, "/messages"),
    });
    const worker = await world.worker([notify]);
    await world.rests(await world.start(notify, { item: "desk", amount: 1 }), "done");
    await worker.stop({ graceMs: 1_000 });
    expect(await desk.diffDefinitions()).toMatchObject({ looked: 3 });
  });

  test("is told by group, with the number of cases and some of them", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    const ids = await waiting(world, destination, 4);
    const renamed = await world.desk(purchaseAt(destination, "makeRecord")).diffDefinitions();
    expect(renamed).toMatchObject({
      looked: 4,
      unchanged: 0,
      changes: [{ kind: "vanished", caseType: "purchase", step: "createRecord", cases: 4 }],
    });
    expect(renamed.changes[0]?.sentence).toContain("makeRecord is not begun");
    expect(renamed.changes[0]?.examples).toHaveLength(3);
    expect(ids).toEqual(expect.arrayContaining([...(renamed.changes[0]?.examples ?? [])]));

    const audited = await world.desk(auditedAt(destination)).diffDefinitions();
    expect(audited.changes).toMatchObject([{ kind: "lapses", step: "createRecord", cases: 4 }]);

    const removed = await world.desk(unrecordedAt(destination)).diffDefinitions();
    expect(removed).toMatchObject({ unchanged: 4, changes: [] });

    const other = defineCase("mailing", { version: 1, owner: "ops", input }).sleep("rest", { for: "1h" });
    expect((await world.desk(other).diffDefinitions()).changes).toMatchObject([
      {
        kind: "notTaken",
        step: null,
        cases: 4,
        sentence: expect.stringContaining("none is loaded") as string,
      },
    ]);
    expect(destination.effects).toHaveLength(4);
    for (const caseId of ids) expect(await world.row(caseId)).toMatchObject({ state: "waiting" });
  });

  test("looks at no more cases than it is told to, and says so", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    await waiting(world, destination, 3);
    const desk = world.desk(purchaseAt(destination));
    expect(await desk.diffDefinitions({ limit: 2 })).toMatchObject({ looked: 2, isAll: false });
    expect(await desk.diffDefinitions({ limit: 2, caseType: "other" })).toMatchObject({
      looked: 0,
      isAll: true,
    });
    expect((await refusalOf(desk.diffDefinitions({ limit: 0 }))).code).toBe("INVALID_REQUEST");
  });
});
