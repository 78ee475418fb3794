import { describe, expect, test } from "vitest";
import { FootholdError } from "../core/errors.ts";
import { rowOf } from "../core/row.ts";
import { defineCase } from "../define/builder.ts";
import { defineDestination } from "../define/destination.ts";
import { memoryStore } from "../store/memory/store.ts";
import { HOLDERS_MAX, type Store } from "../store/port.ts";
import { advance, preview } from "./advance.ts";
import { advanceInput, anything, entriesOf, startCase, stateOf } from "./case-types.fixture.ts";
import { freeClaim, type FreeInput } from "./free.ts";
import { ManualClock, portsAround } from "./manual-clock.fixture.ts";
import type { Report } from "./report.ts";
import { createSweep, SWEEP_EVERY_MS, type Sweep, type SweepReport } from "./sweep.ts";

const LEASE_MS = 3_000;
const erp = defineDestination("erp", { idempotency: { by: "key", window: "24h" } });
const order = defineCase("order", { version: 1, owner: "ops", input: anything }).step("send", {
  to: erp,
  run: (): unknown => null,
});

/** A store, a clock, and holders and claims as workers would have left them. */
class Yard {
  readonly clock = new ManualClock();
  readonly store: Store = memoryStore({ now: () => this.clock.now() });
  readonly reports: Report[] = [];

  sweep(name = "s", store: Store = this.store): Sweep {
    const onReport = (report: Report): void => void this.reports.push(report);
    return createSweep({ store, ports: portsAround(this.clock, name), onReport });
  }

  async holder(holderId: string): Promise<void> {
    await this.store.registerHolder({
      holderId,
      kind: "worker",
      name: `name of ${holderId}`,
      host: "here",
      build: "1",
      leaseMs: LEASE_MS,
      caseTypes: [{ name: "order", version: 1 }],
      destinations: [],
    });
  }

  /** A case that `holderId` has claimed; with `open`, its first attempt is committed too. */
  async claimed(holderId: string, options: { caseId?: string; open?: boolean; actWithinMs?: number } = {}) {
    const { caseId = "00case", open = false, actWithinMs = 60_000 } = options;
    const claimId = `claim-${caseId}`;
    await startCase(this.store, order, { caseId, claim: { claimId, holderId, actWithinMs } });
    if (!open) return claimId;
    const state = await stateOf(this.store, caseId);
    const lineage = (await this.store.loadCase(caseId))?.row.lineage ?? "";
    const { onward } = advance(advanceInput(order, state, { claimId }));
    const current = {
      at: state.changedAt,
      entries: onward,
      row: rowOf(preview(state, onward, state.changedAt)),
      claim: { kind: "keep", actWithinMs },
    } as const;
    const { revision } = state;
    const commit = { caseId, shard: 0, commitId: `open-${caseId}`, claimId, revision, lineage, current };
    await this.store.commit([{ ...commit, moved: () => current }]);
    return claimId;
  }

  /** Sweeps every half second for `forMs`, and gives all that was done. */
  async watch(sweep: Sweep, forMs: number, meanwhile?: () => Promise<unknown>): Promise<SweepReport> {
    const reports = [await sweep.sweepOnce()];
    for (let passed = 0; passed < forMs; passed += SWEEP_EVERY_MS) {
      await meanwhile?.();
      await this.clock.advance(SWEEP_EVERY_MS);
      reports.push(await sweep.sweepOnce());
    }
    return {
      endedHolders: reports.flatMap(({ endedHolders }) => endedHolders),
      freedClaims: reports.flatMap(({ freedClaims }) => freedClaims),
      failed: reports.flatMap(({ failed }) => failed),
    };
  }
}

const NOTHING = { endedHolders: [], freedClaims: [], failed: [] };

describe("a sweep", () => {
  test("R7: frees the claims of a holder whose beat it has watched unchanged for one lease, and not earlier", async () => {
    const yard = new Yard();
    await yard.holder("h");
    await yard.claimed("h");
    const sweep = yard.sweep();
    expect(await yard.watch(sweep, LEASE_MS - SWEEP_EVERY_MS)).toEqual(NOTHING);
    await yard.clock.advance(SWEEP_EVERY_MS);
    expect(await sweep.sweepOnce()).toMatchObject({
      endedHolders: [{ holderId: "h" }],
      freedClaims: [{ caseId: "00case", claimId: "claim-00case", why: "silent" }],
      failed: [],
    });
    expect((await yard.store.loadCase("00case"))?.row).toMatchObject({ state: "ready", claim: null });
    expect(yard.reports).toMatchObject([
      { kind: "claimFreed", caseId: "00case", why: "silent" },
      { kind: "holderFreed", holderId: "h", name: "name of h", caseIds: ["00case"] },
    ]);
  });

  test("frees at once what a holder has that is not registered: a failover lost it, and it never beats again", async () => {
    const yard = new Yard();
    await yard.claimed("ghost");
    expect(await yard.sweep().sweepOnce()).toMatchObject({
      endedHolders: [],
      freedClaims: [{ caseId: "00case", why: "silent" }],
    });
  });

  test("leaves to act-by what the list of holders may only have had no room for", async () => {
    const yard = new Yard();
    await yard.holder("newer");
    const [newer] = await yard.store.listHolders();
    const full = async () => Array.from({ length: HOLDERS_MAX }, () => newer ?? []).flat();
    await yard.claimed("older");
    expect(await yard.sweep("s", { ...yard.store, listHolders: full }).sweepOnce()).toEqual(NOTHING);
  });

  test("leaves a holder alone that goes on beating, however long that takes", async () => {
    const yard = new Yard();
    await yard.holder("h");
    await yard.claimed("h");
    expect(await yard.watch(yard.sweep(), 10 * LEASE_MS, () => yard.store.beat("h"))).toEqual(NOTHING);
  });

  test("frees nobody at its start: what was before it has not been watched", async () => {
    const yard = new Yard();
    await yard.holder("h");
    await yard.claimed("h");
    await yard.clock.advance(24 * 3_600_000);
    expect(await yard.sweep().sweepOnce()).toEqual(NOTHING);
  });

  test("frees nobody because the wall clock jumped", async () => {
    const yard = new Yard();
    await yard.holder("h");
    await yard.claimed("h");
    const sweep = yard.sweep();
    await sweep.sweepOnce();
    yard.clock.jumpWall(24 * 3_600_000);
    expect(await sweep.sweepOnce()).toEqual(NOTHING);
    yard.clock.jumpWall(-48 * 3_600_000);
    expect(await sweep.sweepOnce()).toEqual(NOTHING);
  });

  test("frees nobody because it was itself stopped for longer than a lease", async () => {
    const yard = new Yard();
    await yard.holder("h");
    await yard.claimed("h");
    const sweep = yard.sweep();
    await sweep.sweepOnce();
    yard.clock.stall(60_000);
    // The holder's beat may reach the database just after this look.
    expect(await sweep.sweepOnce()).toEqual(NOTHING);
    await yard.store.beat("h");
    expect(await yard.watch(sweep, LEASE_MS - SWEEP_EVERY_MS)).toEqual(NOTHING);
  });

  test("frees nobody because the database was away for longer than a lease", async () => {
    const yard = new Yard();
    await yard.holder("h");
    await yard.claimed("h");
    let isAway = false;
    const sweep = yard.sweep("s", {
      ...yard.store,
      listHolders: () =>
        isAway ? Promise.reject(new FootholdError("DATABASE_UNAVAILABLE", "away")) : yard.store.listHolders(),
    });
    await yard.watch(sweep, LEASE_MS - SWEEP_EVERY_MS);
    isAway = true;
    for (let passes = 0; passes < 20; passes += 1) {
      await yard.clock.advance(SWEEP_EVERY_MS);
      await expect(sweep.sweepOnce()).rejects.toMatchObject({ code: "DATABASE_UNAVAILABLE" });
    }
    isAway = false;
    await yard.clock.advance(SWEEP_EVERY_MS);
    expect(await sweep.sweepOnce()).toEqual(NOTHING);
  });

  test("does not end a holder that beats between its look and its mark", async () => {
    const yard = new Yard();
    await yard.holder("h");
    await yard.claimed("h");
    const sweep = yard.sweep("s", {
      ...yard.store,
      endHolder: async (holderId, beat) => {
        await yard.store.beat("h");
        return yard.store.endHolder(holderId, beat);
      },
    });
    expect(await yard.watch(sweep, LEASE_MS)).toEqual(NOTHING);
    expect(await yard.store.beat("h")).toMatchObject({ kind: "alive" });
  });

  test("frees the many claims of a dead holder side by side, within a bound", async () => {
    const yard = new Yard();
    await yard.holder("h");
    const ids = Array.from({ length: 20 }, (_, index) => `00case${index}`);
    for (const caseId of ids) await yard.claimed("h", { caseId });
    let underWay = 0;
    let most = 0;
    const sweep = yard.sweep("s", {
      ...yard.store,
      changeCase: async (caseId, commitId, decide) => {
        most = Math.max(most, (underWay += 1));
        await new Promise(setImmediate);
        const changed = await yard.store.changeCase(caseId, commitId, decide);
        underWay -= 1;
        return changed;
      },
    });
    const { freedClaims } = await yard.watch(sweep, LEASE_MS);
    expect(freedClaims.map(({ caseId }) => caseId).toSorted()).toEqual(ids.toSorted());
    expect(most).toBe(8);
  });

  test("frees the others while one case is locked, and says that it could not free that one", async () => {
    const yard = new Yard();
    await yard.holder("h");
    const ids = Array.from({ length: 20 }, (_, index) => `00case${index}`);
    for (const caseId of ids) await yard.claimed("h", { caseId });
    let isLocked = true;
    const sweep = yard.sweep("s", {
      ...yard.store,
      changeCase: (caseId, change, decide) =>
        isLocked && caseId === ids[0]
          ? Promise.reject(new FootholdError("DATABASE_UNAVAILABLE", "the lock was not had in time"))
          : yard.store.changeCase(caseId, change, decide),
    });
    await expect(yard.watch(sweep, LEASE_MS)).rejects.toMatchObject({ code: "DATABASE_UNAVAILABLE" });
    expect(yard.reports.filter(({ kind }) => kind === "claimFreed")).toHaveLength(ids.length - 1);
    isLocked = false;
    expect((await sweep.sweepOnce()).freedClaims).toMatchObject([{ caseId: ids[0] }]);
  });

  test("leaves the claim of a holder alone that registered between its two looks", async () => {
    const yard = new Yard();
    const sweep = yard.sweep("s", {
      ...yard.store,
      listClaims: async (limit) => {
        await yard.holder("late");
        await yard.claimed("late");
        return yard.store.listClaims(limit);
      },
    });
    expect(await sweep.sweepOnce()).toEqual(NOTHING);
  });

  test("frees at once what a holder left that ended in order", async () => {
    const yard = new Yard();
    await yard.holder("h");
    await yard.claimed("h");
    await yard.store.endHolder("h", null);
    expect(await yard.sweep().sweepOnce()).toMatchObject({ freedClaims: [{ why: "silent" }] });
  });

  test("journals the loss of a claim with an attempt open, which counts", async () => {
    const yard = new Yard();
    await yard.holder("h");
    await yard.claimed("h", { open: true });
    await yard.watch(yard.sweep(), LEASE_MS);
    expect(await entriesOf(yard.store)).toEqual([
      "caseStarted",
      "intentOpened",
      "attemptOpened",
      "claimLost",
    ]);
    expect(await stateOf(yard.store)).toMatchObject({ losses: 1, rest: { kind: "ready" } });
  });

  test("takes a claim from a living holder that commits nothing for its act-within time", async () => {
    const yard = new Yard();
    await yard.holder("h");
    await yard.claimed("h", { open: true, actWithinMs: 60_000 });
    const sweep = yard.sweep();
    expect(await yard.watch(sweep, 59_500, () => yard.store.beat("h"))).toEqual(NOTHING);
    await yard.clock.advance(SWEEP_EVERY_MS);
    expect(await sweep.sweepOnce()).toMatchObject({ endedHolders: [], freedClaims: [{ why: "actBy" }] });
    expect(await stateOf(yard.store)).toMatchObject({ losses: 1 });
    expect(await yard.store.beat("h")).toMatchObject({ kind: "alive", claims: [] });
  });

  test("does no harm beside others: each claim is freed once", async () => {
    const yard = new Yard();
    await yard.holder("h");
    await yard.claimed("h", { open: true });
    const sweeps = [yard.sweep("s1"), yard.sweep("s2"), yard.sweep("s3")];
    const freed: string[] = [];
    for (let passed = 0; passed <= 2 * LEASE_MS; passed += SWEEP_EVERY_MS) {
      const done = await Promise.all(sweeps.map((sweep) => sweep.sweepOnce()));
      freed.push(...done.flatMap(({ freedClaims }) => freedClaims.map(({ claimId }) => claimId)));
      await yard.clock.advance(SWEEP_EVERY_MS);
    }
    expect(freed).toEqual(["claim-00case"]);
    expect((await entriesOf(yard.store)).filter((kind) => kind === "claimLost")).toHaveLength(1);
  });

  test("that cannot free one case frees the others of the dead holder, and says which it could not", async () => {
    const yard = new Yard();
    await yard.holder("h");
    await yard.claimed("h", { caseId: "00bad" });
    await yard.claimed("h", { caseId: "00good" });
    const error = new Error("not this one");
    const sweep = yard.sweep("s", {
      ...yard.store,
      changeCase: (caseId, commitId, decide) =>
        caseId === "00bad" ? Promise.reject(error) : yard.store.changeCase(caseId, commitId, decide),
    });
    const done = await yard.watch(sweep, LEASE_MS);
    expect(done.freedClaims).toMatchObject([{ caseId: "00good" }]);
    expect(done.failed).toEqual([{ caseId: "00bad", error }]);
  });

  test("puts a case in sight whose journal cannot be read, instead of trying it again and again", async () => {
    const yard = new Yard();
    await yard.holder("h");
    await yard.claimed("h");
    const corrupt = new FootholdError("CORRUPT_JOURNAL", "The journal of case 00case lacks revision 2.");
    const sweep = yard.sweep("s", { ...yard.store, changeCase: () => Promise.reject(corrupt) });
    const done = await yard.watch(sweep, LEASE_MS + 5 * SWEEP_EVERY_MS);
    expect(done.failed).toEqual([{ caseId: "00case", error: corrupt }]);
    const row = (await yard.store.loadCase("00case"))?.row;
    expect(row).toMatchObject({ state: "in_review", claim: null });
    expect(row?.summary.reviews).toMatchObject([{ reason: "bug", sentence: corrupt.message }]);
  });

  test("runs by itself until it is stopped, and tells once when the database goes and comes back", async () => {
    const yard = new Yard();
    let isAway = true;
    const away = new FootholdError("DATABASE_UNAVAILABLE", "away");
    const sweep = yard.sweep("s", {
      ...yard.store,
      listHolders: () => (isAway ? Promise.reject(away) : yard.store.listHolders()),
    });
    sweep.start();
    sweep.start();
    await yard.clock.advance(2 * SWEEP_EVERY_MS);
    isAway = false;
    await yard.clock.advance(2 * SWEEP_EVERY_MS);
    expect(yard.reports.map(({ kind }) => kind)).toEqual(["databaseAway", "databaseBack"]);
    await sweep.stop();
    await sweep.stop();
    expect(yard.clock.sleepers).toBe(0);
  });
});

function input(claimId: string, commitId: string): FreeInput {
  return { caseId: "00case", claimId, holderId: "h", holderName: "w", why: "orphaned", commitId };
}

describe("freeing a claim", () => {
  test("leaves a case as it stood where nothing was sent: nothing is appended and nothing counts", async () => {
    const yard = new Yard();
    await yard.holder("h");
    const claimId = await yard.claimed("h");
    expect(await freeClaim(yard.store, input(claimId, "f-1"))).toEqual({ kind: "freed" });
    expect(await entriesOf(yard.store)).toEqual(["caseStarted"]);
    expect((await yard.store.loadCase("00case"))?.row).toMatchObject({ state: "ready", claim: null });
  });

  test("does nothing where another claim stands by now, or none", async () => {
    const yard = new Yard();
    await yard.holder("h");
    const claimId = await yard.claimed("h", { open: true });
    expect(await freeClaim(yard.store, input("another", "f-1"))).toEqual({ kind: "gone" });
    expect(await freeClaim(yard.store, input(claimId, "f-2"))).toEqual({ kind: "freed" });
    expect(await freeClaim(yard.store, input(claimId, "f-3"))).toEqual({ kind: "gone" });
    expect((await entriesOf(yard.store)).filter((kind) => kind === "claimLost")).toHaveLength(1);
  });

  test("does nothing for a case that is not there", async () => {
    expect(await freeClaim(new Yard().store, input("claim", "f-1"))).toEqual({ kind: "gone" });
  });
});
