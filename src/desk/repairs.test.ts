import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { FootholdError } from "../core/errors.ts";
import { foldEntries } from "../core/fold.ts";
import type { Entry } from "../core/journal.ts";
import { rowOf } from "../core/row.ts";
import { defineCase } from "../define/builder.ts";
import { defineDestination } from "../define/destination.ts";
import { registryOf } from "../define/registry.ts";
import { freeClaim } from "../engine/free.ts";
import { systemPorts } from "../engine/system.ts";
import { setAside } from "../engine/set-aside.ts";
import type { Store } from "../store/port.ts";
import type { Desk } from "./desk.ts";
import type { MoveView } from "./moves-view.ts";
import { claimAll, purchase, testDesk } from "./purchase.fixture.ts";
import { refusalOf } from "./refusal.fixture.ts";
import { onEachStore } from "./stores.fixture.ts";

const carrier = defineDestination("carrier", { idempotency: { by: "key", window: "24h" } });
/** Two branches: a send that an event may forbid, and a wait for another event. */
const shipment = defineCase("shipment", {
  version: 1,
  owner: "logistics",
  input: z.object({ weight: z.number() }),
  events: { stopped: z.unknown(), paid: z.unknown(), pinged: z.unknown() },
})
  .step("book", {
    to: carrier,
    requires: { "not stopped": ({ events }) => events.latest("stopped") === null },
    run: (): unknown => null,
  })
  .waitForEvent("payment", { event: "paid", after: [], timeout: "3d" });

const page = { host: "host-9", build: "build-9" };
const ann = { by: "ann", ...page };
const bob = { by: "bob", ...page };

/** Appends entries as a worker would have. */
async function append(store: Store, caseId: string, ...entries: readonly Entry[]): Promise<void> {
  const commitId = systemPorts().ids.unique();
  await store.changeCase(caseId, { commitId, sourceId: null }, ({ row, state }, now) => {
    const numbered = entries.map((entry, index) => ({
      revision: row.revision + index + 1,
      at: now,
      commitId,
      entry,
    }));
    const after = rowOf(foldEntries(state, numbered));
    return { kind: "write", commitId, entries, at: now, row: after, claim: "keep", reply: null };
  });
}

async function claimIdOf(store: Store, caseId: string): Promise<string> {
  return (await store.loadCase(caseId))?.row.claim?.claimId ?? "none";
}

const event = (eventType: string, sourceId: string) => ({ eventType, payload: null, sourceId });
const allowed = (moves: readonly MoveView[]): readonly string[] =>
  moves.flatMap(({ move, isAllowed }) => (isAllowed ? [move] : []));

onEachStore("repairs", (storeOf) => {
  let store: Store;
  let desk: Desk;
  beforeEach(() => {
    store = storeOf();
    desk = testDesk(store, registryOf([purchase, shipment]));
  });

  const start = async (): Promise<string> =>
    (await desk.startCase("shipment", { weight: 2 }, { by: "ann" })).caseId;
  const kindsOf = async (caseId: string): Promise<readonly string[]> =>
    (await desk.show(caseId)).history.map(({ kind }) => kind).slice(1);
  /** What the sweep does with a page that fell silent. */
  const freePage = async (caseId: string): Promise<void> => {
    const row = (await store.loadCase(caseId))?.row;
    const { claimId = "", holderId = "" } = row?.claim ?? {};
    await store.endHolder(holderId, null);
    const commitId = systemPorts().ids.unique();
    await freeClaim(store, { caseId, claimId, holderId, holderName: "ann", why: "silent", commitId });
  };

  describe("a case that is open for repair", () => {
    test("reads as being repaired by that person until the page's lease ends, and no worker gets it", async () => {
      const caseId = await start();
      const opened = await desk.openRepair(caseId, ann);
      const view = await desk.show(caseId);
      expect(view.storedState).toBe("claimed");
      expect(view.reading).toMatchObject({
        state: "Being repaired",
        sentence: "ann has it open for repair.",
        actsNext: "ann",
      });
      const until = new Date(view.reading.byAt ?? 0).toISOString();
      expect(view.holding?.sentence).toBe(
        `being repaired by ann until ${until}, or longer while that page is open`,
      );
      expect((view.reading.byAt ?? 0) - view.now).toBeGreaterThan(290_000);
      expect(opened.sentence).toContain("Open for repair by ann until");
      expect(opened.beatEveryMs).toBe(60_000);
      await claimAll(store, { name: "w-1", leaseMs: 10_000 });
      expect((await desk.show(caseId)).holding?.name).toBe("ann");
    });

    test("takes moves made under it, and refuses everybody else by name and time", async () => {
      const caseId = await start();
      const { repairId } = await desk.openRepair(caseId, ann);
      const correction = { input: { weight: 3 }, reason: "typo" };
      const refusals = await Promise.all(
        [
          desk.correctInput(caseId, { ...correction, by: "bob" }),
          desk.pause(caseId, { by: "bob" }),
          desk.cancel(caseId, { by: "bob" }),
          desk.resume(caseId, { by: "bob" }),
          desk.openRepair(caseId, bob),
        ].map(refusalOf),
      );
      for (const refusal of refusals) {
        expect(refusal.code).toBe("CASE_CLAIMED");
        expect(refusal.message).toMatch(/being repaired by ann until 20\d\d-.*Z.* take the repair over/);
      }
      await desk.addNote(caseId, { text: "ask ann", by: "bob" });
      expect((await desk.correctInput(caseId, { ...correction, by: "ann", repairId })).outcome).toBe("done");
      expect(await kindsOf(caseId)).toEqual(["repairOpened", "noteAdded", "inputCorrected"]);
    });

    test("is freed by a move that ends the case, with what came kept as ignored", async () => {
      const caseId = await start();
      const { repairId } = await desk.openRepair(caseId, ann);
      await desk.recordEvent(caseId, event("pinged", "e-1"));
      await desk.cancel(caseId, { by: "ann", reason: "not needed", repairId });
      const view = await desk.show(caseId);
      expect(view).toMatchObject({ storedState: "canceled", holding: null, repair: null, events: [] });
      expect(view.history.at(-1)?.sentence).toBe(
        "The repair ended: it ended with the case. 1 event came meanwhile: without effect, as the case is canceled.",
      );
      const refusal = await refusalOf(desk.pause(caseId, { by: "ann", repairId }));
      expect(refusal.code).toBe("REPAIR_OVER");
    });

    test("is not opened while a worker has it, nor once it is canceled", async () => {
      const caseId = (await desk.startCase(purchase, { vendor: "ACME", amount: 1 }, { by: "ann" })).caseId;
      const canceled = await start();
      await desk.cancel(canceled, { by: "ann" });
      await claimAll(store, { name: "w-1", leaseMs: 10_000 });
      const refusal = await refusalOf(desk.openRepair(caseId, ann));
      expect(refusal.code).toBe("CASE_CLAIMED");
      expect(refusal.message).toMatch(/held by w-1 \(host-1\) until 20/);
      expect((await refusalOf(desk.openRepair(canceled, ann))).code).toBe("CASE_ENDED");
      expect(
        (await store.listHolders()).filter(({ kind, endedAt }) => kind === "page" && endedAt === null),
      ).toEqual([]);
    });
  });

  describe("the end of a repair", () => {
    const wait: Entry = {
      kind: "parked",
      waits: [{ kind: "event", step: "payment", dueAt: 4_102_444_800_000, eventType: "paid" }],
      dueAt: 4_102_444_800_000,
    };
    const stopped: Entry = { kind: "parked", waits: [], dueAt: null };
    const paused: Entry = {
      kind: "paused",
      by: { kind: "person", name: "ann" },
      reason: "x",
      untilAt: 4_102_444_800_000,
    };

    test.each([
      ["waiting", wait],
      ["in_review", stopped],
      ["paused", paused],
    ])("gives back a case that was %s, by closing it and without its page", async (state, entry) => {
      const caseId = await start();
      await append(store, caseId, entry);
      const before = await store.loadCase(caseId);
      for (const end of ["closed", "silent"]) {
        const { repairId } = await desk.openRepair(caseId, ann);
        if (end === "closed") await desk.closeRepair(caseId, repairId);
        else await freePage(caseId);
        const after = await store.loadCase(caseId);
        expect(after?.row).toEqual({
          ...before?.row,
          revision: after?.row.revision,
          changedAt: after?.row.changedAt,
          lineage: after?.row.lineage,
        });
        expect(after?.row.state).toBe(state);
      }
      expect((await store.loadCase(caseId))?.state.losses).toBe(0);
    });

    test("applies the events that came meanwhile once, and makes the case due", async () => {
      const caseId = await start();
      await append(store, caseId, wait);
      const { repairId } = await desk.openRepair(caseId, ann);
      await desk.recordEvent(caseId, event("paid", "e-1"));
      expect((await desk.recordEvent(caseId, event("paid", "e-1"))).outcome).toBe("repeated");
      await desk.recordEvent(caseId, event("pinged", "e-2"));
      const during = await desk.show(caseId);
      expect(during.events).toEqual([]);
      expect(during.repair).toMatchObject({
        by: { name: "ann" },
        attached: [{ sourceId: "e-1" }, { sourceId: "e-2" }],
      });
      expect(during.reading.sentence).toBe("ann has it open for repair; 2 events came meanwhile.");
      expect((await desk.closeRepair(caseId, repairId)).outcome).toBe("done");
      expect((await store.listHolders()).map(({ endedAt }) => endedAt)).not.toContain(null);
      expect((await desk.closeRepair(caseId, repairId)).outcome).toBe("repeated");
      const after = await desk.show(caseId);
      expect(after.events.map(({ sourceId }) => sourceId)).toEqual(["e-1", "e-2"]);
      expect(after).toMatchObject({ storedState: "ready", repair: null, losses: 0 });
      expect(after.history.at(-1)?.sentence).toBe(
        "The repair ended: it was closed. 2 events came meanwhile: applied now.",
      );
      expect((await desk.recordEvent(caseId, event("paid", "e-1"))).outcome).toBe("repeated");
    });

    test("whose claim was freed without its journal is made up for by the next act, so that nothing stays attached", async () => {
      const caseId = await start();
      const { repairId } = await desk.openRepair(caseId, ann);
      await desk.recordEvent(caseId, event("pinged", "e-1"));
      const fault = new FootholdError("CORRUPT_JOURNAL", "a row was damaged, and is restored since");
      await setAside(store, { caseId, claimId: await claimIdOf(store, caseId), fault, summary: null });
      expect((await refusalOf(desk.pause(caseId, { by: "ann", repairId }))).code).toBe("REPAIR_OVER");
      await desk.recordEvent(caseId, event("pinged", "e-2"));
      const view = await desk.show(caseId);
      expect(view.events.map(({ sourceId }) => sourceId)).toEqual(["e-1", "e-2"]);
      expect(view).toMatchObject({ storedState: "ready", repair: null });
    });
  });

  describe("what came during a repair", () => {
    test("and matters makes a move be refused that has not seen it, naming it; a fresh look makes it possible", async () => {
      const caseId = await start();
      const { repairId } = await desk.openRepair(caseId, ann);
      const seen = (await desk.show(caseId, repairId)).plan?.version;
      await desk.recordEvent(caseId, event("stopped", "e-1"));
      const correction = { input: { weight: 3 }, reason: "typo", by: "ann", repairId };
      const blind = await refusalOf(desk.correctInput(caseId, correction));
      expect(blind.code).toBe("PLAN_CHANGED");
      expect(blind.message).toContain(
        "is not as it was when you opened it: 1 event came while you worked: stopped (e-1)",
      );
      const stale = await refusalOf(desk.correctInput(caseId, { ...correction, plan: seen }));
      expect(stale.code).toBe("PLAN_CHANGED");
      expect(stale.message).toContain(
        "book: what came meanwhile matters to it; 1 event came while you worked",
      );
      expect((await refusalOf(desk.cancel(caseId, { by: "ann", repairId }))).code).toBe("PLAN_CHANGED");
      const fresh = (await desk.show(caseId, repairId)).plan?.version;
      expect(stale.details["plan"]).toBe(fresh);
      expect((await desk.correctInput(caseId, { ...correction, plan: fresh })).outcome).toBe("done");
    });

    test("and does not matter stops nobody", async () => {
      const caseId = await start();
      const { repairId } = await desk.openRepair(caseId, ann);
      const seen = (await desk.show(caseId, repairId)).plan?.version;
      await desk.recordEvent(caseId, event("pinged", "e-1"));
      const correction = { input: { weight: 3 }, reason: "typo", by: "ann", repairId };
      expect((await desk.correctInput(caseId, { ...correction, plan: seen })).outcome).toBe("done");
      expect((await desk.correctInput(caseId, { ...correction, input: { weight: 4 } })).outcome).toBe("done");
    });

    test("matters to the step that waits for it, and to no other branch", async () => {
      const caseId = await start();
      const { repairId } = await desk.openRepair(caseId, ann);
      const seen = (await desk.show(caseId, repairId)).plan?.steps ?? [];
      await desk.recordEvent(caseId, event("paid", "e-1"));
      const fresh = (await desk.show(caseId, repairId)).plan?.steps ?? [];
      const hashOf = (steps: typeof seen, name: string): string | undefined =>
        steps.find(({ step }) => step === name)?.version.split(".")[1];
      expect(hashOf(fresh, "book")).toBe(hashOf(seen, "book"));
      expect(hashOf(fresh, "payment")).not.toBe(hashOf(seen, "payment"));
    });

    test("is named up to five events", async () => {
      const caseId = await start();
      const { repairId } = await desk.openRepair(caseId, ann);
      await desk.recordEvent(caseId, event("stopped", "e-0"));
      for (let index = 1; index <= 6; index += 1)
        await desk.recordEvent(caseId, event("pinged", `e-${index}`));
      const refusal = await refusalOf(
        desk.correctInput(caseId, { input: { weight: 3 }, reason: "x", by: "ann", repairId }),
      );
      expect(refusal.message).toContain("7 events came while you worked: …, pinged (e-2), pinged (e-3)");
    });
  });

  describe("taking over", () => {
    test("needs a reason, is on record, and the page before is refused in words that name who and when", async () => {
      const caseId = await start();
      const first = await desk.openRepair(caseId, ann);
      await desk.recordEvent(caseId, event("pinged", "e-1"));
      expect((await refusalOf(desk.takeOverRepair(caseId, { ...bob, reason: " " }))).code).toBe(
        "INVALID_REQUEST",
      );
      const second = await desk.takeOverRepair(caseId, { ...bob, reason: "ann is at lunch" });
      const refusal = await refusalOf(desk.pause(caseId, { by: "ann", repairId: first.repairId }));
      expect(refusal.code).toBe("REPAIR_OVER");
      expect(refusal.message).toMatch(
        /is over: bob took it over at 20\d\d-.*Z \(ann is at lunch\)\. Nothing was done/,
      );
      expect(await desk.keepRepair(caseId, first.repairId)).toMatchObject({ kind: "over" });
      expect((await refusalOf(desk.closeRepair(caseId, first.repairId))).code).toBe("REPAIR_OVER");
      expect((await refusalOf(desk.show(caseId, first.repairId))).code).toBe("REPAIR_OVER");
      expect((await desk.show(caseId)).history.at(-1)?.sentence).toBe(
        "bob took the repair over from ann: ann is at lunch.",
      );
      expect(await desk.keepRepair(caseId, second.repairId)).toMatchObject({
        kind: "open",
        attached: [{ sourceId: "e-1" }],
      });
    });

    test("of two people at the same time gives it to one after the other, or to one who saw it right", async () => {
      const caseId = await start();
      const { holderId: from } = await desk.openRepair(caseId, ann);
      const both = await Promise.allSettled(
        [bob, { by: "cleo", ...page }].map((one) =>
          desk.takeOverRepair(caseId, { ...one, reason: "mine", from }),
        ),
      );
      expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
      const lost = both.find(({ status }) => status === "rejected");
      expect(lost).toMatchObject({ reason: { code: "CASE_CLAIMED" } });
    });

    test("of a case that nobody has open, or that a worker has, is refused", async () => {
      const caseId = (await desk.startCase(purchase, { vendor: "ACME", amount: 1 }, { by: "ann" })).caseId;
      const request = { ...bob, reason: "mine" };
      expect((await refusalOf(desk.takeOverRepair(caseId, request))).code).toBe("NOTHING_TO_TAKE_OVER");
      await claimAll(store, { name: "w-1", leaseMs: 10_000 });
      expect((await refusalOf(desk.takeOverRepair(caseId, request))).code).toBe("CASE_CLAIMED");
    });
  });

  describe("a page", () => {
    test("shows that it is alive by beats and by moves", async () => {
      const caseId = await start();
      const { repairId, holderId } = await desk.openRepair(caseId, ann);
      const beatOf = async (): Promise<number | undefined> =>
        (await store.listHolders()).find((one) => one.holderId === holderId)?.beat;
      expect(await desk.keepRepair(caseId, repairId)).toMatchObject({ kind: "open", attached: [] });
      expect(await beatOf()).toBe(1);
      await desk.pause(caseId, { by: "ann", repairId });
      expect(await beatOf()).toBe(2);
      expect(await store.listClaims(5)).toMatchObject([{ holderId, touches: 1, actWithinMs: 8 * 3_600_000 }]);
    });

    test("that was found silent is told so, and never comes back (R6)", async () => {
      const caseId = await start();
      const { repairId, holderId } = await desk.openRepair(caseId, ann);
      await store.endHolder(holderId, null);
      expect(await desk.keepRepair(caseId, repairId)).toMatchObject({ kind: "over" });
      await freePage(caseId);
      const life = await desk.keepRepair(caseId, repairId);
      expect(life.kind).toBe("over");
      expect(life.sentence).toMatch(/no sign of life for a whole lease; it was freed at 20/);
    });

    test("sees the moves as its holder, and others see who has it", async () => {
      const caseId = await start();
      const { repairId } = await desk.openRepair(caseId, ann);
      expect(allowed((await desk.show(caseId, repairId)).moves)).toEqual([
        "correct",
        "skip",
        "skip",
        "cancel",
        "pause",
        "assign",
        "close",
        "handOver",
        "note",
      ]);
      expect(allowed((await desk.show(caseId)).moves)).toEqual(["assign", "takeOver", "note"]);
    });

    test("of a case that is not there, or with a label that cannot be shown, is refused", async () => {
      const absent = "07-absent";
      expect((await refusalOf(desk.openRepair(absent, ann))).code).toBe("CASE_NOT_FOUND");
      expect((await refusalOf(desk.keepRepair(absent, "r"))).code).toBe("CASE_NOT_FOUND");
      expect((await refusalOf(desk.keepRepair("nonsense", "r"))).code).toBe("CASE_NOT_FOUND");
      const refusal = await refusalOf(desk.openRepair(await start(), { ...ann, host: "a\u0000" }));
      expect(refusal.details.fields?.map(({ path }) => path)).toEqual(["host"]);
    });
  });

  test("a type whose cases are all in repair has lost no worker", async () => {
    const caseId = await start();
    await desk.openRepair(caseId, ann);
    const { notices, types } = await desk.overview();
    expect(types).toMatchObject([{ caseType: "shipment", states: { claimed: 1 } }]);
    expect(notices).toEqual([]);
  });
});
