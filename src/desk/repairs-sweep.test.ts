import { expect, test } from "vitest";
import { PAGE_LEASE_MS, REPAIR_ACT_WITHIN_MS } from "../core/repair.ts";
import { registryOf } from "../define/registry.ts";
import { ManualClock, portsAround } from "../engine/manual-clock.fixture.ts";
import { createSweep } from "../engine/sweep.ts";
import { ENGINE_VERSION } from "../engine/version.ts";
import { memoryStore } from "../store/memory/store.ts";
import { createDesk } from "./desk.ts";
import { purchase } from "./purchase.fixture.ts";

const SWEEP_EVERY_MS = 5_000;

/** A desk and a sweep under one clock, and a case that ann has open. */
async function openCase() {
  const clock = new ManualClock();
  const store = memoryStore({ now: () => clock.now() });
  const desk = createDesk({
    store,
    registry: registryOf([purchase]),
    ports: portsAround(clock, "desk"),
    engineVersion: ENGINE_VERSION,
  });
  const sweep = createSweep({ store, ports: portsAround(clock, "sweep"), intervalMs: SWEEP_EVERY_MS });
  const { caseId } = await desk.startCase(purchase, { vendor: "ACME", amount: 1 }, { by: "ann" });
  const { repairId } = await desk.openRepair(caseId, { by: "ann", host: "here", build: "1" });
  /** Sweeps for a while; gives the reasons for which claims were freed. */
  const watch = async (forMs: number, meanwhile?: () => Promise<unknown>): Promise<readonly string[]> => {
    const freed: string[] = (await sweep.sweepOnce()).freedClaims.map(({ why }) => why);
    for (let passed = 0; passed < forMs; passed += SWEEP_EVERY_MS) {
      await meanwhile?.();
      await clock.advance(SWEEP_EVERY_MS);
      freed.push(...(await sweep.sweepOnce()).freedClaims.map(({ why }) => why));
    }
    return freed;
  };
  return { desk, store, caseId, repairId, watch };
}

test("R6: a page is freed once its beat was watched unchanged for its own lease of five minutes, and not earlier", async () => {
  const { desk, store, caseId, repairId, watch } = await openCase();
  await store.registerHolder({
    holderId: "w",
    kind: "worker",
    name: "w-1",
    host: "here",
    build: "1",
    leaseMs: 3_000,
    caseTypes: [],
    destinations: [],
  });
  await desk.recordEvent(caseId, { eventType: "approval.revoked", payload: { why: "x" }, sourceId: "e-1" });
  expect(await watch(PAGE_LEASE_MS - SWEEP_EVERY_MS)).toEqual([]);
  expect((await desk.show(caseId)).repair?.attached).toHaveLength(1);
  expect(await watch(SWEEP_EVERY_MS)).toEqual(["silent"]);
  const view = await desk.show(caseId);
  expect(view).toMatchObject({
    storedState: "ready",
    repair: null,
    losses: 0,
    events: [{ sourceId: "e-1" }],
  });
  expect(view.history.map(({ kind }) => kind)).toEqual([
    "caseStarted",
    "repairOpened",
    "eventAttached",
    "repairEnded",
  ]);
  expect(await desk.keepRepair(caseId, repairId)).toMatchObject({ kind: "over" });
});

test("R7: a page that beats keeps its case for longer than a lease, and a move is a beat too", async () => {
  const { desk, caseId, repairId, watch } = await openCase();
  const keep = (): Promise<unknown> => desk.keepRepair(caseId, repairId);
  expect(await watch(2 * PAGE_LEASE_MS, keep)).toEqual([]);
  const pause = (): Promise<unknown> => desk.pause(caseId, { by: "ann", repairId });
  expect(await watch(2 * PAGE_LEASE_MS, pause)).toEqual([]);
});

test("R8: a page that is only kept open, without a move, holds no case for longer than eight hours", async () => {
  const { desk, caseId, repairId, watch } = await openCase();
  const keep = (): Promise<unknown> => desk.keepRepair(caseId, repairId);
  expect(await watch(REPAIR_ACT_WITHIN_MS + PAGE_LEASE_MS, keep)).toEqual(["actBy"]);
  const view = await desk.show(caseId);
  expect(view).toMatchObject({ storedState: "ready", losses: 0 });
  expect(view.history.at(-1)?.sentence).toBe(
    "The repair ended: it had gone without a move for too long; it was freed.",
  );
});
