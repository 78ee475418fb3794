import { describe, expect, test } from "vitest";
import { foldJournal } from "../../../src/core/fold.ts";
import { rowOf } from "../../../src/core/row.ts";
import { newCase, newCaseId, newId, parkedUntil } from "../made-cases.ts";
import type { Bench } from "./contract.ts";

export function testStarts(bench: Bench): void {
  describe("starting a case", () => {
    test("a new case is read back as it was written, with its journal", async () => {
      const at = await bench.store.now();
      const start = newCase({
        at,
        businessKey: "PO-1",
        tenant: "acme",
        definitionVersion: 3,
        engineVersion: 2,
      });
      expect(await bench.store.insertCase(start)).toEqual({ kind: "started" });
      const { row, journal } = await bench.load(start.identity.caseId);
      expect(row).toEqual({ ...start.identity, ...start.row, lineage: row.lineage, claim: null });
      expect(journal).toEqual([{ revision: 1, at, commitId: start.commitId, entry: start.entries[0] }]);
      expect(rowOf(foldJournal(row.caseId, journal))).toEqual(start.row);
    });

    test("the same start sent again is told to be a repeat and changes nothing", async () => {
      const start = await bench.start({ businessKey: "PO-1" });
      const before = await bench.load(start.identity.caseId);
      expect(await bench.store.insertCase(start)).toEqual({ kind: "repeated" });
      expect(await bench.load(start.identity.caseId)).toEqual(before);
    });

    test("a second case with the same tenant, type and business key finds the first", async () => {
      const first = await bench.start({ businessKey: "PO-1" });
      const second = newCase({ at: first.at, businessKey: "PO-1" });
      expect(await bench.store.insertCase(second)).toEqual({ kind: "exists", caseId: first.identity.caseId });
      expect(await bench.store.loadCase(second.identity.caseId)).toBeNull();
    });

    test("another tenant or type may use the same business key, and many cases have none", async () => {
      await bench.start({ businessKey: "PO-1" });
      await bench.start({ businessKey: "PO-1", tenant: "other" });
      await bench.start({ businessKey: "PO-1", caseType: "refund" });
      await bench.start();
      await bench.start();
      expect((await bench.store.listCases({ limit: 10 })).rows).toHaveLength(5);
    });

    test("starts of one business key at the same time make one case", async () => {
      const at = await bench.store.now();
      const starts = Array.from({ length: 8 }, () => newCase({ at, businessKey: "PO-1" }));
      const replies = await Promise.all(
        starts.map((start, index) => (index % 2 === 0 ? bench.store : bench.other).insertCase(start)),
      );
      expect(replies.filter(({ kind }) => kind === "started")).toHaveLength(1);
      expect(replies.filter(({ kind }) => kind === "exists")).toHaveLength(7);
    });

    test("many starts at the same time are each judged and stored for themselves", async () => {
      const at = await bench.store.now();
      const claim = { claimId: newId(), holderId: "holder-1", actWithinMs: 60_000 };
      const starts = Array.from({ length: 300 }, (_, index) =>
        newCase({
          at,
          businessKey: index % 3 === 0 ? `PO-${index % 30}` : null,
          ...(index % 7 === 0 ? { entries: [parkedUntil(at + index)] } : {}),
          ...(index === 1 ? { claim } : {}),
        }),
      );
      const replies = await Promise.all(starts.map((start) => bench.store.insertCase(start)));
      const isStarted = (index: number): boolean => replies[index]?.kind === "started";
      const firstOf = new Map(
        starts.flatMap(({ identity: { businessKey, caseId } }, index) =>
          businessKey !== null && isStarted(index) ? [[businessKey, caseId] as const] : [],
        ),
      );
      expect(replies).toEqual(
        starts.map(({ identity: { businessKey, caseId } }) => {
          const first = businessKey === null ? caseId : firstOf.get(businessKey);
          return first === caseId ? { kind: "started" } : { kind: "exists", caseId: first };
        }),
      );
      for (const start of starts.filter((_, index) => isStarted(index))) {
        const { row, journal } = await bench.load(start.identity.caseId);
        expect(row.claim?.claimId ?? null).toBe(start.claim?.claimId ?? null);
        expect(journal.map(({ entry }) => entry)).toEqual(start.entries);
        expect(rowOf(foldJournal(row.caseId, journal))).toEqual(start.row);
      }
      const left = starts.filter((_, index) => !isStarted(index));
      expect(left).toHaveLength(90);
      const found = await Promise.all(left.map(({ identity }) => bench.store.loadRow(identity.caseId)));
      expect(found).toEqual(left.map(() => null));
    });

    test("a start that is sent twice in the same breath, and one of another case with its id, are told apart", async () => {
      const start = newCase({ at: await bench.store.now() });
      const { caseId, shard } = start.identity;
      const other = newCase({ at: start.at, caseId, shard });
      const replies = await Promise.all([start, start, other].map((one) => bench.store.insertCase(one)));
      expect(replies).toEqual([{ kind: "started" }, { kind: "repeated" }, { kind: "idTaken" }]);
    });

    test("a case id that another case has is told apart", async () => {
      const caseId = newCaseId(3);
      await bench.start({ caseId, shard: 3 });
      const second = newCase({ at: await bench.store.now(), caseId, shard: 3 });
      expect(await bench.store.insertCase(second)).toEqual({ kind: "idTaken" });
    });

    test("a starter that claims holds the case from its first commit", async () => {
      const claim = { claimId: newId(), holderId: "holder-1", actWithinMs: 60_000 };
      const start = await bench.start({ claim });
      const { row } = await bench.load(start.identity.caseId);
      expect(row.state).toBe("claimed");
      expect(row.claim).toMatchObject({ claimId: claim.claimId, holderId: "holder-1" });
      expect((row.claim?.actByAt ?? 0) - (row.claim?.claimedAt ?? 0)).toBe(60_000);
      expect((await bench.claim(1)).cases).toEqual([]);
      expect(await bench.store.insertCase(start)).toEqual({ kind: "repeated" });
    });

    test("a case that starts parked is not due", async () => {
      const start = await bench.start({ entries: [parkedUntil(null)] });
      expect((await bench.load(start.identity.caseId)).row).toMatchObject({ state: "waiting", dueAt: null });
      expect(await bench.claim(1)).toMatchObject({ cases: [], nextDueAt: null });
    });

    test("what JSON cannot hold is refused and nothing is stored", async () => {
      const start = newCase({ at: 1, entries: [parkedUntil(1n as unknown as number)] });
      await expect(bench.store.insertCase(start)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
      expect(await bench.store.loadCase(start.identity.caseId)).toBeNull();
    });

    test("a case that is not there, or whose id is none of ours, is null", async () => {
      expect(await bench.store.loadCase(newCaseId(3))).toBeNull();
      expect(await bench.store.loadCase("nonsense")).toBeNull();
      expect(await bench.store.loadCase("99-abc")).toBeNull();
      expect(await bench.store.loadCase("")).toBeNull();
    });
  });
}
