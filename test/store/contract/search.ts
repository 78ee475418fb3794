import { describe, expect, test } from "vitest";
import type { Json } from "../../../src/core/json.ts";
import type { SearchOutline } from "../../../src/core/search-outline.ts";
import type { CaseFilter, FoldedCase } from "../../../src/store/port.ts";
import { changeOf, commitOf, confirmed, newCase, newId, note, person, writeOf } from "../made-cases.ts";
import type { Bench } from "./contract.ts";

/** The made cases begin with an amount of 12.5, and their step gives R-17. */
const search: SearchOutline = {
  attributes: [
    { name: "amount", type: "number", step: null, path: ["amount"] },
    { name: "recordNo", type: "text", step: "createRecord", path: ["recordId"] },
  ],
  tags: [["née"]],
  masked: { input: [], results: {} },
};

const byRecord = { name: "recordNo", value: "R-17", from: null, to: null };
const amount = (from: number | null, to: number | null): CaseFilter["search"] => [
  { name: "amount", value: null, from, to },
];

export function testSearch(bench: Bench): void {
  const found = async (
    sought: CaseFilter["search"],
    more: Partial<CaseFilter> = {},
  ): Promise<readonly string[]> => {
    const filter = { ...(sought === undefined ? {} : { search: sought }), ...more };
    const { rows } = await bench.other.listCases({ ...filter, limit: 100 });
    expect(await bench.other.countFound(filter, 100)).toBe(rows.length);
    return rows.map(({ caseId }) => caseId);
  };

  const correct = async (caseId: string, input: Json): Promise<void> => {
    const commitId = newId();
    await bench.other.changeCase(caseId, changeOf(commitId), (stored, now) => {
      const entry = { kind: "inputCorrected", input, reason: "a typo", by: person } as const;
      const { at, entries, row } = writeOf(stored, commitId, [entry], { kind: "free" }, now);
      return { kind: "write", commitId, at, entries, row, claim: "keep", reply: null };
    });
  };

  const claimed = async (count: number): Promise<readonly FoldedCase[]> => {
    for (let n = 0; n < count; n += 1) await bench.start({ shard: n, search });
    return (await bench.claim(count)).cases;
  };

  describe("search values", () => {
    test("find a case from its start on, whether started alone or with others", async () => {
      const alone = await bench.start({ search, shard: 1 });
      const at = await bench.store.now();
      const together = [2, 3, 4].map((shard) => newCase({ at: at + shard, shard, search }));
      await Promise.all(together.map((start) => bench.store.insertCase(start)));
      await bench.start({ shard: 5 });
      const all = [...together.toReversed(), alone].map(({ identity }) => identity.caseId);
      expect(await found(amount(12.5, 12.5))).toEqual(all);
      expect(await found([{ name: "tag", value: "ü", from: null, to: null }])).toEqual(all);
      expect(await found(amount(13, null))).toEqual([]);
      expect(await found([byRecord])).toEqual([]);
    });

    test.each([1, 3])("find %i of them by the result that a commit brings", async (count) => {
      const cases = await claimed(count);
      const at = await bench.store.now();
      const replies = await bench.store.commit(cases.map((one) => commitOf(one, at, [confirmed()])));
      expect(replies.map(({ kind }) => kind)).toEqual(cases.map(() => "current"));
      expect((await found([byRecord])).toSorted()).toEqual(cases.map(({ row }) => row.caseId).toSorted());
    });

    test("find a case by the result of a commit that came after something else", async () => {
      const [stored] = await claimed(1);
      if (stored === undefined) throw new Error("nothing was claimed");
      const { caseId } = stored.row;
      const at = await bench.store.now();
      const commitId = newId();
      await bench.other.changeCase(caseId, changeOf(commitId), (now, when) => {
        const write = writeOf(now, commitId, [note("seen")], { kind: "free" }, when);
        return { kind: "write", commitId, ...write, claim: "keep", reply: null };
      });
      expect(
        (await bench.commitOne(commitOf(stored, at, [confirmed()], { outcomes: [confirmed()] }))).kind,
      ).toBe("moved");
      expect(await found([byRecord])).toEqual([caseId]);
    });

    test("find a corrected case by what it is now, once, and not by what it was", async () => {
      const { identity } = await bench.start({ search });
      await correct(identity.caseId, { amount: 14 });
      expect(await found(amount(12.5, 12.5))).toEqual([]);
      expect(await found(amount(10, 20))).toEqual([identity.caseId]);
      await correct(identity.caseId, { amount: 12.5 });
      expect(await found(amount(12.5, 12.5))).toEqual([identity.caseId]);
      expect(await found(amount(14, 14))).toEqual([]);
    });

    test("are asked for with other criteria, and by pages", async () => {
      const at = await bench.store.now();
      for (let n = 0; n < 5; n += 1) {
        await bench.start({ at: at + n, shard: n, search, tenant: n % 2 === 0 ? "acme" : "beta" });
      }
      for (const sought of [amount(1, null), [{ name: "tag", value: "ü", from: null, to: null }]]) {
        const all = await found(sought);
        expect(all).toHaveLength(5);
        expect(await found(sought, { tenant: "acme" })).toHaveLength(3);
        expect(await found(sought, { visible: [{ tenants: ["beta"], caseTypes: null }] })).toHaveLength(2);
        const first = await bench.store.listCases({ search: sought ?? [], limit: 2 });
        const rest = await bench.store.listCases({ search: sought ?? [], limit: 9, after: first.next ?? "" });
        expect([...first.rows, ...rest.rows].map(({ caseId }) => caseId)).toEqual(all);
        expect(await bench.store.countFound({ search: sought ?? [] }, 3)).toBe(3);
      }
    });
  });
}
