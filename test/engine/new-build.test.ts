import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { defineCase } from "../../src/define/builder.ts";
import type { CaseType } from "../../src/define/case-type.ts";
import { defineDestination } from "../../src/define/destination.ts";
import type { TestDestination } from "./destination.ts";
import { input, post, STORES, until, worldsOn } from "./world.ts";

const erp = defineDestination("erp", { idempotency: { by: "key", window: "24h" } });

/** With the bug, the request cannot be made: nothing is sent. */
function orderAt(destination: TestDestination, hasBug: boolean): CaseType {
  return defineCase("order", { version: 1, owner: "sales", input }).step("send", {
    to: erp,
    request: ({ input: given }) => {
      if (hasBug) throw new TypeError("cannot read properties of undefined (reading 'item')");
      return { item: z.string().parse(given["item"]) };
    },
    run: post(destination, "/orders"),
  });
}

describe.each(STORES)("cases that a bug stopped on %s", (kind) => {
  const worlds = worldsOn(kind);
  afterAll(worlds.drop);

  test("are offered to be resumed by the build that mended it, and all go on by one bulk act", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    const broken = orderAt(destination, true);
    const before = await world.worker([broken], { build: "1.0" });
    const ids = await Promise.all(["desk", "chair"].map((item) => world.start(broken, { item })));
    for (const caseId of ids) await world.rests(caseId, "in_review");
    const mended = orderAt(destination, false);
    const desk = world.desk(mended);
    expect((await desk.problems()).problems).toMatchObject([{ kind: "bug", count: 2, newBuild: null }]);
    await world.worker([mended], { build: "1.1" });
    expect((await desk.problems()).problems).toMatchObject([{ newBuild: null }]);
    await before.stop({ graceMs: 1_000 });

    const [problem] = (await desk.problems()).problems;
    expect(problem).toMatchObject({ count: 2, newBuild: { build: "1.1" } });
    const filter = { by: "problem", problemId: problem?.problemId ?? "" } as const;
    const bulk = await desk.startBulk({ move: { move: "resume", step: null }, filter, by: "ann" });
    const runner = desk.bulkRunner({
      onError: (error) => {
        throw error;
      },
    });
    await until("all to be resumed", async () => {
      await runner.runOnce();
      return (await desk.showBulk(bulk.bulkId)).state === "done";
    });
    for (const caseId of ids) await world.rests(caseId, "done");
    expect(destination.effects).toHaveLength(2);
    expect((await desk.problems()).problems).toEqual([]);
  });
});
