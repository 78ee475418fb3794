import { describe, expect, test } from "vitest";
import type { CaseFilter, StoredRow } from "../../../src/store/port.ts";
import { newCase, newCaseId, parkedUntil, person, reviewOpened, type CaseWishes } from "../made-cases.ts";
import type { Bench } from "./contract.ts";

export function testLists(bench: Bench): void {
  const listAll = async (filter: Omit<CaseFilter, "limit">, limit: number): Promise<readonly StoredRow[]> => {
    const rows: StoredRow[] = [];
    let after: string | undefined;
    for (let page = 0; page < 100; page += 1) {
      const { rows: more, next } = await bench.store.listCases({
        ...filter,
        limit,
        ...(after === undefined ? {} : { after }),
      });
      rows.push(...more);
      if (next === null) return rows;
      expect(more).toHaveLength(limit);
      after = next;
    }
    throw new Error("the pages never end");
  };

  describe("lists", () => {
    test("give every case once over pages of any size, newest start first, also of one moment", async () => {
      const now = await bench.store.now();
      const starts = Array.from({ length: 23 }, (_, index) => {
        const shard = index % 32;
        return newCase({ at: now - Math.floor(index / 4), shard, caseId: newCaseId(shard) });
      });
      for (const start of starts) await bench.store.insertCase(start);
      const expected = starts
        .map(({ identity }) => identity)
        .toSorted((a, b) => b.startedAt - a.startedAt || (a.caseId < b.caseId ? 1 : -1))
        .map(({ caseId }) => caseId);
      for (const limit of [1, 4, 7, 23, 24, 500]) {
        expect((await listAll({}, limit)).map(({ caseId }) => caseId)).toEqual(expected);
      }
    });

    test("pages stay stable while newer cases start", async () => {
      for (let n = 0; n < 6; n += 1) await bench.start();
      const first = await bench.store.listCases({ limit: 3 });
      await bench.start({ at: (await bench.store.now()) + 60_000 });
      const second = await bench.store.listCases({ limit: 3, after: first.next ?? "" });
      const ids = [...first.rows, ...second.rows].map(({ caseId }) => caseId);
      expect(new Set(ids).size).toBe(6);
      expect(second.next).toBeNull();
    });

    test("a pulse tells of the named cases that are there, and changes when cases are worked on or need people", async () => {
      const { row } = await bench.startClaimed({ tenant: "acme" });
      const { caseId, revision, claim } = row;
      const first = await bench.store.readPulse([caseId, newCaseId(3)]);
      expect(first.cases).toEqual([
        { caseId, tenant: "acme", caseType: "purchase", revision, claimId: claim?.claimId },
      ]);
      expect((await bench.store.readPulse([])).mark).toBe(first.mark);
      await bench.start({ entries: [reviewOpened()] });
      const second = await bench.store.readPulse([]);
      expect(second).toEqual({ mark: expect.not.stringMatching(first.mark) as unknown, cases: [] });
      await bench.start();
      await bench.claim(1);
      expect((await bench.store.readPulse([])).mark).not.toBe(second.mark);
    });

    test("a row is the one that the case has", async () => {
      const { row } = await bench.startClaimed({ businessKey: "PO-9" });
      expect((await bench.store.listCases({ limit: 1 })).rows).toEqual([row]);
    });

    test("each filter keeps what fits, alone and together", async () => {
      const wishes: readonly Partial<CaseWishes>[] = [
        { tenant: "a", businessKey: "K" },
        { tenant: "b", businessKey: "K", shard: 9 },
        { tenant: "a", caseType: "refund", businessKey: "K", shard: 31, entries: [reviewOpened()] },
        { tenant: "a", entries: [reviewOpened(), { kind: "caseDone" }] },
        { tenant: "a", entries: [parkedUntil(null)] },
        { tenant: "b", entries: [{ kind: "canceled", by: person, reason: null }] },
      ];
      const ids: string[] = [];
      for (const wish of wishes) ids.push((await bench.start(wish)).identity.caseId);
      const expectCases = async (
        filter: Omit<CaseFilter, "limit">,
        indexes: readonly number[],
      ): Promise<void> => {
        const found = (await listAll(filter, 2))
          .map(({ caseId }) => ids.indexOf(caseId))
          .toSorted((a, b) => a - b);
        expect({ filter, found }).toEqual({ filter, found: indexes });
      };
      await expectCases({ tenant: "b" }, [1, 5]);
      await expectCases({ caseType: "refund" }, [2]);
      await expectCases({ states: ["done", "canceled"] }, [3, 5]);
      await expectCases({ states: [] }, []);
      await expectCases({ withReview: true }, [2, 3]);
      await expectCases({ withReview: false }, [0, 1, 2, 3, 4, 5]);
      await expectCases({ withReview: true, states: ["done"] }, [3]);
      await expectCases({ withReview: true, caseType: "purchase", tenant: "a" }, [3]);
      await expectCases({ businessKey: "K" }, [0, 1, 2]);
      await expectCases({ businessKey: "K", tenant: "a" }, [0, 2]);
      await expectCases({ businessKey: "K", withReview: true }, [2]);
      await expectCases({ businessKey: "K", states: ["ready"], caseType: "purchase", tenant: "b" }, [1]);
      await expectCases({ businessKey: "none" }, []);
    });

    test("a limit out of bounds and a cursor that no page gave are refused", async () => {
      for (const filter of [{ limit: 0 }, { limit: 501 }, { limit: 1.5 }, { limit: 5, after: "x'; drop" }]) {
        await expect(bench.store.listCases(filter)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
      }
    });
  });

  describe("counts", () => {
    test("tell for each type how many stand where, how many are due, and for how long", async () => {
      expect(await bench.store.countCases()).toEqual([]);
      const now = await bench.store.now();
      await bench.start({ at: now - 9_000 });
      await bench.claim(1);
      await bench.start({ at: now - 5_000 });
      await bench.start({ at: now - 7_000, entries: [reviewOpened()] });
      await bench.start({ entries: [parkedUntil(now + 60_000)] });
      await bench.start({ caseType: "refund", entries: [reviewOpened(), { kind: "caseDone" }] });
      expect(await bench.store.countCases()).toEqual([
        {
          caseType: "purchase",
          states: { claimed: 1, ready: 2, waiting: 1 },
          due: 2,
          dueByVersion: { 1: 2 },
          withReview: 1,
          inRepair: 0,
          oldestDueAt: now - 7_000,
        },
        {
          caseType: "refund",
          states: { done: 1 },
          due: 0,
          dueByVersion: {},
          withReview: 1,
          inRepair: 0,
          oldestDueAt: null,
        },
      ]);
    });
  });
}
