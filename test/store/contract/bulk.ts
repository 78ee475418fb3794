import { describe, expect, test } from "vitest";
import type { BulkItem, NewBulkAct } from "../../../src/store/bulk-port.ts";
import { newId } from "../made-cases.ts";
import type { Bench } from "./contract.ts";

const HOLD_MS = 60_000;

function newAct(over: Partial<NewBulkAct> = {}): NewBulkAct {
  const bulkId = `b-${newId()}`;
  return {
    bulkId,
    move: "resume",
    request: { step: null },
    filter: {},
    by: "ada",
    reason: null,
    state: "running",
    ...over,
  };
}

const ids = (count: number): readonly string[] => Array.from({ length: count }, newId);

/** What is kept of bulk acts: frozen cases, worked off once each under claims that end. */
export function testBulk(bench: Bench): void {
  /** Ends whatever an earlier test left, so that claims here are of this test alone. */
  const stopAll = async (): Promise<void> => {
    for (const { bulkId } of await bench.store.bulk.list(100)) {
      const from = ["trying", "running", "paused"] as const;
      await bench.store.bulk.shift({ bulkId, from, to: "stopped", why: null, isTried: false });
    }
  };
  const make = async (act: NewBulkAct, caseIds: readonly string[]): Promise<NewBulkAct> => {
    await stopAll();
    await bench.store.bulk.create(act, caseIds);
    return act;
  };
  const claim = (claimId: string, limit: number, holdMs = HOLD_MS): Promise<readonly BulkItem[]> =>
    bench.store.bulk.claim({ claimId, limit, holdMs });
  const settle = (
    { bulkId, caseId }: Pick<BulkItem, "bulkId" | "caseId">,
    claimId: string,
  ): Promise<boolean> =>
    bench.store.bulk.settle({ bulkId, caseId, claimId, state: "done", code: null, sentence: "Stored." });

  describe("a bulk act", () => {
    test("is kept with its cases in their order, and making it again changes nothing", async () => {
      const caseIds = ids(5);
      const act = await make(newAct({ reason: 'it\'s "new" ü' }), caseIds);
      await bench.other.bulk.create({ ...act, move: "cancel" }, ids(2));
      expect(await bench.other.bulk.load(act.bulkId)).toMatchObject({
        ...act,
        state: "running",
        isTried: true,
        why: null,
        counts: { total: 5, open: 5, done: 0, refused: 0 },
      });
      const items = await bench.store.bulk.listItems(act.bulkId, { afterPlace: 1, limit: 2 });
      expect(items.map(({ caseId, place }) => [caseId, place])).toEqual([
        [caseIds[2], 2],
        [caseIds[3], 3],
      ]);
      expect((await bench.store.bulk.list(1)).map(({ bulkId }) => bulkId)).toEqual([act.bulkId]);
      expect(await bench.store.bulk.load("b-none")).toBeNull();
    });

    test("gives each of its cases to one of many that ask at once", async () => {
      const act = await make(newAct(), ids(40));
      const claims = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          (index % 2 === 0 ? bench.store : bench.other).bulk.claim({
            claimId: `c-${index}`,
            limit: 10,
            holdMs: HOLD_MS,
          }),
        ),
      );
      const rest = await claim("c-rest", 40);
      const places = [...claims.flat(), ...rest]
        .filter(({ bulkId }) => bulkId === act.bulkId)
        .map(({ place }) => place);
      expect(places.toSorted((one, other) => one - other)).toEqual(
        Array.from({ length: 40 }, (_, place) => place),
      );
    });

    test("gives a case again once its claim has ended, and takes no outcome from who had it before", async () => {
      const act = await make(newAct(), ids(1));
      const [item] = await claim("first", 10, 1);
      if (item === undefined) throw new Error("nothing was claimed");
      await expect.poll(async () => (await claim("second", 10)).length).toBe(1);
      expect(await settle(item, "first")).toBe(false);
      expect(await settle(item, "second")).toBe(true);
      expect(await settle(item, "second")).toBe(false);
      const items = await bench.store.bulk.listItems(act.bulkId, {
        afterPlace: -1,
        limit: 10,
        state: "done",
      });
      expect(items).toMatchObject([{ state: "done", sentence: "Stored.", code: null }]);
      expect(items[0]?.endedAt).toBeGreaterThan(0);
    });

    test("is worked on while it runs; of one that tries only the first case, of a paused one nothing", async () => {
      const act = await make(newAct({ state: "trying" }), ids(3));
      const { bulkId } = act;
      const [first, ...others] = await claim("c", 10);
      expect([first?.place, others]).toEqual([0, []]);
      expect(await bench.store.bulk.listTrying()).toEqual([]);
      if (first !== undefined) await settle(first, "c");
      expect(await bench.store.bulk.listTrying()).toMatchObject([{ act: { bulkId }, first: { place: 0 } }]);
      expect(await claim("c", 10)).toEqual([]);
      const shift = { bulkId, why: "by ada", isTried: false } as const;
      expect(await bench.other.bulk.shift({ ...shift, from: ["running"], to: "paused" })).toBe(false);
      expect(await bench.other.bulk.shift({ ...shift, from: ["trying"], to: "paused" })).toBe(true);
      expect(await claim("c", 10)).toEqual([]);
      expect(await bench.store.bulk.load(bulkId)).toMatchObject({
        state: "paused",
        why: "by ada",
        isTried: false,
      });
      await bench.store.bulk.shift({ ...shift, from: ["paused"], to: "running", why: null, isTried: true });
      expect((await claim("c", 10)).map(({ place }) => place)).toEqual([1, 2]);
      expect((await bench.store.bulk.load(bulkId))?.isTried).toBe(true);
    });

    test("is done once no case of it is open, and not before", async () => {
      const { bulkId } = await make(newAct(), ids(2));
      const [one, two] = await claim("c", 10);
      if (one === undefined || two === undefined) throw new Error("two were to be claimed");
      await settle(one, "c");
      expect(await bench.store.bulk.finish()).toEqual([]);
      await bench.store.bulk.settle({
        ...two,
        claimId: "c",
        state: "refused",
        code: "CASE_CLAIMED",
        sentence: "held",
      });
      expect(await bench.other.bulk.finish()).toEqual([bulkId]);
      expect(await bench.store.bulk.load(bulkId)).toMatchObject({
        state: "done",
        counts: { open: 0, done: 1, refused: 1 },
      });
    });
  });

  test("what is said of a problem is kept until something else is said", async () => {
    const problemId = newId();
    const { bulk } = bench.store;
    await bulk.mark({ problemId, note: "seen", owner: null, by: "ada" });
    await bulk.mark({ problemId, note: null, owner: "Ann", by: "bob" });
    const marks = await bench.other.bulk.listMarks([problemId, newId()]);
    expect(marks).toMatchObject([{ problemId, note: null, owner: "Ann", by: "bob" }]);
  });
}
