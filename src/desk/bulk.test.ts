import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { defineCase } from "../define/builder.ts";
import { defineDestination } from "../define/destination.ts";
import { registryOf } from "../define/registry.ts";
import { systemPorts } from "../engine/system.ts";
import { createWorker, type Worker } from "../engine/worker.ts";
import type { Store } from "../store/port.ts";
import type { Desk } from "./desk.ts";
import { HttpError } from "./http-error.fixture.ts";
import { testDesk } from "./purchase.fixture.ts";
import { refusalOf } from "./refusal.fixture.ts";
import { onEachStore } from "./stores.fixture.ts";

const ann = { id: "u-7", label: "Ann", roles: [] };
const waiting = { timeout: 60_000, interval: 20 };
const never = (error: unknown): void => {
  throw error;
};

interface Outside {
  isFaulty: boolean;
  readonly sent: string[];
}

function accountsOn(outside: Outside) {
  const crm = defineDestination("crm", {
    idempotency: { by: "key", window: "24h" },
    owners: { access: "crm-admins" },
  });
  return defineCase("account", { version: 1, owner: "sales", input: z.object({ name: z.string() }) }).step(
    "create",
    {
      to: crm,
      request: ({ input }) => ({ name: input.name }),
      run: ({ request }) => {
        outside.sent.push(request.name);
        if (outside.isFaulty) throw new HttpError(409, `${request.name} is locked`);
        return Promise.resolve({ id: request.name });
      },
    },
  );
}

onEachStore("problems and bulk acts", (storeOf) => {
  let desk: Desk;
  let outside: Outside;
  let worker: Worker;
  let store: Store;
  beforeEach(async () => {
    store = storeOf();
    outside = { isFaulty: true, sent: [] };
    const registry = registryOf([accountsOn(outside)]);
    desk = testDesk(store, registry);
    worker = createWorker({ store, registry, ports: systemPorts(), name: "w", host: "h", build: "b" });
    await worker.start();
    return () => worker.stop();
  });

  async function blocked(count: number, prefix = "n"): Promise<readonly string[]> {
    const caseIds: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const { caseId } = await desk.startCase("account", { name: `${prefix}-${index}` }, { by: "ada" });
      caseIds.push(caseId);
    }
    await expect.poll(async () => (await desk.problems()).cases, waiting).toBe(count);
    return caseIds;
  }

  test("cases that one lock stops are one problem, with its owner, its counts and a note that stays", async () => {
    await blocked(6);
    const { problems, isCapped } = await desk.problems();
    expect(problems).toMatchObject([
      {
        caseType: "account",
        step: "create",
        destination: "crm",
        kind: "conflict",
        count: 6,
        came: { hour: 6, day: 6, week: 6 },
        isNew: true,
        isGrowing: true,
        owners: ["sales"],
        mark: null,
      },
    ]);
    expect(isCapped).toBe(false);
    const problemId = problems[0]?.problemId ?? "";
    await desk.markProblem({ problemId, note: "asked them to unlock it", owner: "Ann", by: ann });
    expect((await desk.problems()).problems[0]?.mark).toMatchObject({
      note: "asked them to unlock it",
      owner: "Ann",
      by: "Ann",
    });
    expect((await refusalOf(desk.markProblem({ problemId: "no", by: ann }))).code).toBe("INVALID_REQUEST");
  });

  test("one is tried first; while it fails the others stay, and once it works all go on with a result each", async () => {
    const caseIds = await blocked(5);
    const [problem] = (await desk.problems()).problems;
    const filter = { by: "problem", problemId: problem?.problemId ?? "" } as const;
    const preview = await desk.previewBulk({ move: { move: "resume", step: null }, filter });
    expect(preview).toMatchObject({
      cases: 5,
      looked: 5,
      allowed: 5,
      refused: [],
      sends: [{ destination: "crm", effect: "first", count: 5 }],
    });
    const runner = desk.bulkRunner({ onError: never });
    const act = await desk.startBulk({ move: { move: "resume", step: null }, filter, by: ann });
    expect(act).toMatchObject({ state: "trying", counts: { total: 5, open: 5 } });
    const stateOf = async (): Promise<string> => {
      await runner.runOnce();
      return (await desk.showBulk(act.bulkId)).state;
    };
    await expect.poll(stateOf, waiting).toBe("paused");
    const failed = await desk.showBulk(act.bulkId);
    const tried = failed.items[0]?.caseId ?? "";
    expect(failed.why).toContain(`the first case, ${tried}`);
    expect(failed.counts).toEqual({ total: 5, open: 4, done: 1, refused: 0 });
    expect(outside.sent).toHaveLength(6);

    outside.isFaulty = false;
    const again = await desk.startBulk({ move: { move: "resume", step: null }, filter, by: ann });
    const isDone = async (): Promise<string> => {
      await runner.runOnce();
      return (await desk.showBulk(again.bulkId)).state;
    };
    await expect.poll(isDone, waiting).toBe("done");
    expect((await desk.showBulk(again.bulkId)).items.map(({ state }) => state)).toEqual(
      caseIds.map(() => "done"),
    );
    const done = async (): Promise<number> => (await desk.list({ states: ["done"] })).cases.length;
    await expect.poll(done, waiting).toBe(5);
    const { history } = await desk.show(tried);
    const resumes = history.filter(({ kind }) => kind === "resumed");
    expect(resumes).toMatchObject([{ by: { name: "Ann", personId: "u-7" } }, { by: { name: "Ann" } }]);
  });

  test("what a killed process had begun is taken up by another, and no case is moved twice", async () => {
    const [first = "", second = "", third = ""] = await blocked(3);
    const { bulkId } = await desk.startBulk({
      move: { move: "note", text: "we are on it" },
      filter: { by: "cases", caseIds: [first, second, third] },
      by: "ada",
    });
    // One process moved the first and died before it could say so; it had claimed all three.
    const claimed = await store.bulk.claim({ claimId: "dead", limit: 10, holdMs: 300 });
    expect(claimed.map(({ place }) => place)).toEqual([0, 1, 2]);
    await desk.addNote(claimed[0]?.caseId ?? "", { text: "we are on it", by: "ada", actId: bulkId });
    const runner = desk.bulkRunner({ onError: never });
    expect(await runner.runOnce()).toBe(false);
    const isDone = async (): Promise<string> => {
      await runner.runOnce();
      return (await desk.showBulk(bulkId)).state;
    };
    await expect.poll(isDone, waiting).toBe("done");
    for (const caseId of [first, second, third]) {
      const { history } = await desk.show(caseId);
      expect(history.filter(({ kind }) => kind === "noteAdded")).toHaveLength(1);
    }
    const late = {
      bulkId,
      caseId: second,
      claimId: "dead",
      state: "refused",
      code: null,
      sentence: "late",
    } as const;
    expect(await store.bulk.settle(late)).toBe(false);
  });

  test("cases that are not as they were when it was made are refused, and others go on", async () => {
    const [first = "", second = ""] = await blocked(2);
    const [problem] = (await desk.problems()).problems;
    const { bulkId } = await desk.startBulk({
      move: { move: "resume", step: null },
      filter: { by: "problem", problemId: problem?.problemId ?? "" },
      by: ann,
      tryFirst: false,
    });
    outside.isFaulty = false;
    await desk.resume(first, { by: "bob" });
    await expect.poll(async () => (await desk.show(first)).storedState, waiting).toBe("done");
    const runner = desk.bulkRunner({ onError: never });
    await runner.runOnce();
    const { items, state } = await desk.showBulk(bulkId);
    expect(state).toBe("done");
    const of = (caseId: string): unknown => items.find((item) => item.caseId === caseId);
    expect(of(first)).toMatchObject({ state: "refused", code: "PLAN_CHANGED" });
    expect(of(second)).toMatchObject({ state: "done", code: null });
    expect((await desk.showBulk(bulkId, { state: "refused" })).items).toHaveLength(1);
  });

  test("it is paused, resumed and stopped by people, and begins nothing meanwhile", async () => {
    const caseIds = await blocked(2);
    const filter = { by: "cases", caseIds } as const;
    const move = { move: "note", text: "seen" } as const;
    const runner = desk.bulkRunner({ onError: never });
    const { bulkId } = await desk.startBulk({ move, filter, by: ann });
    await desk.orderBulk(bulkId, { order: "pause", by: "bob", reason: "wait" });
    expect(await runner.runOnce()).toBe(false);
    expect(await desk.showBulk(bulkId)).toMatchObject({ state: "paused", why: "by bob: wait" });
    await desk.orderBulk(bulkId, { order: "resume", by: "bob" });
    await runner.runOnce();
    expect((await desk.showBulk(bulkId)).state).toBe("done");
    expect((await refusalOf(desk.orderBulk(bulkId, { order: "stop", by: "bob" }))).code).toBe("BULK_REFUSED");
    const other = await desk.startBulk({ move, filter, by: ann });
    await desk.orderBulk(other.bulkId, { order: "stop", by: "bob" });
    expect(await runner.runOnce()).toBe(false);
    expect((await desk.listBulks()).map(({ state }) => state)).toEqual(["stopped", "done"]);
  });

  test("a bulk act of nothing, of unknown cases, without a reason or by an unknown id is refused", async () => {
    const start = { move: { move: "note", text: "x" }, by: ann } as const;
    const filter = { by: "problem", problemId: "000000000000" } as const;
    expect((await refusalOf(desk.startBulk({ ...start, filter }))).code).toBe("BULK_EMPTY");
    const cases = { by: "cases", caseIds: ["07-absent"] } as const;
    expect((await refusalOf(desk.startBulk({ ...start, filter: cases }))).code).toBe("CASE_NOT_FOUND");
    const cancel = desk.startBulk({ move: { move: "cancel" }, filter, by: ann });
    expect((await refusalOf(cancel)).code).toBe("INVALID_REQUEST");
    expect((await refusalOf(desk.showBulk("b-none"))).code).toBe("BULK_NOT_FOUND");
    expect((await refusalOf(desk.orderBulk("b-none", { order: "stop", by: ann }))).code).toBe(
      "BULK_NOT_FOUND",
    );
  });

  test("every move that a bulk act can make is made, and refused where the case does not allow it", async () => {
    const caseIds = await blocked(1);
    const runner = desk.bulkRunner({ onError: never });
    const make = async (move: Parameters<Desk["startBulk"]>[0]["move"]): Promise<unknown> => {
      const act = await desk.startBulk({
        move,
        filter: { by: "cases", caseIds },
        by: ann,
        reason: "r",
        tryFirst: false,
      });
      await runner.runOnce();
      const [item] = (await desk.showBulk(act.bulkId)).items;
      return item?.code ?? item?.state;
    };
    expect(await make({ move: "assign", to: { id: "u-8", label: "Bob" } })).toBe("done");
    expect(await make({ move: "check", step: "create" })).toBe("NOTHING_TO_CHECK");
    expect(await make({ move: "skip", step: "create", result: { id: "x" } })).toBe("done");
    const reads = async (): Promise<string> => (await desk.show(caseIds[0] ?? "")).storedState;
    await expect.poll(reads, waiting).toBe("done");
    expect(await make({ move: "pause", untilAt: null })).toBe("CASE_ENDED");
    expect(await make({ move: "cancel" })).toBe("CASE_ENDED");
    expect((await desk.show(caseIds[0] ?? "")).assignee).toEqual({ id: "u-8", label: "Bob" });
  });

  describe("a process without the definition", () => {
    test("leaves the cases for one that has it", async () => {
      const caseIds = await blocked(1);
      const other = testDesk(store, registryOf([]));
      const move = { move: "note", text: "seen" } as const;
      const { bulkId } = await desk.startBulk({ move, filter: { by: "cases", caseIds }, by: ann });
      await other.bulkRunner({ onError: never, holdMs: 100 }).runOnce();
      expect((await desk.showBulk(bulkId)).counts.open).toBe(1);
      const runner = desk.bulkRunner({ onError: never });
      const isDone = async (): Promise<string> => {
        await runner.runOnce();
        return (await desk.showBulk(bulkId)).state;
      };
      await expect.poll(isDone, waiting).toBe("done");
    });
  });
});
