import { describe, expect, test } from "vitest";
import { freshDestination, type DestinationState } from "../../../src/core/in-flight.ts";
import type { Wait } from "../../../src/core/waits.ts";
import type { FoldedCase, Store } from "../../../src/store/port.ts";
import { commitOf, newHolder, newId } from "../made-cases.ts";
import type { Bench } from "./contract.ts";

const erp = { destination: "erp", credentialId: "erp-1" };
const fresh = freshDestination({ start: 10, max: 64 });

const timer = (dueAt: number): Wait => ({ kind: "timer", step: "create", dueAt });

function raise(store: Store): Promise<number> {
  return store.changeDestination(erp, (state) => {
    const limit = (state?.limit ?? 0) + 1;
    return { state: { ...fresh, limit }, reply: limit };
  });
}

export function testDestinations(bench: Bench): void {
  const write = (state: DestinationState | null, id = erp): Promise<string> =>
    bench.store.changeDestination(id, () => ({ state, reply: "done" }));
  const dueIn = async (stored: FoldedCase): Promise<number> =>
    ((await bench.store.loadRow(stored.row.caseId))?.dueAt ?? 0) - (await bench.store.now());

  describe("destinations", () => {
    test("what is known of one is read back as it was written, with when", async () => {
      const state: DestinationState = {
        ...fresh,
        limit: 1.5,
        downSinceAt: 17,
        notBeforeAt: 18,
        notBeforeBy: "probe",
        lastFailure: { cause: "transient", at: 17, sentence: 'erp is "away".' },
        permits: [{ permitId: "p", holderId: "w", untilAt: 19 }],
      };
      expect(await write(state)).toBe("done");
      const { destinations, now } = await bench.other.readDestinations();
      expect(destinations).toMatchObject([{ ...erp, state }]);
      expect(now - (destinations[0]?.changedAt ?? 0)).toBeLessThan(60_000);
    });

    test("a change sees what is known, the store's time, and null where nothing is; null and the same write nothing", async () => {
      const seen: (DestinationState | null)[] = [];
      const look = (): Promise<number> =>
        bench.store.changeDestination(erp, (state, now) => {
          seen.push(state);
          return { state, reply: now };
        });
      expect(Math.abs((await look()) - (await bench.store.now()))).toBeLessThan(60_000);
      expect((await bench.store.readDestinations()).destinations).toEqual([]);
      await write(fresh);
      await look();
      expect(seen).toEqual([null, fresh]);
    });

    test("changes of one come one after the other, and none is lost", async () => {
      const limits = await Promise.all(
        Array.from({ length: 12 }, (_, n) => raise(n % 2 === 0 ? bench.store : bench.other)),
      );
      expect(limits.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, n) => n + 1));
    });

    test("two credentials of one destination are two", async () => {
      await write({ ...fresh, limit: 1 });
      await write({ ...fresh, limit: 2 }, { destination: "erp", credentialId: "erp-2" });
      const { destinations } = await bench.store.readDestinations();
      expect(destinations.map(({ credentialId, state }) => [credentialId, state.limit])).toEqual([
        ["erp-1", 1],
        ["erp-2", 2],
      ]);
    });

    test("those who send are the workers alive that may send anywhere, by id", async () => {
      const [one, other, idle, page] = [
        newHolder({ destinations: ["erp erp-1"] }),
        newHolder({ destinations: ["erp erp-1", "crm crm"] }),
        newHolder(),
        newHolder({ kind: "page", destinations: ["erp erp-1"] }),
      ];
      for (const holder of [one, other, idle, page]) await bench.store.registerHolder(holder);
      const senders = async (): Promise<unknown> => (await bench.other.readDestinations()).senders;
      const told = [one, other].map(({ holderId, destinations }) => ({ holderId, destinations }));
      expect(await senders()).toEqual(told.toSorted((a, b) => (a.holderId < b.holderId ? -1 : 1)));
      await bench.store.endHolder(one.holderId, null);
      expect(await senders()).toEqual([{ holderId: other.holderId, destinations: other.destinations }]);
    });

    test("what nobody has changed for long is forgotten", async () => {
      await write(fresh);
      const now = await bench.store.now();
      expect(await bench.store.forgetDestinations(now - 60_000)).toBe(0);
      expect(await bench.store.forgetDestinations(now + 60_000)).toBe(1);
      expect((await bench.store.readDestinations()).destinations).toEqual([]);
    });
  });

  describe("cases that are held back", () => {
    const second = { ...erp, credentialId: "erp-2" };
    const held = (dueAt: number): Wait => ({ kind: "held", step: "create", dueAt, ...erp });
    const access = (dueAt: number): Wait => ({
      kind: "access",
      step: "create",
      dueAt,
      ...second,
      owner: "ops",
    });
    /** Starts a case that waits, due in `inMs`. */
    const park = async (inMs: number, waitAt: (dueAt: number) => Wait = held): Promise<FoldedCase> => {
      const stored = await bench.startClaimed();
      const now = await bench.store.now();
      const dueAt = now + inMs;
      const parked = { kind: "parked", waits: [waitAt(dueAt)], dueAt } as const;
      const reply = await bench.commitOne(commitOf(stored, now, [parked], { isFreed: true }));
      if (reply.kind !== "current") throw new Error(`not parked: ${reply.kind}`);
      return stored;
    };
    test("are counted by destination and credential, with when the first is looked at again", async () => {
      const first = await park(200_000);
      await park(300_000);
      const other = await park(400_000, access);
      await park(300_000, timer);
      expect(await bench.store.countHeld()).toEqual([
        { ...erp, cases: 2, nextDueAt: (await bench.store.loadRow(first.row.caseId))?.dueAt },
        { ...second, cases: 1, nextDueAt: (await bench.store.loadRow(other.row.caseId))?.dueAt },
      ]);
    });

    test("become due sooner one after the other, those due first, at most as many as asked for", async () => {
      const [last, first, next] = [await park(300_000), await park(100_000), await park(200_000)];
      expect(await bench.store.hastenHeld({ ...erp, count: 2, gapMs: 50_000 })).toBe(2);
      expect(await dueIn(first)).toBeLessThan(10_000);
      expect(await dueIn(next)).toBeGreaterThan(30_000);
      expect(await dueIn(next)).toBeLessThan(60_000);
      expect(await dueIn(last)).toBeGreaterThan(250_000);
    });

    test("are never made due later, and others are left alone", async () => {
      const soon = await park(40_000);
      await park(30_000);
      const [elsewhere, sleeping] = [await park(200_000, access), await park(200_000, timer)];
      expect(await bench.store.hastenHeld({ ...erp, count: 10, gapMs: 100_000 })).toBe(2);
      expect(await dueIn(soon)).toBeLessThan(40_001);
      expect(await dueIn(elsewhere)).toBeGreaterThan(150_000);
      expect(await dueIn(sleeping)).toBeGreaterThan(150_000);
      expect(
        await bench.store.hastenHeld({ destination: newId(), credentialId: "x", count: 10, gapMs: 0 }),
      ).toBe(0);
    });
  });
}
