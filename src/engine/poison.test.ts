import { describe, expect, test } from "vitest";
import { defineCase } from "../define/builder.ts";
import type { HolderCommit } from "../store/port.ts";
import { anything, entriesOf, startCase } from "./case-types.fixture.ts";
import { settle } from "./manual-clock.fixture.ts";
import { erp, orderWith, Sends, Shop } from "./shop.fixture.ts";

function isOutcome({ current }: HolderCommit): boolean {
  return current.entries.some(({ kind }) => kind === "stepConfirmed");
}

describe("R9: a case whose worker was lost with an attempt open", () => {
  test("opens its next attempt only when its worker has none open of a case that lost none, and none is opened beside it", async () => {
    const shop = new Shop();
    const sends = new Sends();
    const order = orderWith(sends.run);
    await startCase(shop.store, order, { caseId: "00first" });
    const worker = shop.worker(order);
    await worker.start();
    await settle();
    await shop.lost(order, "00lost");
    await settle();
    expect(sends.caseIds).toEqual(["00first"]);
    await startCase(shop.store, order, { caseId: "00later" });
    await settle();
    expect(sends.caseIds).toEqual(["00first"]);
    await sends.end();
    expect(sends.caseIds).toEqual(["00first", "00lost"]);
    await sends.end();
    expect(sends.caseIds).toEqual(["00first", "00lost", "00later"]);
    await sends.end();
    await worker.stop();
  });

  test("is tried beside others that lost one worker, and alone once it lost two", async () => {
    const shop = new Shop();
    const sends = new Sends();
    const order = orderWith(sends.run);
    for (const caseId of ["00one", "00other"]) await shop.lost(order, caseId);
    await shop.lost(order, "00twice", 2);
    const worker = shop.worker(order);
    await worker.start();
    await settle();
    // Those that lost one were claimed first, and the third waits for both of them.
    expect(sends.caseIds).toEqual(["00one", "00other"]);
    await sends.end();
    expect(sends.caseIds).toHaveLength(2);
    await sends.end();
    expect(sends.caseIds).toEqual(["00one", "00other", "00twice"]);
    await sends.end();
    await worker.stop();
  });

  test("waits also until the outcome of the other attempt is stored: until then it is open", async () => {
    const shop = new Shop();
    const sends = new Sends();
    const order = orderWith(sends.run);
    const waiting: (() => void)[] = [];
    const worker = shop.worker(order, {
      store: {
        ...shop.store,
        commit: async (commits) => {
          const isFirst = waiting.length === 0 && commits.some(isOutcome);
          if (isFirst) await new Promise<void>((resolve) => waiting.push(resolve));
          return shop.store.commit(commits);
        },
      },
    });
    await startCase(shop.store, order, { caseId: "00first" });
    await worker.start();
    await settle();
    await shop.lost(order, "00lost");
    await settle();
    await sends.end();
    expect(sends.caseIds).toEqual(["00first"]);
    for (const goOn of waiting) goOn();
    await settle();
    expect(sends.caseIds).toEqual(["00first", "00lost"]);
    await sends.end();
    await worker.stop();
  });

  test("stores what it learns while it waits for its turn", async () => {
    const shop = new Shop();
    const sends = new Sends();
    const wide = defineCase("wide", { version: 1, owner: "ops", input: anything })
      .step("send", { to: erp, after: [], run: sends.run })
      .step("next", { to: erp, after: [], run: sends.run });
    await shop.lost(wide, "00lost", 2);
    const worker = shop.worker(wide);
    await worker.start();
    await settle();
    // One of its steps is under way alone; the other waits for the gate.
    expect(sends.caseIds).toEqual(["00lost"]);
    await startCase(shop.store, wide, { caseId: "00other" });
    await settle();
    await sends.end();
    expect(await entriesOf(shop.store, "00lost")).toContain("stepConfirmed");
    while ((await shop.store.loadCase("00other"))?.row.state !== "done") await sends.end();
    await worker.stop();
  });

  test("goes to people after the third loss, and is not sent again", async () => {
    const shop = new Shop();
    const sends = new Sends();
    const order = orderWith(sends.run);
    await shop.lost(order, "00lost", 3);
    const worker = shop.worker(order);
    await worker.start();
    await settle();
    expect(sends.caseIds).toEqual([]);
    const row = (await shop.store.loadCase("00lost"))?.row;
    expect(row?.state).toBe("in_review");
    expect(row?.summary.reviews).toMatchObject([{ reason: "poison" }]);
    await worker.stop();
  });
});
