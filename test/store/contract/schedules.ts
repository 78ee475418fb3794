import { describe, expect, test } from "vitest";
import type {
  ScheduleChange,
  ScheduleState,
  SlotRecord,
  StoredSlot,
} from "../../../src/store/schedule-port.ts";
import { newCaseId, newId } from "../made-cases.ts";
import type { Bench } from "./contract.ts";

const ada = { kind: "person", name: "ada", personId: "p-1" } as const;

const state: ScheduleState = {
  outline: {
    caseType: "closing",
    tenant: "default",
    cron: "0 6 * * *",
    timeZone: "Europe/Berlin",
    catchUpSlotsMax: 1,
    overlap: "start",
  },
  declaredAt: 1_000,
  decidedUntilAt: 2_000,
  nextAt: 3_000,
  waiting: [],
  open: [],
  pause: null,
  lastCaseId: null,
  lastSlotAt: null,
};

function recordOf(slotAt: number, wishes: Partial<SlotRecord> = {}): SlotRecord {
  return {
    slotKey: `${slotAt}`,
    slotAt,
    lastAt: slotAt,
    slots: 1,
    outcome: { kind: "starting" },
    start: {
      caseId: newCaseId(7),
      commitId: newId(),
      caseType: "closing",
      tenant: "default",
      businessKey: "née 'ü",
    },
    by: null,
    ...wishes,
  };
}

const addOne = ({ state: before }: { readonly state: ScheduleState | null }): ScheduleChange<number> => {
  const decidedUntilAt = (before?.decidedUntilAt ?? 0) + 1;
  return { state: { ...state, decidedUntilAt }, slots: [], reply: decidedUntilAt };
};

/** What is kept of schedules: by name, under a lock, by all processes together. */
export function testSchedules(bench: Bench): void {
  const put = (name: string, slots: readonly SlotRecord[]): Promise<null> =>
    bench.store.schedules.change({ name, slotKey: null }, () => ({ state, slots, reply: null }));
  const slotsOf = (schedule: string): Promise<readonly StoredSlot[]> =>
    bench.other.schedules.listSlots({ schedule, outcome: null, after: null, limit: 10 });

  describe("a schedule", () => {
    test("is not there until something is kept of it, and then read back as it was written", async () => {
      const name = newId();
      const { schedules } = bench.store;
      const seen = await schedules.change({ name, slotKey: "1" }, (locked) => ({
        state: null,
        slots: [],
        reply: locked,
      }));
      expect(seen).toMatchObject({ state: null, slot: null });
      expect(seen.now).toBeGreaterThan(0);
      expect(await schedules.load(name)).toBeNull();
      expect(await schedules.list()).toEqual([]);
      const by = { by: ada, why: "the bank is closed", at: 4_000, untilAt: 9_000 };
      const kept = { ...state, pause: by, waiting: [1_000, 2_000] };
      await schedules.change({ name, slotKey: null }, () => ({ state: kept, slots: [], reply: null }));
      expect(await bench.other.schedules.load(name)).toMatchObject({ name, state: kept });
      expect((await bench.other.schedules.list()).map((one) => one.name)).toEqual([name]);
    });

    test("is shown whether a case is there", async () => {
      const { caseId } = (await bench.start()).identity;
      const isThere = (asked: string): Promise<boolean> =>
        bench.other.schedules.change({ name: newId(), slotKey: null, caseId: asked }, ({ hasCase }) => ({
          state: null,
          slots: [],
          reply: hasCase,
        }));
      expect([await isThere(caseId), await isThere(newCaseId(7)), await isThere("none of ours")]).toEqual([
        true,
        false,
        false,
      ]);
    });

    test("is decided by one process at a time, each on what the one before left", async () => {
      const name = newId();
      const stores = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? bench.store : bench.other));
      const replies = await Promise.all(
        stores.map(({ schedules }) => schedules.change({ name, slotKey: null }, addOne)),
      );
      expect(replies.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    });

    test("that cannot be decided stays as it was", async () => {
      const name = newId();
      await put(name, []);
      const failing = bench.store.schedules.change({ name, slotKey: null }, () => {
        throw new Error("a fault of the author");
      });
      await expect(failing).rejects.toThrow("a fault of the author");
      expect((await bench.store.schedules.load(name))?.state).toEqual(state);
    });

    test("is seen at the store's time, and one that is not there stays so", async () => {
      const name = newId();
      await put(name, []);
      const before = await bench.store.now();
      await bench.store.schedules.see([name, newId()]);
      const stored = await bench.store.schedules.load(name);
      expect(stored?.seenAt).toBeGreaterThanOrEqual(before);
      expect(await bench.store.schedules.list()).toHaveLength(1);
    });
  });

  describe("the records of slots", () => {
    test("are read back as they were written, newest slot first, by schedule and by outcome", async () => {
      const [name, another] = [newId(), newId()];
      const refused = { kind: "refused", code: "INVALID_INPUT", sentence: "née" } as const;
      const skipped = { kind: "skipped", why: "missed" } as const;
      const records = [
        recordOf(1_000),
        recordOf(2_000, { outcome: refused }),
        recordOf(3_000, { outcome: skipped, start: null, lastAt: 9_000, slots: 7, slotKey: "3000-9000" }),
        recordOf(10_000, { slotKey: "hand-1", by: ada, outcome: { kind: "started" } }),
      ];
      await put(name, records);
      await put(another, [recordOf(5_000, { outcome: refused })]);
      const stored = (await slotsOf(name)).map(({ decidedAt, ...one }) => {
        expect(decidedAt).toBeGreaterThan(0);
        return one;
      });
      expect(stored).toEqual(records.toReversed().map((one) => ({ ...one, schedule: name })));
      const { schedules } = bench.store;
      const bad = await schedules.listSlots({
        schedule: null,
        outcome: "refused",
        after: null,
        limit: 10,
      });
      expect(bad.map(({ slotAt }) => slotAt)).toEqual([5_000, 2_000]);
      const after = { slotAt: 3_000, slotKey: "3000-9000" };
      const older = await schedules.listSlots({ schedule: name, outcome: null, after, limit: 1 });
      expect(older.map(({ slotAt }) => slotAt)).toEqual([2_000]);
    });

    test("are each on one page of several, also those of one time", async () => {
      const name = newId();
      const sameTime = ["1000", "1000-9000", "hand-1", "hand-2"].map((slotKey) =>
        recordOf(1_000, { slotKey }),
      );
      await put(name, [...sameTime, recordOf(2_000), recordOf(500)]);
      const found: string[] = [];
      for (let after: StoredSlot | null = null, isEnd = false; !isEnd;) {
        const filter = { schedule: name, outcome: null, after, limit: 1 };
        const [slot]: readonly StoredSlot[] = await bench.store.schedules.listSlots(filter);
        isEnd = slot === undefined;
        after = slot ?? null;
        if (slot !== undefined) found.push(slot.slotKey);
      }
      expect(found).toEqual(["2000", "1000", "1000-9000", "hand-1", "hand-2", "500"]);
    });

    test("change with what becomes of the slot, and one that was started never does again", async () => {
      const name = newId();
      const record = recordOf(1_000);
      await put(name, [record]);
      await put(name, [{ ...record, outcome: { kind: "started" }, by: ada }]);
      const late = { kind: "refused", code: "INVALID_INPUT", sentence: "too late" } as const;
      await put(name, [{ ...record, outcome: late, start: null }]);
      const [stored, ...others] = await slotsOf(name);
      expect(others).toEqual([]);
      expect(stored).toMatchObject({ outcome: { kind: "started" }, start: record.start, by: ada });
      const seen = await bench.store.schedules.change({ name, slotKey: "1000" }, ({ slot }) => ({
        state: null,
        slots: [],
        reply: slot,
      }));
      expect(seen).toEqual(stored);
    });

    test("are forgotten once they were decided long ago, but for what is being started", async () => {
      const name = newId();
      const missed = { outcome: { kind: "skipped", why: "missed" }, start: null } as const;
      await put(name, [recordOf(1_000), recordOf(2_000, missed)]);
      const now = await bench.store.now();
      expect(await bench.store.schedules.forgetSlots(now - 60_000)).toBe(0);
      expect(await bench.store.schedules.forgetSlots(now + 60_000)).toBe(1);
      expect((await slotsOf(name)).map(({ slotAt }) => slotAt)).toEqual([1_000]);
    });
  });
}
