import { beforeEach, describe, expect, test } from "vitest";
import type { Grant } from "../../core/rights.ts";
import type { CaseSummary } from "../../core/row.ts";
import { testDesk, testRegistry } from "../../desk/purchase.fixture.ts";
import { refusalOf } from "../../desk/refusal.fixture.ts";
import { lacksNow } from "../../people/rights-now.ts";
import { memoryStore } from "../../store/memory/store.ts";
import type { Store } from "../../store/port.ts";
import { testApp } from "../app.fixture.ts";
import type { Client } from "../client/client.ts";
import { watchedClient } from "./every-route.fixture.ts";

const never = (error: unknown): void => {
  throw error;
};
const stuck: CaseSummary = {
  confirmed: 0,
  waits: [],
  reviews: [
    {
      step: "createRecord",
      reason: "bug",
      owner: "platform",
      sentence: "It broke.",
      nextCheckAllowedAt: null,
    },
  ],
  unsettled: [],
  lastFailure: null,
  repair: null,
  isRepaired: false,
  losses: 0,
  stoppedBy: null,
};

describe("many cases over the API", () => {
  let store: Store;
  let ada: Client;
  beforeEach(() => {
    store = memoryStore();
    ada = watchedClient(testApp(store)).client;
  });

  function as(name: string, ...grants: readonly Grant[]): Client {
    const person = { personId: `id-${name}`, name, roles: [] };
    const signIn = () => Promise.resolve({ name, person, signedInBy: "session", grants } as const);
    return watchedClient(testApp(store, { signIn })).client;
  }

  async function start(tenant: string): Promise<string> {
    const { caseId } = await ada.startCase({
      type: "purchase",
      input: { vendor: "ACME", amount: 1 },
      tenant,
    });
    return caseId;
  }

  async function startStuck(tenant: string): Promise<string> {
    const caseId = await start(tenant);
    await store.setAside(caseId, null, stuck);
    return caseId;
  }

  test("are moved by one act: looked at first, frozen, worked off, with a result for each case", async () => {
    const caseIds = [await start("default"), await start("default")];
    const filter = { by: "query", query: { type: "purchase" } } as const;
    expect(await ada.previewBulk({ move: { move: "cancel" }, filter })).toMatchObject({
      cases: 2,
      withoutRight: 0,
      allowed: 2,
    });
    const { bulkId, by } = await ada.startBulk({ move: { move: "cancel" }, filter, reason: "ordered twice" });
    expect(by).toBe("ada");
    const later = await start("default");
    await ada.orderBulkAct({ bulkId, order: "pause", reason: "wait a moment" });
    const runner = testDesk(store).bulkRunner({ onError: never });
    await runner.runOnce();
    expect(await ada.showBulkAct({ bulkId })).toMatchObject({
      act: { state: "paused", why: "by ada: wait a moment", counts: { open: 2 } },
    });
    await ada.orderBulkAct({ bulkId, order: "resume" });
    await runner.runOnce();
    const { act, items, next } = await ada.showBulkAct({ bulkId });
    expect([act.state, next]).toEqual(["done", null]);
    expect(new Map(items.map(({ caseId, state }) => [caseId, state]))).toEqual(
      new Map(caseIds.map((caseId) => [caseId, "done"])),
    );
    expect((await ada.showBulkAct({ bulkId, after: 0 })).items).toHaveLength(1);
    expect((await ada.showBulkAct({ bulkId, state: "refused" })).items).toEqual([]);
    expect((await ada.showCase({ caseId: later })).storedState).toBe("ready");
    expect((await refusalOf(ada.orderBulkAct({ bulkId, order: "stop" }))).code).toBe("BULK_REFUSED");
  });

  test("are left out where whoever asks may not make the move, and told of only where they may be seen", async () => {
    const mine = await start("acme");
    const seen = await start("beta");
    const hidden = await start("gamma");
    const ben = as(
      "ben",
      { verbs: ["see", "bulk", "pause"], tenants: ["acme"], caseTypes: "all" },
      { verbs: ["see", "pause"], tenants: ["beta"], caseTypes: "all" },
    );
    const move = { move: "pause" } as const;
    for (const filter of [
      { by: "query", query: {} },
      { by: "cases", caseIds: [mine, seen] },
    ] as const) {
      expect(await ben.previewBulk({ move, filter })).toMatchObject({ cases: 1, withoutRight: 1 });
      const { bulkId } = await ben.startBulk({ move, filter });
      expect((await ben.showBulkAct({ bulkId })).items).toMatchObject([{ caseId: mine }]);
    }
    const named = { by: "cases", caseIds: [mine, hidden] } as const;
    for (const caseIds of [named.caseIds, [mine, "07-zzzzzzzzzzzz"]]) {
      const refused = await refusalOf(ben.startBulk({ move, filter: { by: "cases", caseIds } }));
      expect(refused.code).toBe("CASE_NOT_FOUND");
    }
    const other = await refusalOf(
      ben.startBulk({ move: { move: "cancel" }, filter: { by: "query", query: {} } }),
    );
    expect(other).toMatchObject({
      code: "NOT_ALLOWED",
      message: expect.stringContaining('"cancel"') as unknown,
    });
  });

  test("are an act of whoever made it: others who see a part neither see nor order it", async () => {
    const caseId = await start("acme");
    const part: Grant = { verbs: "all", tenants: ["acme"], caseTypes: "all" };
    const filter = { by: "cases", caseIds: [caseId] } as const;
    const { bulkId } = await as("ben", part).startBulk({ move: { move: "pause" }, filter });
    const eve = as("eve", part);
    expect(await eve.listBulkActs()).toEqual({ acts: [] });
    for (const asked of [eve.showBulkAct({ bulkId }), eve.orderBulkAct({ bulkId, order: "stop" })]) {
      expect((await refusalOf(asked)).code).toBe("BULK_NOT_FOUND");
    }
    const everywhere = { tenants: "all", caseTypes: "all" } as const;
    const boss = as("boss", { verbs: ["see", "bulk"], ...everywhere });
    expect(await boss.listBulkActs()).toMatchObject({ acts: [{ bulkId, by: "ben" }] });
    await boss.orderBulkAct({ bulkId, order: "pause" });
    const refused = await refusalOf(boss.orderBulkAct({ bulkId, order: "resume" }));
    expect(refused).toMatchObject({
      code: "NOT_ALLOWED",
      message: expect.stringContaining('"pause"') as unknown,
    });
    const ben = as("ben", part);
    expect(await ben.orderBulkAct({ bulkId, order: "resume" })).toMatchObject({ state: "running" });
    const lost = as("ben", { verbs: ["see", "bulk"], tenants: ["beta"], caseTypes: "all" });
    expect((await lost.showBulkAct({ bulkId })).items).toEqual([]);
  });

  test("are moved by nobody who lost the right, or was disabled, after the act was made", async () => {
    const { people } = store;
    const roles = new Map([
      ["both", [{ verbs: ["bulk", "pause"], tenants: ["acme", "beta"], caseTypes: "all" }]],
      ["acme", [{ verbs: ["bulk", "pause"], tenants: ["acme"], caseTypes: "all" }]],
    ] as const);
    await people.addPerson({ personId: "id-ben", name: "ben", passwordHash: null, roles: ["both"] });
    const own = await start("acme");
    const other = await start("beta");
    const part: Grant = { verbs: "all", tenants: ["acme", "beta"], caseTypes: "all" };
    const move = { move: "pause" } as const;
    const desk = testDesk(store, testRegistry, { lacksNow: lacksNow(people, roles) });
    const runner = desk.bulkRunner({ onError: never });
    const filter = { by: "cases", caseIds: [own, other] } as const;
    const first = await as("ben", part).startBulk({ move, filter });
    await people.changePerson("ben", { roles: ["acme"] });
    await runner.runOnce();
    const { items } = await ada.showBulkAct({ bulkId: first.bulkId });
    expect(new Map(items.map(({ caseId, state, code }) => [caseId, [state, code]]))).toEqual(
      new Map([
        [own, ["done", null]],
        [other, ["refused", "NOT_ALLOWED"]],
      ]),
    );
    expect((await ada.showCase({ caseId: other })).storedState).toBe("ready");
    const { lines } = await ada.listAudit({ outcome: "refused" });
    expect(lines).toMatchObject([{ act: "pause", who: "ben", code: "NOT_ALLOWED", about: first.bulkId }]);

    const again = await start("acme");
    const second = await as("ben", part).startBulk({ move, filter: { by: "cases", caseIds: [again] } });
    await people.changePerson("ben", { isDisabled: true });
    await runner.runOnce();
    expect((await ada.showBulkAct({ bulkId: second.bulkId })).items).toMatchObject([
      { state: "refused", code: "NOT_ALLOWED" },
    ]);
    expect((await ada.showCase({ caseId: again })).storedState).toBe("ready");
  });

  test("that wait for people are told in groups of those that may be seen, with what was said of them", async () => {
    await startStuck("acme");
    await startStuck("acme");
    await startStuck("beta");
    const ben = as("ben", { verbs: ["see"], tenants: ["acme"], caseTypes: "all" });
    const [group] = (await ben.listProblems()).problems;
    expect(group).toMatchObject({ count: 2, kind: "bug", isNew: true, mark: null });
    expect(group?.cameByHour).toHaveLength(24);
    expect((await ada.listProblems()).problems).toMatchObject([{ count: 3 }]);
    expect((await ada.listProblems({ tenant: "beta" })).problems).toMatchObject([{ count: 1 }]);
    expect((await ada.listProblems({ type: "side-by-side" })).problems).toEqual([]);
    const problemId = group?.problemId ?? "";
    await ada.markProblem({ problemId, owner: "Ann", note: "asked them" });
    expect((await ben.listProblems()).problems[0]?.mark).toMatchObject({
      owner: "Ann",
      note: "asked them",
      by: "ada",
    });
    expect((await refusalOf(ben.markProblem({ problemId, note: "mine" }))).code).toBe("NOT_ALLOWED");
    const bulk = { move: { move: "note", text: "seen" }, filter: { by: "problem", problemId } } as const;
    expect(await ada.previewBulk(bulk)).toMatchObject({ cases: 3 });
  });
});
