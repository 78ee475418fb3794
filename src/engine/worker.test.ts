import { describe, expect, test } from "vitest";
import { stepOf } from "../core/case-state.ts";
import { FootholdError } from "../core/errors.ts";
import { defineCase } from "../define/builder.ts";
import type { ClaimRequest, Store } from "../store/port.ts";
import { anything, entriesOf, startCase, stateOf } from "./case-types.fixture.ts";
import { portsAround, settle } from "./manual-clock.fixture.ts";
import { away, BEAT_MS, erp, LEASE_MS, orderWith, Sends, Shop } from "./shop.fixture.ts";
import { createSweep } from "./sweep.ts";

const NET_POLL_MS = 5_000;
const FEW_EVERY_MS = 250;

describe("a worker", () => {
  test("takes what is due at its start, and later what a hint tells it of", async () => {
    const shop = new Shop();
    const order = orderWith(() => "ok");
    await startCase(shop.store, order, { caseId: "00early" });
    const worker = shop.worker(order);
    await worker.start();
    await settle();
    expect((await shop.store.loadCase("00early"))?.row.state).toBe("done");
    await startCase(shop.store, order, { caseId: "00late" });
    await settle();
    expect((await shop.store.loadCase("00late"))?.row.state).toBe("done");
    await worker.stop();
  });

  test("takes a lone case of three instant steps through in six writes: start, claim, and a commit for each of four turns", async () => {
    const shop = new Shop();
    const three = defineCase("three", { version: 1, owner: "ops", input: anything })
      .step("a", { to: erp, run: () => 1 })
      .step("b", { to: erp, run: () => 2 })
      .step("c", { to: erp, run: () => 3 });
    const writes: string[] = [];
    const store: Store = {
      ...shop.store,
      insertCase: (start) => {
        writes.push("start");
        return shop.store.insertCase(start);
      },
      claimDue: async (request) => {
        const reply = await shop.store.claimDue(request);
        if (reply.cases.length > 0) writes.push("claim");
        return reply;
      },
      commit: (commits) => {
        writes.push(`commit ${commits.length}`);
        return shop.store.commit(commits);
      },
    };
    const worker = shop.worker(three, { store });
    await worker.start();
    await settle();
    await startCase(store, three);
    await settle();
    expect((await shop.store.loadCase("00case"))?.row.state).toBe("done");
    expect(writes).toEqual(["start", "claim", "commit 1", "commit 1", "commit 1", "commit 1"]);
    await worker.stop();
  });

  test("finds within five seconds what no hint told it of", async () => {
    const shop = new Shop();
    const order = orderWith(() => "ok");
    const deaf: Store = { ...shop.store, listen: () => Promise.resolve(() => Promise.resolve()) };
    const worker = shop.worker(order, { store: deaf });
    await worker.start();
    await settle();
    await startCase(shop.store, order);
    await shop.clock.advance(NET_POLL_MS);
    expect((await shop.store.loadCase("00case"))?.row.state).toBe("done");
    await worker.stop();
  });

  test("wakes by itself when a case that it parked is due", async () => {
    const shop = new Shop();
    const nap = defineCase("nap", { version: 1, owner: "ops", input: anything }).sleep("rest", { for: "1s" });
    await startCase(shop.store, nap);
    const worker = shop.worker(nap);
    await worker.start();
    await shop.clock.advance(999);
    expect((await shop.store.loadCase("00case"))?.row.state).toBe("waiting");
    await shop.clock.advance(1);
    expect((await shop.store.loadCase("00case"))?.row.state).toBe("done");
    await worker.stop();
  });

  test("never holds more cases than it may, and goes on as they end", async () => {
    const shop = new Shop();
    const sends = new Sends();
    const order = orderWith(sends.run);
    for (let n = 0; n < 10; n += 1) await startCase(shop.store, order, { caseId: `00case${n}` });
    const worker = shop.worker(order, { concurrency: 4 });
    await worker.start();
    await settle();
    expect(await shop.store.listClaims(100)).toHaveLength(4);
    for (let ended = 0; ended < 10; ended += 1) {
      expect((await shop.store.listClaims(100)).length).toBeLessThanOrEqual(4);
      await sends.end();
    }
    expect(sends.caseIds.toSorted()).toEqual(Array.from({ length: 10 }, (_, n) => `00case${n}`));
    await worker.stop();
  });

  test("fills its last places too while long sends hold the others", async () => {
    const shop = new Shop();
    const sends = new Sends();
    const order = orderWith(sends.run);
    for (let n = 0; n < 7; n += 1) await startCase(shop.store, order, { caseId: `00case${n}` });
    const worker = shop.worker(order, { concurrency: 8 });
    await worker.start();
    await settle();
    await startCase(shop.store, order, { caseId: "00last" });
    await shop.clock.advance(FEW_EVERY_MS);
    expect(sends.caseIds).toContain("00last");
    await sends.end(8);
    await worker.stop();
  });

  test("registers with its case types, and says goodbye when it stops", async () => {
    const shop = new Shop();
    const worker = shop.worker(orderWith(() => "ok"));
    await worker.start();
    expect(await shop.store.listHolders()).toMatchObject([
      {
        holderId: worker.holderId,
        name: "w-1",
        host: "here",
        build: "1",
        leaseMs: LEASE_MS,
        caseTypes: [{ name: "order", version: 1 }],
        endedAt: null,
      },
    ]);
    await worker.stop();
    expect((await shop.store.listHolders())[0]?.endedAt).not.toBeNull();
    expect(shop.clock.sleepers).toBe(0);
  });

  test("does not start on a database that is away or has no schema, and says which", async () => {
    const shop = new Shop();
    const order = orderWith(() => "ok");
    const without = (error: FootholdError): Store => ({
      ...shop.store,
      checkSchema: async () => {
        throw error;
      },
    });
    await expect(shop.worker(order, { store: without(away()) }).start()).rejects.toMatchObject({
      code: "DATABASE_UNAVAILABLE",
    });
    const missing = new FootholdError("SCHEMA_MISSING", "run `foothold migrate`");
    await expect(shop.worker(order, { store: without(missing) }).start()).rejects.toMatchObject({
      code: "SCHEMA_MISSING",
    });
    expect(await shop.store.listHolders()).toEqual([]);
  });

  test("tells once that the database is away, and once that it is back", async () => {
    const shop = new Shop();
    const order = orderWith(() => "ok");
    let isAway = false;
    const store: Store = {
      ...shop.store,
      beat: (holderId) => (isAway ? Promise.reject(away()) : shop.store.beat(holderId)),
      claimDue: (request) => (isAway ? Promise.reject(away()) : shop.store.claimDue(request)),
    };
    const worker = shop.worker(order, { store });
    await worker.start();
    isAway = true;
    await shop.clock.advance(2 * NET_POLL_MS);
    isAway = false;
    await startCase(shop.store, order);
    await shop.clock.advance(2_000);
    expect((await shop.store.loadCase("00case"))?.row.state).toBe("done");
    const told = shop.reports.filter((one) => one.kind === "databaseAway" || one.kind === "databaseBack");
    expect(told.map((one) => `${one.kind} ${one.during}`).toSorted()).toEqual([
      "databaseAway heartbeat",
      "databaseBack heartbeat",
    ]);
    await worker.stop();
  });

  test("claims nothing while it cannot trust its lease, and looks at once when it can again", async () => {
    const shop = new Shop();
    const order = orderWith(() => "ok");
    let isAway = true;
    let claims = 0;
    const store: Store = {
      ...shop.store,
      beat: (holderId) => (isAway ? Promise.reject(away()) : shop.store.beat(holderId)),
      claimDue: (request) => {
        claims += 1;
        return shop.store.claimDue(request);
      },
    };
    const worker = shop.worker(order, { store });
    await worker.start();
    await shop.clock.advance(LEASE_MS);
    const before = claims;
    await startCase(shop.store, order);
    await shop.clock.advance(10_000);
    expect(claims).toBe(before);
    isAway = false;
    await shop.clock.advance(500 + BEAT_MS);
    expect((await shop.store.loadCase("00case"))?.row.state).toBe("done");
    await worker.stop();
  });

  test("that the sweep ended goes on under a new id, and its late success is kept as a report", async () => {
    const shop = new Shop();
    const sends = new Sends();
    const order = orderWith(sends.run);
    await startCase(shop.store, order);
    const worker = shop.worker(order);
    await worker.start();
    await settle();
    const { holderId } = worker;
    await shop.store.endHolder(holderId, null);
    await createSweep({ store: shop.store, ports: portsAround(shop.clock, "s") }).sweepOnce();
    await shop.clock.advance(BEAT_MS);
    expect(worker.holderId).not.toBe(holderId);
    expect(shop.reports).toContainEqual({ kind: "holderEnded", holderId, nextHolderId: worker.holderId });
    // The first send was aborted; the case is claimed and sent anew under the new id.
    await shop.clock.advance(1_000);
    expect(sends.caseIds).toEqual(["00case", "00case"]);
    await sends.end(1);
    expect(await entriesOf(shop.store)).toContain("lateReport");
    await sends.end(1);
    await settle();
    expect((await shop.store.loadCase("00case"))?.row.state).toBe("done");
    const outcomes = stepOf(await stateOf(shop.store), "send").intent?.attempts.map(
      (one) => one.outcome.kind,
    );
    expect(outcomes?.[0]).toMatch(/reportedLate|confirmed/);
    await worker.stop();
  });

  test("releases claims under its id that it does not know, with the next beat", async () => {
    const shop = new Shop();
    const order = orderWith(() => "ok");
    const worker = shop.worker(order);
    await worker.start();
    const claim = { claimId: "orphan", holderId: worker.holderId, actWithinMs: 60_000 };
    await startCase(shop.store, order, { claim });
    await shop.clock.advance(BEAT_MS);
    expect(shop.reports).toContainEqual({
      kind: "claimFreed",
      caseId: "00case",
      claimId: "orphan",
      why: "orphaned",
    });
    await settle();
    expect((await shop.store.loadCase("00case"))?.row.state).toBe("done");
    await worker.stop();
  });

  test("that cannot release one orphan releases the others", async () => {
    const shop = new Shop();
    const order = orderWith(() => "ok");
    const store: Store = {
      ...shop.store,
      changeCase: (caseId, commitId, decide) =>
        caseId === "00bad"
          ? Promise.reject(new Error("not this one"))
          : shop.store.changeCase(caseId, commitId, decide),
    };
    const worker = shop.worker(order, { store });
    await worker.start();
    for (const caseId of ["00bad", "00good"]) {
      const claim = { claimId: `orphan-${caseId}`, holderId: worker.holderId, actWithinMs: 60_000 };
      await startCase(shop.store, order, { caseId, claim });
    }
    await shop.clock.advance(BEAT_MS);
    expect((await shop.store.loadCase("00good"))?.row.state).toBe("done");
    expect(shop.reports).toContainEqual(expect.objectContaining({ kind: "bug", caseId: "00bad" }));
    await worker.stop();
  });

  test("takes a case soon that became due after all that another tenant has piled up", async () => {
    const shop = new Shop();
    const sends = new Sends();
    const order = orderWith(sends.run);
    for (let n = 0; n < 60; n += 1) await startCase(shop.store, order, { caseId: `00big-${n}` });
    await shop.clock.advance(1_000);
    await startCase(shop.store, order, { caseId: "00late", tenant: "small" });
    const worker = shop.worker(order, { concurrency: 4 });
    await worker.start();
    await settle();
    expect(sends.caseIds).toHaveLength(4);
    expect(sends.caseIds).not.toContain("00late");
    await sends.end(4);
    await sends.end(4);
    expect(sends.caseIds).toHaveLength(12);
    expect(sends.caseIds).toContain("00late");
    const stopped = worker.stop();
    await sends.end(4);
    await stopped;
  });

  test("shares no places of its claims while it keeps up", async () => {
    const shop = new Shop();
    const order = orderWith(() => "ok");
    const shares: unknown[] = [];
    const store: Store = {
      ...shop.store,
      claimDue: (request) => {
        shares.push(request.share);
        return shop.store.claimDue(request);
      },
    };
    const worker = shop.worker(order, { store, concurrency: 4 });
    await worker.start();
    for (let n = 0; n < 6; n += 1) {
      await startCase(shop.store, order, { caseId: `00one-${n}` });
      await settle();
    }
    await worker.stop();
    expect(shares.length).toBeGreaterThan(6);
    expect(new Set(shares)).toEqual(new Set([undefined]));
  });

  test("puts a case in sight whose journal cannot be read, and works on with the others", async () => {
    const shop = new Shop();
    const order = orderWith(() => "ok");
    await startCase(shop.store, order, { caseId: "00bad" });
    await startCase(shop.store, order, { caseId: "00good" });
    const fault = new FootholdError("CORRUPT_JOURNAL", "The journal of case 00bad lacks revision 2.");
    const store: Store = {
      ...shop.store,
      claimDue: async (request: ClaimRequest) => {
        const reply = await shop.store.claimDue(request);
        return {
          ...reply,
          cases: reply.cases.filter(({ row }) => row.caseId !== "00bad"),
          unreadable: reply.cases
            .filter(({ row }) => row.caseId === "00bad")
            .map(({ row }) => ({ row, fault })),
        };
      },
    };
    const worker = shop.worker(order, { store });
    await worker.start();
    await shop.clock.advance(BEAT_MS);
    expect((await shop.store.loadCase("00good"))?.row.state).toBe("done");
    const row = (await shop.store.loadCase("00bad"))?.row;
    expect(row).toMatchObject({ state: "in_review", claim: null });
    expect(row?.summary.reviews).toMatchObject([{ reason: "bug", sentence: fault.message }]);
    expect(shop.reports).toContainEqual({ kind: "unreadable", caseId: "00bad", error: fault });
    await worker.stop();
  });
});
