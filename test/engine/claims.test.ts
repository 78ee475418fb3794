import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { foldJournal } from "../../src/core/fold.ts";
import { rowOf } from "../../src/core/row.ts";
import { FootholdError } from "../../src/core/errors.ts";
import { defineCase } from "../../src/define/builder.ts";
import { defineDestination } from "../../src/define/destination.ts";
import type { Failpoint } from "../../src/engine/failpoints.ts";
import type { CasePage, Store } from "../../src/store/port.ts";
import type { TestDestination } from "./destination.ts";
import { input, look, post, STORES, until, worldsOn, type World } from "./world.ts";

const erp = defineDestination("erp", {
  idempotency: { by: "key", window: "24h" },
  retry: { maxAttempts: 10, firstDelay: "10ms", maxDelay: "50ms" },
});

const stopped = z.object({ why: z.string() });
const stop = { eventType: "stop", payload: { why: "recall" }, sourceId: "stop-1", by: "ops" } as const;

/** Two sends; the second only while nobody called a stop. */
function twoStepsAt(destination: TestDestination) {
  return defineCase("two", { version: 1, owner: "ops", input, events: { stop: stopped } })
    .step("first", { to: erp, run: post(destination, "/first") })
    .step("second", {
      to: erp,
      requires: { "nobody stopped it": ({ events }) => events.latest("stop") === null },
      run: post(destination, "/second"),
    });
}

/** Does something the first time that a failpoint of a step is passed. */
function once(point: Failpoint, step: string, act: (caseId: string) => Promise<unknown>) {
  let isDone = false;
  return async (passed: Failpoint, place: { caseId: string; step: string }): Promise<void> => {
    if (isDone || passed !== point || place.step !== step) return;
    isDone = true;
    await act(place.caseId);
  };
}

async function commitIds(world: World, caseId: string): Promise<ReadonlyMap<string, string>> {
  const stored = await world.store.loadCase(caseId);
  return new Map(
    (stored?.journal ?? []).map(({ entry, commitId }) => [
      "step" in entry ? `${entry.kind} ${entry.step}` : entry.kind,
      commitId,
    ]),
  );
}

/** All cases of a store. */
async function allCases(store: Store): Promise<CasePage["rows"]> {
  const { rows, next } = await store.listCases({ limit: 500 });
  expect(next).toBeNull();
  return rows;
}

describe.each(STORES)("claims on %s", (kind) => {
  const worlds = worldsOn(kind);
  afterAll(worlds.drop);

  test("an outcome and the next attempt go in one commit", async () => {
    const world = await worlds.open();
    const two = twoStepsAt(await world.destination());
    await world.worker([two]);
    const caseId = await world.start(two);
    await world.rests(caseId, "done");
    const ids = await commitIds(world, caseId);
    expect(ids.get("stepConfirmed first")).toBe(ids.get("attemptOpened second"));
    expect(ids.get("stepConfirmed second")).toBe(ids.get("caseDone"));
  });

  test("R1: what came in between keeps the next attempt out of the journal, and never the outcome", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    const two = twoStepsAt(destination);
    const desk = world.desk(two);
    const onFailpoint = once("beforeConfirm", "first", (caseId) => desk.recordEvent(caseId, stop));
    await world.worker([two], { onFailpoint });
    const caseId = await world.start(two);
    const row = await world.rests(caseId, "in_review");
    expect(row.summary.reviews).toMatchObject([{ step: "second", reason: "precondition" }]);
    expect(await world.kinds(caseId)).toEqual([
      "caseStarted",
      "intentOpened",
      "attemptOpened",
      "eventReceived",
      "stepConfirmed",
      "reviewOpened",
      "parked",
    ]);
    expect(destination.requests.map(({ path }) => path)).toEqual(["/first"]);
  });

  test("R1: a fact that changes nothing costs another commit and no more", async () => {
    const world = await worlds.open();
    const two = twoStepsAt(await world.destination());
    const desk = world.desk(two);
    const onFailpoint = once("beforeConfirm", "first", (caseId) =>
      desk.addNote(caseId, { text: "looking good", by: "ann" }),
    );
    await world.worker([two], { onFailpoint });
    const caseId = await world.start(two);
    await world.rests(caseId, "done");
    const ids = await commitIds(world, caseId);
    expect(ids.get("stepConfirmed first")).not.toBe(ids.get("attemptOpened second"));
    const claims = (await world.entries(caseId)).flatMap((entry) =>
      entry.kind === "attemptOpened" ? [entry.claimId] : [],
    );
    expect(new Set(claims).size).toBe(1);
  });

  test("R2: an event that comes while a case is about to wait for it is not slept through", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    const waits = defineCase("waits", { version: 1, owner: "ops", input, events: { stop: stopped } })
      .step("first", { to: erp, run: post(destination, "/first") })
      .waitForEvent("called", { event: "stop", timeout: "1h" });
    const desk = world.desk(waits);
    const onFailpoint = once("beforeConfirm", "first", (caseId) => desk.recordEvent(caseId, stop));
    await world.worker([waits], { onFailpoint });
    const startedAt = performance.now();
    const caseId = await world.start(waits);
    await world.rests(caseId, "done");
    expect(await world.kinds(caseId)).not.toContain("parked");
    // Not by the slow net under lost hints, which is 5 s.
    expect(performance.now() - startedAt).toBeLessThan(4_000);
  });

  test("R2: nor one that comes while a case is about to wait with nothing else to store", async () => {
    const world = await worlds.open();
    const waits = defineCase("waits", {
      version: 1,
      owner: "ops",
      input,
      events: { stop: stopped },
    }).waitForEvent("called", { event: "stop", timeout: "1h" });
    const desk = world.desk(waits);
    let isTold = false;
    const store: Store = {
      ...world.store,
      commit: async (commits) => {
        const [first] = commits;
        if (!isTold && first !== undefined) {
          isTold = true;
          await desk.recordEvent(first.caseId, stop);
        }
        return world.store.commit(commits);
      },
    };
    await world.worker([waits], { store });
    const startedAt = performance.now();
    const caseId = await world.start(waits);
    await world.rests(caseId, "done");
    expect(await world.kinds(caseId)).toEqual(["caseStarted", "eventReceived", "stepConfirmed", "caseDone"]);
    expect(performance.now() - startedAt).toBeLessThan(4_000);
  });

  test("R3: commits whose replies are lost are stored once, and the case goes on", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    const two = twoStepsAt(destination);
    const seen = new Set<string>();
    const store: Store = {
      ...world.store,
      commit: async (commits) => {
        const replies = await world.store.commit(commits);
        const isNew = commits.some(({ commitId }) => !seen.has(commitId));
        for (const { commitId } of commits) seen.add(commitId);
        if (isNew) throw new FootholdError("DATABASE_UNAVAILABLE", "the reply was lost");
        return replies;
      },
    };
    await world.worker([two], { store });
    const ids = await Promise.all(Array.from({ length: 10 }, () => world.start(two)));
    for (const caseId of ids) {
      await world.rests(caseId, "done");
      expect(await world.kinds(caseId)).toEqual([
        "caseStarted",
        "intentOpened",
        "attemptOpened",
        "stepConfirmed",
        "intentOpened",
        "attemptOpened",
        "stepConfirmed",
        "caseDone",
      ]);
    }
    expect(destination.requests).toHaveLength(20);
  });

  test("R8: claims whose reply is lost are released by the next beats, and nothing is lost or counted", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    const two = twoStepsAt(destination);
    const ids = await Promise.all(Array.from({ length: 5 }, () => world.start(two)));
    let lost = 0;
    const store: Store = {
      ...world.store,
      claimDue: async (request) => {
        const reply = await world.store.claimDue(request);
        if (reply.cases.length === 0 || lost >= 1) return reply;
        lost += 1;
        throw new FootholdError("DATABASE_UNAVAILABLE", "the reply was lost");
      },
    };
    await world.worker([two], { store });
    for (const caseId of ids) await world.rests(caseId, "done");
    const freed = world.reports.filter((report) => report.kind === "claimFreed");
    expect(freed.map(({ why }) => why)).toEqual(ids.map(() => "orphaned"));
    for (const caseId of ids) expect(await world.kinds(caseId)).not.toContain("claimLost");
    expect(destination.effects).toHaveLength(10);
  });

  test("a person's cancel reaches the holder with its next commit, and nothing more is sent", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    const two = twoStepsAt(destination);
    const desk = world.desk(two);
    const onFailpoint = once("beforeIntent", "first", (caseId) =>
      desk.cancel(caseId, { by: "ann", reason: "not needed" }),
    );
    await world.worker([two], { onFailpoint });
    const caseId = await world.start(two);
    const row = await world.rests(caseId, "canceled");
    expect(row.summary.stoppedBy).toEqual({ name: "ann", reason: "not needed", untilAt: null });
    expect(destination.requests).toHaveLength(0);
  });

  test("a graceful stop finishes what runs, gives everything back and loses nothing", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    destination.script("/first", ...Array.from({ length: 5 }, () => "hold" as const));
    const two = twoStepsAt(destination);
    const worker = await world.worker([two]);
    const ids = await Promise.all(Array.from({ length: 5 }, () => world.start(two)));
    await until("five sends under way", () => destination.requests.length === 5);
    const ending = worker.stop();
    const later = await world.start(two);
    destination.release();
    await ending;
    await worker.stop();
    for (const caseId of ids) {
      const row = await world.row(caseId);
      expect(row).toMatchObject({ state: "ready", claim: null });
      expect(await world.kinds(caseId)).toEqual([
        "caseStarted",
        "intentOpened",
        "attemptOpened",
        "stepConfirmed",
      ]);
    }
    expect(await world.kinds(later)).toEqual(["caseStarted"]);
    expect(await world.store.listClaims(100)).toEqual([]);
    expect(await world.store.listHolders()).toMatchObject([{ endedAt: expect.any(Number) as number }]);
    await world.worker([two], { name: "next" });
    for (const caseId of [...ids, later]) await world.rests(caseId, "done");
    expect(destination.effects).toHaveLength(12);
    expect(destination.requests).toHaveLength(12);
  });

  test("a stop that does not wait aborts what runs and gives it back as unknown; the next worker repeats it safely", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    destination.script("/first", "hold");
    const two = twoStepsAt(destination);
    const worker = await world.worker([two]);
    const caseId = await world.start(two);
    await until("the send", () => destination.requests.length === 1);
    await worker.stop({ graceMs: 0 });
    expect((await world.row(caseId)).claim).toBeNull();
    const [failed] = (await world.entries(caseId)).flatMap((entry) =>
      entry.kind === "attemptFailed" ? [entry.failure] : [],
    );
    expect(failed).toMatchObject({
      kind: "unknown",
      cause: "stopped",
      executed: "maybe",
      rule: "stopped.shutdown",
    });
    destination.release();
    await world.worker([two], { name: "next" });
    await world.rests(caseId, "done");
    expect(destination.effects.map(({ path }) => path)).toEqual(["/first", "/second"]);
  });

  test("two workers share two hundred cases: each effect once, and every row follows from its journal", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    const lookup = defineDestination("register", {
      idempotency: { by: "lookup" },
      retry: { maxAttempts: 10, firstDelay: "5ms", maxDelay: "20ms" },
      readLag: "1ms",
    });
    // Never so many failures in a row that the destination counts as down: then it would be tried with one case alone.
    const failures = ["loseAnswer", { status: 429 }, { status: 503 }] as const;
    for (let round = 0; round < 40; round += 1) {
      for (const failure of failures) destination.script("/first", failure, "behave");
      destination.script("/second", "loseAnswer", "behave");
    }
    const busy = defineCase("busy", { version: 1, owner: "ops", input })
      .step("first", { to: erp, run: post(destination, "/first") })
      .step("aside", { to: erp, after: [], run: post(destination, "/aside") })
      .step("second", {
        to: lookup,
        after: ["first", "aside"],
        run: post(destination, "/second"),
        check: look(destination),
      })
      .sleep("rest", { for: "5ms" });
    await world.worker([busy], { name: "one", concurrency: 20 });
    await world.worker([busy], { name: "two", concurrency: 20 });
    world.sweep();
    const ids: string[] = [];
    for (let n = 0; n < 200; n += 1) ids.push(await world.start(busy, { n }));
    await until("all to be done", async () => {
      const rows = await allCases(world.store);
      return rows.length === 200 && rows.every(({ state }) => state === "done");
    });
    for (const path of ["/first", "/aside", "/second"]) {
      const keys = destination.effects.filter((one) => one.path === path).map(({ key }) => key);
      expect(new Set(keys).size).toBe(200);
      expect(keys).toHaveLength(200);
    }
    const names = new Set<string>();
    for (const caseId of ids) {
      const stored = await world.store.loadCase(caseId);
      if (stored === null) throw new Error(`case ${caseId} is gone`);
      const { state, dueAt, revision, changedAt, definitionVersion, summary } = stored.row;
      const rebuilt = rowOf(foldJournal(caseId, stored.journal));
      expect({ state, dueAt, revision, changedAt, definitionVersion, summary }).toEqual(rebuilt);
      for (const { entry } of stored.journal) {
        if (entry.kind === "attemptOpened") names.add(entry.holder.name);
      }
    }
    expect(names).toEqual(new Set(["one", "two"]));
    expect(world.reports.filter((report) => report.kind === "bug")).toEqual([]);
  });

  test("every row in the middle of its life follows from its journal too, claim and holder apart", async () => {
    const world = await worlds.open();
    const destination = await world.destination();
    destination.script("/first", "hold", { status: 422 }, { status: 423 }, "loseAnswer");
    const slow = defineDestination("slow", {
      idempotency: { by: "key", window: "24h" },
      retry: { firstDelay: "1h" },
    });
    const many = defineCase("many", { version: 1, owner: "ops", input, events: { stop: stopped } })
      .step("first", { to: slow, run: post(destination, "/first") })
      .approval("approve", { by: "finance", expires: "1d" });
    await world.worker([many]);
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      const caseId = await world.start(many);
      ids.push(caseId);
      await until("its turn", async () => {
        const row = await world.row(caseId);
        return row.state !== "ready" && (row.state !== "claimed" || n === 0);
      });
    }
    const [held = "", , , , asked = ""] = ids;
    await world.desk(many).pause(asked, { by: "ann", reason: "holiday", untilAt: null });
    await world.desk(many).addNote(held, { text: "slow today", by: "ann" });
    const seen = new Set<string>();
    for (const caseId of ids) {
      const stored = await world.store.loadCase(caseId);
      if (stored === null) throw new Error(`case ${caseId} is gone`);
      const { row } = stored;
      const rebuilt = rowOf(foldJournal(caseId, stored.journal));
      const { revision, changedAt, summary } = row;
      expect({ revision, changedAt, summary }).toEqual({
        revision: rebuilt.revision,
        changedAt: rebuilt.changedAt,
        summary: rebuilt.summary,
      });
      // What a claim lies over is not shown.
      const shown = row.claim === null ? [row.state, row.dueAt] : [rebuilt.state, rebuilt.dueAt];
      expect(shown).toEqual([rebuilt.state, rebuilt.dueAt]);
      seen.add(row.state);
    }
    expect(seen).toEqual(new Set(["claimed", "in_review", "waiting", "paused"]));
    destination.release();
  });
});
