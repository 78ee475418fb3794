import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Entry } from "../../../src/core/journal.ts";
import { isClaimable, type RestingState } from "../../../src/core/row.ts";
import { actWithinMs, newCase, newId, parkedUntil, person, writeOf } from "../made-cases.ts";
import type { Bench } from "./contract.ts";

export function testClaims(bench: Bench): void {
  describe("claiming", () => {
    test("the longest due come first, and no more than asked for", async () => {
      const now = await bench.store.now();
      const starts = [4_000, 1_000, 3_000, 2_000].map((ago) => newCase({ at: now - ago }));
      for (const start of starts) await bench.store.insertCase(start);
      const first = await bench.claim(3);
      expect(first.cases.map(({ row }) => row.dueAt)).toEqual([now - 4_000, now - 3_000, now - 2_000]);
      expect(first.nextDueAt).toBe(first.now);
      const second = await bench.claim(3);
      expect(second.cases.map(({ row }) => row.dueAt)).toEqual([now - 1_000]);
    });

    test("a claimed case comes with its claim, its journal, and the due time and summary it had", async () => {
      const start = await bench.start();
      const claimIds = [newId(), newId()];
      const { cases, now } = await bench.claim(2, { claimIds });
      expect(cases).toHaveLength(1);
      const [{ row, state } = { row: null, state: null }] = cases;
      expect(row).toEqual({
        ...start.identity,
        ...start.row,
        lineage: row?.lineage,
        state: "claimed",
        claim: { claimId: claimIds[0], holderId: "holder-1", claimedAt: now, actByAt: now + actWithinMs },
      });
      const stored = await bench.load(start.identity.caseId);
      expect(stored.journal.map(({ entry }) => entry)).toEqual(start.entries);
      expect(stored).toMatchObject({ row, state });
    });

    test("two stores that claim at the same time never get the same case", async () => {
      const at = (await bench.store.now()) - 1_000;
      const starts = Array.from({ length: 60 }, (_, index) => newCase({ at: at - index, shard: index % 32 }));
      await Promise.all(starts.map((start) => bench.store.insertCase(start)));
      const replies = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          (index % 2 === 0 ? bench.store : bench.other).claimDue({
            holderId: `holder-${index}`,
            claimIds: Array.from({ length: 5 }, newId),
            caseTypes: [{ name: "purchase", version: 1 }],
            engineVersion: 1,
            actWithinMs,
          }),
        ),
      );
      const claimed = replies.flatMap(({ cases }) => cases.map(({ row }) => row.caseId));
      expect(new Set(claimed).size).toBe(claimed.length);
      expect(claimed.length).toBe(60);
    });

    test("R12: only types that the worker knows, at versions that it has, are taken", async () => {
      const at = (await bench.store.now()) - 1_000;
      const taken = [
        newCase({ at: at - 3, caseType: "purchase", definitionVersion: 2 }),
        newCase({ at: at - 2, caseType: "refund", definitionVersion: 1 }),
      ];
      const left = [
        newCase({ at, caseType: "purchase", definitionVersion: 3 }),
        newCase({ at, caseType: "refund", definitionVersion: 2 }),
        newCase({ at, caseType: "unknown" }),
        newCase({ at, caseType: "purchase", engineVersion: 6 }),
      ];
      for (const start of [...taken, ...left]) await bench.store.insertCase(start);
      const caseTypes = [
        { name: "purchase", version: 2 },
        { name: "refund", version: 1 },
      ];
      const { cases, nextDueAt } = await bench.claim(10, { caseTypes, engineVersion: 5 });
      expect(cases.map(({ row }) => row.caseId)).toEqual(taken.map(({ identity }) => identity.caseId));
      expect(nextDueAt).toBeNull();
      expect((await bench.claim(10, { caseTypes: [] })).cases).toEqual([]);
    });

    test("the next due time is that of the earliest case of these types that is not due", async () => {
      const now = await bench.store.now();
      await bench.start();
      for (const [caseType, dueAt] of [
        ["purchase", now + 90_000],
        ["purchase", now + 60_000],
        ["refund", now + 30_000],
      ] as const) {
        await bench.store.insertCase(newCase({ at: now, caseType, entries: [parkedUntil(dueAt)] }));
      }
      expect(await bench.claim(5)).toMatchObject({ nextDueAt: now + 60_000 });
      expect(await bench.claim(0)).toMatchObject({ cases: [], nextDueAt: now + 60_000 });
    });

    test("a caller's own time decides what is due, the store's clock when it was claimed", async () => {
      const now = await bench.store.now();
      const later = newCase({ at: now, entries: [parkedUntil(now + 60_000)] });
      await bench.store.insertCase(later);
      expect((await bench.claim(1)).cases).toEqual([]);
      expect((await bench.claim(1, { now: now + 59_999 })).cases).toEqual([]);
      const { cases } = await bench.claim(1, { now: now + 60_000 });
      expect(cases.map(({ row }) => row.caseId)).toEqual([later.identity.caseId]);
      expect(cases[0]?.row.claim?.claimedAt).toBeLessThan(now + 60_000);
    });

    test("what is claimed is what isClaimable says, for any row", async () => {
      const restings: readonly RestingState[] = [
        "ready",
        "waiting",
        "paused",
        "in_review",
        "done",
        "canceled",
      ];
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fc.constantFrom(...restings), fc.option(fc.integer({ min: -3, max: 3 }))), {
            minLength: 1,
            maxLength: 12,
          }),
          async (wishes) => {
            const now = await bench.store.now();
            const expected: string[] = [];
            for (const [state, offset] of wishes) {
              const dueAt = offset === null ? null : now + offset;
              const start = newCase({ at: now - 10, entries: entriesFor(state, dueAt, now) });
              // A ready case is due when it became ready; any other time is as good for the rule.
              const row = {
                ...start.row,
                dueAt: start.row.state === "ready" ? (dueAt ?? now) : start.row.dueAt,
              };
              await bench.store.insertCase({ ...start, row });
              expect(row.state).toBe(state);
              if (isClaimable(row, now)) expected.push(start.identity.caseId);
            }
            const { cases } = await bench.claim(20, { now });
            expect(cases.map(({ row }) => row.caseId).toSorted()).toEqual(expected.toSorted());
            // What is left must not be found by the next run.
            await bench.claim(100, { now: now + 1_000_000 });
          },
        ),
        { numRuns: 25 },
      );
    });

    test("a case whose journal cannot be read can be put in sight, and only by its claim", async () => {
      const stored = await bench.startClaimed();
      const { caseId, summary, claim } = stored.row;
      const { reviews } = writeOf(stored, newId(), [], { kind: "free" }, 1).row.summary;
      const told = {
        ...summary,
        reviews: [
          ...reviews,
          {
            step: "createRecord",
            reason: "bug",
            sentence: "Its journal cannot be read.",
            owner: "purchasing",
            nextCheckAllowedAt: null,
          },
        ],
      } as const;
      expect(await bench.store.setAside(caseId, newId(), told)).toBe(false);
      expect(await bench.store.setAside(caseId, null, told)).toBe(false);
      expect(await bench.store.setAside(caseId, claim?.claimId ?? "", told)).toBe(true);
      const { row } = await bench.load(caseId);
      expect(row).toMatchObject({ state: "in_review", dueAt: null, claim: null, summary: told, revision: 1 });
      expect((await bench.store.listCases({ limit: 5, withReview: true })).rows).toHaveLength(1);
      expect((await bench.claim(1)).cases).toEqual([]);
    });
  });
}

function entriesFor(state: RestingState, dueAt: number | null, now: number): readonly Entry[] {
  switch (state) {
    case "ready":
      return [];
    case "waiting":
      return [parkedUntil(dueAt)];
    case "paused":
      return [{ kind: "paused", by: person, reason: null, untilAt: dueAt }];
    case "in_review":
      return [{ kind: "parked", waits: [], dueAt: null }];
    case "done":
      return [{ kind: "caseDone" }];
    case "canceled":
      return [{ kind: "canceled", by: person, reason: `at ${now}` }];
  }
}
